"""Routes the carrier board: `python -m hardware.make.router`.

It writes `hardware/board/routes.json`, in some minutes.

It searches the cheapest way on a grid of 0.25 mm and two layers, one connection after the other. A way may cross
another net's, at a price that grows each time; the crossed one is removed and routed again later, until no ways
cross. Ground is routed like every net, so no pad is on an island of the copper that is poured over both layers
afterwards. The result is data like any other: it may be edited, and KiCad's rules check it.
"""

from __future__ import annotations

import heapq
import math
import sys
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from hardware.make import board, netlist
from hardware.make.board import CLEARANCE, EDGE, HEIGHT, TRACK, VIA, WIDTH, Terminal
from hardware.make.catalogue import HARDWARE

GRID = 0.25
NX, NY = round(WIDTH / GRID) + 1, round(HEIGHT / GRID) + 1
LAYERS = ("F.Cu", "B.Cu")
_SLACK = 0.04  # a slanted step between two cells that keep their distance may come closer by this, mm
_SIDE_COST = (1.0, 1.25)
"""Costs of the layers; the lower one costs more, since its uncut copper carries ground."""
_VIA_COST = 7.0
_TURN = math.sqrt(2)
_STEPS = [(dx, dy, _TURN if dx and dy else 1.0) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

Cell = tuple[int, int, int]
"""Layer, column, row."""


def _disc(radius: float) -> list[tuple[int, int]]:
    """Offsets of cells nearer than `radius`, mm."""
    reach = math.ceil(radius / GRID)
    return [
        (x, y)
        for x in range(-reach, reach + 1)
        for y in range(-reach, reach + 1)
        if math.hypot(x, y) * GRID < radius - 1e-9
    ]


TRACK_TRACK = _disc(TRACK + CLEARANCE)
TRACK_VIA = _disc(TRACK / 2 + VIA / 2 + CLEARANCE)
VIA_VIA = _disc(VIA + CLEARANCE)


class Grid:
    """The fixed obstacles of the board: pads, holes, the edge.

    A cell holds the only net allowed, "" for all, None for none.
    """

    def __init__(self, terminals: list[Terminal]) -> None:
        self.track = [self._empty(TRACK / 2 + EDGE), self._empty(TRACK / 2 + EDGE)]
        self.via = self._empty(VIA / 2 + EDGE)
        for one in terminals:
            sides = (0, 1) if one.pad.drill else (0,)
            for side in sides:
                self._claim(self.track[side], one, TRACK / 2 + CLEARANCE + _SLACK)
            self._claim(self.via, one, VIA / 2 + CLEARANCE + _SLACK)
            self._no_via_in(one)
        for x, y in board.HOLES:
            for grid, reach in ((self.track[0], TRACK / 2), (self.track[1], TRACK / 2), (self.via, VIA / 2)):
                self._block(grid, x, y, board.HOLE / 2 + 0.3 + reach)

    def _empty(self, margin: float) -> list[list[str | None]]:
        inside = (
            range(math.ceil(margin / GRID), NX - math.ceil(margin / GRID)),
            range(math.ceil(margin / GRID), NY - math.ceil(margin / GRID)),
        )
        return [["" if x in inside[0] and y in inside[1] else None for y in range(NY)] for x in range(NX)]

    def _claim(self, grid: list[list[str | None]], one: Terminal, reach: float) -> None:
        for x, y in _near(one, reach):
            held = grid[x][y]
            grid[x][y] = one.net if held in ("", one.net) and one.net else None

    def _no_via_in(self, one: Terminal) -> None:
        """Block vias in a pad: they would draw off the solder, or are useless in a drilled pad."""
        for x, y in _near(one, VIA / 2 + 0.05):
            self.via[x][y] = None

    def _block(self, grid: list[list[str | None]], x: float, y: float, reach: float) -> None:
        for dx, dy in _disc(reach):
            column, row = round(x / GRID) + dx, round(y / GRID) + dy
            if 0 <= column < NX and 0 <= row < NY:
                grid[column][row] = None


def _near(one: Terminal, reach: float) -> Iterable[tuple[int, int]]:
    """Cells nearer to a pad's rectangle than `reach`."""
    left, right = one.x - one.half_width - reach, one.x + one.half_width + reach
    top, bottom = one.y - one.half_height - reach, one.y + one.half_height + reach
    for x in range(max(0, math.floor(left / GRID)), min(NX - 1, math.ceil(right / GRID)) + 1):
        for y in range(max(0, math.floor(top / GRID)), min(NY - 1, math.ceil(bottom / GRID)) + 1):
            dx = max(abs(x * GRID - one.x) - one.half_width, 0)
            dy = max(abs(y * GRID - one.y) - one.half_height, 0)
            if math.hypot(dx, dy) < reach - 1e-9:
                yield x, y


Job = tuple[str, Terminal, Terminal]
"""Net, a pad, and the pad to reach."""


class Router:
    """Lays ways and removes them again. Raises ValueError for a pad that is not on the board."""

    def __init__(self, terminals: list[Terminal]) -> None:
        for one in terminals:
            if not (0 <= one.x <= WIDTH and 0 <= one.y <= HEIGHT):
                raise ValueError(f"pad {one.pad.number} of {one.ref} stands over the board's edge.")
        self.grid = Grid(terminals)
        self.ways: dict[Job, list[Cell]] = {}
        self._near_track: list[defaultdict[tuple[int, int], list[Job]]] = [defaultdict(list), defaultdict(list)]
        self._near_via: list[defaultdict[tuple[int, int], list[Job]]] = [defaultdict(list), defaultdict(list)]
        self.copper: defaultdict[str, set[Cell]] = defaultdict(set)
        """Cells of existing copper, by net: a way of that net may end there."""
        self._sore: list[defaultdict[tuple[int, int], float]] = [defaultdict(float), defaultdict(float)]

    def run(self, jobs: list[Job], patience: int = 4000) -> list[Job]:
        """Lay all jobs; return those that could not be laid without crossing within `patience` ways."""
        waiting = sorted(jobs, key=_length)
        for number in range(patience):
            if not waiting:
                return []
            job = waiting.pop(0)
            way = self._search(job, price=2.0 + number / 60)
            if way is None:
                print(f"no way at all for {job[0]} at {job[1].ref}.{job[1].pad.number}", file=sys.stderr)
                return [job, *waiting]
            crossed = self._find_crossed(job, way)
            for other in sorted(crossed, key=_length):
                self._take_up(other)
                waiting.append(other)
            self._lay(job, way)
            if number % 50 == 0:
                print(f"{number}: {len(waiting)} waiting", file=sys.stderr)
        return waiting

    # -- the search ------------------------------------------------------------------------------------------------

    def _search(self, job: Job, price: float) -> list[Cell] | None:
        net, start, goal = job
        open_: list[tuple[float, float, Cell]] = []
        cost: dict[Cell, float] = {}
        before: dict[Cell, Cell] = {}
        aim = _cell(goal)
        for side in (0, 1) if start.pad.drill else (0,):
            first = (side, *_cell(start))
            cost[first] = 0.0
            heapq.heappush(open_, (0.0, 0.0, first))
        ends = {(side, *aim) for side in ((0, 1) if goal.pad.drill else (0,))} | self.copper[net]
        done: set[Cell] = set()
        while open_:
            _, spent, here = heapq.heappop(open_)
            if here in done:
                continue
            done.add(here)
            if here in ends:
                return _trace_back(before, here)
            for there, step in self._steps(net, here, price):
                total = spent + step
                if total < cost.get(there, math.inf):
                    cost[there] = total
                    before[there] = here
                    heapq.heappush(open_, (total + _ahead(there, aim), total, there))
        return None

    def _steps(self, net: str, here: Cell, price: float) -> Iterable[tuple[Cell, float]]:
        side, x, y = here
        fixed, near, sore = self.grid.track[side], self._near_track[side], self._sore[side]
        for dx, dy, length in _STEPS:
            column, row = x + dx, y + dy
            if not (0 <= column < NX and 0 <= row < NY):
                continue
            held = fixed[column][row]
            if held is None or (held and held != net):
                continue
            place = (column, row)
            extra = sum(price for job in near.get(place, ()) if job[0] != net)
            yield (side, column, row), length * _SIDE_COST[side] + extra + (sore.get(place, 0.0) if extra else 0.0)
        held = self.grid.via[x][y]
        if held is not None and (not held or held == net):
            place = (x, y)
            others = sum(1 for layer in (0, 1) for job in self._near_via[layer].get(place, ()) if job[0] != net)
            yield (1 - side, x, y), _VIA_COST + others * price

    # -- laying and removing ---------------------------------------------------------------------------------------

    def _marks(self, way: list[Cell]) -> Iterable[tuple[defaultdict[tuple[int, int], list[Job]], tuple[int, int]]]:
        """Every (map, place) that a way claims."""
        vias = {(a[1], a[2]) for a, b in pairwise(way) if a[0] != b[0]}
        for side, x, y in way:
            for dx, dy in TRACK_TRACK:
                yield self._near_track[side], (x + dx, y + dy)
            for dx, dy in TRACK_VIA:
                yield self._near_via[side], (x + dx, y + dy)
        for x, y in vias:
            for side in (0, 1):
                for dx, dy in TRACK_VIA:
                    yield self._near_track[side], (x + dx, y + dy)
                for dx, dy in VIA_VIA:
                    yield self._near_via[side], (x + dx, y + dy)

    def _lay(self, job: Job, way: list[Cell]) -> None:
        self.ways[job] = way
        for near, place in self._marks(way):
            near[place].append(job)

    def _take_up(self, job: Job) -> None:
        for near, place in self._marks(self.ways.pop(job)):
            near[place].remove(job)

    def _find_crossed(self, job: Job, way: list[Cell]) -> set[Job]:
        found: set[Job] = set()
        for a, b in zip(way, [*way[1:], way[-1]], strict=True):
            side, x, y = a
            here = {other for other in self._near_track[side].get((x, y), ()) if other[0] != job[0]}
            if a[0] != b[0]:
                for layer in (0, 1):
                    here |= {other for other in self._near_via[layer].get((x, y), ()) if other[0] != job[0]}
            if here:
                self._sore[side][x, y] += 1.0
            found |= here
        return found


def jobs(terminals: list[Terminal]) -> list[Job]:
    """Each net as the shortest tree between its pads."""
    nets: dict[str, list[Terminal]] = defaultdict(list)
    for one in terminals:
        if one.net:
            nets[one.net].append(one)
    found: list[Job] = []
    for net, pads in sorted(nets.items()):
        tree, rest = [pads[0]], pads[1:]
        while rest:
            a, b = min(((a, b) for a in tree for b in rest), key=lambda pair: _apart(*pair))
            found.append((net, b, a))
            tree.append(b)
            rest.remove(b)
    return found


def as_routes(ways: dict[Job, list[Cell]]) -> dict[str, dict[str, list[list[object]]]]:
    """The ways as tracks and vias, straight runs joined; see `board.routes`."""
    found: dict[str, dict[str, list[list[object]]]] = {}
    for job in sorted(ways, key=lambda job: (job[0], job[1].ref, job[1].pad.number)):
        net, start, goal = job
        way = ways[job]
        entry = found.setdefault(net, {"tracks": [], "vias": []})
        for cell, one in ((way[0], start), (way[-1], goal)):
            x, y = cell[1] * GRID, cell[2] * GRID
            if cell[1:] == _cell(one) and math.hypot(x - one.x, y - one.y) > 1e-6:
                entry["tracks"].append([LAYERS[cell[0]], round(one.x, 4), round(one.y, 4), x, y])
        for a, b in _runs(way):
            if a[0] != b[0]:
                if [a[1] * GRID, a[2] * GRID] not in entry["vias"]:
                    entry["vias"].append([a[1] * GRID, a[2] * GRID])
            else:
                entry["tracks"].append([LAYERS[a[0]], a[1] * GRID, a[2] * GRID, b[1] * GRID, b[2] * GRID])
    return found


def _runs(way: list[Cell]) -> Iterable[tuple[Cell, Cell]]:
    first = 0
    for number in range(1, len(way)):
        last = number == len(way) - 1
        if last or _heading(way[number - 1], way[number]) != _heading(way[number], way[number + 1]):
            yield way[first], way[number]
            first = number


def _heading(a: Cell, b: Cell) -> tuple[int, int, int]:
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def _trace_back(before: dict[Cell, Cell], here: Cell) -> list[Cell]:
    way = [here]
    while here in before:
        here = before[here]
        way.append(here)
    return way[::-1]


def _cell(one: Terminal) -> tuple[int, int]:
    return round(one.x / GRID), round(one.y / GRID)


def _ahead(here: Cell, aim: tuple[int, int]) -> float:
    dx, dy = abs(here[1] - aim[0]), abs(here[2] - aim[1])
    return max(dx, dy) + (_TURN - 1) * min(dx, dy)


def _apart(a: Terminal, b: Terminal) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def _length(job: Job) -> float:
    return _apart(job[1], job[2])


def main() -> int:
    """Route the committed schematic's board; return 1 if a job is left over."""
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    terminals = board.terminals(nets)
    router = Router(terminals)
    left = router.run(jobs(terminals))
    board.write_routes(HARDWARE, as_routes(router.ways))
    print(f"{len(router.ways)} ways laid, {len(left)} left over")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
