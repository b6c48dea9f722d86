"""Makes the large bitmap fonts from strokes.txt, and 6x12 from 6x8.txt.

Run it by `python -m referee.screens.fonts.make`. It is a design tool, not run by the device; a test fails if the
data files differ from its output.

Theory of operation: a glyph is a set of pen strokes on a grid of 6 x 12 units. A pixel is set if its centre is
within half a pen's width of a stroke; so stems are exactly the pen wide where the grid meets whole pixels, and ends
and corners are round. Accented letters are a base letter and a mark; a capital is lowered by three units to make
room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.screens.fonts import Font, font

HERE = Path(__file__).parent
CURVE_STEPS = 24
DOT_GAIN = 1.2  # otherwise a dot as thick as a stem looks too small

Point = tuple[float, float]
Segment = tuple[Point, Point]


@dataclass(frozen=True)
class Size:
    """A font to make: the size of its cells, and the position of letters in a cell, in pixels.

    `top_px` is the row of a capital's top.
    """

    name: str
    cell: tuple[int, int]
    ink: tuple[int, int]
    top_px: int
    pen_px: float
    characters: str
    squeeze: float = 0.0  # pixels by which a narrow letter is narrower at each side
    mark_y: float = 0.1  # y of a capital's accent; drop: by how many units the capital is lower to make room for it
    drop: float = 3.2


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SMALL = LETTERS.lower()
DIGITS = "0123456789"
SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~½…ß"
PICTURES = "♥⌂✗■□"
ACCENTED = "äöüÄÖÜàèéìòùÀÈÉÌÒÙ"
BIG = LETTERS + DIGITS + "ÄÖÜÀÈÉÌÒÙ!?-+"

SIZES = (
    Size("16x32", (16, 32), (14, 24), 2, 4, LETTERS + SMALL + DIGITS + SIGNS + PICTURES + ACCENTED, 0, -1.3, 2.3),
    Size("12x20", (12, 20), (11, 20), 0, 3, LETTERS + DIGITS + SIGNS + PICTURES + "ÄÖÜÀÈÉÌÒÙ", 1, 0, 3),
    Size("18x54", (18, 54), (16, 54), 0, 5, BIG, 1),
    Size("25x54", (25, 54), (23, 54), 0, 7, BIG, 2),
    Size("32x54", (32, 54), (29, 54), 0, 9, BIG, 4),
    Size("42x54", (42, 54), (39, 54), 0, 11, LETTERS + DIGITS + "!", 7),
    Size("18x46", (18, 46), (16, 46), 0, 5, LETTERS + DIGITS + "!", 1),
    Size("32x46", (32, 46), (29, 46), 0, 9, LETTERS + DIGITS + "!", 4),
)
ACCENTS = {
    "̈": "M1.2 {y}V{y}M4.8 {y}V{y}",
    "̀": "M1.8 {u}L3.8 {d}",
    "́": "M4.2 {u}L2.2 {d}",
}
DOTLESS = {"i": "M1 4.2H3V12M0.6 12H5.4"}


def read_strokes(text: str) -> dict[str, str]:
    """Parse strokes.txt. Return character -> the rest of its line, which has flags and a path."""
    return {line[0]: line[2:] for line in text.splitlines() if line and not line.startswith("##")}


def split_accent(char: str) -> tuple[str, str]:
    """Return a letter and its accent ("" if none), by Unicode's decomposition."""
    import unicodedata

    parts = unicodedata.normalize("NFD", char)
    return (parts[0], parts[1]) if len(parts) == 2 else (char, "")


def flatten(path: str) -> Iterator[Segment]:
    """Yield the straight lines of a path. A curve becomes CURVE_STEPS lines."""
    at = start = (0.0, 0.0)
    for command, numbers in re.findall(r"([MLHVCZ])([^MLHVCZ]*)", path):
        n = [float(x) for x in numbers.split()]
        points = _points(command, n, at, start)
        if command == "M":
            at = start = points[-1]
            continue
        for point in points:
            yield at, point
            at = point


def _points(command: str, n: list[float], at: Point, start: Point) -> list[Point]:
    if command == "H":
        return [(n[0], at[1])]
    if command == "V":
        return [(at[0], n[0])]
    if command == "Z":
        return [start]
    if command == "C":
        return [
            _bezier(at, (n[0], n[1]), (n[2], n[3]), (n[4], n[5]), i / CURVE_STEPS) for i in range(1, CURVE_STEPS + 1)
        ]
    return [(n[0], n[1])]


def _bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    u = 1 - t
    k = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
    return (
        k[0] * a[0] + k[1] * b[0] + k[2] * c[0] + k[3] * d[0],
        k[0] * a[1] + k[1] * b[1] + k[2] * c[1] + k[3] * d[1],
    )


def near(x: float, y: float, segment: Segment, reach: float) -> bool:
    """Return whether the point's distance from the segment is less than `reach`.

    The limit is a little smaller than `reach`, so that a stem is never a pixel too wide.
    """
    (ax, ay), (bx, by) = segment
    dx, dy = bx - ax, by - ay
    length2 = dx * dx + dy * dy
    t = 0.0 if length2 == 0 else max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / length2))
    if length2 == 0:
        reach *= DOT_GAIN
    return (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2 < reach * reach - 1e-6


def glyph_rows(char: str, strokes: dict[str, str], size: Size) -> list[str]:
    """Return a letter's picture as text: one string of '#' and '.' for each row."""
    segments, pen, narrow = _segments(char, strokes, size)
    pen_px = size.pen_px * pen
    scaled = [_scale(s, size, narrow) for s in segments]
    width, height = size.cell
    return [
        "".join("#" if any(near(x + 0.5, y + 0.5, s, pen_px / 2) for s in scaled) else "." for x in range(width))
        for y in range(height)
    ]


def _segments(char: str, strokes: dict[str, str], size: Size) -> tuple[list[Segment], float, bool]:
    base, mark = split_accent(char)
    words = strokes[base].split(" ")
    narrow = "n" in words
    pen = next((float(w[1:]) for w in words if re.fullmatch(r"w[\d.]+", w)), 1.0)
    path = DOTLESS.get(base, "") if mark else ""
    path = path or strokes[base][strokes[base].index("M") :]
    segments = list(flatten(path))
    if not mark:
        return segments, pen, narrow
    drop = size.drop if base.isupper() else 0
    lowered = [((ax, _low(ay, drop)), (bx, _low(by, drop))) for (ax, ay), (bx, by) in segments]
    y = size.mark_y if base.isupper() else 0.4
    accent = ACCENTS[mark].format(y=y, u=y - 0.2, d=y + 0.6)
    return lowered + list(flatten(accent)), pen, narrow


def _low(y: float, drop: float) -> float:
    return drop + y * (12 - drop) / 12


def _scale(segment: Segment, size: Size, narrow: bool) -> Segment:
    side = size.squeeze if narrow else 0
    left = (size.cell[0] - size.ink[0]) // 2 + size.pen_px / 2 + side
    sx = (size.ink[0] - size.pen_px - 2 * side) / 6
    sy = (size.ink[1] - size.pen_px) / 12
    top = size.top_px + size.pen_px / 2
    (ax, ay), (bx, by) = segment
    return (left + ax * sx, top + ay * sy), (left + bx * sx, top + by * sy)


def font_text(glyphs: dict[str, list[str]], cell: tuple[int, int], comment: str) -> str:
    """Return the content of a font's file: blocks of letters, each below a line that names them."""
    width = cell[0]
    across = max(1, 120 // (width + 1))
    chars = list(glyphs)
    blocks = []
    for i in range(0, len(chars), across):
        block = chars[i : i + across]
        heading = " ".join(c.ljust(width) for c in block).rstrip()
        rows = [" ".join(glyphs[c][y] for c in block) for y in range(cell[1])]
        blocks.append("\n".join([heading, *rows]))
    return f"cell {cell[0]} {cell[1]} -- {comment}\n\n" + "\n\n".join(blocks) + "\n"


def make(size: Size, strokes: dict[str, str]) -> str:
    glyphs = {c: glyph_rows(c, strokes, size) for c in size.characters}
    return font_text(glyphs, size.cell, "made from strokes.txt by make.py; do not edit")


DOUBLED = (1, 2, 4, 5)
"""Rows of 6x8 that are doubled for 6x12: not the horizontal strokes, which stay 1 px thick."""


def tall(small: Font) -> str:
    """Return the content of 6x12.txt: the letters of `small` (6x8) with some rows doubled.

    The higher letters can be read from a chair.
    """
    glyphs = {c: [row for y, row in enumerate(small.rows(c)) for _ in range(1 + (y in DOUBLED))] for c in small.every}
    return font_text(glyphs, (small.width, small.height + len(DOUBLED)), "made from 6x8.txt by make.py; do not edit")


def main() -> None:
    (HERE / "6x12.txt").write_text(tall(font("6x8")), encoding="utf-8")
    strokes = read_strokes((HERE / "strokes.txt").read_text())
    for size in SIZES:
        (HERE / f"{size.name}.txt").write_text(make(size, strokes))


if __name__ == "__main__":
    main()
