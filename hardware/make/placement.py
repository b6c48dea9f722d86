"""Limits of the parts' positions on the carrier board, by function.

They are measured from pad to pad in a straight line.

Copper is longer than a straight line, so these limit the placement, not the tracks. The other checks report missing
parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from hardware.make import board, models
from hardware.make.board import Terminal
from hardware.make.footprints import FOOTPRINTS, Footprint
from hardware.make.netlist import Netlist

DECOUPLING_MM = 12.0
"""From a chip's supply pin to its 100 nF: they switch in tens of nanoseconds, slow for 12 mm of track (about 10 nH)."""
SUPPRESSOR_MM = 5.0
"""From a plug's line to its suppressor; `copper` follows the tracks."""
LAND_MM = 0.4
"""Length of a pad beyond a part's end, for a soldering iron."""
FILTER_MM = 6.0
"""From each part of an input's filter to the next one."""


def complaints(nets: Netlist) -> Iterator[str]:
    """Complain of every part that is too far from the pin it serves."""
    for print_ in FOOTPRINTS.values():
        yield from lands(print_)
    yield from _on_the_board(nets)
    pads = {(one.ref, one.pad.number): one for one in board.terminals(nets) if one.ref in nets.components}
    for ref, part in sorted(nets.components.items()):
        chip = models.CHIPS.get(part.value)
        for name in chip.supply if chip else ():
            pin = pads.get((ref, chip.pins[name])) if chip else None
            if pin is not None and name != "GND":
                yield from _near(pads, nets, pin, f"{name} of {ref}", "100 nF", DECOUPLING_MM, ("100n",))
        if part.symbol == "STATION" and (pin := pads.get((ref, "1"))):
            yield from _near(
                pads, nets, pin, f"the line of {ref}", "suppressor", SUPPRESSOR_MM, tuple(models.SUPPRESSOR_STANDOFF_V)
            )
        if part.symbol == "C" and part.value.startswith("10n") and (ref, "1") in pads:
            yield from _together(pads, pads[ref, "1"].net)


def _together(pads: dict[tuple[str, str], Terminal], net: str) -> Iterator[str]:
    """Check that an input's filter is compact: each part near another one on the same net."""
    small = [one for one in pads.values() if one.ref[0] in "RC"]
    through = {one.ref for one in small if one.net == net and one.ref.startswith("R")}
    for name in sorted({net} | {one.net for one in small if one.ref in through}):
        parts = [one for one in small if one.net == name]
        for one in parts:
            far = min((_apart(one, other) for other in parts if other.ref != one.ref), default=0.0)
            if name not in board.SUPPLIES and far > FILTER_MM:
                yield f"{one.ref} stands {far:.1f} mm from the rest of its input's filter; allowed are {FILTER_MM:g}."


def lands(print_: Footprint) -> Iterator[str]:
    """Check two pads of one part: under it and beyond its ends, and apart from each other."""
    if len(print_.pads) != 2 or print_.pads[0].drill:
        return
    end = print_.body[2]
    for pad in print_.pads:
        inner, outer = abs(pad.x) - pad.width / 2, abs(pad.x) + pad.width / 2
        if not 0.25 <= inner < end or outer < end + LAND_MM:
            said = f"pad {pad.number} reaches from {inner:g} to {outer:g} mm, the part to {end:g}"
            yield f"footprint {print_.name}: {said}; allowed is to begin under it and to go {LAND_MM:g} beyond."


def _on_the_board(nets: Netlist) -> Iterator[str]:
    """Check that every part is within the outline and on no other part."""
    spaces = {}
    for ref, place in board.places().items():
        part = nets.components.get(ref)
        print_ = FOOTPRINTS.get(part.footprint.partition(":")[2]) if part else None
        if print_ is not None:
            left, top, right, bottom = print_.court
            corners = [board.turn_point(x, y, place[2]) for x in (left, right) for y in (top, bottom)]
            xs, ys = [place[0] + x for x, _ in corners], [place[1] + y for _, y in corners]
            spaces[ref] = min(xs), min(ys), max(xs), max(ys)
    for ref, (left, top, right, bottom) in spaces.items():
        if left < 0 or top < 0 or right > board.WIDTH or bottom > board.HEIGHT:
            yield f"{ref} stands over the board's edge."
    for (one, a), (other, b) in combinations(spaces.items(), 2):
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
            yield f"{one} and {other} stand on each other."


def _near(
    pads: dict[tuple[str, str], Terminal],
    nets: Netlist,
    pin: Terminal,
    whose: str,
    what: str,
    most_mm: float,
    values: tuple[str, ...],
) -> Iterator[str]:
    found = [one for one in pads.values() if one.net == pin.net and nets.components[one.ref].value in values]
    far = min((_apart(pin, one) for one in found), default=math.inf)
    if far > most_mm:
        stands = "is missing" if math.isinf(far) else f"stands {far:.1f} mm away"
        yield f"the {what} at {whose} {stands}; allowed are {most_mm:g}."


def _apart(a: Terminal, b: Terminal) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)
