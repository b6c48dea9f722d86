"""The drawing surface: a 1-bit image, text in our fonts, and a record of the texts.

Every text is recorded with its position, so that tests can check that a score is readable instead of comparing pixels.
A letter is drawn whole or not at all.
"""

from __future__ import annotations

from typing import NamedTuple

from PIL import Image, ImageChops

from referee.screens.fonts import Font, font

WIDE_PX = 256
LIT = 255  # the value of a set pixel in Pillow's mode "1"; any other value would not invert


class Area(NamedTuple):
    """A rectangle in pixels: x and y of its top left corner, width and height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def is_wide(self) -> bool:
        """Return whether the area is at least as wide as a display of 256 columns."""
        return self.w >= WIDE_PX

    def inset(self, left: int = 0, top: int = 0, right: int = 0, bottom: int = 0) -> Area:
        return Area(self.x + left, self.y + top, self.w - left - right, self.h - top - bottom)

    def columns(self, count: int) -> list[Area]:
        """Return `count` areas of equal width side by side, left to right."""
        w = self.w // max(1, count)
        return [Area(self.x + i * w, self.y, w, self.h) for i in range(count)]

    def rows(self, count: int) -> list[Area]:
        """Return `count` areas of equal height, top to bottom. Spare pixels stay at the bottom."""
        h = self.h // max(1, count)
        return [Area(self.x, self.y + i * h, self.w, h) for i in range(count)]


class Mark(NamedTuple):
    """A text in the picture: its top left corner and its font."""

    text: str
    x: int
    y: int
    font: str


class Canvas:
    """A picture of mode "1" that is being drawn, and a record of the texts in it."""

    def __init__(self, size: tuple[int, int], page: int = 0) -> None:
        """page: how often the display has turned the page; it selects the page to draw."""
        self.page = page
        self.image = Image.new("1", size)
        self.area = Area(0, 0, *size)
        self.marks: list[Mark] = []

    def text(self, x: int, y: int, text: str, face: Font, ink: int = LIT) -> int:
        """Draw `text` with its first letter's top left corner at (x, y). Return the x after it."""
        self.marks.append(Mark(text, x, y, face.name))
        if text:
            self.image.paste(ink, (x, y), face.line(text))
        return x + len(text) * face.width

    def fill(self, area: Area, ink: int = LIT) -> None:
        x, y, w, h = area
        if w > 0 and h > 0:
            self.image.paste(ink, (x, y, x + w, y + h))

    def frame(self, area: Area) -> None:
        """Draw the outline of the area, one pixel wide."""
        self.fill(area)
        self.fill(area.inset(1, 1, 1, 1), 0)

    def dots(self, area: Area) -> None:
        """Draw a dotted line along the area's longer side: every third pixel."""
        upright = area.h > area.w
        for x in range(area.x, area.x + area.w, 1 if upright else 3):
            for y in range(area.y, area.y + area.h, 3 if upright else 1):
                self.image.putpixel((x, y), LIT)

    def flip(self, area: Area) -> None:
        """Invert every pixel of the area."""
        box = (area.x, area.y, area.x + area.w, area.y + area.h)
        self.image.paste(ImageChops.invert(self.image.crop(box)), box)


SMALL, HINT, MIDDLE, TALL, LARGE = "6x8", "6x12", "8x16", "12x20", "16x32"
"""The fonts of lines of text. For the last two, letters are drawn as capitals."""
SMALL_LETTERS, MIDDLE_LETTERS, LARGE_LETTERS = 21, 16, 8
"""Characters of each font across 128 pixels."""


def width_of(text: str, name: str) -> int:
    """Return the width of the text in that font, in pixels."""
    return len(text) * font(name).width
