"""Frames in an OLED controller's format, and the changed parts of a frame.

A small controller's memory consists of pages of 8 pixel rows: one byte is 8 pixels of a column, the top one in bit 0. A
packed frame is its pages in order, each `width` bytes. luma.oled computes this pixel by pixel in Python. Here a page is
one large integer: its pixels are bytes of 0 or 255, a mask leaves bit i of row i, and three shifts combine the eight
rows.

An SSD1322 stores shades of grey, row by row: one byte is two pixels, the left one in the high half. A page there is one
pixel row.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from PIL import Image

PAGE_PX = 8


def pack(image: Image.Image) -> bytes:
    """Pack a mode-"1" picture into pages of eight rows. A byte is eight pixels, bit 0 the top.

    Raises ValueError for another mode, and for a height that is not whole pages.
    """
    if image.mode != "1" or image.height % PAGE_PX:
        raise ValueError(f"a frame is a 1-bit picture of whole pages, not mode {image.mode!r} and {image.height} rows")
    width = image.width
    pixels = image.tobytes("raw", "L")
    mask, first, page_pixels = _row_bits(width), (1 << 8 * width) - 1, PAGE_PX * width
    pages = []
    for start in range(0, len(pixels), page_pixels):
        rows = int.from_bytes(pixels[start : start + page_pixels], "little") & mask
        rows |= rows >> 32 * width
        rows |= rows >> 16 * width
        rows |= rows >> 8 * width
        pages.append((rows & first).to_bytes(width, "little"))
    return b"".join(pages)


def pack_shades(image: Image.Image) -> bytes:
    """Pack a mode-"1" picture into shades of four bits per pixel.

    Raises ValueError for another mode, and for an odd width.
    """
    if image.mode != "1" or image.width % 2:
        raise ValueError(f"a frame is a 1-bit picture of even width, not mode {image.mode!r} and {image.width} columns")
    pixels = image.tobytes("raw", "L")
    size = len(pixels) // 2
    left, right = (int.from_bytes(pixels[first::2], "little") for first in (0, 1))
    both = left & int.from_bytes(b"\xf0" * size, "little") | right & int.from_bytes(b"\x0f" * size, "little")
    return both.to_bytes(size, "little")


@cache
def _row_bits(width: int) -> int:
    """Return a bit mask for eight rows of `width` bytes, as one number, the first byte lowest.

    In the bytes of row 0 it selects bit 0, in those of row 1 bit 1, and so on.
    """
    return int.from_bytes(b"".join(bytes([1 << i]) * width for i in range(PAGE_PX)), "little")


class Window(NamedTuple):
    """A rectangle of a packed frame: columns x0..x1 of pages p0..p1, all inclusive."""

    x0: int
    x1: int
    p0: int
    p1: int

    @property
    def cost(self) -> int:
        """Return the number of data bytes in the window."""
        return (self.x1 - self.x0 + 1) * (self.p1 - self.p0 + 1)

    def over(self, other: Window) -> Window:
        """Return the smallest window that covers both."""
        return Window(min(self.x0, other.x0), max(self.x1, other.x1), min(self.p0, other.p0), max(self.p1, other.p1))

    def cut(self, packed: bytes, width: int) -> bytes:
        """Return the window's bytes of a packed frame, page by page."""
        return b"".join(packed[p * width + self.x0 : p * width + self.x1 + 1] for p in range(self.p0, self.p1 + 1))


def changes(old: bytes, new: bytes, width: int, overhead: int, join_pages: bool) -> list[Window]:
    """Return the windows to send so that a panel's picture `old` becomes `new`.

    The aim is to send few bytes. `overhead`: the number of bytes of the commands that address a window. Up to
    `overhead` unchanged bytes between two changes are sent too, in place of a second window. join_pages: whether the
    controller can fill a window of several pages.
    """
    found: list[Window] = []
    for page in range(len(new) // width):
        a, b = old[page * width : (page + 1) * width], new[page * width : (page + 1) * width]
        if a != b:
            found += [Window(x0, x1, page, page) for x0, x1 in _runs(a, b, overhead)]
    return _unite_windows(found, overhead) if join_pages else found


def _runs(a: bytes, b: bytes, overhead: int) -> list[tuple[int, int]]:
    """Return the first and last column of each run of bytes in which `a` and `b` differ.

    Runs with at most `overhead` equal bytes between them are joined.
    """
    runs: list[tuple[int, int]] = []
    for x, (one, other) in enumerate(zip(a, b, strict=True)):
        if one == other:
            continue
        if runs and x - runs[-1][1] - 1 <= overhead:
            runs[-1] = (runs[-1][0], x)
        else:
            runs.append((x, x))
    return runs


def _unite_windows(windows: list[Window], overhead: int) -> list[Window]:
    """Join any two windows if one window over both needs no more bytes than the two."""
    result: list[Window] = []
    for window in windows:
        i = 0
        while i < len(result):
            both = window.over(result[i])
            if both.cost <= window.cost + result[i].cost + overhead:
                result.pop(i)
                window, i = both, 0
            else:
                i += 1
        result.append(window)
    return sorted(result, key=lambda w: (w.p0, w.x0))
