"""The device's screens: `draw(view)` makes the 1-bit picture of a view, and nothing else.

Pure functions of the view: no clock, no state. One file a phase; rows and lines stand in parts.py, labels and scores in
labels.py, a screen's words beside it and those of several in words.py, the letters in fonts/.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from PIL.Image import Image

from referee.core.model import view as v
from referee.language.display import display_text
from referee.language.words import ENGLISH, speaking
from referee.screens import counting, spelling
from referee.screens.canvas import HINT, LARGE_LETTERS, SMALL, Area, Canvas
from referee.screens.fonts import font
from referee.screens.parts import Pictures, big, put, shorten

LESSON_PX = 12  # a line of 6x12
STRIP_PX = 9  # a small line inverted, with a pixel of margin above

_MODULES = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
SCREENS: Pictures = {kind: paint for module in _MODULES for kind, paint in getattr(module, "SCREENS", {}).items()}
"""How each screen is drawn: what the modules of this folder say, so a new picture is a file and no line elsewhere."""


def draw(view: v.View, size: tuple[int, int] = (128, 64), language: str = ENGLISH) -> Image:
    """The picture of a view, mode "1", lit pixels set; its words in the language ("en", "de", "it")."""
    return render(view, size, language).image


def render(view: v.View, size: tuple[int, int] = (128, 64), language: str = ENGLISH) -> Canvas:
    """The picture together with the marks of what was written where (for tests)."""
    with speaking(language, rounds=view.rounds):
        return _render(view, Canvas(size, view.page))


def _render(view: v.View, canvas: Canvas) -> Canvas:
    area = _strip(canvas, display_text(spelling.drawable(view.toast or view.banner)))
    lesson = display_text(spelling.drawable(view.lesson[view.lesson_line])) if view.lesson else ""
    if lesson and area == canvas.area:
        area = _lesson(canvas, view.screen, lesson)
    paint = SCREENS.get(type(view.screen))
    if isinstance(view.screen, v.CountScreen):
        counting.count(canvas, area, spelling.drawable(view.screen), lesson if area == canvas.area else "")
    elif paint is not None:
        paint(canvas, area, spelling.drawable(view.screen))
    else:  # a game's screen that nobody has drawn yet: seen, and harmless
        big(canvas, area, view.phase.replace("_", " ")[:LARGE_LETTERS] or "?")
    if view.invert:
        canvas.flip(canvas.area)
    return canvas


def _lesson(canvas: Canvas, screen: v.Screen, text: str) -> Area:
    """A line for newcomers at the bottom, and what is left above it; it gives way where the picture needs its room."""
    area = canvas.area
    if isinstance(screen, v.CountScreen) and not counting.spares_a_line(screen, area):
        return area
    put(canvas, Area(area.x, area.y + area.h - LESSON_PX, area.w, LESSON_PX), text, HINT)
    return area.inset(bottom=LESSON_PX)


def _strip(canvas: Canvas, text: str) -> Area:
    """The inverted line at the bottom; what is left of the screen above it. A toast covers the banner for its time."""
    area = canvas.area
    if not text:
        return area
    strip = Area(area.x, area.y + area.h - STRIP_PX, area.w, STRIP_PX)
    canvas.fill(strip)
    canvas.text(strip.x + 1, strip.y + 1, shorten(text, area.w // 6), font(SMALL), 0)
    return area.inset(bottom=STRIP_PX)
