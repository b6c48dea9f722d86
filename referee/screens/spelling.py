"""Draw NAME: a name that is entered letter by letter with the knob."""

from __future__ import annotations

from referee.core.model.view import NameScreen
from referee.language.words import word
from referee.screens.canvas import LARGE, MIDDLE, Area, Canvas
from referee.screens.fonts import font
from referee.screens.labels import badge
from referee.screens.parts import ALWAYS, Band, Pictures, baseline_y, both_sides, header, put, stack

NAME_SIGNS = {" ": "sign_space", "◄": "sign_back"}
NAME_NEIGHBOURS = {" ": "_"}
"""Sign to choose -> the sign that is drawn for it next to the chosen one."""

CURSOR = "_"
SIGN_PX = 18  # width of the wheel's chosen letter, inverted
STEP_PX = 12  # distance between neighbours of the chosen letter


def name(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    """Draw the name entered so far, with its last letter visible, and letters to choose from.

    The letter that the knob has chosen is big, between its neighbours.
    """
    rows = [
        header(word("name_of", number=screen.number), word("name_turns"), keep=7),
        Band(18, lambda c, a: _so_far(c, a, screen), ALWAYS, least=16),
        Band(28, lambda c, a: _wheel(c, a, screen), ALWAYS, least=26),
        both_sides(word("name_takes"), word("name_ends"), keep=6),
    ]
    stack(canvas, area, rows)


def _so_far(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    x = badge(canvas, area.x, area, screen.number) + 4
    room = (area.x + area.w - x) // font(MIDDLE).width
    text = screen.text + CURSOR
    put(canvas, area.inset(left=x - area.x), text if len(text) <= room else "…" + text[1 - room :], MIDDLE)


def _wheel(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    middle = area.x + area.w // 2
    sign = screen.signs[screen.at]
    chosen = word(NAME_SIGNS[sign]) if sign in NAME_SIGNS else None
    half = SIGN_PX // 2 if chosen is None else len(chosen) * 4 + 3
    if chosen is None:
        y = baseline_y(area, LARGE)
        canvas.text(middle - 8, y, sign, font(LARGE))
    else:
        put(canvas, Area(middle - half + 3, area.y, 2 * half, area.h), chosen, MIDDLE)
    canvas.flip(Area(middle - half, area.y, 2 * half, area.h))
    for side in (-1, 1):
        for k in range(1, (area.w // 2 - half) // STEP_PX + 1):
            sign = screen.signs[(screen.at + side * k) % len(screen.signs)]
            x = middle + side * (half + STEP_PX * k - 4) - 4
            if area.x <= x <= area.x + area.w - 8:
                canvas.text(x, baseline_y(area, MIDDLE), NAME_NEIGHBOURS.get(sign, sign), font(MIDDLE))


SCREENS: Pictures = {NameScreen: name}
