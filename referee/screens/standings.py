"""Draw STANDINGS after a hand, and OVER after the match."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.messages import Msg
from referee.core.model.view import ON_A_PAGE, OVER_LINES, Label, OverScreen, StandingsScreen, TeamLine
from referee.core.values import replace
from referee.language.display import shown_within
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, MIDDLE_LETTERS, SMALL_LETTERS, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import (
    by_place,
    fit_label,
    flow,
    grid,
    large_label,
    on_page,
    put_label,
    put_score,
    score_cell,
    total_entry,
    total_text,
    waiting,
)
from referee.screens.parts import Band, Pictures, line, put, stack
from referee.screens.tables import (
    DUEL_PX,
    ROW_PX,
    draw_title,
    duel,
    halves,
    hand_total,
    most_a_page,
    score_table,
    split,
    totals_panel,
)

DELTA_CHARS = 4  # width of the last hand's score, unless one needs more


def standings(canvas: Canvas, area: Area, screen: StandingsScreen) -> None:
    """Draw the teams and their totals, leaders first; fewer teams have larger rows."""
    gains = screen.gains and not area.is_wide
    text = hand_total if gains else _total
    most = ON_A_PAGE if area.is_wide else most_a_page(area, screen.lines, text)
    lines, page = on_page(canvas, by_place(screen.lines), most)
    lines = [replace(line, shared=False) for line in lines] if gains else lines  # underlines mark equal totals
    press = shown_within(screen.notes[0], SMALL_LETTERS - 1) if screen.notes else word("tap_ready")
    area = draw_title(
        canvas, area, word("scores" if gains else "standings"), screen.hands, page, press, _rows_px(area, lines, page)
    )
    delta_px = max([DELTA_CHARS * 8, *(width_of(hand_total(t), MIDDLE) + 4 for t in lines)])
    if area.is_wide:
        rows = [(t, hand_total(t), _total(t)) for t in lines]
        return score_table(canvas, area, rows, lambda a, i: _row(canvas, a, lines[i], delta_px))
    if len(lines) <= 2:
        return duel(canvas, area, [(t, hand_total(t), _total(t)) for t in lines])
    if len(lines) > 4:
        return halves(canvas, area, lines, text)
    return grid(canvas, area, len(lines), 1, len(lines), lambda a, i: _row(canvas, a, lines[i], delta_px))


def _rows_px(area: Area, lines: Sequence[TeamLine], page: str) -> int:
    """Return the minimum height that the rows for these teams need in the standings."""
    if len(lines) <= 2:
        return 2 * DUEL_PX
    if len(lines) <= 4:
        return 2 * DUEL_PX if area.is_wide else len(lines) * ROW_PX
    return (-(-len(lines) // 2) if page and not area.is_wide else 4) * ROW_PX


def _total(line: TeamLine) -> str:
    return total_text(line) + ("*" if line.corrected else "")


def _row(canvas: Canvas, area: Area, line: TeamLine, delta_px: int) -> None:
    put_score(canvas, area, hand_total(line))
    score_cell(canvas, area.inset(right=delta_px), line, _total(line), line.shared)


def _note(note: Msg) -> Band:
    text = shown_within(note, SMALL_LETTERS)
    name = MIDDLE if len(text) <= MIDDLE_LETTERS else HINT
    return Band(font(name).height, lambda c, a: put(c, a, text, name), least=12)


def over(canvas: Canvas, area: Area, screen: OverScreen) -> None:
    foot = line(word("tap_rematch"), keep=6, name=HINT)
    if screen.waiting and len(screen.waiting) < len(screen.lines):
        foot = waiting(screen.waiting, HINT, keep=6, lead=word("rematch_needs"), must_lead=True)
    winners = Band(27, lambda c, a: _winners(c, a, screen.winners))
    wins = Band(13, lambda c, a: _wins(c, a, screen))
    if area.is_wide:
        left, right = split(canvas, area)
        totals_panel(canvas, right, by_place(screen.lines))
        return stack(
            canvas, left, [winners._replace(px=27 if screen.notes else 38), wins, *map(_note, screen.notes[:1]), foot]
        )
    ranking = Band(12, lambda c, a: _ranking(c, a, screen))
    if screen.note:
        ranking = _note(screen.notes[screen.note - 1])
    return stack(canvas, area, [winners, wins, ranking, foot])


def _wins(canvas: Canvas, area: Area, screen: OverScreen) -> None:
    put(canvas, area, word("wins", count=len(screen.winners)), MIDDLE)
    put(canvas, area, word("hands", count=screen.hands), HINT, 1.0)


def _winners(canvas: Canvas, area: Area, winners: Sequence[Label]) -> None:
    """Draw one winner in large letters; several in two rows, with as much of each name as fits."""
    if len(winners) == 1:
        return large_label(canvas, area, winners[0])
    columns = 1 if len(winners) <= 2 else (len(winners) + 1) // 2
    width = area.w // columns

    def cell(place: Area, i: int) -> None:
        put_label(canvas, place.x, place, winners[i], fit_label(winners[i], width - 1, 0))

    return grid(canvas, area, len(winners), columns, 2, cell)


def _ranking(canvas: Canvas, area: Area, screen: OverScreen) -> None:
    """Draw the seat numbers and totals of this page's teams in one line, leaders first.

    A single winner comes first on every page.
    """
    lines = by_place(screen.lines)
    first = [t for t in lines if t.label == screen.winners[0]] if len(screen.winners) == 1 else []
    others = [total_entry(t) for t in lines if t not in first]
    shown, _ = on_page(canvas, others, OVER_LINES - len(first))
    flow(canvas, area, [*map(total_entry, first), *shown], HINT)


SCREENS: Pictures = {StandingsScreen: standings, OverScreen: over}
