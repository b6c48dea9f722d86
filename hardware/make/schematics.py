"""The schematics, drawn from the pin map: `full8`, `direct4`, a button station and the pod."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hardware.make import blocks, catalogue
from hardware.make.blocks import Bench
from hardware.make.catalogue import HARDWARE, Catalogue
from hardware.make.sheet import Sheet
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import GROUPS
from referee.drivers.pins.pinmap import Budget, Pin, Profile

COMMENT = "values and reasons: hardware/bom/parts.toml"
TEST_POINTS = {"TP1": "+5V", "TP2": "+3V3", "TP3": "GND", "TP4": "+5V_LAMP", "TP5": "LED_OFF"}
"""The carrier's pads for a meter's tip, and their nets."""
I2S = {18: "I2S_BCLK", 19: "I2S_LRCLK", 21: "I2S_DOUT"}
"""The amplifier's pins of the I2S group (alternate function 0 of these pins, BCM2711 data sheet)."""


def full8(profile: Profile, parts: Catalogue) -> Sheet:
    """Draw the console's board."""
    sheet = Sheet("full8", f"Console full8: {len(profile.stations())} stations on a carrier board", COMMENT)
    bench = Bench(sheet, parts)
    blocks.pi_header(bench, profile, options(profile), (40, 26), "stacking")
    _stations(bench, profile, "xh4")
    blocks.shift_lamps(bench, profile, (268, 26))
    blocks.supply(bench, (12, 80))
    blocks.dark_at_boot(bench, (70, 124))
    blocks.display_spi(bench, (34, 112), "xh7")
    blocks.second_display(bench, (286, 182), "xh7")
    blocks.knob_and_power(bench, profile, (12, 164), ("xh5", "ph2"))
    blocks.piezo(bench, (162, 166), ("PIEZO_PLUG", "xh2"))
    if "i2s" in profile.reserve:
        blocks.amplifier(bench, (278, 74))
    if "uart" in profile.reserve:
        blocks.sync_wire(bench, (266, 112), ("SYNC_PLUG", "xh3"))
    blocks.test_points(bench, TEST_POINTS, (258, 152))
    return sheet


def _stations(bench: Bench, profile: Profile, plug: str) -> None:
    bench.sheet.heading("Stations: 1 line, 2 ground, 3 lamp +, 4 lamp - (RJ45: 1, 2, 3, 6)", (82, 13))
    for place, number in enumerate(profile.stations()):
        at = (90 + 78 * (place % 2), 34 + 31 * (place // 2))
        blocks.station(bench, number, at, plug, f"P{number}_LAMP")


def options(profile: Profile) -> dict[int, str]:
    """The options' nets by GPIO: the pins that the profile reserves for amplifier and sync wire."""
    found: dict[int, str] = {}
    if "i2s" in profile.reserve:
        found |= {gpio: net for gpio, net in I2S.items() if gpio in GROUPS["i2s"]}
    if "uart" in profile.reserve:
        found |= {pin.gpio: pin.net for pin in profile.sync}
    return {gpio: net for gpio, net in found.items() if profile.find(net) is None}


def direct4(profile: Profile, parts: Catalogue) -> Sheet:
    """Draw the breadboard."""
    sheet = Sheet("direct4", f"Console direct4: {len(profile.stations())} stations on a breadboard", COMMENT)
    bench = Bench(sheet, parts, leads=True)
    blocks.pi_header(bench, profile, {}, (40, 26), "pi_wires")
    _stations(bench, profile, "terminal4")
    blocks.direct_lamps(bench, profile, (284, 26))
    blocks.supply(bench, (258, 66))
    blocks.display_i2c(bench, (34, 88), "display_i2c")
    blocks.knob_and_power(bench, profile, (12, 124), ("encoder", "power_button"))
    blocks.piezo(bench, (162, 118), ("PIEZO", "piezo"))
    return sheet


def station(parts: Catalogue) -> Sheet:
    """Draw a button station."""
    sheet = Sheet("station", "Button station", COMMENT, paper="A5")
    bench = Bench(sheet, parts)
    blocks.contact_box(bench, (36, 30))
    sheet.heading("Button station (all alike)", (24, 17))
    sheet.note("The lamp's resistor is in the console. Use the contact that is open at rest (NO).", (24, 56))
    sheet.note("Pins 4 5 7 8 stay open: what a network device feeds there goes nowhere.", (24, 59))
    return sheet


def pod(parts: Catalogue) -> Sheet:
    """Draw the pod: a Pico with eight stations, the same input circuit as the console's."""
    sheet = Sheet("pod", "Button pod: 8 stations on a Raspberry Pi Pico", COMMENT)
    bench = Bench(sheet, parts, leads=True)
    blocks.pico(bench, POD, (40, 26))
    _stations(bench, POD, "terminal4")
    blocks.direct_lamps(bench, POD, (284, 26))
    blocks.supply(bench, (258, 66))
    blocks.sync_input(bench, (22, 76), ("SYNC", "terminal2"))
    return sheet


POD = Profile(
    name="pod",
    title="Raspberry Pi Pico as a button pod",
    overlays=(),
    reserve=(),
    wake=False,
    pins=(
        *(Pin(1 + n, f"P{n}_BTN", f"station{n}.1", "in", pull="up", active="low") for n in range(1, 9)),
        *(Pin(9 + n, f"P{n}_LED", f"uln2803.I{n}", "out", boot="low", ma=0.7) for n in range(1, 9)),
        Pin(18, "SYNC_IN", "sync.1", "in", pull="down", active="high"),
    ),
    budget=Budget(pin_ma=8.0, total_ma=50.0),
)
"""The pod's pins, as in its firmware: GP2 to GP9 contacts, GP10 to GP17 lamps, GP18 the sync wire."""

DRAWN: dict[str, Callable[[Profile, Catalogue], Sheet]] = {"full8": full8, "direct4": direct4}


def sheets(root: Path = HARDWARE) -> dict[str, Sheet]:
    """Every schematic by name, from the pin map and the catalogue below that folder."""
    profiles, parts = pinmap.load(root / "pinmap.toml"), catalogue.load(root)
    consoles = {name: draw(profiles[name], parts) for name, draw in DRAWN.items()}
    return consoles | {"station": station(parts), "pod": pod(parts)}
