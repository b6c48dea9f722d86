"""Draw codes to scan: the one that pairs a phone, and the one of the match's card.

The QR code is dark on a lit ground, as scanners expect it, with as wide a lit margin as the display's height allows. A
pixel of the 2.42" display is 0.43 mm, so a QR code with modules (squares) of two pixels can be read from half a metre.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from referee.core.model.view import CardScreen, PhonesScreen
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.parts import Pictures, put

RIM = 2
"""Minimum width of the lit margin in modules of the QR code, both sides together."""
GAP_PX = 4


def phones(canvas: Canvas, area: Area, screen: PhonesScreen) -> None:
    """Draw the QR code at the left; the code to type and the web address at the right."""
    if screen.link:
        _square(canvas, area, modules(screen.link))
        area = area.inset(left=area.h + GAP_PX)
    face, line_px = (HINT, 12) if canvas.area.is_wide else (SMALL, 8)
    put(canvas, Area(area.x, area.y, area.w, line_px), word("scan"), face)
    put(canvas, Area(area.x, area.y + line_px + 2, area.w, 16), screen.code, MIDDLE)
    room, below = area.w // width_of("0", face), Area(area.x, area.y + line_px + 20, area.w, area.h - line_px - 20)
    for text in fitting([lines(address, room) for address in screen.address.split()], below.h // line_px):
        canvas.text(below.x, below.y, text, font(face))
        below = below.inset(top=line_px)


def card(canvas: Canvas, area: Area, screen: CardScreen) -> None:
    """Draw the match card's QR code at the left, its web address at the right."""
    _square(canvas, area, modules(screen.link))
    area = area.inset(left=area.h + GAP_PX)
    face, line_px = (HINT, 12) if canvas.area.is_wide else (SMALL, 8)
    put(canvas, Area(area.x, area.y, area.w, line_px), word("scan"), face)
    for row, text in enumerate(lines(screen.link, area.w // width_of("0", face)), 2):
        canvas.text(area.x, area.y + row * line_px, text, font(face))


def fitting(blocks: Sequence[list[str]], most: int) -> list[str]:
    """Return at most `most` lines: those of the blocks for which there is room.

    blocks: web addresses, each split into lines. If the first one is too long, it is cut.
    """
    found: list[str] = []
    for block in blocks:
        if not found or len(found) + len(block) <= most:
            found += block
    return found[:most]


def lines(address: str, room: int) -> list[str]:
    """Split a web address into lines of at most `room` characters.

    The lines begin after the address's scheme (http). Words and numbers are not split.

    >>> lines("http://referee.local:8080/", 10), lines("http://192.168.178.100:8080/", 10)
    (['referee', '.local', ':8080'], ['192.168', '.178.100', ':8080'])
    """
    bare = address.partition("://")[2].rstrip("/") or address
    packed = [""]
    for part in re.findall(rf"\W*\w{{1,{room - 1}}}", bare):
        fits = len(packed[-1] + part) <= room
        packed = [*packed[:-1], packed[-1] + part] if fits else [*packed, part]
    return packed


@lru_cache(maxsize=4)
def modules(text: str) -> tuple[bytes, ...]:
    """Return the QR code of a text as rows of modules (its squares); 1 is dark.

    The code has the lowest redundancy, so that its modules are as large as possible.
    """
    import segno  # imported here because most evenings never need it

    return tuple(bytes(row) for row in segno.make_qr(text, error="l").matrix)


def _square(canvas: Canvas, area: Area, rows: tuple[bytes, ...]) -> None:
    size = len(rows)
    scale = max(1, area.h // (size + RIM))
    first = (area.h - size * scale) // 2
    canvas.fill(Area(area.x, area.y, area.h, area.h))
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            if dark:
                canvas.fill(Area(area.x + first + x * scale, area.y + first + y * scale, scale, scale), 0)


SCREENS: Pictures = {PhonesScreen: phones, CardScreen: card}
