"""The blocks of the schematics: a station's input, the lamp chain, the knob and others.

A block draws itself at a place (steps of 1.27 mm, y down) from the pin map's nets. The reason for a part's value is
in `hardware/bom/parts.toml`, next to the part.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.make.catalogue import Catalogue
from hardware.make.sheet import Placed, Point, Sheet
from hardware.make.symbols import SYMBOLS
from referee.drivers.pins.lint import FIXED_PULL_UP, HEADER
from referee.drivers.pins.pinmap import Pin, Profile

HEADER_SUPPLY = {
    **dict.fromkeys((1, 17), "+3V3"),
    **dict.fromkeys((2, 4), "+5V"),
    **dict.fromkeys((6, 9, 25, 30, 34, 39), "GND"),
}
"""Used supply pins of the 40-pin header (Raspberry Pi documentation); the grounds 14 and 20 stay open."""
LAMP_SUPPLY = "+5V_LAMP"


@dataclass(frozen=True)
class Bench:
    """A sheet, the catalogue, and whether parts have leads or are surface-mounted."""

    sheet: Sheet
    catalogue: Catalogue
    leads: bool = False

    def part(self, symbol: str, ref: str, key: str, at: Point, turn: int = 0, *, option: bool = False) -> Placed:
        """Place a part of the catalogue; the one with leads if this bench uses leads."""
        item = self.catalogue.items.get(f"t_{key}") if self.leads else None
        item = item or self.catalogue[key]
        return self.sheet.place(symbol, ref, item.value, at, turn, item, option)

    @property
    def store(self) -> str:
        """The symbol of 10 uF: ceramic on the board, electrolytic with leads."""
        return "CP" if self.leads else "C"

    def ground(self, at: Point, reach: int = 0) -> None:
        """Place a ground symbol below that point, after a wire of length `reach`."""
        if reach:
            self.sheet.wire(at, (at[0], at[1] + reach))
        self.sheet.power("GND", (at[0], at[1] + reach))

    def between(self, symbol: str, ref: str, key: str, x: int, top: int, above: str, below: str = "GND") -> None:
        """Place a part between a supply or net above and ground or a net below."""
        part = self.part(symbol, ref, key, (x, top + 3))
        for net, at in ((above, part.pin("1")), (below, part.pin("2"))):
            if net in ("+3V3", "+5V", "GND"):
                self.sheet.power(net, at)
            else:
                end = (at[0], at[1] + (-2 if at == part.pin("1") else 2))
                self.sheet.wire(at, end)
                self.sheet.label(net, end, "right")


def pi_header(bench: Bench, profile: Profile, options: dict[int, str], at: Point, item: str) -> None:
    """The 40-pin header with the nets of the pin map and of the options; the rest is open."""
    sheet, (x, y) = bench.sheet, at
    header = bench.part("RASPBERRY_PI", "J10", item, at)
    nets = {HEADER[pin.gpio]: pin.net for pin in profile.pins}
    nets |= {HEADER[gpio]: net for gpio, net in options.items()} | HEADER_SUPPLY
    for number in range(1, 41):
        place = header.pin(str(number))
        if number in nets:
            sheet.stub(nets[number], place, "left" if number % 2 else "right")
        else:
            sheet.leave_open(place)
    sheet.heading("Raspberry Pi", (x - 26, y - 9))


def station(bench: Bench, number: str, at: Point, plug: str, lamp: str) -> None:
    """A station's side of the console: pull-up, suppressor, resistors, capacitor, plug."""
    sheet, (x, y) = bench.sheet, at
    plug_part = bench.part("STATION", f"J{number}", plug, (x + 61, y))
    line, ground, plus, minus = (plug_part.pin(pin) for pin in "1234")
    series = bench.part("R", f"R{number}2", "r1k", (x + 14, y), 90)
    sheet.wire((x, y), series.pin("1"))
    sheet.wire(series.pin("2"), line)
    sheet.label(f"P{number}_BTN", (x, y), "left")
    shunt = bench.part("C", f"C{number}1", "c10n_c0g", (x + 6, y + 5))
    sheet.wire((x + 6, y), shunt.pin("1"))
    bench.ground(shunt.pin("2"))
    pull = bench.part("R", f"R{number}1", "r2k2", (x + 21, y - 5))
    sheet.wire(pull.pin("2"), (x + 21, y))
    sheet.power("+3V3", pull.pin("1"))
    guard = bench.part("TVS", f"D{number}1", "tvs", (x + 25, y + 5))
    sheet.wire((x + 25, y), guard.pin("1"))
    bench.ground(guard.pin("2"))
    sheet.wire(ground, (ground[0] - 3, ground[1]))
    bench.ground((ground[0] - 3, ground[1]))
    limit = bench.part("R", f"R{number}3", "r120_lamp", (plus[0] - 5, plus[1]), 90)
    sheet.wire(limit.pin("2"), plus)
    sheet.stub(LAMP_SUPPLY, limit.pin("1"), "left", 2)
    sheet.stub(lamp, minus, "left", 10)
    sheet.note(f"LINE{number}", (x + 31, y - 2))


def shift_lamps(bench: Bench, profile: Profile, at: Point) -> None:
    """74HCT595 on the SPI with chip select as latch, its outputs straight into the ULN2803A."""
    sheet = bench.sheet
    register = bench.part("74HCT595", "U1", "hct595", at)
    driver = bench.part("ULN2803A", "U2", "uln2803", (at[0] + 26, at[1]))
    outputs = ("15", "1", "2", "3", "4", "5", "6", "7")
    nets = _lamp_nets(profile)
    for number, output in enumerate(outputs, start=1):
        sheet.wire(register.pin(output), driver.pin(str(number)))
        _lamp_output(sheet, driver, number, nets)
    sheet.leave_open(register.pin("9"))
    for pin, net in (
        ("14", "SPI_MOSI"),
        ("11", "SPI_SCLK"),
        ("12", "LED_LATCH"),
        ("13", "LED_OFF"),
        ("10", "+5V"),
        ("16", "+5V"),
    ):
        sheet.stub(net, register.pin(pin), "left")
    _lamp_ends(bench, register.pin("8"), driver)
    sheet.heading("Station lamps", (at[0] - 22, at[1] - 9))


def direct_lamps(bench: Bench, profile: Profile, at: Point) -> None:
    """One pin per lamp, through the ULN2803A; unused inputs are grounded."""
    sheet = bench.sheet
    driver = bench.part("ULN2803A", "U2", "uln2803", at)
    nets = _lamp_nets(profile)
    for number in range(1, 9):
        place = driver.pin(str(number))
        driven = profile.find(f"P{number}_LED")
        sheet.stub(driven.net if driven else "GND", place, "left")
        _lamp_output(sheet, driver, number, nets)
    _lamp_ends(bench, None, driver)
    sheet.heading("Station lamps", (at[0] - 18, at[1] - 9))


def _lamp_nets(profile: Profile) -> dict[int, str]:
    return {int(name): f"P{name}_LAMP" for name in profile.stations()}


def _lamp_output(sheet: Sheet, driver: Placed, number: int, nets: dict[int, str]) -> None:
    place = driver.pin(str(19 - number))
    if number in nets:
        sheet.stub(nets[number], place, "right")
    else:
        sheet.leave_open(place)


def _lamp_ends(bench: Bench, register_ground: Point | None, driver: Placed) -> None:
    for place in filter(None, (register_ground, driver.pin("9"))):
        corner = (place[0] - 2, place[1])
        bench.sheet.wire(place, corner)
        bench.ground(corner, 2)
    bench.sheet.stub(LAMP_SUPPLY, driver.pin("10"), "right")


def supply(bench: Bench, at: Point) -> None:
    """Fuse of the lamps' supply, bulk and decoupling capacitors."""
    sheet, (x, y) = bench.sheet, at
    fuse = bench.part("POLYFUSE", "F1", "polyfuse", (x + 7, y + 4), 90)
    sheet.wire((x + 2, y + 4), fuse.pin("1"))
    sheet.power("+5V", (x + 2, y + 4))
    store = bench.part("CP", "C1", "c100u", (x + 14, y + 9))
    sheet.wire(fuse.pin("2"), (x + 14, y + 4), (x + 18, y + 4))
    sheet.label(LAMP_SUPPLY, (x + 18, y + 4), "right")
    sheet.wire((x + 14, y + 4), store.pin("1"))
    bench.ground(store.pin("2"))
    bench.between("C", "C2", "c100n", x + 36, y + 3, "+5V")
    bench.between("C", "C3", "c100n", x + 47, y + 3, "+3V3")
    sheet.heading("Supply", (x, y - 7))


def dark_at_boot(bench: Bench, at: Point) -> None:
    """The register's output enable: off by the resistor to its own supply unless the pin is high.

    A pin that is pulled low, floats against R7, or is driven low by a PWM not yet set keeps it off.
    """
    sheet, (x, y) = bench.sheet, at
    switch = bench.part("NMOS", "Q1", "nmos", (x, y))
    gate, drain, source = (switch.pin(pin) for pin in "132")
    sheet.wire((x - 12, y), gate)
    sheet.label("LED_ON", (x - 12, y), "left")
    rest = bench.part("R", "R7", "r10k", (x - 8, y + 5))
    sheet.wire((x - 8, y), rest.pin("1"))
    bench.ground(rest.pin("2"))
    bench.ground(source, 2)
    up = bench.part("R", "R1", "r10k", (drain[0], y - 10))
    sheet.wire(up.pin("2"), drain)
    sheet.power("+5V", up.pin("1"))
    sheet.wire((drain[0], y - 6), (drain[0] + 5, y - 6))
    sheet.label("LED_OFF", (drain[0] + 5, y - 6), "right")
    sheet.heading("Lamps dark until the software runs", (x - 22, y - 20))


def contact(bench: Bench, pin: Pin, ref: int, at: Point, outside: str, *, slow: bool) -> None:
    """A contact of the console: series resistor, capacitor, and a pull-up if the Pi's is weak.

    `slow`: a push, 100 ohm and 100 nF; otherwise the encoder maker's filter of 10 kohm, 10 kohm, 10 nF.
    """
    sheet, (x, y) = bench.sheet, at
    series = bench.part("R", f"R{ref}", "r100" if slow else "r10k", (x + 12, y), 90)
    shunt = bench.part("C", f"C{ref}", "c100n" if slow else "c10n_c0g", (x + 5, y + 5))
    sheet.wire((x, y), series.pin("1"))
    sheet.wire((x + 5, y), shunt.pin("1"))
    bench.ground(shunt.pin("2"))
    sheet.wire(series.pin("2"), (x + 22, y))
    if pin.gpio not in FIXED_PULL_UP:
        pull = bench.part("R", f"R{ref + 1}", "r10k", (x + 18, y - 5))
        sheet.wire(pull.pin("2"), (x + 18, y))
        sheet.power("+3V3", pull.pin("1"))
    sheet.label(pin.net, (x, y), "left")
    sheet.label(outside, (x + 22, y), "right")


def knob_and_power(bench: Bench, profile: Profile, at: Point, plugs: tuple[str, str]) -> None:
    """The encoder's three contacts and the power button, filtered, with their plugs."""
    sheet, (x, y) = bench.sheet, at
    rows = (
        ("ENC_A", "KNOB_A", False),
        ("ENC_B", "KNOB_B", False),
        ("ENC_SW", "KNOB_SW", True),
        ("PWR_BTN", "POWER_SW", True),
    )
    for place, (net, outside, slow) in enumerate(rows):
        pin = next(pin for pin in profile.pins if pin.net == net)
        contact(bench, pin, 91 + 2 * place, (x + 10 + 46 * (place % 2), y + 26 * (place // 2)), outside, slow=slow)
    knob = bench.part("ENCODER", "J12", plugs[0], (x + 112, y - 5))
    for number, net in enumerate(("KNOB_A", "GND", "KNOB_B", "KNOB_SW", "GND"), start=1):
        sheet.stub(net, knob.pin(str(number)), "left")
    power = bench.part("POWER", "J13", plugs[1], (x + 110, y + 24))
    sheet.stub("POWER_SW", power.pin("1"), "left")
    sheet.stub("GND", power.pin("2"), "left")
    sheet.heading("Knob and power button", (x, y - 17))


def piezo(bench: Bench, at: Point, plug: tuple[str, str]) -> None:
    """Two complementary outputs, a capacitor that blocks direct voltage, and the disc between them."""
    sheet, (x, y) = bench.sheet, at
    driver = bench.part("TC4428A", "U3", "tc4428", (x + 26, y))
    ins = driver.pin("2"), driver.pin("4")
    supply = driver.pin("6")
    sheet.wire(supply, (supply[0] - 2, supply[1]), (supply[0] - 2, supply[1] - 2))
    sheet.power("+5V", (supply[0] - 2, supply[1] - 2))
    sheet.wire(ins[0], (ins[0][0] - 3, ins[0][1]), (ins[1][0] - 3, ins[1][1]), ins[1])
    sheet.wire((ins[0][0] - 3, ins[0][1]), (x + 6, ins[0][1]))
    sheet.label("BUZZER", (x + 6, ins[0][1]), "left")
    rest = bench.part("R", "R2", "r10k", (x + 8, ins[0][1] + 5))
    sheet.wire((x + 8, ins[0][1]), rest.pin("1"))
    bench.ground(rest.pin("2"))
    ground = driver.pin("3")
    sheet.wire(ground, (ground[0] - 1, ground[1]))
    bench.ground((ground[0] - 1, ground[1]), 2)
    outs = driver.pin("7"), driver.pin("5")
    block = bench.part("C", "C5", "c1u", (x + 43, outs[0][1]), 90)
    limit = bench.part("R", "R3", "r100", (x + 43, outs[1][1] + 6), 90)
    sheet.wire(outs[0], block.pin("1"))
    sheet.wire(outs[1], (x + 37, outs[1][1]), (x + 37, outs[1][1] + 6), limit.pin("1"))
    bleed = bench.part("R", "R4", "r100k", (x + 51, y + 6))
    top, bottom = (x + 51, outs[0][1]), (x + 51, outs[1][1] + 6)
    sheet.wire(block.pin("2"), top, bleed.pin("1"))
    sheet.wire(limit.pin("2"), bottom)
    sheet.wire(bleed.pin("2"), bottom)
    sheet.wire(top, (x + 58, top[1]))
    sheet.wire(bottom, (x + 58, bottom[1]))
    symbol, key = plug
    if symbol == "PIEZO":
        disc = bench.part(symbol, "BZ1", key, (x + 60, y + 6))
        sheet.wire((x + 58, top[1]), (x + 60, top[1]), disc.pin("1"))
        sheet.wire((x + 58, bottom[1]), (x + 60, bottom[1]), disc.pin("2"))
    else:
        socket = bench.part(symbol, "J14", key, (x + 66, y + 6))
        sheet.wire((x + 58, top[1]), (x + 58, socket.pin("1")[1]), socket.pin("1"))
        sheet.wire((x + 58, bottom[1]), (x + 58, socket.pin("2")[1]), socket.pin("2"))
    bench.between(bench.store, "C4", "c10u", x + 22, y + 18, "+5V")
    bench.between("C", "C6", "c100n", x + 33, y + 18, "+5V")
    sheet.heading("Piezo, 10 V peak to peak", (x - 4, y - 9))


SPI_LINES = ("GND", "+3V3", "SPI_SCLK", "SPI_MOSI", "OLED_RST", "OLED_DC", "OLED_CS")


def display_spi(bench: Bench, at: Point, plug: str) -> None:
    """The display's seven lines."""
    _display(bench, at, "OLED_SPI", plug, SPI_LINES)


def second_display(bench: Bench, at: Point, plug: str) -> None:
    """A second display on the same lines, which nothing is read from: it shows the same to the other side."""
    display = bench.part("OLED_SPI", "J17", plug, at, option=True)
    for number, net in enumerate(SPI_LINES, start=1):
        bench.sheet.stub(net, display.pin(str(number)), "left")
    bench.between("C", "C8", "c100n", at[0] + 14, at[1] + 1, "+3V3")
    bench.sheet.heading("Option: second display", (at[0] - 21, at[1] - 9))


def display_i2c(bench: Bench, at: Point, plug: str) -> None:
    """The display's four lines.

    The modules have the bus's pull-ups, the Pi has 1.8 kohm of its own.
    """
    _display(bench, at, "OLED_I2C", plug, ("GND", "+3V3", "I2C_SCL", "I2C_SDA"))


def _display(bench: Bench, at: Point, symbol: str, plug: str, nets: tuple[str, ...]) -> None:
    display = bench.part(symbol, "J11", plug, at)
    for number, net in enumerate(nets, start=1):
        bench.sheet.stub(net, display.pin(str(number)), "left")
    bench.between(bench.store, "C7", "c10u", at[0] + 14, at[1] + 1, "+3V3")
    bench.sheet.heading("Display", (at[0] - 21, at[1] - 9))


def amplifier(bench: Bench, at: Point) -> None:
    """The plug of the I2S amplifier's board.

    The gain stays open: 9 dB. R8 keeps it off until the pin is high: no pop when its clock starts and ends.
    """
    amp = bench.part("AMPLIFIER", "J16", "amp_header", at, option=True)
    for number, net in enumerate(("I2S_LRCLK", "I2S_BCLK", "I2S_DOUT", "", "AMP_ON", "GND", "+5V"), start=1):
        if net:
            bench.sheet.stub(net, amp.pin(str(number)), "left")
        else:
            bench.sheet.leave_open(amp.pin(str(number)))
    bench.between("R", "R8", "r10k", at[0] + 14, at[1] + 1, "AMP_ON")
    bench.sheet.heading("Option: voice (MAX98357A)", (at[0] - 21, at[1] - 9))


def sync_wire(bench: Bench, at: Point, plug: tuple[str, str]) -> None:
    """The sync wire: one pin pulses it, another stamps the same wire, as every pod on it does."""
    sheet, (x, y) = bench.sheet, at
    drive = bench.part("R", "R5", "r330", (x + 7, y), 90)
    listen = bench.part("R", "R6", "r1k", (x + 7, y + 9), 90)
    sheet.wire((x + 2, y), drive.pin("1"))
    sheet.wire((x + 2, y + 9), listen.pin("1"))
    sheet.label("SYNC_OUT", (x + 2, y), "left")
    sheet.label("SYNC_IN", (x + 2, y + 9), "left")
    sheet.wire(drive.pin("2"), (x + 14, y), (x + 19, y))
    sheet.wire(listen.pin("2"), (x + 14, y + 9), (x + 14, y))
    _sync_socket(bench, (x + 19, y), plug)
    sheet.heading("Option: sync wire to pods", (x - 9, y - 9))


def contact_box(bench: Bench, at: Point) -> None:
    """A station: its socket, the button's contact, the lamp.

    It has no further parts that could fail. Most buttons bring their lamp, so the list has it as an option.
    """
    sheet, x = bench.sheet, at[0]
    socket = bench.part("RJ45", "J1", "keystone", at)
    line, ground, plus, minus = (socket.pin(pin) for pin in ("1", "2", "3", "6"))
    button = bench.part("PUSH", "SW1", "button", (x + 34, line[1]))
    sheet.wire(line, button.pin("1"))
    sheet.wire(button.pin("2"), (x + 44, line[1]), (x + 44, ground[1]), ground)
    lamp = bench.part("LED", "D1", "lamp", (x + 30, plus[1] + 3), option=True)
    sheet.wire(plus, lamp.pin("1"))
    sheet.wire(minus, (x + 18, minus[1]), (x + 18, plus[1] + 8), (x + 30, plus[1] + 8), lamp.pin("2"))
    sheet.leave_open(*(socket.pin(pin) for pin in ("4", "5", "7", "8")))


def pico(bench: Bench, profile: Profile, at: Point) -> None:
    """The pod's Pico: every net of its pin table on its pin."""
    sheet = bench.sheet
    board = bench.part("PICO", "U1", "pico", at)
    nets = {f"GP{pin.gpio}": pin.net for pin in profile.pins} | {"VBUS": "+5V", "3V3": "+3V3", "GND": "GND"}
    for number, pin in board.symbol.pin_of.items():
        if pin.name in nets:
            sheet.stub(nets[pin.name], board.pin(number), pin.side)
        else:
            sheet.leave_open(board.pin(number))
    sheet.heading("Raspberry Pi Pico", (at[0] - 21, at[1] - 9))


def sync_input(bench: Bench, at: Point, plug: tuple[str, str]) -> None:
    """The pod's end of the sync wire."""
    sheet, (x, y) = bench.sheet, at
    series = bench.part("R", "R6", "r1k", (x + 7, y), 90, option=True)
    sheet.wire((x + 2, y), series.pin("1"))
    sheet.label("SYNC_IN", (x + 2, y), "left")
    sheet.wire(series.pin("2"), (x + 15, y))
    _sync_socket(bench, (x + 15, y), plug, option=True)
    sheet.heading("Option: sync wire", (x - 9, y - 9))


def test_points(bench: Bench, nets: dict[str, str], at: Point) -> None:
    """Round pads for a meter's tip; reference to net."""
    sheet, (x, y) = bench.sheet, at
    for place, (ref, net) in enumerate(nets.items()):
        point = sheet.place("TESTPOINT", ref, net, (x + 16 * place, y), copper="TESTPOINT")
        x_end, y_end = point.pin("1")
        sheet.wire((x_end, y_end), (x_end, y_end + 3))
        sheet.label(net, (x_end, y_end + 3), "right")
    sheet.heading("Test points", (x - 4, y - 8))


def _sync_socket(bench: Bench, at: Point, plug: tuple[str, str], *, option: bool = False) -> None:
    """The sync wire's end: suppressor and plug; the symbol gives the order of its pins."""
    sheet, (x, y) = bench.sheet, at
    symbol, key = plug
    line = SYMBOLS[symbol].named_pin("SYNC")
    socket = bench.part(symbol, "J15", key, (x + 23, y + line.y), option=option)
    sheet.wire(at, socket.pin(line.number))
    guard = bench.part("TVS", "D1", "tvs", (x, y + 5), option=option)
    sheet.wire(at, guard.pin("1"))
    bench.ground(guard.pin("2"))
    for number in sorted(SYMBOLS[symbol].pin_of.keys() - {line.number}):
        sheet.stub("GND", socket.pin(number), "left")
