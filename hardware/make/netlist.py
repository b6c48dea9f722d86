"""A schematic's connections, read only from its drawing: touching wires, pins and labels.

This reading is independent of the code that made the sheet, and `make hardware-check` compares it with KiCad's own
netlist of the same file.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from hardware.make.sexpr import Node, child, children, parse

Terminal = tuple[str, str]
"""(reference, pin number)."""
_Point = tuple[int, int]


@dataclass(frozen=True)
class Component:
    """A part of the schematic.

    `key`: its entry in the catalogue; `symbol`: the symbol it is drawn as.
    """

    ref: str
    value: str
    footprint: str
    key: str
    option: bool
    symbol: str = ""

    @property
    def bought(self) -> bool:
        """Whether the part is bought; a test point is the board's own copper."""
        return self.symbol != "TESTPOINT"


@dataclass(frozen=True)
class Netlist:
    """`nets`: net name -> terminals.

    A net without a label is named after its first terminal, "~R1.2".
    """

    components: dict[str, Component]
    nets: dict[str, frozenset[Terminal]]
    pin_names: dict[Terminal, str]
    open_pins: frozenset[Terminal]

    def net(self, ref: str, pin: str) -> str:
        """The net at that pin, "" if there is none."""
        return self._net_of.get((ref, pin), "")

    @cached_property
    def _net_of(self) -> dict[Terminal, str]:
        return {terminal: name for name, terminals in self.nets.items() for terminal in terminals}

    def groups(self) -> set[frozenset[Terminal]]:
        """The connected groups of terminals, without the nets' names."""
        return set(self.nets.values())


def read(path: Path) -> Netlist:
    """Read the netlist of a `.kicad_sch` of one sheet. Raises OSError, ValueError."""
    return from_text(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=16)
def from_text(text: str) -> Netlist:
    """Read the netlist from the file's text.

    It is cached, because many checks read the same few files.
    """
    sheet = parse(text)
    pins = _library(child(sheet, "lib_symbols"))
    terminals: dict[Terminal, _Point] = {}
    names: dict[Terminal, str] = {}
    labels: list[tuple[str, _Point]] = [(label[1], _at(label)) for label in children(sheet, "global_label")]
    components = {}
    for part in children(sheet, "symbol"):
        fields = {field[1]: field[2] for field in children(part, "property")}
        ref, symbol = fields["Reference"], child(part, "lib_id")[1]
        for number, name, x, y in pins[symbol]:
            point = _turn_point(part, x, y)
            if ref.startswith("#"):
                labels.append((fields["Value"], point))
            else:
                terminals[ref, number], names[ref, number] = point, name
        if not ref.startswith("#"):
            key, option = fields.get("Part", ""), fields.get("Option") == "yes"
            components[ref] = Component(
                ref, fields["Value"], fields["Footprint"], key, option, symbol.rpartition(":")[2]
            )
    wires = [
        tuple(_point(xy[1], xy[2]) for xy in children(child(wire, "pts"), "xy")) for wire in children(sheet, "wire")
    ]
    crossed = {_at(mark) for mark in children(sheet, "no_connect")}
    nets = _connect(wires, terminals, labels)
    open_pins = frozenset(terminal for terminal, point in terminals.items() if point in crossed)
    return Netlist(components, nets, names, open_pins)


def _connect(
    wires: list[tuple[_Point, ...]], terminals: dict[Terminal, _Point], labels: list[tuple[str, _Point]]
) -> dict[str, frozenset[Terminal]]:
    parent: dict[object, object] = {}

    def root(node: object) -> object:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    def join(a: object, b: object) -> None:
        parent[root(a)] = root(b)

    points = {point for wire in wires for point in wire} | set(terminals.values()) | {at for _, at in labels}
    lines: dict[tuple[int, int], list[_Point]] = defaultdict(list)
    for point in points:
        lines[0, point[0]].append(point)
        lines[1, point[1]].append(point)
    for a, b in wires:
        for point in lines[0, a[0]] if a[0] == b[0] else lines[1, a[1]]:
            if _on(point, a, b):
                join(a, point)
    for name, at in labels:
        join(name, at)
    groups: dict[object, set[Terminal]] = defaultdict(set)
    for terminal, point in terminals.items():
        groups[root(point)].add(terminal)
    called: dict[object, list[str]] = defaultdict(list)
    for name in sorted({name for name, _ in labels}):
        called[root(name)].append(name)
    nets = {}
    for group, members in groups.items():
        ref, pin = min(members)
        nets[" = ".join(called[group]) or f"~{ref}.{pin}"] = frozenset(members)
    return nets


def _library(symbols: Node) -> dict[str, list[tuple[str, str, int, int]]]:
    found = {}
    for symbol in children(symbols, "symbol"):
        found[symbol[1]] = [
            (child(pin, "number")[1], child(pin, "name")[1], *_point(child(pin, "at")[1], child(pin, "at")[2]))
            for unit in children(symbol, "symbol")
            for pin in children(unit, "pin")
        ]
    return found


def _turn_point(part: Node, x: int, y: int) -> _Point:
    at = child(part, "at")
    turn = int(at[3])
    if turn == 90:
        x, y = -y, x
    elif turn != 0:
        raise ValueError(f"a part is turned by {turn} degrees; this reader knows 0 and 90")
    px, py = _point(at[1], at[2])
    return px + x, py - y


def _at(node: Node) -> _Point:
    at = child(node, "at")
    return _point(at[1], at[2])


def _point(x: str, y: str) -> _Point:
    """Millimetres as whole micrometres, so that equal places are equal."""
    return round(float(x) * 1000), round(float(y) * 1000)


def _on(p: _Point, a: _Point, b: _Point) -> bool:
    (ax, ay), (bx, by) = sorted((a, b))
    return (p[0] == ax == bx and ay <= p[1] <= by) or (p[1] == ay == by and ax <= p[0] <= bx)
