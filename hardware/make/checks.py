"""Checks of the committed files; each yields complaints, one sentence each.

They do not need KiCad.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hardware.enclosure import rules
from hardware.guide import holes
from hardware.make import (
    board,
    board_rules,
    bom,
    boot_rules,
    catalogue,
    catalogue_rules,
    copper,
    electrical,
    facts_rules,
    models,
    netlist,
    outputs,
    placement,
    schematics,
    skew,
)
from hardware.make.blocks import HEADER_SUPPLY
from hardware.make.catalogue import HARDWARE
from hardware.make.circuit import Sheet
from hardware.make.netlist import Netlist
from hardware.make.sexpr import children, parse
from hardware.make.skew import ohms
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import FIXED_PULL_UP, HEADER, lint
from referee.drivers.pins.pinmap import Profile

LOW_V = 0.8
"""A level that every Pi takes for low (Compute Module data sheets: V_IL at most 0.8 V)."""
SUPPLY_V = 3.3
FIXED_PULL_UP_OHM = 1800
"""GPIO2 and 3, on the Pi's board (Raspberry Pi schematics)."""
OWN_PULL_UP_OHM = 50_000
"""The chip's own, at its strongest (Compute Module data sheet: 50 to 65 kohm)."""
FREE_AT_BOOT = {"OLED_DC", "OLED_RST"}
"""Outputs that nobody sees before the software runs."""
LAYOUTS = {"direct4": holes.CONSOLE, "pod": holes.POD}
"""The builds on breadboards."""


def everything(root: Path = HARDWARE) -> Iterator[str]:
    """Yield all complaints about the files below `root`."""
    yield from up_to_date(root)
    yield from apart_from_copper(root)
    yield from of_copper(root)


def apart_from_copper(root: Path) -> Iterator[str]:
    """Yield complaints that do not depend on the carrier's tracks."""
    profiles = pinmap.load(root / "pinmap.toml")
    for profile in profiles.values():
        yield from lint(profile)
        yield from one_end_each(profile)
        yield from quiet_at_boot(profile)
        yield from (f"{profile.name}: {text}" for text in boot_rules.complaints(profile))
        if profile.sync and "uart" in profile.reserve:
            yield from lint(profile.with_sync())
    parts = catalogue.load(root)
    yield from catalogue_rules.complaints(parts)
    facts = facts_rules.read(root)
    yield from facts_rules.complaints(parts, facts)
    yield from (f"enclosure: {text}" for text in rules.complaints(root / "enclosure" / "parameters.toml"))
    for name in (*schematics.DRAWN, "station", "pod"):
        nets = netlist.read(root / "schematic" / f"{name}.kicad_sch")
        yield from (f"{name}: {text}" for text in _electrical(name, nets, parts, profiles))
        yield from (f"{name}: {text}" for text in sound(nets))
        if name in schematics.DRAWN:
            profile = profiles[name]
            yield from (
                f"{name}: {text}"
                for text in pins_agree(nets, profile, schematics.options(profile) if name == "full8" else {})
            )
            yield from (f"{name}: {text}" for text in inputs_reach(nets, profile))
            sheet = Sheet(nets, parts, profile, "J10")
            yield from (f"{name}: {text}" for text in boot_rules.agrees(sheet))
        if name in LAYOUTS:
            yield from (f"{name}: {text}" for text in holes.complaints(nets, LAYOUTS[name]))
            yield from (f"{name}: {text}" for text in facts_rules.on_breadboard(nets, LAYOUTS[name].places, facts))
        if name == "pod":
            yield from (f"{name}: {text}" for text in pico_agrees(nets, schematics.POD))
    yield from lists(root)
    full8 = netlist.read(root / "schematic" / "full8.kicad_sch")
    text = (root / "board" / "carrier.kicad_pcb").read_text(encoding="utf-8")
    yield from (f"carrier: {text}" for text in board_agrees(full8, text))
    yield from (f"carrier: {text}" for text in (*board_rules.complaints(full8), *placement.complaints(full8)))


def of_copper(root: Path) -> Iterator[str]:
    """Yield complaints about the carrier's tracks."""
    full8 = netlist.read(root / "schematic" / "full8.kicad_sch")
    yield from tracks_alike(full8, catalogue.load(root), board.routes(root))
    yield from (f"carrier: {text}" for text in copper.complaints(full8, board.routes(root)))
    for net in sorted(board.routes(root).keys() - {board.net_name(name) for name in full8.nets}):
        yield f"carrier: routes.json has tracks for {net}, which is no net of the schematic; see board/README.md."


def one_end_each(profile: Profile) -> Iterator[str]:
    """Check that no two pins of a profile have the same target."""
    taken: dict[str, str] = {}
    for pin in profile.pins:
        if (other := taken.setdefault(pin.to, pin.net)) != pin.net:
            yield f"{profile.name}: {pin.net} and {other} both go to {pin.to}."


def quiet_at_boot(profile: Profile) -> Iterator[str]:
    """Check that lamps, piezo, amplifier and sync wire have a fixed level until the software runs."""
    whole = profile.with_sync() if profile.sync and "uart" in profile.reserve else profile
    for pin in whole.pins:
        if pin.boot == "any" and pin.net not in FREE_AT_BOOT:
            yield f"{profile.name}: {pin.net} may have any level at power-up; allowed for it is low."


def tracks_alike(nets: Netlist, parts: catalogue.Catalogue, tracks: Mapping[str, Any]) -> Iterator[str]:
    """Check that the stations' tracks make no seat noticeably later than another."""
    try:
        copper = outputs.budget(nets, parts, tracks).copper_us
    except (KeyError, ValueError):  # an input without a part, or with an invalid value: other rules complain
        return
    if copper > skew.COPPER_MOST_US:
        yield f"carrier: the stations' tracks differ by {copper:.2f} us; allowed are {skew.COPPER_MOST_US:g}."


def _electrical(name: str, nets: Netlist, parts: catalogue.Catalogue, profiles: dict[str, Profile]) -> Iterator[str]:
    if name == "station":
        return electrical.station(nets)
    profile = schematics.POD if name == "pod" else profiles[name]
    return electrical.complaints(Sheet(nets, parts, profile, "U1" if name == "pod" else "J10"))


def lists(root: Path) -> Iterator[str]:
    """Check that the bills of materials are complete and match the committed schematics."""
    parts = catalogue.load(root)
    station = netlist.read(root / "schematic" / "station.kicad_sch")
    for name in outputs.PLAYERS:
        console = netlist.read(root / "schematic" / f"{name}.kicad_sch")
        text = (root / "bom" / f"{name}.csv").read_text(encoding="utf-8")
        found = bom.complaints(text, {"console": console, "station": station}, parts.builds[name], parts)
        yield from (f"bom/{name}.csv: {text}" for text in found)


def board_agrees(nets: Netlist, text: str) -> Iterator[str]:
    """Check that the board has the schematic's parts and footprints, and joins the same pads.

    The names of nets may differ.
    """
    board = parse(text)
    groups: dict[str, set[netlist.Terminal]] = defaultdict(set)
    prints: dict[str, str] = {}
    for part in children(board, "footprint"):
        ref = next(field[2] for field in children(part, "property") if field[1] == "Reference")
        if ref in nets.components or not ref.startswith(("H", "FID")):
            prints[ref] = part[1]
        for pad in children(part, "pad"):
            for net in children(pad, "net"):
                groups[net[2]].add((ref, pad[1]))
    want = {ref: part.footprint for ref, part in nets.components.items()}
    for ref in sorted(want.keys() | prints.keys()):
        if want.get(ref) != prints.get(ref):
            yield f"{ref} must be {want.get(ref, 'absent')} by the schematic, and is {prints.get(ref, 'absent')}."
    drawn = {group for group in nets.groups() if not group <= nets.open_pins}
    for group in sorted(map(sorted, drawn ^ {frozenset(members) for members in groups.values()})):
        whose = "schematic" if frozenset(group) in drawn else "board"
        yield f"only the {whose} joins {', '.join('.'.join(terminal) for terminal in group)}."


def up_to_date(root: Path) -> Iterator[str]:
    """Check that the generated files match their sources."""
    for path, text in outputs.files(root).items():
        place = root / path
        if not place.is_file():
            yield f"hardware/{path} is missing; run `make hardware`."
        elif place.read_text(encoding="utf-8") != text:
            yield f"hardware/{path} is not what its sources make; run `make hardware`."


def sound(nets: Netlist) -> Iterator[str]:
    """Check that nets have one name, only open pins are alone, and no pin marked open is wired."""
    for name, terminals in sorted(nets.nets.items()):
        if " = " in name:
            yield f"the nets {name} are one; each must be on its own."
        alone = next(iter(terminals))
        if len(terminals) == 1 and alone not in nets.open_pins:
            yield f"pin {alone[1]} of {alone[0]} is alone on net {name}; it must be wired or marked open."
        for ref, pin in sorted(terminals & nets.open_pins if len(terminals) > 1 else ()):
            yield f"pin {pin} of {ref} is marked open and is wired to {name}; one of the two must go."


def pins_agree(nets: Netlist, profile: Profile, options: dict[int, str], ref: str = "J10") -> Iterator[str]:
    """Check that each pin of the header has the net of the pin map, and no other."""
    want = {HEADER[pin.gpio]: pin.net for pin in profile.pins}
    want |= {HEADER[gpio]: net for gpio, net in options.items()} | HEADER_SUPPLY
    for number in range(1, 41):
        got = "" if (ref, str(number)) in nets.open_pins else nets.net(ref, str(number))
        if got != want.get(number, ""):
            yield f"header pin {number} must be {want.get(number) or 'open'} by the pin map, and is {got or 'open'}."


def pico_agrees(nets: Netlist, pod: Profile, ref: str = "U1") -> Iterator[str]:
    """Check that each pin of the Pico is at its place and has its net of the pod's table."""
    want = {f"GP{pin.gpio}": pin.net for pin in pod.pins} | {"VBUS": "+5V", "3V3": "+3V3", "GND": "GND"}
    for (part, number), name in sorted(nets.pin_names.items()):
        if part != ref:
            continue
        if models.PICO_PINS.split()[int(number) - 1] != name:
            yield f"{name} is drawn as pin {number} of the Pico, which is {models.PICO_PINS.split()[int(number) - 1]}."
        if nets.net(part, number) != want.get(name):
            yield f"{name} must be {want.get(name, 'open')} by the pod's table, and is {nets.net(part, number)}."


def inputs_reach(nets: Netlist, profile: Profile) -> Iterator[str]:
    """Check that every input reaches a plug through its resistor, and is low when closed."""
    for pin in profile.pins:
        if pin.role != "in":
            continue
        series = [ref for ref, _ in _on(nets, pin.net, "R")]
        if len(series) != 1:
            yield f"{pin.net} must have one resistor in series, and has {len(series)}; without it the button floats."
            continue
        outside = _other_end(nets, series[0], pin.net)
        if not _on(nets, outside, "J"):
            yield f"{pin.net} ends at {series[0]}; its line {outside or 'beyond'} must reach a plug."
        if not _on(nets, pin.net, "C"):
            yield f"{pin.net} has no capacitor at the pin; bounces shorter than 10 us would move its stamp."
        low = pressed_volts(ohms(nets.components[series[0]].value), pin.gpio in FIXED_PULL_UP)
        if low > LOW_V:
            yield f"{pin.net} is at {low:.2f} V with its contact closed; allowed are {LOW_V} V."


def pressed_volts(series_ohm: float, fixed_pull_up: bool) -> float:
    """The pin's level while the contact is closed, by pull-up and series resistor."""
    pull = FIXED_PULL_UP_OHM if fixed_pull_up else OWN_PULL_UP_OHM
    return SUPPLY_V * series_ohm / (series_ohm + pull)


def _on(nets: Netlist, net: str, prefix: str) -> list[netlist.Terminal]:
    found = (terminal for terminal in nets.nets.get(net, ()) if terminal[0] != "J10")
    return sorted(terminal for terminal in found if terminal[0].rstrip("0123456789") == prefix)


def _other_end(nets: Netlist, ref: str, net: str) -> str:
    return next((name for pin in "12" if (name := nets.net(ref, pin)) != net), "")
