"""The drawing surface: a 1-bit image, text in our fonts, and a note of what was written where.

Everything that is written is marked, so that tests can ask "is this score readable?" instead of guessing at pixels.
A glyph is drawn whole or not at all.
"""

from __future__ import annotations

from typing import NamedTuple

from PIL import Image, ImageChops

from referee.screens.fonts import Font, font

WIDE_PX = 256
LIT = 255  # what Pillow keeps in a set pixel of mode "1"; any other value would not invert


class Area(NamedTuple):
    """A rectangle in pixels: left top corner, width and height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def is_wide(self) -> bool:
        """Whether it is as wide as a display of 256 columns."""
        return self.w >= WIDE_PX

    def inset(self, left: int = 0, top: int = 0, right: int = 0, bottom: int = 0) -> Area:
        return Area(self.x + left, self.y + top, self.w - left - right, self.h - top - bottom)

    def columns(self, count: int) -> list[Area]:
        """So many columns of equal width, left to right."""
        w = self.w // max(1, count)
        return [Area(self.x + i * w, self.y, w, self.h) for i in range(count)]

    def rows(self, count: int) -> list[Area]:
        """Equal rows, top to bottom; what is left over stays at the bottom."""
        h = self.h // max(1, count)
        return [Area(self.x, self.y + i * h, self.w, h) for i in range(count)]


class Mark(NamedTuple):
    """A text as it was written: its first cell's left top and its font."""

    text: str
    x: int
    y: int
    font: str


class Canvas:
    """A picture being drawn: mode "1", and the marks of what was written where."""

    def __init__(self, size: tuple[int, int], page: int = 0) -> None:
        """page: how often it has turned over, for what does not stand on one page."""
        self.page = page
        self.image = Image.new("1", size)
        self.area = Area(0, 0, *size)
        self.marks: list[Mark] = []

    def text(self, x: int, y: int, text: str, face: Font, ink: int = LIT) -> int:
        """Writes `text` with its cell's left top at (x, y) and returns the x after it."""
        self.marks.append(Mark(text, x, y, face.name))
        if text:
            self.image.paste(ink, (x, y), face.line(text))
        return x + len(text) * face.width

    def fill(self, area: Area, ink: int = LIT) -> None:
        x, y, w, h = area
        if w > 0 and h > 0:
            self.image.paste(ink, (x, y, x + w, y + h))

    def frame(self, area: Area) -> None:
        """The outline of the area, one pixel wide."""
        self.fill(area)
        self.fill(area.inset(1, 1, 1, 1), 0)

    def dots(self, area: Area) -> None:
        """A dotted line along the area's longer side: every third pixel."""
        upright = area.h > area.w
        for x in range(area.x, area.x + area.w, 1 if upright else 3):
            for y in range(area.y, area.y + area.h, 3 if upright else 1):
                self.image.putpixel((x, y), LIT)

    def flip(self, area: Area) -> None:
        """Invert every pixel of the area."""
        box = (area.x, area.y, area.x + area.w, area.y + area.h)
        self.image.paste(ImageChops.invert(self.image.crop(box)), box)


SMALL, HINT, MIDDLE, LARGE = "6x8", "6x12", "8x16", "16x32"
SMALL_LETTERS, MIDDLE_LETTERS, LARGE_LETTERS = 21, 16, 8
"""Characters of each font across 128 pixels."""


def width_of(text: str, name: str) -> int:
    """How many pixels wide the text is in that font."""
    return len(text) * font(name).width
