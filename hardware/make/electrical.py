"""Electrical rules of a schematic that was read back, from the part models (`models`).

Every complaint is one sentence. The code that drew the sheet is not used: nets are followed from pin to pin. A part
or net that a rule needs and does not find is a complaint, never a traceback.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from hardware.make import blocks_rules, boards, boot_rules
from hardware.make import models as m
from hardware.make.circuit import Complaints, Sheet
from hardware.make.netlist import Netlist
from hardware.make.skew import farads, ohms


def complaints(sheet: Sheet) -> Complaints:
    """Yield every rule's complaints about a console or a pod."""
    broken = list(values(sheet))
    yield from broken
    if not broken:  # the rules compute with the values
        for rule in RULES:
            yield from rule(sheet)


def values(sheet: Sheet) -> Complaints:
    """Check that values are readable, chips have a model, and parts match the catalogue."""
    for ref, part in sorted(sheet.nets.components.items()):
        known: dict[str, Callable[[str], object]] = {"R": ohms, "C": farads, "CP": farads}
        known["TVS"], known["POLYFUSE"] = m.SUPPRESSOR_STANDOFF_V.__getitem__, m.FUSE_HOLD_A.__getitem__
        known |= dict.fromkeys(("74HCT595", "ULN2803A", "TC4428A", "NMOS"), m.CHIPS.__getitem__)
        try:
            known.get(part.symbol, str)(part.value)
        except (KeyError, ValueError, IndexError):
            yield f"{ref} is '{part.value}', which the electrical rules have no model of."
        if part.bought and part.key not in sheet.parts.items:
            yield f"{ref} is '{part.key or 'nothing'}' of the catalogue, which has no such part."


def chips(sheet: Sheet) -> Complaints:
    """Check a chip's pins against the data sheet, its supplies and buses, and for floating inputs."""
    for ref, part in sorted(sheet.nets.components.items()):
        chip = m.CHIPS.get(part.value)
        if chip is None:
            continue
        drawn = {name: number for (one, number), name in sheet.nets.pin_names.items() if one == ref}
        for name, number in chip.pins.items():
            if drawn.get(name) != number:
                yield f"{ref} ({part.value}) has {name} on pin {drawn.get(name, 'none')}; its data sheet says {number}."
        for name, net in chip.fixed.items():
            if sheet.profile.name == "pod" and net not in sheet.nets.nets:
                continue
            got = sheet.net_named(ref, name)
            if got != net:
                yield f"{name} of {ref} ({part.value}) must be on {net}, and is on {got or 'nothing'}."
        for name in chip.inputs:
            net = sheet.net_named(ref, name)
            if not [t for t in sheet.nets.nets.get(net, ()) if t[0] != ref]:
                yield f"{name} of {ref} ({part.value}) floats."


def plugs(sheet: Sheet) -> Complaints:
    """Check that pins of plugs meet the nets of their names: VCC meets the supply, ground ground."""
    for ref, part in sorted(sheet.nets.components.items()):
        yield from _wire_order(sheet.nets, ref)
        for name, net in m.PLUGS.get(part.symbol, {}).items():
            got = sheet.net_named(ref, name)
            if got != net:
                yield f"{name} of {ref} must be on {net}, and is on {got or 'nothing'}."


def _wire_order(nets: Netlist, ref: str) -> Complaints:
    order = m.PLUG_ORDER.get(nets.components[ref].symbol)
    drawn = sorted((int(number), name) for (one, number), name in nets.pin_names.items() if one == ref)
    if order is not None and (names := " ".join(name for _, name in drawn)) != order:
        yield f"{ref} has its pins as {names}; what is plugged in has {order}."


def alike(sheet: Sheet) -> Complaints:
    """Check that plugs for different things differ, so that none fits another's socket."""
    by_print: dict[str, list[str]] = defaultdict(list)
    for ref in sheet.of(*m.PLUG_ORDER, "PIEZO_PLUG"):
        if sheet.nets.components[ref].footprint:
            by_print[sheet.nets.components[ref].footprint].append(ref)
    for refs in by_print.values():
        if len({sheet.symbol(ref) for ref in refs}) > 1:
            yield f"{', '.join(refs)} fit into each other's plugs, and are for different things."


def test_points(sheet: Sheet) -> Complaints:
    """Check that each supply and the lamps' enable has a test point.

    So a meter's tip need not fit between two legs.
    """
    if not sheet.of("74HCT595"):  # a breadboard's rows are as good
        return
    reached = {sheet.nets.net(ref, "1") for ref in sheet.of("TESTPOINT")}
    for net in sorted({*m.RAILS, "LED_OFF"} - reached):
        yield f"{net} has no test point."


def levels(sheet: Sheet) -> Complaints:
    """Check that a pad's high suffices for its chips, and that no pad gets more than its supply."""
    for pin in sheet.profile.pins:
        for ref, number in sorted(sheet.nets.nets.get(pin.net, ())):
            chip = m.CHIPS.get(sheet.nets.components[ref].value)
            name = sheet.nets.pin_names[ref, number]
            if chip and name in chip.inputs and chip.high_v > m.PI_HIGH_V:
                yield f"{pin.net} is {m.PI_HIGH_V} V when high; {name} of {ref} wants {chip.high_v} V."
            if chip and name not in chip.inputs:
                yield f"{pin.net} meets {name} of {ref}, which is no input: two outputs would work against each other."
        for terminal in sheet.on(pin.net, "R", "C", "CP"):
            far = sheet.across(terminal)
            if m.RAILS.get(far, (0, 0))[1] > m.RAILS["+3V3"][1]:
                yield f"{pin.net} hangs on {far} by {terminal[0]}: a pad bears 3.3 V."


def pin_currents(sheet: Sheet) -> Complaints:
    """Check that the drawn load of an output is the one stated in the pin map."""
    for pin in sheet.profile.pins:
        if pin.role not in ("out", "pwm"):
            continue
        drawn = boot_rules.load_ma(sheet, pin.net)
        if drawn > pin.ma:
            yield f"{pin.net} must drive {drawn:.2f} mA; the pin map states {pin.ma:g} mA for it."
    for pin in sheet.profile.sync:
        if pin.role != "out" or pin.net not in sheet.nets.nets:
            continue
        for terminal in sheet.on(pin.net, "R"):
            shorted = m.RAILS["+3V3"][1] / sheet.ohm(terminal[0]) * 1000
            if shorted > m.PAD_MA:
                yield f"{pin.net} drives {shorted:.0f} mA into a short behind {terminal[0]}; a pad bears {m.PAD_MA:g}."


def drawn_a(sheet: Sheet) -> tuple[float, float]:
    """The total current on the Pi's 5 V, and on its 3.3 V, with everything on and the larger of the options; A."""
    lit = len(sheet.profile.stations()) * m.LAMP_A[1]
    amplifier = m.AMPLIFIER_A if sheet.of("AMPLIFIER") else 0.0
    pulls = sum(
        3.3 / sheet.ohm(ref) for ref in sheet.of("R") if "+3V3" in (sheet.nets.net(ref, "1"), sheet.nets.net(ref, "2"))
    )
    displays = sheet.of("OLED_SPI", "OLED_I2C")
    second = m.DISPLAY_A * (len(displays) - 1)
    return lit + 0.05 + pulls + m.DISPLAY_A + max(amplifier, second), pulls + m.DISPLAY_A + second


def budget(sheet: Sheet) -> Complaints:
    """Check that the loads on 5 V and 3.3 V are within what each Pi and its supply spare."""
    if not sheet.of("RASPBERRY_PI"):
        return
    drawn, low = drawn_a(sheet)
    for name, board in boards.BOARDS.items():
        whole = board.own_a + drawn
        if whole > boards.SUPPLY_SHARE * board.supply_a:
            yield f"a {name} with everything on draws {whole:.2f} A; its supply gives {board.supply_a:g} A."
        if low > boards.SUPPLY_SHARE * board.spare_3v3_a:
            yield f"the 3.3 V of a {name} must give {low:.2f} A; it spares {board.spare_3v3_a:g} A."


RULES = (
    chips,
    plugs,
    alike,
    test_points,
    levels,
    pin_currents,
    blocks_rules.lamps,
    blocks_rules.fuse,
    blocks_rules.suppressors,
    blocks_rules.contacts,
    blocks_rules.knob,
    blocks_rules.piezo,
    blocks_rules.stores,
    blocks_rules.dark_at_boot,
    budget,
)
"""Every rule, in the order of its complaints."""


def station(nets: Netlist) -> Complaints:
    """Check a button station: contact on line and ground, lamp on plus and minus, others open."""
    if "J1" in nets.components:
        yield from _wire_order(nets, "J1")
    want = {
        frozenset({("J1", "1"), ("SW1", "1")}),
        frozenset({("J1", "2"), ("SW1", "2")}),
        frozenset({("J1", "3"), ("D1", "1")}),
        frozenset({("J1", "6"), ("D1", "2")}),
    }
    got = {group for group in nets.groups() if len(group) > 1}
    for group in sorted(map(sorted, got ^ want)):
        whose = "must join" if frozenset(group) in want else "joins and must not"
        yield f"a station {whose} {', '.join('.'.join(terminal) for terminal in group)}."
