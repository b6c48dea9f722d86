"""What the carrier's tracks really join: lengths along the copper, widths, and tracks read from a board.

A board that was routed anew in KiCad, by hand or through Freerouting, is read back with
`python -m hardware.make.copper BOARD.kicad_pcb`, which writes `hardware/board/routes.json`.
"""

from __future__ import annotations

import heapq
import itertools
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hardware.make import board
from hardware.make.board import Terminal
from hardware.make.catalogue import HARDWARE
from hardware.make.netlist import Netlist
from hardware.make.sexpr import children, parse

NEAR = 0.01
"""Distance up to which two ends are at one place, mm."""
SUPPRESSOR_MM = 6.0
"""From a plug's line to its suppressor, along the copper: 5 nH, 15 V at the first ampere in a nanosecond."""
STUB_MM = 1.5
"""From the way between plug and resistor to the suppressor's pad."""
SUPPLY_WIDE_MM, SUPPLY_MM = 0.8, 30.0
"""Least width and greatest length of the amplifier's 5 V: 1 A at its peaks."""

Place = tuple[float, float]
Node = tuple[str, int, int]
"""A layer and a place, in steps of `NEAR`."""


class Copper:
    """A net's tracks, vias and pads as a graph of places."""

    def __init__(self, route: Mapping[str, Any], pads: list[Terminal]) -> None:
        self._near: dict[Node, dict[Node, float]] = defaultdict(dict)
        self._pads = {(one.ref, one.pad.number): one for one in pads}
        tracks = route["tracks"]
        ends = {_node(layer, place) for layer, *rest in tracks for place in (rest[:2], rest[2:4])}
        vias = [tuple(via) for via in route["vias"]]
        ends |= {_node(layer, via) for layer in ("F.Cu", "B.Cu") for via in vias}
        for layer, x1, y1, x2, y2, *_ in tracks:
            on = [one for one in ends if one[0] == layer and _distance(_place(one), (x1, y1), (x2, y2)) < NEAR]
            on.sort(key=lambda one: math.dist(_place(one), (x1, y1)))
            for a, b in itertools.pairwise(on):
                self._join(a, b)
        for via in vias:
            self._join(_node("F.Cu", via), _node("B.Cu", via))
        for one in pads:
            hub = _node("pad", (one.x, one.y))
            for end in ends:
                x, y = _place(end)
                inside = abs(x - one.x) <= one.half_width and abs(y - one.y) <= one.half_height
                if inside and (one.pad.drill or end[0] == "F.Cu"):
                    self._join(hub, end)

    def way(self, start: tuple[str, str], end: tuple[str, str]) -> list[Place]:
        """The places of the shortest way between two pads (reference, number); [] if there is none."""
        first, last = (_node("pad", (self._pads[one].x, self._pads[one].y)) for one in (start, end))
        before: dict[Node, Node] = {}
        spent = {first: 0.0}
        waiting = [(0.0, first)]
        while waiting:
            far, here = heapq.heappop(waiting)
            if here == last:
                return _trace(before, here)
            for other, length in self._near[here].items():
                if far + length < spent.get(other, math.inf):
                    spent[other], before[other] = far + length, here
                    heapq.heappush(waiting, (far + length, other))
        return []

    def _join(self, a: Node, b: Node) -> None:
        self._near[a][b] = self._near[b][a] = math.dist(_place(a), _place(b))


def length_mm(way: list[Place]) -> float:
    """The length of a way, `math.inf` for none."""
    return sum(math.dist(a, b) for a, b in itertools.pairwise(way)) if way else math.inf


def complaints(nets: Netlist, routes: Mapping[str, Any]) -> Iterator[str]:
    """Complain of suppressors that a discharge meets too late, and of a thin supply."""
    pads = board.terminals(nets)
    for ref, part in sorted(nets.components.items()):
        if part.symbol == "STATION":
            yield from _suppressor_first(nets, routes, pads, ref)
    yield from _amplifier(nets, routes, pads)


def _suppressor_first(nets: Netlist, routes: Mapping[str, Any], pads: list[Terminal], plug: str) -> Iterator[str]:
    line = board.net_name(nets.net(plug, "1"))
    own = [one for one in pads if one.net == line]
    guards = [one for one in own if nets.components[one.ref].symbol == "TVS"]
    if line not in routes or not guards:
        return  # other rules complain of missing tracks and parts
    copper, guard = Copper(routes[line], own), guards[0]
    far = length_mm(copper.way((plug, "1"), (guard.ref, guard.pad.number)))
    if far > SUPPRESSOR_MM:
        yield f"{guard.ref} is {far:.1f} mm of copper from the line of {plug}; allowed are {SUPPRESSOR_MM:g}."
    for one in own:
        if one.ref.startswith("R"):
            way = copper.way((plug, "1"), (one.ref, one.pad.number))
            stub = min((math.dist((guard.x, guard.y), place) for place in way), default=math.inf)
            if stub > STUB_MM + max(guard.half_width, guard.half_height):
                yield f"the line of {plug} meets {one.ref} before {guard.ref}; the suppressor must come first."


def _amplifier(nets: Netlist, routes: Mapping[str, Any], pads: list[Terminal]) -> Iterator[str]:
    """Check width and length of the amplifier's supply."""
    amps = [ref for ref, part in nets.components.items() if part.symbol == "AMPLIFIER"]
    own = [one for one in pads if one.net == "+5V"]
    pin = next((one for one in own if one.ref in amps), None)
    if pin is None or "+5V" not in routes:
        return
    wide = [track for track in routes["+5V"]["tracks"] if [*track, board.TRACK][5] >= SUPPLY_WIDE_MM]
    copper = Copper({"tracks": wide, "vias": routes["+5V"]["vias"]}, own)
    far = min(length_mm(copper.way((pin.ref, pin.pad.number), ("J10", number))) for number in ("2", "4"))
    if far > SUPPLY_MM:
        yield (f"{pin.ref} has no 5 V by {SUPPLY_WIDE_MM:g} mm of width within {SUPPLY_MM:g} mm of the Pi's header.")


def _node(layer: str, place: Any) -> Node:
    return layer, round(place[0] / NEAR), round(place[1] / NEAR)


def _place(node: Node) -> Place:
    return node[1] * NEAR, node[2] * NEAR


def _trace(before: Mapping[Node, Node], here: Node) -> list[Place]:
    way = [_place(here)]
    while here in before:
        here = before[here]
        way.append(_place(here))
    return way[::-1]


def _distance(p: Place, a: Place, b: Place) -> float:
    """The distance from a place to a segment, mm."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    along = 0.0 if not length else min(1.0, max(0.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length))
    return math.hypot(p[0] - a[0] - along * dx, p[1] - a[1] - along * dy)


# -- reading a board back ------------------------------------------------------------------------------------------


def read(text: str) -> dict[str, Any]:
    """The tracks and vias of a board as KiCad saves it, in the form of `board.routes`."""
    whole = parse(text)
    names = {net[1]: net[2] for net in children(whole, "net")}
    found: dict[str, Any] = defaultdict(lambda: {"tracks": [], "vias": []})
    for segment in children(whole, "segment"):
        (net,), (layer,), (width,) = (children(segment, name) for name in ("net", "layer", "width"))
        (start,), (end,) = children(segment, "start"), children(segment, "end")
        track = [layer[1], *_from_page(start), *_from_page(end)]
        wide = float(width[1])
        found[str(names.get(net[1], net[1]))]["tracks"].append([*track, wide] if wide != board.TRACK else track)
    for via in children(whole, "via"):
        (net,), (at,) = children(via, "net"), children(via, "at")
        found[str(names.get(net[1], net[1]))]["vias"].append(list(_from_page(at)))
    return dict(found)


def _from_page(place: Any) -> Place:
    return round(float(place[1]) - board.ORIGIN[0], 4), round(float(place[2]) - board.ORIGIN[1], 4)


def main(arguments: list[str]) -> int:
    """Run as a command."""
    (path,) = arguments
    board.write_routes(HARDWARE, read(Path(path).read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
