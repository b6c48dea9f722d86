"""The elements of screens: rows that get lower or are left out, lines of text, big words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from referee.language.words import wrap_rows
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL, TALL, Area, Canvas, width_of
from referee.screens.fonts import font

BIG_FONTS = ("42x54", "32x54", "32x46", "25x54", "18x54", "18x46")
CAP_TOP = {SMALL: 0, HINT: 0, MIDDLE: 1, LARGE: 2, TALL: 0}  # row of a capital's top within a letter's cell
CAP_PX = {SMALL: 7, HINT: 11, MIDDLE: 12, LARGE: 24, TALL: 20}  # height of a capital
ALWAYS = 9
SEAM_PX, APART_PX = 4, 15
"""Least gap in px between two texts with room for a dividing line; least gap without one."""
SQUEEZE_PX = 2  # height that rows lose before one is left out, by default

Draw = Callable[[Canvas, Area], None]
Pictures = dict[type, Callable[[Canvas, Area, Any], None]]
"""Screen class -> the function that draws it."""


class Band(NamedTuple):
    """A row of a screen: its height in px, and the function that draws it.

    If the rows of a screen do not fit, those with the lowest `keep` are left out, but never one with ALWAYS. A row can
    lose height, down to `least` pixels; 0: it cannot.
    """

    px: int
    draw: Draw
    keep: int = ALWAYS
    least: int = 0


def stack(canvas: Canvas, area: Area, rows: Sequence[Band], squeeze_px: int = SQUEEZE_PX) -> None:
    """Draw the rows from top to bottom. If they do not fit, reduce heights or leave rows out.

    squeeze_px: the height that all rows together may lose before one is left out.
    """
    chosen = list(rows)
    while _too_high(chosen, area.h, squeeze_px) and min(r.keep for r in chosen) < ALWAYS:
        chosen.remove(min(chosen, key=lambda r: r.keep))
    y = area.y
    for row, px in zip(chosen, _heights(chosen, area.h), strict=True):
        row.draw(canvas, Area(area.x, y, area.w, px))
        y += px


def _too_high(rows: Sequence[Band], total_px: int, squeeze_px: int) -> bool:
    """Return whether the rows would lose more than `squeeze_px` or than `Band.least` allows."""
    return sum(r.px for r in rows) > total_px + squeeze_px or sum(r.least or r.px for r in rows) > total_px


def _heights(rows: Sequence[Band], total_px: int) -> list[int]:
    """Return the rows' heights. If they do not fit, the row that can lose most does so first."""
    px = [r.px for r in rows]
    slack = [r.px - (r.least or r.px) for r in rows]
    for i in sorted(range(len(rows)), key=lambda i: -slack[i]):
        px[i] -= max(0, min(sum(px) - total_px, slack[i]))
    return px


# -- text --------------------------------------------------------------------------------------------------------


def shorten(text: str, limit: int) -> str:
    """Cut a text after a whole word and add "…", so that it has at most `limit` characters.

    If not even one word fits, the word is cut. If the text has a digit, only "…" is left instead.

    >>> shorten("deals 14 cards more", 12), shorten("123456", 4), shorten("Annabella", 6)
    ('deals 14…', '…', 'Annab…')
    """
    if len(text) <= limit:
        return text
    words = text.split(" ")
    while len(words) > 1:
        words.pop()
        if len(" ".join(words)) < limit:
            return " ".join(words) + "…"
    return "…" if any(c.isdigit() for c in text) else text[: limit - 1] + "…"


def baseline_y(area: Area, name: str) -> int:
    """Return the y at which to draw a text so that its capitals are vertically centred.

    If the descenders would reach out of the area, return a smaller y. (In the large font, all letters are capitals.)
    """
    offset = (area.h - CAP_PX[name]) // 2 - CAP_TOP[name]
    if name != LARGE:
        offset = min(offset, max(0, area.h - font(name).height))
    if area.h >= CAP_PX[name] + CAP_TOP[name]:
        offset = max(offset, 0)  # leaves room for an accent above the capitals
    return area.y + offset


def capitals(name: str) -> str:
    """Return the name in upper case, letter by letter; "ß" stays, so that no name gets longer."""
    return "".join(c if len(c.upper()) != 1 else c.upper() for c in name)


def put(canvas: Canvas, area: Area, text: str, name: str = SMALL, align: float = 0.0) -> None:
    """Draw a text on one line, and shorten it if needed. align: 0 left, 0.5 middle, 1 right."""
    face = font(name)
    text = shorten(capitals(text) if name in (TALL, LARGE) else text, area.w // face.width)
    x = area.x + int((area.w - len(text) * face.width) * align)
    canvas.text(x, baseline_y(area, name), text, face)


def line(text: str, keep: int = ALWAYS, align: float = 0.0, name: str = SMALL) -> Band:
    """Return a row with one text. The row is as high as the font."""
    px = font(name).height
    return Band(px, lambda c, a: put(c, a, text, name, align), keep, least=px - 2 if px > 8 else px)


def paragraph(text: str, columns: int, keep: int = ALWAYS, align: float = 0.0) -> Band:
    """Return a row with a text on as many lines of `columns` characters as it needs."""
    rows, px = wrap_rows(text, columns), font(SMALL).height

    def paint(canvas: Canvas, area: Area) -> None:
        for n, row in enumerate(rows):
            put(canvas, Area(area.x, area.y + px * n, area.w, px), row, SMALL, align)

    return Band(px * len(rows), paint, keep)


def header(left: str, right: str = "", keep: int = 5) -> Band:
    """Return the small row at the top of a screen, with one text at each side.

    The right text is left out if it does not fit.
    """

    def paint(canvas: Canvas, area: Area) -> None:
        put(canvas, area, left)
        free = area.inset(left=width_of(left, SMALL) + 6)
        if right and free.w >= width_of(right, SMALL):
            put(canvas, free, right, align=1.0)
            _seam(canvas, area, left, right, SMALL)

    return Band(8, paint, keep)


def _seam(canvas: Canvas, area: Area, left: str, right: str, name: str) -> None:
    """Draw a vertical line between two texts if they are so close that they look like one."""
    x, end = area.x + width_of(left, name), area.x + area.w - width_of(right, name)
    if left and right and SEAM_PX <= end - x < APART_PX:
        canvas.fill(Area((x + end) // 2 - 1, area.y, 1, min(area.h - 1, font(name).height)))


def both_sides(left: str, right: str, keep: int = 6) -> Band:
    """Return a row with a text at each side. If the row has lost height, its font is smaller."""

    def paint(canvas: Canvas, area: Area) -> None:
        name = HINT if area.h >= CAP_PX[HINT] else SMALL
        put(canvas, area, left, name)
        put(canvas, area, right, name, 1.0)
        _seam(canvas, area, left, right, name)

    return Band(font(HINT).height, paint, keep)


def big(canvas: Canvas, area: Area, word: str) -> None:
    """Draw one word in the widest font in which it fits, with space between its letters."""
    for name in (*BIG_FONTS, LARGE, TALL, MIDDLE):
        face = font(name)
        if len(word) * face.width <= area.w and face.height <= max(area.h, 32) and all(c in face for c in word):
            return _spread(canvas, area, word, name)
    return put(canvas, area, word, SMALL, 0.5)


def _spread(canvas: Canvas, area: Area, word: str, name: str) -> None:
    face = font(name)
    spare = area.w - len(word) * face.width
    gap = min(spare // (len(word) + 1), face.width // 4)
    x = area.x + (area.w - len(word) * face.width - gap * (len(word) - 1)) // 2
    y = area.y + (area.h - CAP_PX.get(name, face.height)) // 2 - CAP_TOP.get(name, 0)
    for char in word:
        canvas.text(x, y, char, face)
        x += face.width + gap
