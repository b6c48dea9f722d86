"""Adds missing tracks to the carrier board: `python -m hardware.make.reroute [NET ...]`.

Copper whose net still has pads at both ends stays and is an obstacle for other nets. Copper that leads nowhere,
that is under a part, or that these removals cut off from the larger piece of its net, is removed. Every unreached
pad is joined to the copper of its net. Named nets are routed again, which makes room. It takes seconds; if it finds
no way, route the whole board (`python -m hardware.make.router`, some minutes).
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hardware.make import board, netlist
from hardware.make.board import CLEARANCE, TRACK, VIA, Terminal
from hardware.make.catalogue import HARDWARE
from hardware.make.router import GRID, LAYERS, NX, NY, TRACK_TRACK, TRACK_VIA, VIA_VIA, Job, Router, as_routes

NEAR = 0.01
"""Distance up to which two ends are at one place, mm."""

Routes = dict[str, dict[str, list[Any]]]
Place = tuple[float, float]


def keep_joined(routes: Routes, terminals: list[Terminal]) -> Routes:
    """Return the copper that still joins something: existing nets, and no track with an open end."""
    nets = {one.net for one in terminals if one.net}
    found: Routes = {}
    for net, route in routes.items():
        if net in nets:
            pads = [one for one in terminals if one.net == net]
            clear = _clear(route, [one for one in terminals if one.net != net])
            tracks = _prune(clear, pads)
            if clear != route:
                tracks = _prune({"tracks": _largest(tracks, clear["vias"], pads), "vias": clear["vias"]}, pads)
            ends = {_key(place) for track in tracks for place in _ends(track)}
            vias = [via for via in clear["vias"] if _key((via[0], via[1])) in ends]
            if tracks:
                found[net] = {"tracks": tracks, "vias": vias}
    return found


def _clear(route: dict[str, list[Any]], strangers: list[Terminal]) -> dict[str, list[Any]]:
    """Return the copper clear of other nets' pads.

    A removed via takes the tracks with it that end there.
    """
    reach = TRACK / 2 + CLEARANCE
    blocked = {
        _key((x, y))
        for x, y in route["vias"]
        if any(_stands_on(one, (x, y), (x, y), VIA / 2 + CLEARANCE) for one in strangers)
    }
    tracks = [
        track
        for track in route["tracks"]
        if not any(_key(place) in blocked for place in _ends(track))
        and not any(
            (one.pad.drill or track[0] == LAYERS[0]) and _stands_on(one, *_ends(track), reach) for one in strangers
        )
    ]
    return {"tracks": tracks, "vias": [via for via in route["vias"] if _key((via[0], via[1])) not in blocked]}


def _largest(tracks: list[Any], vias: list[Any], pads: list[Terminal]) -> list[Any]:
    """The tracks of the piece that reaches most pads."""
    pieces: list[tuple[list[Any], set[str]]] = []
    bridges = {_key((x, y)) for x, y in vias} | {_key((one.x, one.y)) for one in pads if one.pad.drill}
    for track in tracks:
        reached = {f"{one.ref}.{one.pad.number}" for one in pads if any(_on_a_pad(p, [one]) for p in _ends(track))}
        piece: tuple[list[Any], set[str]] = ([track], reached)
        apart = []
        for other in pieces:
            if other[1] & piece[1] or any(_meet(one, track, bridges) for one in other[0]):
                piece = (piece[0] + other[0], piece[1] | other[1])
            else:
                apart.append(other)
        pieces = [*apart, piece]
    return max(pieces, key=lambda piece: len(piece[1]), default=([], set()))[0]


def _meet(one: Any, other: Any, bridges: set[tuple[int, int]]) -> bool:
    """Whether two tracks touch on one layer, or end at one via."""
    if one[0] == other[0]:
        ends = [(place, other) for place in _ends(one)] + [(place, one) for place in _ends(other)]
        return any(_distance(place, *_ends(track)) < NEAR for place, track in ends)
    return any(_key(place) in bridges and _key(place) in map(_key, _ends(other)) for place in _ends(one))


def _is_far(one: Terminal, a: Place, b: Place, reach: float) -> bool:
    """Whether a pad's rectangle and a segment's are further apart than `reach`.

    This is a cheap first test.
    """
    return (
        min(a[0], b[0]) - one.x > one.half_width + reach
        or one.x - max(a[0], b[0]) > one.half_width + reach
        or min(a[1], b[1]) - one.y > one.half_height + reach
        or one.y - max(a[1], b[1]) > one.half_height + reach
    )


def _stands_on(one: Terminal, a: Place, b: Place, reach: float) -> bool:
    """Whether a pad is nearer to a segment than `reach`, mm."""
    return not _is_far(one, a, b, reach) and _to_pad(one, a, b) < reach - NEAR


def _to_pad(one: Terminal, a: Place, b: Place) -> float:
    """The distance from a pad's rectangle to a segment, mm, sampled at steps of GRID / 2."""
    steps = max(1, math.ceil(math.hypot(b[0] - a[0], b[1] - a[1]) / (GRID / 2)))
    return min(
        math.hypot(max(abs(x - one.x) - one.half_width, 0.0), max(abs(y - one.y) - one.half_height, 0.0))
        for n in range(steps + 1)
        for x, y in [(a[0] + (b[0] - a[0]) * n / steps, a[1] + (b[1] - a[1]) * n / steps)]
    )


def _prune(route: dict[str, list[Any]], pads: list[Terminal]) -> list[Any]:
    """The tracks without those that end at no pad, no other track and no via into poured copper."""
    poured = {_key((x, y)) for x, y in route["vias"]} if pads[0].net == board.POURED else set()
    tracks = list({(track[0], frozenset(map(_key, _ends(track)))): tuple(track) for track in route["tracks"]}.values())
    while True:
        ends = Counter(_key(place) for track in tracks for place in _ends(track))
        alive = [
            track
            for track in tracks
            if all(
                ends[_key(place)] > 1
                or _key(place) in poured
                or _on_a_pad(place, pads)
                or _is_crossed(place, track, tracks)
                for place in _ends(track)
            )
        ]
        if len(alive) == len(tracks):
            return [list(track) for track in tracks]
        tracks = alive


def _ends(track: Any) -> tuple[Place, Place]:
    return (track[1], track[2]), (track[3], track[4])


def _key(place: Place) -> tuple[int, int]:
    return round(place[0] / NEAR), round(place[1] / NEAR)


def _on_a_pad(place: Place, pads: list[Terminal]) -> bool:
    return any(abs(place[0] - one.x) <= one.half_width and abs(place[1] - one.y) <= one.half_height for one in pads)


def _is_crossed(place: Place, track: Any, tracks: list[Any]) -> bool:
    """Whether another track of that layer runs through the place."""
    return any(
        other is not track and other[0] == track[0] and _distance(place, *_ends(other)) < NEAR for other in tracks
    )


def _distance(p: Place, a: Place, b: Place) -> float:
    """The distance from a place to a segment, mm."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    along = 0.0 if not length else min(1.0, max(0.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length))
    return math.hypot(p[0] - a[0] - along * dx, p[1] - a[1] - along * dy)


def lay_down(router: Router, routes: Routes) -> None:
    """Keep other nets away from these tracks and vias, and let their own net's ways end on them."""
    grid = router.grid
    for net, route in routes.items():
        for track in route["tracks"]:
            side = LAYERS.index(track[0])
            for cell in _cells(track):
                _claim(grid.track[side], cell, TRACK_TRACK, net)
                _claim(grid.via, cell, TRACK_VIA, net)
                if math.hypot(cell[0] * GRID - track[1], cell[1] * GRID - track[2]) < NEAR or _on_grid(track):
                    router.copper[net].add((side, *cell))
        for x, y in route["vias"]:
            cell = round(x / GRID), round(y / GRID)
            for side in (0, 1):
                _claim(grid.track[side], cell, TRACK_VIA, net)
            _claim(grid.via, cell, VIA_VIA, net)


def _cells(track: Any) -> Iterator[tuple[int, int]]:
    (ax, ay), (bx, by) = _ends(track)
    steps = max(1, math.ceil(math.hypot(bx - ax, by - ay) / GRID))
    for n in range(steps + 1):
        yield round((ax + (bx - ax) * n / steps) / GRID), round((ay + (by - ay) * n / steps) / GRID)


def _on_grid(track: Any) -> bool:
    """Whether a track is on the grid: both ends on it, and straight or at 45 degrees."""
    whole = all(abs(value / GRID - round(value / GRID)) < NEAR for value in track[1:5])
    across, down = abs(track[1] - track[3]), abs(track[2] - track[4])
    return whole and (across < NEAR or down < NEAR or abs(across - down) < NEAR)


def _claim(grid: list[list[str | None]], cell: tuple[int, int], disc: list[tuple[int, int]], net: str) -> None:
    for dx, dy in disc:
        x, y = cell[0] + dx, cell[1] + dy
        if 0 <= x < NX and 0 <= y < NY:
            grid[x][y] = net if grid[x][y] in ("", net) else None


def missing(routes: Routes, terminals: list[Terminal]) -> list[Job]:
    """A job for each unreached pad, to the nearest pad of its net that is joined by then."""
    found: list[Job] = []
    for net in sorted({one.net for one in terminals if one.net}):
        pads = [one for one in terminals if one.net == net]
        tracks = routes.get(net, {"tracks": []})["tracks"]
        joined = [one for one in pads if any(_on_a_pad(place, [one]) for track in tracks for place in _ends(track))]
        joined = joined or pads[:1]
        while open_ := [one for one in pads if one not in joined]:
            one, other = min(
                ((a, b) for a in open_ for b in joined),
                key=lambda pair: math.hypot(pair[0].x - pair[1].x, pair[0].y - pair[1].y),
            )
            found.append((net, one, other))
            joined.append(one)
    return found


def reroute(routes: Routes, terminals: list[Terminal]) -> tuple[Routes, list[Job]]:
    """Return the routes with the missing ones added, and the jobs without a way."""
    stays = keep_joined(routes, terminals)
    router = Router(terminals)
    lay_down(router, stays)
    left = router.run(missing(stays, terminals), patience=200)
    for net, route in as_routes(router.ways).items():
        entry = stays.setdefault(net, {"tracks": [], "vias": []})
        entry["tracks"] += route["tracks"]
        entry["vias"] += [via for via in route["vias"] if via not in entry["vias"]]
    return stays, left


def main(arguments: Sequence[str]) -> int:
    """Add the tracks that the committed schematic's board lacks, and route the named nets again.

    Return 1 and write nothing if a job has no way.
    """
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    terminals = board.terminals(nets)
    before = {net: route for net, route in board.routes(HARDWARE).items() if net not in arguments}
    routes, left = reroute(before, terminals)
    if not left:
        board.write_routes(HARDWARE, routes)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
