"""The breadboard tier: the hole of every leg and wire of `direct4` on two boards of 830 holes.

A place is "A:h6" (board A, row h, column 6), "A:-top9" (the rail marked -, at the board's upper edge, near column
9) or "Pi:11" (a pin of the Pi's header). Upper half f to j, lower half a to e; five holes of a column and half are
one strip. Board A has the stations, board B chips, knob and display. The places are chosen here; `complaints`
follows holes and wires independently and checks that they join exactly what the schematic joins.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware.make.netlist import Netlist, Terminal

PI = "J10"
COLUMNS = 63
UPPER, LOWER = "jihgf", "edcba"
RAIL_COLUMNS = frozenset(column for column in range(3, 62) if column % 6 != 2)
"""Ten groups of five, as on boards of 830 holes."""
_ROWS = {"+top": 0.0, "-top": 1.0, "+low": 17.0, "-low": 18.0}
_ROWS |= {row: 3.0 + n for n, row in enumerate(UPPER)} | {row: 10.0 + n for n, row in enumerate(LOWER)}
BOARD_UNITS = 22.0
"""Distance from one board's upper edge to the next one's, in tenths of an inch."""
STEP_OF_WIRES = "breadboard-1-supply"


@dataclass(frozen=True)
class Wire:
    """A wire between two holes, or a pin of the Pi and a hole."""

    step: str
    start: str
    end: str


def _station(seat: int) -> tuple[dict[str, tuple[str, ...]], list[Wire]]:
    """One station's parts and wires; its screw terminal at the upper edge of board A."""
    c, n = 6 + 14 * (seat - 1), seat
    step = "breadboard-2-first-button" if seat == 1 else "breadboard-3-other-buttons"
    gpio_pin = {1: 11, 2: 13, 3: 15, 4: 16}[seat]
    lamp = "breadboard-6-lamps"
    places: dict[str, tuple[str, ...]] = {
        f"J{n}": tuple(f"A:j{c + k}" for k in range(4)),
        f"D{n}1": (f"A:f{c}", f"A:c{c}"),
        f"R{n}1": (f"A:h{c - 4}", f"A:h{c}"),
        f"R{n}2": (f"A:g{c + 5}", f"A:g{c}"),
        f"C{n}1": (f"A:f{c + 5}", f"A:f{c + 7}"),
        f"R{n}3": (f"A:c{c + 2}", f"A:f{c + 2}"),
    }
    wires = [
        Wire(step, f"A:j{c - 4}", _rail("A", "+top", c - 4)),
        Wire(step, f"A:a{c}", _rail("A", "-low", c)),
        Wire(step, f"A:f{c + 1}", _rail("A", "-low", c + 1)),
        Wire(step, f"A:j{c + 7}", _rail("A", "-top", c + 7)),
        Wire(step, f"Pi:{gpio_pin}", f"A:h{c + 5}"),
        Wire(lamp, f"A:a{c + 2}", _rail("A", "+low", c + 3)),
        Wire(lamp, f"A:g{c + 3}", f"B:i{2 + n}"),
    ]
    return places, wires


def _contact(c: int, number: int, gpio_pin: int) -> tuple[dict[str, tuple[str, ...]], list[Wire]]:
    """A contact of knob or power button on board B: series resistor, pull-up, capacitor."""
    step = "breadboard-4-knob"
    places: dict[str, tuple[str, ...]] = {
        f"R{number}": (f"B:d{c + 5}", f"B:d{c}"),
        f"R{number + 1}": (_rail("B", "+low", c), f"B:c{c}"),
        f"C{number}": (f"B:e{c + 5}", f"B:e{c + 7}"),
    }
    wires = [
        Wire(step, f"B:a{c + 7}", _rail("B", "-low", c + 7)),
        Wire(step, f"Pi:{gpio_pin}", f"B:b{c + 5}"),
    ]
    return places, wires


def _rail(board: str, rail: str, column: int) -> str:
    """The rail's hole nearest to a column."""
    return f"{board}:{rail}{min(RAIL_COLUMNS, key=lambda one: (abs(one - column), one))}"


def _layout() -> tuple[dict[str, tuple[str, ...]], list[Wire]]:
    supply, lamps, piezo = STEP_OF_WIRES, "breadboard-6-lamps", "breadboard-7-piezo"
    screen = "breadboard-5-display"
    places: dict[str, tuple[str, ...]] = {
        "F1": ("B:f14", "B:f16"),
        "C1": ("A:+low59", "A:-low59"),
        "C2": ("B:+top55", "B:-top57"),
        "C3": ("A:+top55", "A:-top57"),
        "J12": ("B:e30", "B:-low40", "B:e39", "B:e48", "B:-low49"),
        "J13": ("B:e12", "B:-low15"),
        "J11": ("B:-low57", "B:+low57", "B:h40", "B:h44"),
        "C7": ("B:+low60", "B:-low60"),
        "U2": (*(f"B:e{3 + k}" for k in range(9)), *(f"B:f{11 - k}" for k in range(9))),
        "U3": ("B:e21", "B:e22", "B:e23", "B:f23", "B:f22", "B:f21"),
        "R2": ("B:d23", "B:d28"),
        "C6": ("B:h22", "B:h24"),
        "C4": ("B:+top27", "B:-top27"),
        "C5": ("B:g21", "B:g19"),
        "R3": ("B:g23", "B:g28"),
        "R4": ("B:i19", "B:i28"),
        "BZ1": ("B:h19", "B:h28"),
    }
    wires = [
        Wire(supply, "Pi:2", "B:+top3"),
        Wire(supply, "Pi:1", "B:+low3"),
        Wire(supply, "Pi:6", "B:-low4"),
        Wire(supply, "Pi:9", "B:-top4"),
        Wire(supply, "B:-top61", "B:-low61"),
        Wire(supply, "A:-low61", "B:-top60"),
        Wire(supply, "A:-top61", "A:-low60"),
        Wire(supply, "A:+top61", "B:+low61"),
        Wire(supply, "B:+top15", "B:j14"),
        Wire(supply, "B:j16", "A:+low16"),
        Wire(screen, "Pi:5", "B:g40"),
        Wire(screen, "Pi:3", "B:g44"),
        Wire(lamps, "B:j11", "A:+low11"),
        *(Wire(lamps, f"Pi:{pin}", f"B:a{3 + k}") for k, pin in enumerate((18, 22, 36, 37))),
        *(Wire(lamps, f"B:a{7 + k}", f"B:-low{column}") for k, column in enumerate((6, 7, 9, 10, 11))),
        Wire(piezo, "B:j22", "B:+top22"),
        Wire(piezo, "B:j24", "B:-top24"),
        Wire(piezo, "B:c21", "B:c23"),
        Wire(piezo, "B:a22", "B:-low22"),
        Wire(piezo, "B:a28", "B:-low28"),
        Wire(piezo, "Pi:33", "B:a21"),
    ]
    for seat in range(1, 5):
        more, also = _station(seat)
        places |= more
        wires += also
    for column, number, pin in ((30, 91, 29), (39, 93, 31), (48, 95, 32), (12, 97, 7)):
        more, also = _contact(column, number, pin)
        places |= more
        wires += also
    return places, wires


Places = Mapping[str, tuple[str, ...]]
PLACES, WIRES = _layout()
"""Part -> the place of each leg, in order of its pin numbers; and every wire."""


def legs(nets: Netlist, reference: str) -> list[str]:
    """The numbers of a part's pins, in order."""
    return sorted((pin for ref, pin in nets.pin_names if ref == reference), key=int)


def node(place: str) -> tuple[str, ...]:
    """The node of a place: a strip, a rail, or a pin of the Pi.

    Raises ValueError for a hole that no board has.
    """
    board, _, hole = place.partition(":")
    if board == "Pi" and hole.isdigit() and 1 <= int(hole) <= 40:
        return (board, hole)
    match = re.fullmatch(r"([+-](?:top|low)|[a-j])(\d+)", hole)
    if board in ("A", "B") and match is not None:
        row, column = match[1], int(match[2])
        if row in UPPER + LOWER and 1 <= column <= COLUMNS:
            return (board, "upper" if row in UPPER else "lower", str(column))
        if row not in UPPER + LOWER and column in RAIL_COLUMNS:
            return (board, row)
    raise ValueError(f"no board has the hole {place}")


def spot(place: str) -> tuple[float, float]:
    """The position of a hole, in tenths of an inch from board A's upper left corner."""
    board, _, hole = place.partition(":")
    row, column = re.fullmatch(r"([+-](?:top|low)|[a-j])(\d+)", hole).groups()  # type: ignore[union-attr]
    return float(column), _ROWS[row] + (BOARD_UNITS if board == "B" else 0.0)


# -- checks --------------------------------------------------------------------------------------------------------

SPANS = {"R": (4.0, 9.5), "D": (5.0, 8.0), "F": (2.0, 3.0), "C": (1.0, 3.0), "CP": (1.0, 2.0)}
"""Range from hole to hole in tenths of an inch: a resistor lies flat with both legs bent, a suppressor in DO-15 is 7.6
mm long, capacitors of 5 mm pitch (100 nF to 1 uF reach to 2.5 and to 7 mm), small electrolytic ones.
"""


def complaints(nets: Netlist, places: Places = PLACES, wires: Sequence[Wire] = WIRES) -> Iterator[str]:
    """Complain of holes used twice or missing, short legs, and joints unlike the schematic's."""
    broken = list(_places(nets, places, wires))
    yield from broken
    if not broken:
        yield from _reaches(nets, places)
        yield from _joints(nets, places, wires)


def _places(nets: Netlist, places: Places, wires: Sequence[Wire]) -> Iterator[str]:
    used: dict[str, str] = {}
    for reference in sorted(nets.components.keys() - {PI}):
        if len(places.get(reference, ())) != len(legs(nets, reference)):
            held = len(places.get(reference, ()))
            yield f"{reference} has {len(legs(nets, reference))} legs and {held} places on the breadboards."
    ends = [(f"{ref}'s leg", place) for ref, holes in places.items() for place in holes]
    ends += [(f"the wire {wire.start} to {wire.end}", end) for wire in wires for end in (wire.start, wire.end)]
    for reference in sorted(places.keys() - nets.components.keys()):
        yield f"{reference} has places on the breadboards and is no part of the schematic."
    for what, place in ends:
        try:
            node(place)
        except ValueError as exc:
            yield f"{what}: {exc}."
        if place in used:
            yield f"{place} is taken by {used[place]} and by {what}."
        used[place] = what


def _reaches(nets: Netlist, places: Places) -> Iterator[str]:
    for reference, holes in sorted(places.items()):
        spots = [spot(place) for place in holes]
        symbol = nets.components[reference].symbol
        if symbol in ("ULN2803A", "TC4428A", "STATION"):
            yield from _stiff(reference, spots, int(legs(nets, reference)[0]))
            continue
        prefix = symbol if symbol in SPANS else reference.rstrip("0123456789")
        least, most = SPANS.get(prefix, (0.0, math.inf))
        far = math.dist(spots[0], spots[-1])
        if not least <= far <= most:
            yield f"{reference}'s legs are {far:.1f} tenths of an inch apart; allowed are {least:g} to {most:g}."


def _stiff(reference: str, spots: list[tuple[float, float]], first: int) -> Iterator[str]:
    """Check that the legs of a chip or terminal are adjacent.

    A chip's second row must be three tenths above, backwards.
    """
    x, y = spots[0]
    row = len(spots) if reference.startswith("J") else (len(spots) + 2 * (first - 1)) // 2
    below = row - (first - 1) if not reference.startswith("J") else row
    wanted = [(x + k, y) for k in range(below)]
    if not reference.startswith("J"):
        wanted += [(x + below - 1 - k, y - 3) for k in range(len(spots) - below)]
    if spots != wanted:
        yield f"{reference}'s legs are not side by side as the part's are."


def _joints(nets: Netlist, places: Places, wires: Sequence[Wire]) -> Iterator[str]:
    parent: dict[tuple[str, ...], tuple[str, ...]] = {}

    def root(one: tuple[str, ...]) -> tuple[str, ...]:
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for wire in wires:
        parent[root(node(wire.start))] = root(node(wire.end))
    found: dict[tuple[str, ...], set[Terminal]] = defaultdict(set)
    for reference, holes in places.items():
        for leg, place in zip(legs(nets, reference), holes, strict=True):
            found[root(node(place))].add((reference, leg))
    for one in list(parent):
        if one[0] == "Pi":
            found[root(one)].add((PI, one[1]))
    of_net: dict[str, list[set[Terminal]]] = defaultdict(list)
    for members in found.values():
        names = {nets.net(*terminal) for terminal in members}
        if len(names) > 1:
            told = ", ".join(sorted(".".join(terminal) for terminal in members))
            yield f"the breadboards join {' and '.join(sorted(names))}: {told}."
        of_net[min(names)].append(members)
    for name, groups in sorted(of_net.items()):
        if len(groups) > 1:
            apart = sorted(".".join(min(group)) for group in groups)
            yield f"{name} falls apart on the breadboards: {', '.join(apart)} must be joined."
    for name, terminals in sorted(nets.nets.items()):
        if len(terminals) > 1 and PI in dict(terminals) and PI not in dict(t for group in of_net[name] for t in group):
            yield f"no wire brings {name} from the Pi."
