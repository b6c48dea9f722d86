"""The breadboard tier's pictures: one a step, with every leg and wire in its hole.

New parts are in colour.

`holes` defines the holes; values, nets and pins are read from the schematic `direct4`, and a wire has the colour of
its net. So a picture cannot contradict the software or the guide's words on colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from textwrap import wrap

from hardware.guide.holes import (
    BOARD_UNITS,
    COLUMNS,
    LOWER,
    PI,
    PLACES,
    RAIL_COLUMNS,
    UPPER,
    WIRES,
    Wire,
    legs,
    node,
    spot,
)
from hardware.make.netlist import Netlist

# Step: its title and the references that it adds; the steps of a tier contain every part of the schematic once.
STEPS: dict[str, tuple[str, str]] = {
    "breadboard-1-supply": ("The supply rails", r"J10|F1|C[123]"),
    "breadboard-2-first-button": ("The first button", r"J1|[RCD]1[12]"),
    "breadboard-3-other-buttons": ("Buttons 2, 3 and 4, each as the first", r"J[234]|[RCD][234][12]"),
    "breadboard-4-knob": ("The knob and the power button", r"J1[23]|[RC]9\d"),
    "breadboard-5-display": ("The display", r"J11|C7"),
    "breadboard-6-lamps": ("The lamps", r"U2|R[1-4]3"),
    "breadboard-7-piezo": ("The piezo", r"U3|BZ1|R[234]|C[456]"),
}
SUPPLY_COLOURS = {"+5V": "red", "+3V3": "orange", "GND": "black", "+5V_LAMP": "brown"}
"""Wire colours of the supplies, as in the guide; no other wire has one of these."""
SIGNAL_COLOURS = ("yellow", "green", "blue", "violet")
_SIGNALS = ("A", "B", "SW", "SDA", "SCL", "BUZZER")
INKS = {
    "red": "#d22b2b",
    "orange": "#f08a1d",
    "black": "#1c1c1c",
    "brown": "#7a4a21",
    "yellow": "#d9b800",
    "green": "#1f9d47",
    "blue": "#2566c8",
    "violet": "#8a3fb5",
}
LETTERS = {"+5V": "5 V", "+3V3": "3.3 V", "GND": "GND", "+5V_LAMP": "lamps"}
OLD, INK = "#c3c8d0", "#20242c"
U, LEFT, TOP = 15.0, 190.0, 66.0
WIDTH = 1200
LINE = 24
BESIDE = {"J12": ("knob", 37.0), "J13": ("power button", 17.0), "J11": ("display", 52.0), "BZ1": ("piezo", 27.0)}
"""Things on leads next to the boards: name, and column below board B."""
BODIES = {"R": "#e0c48c", "D": "#3a3f4a", "C": "#e5a23c", "CP": "#4a5f96", "POLYFUSE": "#e8c930"}


def parts_of(nets: Netlist, step: str) -> list[str]:
    """The references that a step adds, numbers in their natural order."""
    wanted = re.compile(STEPS[step][1])
    return sorted(filter(wanted.fullmatch, nets.components), key=_natural)


def _natural(reference: str) -> tuple[str, int]:
    letters = reference.rstrip("0123456789")
    return letters, int(reference[len(letters) :])


def colour_of(nets: Netlist, wire: Wire) -> str:
    """The colour of a wire, by the net at one of its ends."""
    return net_colour(net_at(nets, wire))


def net_colour(net: str) -> str:
    """A supply's own colour, a station's by its number, and one of the same four for all other nets."""
    if net in SUPPLY_COLOURS:
        return SUPPLY_COLOURS[net]
    last = net.rpartition("_")[2]
    number = int(net[1]) - 1 if re.match(r"P\d", net) else _SIGNALS.index(last) if last in _SIGNALS else 3
    return SIGNAL_COLOURS[number % len(SIGNAL_COLOURS)]


def net_at(nets: Netlist, wire: Wire) -> str:
    """The net of a wire: of the Pi's pin, of a leg in one of its strips, or of wires from there on."""
    known = {
        node(place): nets.net(ref, leg)
        for ref, at in PLACES.items()
        for leg, place in zip(legs(nets, ref), at, strict=True)
    }
    known |= {node(f"Pi:{pin}"): nets.net(PI, str(pin)) for pin in range(1, 41)}
    seen, edge = {node(wire.start), node(wire.end)}, [node(wire.start), node(wire.end)]
    while edge:
        one = edge.pop()
        if known.get(one):
            return known[one]
        for other in WIRES:
            ends = {node(other.start), node(other.end)}
            if one in ends:
                edge += ends - seen
                seen |= ends
    return ""


def pictures(nets: Netlist) -> dict[str, str]:
    """File name -> SVG, from the schematic that was read."""
    return {f"{step}.svg": _picture(nets, step) for step in STEPS}


# -- words ---------------------------------------------------------------------------------------------------------


def place_text(place: str) -> str:
    """A place in a builder's words.

    >>> place_text("A:h6"), place_text("Pi:11"), place_text("B:-low3")
    ('A h6', 'Pi pin 11', 'B lower GND rail')
    """
    board, _, hole = place.partition(":")
    if board == "Pi":
        return f"Pi pin {hole}"
    if hole[0] in "+-":
        return f"{board} {'upper' if 'top' in hole else 'lower'} {LETTERS[RAILS[board, hole[:4]]]} rail"
    return f"{board} {hole}"


RAILS = {
    ("A", "+top"): "+3V3",
    ("A", "-top"): "GND",
    ("A", "+low"): "+5V_LAMP",
    ("A", "-low"): "GND",
    ("B", "+top"): "+5V",
    ("B", "-top"): "GND",
    ("B", "+low"): "+3V3",
    ("B", "-low"): "GND",
}
"""The nets of the rails; a test checks the wires against them."""


def lines(nets: Netlist, step: str) -> list[str]:
    """The step's parts and wires, one a line."""
    told = []
    for reference in parts_of(nets, step):
        if reference == PI:
            continue
        names, value = legs(nets, reference), nets.components[reference].value
        places = [place_text(place) for place in PLACES[reference]]
        symbol = nets.components[reference].symbol
        if len(names) == 2 and reference not in BESIDE:
            plus = " (the longer leg)" if symbol == "CP" else ""
            told.append(f"{reference}  {value}:  {places[0]}{plus} – {places[1]}")
        elif reference.startswith("U"):
            told.append(f"{reference}  {value}:  leg {names[0]} in {places[0]}, leg {names[-1]} in {places[-1]}")
        else:
            called = [nets.pin_names[reference, leg] for leg in names]
            pins = [f"{leg} {name}" if name != leg else f"wire {leg}" for leg, name in zip(names, called, strict=True)]
            told.append(f"{reference}  {value}:  " + ", ".join(map(" in ".join, zip(pins, places, strict=True))))
    for wire in (wire for wire in WIRES if wire.step == step):
        told.append(f"{colour_of(nets, wire)} wire:  {place_text(wire.start)} – {place_text(wire.end)}")
    return told


# -- the drawing ---------------------------------------------------------------------------------------------------


def _picture(nets: Netlist, step: str) -> str:
    order = list(STEPS)
    before = order[: order.index(step)]
    told = [part for line in lines(nets, step) for part in wrap(line, 58, subsequent_indent=" " * 6)]
    columns = 2
    rows = -(-len(told) // columns)
    below = TOP + (BOARD_UNITS * 2 + 4.5) * U
    height = round(below + rows * LINE + 30)
    drawn = [f'<text x="24" y="36" font-size="24" font-weight="bold">{escape(STEPS[step][0])}</text>']
    drawn += [*_board("A", 0), *_board("B", BOARD_UNITS)]
    x, y = _pin_xy(1)
    drawn.append(f'<rect x="{x - 18}" y="{y - 40}" width="60" height="532" rx="6" fill="#2f7d4f"/>')
    drawn.append(f'<text x="{x + 12}" y="{y - 22}" font-size="14" fill="white" text-anchor="middle">Pi</text>')
    used = [wire for wire in WIRES if wire.step == step]
    for one in before:
        drawn += [_wire(wire, OLD, 1.4) for wire in WIRES if wire.step == one]
    for one in before:
        for reference in parts_of(nets, one):
            drawn += _part(nets, reference, new=False)
    for reference in parts_of(nets, step):
        drawn += _part(nets, reference, new=True)
    drawn += [_wire(wire, INKS[colour_of(nets, wire)], 3.2) for wire in used]
    drawn += _header(nets, used)
    for n, line in enumerate(told):
        x, y = 24 + (WIDTH - 40) // columns * (n // rows), below + (n % rows) * LINE + 14
        drawn.append(f'<text x="{x}" y="{y:.0f}" font-size="18" xml:space="preserve">{escape(line)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif" fill="{INK}">\n<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _xy(place: str) -> tuple[float, float]:
    """The drawing position of a place."""
    if place.startswith("Pi:"):
        return _pin_xy(int(place[3:]))
    x, y = spot(place)
    return LEFT + x * U, TOP + y * U


def _pin_xy(pin: int) -> tuple[float, float]:
    return 84.0 + 24.0 * (1 - pin % 2), TOP + 70.0 + (pin - 1) // 2 * 24.0


def _board(name: str, down: float) -> Iterable[str]:
    """An empty board: holes, letters, numbers and its rails' nets."""
    top = TOP + down * U
    yield (
        f'<rect x="{LEFT - 0.4 * U:.1f}" y="{top - 0.9 * U:.1f}" width="{(COLUMNS + 1.8) * U:.1f}" '
        f'height="{19.8 * U:.1f}" rx="6" fill="#fbfaf6" stroke="#b9b4a6"/>'
    )
    yield f'<text x="{LEFT - 32}" y="{top + 9.6 * U:.1f}" font-size="26" font-weight="bold">{name}</text>'
    dots = []
    for row in (*UPPER, *LOWER):
        y = _xy(f"{name}:{row}1")[1]
        for x in (LEFT + 0.2 * U, LEFT + (COLUMNS + 0.8) * U):
            yield f'<text x="{x:.1f}" y="{y + 3.5:.1f}" font-size="10" text-anchor="middle" fill="#777">{row}</text>'
        dots += [_xy(f"{name}:{row}{column}") for column in range(1, COLUMNS + 1)]
    for column in (1, *range(5, COLUMNS + 1, 5)):
        x = _xy(f"{name}:j{column}")[0]
        for y in (top + 2.55 * U, top + 15.75 * U):
            yield f'<text x="{x:.1f}" y="{y:.1f}" font-size="9" text-anchor="middle" fill="#777">{column}</text>'
    for rail in ("+top", "-top", "+low", "-low"):
        net = RAILS[name, rail]
        y = _xy(f"{name}:{rail}3")[1]
        ink = INKS[SUPPLY_COLOURS[net]]
        yield f'<path d="M{LEFT + 2 * U:.1f} {y:.1f}H{LEFT + 62 * U:.1f}" stroke="{ink}" opacity="0.5"/>'
        right = LEFT + (COLUMNS + 1.6) * U
        yield f'<text x="{right:.1f}" y="{y + 4:.1f}" font-size="11" fill="{ink}">{LETTERS[net]}</text>'
        yield f'<text x="{LEFT + 0.7 * U:.1f}" y="{y + 4:.1f}" font-size="12" fill="{ink}">{rail[0]}</text>'
        dots += [_xy(f"{name}:{rail}{column}") for column in sorted(RAIL_COLUMNS)]
    every = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in dots)
    yield f'<path d="{every}" stroke="#8d8f94" stroke-width="4.6" stroke-linecap="round"/>'


def _header(nets: Netlist, used: list[Wire]) -> Iterable[str]:
    """The Pi's 40 pins, odd ones left, pin 1 at the top (the end with the memory card).

    Used ones are in their colour.
    """
    inks = {wire.start[3:]: INKS[colour_of(nets, wire)] for wire in used if wire.start.startswith("Pi:")}
    for pin in range(1, 41):
        x, y = _pin_xy(pin)
        fill = inks.get(str(pin), OLD)
        yield f'<circle cx="{x}" cy="{y}" r="9.5" fill="{fill}"/>'
        ink = "white" if str(pin) in inks else INK
        yield f'<text x="{x}" y="{y + 4}" font-size="10" text-anchor="middle" fill="{ink}">{pin}</text>'
        if str(pin) in inks:
            anchor, at = ("end", x - 20) if pin % 2 else ("start", x + 22)
            label = nets.net(PI, str(pin))
            around = f'text-anchor="{anchor}" fill="{fill}" stroke="white" stroke-width="3" paint-order="stroke"'
            yield f'<text x="{at}" y="{y + 4}" font-size="11" {around}>{label}</text>'


def _wire(wire: Wire, ink: str, wide: float) -> str:
    (x0, y0), (x1, y1) = _xy(wire.start), _xy(wire.end)
    bow = 0.0 if abs(x1 - x0) < 1 and abs(y1 - y0) < 3 * U else min(18.0, 0.12 * (abs(x1 - x0) + abs(y1 - y0)))
    middle = f"{(x0 + x1) / 2 + bow:.1f} {(y0 + y1) / 2 - bow:.1f}"
    ends = f'<circle cx="{x1:.1f}" cy="{y1:.1f}" r="3.6" fill="{ink}"/>'
    if not wire.start.startswith("Pi:"):
        ends += f'<circle cx="{x0:.1f}" cy="{y0:.1f}" r="3.6" fill="{ink}"/>'
    path = f'd="M{x0:.1f} {y0:.1f}Q{middle} {x1:.1f} {y1:.1f}" stroke="{ink}" stroke-width="{wide}"'
    return f'<path {path} fill="none" stroke-linecap="round" opacity="0.9"/>{ends}'


def _part(nets: Netlist, reference: str, *, new: bool) -> Iterable[str]:
    if reference == PI:
        return []
    spots = [_xy(place) for place in PLACES[reference]]
    if reference in BESIDE:
        return _beside(nets, reference, spots, new=new)
    if len(spots) > 2:
        return _block(nets, reference, spots, new=new)
    return _two_legs(nets, reference, spots, new=new)


def _two_legs(nets: Netlist, reference: str, spots: list[tuple[float, float]], *, new: bool) -> Iterable[str]:
    (x0, y0), (x1, y1) = spots
    symbol = nets.components[reference].symbol
    fill = BODIES.get(symbol, BODIES.get(reference[0], OLD)) if new else "#e3e6eb"
    leg = "#6b7078" if new else OLD
    yield f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="{leg}" stroke-width="2.4" stroke-linecap="round"/>'
    for x, y in spots:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{leg}"/>'
    mx, my, turned = (x0 + x1) / 2, (y0 + y1) / 2, abs(y1 - y0) > abs(x1 - x0)
    if symbol == "CP":
        yield f'<circle cx="{mx:.1f}" cy="{my:.1f}" r="11" fill="{fill}" stroke="{leg}"/>'
        yield f'<text x="{x0 - 4:.1f}" y="{y0 - 3:.1f}" font-size="13" font-weight="bold" text-anchor="end">+</text>'
    elif reference[0] in "CF":
        yield f'<ellipse cx="{mx:.1f}" cy="{my:.1f}" rx="11" ry="6.5" fill="{fill}" stroke="{leg}"/>'
    else:
        wide, high = (11, 40) if turned else (40, 11)
        yield (
            f'<rect x="{mx - wide / 2:.1f}" y="{my - high / 2:.1f}" width="{wide}" height="{high}" rx="4" '
            f'fill="{fill}" stroke="{leg}"/>'
        )
    ink = "white" if new and symbol in ("CP", "TVS") else INK if new else "#8a909a"
    turn = f' transform="rotate(-90 {mx:.1f} {my:.1f})"' if turned and reference[0] not in "CF" else ""
    yield (
        f'<text x="{mx:.1f}" y="{my + 3.2:.1f}" font-size="9"{turn} text-anchor="middle" fill="{ink}" '
        f'font-weight="bold">{reference}</text>'
    )


def _block(nets: Netlist, reference: str, spots: list[tuple[float, float]], *, new: bool) -> Iterable[str]:
    """A chip over the gap, or a screw terminal at the board's edge."""
    left, right = min(x for x, _ in spots) - 6, max(x for x, _ in spots) + 6
    upper, lower = min(y for _, y in spots), max(y for _, y in spots)
    chip = reference.startswith("U")
    top, bottom = (upper + 5, lower - 5) if chip else (upper - 2.4 * U, upper + 7)
    if chip and reference == "U3":
        left -= U
    fill = ("#2b2f38" if chip else "#3f8f5f") if new else "#e3e6eb"
    ink = "white" if new else "#8a909a"
    size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
    yield f'<rect x="{left:.1f}" y="{top:.1f}" {size} rx="3" fill="{fill}"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="#9aa0aa"/>' for x, y in spots)
    middle = (top + bottom) / 2
    if chip:
        yield f'<circle cx="{left:.1f}" cy="{middle:.1f}" r="6" fill="#fbfaf6"/>'
        yield f'<circle cx="{left + 8:.1f}" cy="{bottom - 6:.1f}" r="2.5" fill="{ink}"/>'
    else:
        for leg, (x, y) in zip(legs(nets, reference), spots, strict=True):
            yield f'<text x="{x:.1f}" y="{y - 8:.1f}" font-size="9" text-anchor="middle" fill="{ink}">{leg}</text>'
        middle -= 5
    yield (
        f'<text x="{(left + right) / 2:.1f}" y="{middle + 3:.1f}" font-size="12" font-weight="bold" '
        f'text-anchor="middle" fill="{ink}">{reference}</text>'
    )


def _beside(nets: Netlist, reference: str, spots: list[tuple[float, float]], *, new: bool) -> Iterable[str]:
    """A thing on leads, below board B."""
    name, column = BESIDE[reference]
    names = [nets.pin_names[reference, leg] for leg in legs(nets, reference)]
    wide = max(118.0, 34.0 * len(names))
    x, y = LEFT + column * U - wide / 2, TOP + (BOARD_UNITS + 20.6) * U
    fill, ink = ("#dfe8f5", INK) if new else ("#f2f3f5", "#8a909a")
    yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="36" rx="5" fill="{fill}" stroke="{OLD}"/>'
    yield (
        f'<text x="{x + wide / 2:.1f}" y="{y + 30:.1f}" font-size="11" font-weight="bold" text-anchor="middle" '
        f'fill="{ink}">{reference} {name}</text>'
    )
    for n, (leg, called, (hx, hy)) in enumerate(zip(legs(nets, reference), names, spots, strict=True)):
        px = x + wide * (n + 0.5) / len(names)
        yield f'<text x="{px:.1f}" y="{y + 13:.1f}" font-size="10" text-anchor="middle" fill="{ink}">{called}</text>'
        lead = INKS[net_colour(nets.net(reference, leg))] if new else OLD
        yield (
            f'<path d="M{px:.1f} {y:.1f}Q{px:.1f} {(y + hy) / 2:.1f} {hx:.1f} {hy:.1f}" fill="none" stroke="{lead}" '
            f'stroke-width="{3.2 if new else 1.4}" opacity="0.9"/>'
            f'<circle cx="{hx:.1f}" cy="{hy:.1f}" r="3.6" fill="{lead}"/>'
        )
