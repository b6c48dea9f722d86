"""The breadboard builds' pictures: one a step, with every leg and wire in its hole.

New parts are in colour.

`holes` defines the holes; values, nets and pins are read from the schematics, and a wire has the colour of its net.
So a picture cannot contradict the software or the guide's words on colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from hardware.guide import holes
from hardware.guide.holes import BOARD_UNITS, COLUMNS, LOWER, PI, UPPER, Wire, legs, node, pico_leg
from hardware.make.netlist import Netlist


@dataclass(frozen=True)
class Tier:
    """A build on breadboards: its holes, and its steps: title and the references that each adds.

    The steps contain every part of the schematic once.
    """

    layout: holes.Layout
    steps: dict[str, tuple[str, str]]

    def parts_of(self, nets: Netlist, step: str) -> list[str]:
        """The references that a step adds, numbers in their natural order."""
        wanted = re.compile(self.steps[step][1])
        return sorted(filter(wanted.fullmatch, nets.components), key=_natural)

    def wires_of(self, step: str) -> list[Wire]:
        """The wires that a step adds."""
        return [wire for wire in self.layout.wires if wire.step == step]


CONSOLE = Tier(
    holes.CONSOLE,
    {
        "breadboard-1-supply": ("The supply rails", r"J10|F1|C[123]"),
        "breadboard-2-first-button": ("The first button", r"J1|[RCD]1[12]"),
        "breadboard-3-other-buttons": ("Buttons 2, 3 and 4, each as the first", r"J[234]|[RCD][234][12]"),
        "breadboard-4-knob": ("The knob and the power button", r"J1[23]|[RC]9\d"),
        "breadboard-5-display": ("The display", r"J11|C7"),
        "breadboard-6-lamps": ("The lamps", r"U2|R[1-4]3"),
        "breadboard-7-piezo": ("The piezo", r"U3|BZ1|R[234]|C[456]"),
    },
)
POD = Tier(
    holes.POD,
    {
        "pod-1-supply": ("The Pico and the supply rails", r"U1|F1|C[123]"),
        "pod-2-first-button": ("The first button", r"J1|[RCD]1[12]"),
        "pod-3-buttons": ("Buttons 2, 3 and 4, each as the first", r"J[234]|[RCD][234][12]"),
        "pod-4-buttons": ("Buttons 5 to 8 on a third board, each as the first", r"J[5-8]|[RCD][5-8][12]"),
        "pod-5-lamps": ("The lamps", r"U2|R[1-8]3"),
        "pod-6-sync": ("The sync wire, an option", r"J15|D1|R6"),
    },
)
SUPPLY_COLOURS = {"+5V": "red", "+3V3": "orange", "GND": "black", "+5V_LAMP": "brown"}
"""Wire colours of the supplies, as in the guide; no other wire has one of these."""
STATION_COLOURS = ("yellow", "green", "blue", "violet")
SIGNAL_COLOURS = {"A": "grey", "B": "green", "SW": "blue", "SDA": "yellow", "SCL": "violet"}
"""Colours by the last word of a net's name; all others are grey. So a set with four wires of each colour is enough."""
INKS = {
    "red": "#d22b2b",
    "orange": "#f08a1d",
    "black": "#1c1c1c",
    "brown": "#7a4a21",
    "yellow": "#d9b800",
    "green": "#1f9d47",
    "blue": "#2566c8",
    "violet": "#8a3fb5",
    "grey": "#7d838c",
}
LETTERS = {"+5V": "5 V", "+3V3": "3.3 V", "GND": "GND", "+5V_LAMP": "lamps"}
OLD, INK = "#c3c8d0", "#20242c"
U, LEFT, TOP = 15.0, 190.0, 66.0
WIDTH = 1200
LINE = 24
BESIDE = {"J12": ("knob", 37.0), "J13": ("power button", 17.0), "J11": ("display", 52.0), "BZ1": ("piezo", 27.0)}
"""Things on leads next to the boards: name, and column below board B."""
BODIES = {"R": "#e0c48c", "D": "#3a3f4a", "C": "#e5a23c", "CP": "#4a5f96", "POLYFUSE": "#e8c930"}


def _natural(reference: str) -> tuple[str, int]:
    letters = reference.rstrip("0123456789")
    return letters, int(reference[len(letters) :])


def net_colour(net: str) -> str:
    """A supply's own colour, a station's by its number, another's by its name."""
    if net in SUPPLY_COLOURS:
        return SUPPLY_COLOURS[net]
    if re.match(r"P\d", net):
        return STATION_COLOURS[(int(net[1]) - 1) % len(STATION_COLOURS)]
    return SIGNAL_COLOURS.get(net.rpartition("_")[2], "grey")


def net_at(nets: Netlist, layout: holes.Layout, wire: Wire) -> str:
    """The net of a wire: of the Pi's pin, of a leg in one of its strips, or of wires from there on."""
    known = {
        node(place): nets.net(ref, leg)
        for ref, at in layout.places.items()
        for leg, place in zip(legs(nets, ref), at, strict=True)
    }
    known |= {node(f"Pi:{pin}"): nets.net(PI, str(pin)) for pin in range(1, 41)}
    seen, edge = {node(wire.start), node(wire.end)}, [node(wire.start), node(wire.end)]
    while edge:
        one = edge.pop()
        if known.get(one):
            return known[one]
        for other in layout.wires:
            ends = {node(other.start), node(other.end)}
            if one in ends:
                edge += ends - seen
                seen |= ends
    return ""


def pictures(nets: Netlist, tier: Tier) -> dict[str, str]:
    """File name -> SVG, from the schematic that was read."""
    return {f"{step}.svg": Picture(nets, tier, step).text() for step in tier.steps}


def _pin_xy(pin: int) -> tuple[float, float]:
    return 84.0 + 24.0 * (1 - pin % 2), TOP + 70.0 + (pin - 1) // 2 * 24.0


def _way_out(pin: int) -> list[tuple[float, float]]:
    """The way of a wire from the Pi's pin to the header's right: beside its own row, or just below it."""
    x, y = _pin_xy(pin)
    out = _pin_xy(2)[0] + 34.0
    return [(x + 7, y + 7), (x + 12, y + 12), (out, y + 12)] if pin % 2 else [(x + 10, y), (out, y)]


class Picture:
    """The picture of a step: the boards that it needs, what is there already in grey, new parts in colour."""

    def __init__(self, nets: Netlist, tier: Tier, step: str) -> None:
        self._nets, self._tier, self._step, self._layout = nets, tier, step, tier.layout
        self._new = tier.parts_of(nets, step)
        used = [end for wire in tier.wires_of(step) for end in (wire.start, wire.end)]
        used += [place for ref in self._new for place in self._layout.places.get(ref, ())]
        whole = self._layout.controller == PI
        self._boards = "".join(board for board in self._layout.boards if whole or board in {end[0] for end in used})

    # -- words -----------------------------------------------------------------------------------------------------

    def place_text(self, place: str) -> str:
        """A place in a builder's words, such as "A h6", "Pi pin 11" or "B lower GND rail"."""
        board, _, hole = place.partition(":")
        if board == "Pi":
            return f"Pi pin {hole}"
        if hole[0] in "+-":
            net = LETTERS[self._layout.rails[board, hole[:4]]]
            return f"{board} {'upper' if 'top' in hole else 'lower'} {net} rail"
        return f"{board} {hole}"

    def colour_of(self, wire: Wire) -> str:
        """The colour of a wire, by the net at one of its ends."""
        return net_colour(net_at(self._nets, self._layout, wire))

    def lines(self) -> list[str]:
        """The step's parts and wires, one a line."""
        lines = [self._part_line(reference) for reference in self._new if reference != PI]
        for wire in self._tier.wires_of(self._step):
            lines.append(f"{self.colour_of(wire)} wire:  {self.place_text(wire.start)} – {self.place_text(wire.end)}")
        return lines

    def _part_line(self, reference: str) -> str:
        nets, part = self._nets, self._nets.components[reference]
        names, value = legs(nets, reference), part.value
        places = [self.place_text(place) for place in self._layout.places[reference]]
        if part.symbol == "PICO":
            first, last = (self.place_text(pico_leg(number)) for number in (1, holes.PICO_LEGS))
            return f"{reference}  {value}:  USB at the left end, leg 1 in {first}, leg {holes.PICO_LEGS} in {last}"
        if len(names) == 2 and reference not in BESIDE and part.symbol not in holes.TERMINALS:
            plus = " (the longer leg)" if part.symbol == "CP" else ""
            return f"{reference}  {value}:  {places[0]}{plus} – {places[1]}"
        if reference.startswith("U"):
            return f"{reference}  {value}:  leg {names[0]} in {places[0]}, leg {names[-1]} in {places[-1]}"
        called = [nets.pin_names[reference, leg] for leg in names]
        pins = [f"{leg} {name}" if name != leg else f"wire {leg}" for leg, name in zip(names, called, strict=True)]
        return f"{reference}  {value}:  " + ", ".join(map(" in ".join, zip(pins, places, strict=True)))

    # -- the drawing -----------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The picture as SVG."""
        captions = [part for line in self.lines() for part in wrap(line, 58, subsequent_indent=" " * 6)]
        columns = 2
        rows = -(-len(captions) // columns)
        below = TOP + (BOARD_UNITS * len(self._boards) + (4.5 if self._layout.controller == PI else 0.0)) * U
        height = round(below + rows * LINE + 30)
        title = self._tier.steps[self._step][0]
        drawn = [f'<text x="24" y="36" font-size="24" font-weight="bold">{escape(title)}</text>']
        for place, board in enumerate(self._boards):
            drawn += self._board(board, BOARD_UNITS * place)
        used = self._tier.wires_of(self._step)
        if self._layout.controller == PI:
            drawn += self._header(used)
        drawn += self._done()
        for reference in self._new:
            drawn += self._part(reference, new=True)
        for colour in INKS:
            drawn += self._wires([wire for wire in used if self.colour_of(wire) == colour], INKS[colour], 3.2)
        drawn += self._pin_numbers(used)
        for n, line in enumerate(captions):
            x, y = 24 + (WIDTH - 40) // columns * (n // rows), below + (n % rows) * LINE + 14
            drawn.append(f'<text x="{x}" y="{y:.0f}" font-size="18" xml:space="preserve">{escape(line)}</text>')
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" font-family="sans-serif" fill="{INK}">\n'
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n' + "\n".join(drawn) + "\n</svg>\n"
        )

    def _done(self) -> Iterable[str]:
        """What earlier steps left on these boards."""
        order = list(self._tier.steps)
        before = order[: order.index(self._step)]
        shown = {*self._boards, "Pi"}
        wires = [wire for one in before for wire in self._tier.wires_of(one)]
        here = [wire for wire in wires if {wire.start.partition(":")[0], wire.end.partition(":")[0]} <= shown]
        yield from self._wires(here, OLD, 1.4)
        for one in before:
            for reference in self._tier.parts_of(self._nets, one):
                if all(place[0] in self._boards for place in self._layout.places.get(reference, ())):
                    yield from self._part(reference, new=False)

    def _xy(self, place: str) -> tuple[float, float]:
        """The drawing position of a place."""
        if place.startswith("Pi:"):
            return _pin_xy(int(place[3:]))
        x, y = holes.spot(place, self._boards)
        return LEFT + x * U, TOP + y * U

    def _board(self, name: str, down: float) -> Iterable[str]:
        """An empty board: holes, letters, numbers and its rails' nets."""
        top = TOP + down * U
        yield (
            f'<rect x="{LEFT - 0.4 * U:.0f}" y="{top - 0.9 * U:.0f}" width="{(COLUMNS + 1.8) * U:.0f}" '
            f'height="{19.8 * U:.0f}" rx="6" fill="#fbfaf6" stroke="#b9b4a6"/>'
        )
        yield f'<text x="{LEFT - 32}" y="{top + 9.6 * U:.0f}" font-size="26" font-weight="bold">{name}</text>'
        yield f'<g fill="#777" font-size="10" text-anchor="middle" transform="translate(0 {top:.0f})">'
        for row in (*UPPER, *LOWER):
            y = holes.spot(f"{name}:{row}1", name)[1] * U + 3.5
            for x in (LEFT + 0.2 * U, LEFT + (COLUMNS + 0.8) * U):
                yield f'<text x="{x:.0f}" y="{y:.0f}">{row}</text>'
        for column in (1, *range(5, COLUMNS + 1, 5)):
            for y in (2.55 * U, 15.75 * U):
                yield f'<text x="{LEFT + column * U:.0f}" y="{y:.0f}">{column}</text>'
        yield "</g>"
        yield from self._rails(name)
        yield from self._hole_rows(name)

    def _rails(self, name: str) -> Iterable[str]:
        for rail in holes.RAILS:
            net = self._layout.rails[name, rail]
            y = self._xy(f"{name}:{rail}3")[1]
            ink = INKS[SUPPLY_COLOURS[net]]
            yield f'<path d="M{LEFT + 2 * U:.0f} {y:.0f}H{LEFT + 62 * U:.0f}" stroke="{ink}" opacity="0.5"/>'
            right = LEFT + (COLUMNS + 1.6) * U
            yield f'<text x="{right:.0f}" y="{y + 4:.0f}" font-size="11" fill="{ink}">{LETTERS[net]}</text>'
            yield f'<text x="{LEFT + 0.7 * U:.0f}" y="{y + 4:.0f}" font-size="12" fill="{ink}">{rail[0]}</text>'

    def _hole_rows(self, name: str) -> Iterable[str]:
        """Each row of holes is one dashed line of round dots; a rail has groups of five."""
        yield '<g stroke="#8d8f94" stroke-width="4.6" stroke-linecap="round">'
        dot, gap = ".01", f"{U - 0.01:.2f}"
        rail_gap = f"{2 * U - 0.01:.2f}"
        for row in (*UPPER, *LOWER, *holes.RAILS):
            first, last = (3, 61) if row in holes.RAILS else (1, COLUMNS)
            x, y = self._xy(f"{name}:{row}{first}")
            dashes = " ".join([dot, gap] * 4 + [dot, rail_gap]) if row in holes.RAILS else f"{dot} {gap}"
            yield f'<path d="M{x:.0f} {y:.0f}H{LEFT + last * U + 1:.0f}" stroke-dasharray="{dashes}"/>'
        yield "</g>"

    def _header(self, used: list[Wire]) -> Iterable[str]:
        """The Pi's 40 pins, odd ones left, pin 1 at the top (the end with the memory card).

        Used ones are in their colour.
        """
        x, y = _pin_xy(1)
        yield f'<rect x="{x - 18:.0f}" y="{y - 40:.0f}" width="60" height="532" rx="6" fill="#2f7d4f"/>'
        yield f'<text x="{x + 12:.0f}" y="{y - 22:.0f}" font-size="14" fill="white" text-anchor="middle">Pi</text>'
        inks = {wire.start[3:]: INKS[self.colour_of(wire)] for wire in used if wire.start.startswith("Pi:")}
        for pin in range(1, 41):
            x, y = _pin_xy(pin)
            fill = inks.get(str(pin), OLD)
            yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="9.5" fill="{fill}"/>'
            ink = "white" if str(pin) in inks else INK
            yield f'<text x="{x:.0f}" y="{y + 4:.0f}" font-size="10" text-anchor="middle" fill="{ink}">{pin}</text>'
            if str(pin) in inks:
                at = f'x="{_pin_xy(1)[0] - 20:.0f}" y="{y + (-1 if pin % 2 else 10):.0f}"'
                label = self._nets.net(PI, str(pin))
                yield f'<text {at} font-size="10" text-anchor="end" fill="{fill}">{label}</text>'

    def _pin_numbers(self, used: list[Wire]) -> Iterable[str]:
        """The pin's number where a wire leaves the Pi, and at its hole."""
        for wire in used:
            if wire.start.startswith("Pi:"):
                ink, number = INKS[self.colour_of(wire)], wire.start[3:]
                (x, y), (hole_x, hole_y) = _way_out(int(number))[-1], self._xy(wire.end)
                around = f'fill="{ink}" stroke="white" stroke-width="3" paint-order="stroke" font-weight="bold"'
                for place in (f'x="{x:.0f}" y="{y + 3.5:.0f}"', f'x="{hole_x:.0f}" y="{hole_y - 6:.0f}"'):
                    yield f'<text {place} font-size="10" text-anchor="middle" {around}>{number}</text>'

    def _wires(self, wires: list[Wire], ink: str, wide: float) -> Iterable[str]:
        """All wires of one colour, and a dot at each hole."""
        if not wires:
            return
        lines, dots = [], []
        for wire in wires:
            (x0, y0), (x1, y1) = self._xy(wire.start), self._xy(wire.end)
            if wire.start.startswith("Pi:"):
                way = _way_out(int(wire.start[3:]))
                lines.append("M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in way))
                x0, y0 = way[-1]
            bow = 0.0 if abs(x1 - x0) < 1 and abs(y1 - y0) < 3 * U else min(18.0, 0.12 * (abs(x1 - x0) + abs(y1 - y0)))
            lines.append(f"M{x0:.0f} {y0:.0f}Q{(x0 + x1) / 2 + bow:.0f} {(y0 + y1) / 2 - bow:.0f} {x1:.0f} {y1:.0f}")
            dots.append(f"M{x1:.0f} {y1:.0f}h.01")
            if not wire.start.startswith("Pi:"):
                dots.append(f"M{x0:.0f} {y0:.0f}h.01")
        yield f'<g stroke="{ink}" fill="none" stroke-linecap="round" opacity="0.9">'
        yield f'<path d="{"".join(lines)}" stroke-width="{wide}"/><path d="{"".join(dots)}" stroke-width="7.2"/></g>'

    def _part(self, reference: str, *, new: bool) -> Iterable[str]:
        if reference == PI:
            return []
        spots = [self._xy(place) for place in self._layout.places[reference]]
        if reference in BESIDE:
            return self._beside(reference, spots, new=new)
        if self._nets.components[reference].symbol == "PICO":
            return self._pico(reference, new=new)
        if len(spots) > 2 or self._nets.components[reference].symbol in holes.TERMINALS:
            return self._block(reference, spots, new=new)
        return self._two_legs(reference, spots, new=new)

    def _two_legs(self, reference: str, spots: list[tuple[float, float]], *, new: bool) -> Iterable[str]:
        (x0, y0), (x1, y1) = spots
        symbol = self._nets.components[reference].symbol
        fill = BODIES.get(symbol, BODIES.get(reference[0], OLD)) if new else "#e3e6eb"
        leg = "#6b7078" if new else OLD
        yield (
            f'<g stroke="{leg}" stroke-linecap="round"><path d="M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}" '
            f'stroke-width="2.4"/><path d="M{x0:.0f} {y0:.0f}h.01M{x1:.0f} {y1:.0f}h.01" stroke-width="6"/></g>'
        )
        mx, my, turned = (x0 + x1) / 2, (y0 + y1) / 2, abs(y1 - y0) > abs(x1 - x0)
        if symbol == "CP":
            yield f'<circle cx="{mx:.0f}" cy="{my:.0f}" r="11" fill="{fill}" stroke="{leg}"/>'
            yield f'<text x="{x0 - 4:.0f}" y="{y0 - 3:.0f}" font-size="13" text-anchor="end">+</text>'
        elif reference[0] in "CF":
            yield f'<ellipse cx="{mx:.0f}" cy="{my:.0f}" rx="11" ry="6.5" fill="{fill}" stroke="{leg}"/>'
        else:
            wide, high = (11, 40) if turned else (40, 11)
            yield (
                f'<rect x="{mx - wide / 2:.0f}" y="{my - high / 2:.0f}" width="{wide}" height="{high}" rx="4" '
                f'fill="{fill}" stroke="{leg}"/>'
            )
        ink = "white" if new and symbol in ("CP", "TVS") else INK if new else "#8a909a"
        turn = f' transform="rotate(-90 {mx:.0f} {my:.0f})"' if turned and reference[0] not in "CF" else ""
        yield (
            f'<text x="{mx:.0f}" y="{my + 3.2:.0f}" font-size="9"{turn} text-anchor="middle" fill="{ink}" '
            f'font-weight="bold">{reference}</text>'
        )

    def _block(self, reference: str, spots: list[tuple[float, float]], *, new: bool) -> Iterable[str]:
        """A chip over the gap, or a screw terminal at the board's edge."""
        left, right = min(x for x, _ in spots) - 6, max(x for x, _ in spots) + 6
        upper, lower = min(y for _, y in spots), max(y for _, y in spots)
        chip = reference.startswith("U")
        top, bottom = (upper + 5, lower - 5) if chip else (upper - 2.4 * U, upper + 7)
        turned = not chip and ":a" in self._layout.places[reference][0]
        if turned:
            top, bottom = upper - 7, upper + 2.4 * U
        if chip and reference == "U3":
            left -= U
        fill = ("#2b2f38" if chip else "#3f8f5f") if new else "#e3e6eb"
        ink = "white" if new else "#8a909a"
        size = f'width="{right - left:.0f}" height="{bottom - top:.0f}"'
        yield f'<rect x="{left:.0f}" y="{top:.0f}" {size} rx="3" fill="{fill}"/>'
        yield from (f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.4" fill="#9aa0aa"/>' for x, y in spots)
        middle = (top + bottom) / 2
        if chip:
            yield f'<circle cx="{left:.0f}" cy="{middle:.0f}" r="6" fill="#fbfaf6"/>'
            yield f'<circle cx="{left + 8:.0f}" cy="{bottom - 6:.0f}" r="2.5" fill="{ink}"/>'
        else:
            for leg, (x, y) in zip(legs(self._nets, reference), spots, strict=True):
                at = f'x="{x:.0f}" y="{y + (15 if turned else -8):.0f}"'
                yield f'<text {at} font-size="9" text-anchor="middle" fill="{ink}">{leg}</text>'
            middle += 8 if turned else -5
        yield (
            f'<text x="{(left + right) / 2:.0f}" y="{middle + 3:.0f}" font-size="12" font-weight="bold" '
            f'text-anchor="middle" fill="{ink}">{reference}</text>'
        )

    def _pico(self, reference: str, *, new: bool) -> Iterable[str]:
        """The Pico over the gap, its USB socket at the left; used legs have their numbers and are in colour."""
        (left, bottom), (right, top) = self._xy(pico_leg(1)), self._xy(pico_leg(holes.PICO_LEGS // 2 + 1))
        fill, ink = ("#2f7d4f", "white") if new else ("#e3e6eb", "#8a909a")
        size = f'width="{right - left + 20:.0f}" height="{bottom - top + 18:.0f}"'
        yield f'<rect x="{left - 10:.0f}" y="{top - 9:.0f}" {size} rx="4" fill="{fill}"/>'
        middle = (top + bottom) / 2
        yield f'<rect x="{left - 16:.0f}" y="{middle - 22:.0f}" width="34" height="44" rx="3" fill="#b9bec8"/>'
        used = set(legs(self._nets, reference))
        yield f'<g font-size="9" text-anchor="middle" fill="{ink}">'
        for number in range(1, holes.PICO_LEGS + 1):
            x, y = self._xy(pico_leg(number))
            wired = str(number) in used
            yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.4" fill="{"#f4be5c" if wired and new else "#9aa0aa"}"/>'
            if wired:
                yield f'<text x="{x:.0f}" y="{y + (15 if y == top else -9):.0f}">{number}</text>'
        yield "</g>"
        label = f'font-size="16" font-weight="bold" text-anchor="middle" fill="{ink}"'
        yield f'<text x="{(left + right) / 2:.0f}" y="{middle + 5:.0f}" {label}>{reference} Pico</text>'

    def _beside(self, reference: str, spots: list[tuple[float, float]], *, new: bool) -> Iterable[str]:
        """A thing on leads, below board B."""
        name, column = BESIDE[reference]
        names = [self._nets.pin_names[reference, leg] for leg in legs(self._nets, reference)]
        wide = max(118.0, 34.0 * len(names))
        x, y = LEFT + column * U - wide / 2, TOP + (BOARD_UNITS + 20.6) * U
        fill, ink = ("#dfe8f5", INK) if new else ("#f2f3f5", "#8a909a")
        yield f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="36" rx="5" fill="{fill}" stroke="{OLD}"/>'
        yield (
            f'<text x="{x + wide / 2:.0f}" y="{y + 30:.0f}" font-size="11" font-weight="bold" text-anchor="middle" '
            f'fill="{ink}">{reference} {name}</text>'
        )
        for n, (leg, called, (hx, hy)) in enumerate(zip(legs(self._nets, reference), names, spots, strict=True)):
            px = x + wide * (n + 0.5) / len(names)
            label = f'font-size="10" text-anchor="middle" fill="{ink}"'
            yield f'<text x="{px:.0f}" y="{y + 13:.0f}" {label}>{called}</text>'
            lead = INKS[net_colour(self._nets.net(reference, leg))] if new else OLD
            yield (
                f'<path d="M{px:.0f} {y:.0f}Q{px:.0f} {(y + hy) / 2:.0f} {hx:.0f} {hy:.0f}" fill="none" '
                f'stroke="{lead}" stroke-width="{3.2 if new else 1.4}" opacity="0.9"/>'
                f'<circle cx="{hx:.0f}" cy="{hy:.0f}" r="3.6" fill="{lead}"/>'
            )
