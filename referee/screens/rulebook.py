"""Draw a page of the rulebook: topic and page number, a sentence, and its sources."""

from __future__ import annotations

from referee.core.model.view import RuleScreen
from referee.language.display import display_text
from referee.language.words import wrap_rows
from referee.screens.canvas import HINT, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.parts import Band, Pictures, header, line, put, stack

TEXT_PX = 48


def page(canvas: Canvas, area: Area, screen: RuleScreen) -> None:
    """Draw a page of the rulebook. If its sentence fits in the larger font, use that font."""
    place = f"{screen.page}/{screen.pages}" if screen.pages > 1 else ""
    sources = ", ".join(map(display_text, screen.sources))
    if width_of(sources, SMALL) > area.w:
        sources = sources.replace(", ", ",")
    rows = [
        header(display_text(screen.title), place, keep=4),
        Band(TEXT_PX, lambda c, a: _text(c, a, display_text(screen.text)), least=TEXT_PX),
        line(sources, keep=3, align=1.0),
    ]
    stack(canvas, area, rows)


def _text(canvas: Canvas, area: Area, text: str) -> None:
    face = next((face for face in (MIDDLE, HINT) if _fits(area, text, face)), HINT)
    px = font(face).height
    rows = wrap_rows(text, area.w // font(face).width)
    top = (area.h - px * len(rows)) // 2
    for i, row in enumerate(rows[: area.h // px]):
        put(canvas, Area(area.x, area.y + max(0, top) + px * i, area.w, px), row, face)


def _fits(area: Area, text: str, face: str) -> bool:
    rows = wrap_rows(text, area.w // font(face).width)
    return len(rows) * font(face).height <= area.h


SCREENS: Pictures = {RuleScreen: page}
