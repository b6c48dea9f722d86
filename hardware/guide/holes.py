"""Builds on breadboards: the hole of every leg and wire of `direct4` and of the pod on boards of 830 holes.

A place is "A:h6" (board A, row h, column 6), "A:-top9" (the rail marked -, at the board's upper edge, near column
9) or "Pi:11" (a pin of the Pi's header). Upper half f to j, lower half a to e; five holes of a column and half are
one strip. Board A has four stations, board B the rest, board C a pod's stations 5 to 8. The places are chosen here;
`complaints` follows holes and wires independently and checks that they join exactly what the schematic joins.
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
RAILS = ("+top", "-top", "+low", "-low")
_ROWS = {"+top": 0.0, "-top": 1.0, "+low": 17.0, "-low": 18.0}
_ROWS |= {row: 3.0 + n for n, row in enumerate(UPPER)} | {row: 10.0 + n for n, row in enumerate(LOWER)}
BOARD_UNITS = 22.0
"""Distance from one board's upper edge to the next one's, in tenths of an inch."""
_TURNED = dict(zip(UPPER + LOWER, reversed(UPPER + LOWER), strict=True))
BOARDS = "ABC"
PICO_LEGS = 40


@dataclass(frozen=True)
class Wire:
    """A wire between two holes, or a pin of the Pi and a hole."""

    step: str
    start: str
    end: str


Places = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Layout:
    """A build on breadboards: part -> the place of each leg in order of its pin numbers, and every wire.

    `boards`: from top to bottom; `controller`: a Pi on leads or a Pico in board B.
    """

    boards: str
    controller: str
    places: Places
    wires: Sequence[Wire]
    rails: Mapping[tuple[str, str], str]


_RAIL_NETS = {
    "A": {"+top": "+3V3", "-top": "GND", "+low": "+5V_LAMP", "-low": "GND"},
    "B": {"+top": "+5V", "-top": "GND", "+low": "+3V3", "-low": "GND"},
    "C": {"+top": "+5V_LAMP", "-top": "GND", "+low": "+3V3", "-low": "GND"},
}


def _rails(boards: str) -> dict[tuple[str, str], str]:
    """The nets of the rails; a test checks the wires against them."""
    return {(board, rail): net for board in boards for rail, net in _RAIL_NETS[board].items()}


def _turn(place: str) -> str:
    """A place on board C with its upper half below; other places as they are.

    >>> _turn("C:j4"), _turn("C:-low3"), _turn("B:a14")
    ('C:a4', 'C:-top3', 'B:a14')
    """
    board, _, hole = place.partition(":")
    if board != "C":
        return place
    if hole[0] in "+-":
        return f"{board}:{hole[0]}{'low' if hole[1:4] == 'top' else 'top'}{hole[4:]}"
    return f"{board}:{_TURNED[hole[0]]}{hole[1:]}"


@dataclass
class _Bench:
    """A layout in the making."""

    places: dict[str, tuple[str, ...]]
    wires: list[Wire]

    def station(self, seat: int, steps: tuple[str, str], pin: str, driver: str) -> None:
        """One station's parts and wires; its screw terminal is at board A's upper edge or at board C's lower one.

        `steps`: of the button and of the lamp; `pin`: the controller's; `driver`: a hole at the lamp driver's output.
        """
        board, c, n = "A" if seat <= 4 else "C", 6 + 14 * ((seat - 1) % 4), seat
        places: dict[str, tuple[str, ...]] = {
            f"J{n}": tuple(f"{board}:j{c + k}" for k in range(4)),
            f"D{n}1": (f"{board}:f{c}", f"{board}:c{c}"),
            f"R{n}1": (f"{board}:h{c - 4}", f"{board}:h{c}"),
            f"R{n}2": (f"{board}:g{c + 5}", f"{board}:g{c}"),
            f"C{n}1": (f"{board}:f{c + 5}", f"{board}:f{c + 7}"),
            f"R{n}3": (f"{board}:c{c + 2}", f"{board}:f{c + 2}"),
        }
        button, lamp = steps
        wires = [
            Wire(button, f"{board}:j{c - 4}", _rail(board, "+top", c - 4)),
            Wire(button, f"{board}:a{c}", _rail(board, "-low", c)),
            Wire(button, f"{board}:f{c + 1}", _rail(board, "-low", c + 1)),
            Wire(button, f"{board}:j{c + 7}", _rail(board, "-top", c + 7)),
            Wire(button, pin, f"{board}:h{c + 5}"),
            Wire(lamp, f"{board}:a{c + 2}", _rail(board, "+low", c + 3)),
            Wire(lamp, f"{board}:g{c + 3}", driver),
        ]
        self.places |= {ref: tuple(map(_turn, at)) for ref, at in places.items()}
        self.wires += [Wire(wire.step, _turn(wire.start), _turn(wire.end)) for wire in wires]

    def contact(self, c: int, number: int, gpio_pin: int) -> None:
        """A contact of knob or power button on board B: series resistor, pull-up, capacitor."""
        step = "breadboard-4-knob"
        self.places |= {
            f"R{number}": (f"B:d{c + 5}", f"B:d{c}"),
            f"R{number + 1}": (_rail("B", "+low", c), f"B:c{c}"),
            f"C{number}": (f"B:e{c + 5}", f"B:e{c + 7}"),
        }
        self.wires += [
            Wire(step, f"B:a{c + 7}", _rail("B", "-low", c + 7)),
            Wire(step, f"Pi:{gpio_pin}", f"B:b{c + 5}"),
        ]

    def wire(self, step: str, *ends: tuple[str, str]) -> None:
        """Wires of a step, each from one place to another."""
        self.wires += [Wire(step, start, end) for start, end in ends]

    def layout(self, boards: str, controller: str) -> Layout:
        """The finished layout."""
        return Layout(boards, controller, self.places, self.wires, _rails(boards))


def _rail(board: str, rail: str, column: int) -> str:
    """The rail's hole nearest to a column."""
    return f"{board}:{rail}{min(RAIL_COLUMNS, key=lambda one: (abs(one - column), one))}"


_STORES = {"C1": ("A:+low59", "A:-low59"), "C2": ("B:+top55", "B:-top57"), "C3": ("A:+top55", "A:-top57")}
_SUPPLIES = (
    ("B:-top61", "B:-low61"),
    ("A:-low61", "B:-top60"),
    ("A:-top61", "A:-low60"),
    ("A:+top61", "B:+low61"),
)


def _console() -> Layout:
    supply, lamps, piezo = "breadboard-1-supply", "breadboard-6-lamps", "breadboard-7-piezo"
    bench = _Bench(dict(_STORES), [])
    bench.places |= {
        "F1": ("B:f14", "B:f16"),
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
    bench.wire(supply, ("Pi:2", "B:+top3"), ("Pi:1", "B:+low3"), ("Pi:6", "B:-low4"))
    bench.wire(supply, *_SUPPLIES, ("B:+top15", "B:j14"), ("B:j16", "A:+low16"))
    bench.wire("breadboard-5-display", ("Pi:5", "B:g40"), ("Pi:3", "B:g44"))
    bench.wire(lamps, ("B:j11", "A:+low11"))
    bench.wire(lamps, *((f"Pi:{pin}", f"B:a{3 + k}") for k, pin in enumerate((18, 22, 36, 37))))
    bench.wire(lamps, *((f"B:a{7 + k}", f"B:-low{column}") for k, column in enumerate((6, 7, 9, 10, 11))))
    bench.wire(piezo, ("B:j22", "B:+top22"), ("B:j24", "B:-top24"), ("B:c21", "B:c23"))
    bench.wire(piezo, ("B:a22", "B:-low22"), ("B:a28", "B:-low28"), ("Pi:33", "B:a21"))
    for seat, pin in enumerate((11, 13, 15, 16), start=1):
        button = "breadboard-2-first-button" if seat == 1 else "breadboard-3-other-buttons"
        bench.station(seat, (button, lamps), f"Pi:{pin}", f"B:i{2 + seat}")
    for column, number, pin in ((30, 91, 29), (39, 93, 31), (48, 95, 32), (12, 97, 7)):
        bench.contact(column, number, pin)
    return bench.layout("AB", PI)


def pico_leg(number: int) -> str:
    """The hole of a Pico's leg: its USB socket at board B's left end, leg 1 in c1.

    >>> pico_leg(1), pico_leg(20), pico_leg(21), pico_leg(40)
    ('B:c1', 'B:c20', 'B:h20', 'B:h1')
    """
    return f"B:c{number}" if number <= PICO_LEGS // 2 else f"B:h{PICO_LEGS + 1 - number}"


_PICO_USED = (*range(4, 8), *range(9, 13), *range(14, 18), *range(19, 23), 24, 36, 38, 40)
"""The legs that the pod's schematic has; `complaints` compares their number."""


def _pod() -> Layout:
    supply, lamps, sync = "pod-1-supply", "pod-5-lamps", "pod-6-sync"
    bench = _Bench(dict(_STORES), [])
    bench.places |= {
        "U1": tuple(pico_leg(number) for number in _PICO_USED),
        "F1": ("B:f24", "B:f26"),
        "U2": (*(f"B:e{30 + k}" for k in range(9)), *(f"B:f{38 - k}" for k in range(9))),
        "J15": ("B:j50", "B:j51"),
        "D1": ("B:f50", "B:c50"),
        "R6": ("B:g55", "B:g50"),
    }
    bench.wire(supply, ("B:j1", "B:+top3"), ("B:j5", "B:+low6"), ("B:j3", "B:-top4"))
    bench.wire(supply, *_SUPPLIES, ("C:-top61", "B:-low60"), ("C:-top60", "C:-low61"), ("C:+low61", "B:+low60"))
    bench.wire(supply, ("B:+top24", "B:j24"), ("B:j26", "A:+low25"), ("B:i26", "C:+top25"))
    bench.wire(lamps, ("B:j38", "A:+low39"), ("B:a38", "B:-low37"))
    for seat in range(1, 9):
        name = "pod-2-first-button" if seat == 1 else "pod-3-buttons" if seat <= 4 else "pod-4-buttons"
        contact, lamp = seat + (3 if seat <= 4 else 4), seat + (13 if seat <= 4 else 14)
        bench.station(seat, (name, lamps), f"B:a{contact}", f"B:i{29 + seat}")
        free = pico_leg(lamp).replace("c", "a").replace("h", "i")
        bench.wire(lamps, (free, f"B:a{29 + seat}"))
    bench.wire(sync, ("B:i17", "B:h55"), ("B:a50", "B:-low49"), ("B:f51", "B:-low51"))
    return bench.layout("ABC", "U1")


CONSOLE, POD = _console(), _pod()


def legs(nets: Netlist, reference: str) -> list[str]:
    """The numbers of a part's pins, in order."""
    return sorted((pin for ref, pin in nets.pin_names if ref == reference), key=int)


def node(place: str, boards: str = BOARDS) -> tuple[str, ...]:
    """The node of a place: a strip, a rail, or a pin of the Pi.

    Raises ValueError for a hole that no board has.
    """
    board, _, hole = place.partition(":")
    if board == "Pi" and hole.isdigit() and 1 <= int(hole) <= 40:
        return (board, hole)
    match = re.fullmatch(r"([+-](?:top|low)|[a-j])(\d+)", hole)
    if board and board in boards and match is not None:
        row, column = match[1], int(match[2])
        if row in UPPER + LOWER and 1 <= column <= COLUMNS:
            return (board, "upper" if row in UPPER else "lower", str(column))
        if row not in UPPER + LOWER and column in RAIL_COLUMNS:
            return (board, row)
    raise ValueError(f"no board has the hole {place}")


def spot(place: str, boards: str = BOARDS) -> tuple[float, float]:
    """The position of a hole, in tenths of an inch from the first board's upper left corner."""
    board, _, hole = place.partition(":")
    row, column = re.fullmatch(r"([+-](?:top|low)|[a-j])(\d+)", hole).groups()  # type: ignore[union-attr]
    return float(column), _ROWS[row] + BOARD_UNITS * boards.index(board)


# -- checks --------------------------------------------------------------------------------------------------------

SPANS = {"R": (4.0, 9.5), "D": (5.0, 8.0), "F": (2.0, 3.0), "C": (1.0, 3.0), "CP": (1.0, 2.0)}
"""Range from hole to hole in tenths of an inch: a resistor lies flat with both legs bent, a suppressor in DO-15 is 7.6
mm long, capacitors of 5 mm pitch (100 nF to 1 uF reach to 2.5 and to 7 mm), small electrolytic ones.
"""


CHIPS = ("ULN2803A", "TC4428A")
TERMINALS = ("STATION", "SYNC")


def complaints(nets: Netlist, layout: Layout) -> Iterator[str]:
    """Complain of holes used twice or missing, short legs, and joints unlike the schematic's."""
    broken = list(_places(nets, layout))
    yield from broken
    if not broken:
        yield from _reaches(nets, layout.places)
        yield from _hidden_legs(nets, layout)
        yield from _joints(nets, layout)


def _places(nets: Netlist, layout: Layout) -> Iterator[str]:
    used: dict[str, str] = {}
    for reference in sorted(nets.components.keys() - {PI}):
        if len(layout.places.get(reference, ())) != len(legs(nets, reference)):
            held = len(layout.places.get(reference, ()))
            yield f"{reference} has {len(legs(nets, reference))} legs and {held} places on the breadboards."
    ends = [(f"{ref}'s leg", place) for ref, holes in layout.places.items() for place in holes]
    ends += [(f"the wire {wire.start} to {wire.end}", end) for wire in layout.wires for end in (wire.start, wire.end)]
    for reference in sorted(layout.places.keys() - nets.components.keys()):
        yield f"{reference} has places on the breadboards and is no part of the schematic."
    for what, place in ends:
        try:
            node(place, layout.boards)
        except ValueError as exc:
            yield f"{what}: {exc}."
        if place in used:
            yield f"{place} is taken by {used[place]} and by {what}."
        used[place] = what


def _reaches(nets: Netlist, places: Places) -> Iterator[str]:
    for reference, holes in sorted(places.items()):
        spots = [spot(place) for place in holes]
        numbers = [int(number) for number in legs(nets, reference)]
        if wanted := _stiff(nets.components[reference].symbol, numbers):
            x, y = spots[0][0] - wanted[0][0], spots[0][1] - wanted[0][1]
            if spots != [(x + right, y + down) for right, down in wanted]:
                yield f"{reference}'s legs are not side by side as the part's are."
            continue
        symbol = nets.components[reference].symbol
        prefix = symbol if symbol in SPANS else reference.rstrip("0123456789")
        least, most = SPANS.get(prefix, (0.0, math.inf))
        far = math.dist(spots[0], spots[-1])
        if not least <= far <= most:
            yield f"{reference}'s legs are {far:.1f} tenths of an inch apart; allowed are {least:g} to {most:g}."


def _stiff(symbol: str, numbers: Sequence[int]) -> list[tuple[float, float]]:
    """The places of these legs from the first leg's, in tenths of an inch; none of a part with wires.

    The second row of a chip is three tenths above the first, of a Pico seven, and runs backwards.
    """
    if symbol in TERMINALS:
        return [(number - 1.0, 0.0) for number in numbers]
    if symbol not in CHIPS and symbol != "PICO":
        return []
    row, up = (PICO_LEGS // 2, 7.0) if symbol == "PICO" else ((numbers[0] + numbers[-1]) // 2, 3.0)
    return [(n - 1.0, 0.0) if n <= row else (2.0 * row - n, -up) for n in numbers]


def _hidden_legs(nets: Netlist, layout: Layout) -> Iterator[str]:
    """Check that nothing is joined to a leg of the Pico that the schematic leaves out."""
    if layout.controller == PI:
        return
    wired = {node(end) for wire in layout.wires for end in (wire.start, wire.end)}
    wired |= {node(hole) for ref, at in layout.places.items() for hole in at if ref != layout.controller}
    for number in range(1, PICO_LEGS + 1):
        if str(number) not in legs(nets, layout.controller) and node(pico_leg(number)) in wired:
            yield f"something is joined to leg {number} of {layout.controller}, which the schematic leaves open."


def _joints(nets: Netlist, layout: Layout) -> Iterator[str]:
    parent: dict[tuple[str, ...], tuple[str, ...]] = {}

    def root(one: tuple[str, ...]) -> tuple[str, ...]:
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for wire in layout.wires:
        parent[root(node(wire.start))] = root(node(wire.end))
    found: dict[tuple[str, ...], set[Terminal]] = defaultdict(set)
    for reference, holes in layout.places.items():
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
