"""Draw PLAYING: the hand's clock and the totals; nothing else moves."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core import units
from referee.core.model.view import PAGE_NS, PlayingScreen, TeamLine
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL_LETTERS, Area, Canvas, width_of
from referee.screens.labels import by_place, grid, score_cell, total_text
from referee.screens.parts import Band, Pictures, line, put, shorten, stack
from referee.screens.ready import hand_header
from referee.screens.wide import split, totals_panel

ON_A_PAGE = 4
"""Maximum number of teams on a page; their totals are 16 pixels high, two in a row."""
COLUMN_GAP_PX = 8
CLOCK_GAP_PX = 4


def playing(canvas: Canvas, area: Area, screen: PlayingScreen) -> None:
    hint = line(_later(screen) if screen.later else word("time_out_hint"), keep=3, name=HINT)
    if area.is_wide:
        left, right = split(canvas, area)
        totals_panel(canvas, right, screen.lines)
        clock = Band(44, lambda c, a: put(c, a, units.clock_text(screen.played_ns), LARGE), least=24)
        return stack(canvas, left, [hand_header(screen.hand, screen.target), clock, hint])
    if len(screen.lines) <= 2:
        clock = Band(28, lambda c, a: put(c, a, units.clock_text(screen.played_ns), LARGE), least=24)
        rows = [hand_header(screen.hand, screen.target), clock, _totals(screen.lines)]
        return stack(canvas, area, [*rows, hint])
    shown, page = _page(screen)
    return stack(canvas, area, [_clock_row(screen, page), _totals(shown), hint])


def _later(screen: PlayingScreen) -> str:
    """Return a text that says who starts later: in how many seconds, or that they start now."""
    who = " ".join(label.short for label in screen.later)
    return shorten(word("later" if screen.later_s else "own_go", who=who, s=screen.later_s), SMALL_LETTERS)


def _page(screen: PlayingScreen) -> tuple[Sequence[TeamLine], str]:
    """Return the teams on the current page and its number. On several pages, leaders come first."""
    if len(screen.lines) <= ON_A_PAGE:
        return screen.lines, ""
    pages = -(-len(screen.lines) // ON_A_PAGE)
    page = screen.played_ns // PAGE_NS % pages
    return by_place(screen.lines)[page * ON_A_PAGE :][:ON_A_PAGE], f"{page + 1}/{pages}"


def _clock_row(screen: PlayingScreen, page: str) -> Band:
    """Return a row with the clock and, at the right, the target or the page number."""
    clock = units.clock_text(screen.played_ns)
    end = page or ("" if screen.target is None else word("target", target=screen.target))

    def paint(canvas: Canvas, area: Area) -> None:
        put(canvas, area, clock, MIDDLE)
        played = area.inset(left=width_of(clock, MIDDLE) + CLOCK_GAP_PX)
        if played.w >= width_of(word("clock_played") + " " + end, HINT):
            put(canvas, played, word("clock_played"), HINT)
        put(canvas, area, end, HINT, 1.0)

    return Band(18, paint, least=14)


def _totals(lines: Sequence[TeamLine]) -> Band:
    """Return rows with two teams each. A team's name is left of its total."""
    rows = -(-len(lines) // 2)

    def paint(canvas: Canvas, area: Area) -> None:
        def cell(place: Area, i: int) -> None:
            place = place.inset(right=COLUMN_GAP_PX // 2) if i % 2 == 0 else place.inset(left=COLUMN_GAP_PX // 2)
            score_cell(canvas, place, lines[i], total_text(lines[i]), lines[i].shared)

        grid(canvas, area, len(lines), 2, rows, cell)

    return Band(16 * rows, paint, least=14 * rows)


SCREENS: Pictures = {PlayingScreen: playing}
