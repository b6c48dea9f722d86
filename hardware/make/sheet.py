"""One schematic sheet: from parts, wires and labels to the text of a `.kicad_sch`.

The bytes are the same every time.

Units: steps of 1.27 mm, y down, as on paper. Wires are split and junctions set at crossings, so a drawing block
only gives the course of its wires. Connections are read back from the finished text by `netlist`, never from here.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from hardware.make.catalogue import Item
from hardware.make.symbols import SIDES, SYMBOLS, Symbol, SymbolPin, mm

Point = tuple[int, int]
LIBRARY = "referee"
_NAMESPACE = uuid.UUID("6b1c0c5a-8f0e-5a7b-9a55-0d5b7c9f2a10")
_VERSION = "20250114"  # the file format of KiCad 9.0
_TITLE_BLOCK = "generated from hardware/pinmap.toml by `make hardware`; do not edit"


@dataclass(frozen=True)
class Placed:
    """A part on the sheet. `turn`: degrees counter-clockwise, 0 or 90."""

    symbol: Symbol
    ref: str
    value: str
    at: Point
    turn: int
    item: Item | None
    option: bool
    copper: str = ""
    """The footprint of an etched part, which is not bought."""

    def pin(self, number: str) -> Point:
        """The point at which a wire meets that pin. Raises ValueError with one sentence."""
        if number not in self.symbol.pin_of:
            raise ValueError(f"{self.ref} is drawn as {self.symbol.name}, which has no pin {number}.")
        pin = self.symbol.pin_of[number]
        x, y = (-pin.y, pin.x) if self.turn == 90 else (pin.x, pin.y)
        return self.at[0] + x, self.at[1] - y


class Sheet:
    """A sheet being drawn."""

    def __init__(self, name: str, title: str, comment: str = "", paper: str = "A3") -> None:
        self.name, self.title, self.comment, self.paper = name, title, comment, paper
        self.parts: list[Placed] = []
        self._wires: list[tuple[Point, Point]] = []
        self._labels: list[tuple[str, Point, str]] = []
        self._open: list[Point] = []
        self._notes: list[str] = []
        self._serial: Counter[str] = Counter()

    def place(
        self,
        symbol: str,
        ref: str,
        value: str,
        at: Point,
        turn: int = 0,
        item: Item | None = None,
        option: bool = False,
        copper: str = "",
    ) -> Placed:
        """Put a part on the sheet.

        `option`: it may be left out; `copper`: an etched part's footprint.

        Raises ValueError for an unknown symbol.
        """
        if symbol not in SYMBOLS:
            raise ValueError(f"{ref} is drawn as {symbol}, for which there is no symbol.")
        part = Placed(SYMBOLS[symbol], ref, value, at, turn, item, option, copper)
        self.parts.append(part)
        return part

    def wire(self, *points: Point) -> None:
        """Draw a wire through these points, each leg horizontal or vertical."""
        for a, b in pairwise(points):
            assert a[0] == b[0] or a[1] == b[1], f"a slanted wire on {self.name}: {a} {b}"
            self._wires.append((a, b))

    def label(self, net: str, at: Point, side: str = "left") -> None:
        """Name the net at that point, with the text on that side of it."""
        self._labels.append((net, at, side))

    def stub(self, net: str, at: Point, side: str, length: int = 4) -> None:
        """Draw a short wire from a pin with the net's name at its end."""
        end = (at[0] + (length if side == "right" else -length), at[1])
        self.wire(at, end)
        self.label(net, end, side)

    def power(self, net: str, at: Point) -> None:
        """Place a supply symbol at that point."""
        self._serial["power"] += 1
        self.place(net, f"#PWR{self._serial['power']:03d}", net, at)

    def leave_open(self, *points: Point) -> None:
        """Mark pins that stay open on purpose."""
        self._open.extend(points)

    def heading(self, text: str, at: Point) -> None:
        """Write the title of a block."""
        self._text(text, at, 2.0, bold=True)

    def note(self, text: str, at: Point) -> None:
        """Write a remark; a line break is written \\n."""
        self._text(text, at, 1.27, bold=False)

    def frame(self, left: int, top: int, right: int, bottom: int) -> None:
        """Draw a thin frame round a block."""
        self._notes.append(
            f"(rectangle (start {_xy((left, top))}) (end {_xy((right, bottom))}) "
            f'(stroke (width 0.15) (type dash)) (fill (type none)) (uuid "{self._uuid("frame")}"))'
        )

    def text(self) -> str:
        """Return the finished file."""
        root = self._uuid("root")
        used = {part.symbol.name: part.symbol for part in self.parts}
        library = "\n".join(symbol_text(symbol, f"{LIBRARY}:{name}") for name, symbol in sorted(used.items()))
        comment = f'(comment 1 "{_TITLE_BLOCK}")' + (f' (comment 2 "{self.comment}")' if self.comment else "")
        lines = [
            f'(kicad_sch (version {_VERSION}) (generator "hardware_make") (generator_version "9.0")',
            f'(uuid "{root}") (paper "{self.paper}")',
            f'(title_block (title "{self.title}") (company "card-table-referee") {comment})',
            f"(lib_symbols\n{library}\n)",
            *self._notes,
            *self._wire_lines(),
            *(self._label_line(*label) for label in self._labels),
            *(f'(no_connect (at {_xy(point)}) (uuid "{self._uuid("open")}"))' for point in self._open),
            *(self._part_line(part, root) for part in self.parts),
            '(sheet_instances (path "/" (page "1")))',
            ")",
        ]
        return "\n".join(lines) + "\n"

    # -- pieces ----------------------------------------------------------------------------------------------------

    def _uuid(self, tag: str) -> str:
        self._serial[tag] += 1
        return str(uuid.uuid5(_NAMESPACE, f"{self.name}/{tag}/{self._serial[tag]}"))

    def _text(self, text: str, at: Point, size: float, *, bold: bool) -> None:
        effects = f"(effects (font (size {size:g} {size:g}){' (bold yes)' if bold else ''}) (justify left top))"
        self._notes.append(
            f'(text "{text}" (exclude_from_sim no) (at {_xy(at)} 0) {effects} (uuid "{self._uuid("text")}"))'
        )

    def _wire_lines(self) -> Iterable[str]:
        pins = [part.pin(number) for part in self.parts for number in part.symbol.pin_of]
        stops = {point for wire in self._wires for point in wire} | {at for _, at, _ in self._labels} | set(pins)
        pieces = list(dict.fromkeys(piece for wire in self._wires for piece in _split(wire, stops)))
        for a, b in pieces:
            path = f"(pts (xy {_xy(a)}) (xy {_xy(b)}))"
            yield f'(wire {path} (stroke (width 0) (type default)) (uuid "{self._uuid("wire")}"))'
        meeting = Counter(point for piece in pieces for point in piece) + Counter(pins)
        for point in sorted(point for point, count in meeting.items() if count > 2):
            yield f'(junction (at {_xy(point)}) (diameter 0) (color 0 0 0 0) (uuid "{self._uuid("junction")}"))'

    def _label_line(self, net: str, at: Point, side: str) -> str:
        angle, justify = (180, "right") if side == "left" else (0, "left")
        return (
            f'(global_label "{net}" (shape passive) (at {_xy(at)} {angle}) (fields_autoplaced yes) '
            f'(effects (font (size 1.27 1.27)) (justify {justify})) (uuid "{self._uuid("label")}"))'
        )

    def _part_line(self, part: Placed, root: str) -> str:
        places = part.symbol.turned if part.turn else part.symbol.texts
        power = part.symbol.power
        bought = part.item is not None
        print_ = part.item.footprint if part.item else part.copper
        footprint = f"{LIBRARY}:{print_}" if print_ else ""
        shown = [
            self._field("Reference", part.ref, part, places[0], hidden=power),
            self._field("Value", part.value, part, places[1], hidden=False),
            self._field("Footprint", footprint, part, (0, 0, ""), hidden=True),
        ]
        if part.item is not None:
            shown.append(self._field("Maker", part.item.maker, part, (0, 0, ""), hidden=True))
            shown.append(self._field("MPN", part.item.mpn, part, (0, 0, ""), hidden=True))
            shown.append(self._field("Part", part.item.key, part, (0, 0, ""), hidden=True))
            shown.append(self._field("Option", _yes(part.option), part, (0, 0, ""), hidden=True))
        pins = " ".join(f'(pin "{number}" (uuid "{self._uuid("pin")}"))' for number in part.symbol.pin_of)
        instance = f'(project "{self.name}" (path "/{root}" (reference "{part.ref}") (unit 1)))'
        return (
            f'(symbol (lib_id "{LIBRARY}:{part.symbol.name}") (at {_xy(part.at)} {part.turn}) (unit 1) '
            f"(exclude_from_sim no) (in_bom {_yes(bought)}) (on_board {_yes(bool(footprint))}) "
            f'(dnp no) (uuid "{self._uuid("part")}")\n  {" ".join(shown)}\n  {pins}\n  (instances {instance}))'
        )

    def _field(self, name: str, text: str, part: Placed, place: tuple[float, float, str], *, hidden: bool) -> str:
        x, y, justify = place
        at = (part.at[0] + x, part.at[1] - y)
        looks = f" (justify {justify})" if justify else ""
        hide = " (hide yes)" if hidden else ""
        return f'(property "{name}" "{text}" (at {_xy(at)} {part.turn}) (effects (font (size 1.27 1.27)){looks}{hide}))'


def symbol_text(symbol: Symbol, name: str) -> str:
    """A symbol as KiCad's library writes it."""
    bare = symbol.name
    hidden = "" if symbol.named else " (hide yes)"
    numbers = "" if symbol.named else "(pin_numbers (hide yes)) "
    power = "(power) " if symbol.power else ""
    effects = "(effects (font (size 1.27 1.27)))"
    pins = " ".join(_pin_text(pin) for pin in symbol.pins)
    return (
        f'(symbol "{name}" {power}{numbers}(pin_names (offset 0.5){hidden}) (exclude_from_sim no) (in_bom yes) '
        f'(on_board yes) (property "Reference" "{symbol.prefix}" (at 0 0 0) {effects}) '
        f'(property "Value" "{bare}" (at 0 0 0) {effects}) '
        f'(property "Footprint" "" (at 0 0 0) (effects (font (size 1.27 1.27)) (hide yes)))\n'
        f'  (symbol "{bare}_0_1" {" ".join(symbol.art)})\n  (symbol "{bare}_1_1" {pins}))'
    )


def library_text(symbols: Iterable[Symbol]) -> str:
    """All symbols as a library file, so that KiCad can check the drawings against it."""
    body = "\n".join(symbol_text(symbol, symbol.name) for symbol in symbols)
    return f'(kicad_symbol_lib (version 20241209) (generator "hardware_make") (generator_version "9.0")\n{body}\n)\n'


def _pin_text(pin: SymbolPin) -> str:
    effects = "(effects (font (size 1.27 1.27)))"
    return (
        f"(pin {pin.kind} line (at {mm(pin.x)} {mm(pin.y)} {SIDES[pin.side]}) (length {mm(pin.length)}) "
        f'(name "{pin.name}" {effects}) (number "{pin.number}" {effects}))'
    )


def _split(wire: tuple[Point, Point], stops: set[Point]) -> Iterable[tuple[Point, Point]]:
    a, b = sorted(wire)
    inside = sorted(p for p in stops if _within(p, a, b))
    chain = [a, *(p for p in inside if p not in (a, b)), b]
    return [piece for piece in pairwise(chain) if piece[0] != piece[1]]


def _within(p: Point, a: Point, b: Point) -> bool:
    return (p[0] == a[0] == b[0] and a[1] <= p[1] <= b[1]) or (p[1] == a[1] == b[1] and a[0] <= p[0] <= b[0])


def _xy(point: tuple[float, float]) -> str:
    return f"{mm(point[0])} {mm(point[1])}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
