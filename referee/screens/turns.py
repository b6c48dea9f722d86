"""Draw a game of turns: the turn, the questions, the totals; and a 31 on the table."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import TEXT_LETTERS, DeclaredScreen, Label, SeatQuestion, TeamLine, TurnScreen
from referee.language.display import display_text
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.hand import hand_header
from referee.screens.labels import (
    badges,
    badges_px,
    flow,
    flow_lines,
    label_entry,
    large_row,
    on_page,
    row_px,
    rows_needed,
    total_entry,
    waiting,
)
from referee.screens.parts import Band, Pictures, both_sides, header, line, put, stack
from referee.screens.tables import labels_panel, split, totals_panel

LEAST_PX = 38
"""Minimum height of two rows: the name, and what a press does."""
SQUEEZE_PX = 4


def turn(canvas: Canvas, area: Area, screen: TurnScreen) -> None:
    """Draw whose turn it is, in large letters; or the question that a player must answer."""
    if area.is_wide:
        area, right = split(canvas, area)
        totals_panel(canvas, right, screen.lines)
    if screen.questions:
        return stack(canvas, area, _question(screen.questions))
    head, name, hint = _on_turn(screen)
    heads_px = head.px if screen.knocker or screen.minimum else 0
    standing = [] if canvas.area.is_wide else [_standing(canvas, screen.lines, area.h - heads_px - LEAST_PX)]
    return stack(canvas, area, [head, name, hint, *standing], SQUEEZE_PX)


def _on_turn(screen: TurnScreen) -> tuple[Band, Band, Band]:
    """Return three rows: the hand or who knocked, whose turn it is, and what a press does."""
    head = hand_header(screen.hand, screen.target)
    if screen.knocker is not None:
        head = header(word("knocked", who=screen.knocker.short), word("hand_small", hand=screen.hand), keep=8)
    elif screen.minimum:
        head = header(word("hand_small", hand=screen.hand), word("knock_from", value=screen.minimum))
    return head, large_row(screen.turn, least=26)._replace(px=28), _hint(screen)._replace(least=8)


def _hint(screen: TurnScreen) -> Band:
    if screen.look is not None:
        who = f"{screen.look.numbers[0]}{screen.look.name[:TEXT_LETTERS]}"
        return line(word("turn_to", who=who), keep=7, name=HINT)
    if screen.own_discard:
        return line(word("own_discard"), keep=7, name=HINT)
    if screen.knocker is not None:
        return both_sides(word("tap_done"), word("to_go", count=screen.left), keep=7)
    return both_sides(word("tap_done"), word("hold_knocks"), keep=7)


def _standing(canvas: Canvas, lines: Sequence[TeamLine], room_px: int) -> Band:
    """Return a row with all totals in seat order, in the largest font for which there is room.

    More than eight totals are on several pages.
    """
    entries = [total_entry(t) for t in on_page(canvas, lines)[0]]
    sizes = [(name, rows) for name, rows in ((HINT, 1), (HINT, 2), (SMALL, 2)) if rows * row_px(name) <= room_px]
    fits = [
        (name, rows)
        for form in (1, -1)
        for name, rows in sizes
        if rows_needed(entries, canvas.area.w, name, form) <= rows
    ]
    name, rows = fits[0] if fits else (SMALL, 3)
    return Band(rows * row_px(name), lambda c, a: flow_lines(c, a, [entries], rows, name))


def _question(questions: Sequence[SeatQuestion]) -> list[Band]:
    """Return rows with the latest question in large letters, and the seats that must answer it."""
    last = questions[-1].question
    asking = [q.label for q in questions if q.question == last]
    return [
        waiting(asking, MIDDLE, keep=8),
        Band(32, lambda c, a: _draw_question(c, a, display_text(last), questions), least=24),
        both_sides(word("tap_yes"), word("hold_no"), keep=7),
    ]


def _draw_question(canvas: Canvas, area: Area, text: str, questions: Sequence[SeatQuestion]) -> None:
    put(canvas, area, text, LARGE)
    others = tuple(q.label.numbers[0] for q in questions if q.question != questions[-1].question)
    free = area.inset(left=width_of(text, LARGE) + 4)
    fitting = next((n for n in range(len(others), 0, -1) if badges_px(others[:n]) <= free.w), 0)
    badges(canvas, free.x, free, others[:fitting])


def draw_declared(canvas: Canvas, area: Area, screen: DeclaredScreen) -> None:
    """Draw who has a 31, the time left for other players, and who has not answered."""
    if area.is_wide:
        area, right = split(canvas, area)
        labels_panel(canvas, right, screen.waiting)
    rows = [
        header(word("has_31"), word("seconds", s=screen.left_s), keep=8),
        _declarers(screen.declared),
        *_answers(screen, right_side=canvas.area.is_wide),
    ]
    stack(canvas, area, rows, SQUEEZE_PX)


def _declarers(labels: Sequence[Label]) -> Band:
    if len(labels) == 1:
        return large_row(labels[0])
    return Band(32, lambda c, a: flow(c, a, [label_entry(who) for who in labels], MIDDLE), least=16)


def _answers(screen: DeclaredScreen, right_side: bool) -> list[Band]:
    if screen.questions:
        asking = [q.label for q in screen.questions]
        lead = display_text(screen.questions[-1].question)
        answers = both_sides(word("tap_yes"), word("hold_no"), keep=7)
        return [waiting(asking, MIDDLE, lead=lead, must_lead=True), answers]
    missing = (
        []
        if right_side or not screen.waiting
        else [waiting(screen.waiting, MIDDLE, lead=word("wait_for"), must_lead=True)]
    )
    return [*missing, line(word("tap_none"), keep=7, name=HINT)]


SCREENS: Pictures = {TurnScreen: turn, DeclaredScreen: draw_declared}
