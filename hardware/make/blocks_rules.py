"""Electrical rules of the circuits' blocks, such as lamps, stations' inputs and knob."""

from __future__ import annotations

import re

from hardware.make import models as m
from hardware.make.circuit import LAMP_RAIL, Complaints, Sheet

_RATED = re.compile(r"(\d+(?:\.\d+)?) W\b")
_VOLTS = re.compile(r"(\d+) V\b")


def lamps(sheet: Sheet) -> Complaints:
    """Check each lamp: visible, with its own driver.

    Its resistor must bear the current even with the cable crushed.
    """
    driver = next(iter(sheet.of("ULN2803A")), "")
    sources = {f"Q{letter}": n for n, letter in enumerate("ABCDEFGH", start=1)}
    for number in sheet.profile.stations():
        plug = f"J{number}"
        if plug not in sheet.nets.components or not driver:
            yield f"station {number} has no plug {plug} or no lamp driver."
            continue
        plus, minus = sheet.net_named(plug, "LAMP+"), sheet.net_named(plug, "LAMP-")
        limits = [t for t in sheet.on(plus, "R") if sheet.across(t) == LAMP_RAIL]
        if len(limits) != 1 or len(sheet.nets.nets[plus]) != 2:
            yield f"lamp {number} must hang on {LAMP_RAIL} by one resistor and nothing else, and has {len(limits)}."
            continue
        yield from _lamp(sheet, number, limits[0][0])
        if minus != sheet.net_named(driver, f"O{number}"):
            yield f"lamp {number} must end at output {number} of {driver}, and ends on {minus or 'nothing'}."
        source = sheet.nets.nets.get(sheet.net_named(driver, f"I{number}"), frozenset())
        if sheet.profile.lamps():
            if sheet.net_named(driver, f"I{number}") != f"P{number}_LED":
                yield f"input {number} of {driver} must be on P{number}_LED."
        elif number not in {str(sources.get(sheet.nets.pin_names[t], "")) for t in source}:
            yield f"input {number} of {driver} must come from output {number} of the register."


def _lamp(sheet: Sheet, number: str, ref: str) -> Complaints:
    ohm, (least, most) = sheet.ohm(ref), m.RAILS[LAMP_RAIL]
    drop = m.CHIPS["ULN2803A"].drop_v
    brightest = (most - m.LAMP_V[0] - drop[0]) / ohm
    faintest = (least - m.LAMP_V[1] - drop[1]) / ohm
    if brightest > m.LAMP_A[1]:
        yield f"lamp {number} gets up to {brightest * 1000:.0f} mA through {ref}; it bears {m.LAMP_A[1] * 1000:.0f}."
    if faintest < m.LAMP_A[0] / 2:
        yield f"lamp {number} gets as little as {faintest * 1000:.1f} mA through {ref}, which nobody sees."
    if (typical := (5.0 - 3.0 - 0.8) / ohm) < m.LAMP_A[0]:
        yield f"lamp {number} gets {typical * 1000:.1f} mA through {ref}; {m.LAMP_A[0] * 1000:.0f} are seen."
    button = sheet.parts["button"]
    own = (5.0 - 3.0 - 0.8) / (ohm + button.lamp_ohm)
    if (own < m.LAMP_A[0]) != button.bridged:
        yield f"lamp {number} gets {own * 1000:.1f} mA through the button's own resistor; 'bridged' must say so."
    heat, bears = most * most / ohm, rated_watts(sheet, ref)
    if heat > bears:
        yield f"{ref} turns {heat:.2f} W into heat when lamp {number}'s wire is shorted; it bears {bears:g} W."


def rated_watts(sheet: Sheet, ref: str) -> float:
    """A resistor's rated watts, by its footprint or by the catalogue's words; 0 if unknown."""
    part = sheet.nets.components[ref]
    by_print = m.WATTS.get(part.footprint.rpartition(":")[2])
    said = _RATED.search(sheet.parts[part.key].what)
    return by_print if by_print is not None else float(said[1]) if said else 0.0


def fuse(sheet: Sheet) -> Complaints:
    """Check the lamps' only fuse: it holds for all lamps and trips before the Pi's own."""
    joining = sorted(
        ref
        for ref in sheet.nets.components
        if {sheet.nets.net(ref, "1"), sheet.nets.net(ref, "2")} == {"+5V", LAMP_RAIL}
    )
    if [sheet.symbol(ref) for ref in joining] != ["POLYFUSE"]:
        yield f"+5V and {LAMP_RAIL} must be joined by one fuse, and are by {', '.join(joining) or 'nothing'}."
        return
    hold = m.FUSE_HOLD_A[sheet.nets.components[joining[0]].value]
    lit = len(sheet.profile.stations()) * m.LAMP_A[1]
    if hold < 1.5 * lit:
        yield f"{joining[0]} holds {hold:g} A; all lamps draw {lit:.2f}, and a warm fuse holds two thirds."
    if hold > 0.5:
        yield f"{joining[0]} holds {hold:g} A: a short in the lamps' wires would take the Pi's supply down first."
    stores = [t for t in sheet.on(LAMP_RAIL, "CP", "C") if sheet.across(t) == "GND"]
    if sum(sheet.farad(ref) for ref, _ in stores) < 47e-6:
        yield f"{LAMP_RAIL} has no store of 47 uF or more; all lamps at once would be felt by the Pi."


def suppressors(sheet: Sheet) -> Complaints:
    """A wire that leaves the box meets its suppressor first, and a pad only behind a resistor."""
    for ref in sheet.of("STATION", "SYNC", "SYNC_PLUG"):
        name = "LINE" if sheet.symbol(ref) == "STATION" else "SYNC"
        line = sheet.net_named(ref, name)
        guards = [t for t in sheet.on(line, "TVS") if sheet.across(t) == "GND"]
        if not guards:
            yield f"{name} of {ref} leaves the box without a suppressor to ground."
        for guard, _ in guards:
            if m.SUPPRESSOR_STANDOFF_V[sheet.nets.components[guard].value] < 5.0:
                yield f"{guard} conducts at 5 V, which a crossed wire may bring."
        if sheet.gpio_net(line) is not None or (sheet.header, "") in sheet.nets.nets.get(line, ()):
            yield f"{name} of {ref} is a pad's own net: a resistor must stand between."
        for terminal in sheet.on(line, "R"):
            far = sheet.across(terminal)
            into = (m.RAILS["+5V"][1] - m.RAILS["+3V3"][0]) / sheet.ohm(terminal[0]) * 1000
            driven = any(pin.net == far and pin.role == "out" for pin in sheet.profile.sync)
            bears = m.PAD_MA if driven else m.PI_INPUT_MA
            if sheet.gpio_net(far) is not None and into > bears:
                yield f"{terminal[0]} lets {into:.0f} mA into {far} from a wire at 5 V; allowed are {bears:g}."


def contacts(sheet: Sheet) -> Complaints:
    """A station's pull-up keeps its contact clean, and its filter is the one of the budget."""
    for number, pin in sheet.profile.stations().items():
        series = [t for t in sheet.on(pin.net, "R") if sheet.across(t) not in m.RAILS]
        if len(series) != 1:
            continue  # inputs_reach complains
        line = sheet.across(series[0])
        if line != sheet.net_named(f"J{number}", "LINE"):
            yield f"{pin.net} comes from {line or 'nothing'}, which is not the line of J{number}."
        pulls = [t[0] for t in sheet.on(line, "R") if sheet.across(t) == "+3V3"]
        wet = sum(3.3 / sheet.ohm(ref) for ref in pulls) * 1000
        if not 1.0 <= wet <= 5.0:
            yield f"the closed contact of station {number} carries {wet:.2f} mA; 1 to 5 keep it clean."
        shunts = [t[0] for t in sheet.on(pin.net, "C") if sheet.across(t) == "GND"]
        tau_us = sheet.ohm(series[0][0]) * sum(sheet.farad(ref) for ref in shunts) * 1e6
        if not 5.0 <= tau_us <= 20.0:
            yield f"the filter of station {number} is {tau_us:.1f} us; allowed are 5 to 20."
        for ref in shunts:
            if "C0G" not in sheet.nets.components[ref].value:
                yield f"{ref} must be C0G: another ceramic changes with its voltage, and stations would differ."


def knob(sheet: Sheet) -> Complaints:
    """The knob's filters are slower than its bounce and faster than a hand."""
    for net in ("ENC_A", "ENC_B", "ENC_SW", "PWR_BTN"):
        if not sheet.profile.find(net):
            continue
        series = [t for t in sheet.on(net, "R") if sheet.across(t) not in m.RAILS]
        shunts = [t[0] for t in sheet.on(net, "C") if sheet.across(t) == "GND"]
        if not series or not shunts:
            continue  # inputs_reach complains
        tau_us = sheet.ohm(series[0][0]) * sum(sheet.farad(ref) for ref in shunts) * 1e6
        if not 5.0 <= tau_us <= 500.0:
            yield f"the filter of {net} is {tau_us:.0f} us; allowed are 5 to 500."


def piezo(sheet: Sheet) -> Complaints:
    """Check the piezo: no direct voltage, no short of its driver, and a low input while silent."""
    drivers = sheet.of("TC4428A")
    if not sheet.profile.find("BUZZER"):
        return
    if not drivers:
        yield "BUZZER has no driver."
        return
    driver = drivers[0]
    outs = sheet.net_named(driver, "~{OUT_A}"), sheet.net_named(driver, "OUT_B")
    blocks = sheet.on(outs[0], "C")
    limits = sheet.on(outs[1], "R")
    if len(blocks) != 1 or len(limits) != 1 or "" in outs or outs[0] == outs[1]:
        yield f"the outputs of {driver} must end at a capacitor and a resistor, one each, and do not."
        return
    ends = {sheet.across(blocks[0]), sheet.across(limits[0])}
    if sheet.farad(blocks[0][0]) < 5 * m.PIEZO_F:
        yield f"{blocks[0][0]} takes a large part of the piezo's voltage: it must be five times the disc's own 0.12 uF."
    ohm = sheet.ohm(limits[0][0])
    if not 33 <= ohm <= 470:
        yield f"{limits[0][0]} is {ohm:g} ohm; 33 to 470 keep the driver cool and the piezo loud."
    discs = sheet.of("PIEZO", "PIEZO_PLUG")
    if not discs or {sheet.nets.net(discs[0], "1"), sheet.nets.net(discs[0], "2")} != ends:
        yield "the piezo must stand between its capacitor and its resistor, and does not."
    bleeds = [ref for ref in sheet.of("R") if {sheet.nets.net(ref, "1"), sheet.nets.net(ref, "2")} == ends]
    if not any(10e3 <= sheet.ohm(ref) <= 1e6 for ref in bleeds):
        yield "the piezo needs a resistor of 10 kohm to 1 Mohm across it, or a direct voltage stays on it."


def stores(sheet: Sheet) -> Complaints:
    """Check the capacitors of chips' supply pins and of the display, and their rated voltage.

    It must be twice the supply.
    """
    fast: dict[str, int] = {}
    for ref in sheet.of("C"):
        if 50e-9 <= sheet.farad(ref) <= 200e-9:
            for net in {sheet.nets.net(ref, "1"), sheet.nets.net(ref, "2")} - {"GND"}:
                fast[net] = fast.get(net, 0) + ("GND" in (sheet.nets.net(ref, "1"), sheet.nets.net(ref, "2")))
    for net, count in {
        "+5V": len(sheet.of("74HCT595", "TC4428A")),
        "+3V3": len(sheet.of("OLED_SPI", "OLED_I2C")),
    }.items():
        if fast.get(net, 0) < min(count, 2):
            yield f"{net} has {fast.get(net, 0)} capacitors of 100 nF to ground for {count} parts that switch."
    for net, wanted in (("+5V", sheet.of("TC4428A")), ("+3V3", sheet.of("OLED_SPI", "OLED_I2C"))):
        stored = sum(sheet.farad(t[0]) for t in sheet.on(net, "C", "CP") if sheet.across(t) == "GND")
        if wanted and stored < 10e-6:
            yield f"{net} must store 10 uF for {wanted[0]}, and has {stored * 1e6:.1f}."
    for ref in sheet.of("C", "CP"):
        said = _VOLTS.search(sheet.parts[sheet.nets.components[ref].key].what)
        nets = {sheet.nets.net(ref, "1"), sheet.nets.net(ref, "2")}
        volts = max(
            [m.RAILS[net][1] for net in nets if net in m.RAILS] + [m.RAILS["+5V"][1] if not nets & set(m.RAILS) else 0]
        )
        if said is None or float(said[1]) < 2 * volts:
            yield f"{ref} stands at {volts:g} V and its catalogue entry does not say that it bears twice that."
        if sheet.symbol(ref) == "CP" and sheet.nets.net(ref, "2") != "GND":
            yield f"{ref} has its minus on {sheet.nets.net(ref, '2') or 'nothing'}; it must be on GND."


def dark_at_boot(sheet: Sheet) -> Complaints:
    """Lamps and piezo stay off through reset, boot, the overlay's probe and until the daemon writes."""
    for pin in sheet.profile.pins:
        if pin.net == "BUZZER" or re.fullmatch(r"P\d_LED", pin.net):
            yield from _low_until_written(sheet, pin.net, needs_resistor=pin.net == "BUZZER")
    for register in sheet.of("74HCT595"):
        net = sheet.net_named(register, "~{OE}")
        pulls = [t[0] for t in sheet.on(net, "R") if sheet.across(t) == "+5V"]
        drains = [t[0] for t in sheet.on(net, "NMOS") if sheet.nets.pin_names[t] == "D"]
        others = {t for t in sheet.nets.nets.get(net, ()) if sheet.symbol(t[0]) != "TESTPOINT"}
        if sheet.gpio_net(net) is not None:
            yield f"~OE of {register} is a pad's own net: a probed PWM drives it low, and the lamps show noise."
        elif len(pulls) != 1 or sheet.ohm(pulls[0]) > 47e3 or len(drains) != 1 or len(others) != 3:
            yield f"~OE of {register} must have one resistor to its supply and one transistor, and nothing else."
        else:
            yield from _low_until_written(sheet, sheet.net_named(drains[0], "G"), needs_resistor=True)
            if 5.25 / sheet.ohm(pulls[0]) > 0.01:
                yield f"{pulls[0]} makes {drains[0]} carry more than 10 mA."


def _low_until_written(sheet: Sheet, net: str, *, needs_resistor: bool) -> Complaints:
    """Check that a net is low at each stage.

    A pad's pull is 50 kohm, floats on other boards, and is lost in reset.
    """
    gpio = sheet.gpio_net(net)
    if gpio is None:
        yield f"{net or 'a gate'} is on no pin of the pin map, so nobody says what it does at power-up."
        return
    downs = [t[0] for t in sheet.on(net, "R") if sheet.across(t) == "GND" and sheet.ohm(t[0]) <= 15e3]
    ups = [t[0] for t in sheet.on(net, "R") if sheet.across(t) in ("+3V3", "+5V")]
    if ups:
        yield f"{net} is pulled up by {ups[0]}: it must be low until the daemon writes."
    if needs_resistor and not downs:
        yield f"{net} needs a resistor to ground of 15 kohm at most: a pad's own pull does not hold it through reset."
    if sheet.profile.name != "pod" and (gpio <= 8 or gpio == 14) and not downs:
        yield f"{net} on GPIO{gpio} is high at reset or while booting."
