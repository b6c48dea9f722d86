"""Draw the screens with QR codes: pairing, the own Wi-Fi network, the match's card.

The QR code is dark on a lit ground, as scanners expect it, with as wide a lit margin as the display's height allows. A
pixel of the 2.42" display is 0.43 mm, so a QR code with modules (squares) of two pixels can be read from half a metre.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from referee.core.model.view import CardScreen, PhonesScreen, WifiScreen
from referee.language.display import display_text
from referee.language.words import word, wrap_rows
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


def wifi(canvas: Canvas, area: Area, screen: WifiScreen) -> None:
    """Draw the own network's QR code, name and password; without a password, the note."""
    if not screen.password:
        _note(canvas, area, screen)
        return
    _square(canvas, area, modules(screen.link))
    area = area.inset(left=area.h + GAP_PX)
    face, line_px = (HINT, 12) if canvas.area.is_wide else (SMALL, 8)
    put(canvas, Area(area.x, area.y, area.w, line_px), word("scan"), face)
    put(canvas, Area(area.x, area.y + line_px + 2, area.w, line_px), screen.name, face)
    rows = 1 if width_of(screen.password, MIDDLE) <= area.w else 2
    length, y = -(-len(screen.password) // rows), area.y + 2 * line_px + 4
    for row in range(rows):
        part = screen.password[row * length : (row + 1) * length]
        put(canvas, Area(area.x, y + 16 * row, area.w, 16), part, MIDDLE)
    put(canvas, Area(area.x, area.y + area.h - line_px, area.w, line_px), word("wifi_push"), face)


def _note(canvas: Canvas, area: Area, screen: WifiScreen) -> None:
    put(canvas, Area(area.x, area.y, area.w, 16), word("wifi_title"), MIDDLE)
    for row, text in enumerate(wrap_rows(display_text(screen.note), area.w // width_of("0", HINT))):
        put(canvas, Area(area.x, area.y + 16 + 12 * row, area.w, 12), text, HINT)


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


SCREENS: Pictures = {PhonesScreen: phones, WifiScreen: wifi, CardScreen: card}
