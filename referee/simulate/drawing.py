"""A sheet to draw on: rectangles, lines and texts, written as SVG or PNG; and axes with round numbers.

Units are those of an SVG pixel, from the top left corner; a PNG has SCALE of its pixels for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from pathlib import Path
from xml.sax.saxutils import escape

from referee.core.values import Value

SCALE = 2
INK, FAINT, GRID, PAPER = "#1f2937", "#6b7280", "#e5e7eb", "#ffffff"
FAMILY = "DejaVu Sans, Helvetica, Arial, sans-serif"
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
"""Where a text stands at its point, as SVG and as Pillow name it; always on its baseline."""


class Rectangle(Value):
    """A filled one."""

    x: float
    y: float
    width: float
    height: float
    colour: str


class Stroke(Value):
    """From one point to another."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str = INK
    width: float = 1


class Lettering(Value):
    """A text; anchor: of ANCHORS."""

    x: float
    y: float
    text: str
    size: int = 12
    anchor: str = "start"
    colour: str = INK


Shape = Rectangle | Stroke | Lettering


def svg(shapes: Sequence[Shape], width: int, height: int) -> bytes:
    """The shapes as an SVG document."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [f'{head} font-family="{FAMILY}">', f'<rect width="{width}" height="{height}" fill="{PAPER}"/>']
    return "\n".join([*lines, *map(_element, shapes), "</svg>", ""]).encode()


def _element(shape: Shape) -> str:
    if isinstance(shape, Rectangle):
        where = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}"'
        return f'<rect {where} fill="{shape.colour}"/>'
    if isinstance(shape, Stroke):
        where = f'x1="{shape.x:.1f}" y1="{shape.y:.1f}" x2="{shape.to_x:.1f}" y2="{shape.to_y:.1f}"'
        return f'<line {where} stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
    how = f'font-size="{shape.size}" text-anchor="{shape.anchor}" fill="{shape.colour}"'
    return f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" {how}>{escape(shape.text)}</text>'


def png(shapes: Sequence[Shape], width: int, height: int) -> bytes:
    """The shapes as a PNG picture, by Pillow and the font that it brings."""
    from io import BytesIO

    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (width * SCALE, height * SCALE), PAPER)
    pen = ImageDraw.Draw(image)
    for shape in shapes:
        x, y = shape.x * SCALE, shape.y * SCALE
        if isinstance(shape, Rectangle):
            if shape.width > 0 and shape.height > 0:
                to = (x + shape.width * SCALE - 1, y + shape.height * SCALE - 1)
                pen.rectangle(((x, y), (max(to[0], x), max(to[1], y))), fill=shape.colour)
        elif isinstance(shape, Stroke):
            points = ((x, y), (shape.to_x * SCALE, shape.to_y * SCALE))
            pen.line(points, fill=shape.colour, width=max(round(shape.width * SCALE), 1))
        else:
            font = ImageFont.load_default(shape.size * SCALE)
            pen.text((x, y), shape.text, fill=shape.colour, font=font, anchor=ANCHORS[shape.anchor])
    found = BytesIO()
    image.save(found, "PNG")
    return found.getvalue()


def ticks(least: float, most: float, about: int = 5) -> list[float]:
    """Round numbers from one not above `least` to one not below `most`, some `about` of them.

    >>> ticks(0, 17), ticks(-3, 11)
    ([0.0, 5.0, 10.0, 15.0, 20.0], [-5.0, 0.0, 5.0, 10.0, 15.0])
    """
    rough = max((most - least) / about, 1e-9)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(least / step + 1e-9), max(ceil(most / step - 1e-9), floor(least / step + 1e-9) + 1)
    return [round(number * step, 9) + 0.0 for number in range(first, last + 1)]


WRITERS = {".svg": svg, ".png": png}
"""What a file's name may end in."""


def write(path: Path, shapes: Sequence[Shape], width: int, height: int) -> None:
    """Into that file, whole or not at all. OSError."""
    data = WRITERS[path.suffix.lower()](shapes, width, height)
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
