"""The device's screens: `draw(view)` returns the 1-bit picture of a view.

Pure functions of the view: no clock, no state. Each kind of screen has a module with its `SCREENS`; rows and lines are
in parts.py, labels and scores in labels.py, tables in tables.py, the letters in fonts/.
"""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from PIL.Image import Image

from referee.core.messages import Label, Msg
from referee.core.model import view as v
from referee.core.names import BACKS, back_name
from referee.core.values import Value, replace
from referee.language.display import display_text
from referee.language.words import ENGLISH, current_language, speaking
from referee.screens import counting
from referee.screens.canvas import HINT, LARGE_LETTERS, SMALL, Area, Canvas
from referee.screens.fonts import UNKNOWN, font, in_known_letters
from referee.screens.parts import Pictures, big, put, shorten

FIGURES = frozenset({int, bool, type(None), Fraction})
"""Types of values in a view that contain no text."""
LESSON_PX = 12  # height of a line in the font 6x12
STRIP_PX = 9  # height of a small line, inverted, with a pixel of margin above

_MODULES = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
SCREENS: Pictures = {kind: paint for module in _MODULES for kind, paint in getattr(module, "SCREENS", {}).items()}
"""Screen class -> its drawing function."""


def draw(view: v.View, size: tuple[int, int] = (128, 64), language: str = ENGLISH) -> Image:
    """Return the picture of a view, as an image of mode "1" in which lit pixels are set.

    Its words are in the language ("en", "de", "it").
    """
    return render(view, size, language).image


def render(view: v.View, size: tuple[int, int] = (128, 64), language: str = ENGLISH) -> Canvas:
    """Return the canvas with the picture of a view and, for tests, the positions of its texts."""
    with speaking(language, rounds=view.rounds):
        return _render(view, Canvas(size, view.page))


def _render(view: v.View, canvas: Canvas) -> Canvas:
    said, lesson = _text(view.toast or view.banner), _text(view.lesson[view.lesson_line] if view.lesson else None)
    area = _strip(canvas, said) if said else canvas.area
    if lesson and area == canvas.area:
        area = _lesson(canvas, view.screen, lesson)
    paint = SCREENS.get(type(view.screen))
    if isinstance(view.screen, v.CountScreen):
        counting.count(canvas, area, drawable(view.screen), lesson if area == canvas.area else "")
    elif paint is not None:
        paint(canvas, area, drawable(view.screen))
    else:  # the screen has no drawing function yet: show the phase's name
        big(canvas, area, view.phase.replace("_", " ")[:LARGE_LETTERS] or "?")
    if view.invert:
        canvas.flip(canvas.area)
    return canvas


def _text(message: Msg | None) -> str:
    return display_text(drawable(message)) if message else ""


def _lesson(canvas: Canvas, screen: v.Screen, text: str) -> Area:
    """Draw a line for newcomers at the bottom if there is room. Return the area above it."""
    area = canvas.area
    if isinstance(screen, v.CountScreen) and not counting.spares_a_line(screen, area):
        return area
    put(canvas, Area(area.x, area.y + area.h - LESSON_PX, area.w, LESSON_PX), text, HINT)
    return area.inset(bottom=LESSON_PX)


def _strip(canvas: Canvas, text: str) -> Area:
    """Draw a banner or short message at the bottom, inverted. Return the area above it."""
    area = canvas.area
    strip = Area(area.x, area.y + area.h - STRIP_PX, area.w, STRIP_PX)
    canvas.fill(strip)
    canvas.text(strip.x + 1, strip.y + 1, shorten(text, area.w // 6), font(SMALL), 0)
    return area.inset(bottom=STRIP_PX)


def drawable(value: Any) -> Any:  # Any: a view, a value in it, a text, a number
    """Return `value` with all its texts changed into letters that the fonts have.

    `value`: the content of a screen, or a value, text or number in it.
    """
    if isinstance(value, str):
        return in_known_letters(value)
    if isinstance(value, tuple):
        return tuple(map(drawable, value)) if value else value
    if not isinstance(value, Value):
        return value
    changed = _own_name(value)
    for name in value.__struct_fields__:
        before = getattr(value, name)  # any of its fields
        if type(before) in FIGURES or name in changed:
            continue
        after = drawable(before)
        if after is not before and after != before:
            changed[name] = after
    return replace(value, **changed) if changed else value


def _own_name(value: Label | v.SeatCell | Value) -> dict[str, Any]:
    """Return {"name": the seat's card back} if no font can draw a player's or team's name; else {}."""
    if not isinstance(value, Label | v.SeatCell) or not value.name or in_known_letters(value.name) != UNKNOWN:
        return {}
    first = value.number if isinstance(value, v.SeatCell) else value.numbers[0]
    return {"name": back_name(BACKS["en"][(first - 1) % len(BACKS["en"])], current_language())}
