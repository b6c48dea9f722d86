"""Draw rectangles, lines, marks and texts as SVG or PNG, and choose round axis values.

Units are SVG pixels from the top left corner; a PNG has SCALE pixels for each. The colours of `CLASSES` are also CSS
classes, so that a page can replace them (in dark mode).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil, cos, floor, log10, pi, sin
from typing import Any
from unicodedata import category
from xml.sax.saxutils import escape

from referee.core.letters import is_picture, letters
from referee.core.names import isolate
from referee.core.values import Value

SCALE = 2
INK, FAINT, GRID, PAPER = "#1f2937", "#6b7280", "#e5e7eb", "#ffffff"
SERIES = ("#b3312f", "#1f5fa8", "#1d6b45", "#8a5a00", "#454b54", "#0f6f7a", "#6b3fa0", "#7a4a2b")
"""Colours of eight teams, with a contrast of at least 4.5 : 1 on PAPER.

They are in the order of the deck backs' names.
"""
CLASSES = {INK: "ink", FAINT: "faint", GRID: "grid", PAPER: "paper"} | {
    colour: f"series-{number}" for number, colour in enumerate(SERIES, 1)
}
MARKS = ("circle", "square", "up", "diamond", "down", "ring", "cross", "bar")
"""A mark for each of eight teams, so that colours need not be distinguished."""
FAMILY = "DejaVu Sans, Helvetica, Arial, sans-serif"
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
"""Horizontal anchors of a text, for SVG and for Pillow; always on the baseline."""


SIZE_IN_PAGE = "{0}0%"
"""Font size for a page: a percentage of the chart's own size, which the page's style sets."""


class Rectangle(Value):
    """A filled rectangle in pixels. `x` and `y` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    colour: str


class Stroke(Value):
    """A straight line between two points, with a colour and a width in pixels."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str = INK
    width: float = 1


class Marker(Value):
    """A small figure that marks a point of a chart's line. form: one of MARKS."""

    x: float
    y: float
    form: str
    colour: str = INK
    size: float = 4


class Lettering(Value):
    """A text at a point. anchor: whether it starts, is centred or ends at the point (ANCHORS)."""

    x: float
    y: float
    text: str
    size: int = 12
    anchor: str = "start"
    colour: str = INK
    bold: bool = False


Shape = Rectangle | Stroke | Marker | Lettering


def svg(shapes: Sequence[Shape], width: int, height: int) -> bytes:
    """Return the shapes as an SVG document."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [f'{head} font-family="{FAMILY}">', f'<rect width="{width}" height="{height}" fill="{PAPER}"/>']
    return "\n".join([*lines, *map(_element, shapes), "</svg>", ""]).encode()


def inline(shapes: Sequence[Shape], width: int, height: int, label: str, data: Sequence[tuple[str, str]] = ()) -> str:
    """Return the shapes as an SVG element for a page, with a label for screen readers.

    data: attributes for the page's script, by name.
    """
    told = "".join(f' data-{name}="{quote_attribute(value)}"' for name, value in data)
    head = f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{quote_attribute(label)}"{told}>'
    return "\n".join([head, *(_element(shape, SIZE_IN_PAGE) for shape in shapes), "</svg>"])


def quote_attribute(text: str) -> str:
    """Escape text for an attribute.

    >>> quote_attribute('<b>"&')
    '&lt;b&gt;&quot;&amp;'
    """
    return escape(isolate(writable(text)), {'"': "&quot;"})


def writable(text: str) -> str:
    """Replace characters that XML documents must not contain.

    >>> writable("Anna\x07")
    'Anna\ufffd'
    """
    return "".join(
        sign if sign.isprintable() or category(sign) in WRITABLE else "\N{REPLACEMENT CHARACTER}" for sign in text
    )


WRITABLE = ("Cf", "Zs")
"""Unicode categories of characters without a picture that are kept: emoji joiners, spaces."""


def _element(shape: Shape, size: str = "{0}") -> str:
    """Return the shape as an SVG element. size: format string for its font size."""
    named = f' class="{CLASSES[shape.colour]}"' if shape.colour in CLASSES else ""
    if isinstance(shape, Rectangle):
        where = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}"'
        return f'<rect{named} {where} fill="{shape.colour}"/>'
    if isinstance(shape, Stroke):
        where = f'x1="{shape.x:.1f}" y1="{shape.y:.1f}" x2="{shape.to_x:.1f}" y2="{shape.to_y:.1f}"'
        return f'<line{named} {where} stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
    if isinstance(shape, Marker) and shape.form == "circle":
        where = f'cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{1.1 * shape.size:.1f}"'
        return f'<circle{named} {where} fill="{shape.colour}"/>'
    if isinstance(shape, Marker):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline(shape))
        return f'<polygon{named} points="{points}" fill="{shape.colour}"/>'
    how = f'font-size="{size.format(shape.size)}" text-anchor="{shape.anchor}" fill="{shape.colour}"'
    weight = ' font-weight="bold"' if shape.bold else ""
    text = escape(isolate("".join(map(_without_picture, letters(writable(shape.text))))))
    return f'<text{named} x="{shape.x:.1f}" y="{shape.y:.1f}" {how}{weight}>{text}</text>'


def outline(mark: Marker) -> list[tuple[float, float]]:
    """Return the corners of a mark. Marks of all forms look about equally large."""
    return [(mark.x + x * mark.size, mark.y + y * mark.size) for x, y in _OUTLINES[mark.form]]


def _round(radius: float) -> list[tuple[float, float]]:
    return [(radius * cos(pi * step / 5), radius * sin(pi * step / 5)) for step in range(10)]


_ARM = 0.38
_OUTLINES: dict[str, list[tuple[float, float]]] = {
    "circle": [(1.1 * cos(pi * step / 12), 1.1 * sin(pi * step / 12)) for step in range(24)],
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "up": [(0, -1.3), (1.25, 0.95), (-1.25, 0.95)],
    "down": [(0, 1.3), (1.25, -0.95), (-1.25, -0.95)],
    "diamond": [(0, -1.45), (1.45, 0), (0, 1.45), (-1.45, 0)],
    "ring": [*_round(1.2), (1.2, 0), (0.6, 0), *reversed(_round(0.6)), (0.6, 0), (1.2, 0)],
    "cross": [
        *((-_ARM, -1.3), (_ARM, -1.3), (_ARM, -_ARM), (1.3, -_ARM), (1.3, _ARM), (_ARM, _ARM)),
        *((_ARM, 1.3), (-_ARM, 1.3), (-_ARM, _ARM), (-1.3, _ARM), (-1.3, -_ARM), (-_ARM, -_ARM)),
    ],
    "bar": [(-1.4, -0.6), (1.4, -0.6), (1.4, 0.6), (-1.4, 0.6)],
}


def png(shapes: Sequence[Shape], width: int, height: int) -> bytes:
    """Return the shapes as a PNG picture, drawn with Pillow."""
    from io import BytesIO

    from PIL import Image, ImageDraw

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
        elif isinstance(shape, Marker):
            pen.polygon([(at * SCALE, level * SCALE) for at, level in outline(shape)], fill=shape.colour)
        else:
            font, text = _font(shape)
            way = "ltr" if _turns(font) else None
            pen.text((x, y), text, fill=shape.colour, font=font, anchor=ANCHORS[shape.anchor], direction=way)
    found = BytesIO()
    image.save(found, "PNG")
    return found.getvalue()


def _font(shape: Lettering) -> tuple[Any, str]:
    """Return a text's font for a PNG, and the text in characters that the font has."""
    font = _typeface(TYPEFACES[shape.bold], round(shape.size * SCALE))
    signs = map(_without_picture, letters(writable(shape.text)))
    return font, isolate("".join(_font_letter(font, sign) for sign in signs))


def _without_picture(letter: str) -> str:
    return letter if not is_picture(letter) else letter[0] if letter[0] <= LAST_SYMBOL else PICTURE


@cache
def _typeface(name: str, size: int) -> Any:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(name, size)
    except OSError:
        return ImageFont.load_default(size)


def font_paths() -> list[str]:
    """Return the paths of the regular and the bold font; [] if they are not installed."""
    from PIL import ImageFont

    try:
        return [str(ImageFont.truetype(name).path) for name in TYPEFACES]
    except OSError:
        return []


def _font_letter(font: Any, letter: str) -> str:
    """Return the letter if the font can draw it, else its transcription in Latin letters."""
    if letter.isascii() or (_has(font, letter) and (_turns(font) or letter == isolate(letter))):
        return letter
    from anyascii import anyascii  # imported here because most tables never need it

    return "*" if letter == PICTURE else anyascii(letter) or "?"


@cache
def _has(font: Any, signs: str) -> bool:
    """Return whether a font has all these characters.

    A font draws the same sign for all characters that it lacks.
    """
    missing = bytes(font.getmask("\U0010ffff"))
    return all(bytes(font.getmask(sign)) != missing for sign in signs)


def _turns(font: Any) -> bool:
    """Return whether Pillow draws right-to-left text correctly."""
    from PIL import ImageFont

    return bool(font.layout_engine == ImageFont.Layout.RAQM)


TYPEFACES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
"""Fonts that are searched on the system (Debian: fonts-dejavu-core).

Pillow's own font has ASCII only.
"""
PICTURE, LAST_SYMBOL = "☺", "\u27bf"
"""Replacement for emoji, which few fonts have; the last symbol that most fonts have."""


def ticks(least: float, most: float, about: int = 5) -> list[float]:
    """Return about `about` round numbers that enclose `least` and `most`.

    >>> ticks(0, 17), ticks(-3, 11)
    ([0.0, 5.0, 10.0, 15.0, 20.0], [-5.0, 0.0, 5.0, 10.0, 15.0])
    """
    rough = max((most - least) / about, 1e-9)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(least / step + 1e-9), max(ceil(most / step - 1e-9), floor(least / step + 1e-9) + 1)
    return [round(number * step, 9) + 0.0 for number in range(first, last + 1)]


WRITERS = {".svg": svg, ".png": png}
"""Writers by file suffix."""
