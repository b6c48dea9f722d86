"""STANDINGS after a hand and OVER after the match."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.view import Label, OverScreen, StandingsScreen, TeamLine
from referee.screens import words
from referee.screens.canvas import MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.parts import (
    Row,
    baseline_y,
    by_place,
    delta_text,
    fit_label,
    flow,
    grid,
    header,
    large_label,
    line,
    put_label,
    put_score,
    score_cell,
    score_text,
    stack,
    total_entry,
    waiting,
)

DELTA_CHARS = 4  # the delta's column, unless a longer one needs more


def standings(canvas: Canvas, area: Area, screen: StandingsScreen) -> None:
    """Leaders first: four rows with the last hand's scores, or 2 x 4 cells with totals alone."""
    lines = by_place(screen.lines)
    if len(lines) > 4:
        return grid(canvas, area, len(lines), 2, 4, lambda a, i: score_cell(canvas, a, lines[i], _total(lines[i])))
    delta_px = max([DELTA_CHARS * 8, *(width_of(_delta(t), MIDDLE) + 8 for t in lines)])
    return grid(canvas, area, len(lines), 1, 4, lambda a, i: _row(canvas, a, lines[i], delta_px))


def _total(line: TeamLine) -> str:
    return score_text(line.total) + ("*" if line.corrected else "")


def _delta(line: TeamLine) -> str:
    return "" if line.delta is None else delta_text(line.delta)


def _row(canvas: Canvas, area: Area, line: TeamLine, delta_px: int) -> None:
    put_score(canvas, area, _delta(line))
    left = area.inset(right=delta_px)
    score_cell(canvas, left, line, _total(line))


def over(canvas: Canvas, area: Area, screen: OverScreen) -> None:
    hands = (words.HAND_ONE if screen.hands == 1 else words.HANDS)(count=screen.hands)
    foot = line(words.TAP_REMATCH(), keep=6)
    if screen.waiting and len(screen.waiting) < len(screen.lines):
        foot = waiting(screen.waiting, SMALL, keep=6, lead=words.TAP_REMATCH())
    rows = [
        header(words.MATCH_OVER(), hands, keep=5),
        Row(32, lambda c, a: _winners(c, a, screen.winners), least=27),
        Row(16, lambda c, a: _ranking(c, a, screen.lines), least=14),
        foot,
    ]
    stack(canvas, area, rows)


def _winners(canvas: Canvas, area: Area, winners: Sequence[Label]) -> None:
    """One winner big; up to four share the row in 8x16; more by their numbers."""
    if len(winners) == 1:
        return large_label(canvas, area, winners[0])
    columns = 1 if len(winners) == 2 else (len(winners) + 1) // 2
    width = area.w // columns
    return grid(
        canvas,
        area,
        len(winners),
        columns,
        2,
        lambda a, i: put_label(canvas, a.x, a, winners[i], fit_label(winners[i], width - 4)) and None,
    )


def _ranking(canvas: Canvas, area: Area, lines: Sequence[TeamLine]) -> None:
    """ "104 : 98 : 71", the leader first; closer when it must be; with seat numbers when not all fit."""
    ranked = by_place(lines)
    scores = [score_text(t.total) for t in ranked]
    for sign in (" : ", ":"):
        text = sign.join(scores)
        if width_of(text, MIDDLE) <= area.w:
            canvas.text(area.x, baseline_y(area, MIDDLE), text, font(MIDDLE))
            return
    flow(canvas, area, [total_entry(t) for t in ranked], MIDDLE)
