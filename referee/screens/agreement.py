"""Draw AGREEMENT: a page of the rules; below it, what a tap means, or who has not tapped."""

from __future__ import annotations

from referee.core.phases.agreement import AgreementScreen
from referee.language.display import display_text
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import waiting
from referee.screens.parts import Band, Pictures, line, put, stack

TITLE_PX = 16
GAP_PX = 6
PRESET_KEEP, TITLE_KEEP = 5, 6
"""Priorities (`Band.keep`): these rows are left out first; the rules stay."""


def agreement(canvas: Canvas, area: Area, screen: AgreementScreen) -> None:
    wide = area.is_wide
    rows = [line(display_text(rule), name=HINT) for rule in screen.lines]
    if screen.page == 1 and not wide:
        name = MIDDLE if len(rows) == 1 else HINT
        rows.insert(0, line(screen.preset, PRESET_KEEP, name=name))
    free = area.h - TITLE_PX - sum(row.px for row in rows)
    below = _below(screen, MIDDLE if free >= TITLE_PX else HINT)
    gap = Band(max(0, free - below.px), lambda c, a: None, least=0)
    return stack(canvas, area, [_title(screen, screen.preset if wide else ""), *rows, gap, below])


def _title(screen: AgreementScreen, preset: str) -> Band:
    """Return the row with the title and the page number.

    The title is "WE PLAY", and "AGREED?" once a player has tapped.
    """

    def paint(canvas: Canvas, area: Area) -> None:
        title = word("agreed") if screen.waiting else word("we_play")
        page = f"{screen.page}/{screen.pages}" if screen.pages > 1 else ""
        free = area.inset(right=width_of(f" {page}", MIDDLE) if page else 0)
        put(canvas, free, " ".join(filter(None, (title, preset))), MIDDLE)
        put(canvas, area, page, MIDDLE, 1.0)

    return Band(TITLE_PX, paint, TITLE_KEEP)


def _below(screen: AgreementScreen, name: str) -> Band:
    """Return the bottom row: what a tap means or, once a player has tapped, who is missing.

    name: the row's font.
    """
    if screen.waiting:
        return waiting(screen.waiting, name, lead=word("tap"), must_lead=True)

    def paint(canvas: Canvas, area: Area) -> None:
        tap, more = word("tap_agreed"), word("turn_more")
        put(canvas, area, tap, name)
        free = area.inset(left=width_of(tap, name) + GAP_PX)
        if screen.pages > 1 and free.w >= width_of(more, SMALL):
            put(canvas, free, more, SMALL, 1.0)

    return Band(font(name).height, paint)


SCREENS: Pictures = {AgreementScreen: agreement}
