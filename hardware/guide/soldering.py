"""The carrier's soldering steps, drawn from the board: new parts in colour, others in grey.

And where it is measured.
"""

from __future__ import annotations

import re
from html import escape

from hardware.make import board
from hardware.make.footprints import FOOTPRINTS, Footprint, Pad
from hardware.make.netlist import Netlist

# Lowest parts first: title, and the references that the step puts on the board.
STEPS: dict[str, tuple[str, str]] = {
    "soldering-1-chips": ("The chips; the dot is at pin 1", r"U\d|Q1"),
    "soldering-2-small-parts": ("Resistors and capacitors, no right way round", r"R\d+|C([2-8]|\d\d)"),
    "soldering-3-diodes-and-fuse": ("Suppressor diodes and fuse, no right way round", r"D\d+|F1"),
    "soldering-4-plugs": ("Plugs: pin 1 is square; J16, J17: options", r"J([1-9]|1[1-7])"),
    "soldering-5-capacitor": ("C1, its + leg into the square pad", r"C1"),
    "soldering-6-socket": ("The socket for the Pi, put in from BELOW", r"J10"),
}
POINTS = "soldering-7-points"
SOCKET = "J10"
SCALE, MARGIN, HEAD, LINE_PX = 12.0, 14, 44, 26
NEW, OLD, LINE = "#f4be5c", "#c9cfd9", "#20242c"


def parts_of(nets: Netlist, step: str) -> list[str]:
    """The references that a step adds."""
    wanted = re.compile(STEPS[step][1])
    return sorted(filter(wanted.fullmatch, nets.components))


def pictures(nets: Netlist) -> dict[str, str]:
    """File name -> SVG, from the schematic that was read."""
    done: list[str] = []
    out = {}
    for step in STEPS:
        new = parts_of(nets, step)
        out[f"{step}.svg"] = _picture(nets, STEPS[step][0], done, new)
        done += new
    out[f"{POINTS}.svg"] = _points(nets, done)
    return out


def _points(nets: Netlist, done: list[str]) -> str:
    """Where the meter's tips go: the socket's joints by number, test points, and the plugs' first pins."""
    drawn = [_pad(SOCKET, pad, pad.number, 0.8) for pad in _pads(nets, SOCKET)]
    drawn += [_pad(ref, _pads(nets, ref)[0], ref, 1.2) for ref in sorted(nets.components) if ref.startswith("TP")]
    plugs = [ref for ref in done if ref[0] == "J" and ref != SOCKET]
    drawn += [_pad(ref, next(pad for pad in _pads(nets, ref) if pad.number == "1"), "1", 0.9) for ref in plugs]
    outlines = [line for ref in done if ref != SOCKET for line in _part(nets, ref, OLD)]
    names = [_label(ref, FOOTPRINTS[_print(nets, ref)], board.places()[ref]) for ref in plugs]
    return _sheet("Carrier from above: J10's solder joints, TP1 to TP5, pins 1", [*outlines, *names, *drawn], [])


def _pad(reference: str, pad: Pad, text: str, size: float) -> str:
    """A pad in colour with a number or name on it."""
    x, y, turn = board.places()[reference]
    a, b = board.turn_point(pad.x, pad.y, turn)
    at = f'{x + a:.2f}" y="{y + b + size * 0.36:.2f}'
    return (
        f'<circle cx="{x + a:.2f}" cy="{y + b:.2f}" r="1.05" fill="{NEW}" stroke="{LINE}"/>'
        f'<text x="{at}" font-size="{size}" font-weight="bold" text-anchor="middle" stroke="none">{text}</text>'
    )


def _print(nets: Netlist, reference: str) -> str:
    return nets.components[reference].footprint.rpartition(":")[2]


def _pads(nets: Netlist, reference: str) -> tuple[Pad, ...]:
    return FOOTPRINTS[_print(nets, reference)].pads


def _picture(nets: Netlist, title: str, done: list[str], new: list[str]) -> str:
    drawn = [line for reference in done for line in _part(nets, reference, OLD)]
    drawn += [line for reference in new for line in _part(nets, reference, NEW)]
    return _sheet(title, drawn, _legend(nets, new))


def _sheet(title: str, parts: list[str], legend: list[str]) -> str:
    """The board with what is drawn on it, a title and lines below."""
    below = board.HEIGHT * SCALE + 2 * MARGIN + HEAD
    wide, high = board.WIDTH * SCALE + 2 * MARGIN, below + LINE_PX * len(legend) + 12
    drawn = [f'<text x="{MARGIN}" y="30" font-size="22" font-weight="bold">{escape(title)}</text>']
    drawn.append(f'<g transform="translate({MARGIN} {MARGIN + HEAD}) scale({SCALE:.0f})" stroke-width="0.12">')
    drawn.append(
        f'<rect width="{board.WIDTH}" height="{board.HEIGHT}" rx="{board.CORNER}" fill="#eef4ee" stroke="{LINE}"/>'
    )
    drawn += [f'<circle cx="{x}" cy="{y}" r="{board.HOLE / 2}" fill="white" stroke="{LINE}"/>' for x, y in board.HOLES]
    drawn += [*parts, "</g>"]
    drawn += [
        f'<text x="{MARGIN}" y="{below + 20 + LINE_PX * n:.0f}" font-size="20">{escape(line)}</text>'
        for n, line in enumerate(legend)
    ]
    body = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" '
        f'height="{high:.0f}" font-family="sans-serif" fill="{LINE}">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


def _legend(nets: Netlist, new: list[str]) -> list[str]:
    """Each value once, with its references."""
    values: dict[str, list[str]] = {}
    for reference in sorted(new, key=lambda ref: (ref[0], int(ref[1:]))):
        values.setdefault(f"{reference[0]} {nets.components[reference].value}", []).append(reference)
    return [f"{value[2:]}:  {' '.join(references)}" for value, references in sorted(values.items())]


def _part(nets: Netlist, reference: str, fill: str) -> list[str]:
    footprint = FOOTPRINTS[_print(nets, reference)]
    x, y, turn = board.places()[reference]
    left, top, right, bottom = footprint.body
    corners = [board.turn_point(a, b, turn) for a, b in ((left, top), (right, top), (right, bottom), (left, bottom))]
    points = " ".join(f"{x + a:.2f},{y + b:.2f}" for a, b in corners)
    out = [f'<polygon points="{points}" fill="{fill}" stroke="{LINE}"/>']
    if fill == OLD:
        return out
    for pad in footprint.pads if footprint.pads[0].drill or len(footprint.pads) > 2 else ():
        a, b = board.turn_point(pad.x, pad.y, turn)
        size = min(pad.width, pad.height) / 2
        if pad.number == "1":
            at = f'x="{x + a - size:.2f}" y="{y + b - size:.2f}" width="{2 * size:.2f}" height="{2 * size:.2f}"'
            out.append(f'<rect {at} fill="white" stroke="{LINE}"/>')
        else:
            out.append(f'<circle cx="{x + a:.2f}" cy="{y + b:.2f}" r="{size:.2f}" fill="white" stroke="{LINE}"/>')
    if footprint.mark is not None:
        a, b = board.turn_point(*footprint.mark, turn)
        out.append(f'<circle cx="{x + a:.2f}" cy="{y + b:.2f}" r="0.35" fill="{LINE}" stroke="none"/>')
    return [*out, _label(reference, footprint, (x, y, turn))]


def _label(reference: str, footprint: Footprint, place: board.Place) -> str:
    """The reference: along a small part, in a chip's middle, at a plug's free side."""
    x, y, turn = place
    left, top, right, bottom = footprint.body
    middle, size, turned = ((left + right) / 2, (top + bottom) / 2), 1.7, 0
    if len(footprint.pads) == 2 and right - left < 4:
        size, turned = 0.85, -90 if turn % 180 else 0
    elif reference.startswith("J"):
        middle, size, turned = (middle[0], bottom + (1.2 if reference == "J10" else -0.9)), 1.4, -turn
    a, b = board.turn_point(*middle, turn)
    at = f"translate({x + a:.2f} {y + b:.2f}) rotate({turned}) translate(0 {size * 0.36:.2f})"
    return (
        f'<text transform="{at}" font-size="{size}" font-weight="bold" text-anchor="middle" '
        f'stroke="none">{reference}</text>'
    )
