"""Names on the display: which of them the fonts can draw, how the others are written in Latin letters; NAME, the entry.

The page and the documents show a name as it is; only the display transliterates, and leaves out pictures.
"""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import Any

from referee.core.letters import is_picture, letters
from referee.core.messages import Label
from referee.core.model.view import NameScreen, SeatCell
from referee.core.names import BACKS, back_name
from referee.core.values import Value, replace
from referee.language.words import current_language, word
from referee.screens.canvas import LARGE, MIDDLE, SMALL, Area, Canvas
from referee.screens.fonts import font
from referee.screens.labels import badge
from referee.screens.parts import ALWAYS, Band, Pictures, baseline_y, both_sides, header, put, stack

NAME_SIGNS = {" ": "sign_space", "◄": "sign_back"}
NAME_NEIGHBOURS = {" ": "_"}
"""What of the wheel is a word when it is chosen, and what stands for it beside another letter."""

CURSOR = "_"
SIGN_PX = 18  # of the wheel's letter, inverted
STEP_PX = 12  # from one of its neighbours to the next
UNKNOWN = "?"
FIGURES = frozenset({int, bool, type(None), Fraction})
"""The types of values in a view that hold no text to be drawn."""


def drawable(value: Any) -> Any:  # Any: a view, a value in it, a text, a number
    """The value with every text in letters that the fonts have."""
    if isinstance(value, str):
        return in_known_letters(value)
    if isinstance(value, tuple):
        return tuple(map(drawable, value)) if value else value
    if not isinstance(value, Value):
        return value
    changed = _own_name(value)
    for name in value.__struct_fields__:
        before = getattr(value, name)  # whichever fields it has
        if type(before) in FIGURES or name in changed:
            continue
        after = drawable(before)
        if after is not before and after != before:
            changed[name] = after
    return replace(value, **changed) if changed else value


def _own_name(value: Label | SeatCell | Value) -> dict[str, Any]:
    """What a seat is called whose name no letters can write: by its pack."""
    if not isinstance(value, Label | SeatCell) or not value.name or in_known_letters(value.name) != UNKNOWN:
        return {}
    first = value.number if isinstance(value, SeatCell) else value.numbers[0]
    return {"name": back_name(BACKS["en"][(first - 1) % len(BACKS["en"])], current_language())}


@lru_cache(maxsize=1024)
def in_known_letters(text: str) -> str:
    """The text in letters that every font has: as it is, without accents, or transliterated.

    >>> in_known_letters("Zoë"), in_known_letters("Łukasz")
    ('Zoe', 'Lukasz')
    >>> in_known_letters("Дмитрий"), in_known_letters("王小明"), in_known_letters("\\ue000")
    ('Dmitriy', 'WangXiaoMing', '?')
    >>> in_known_letters("Zoë 👩\u200d👧"), in_known_letters("🎉 3 🇮🇹 Ben"), in_known_letters("🎉")
    ('Zoe', '3 Ben', '?')
    """
    if all(char in font(SMALL) for char in text):
        return text
    found = [_letter(letter) for letter in letters(text)]
    plain = "".join(found)
    if "" in found:  # no gap where a picture was
        plain = " ".join(plain.split())
    if plain[:1].islower() and text[:1].lower() == text[:1].upper():  # a script without capitals
        plain = plain[0].upper() + plain[1:]
    return plain or UNKNOWN


def _letter(letter: str) -> str:
    if letter in font(SMALL) and letter in font(MIDDLE):
        return letter
    base, *marks = tuple(unicodedata.normalize("NFD", letter))
    if base in font(SMALL) and all(unicodedata.combining(mark) for mark in marks):
        return base
    if is_picture(letter):
        return ""
    from anyascii import anyascii  # only here: most tables never need it

    return "".join(char for char in anyascii(letter) if char.isalnum() or char in " -'.")


def name(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    """The name so far, its end always in sight; the wheel's letter big between its neighbours."""
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
