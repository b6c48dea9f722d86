"""VOTE: a question to all: what is asked, of whom, and who has said what."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import Label, VoteScreen
from referee.language.told import shown
from referee.screens import words
from referee.screens.canvas import HINT, MIDDLE, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import badge, flow, label_entry, label_px, on_page, put_label
from referee.screens.parts import Band, baseline_y, put, stack
from referee.screens.wide import is_wide, labels_panel, split, whole_of

IN_A_ROW, NUMBERED_IN_A_ROW = 8, 4
"""Voters; of more than eight fewer stand on a page, for their numbers have two digits."""
VOTER_PX = 25
"""A voter's column, when there is room."""
SIGNS = {True: "✓", False: "✗", None: "?"}
HINT_GAP_PX = 6


def vote(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    asked = [_question(screen), *([_subject(screen)] if screen.subject else [])]
    if is_wide(area):
        area, right = split(canvas, area)
        voters, _ = on_page(canvas, screen.votes)
        labels_panel(canvas, right, [who for who, _ in voters], [SIGNS[said] for _, said in voters])
        return stack(canvas, area, [*asked, _how(screen)])
    votes, page = (
        on_page(canvas, screen.votes, NUMBERED_IN_A_ROW) if len(screen.votes) > IN_A_ROW else (screen.votes, "")
    )
    return stack(canvas, area, [*asked, _votes_row(votes, page), _how(screen)])


def _question(screen: VoteScreen) -> Band:
    question = shown(screen.question)
    name = MIDDLE if len(question) <= words.MIDDLE else HINT
    return Band(17, lambda c, a: put(c, a, question, name), keep=8, least=14)


def _subject(screen: VoteScreen) -> Band:
    """Whom it is about, and that they can end it themselves."""

    def paint(canvas: Canvas, area: Area) -> None:
        if len(screen.subject) != 1:
            return flow(canvas, area, [label_entry(who) for who in screen.subject])
        who = screen.subject[0]
        admits = words.TAP_ADMITS() if screen.admits else ""
        room = width_of(admits, HINT) + HINT_GAP_PX if admits else 0
        fit = whole_of(who)
        while fit.letters > 2 and label_px(who, fit) + room > area.w:
            fit = fit._replace(letters=fit.letters - 1)
        x = put_label(canvas, area.x, area, who, fit)
        if admits:
            put(canvas, area.inset(left=x - area.x + HINT_GAP_PX), admits, HINT)
        return None

    return Band(17, paint, keep=7, least=14)


def _how(screen: VoteScreen) -> Band:
    """What yes and no are on a button and, where a language leaves room, how long there is."""

    def paint(canvas: Canvas, area: Area) -> None:
        yes, no, left = words.TAP_YES(), words.HOLD_NO(), words.SECONDS(s=screen.left_s)
        put(canvas, area, yes, HINT)
        put(canvas, area, no, HINT, 1.0)
        between = area.inset(left=width_of(yes, HINT), right=width_of(no, HINT))
        if between.w > width_of(left, HINT) + HINT_GAP_PX:
            put(canvas, between, left, HINT, 0.5)

    return Band(12, paint, keep=6)


def _votes_row(votes: Sequence[tuple[Label, bool | None]], page: str) -> Band:
    def paint(canvas: Canvas, area: Area) -> None:
        _votes(canvas, area, votes)
        put(canvas, area, page, HINT, 1.0)

    return Band(16, paint, least=14)


def _votes(canvas: Canvas, area: Area, votes: Sequence[tuple[Label, bool | None]]) -> None:
    """Each team's number and its answer; columns stand still while votes come in."""
    step = min(VOTER_PX, area.w // max(1, len(votes)))
    for i, (who, said) in enumerate(votes):
        x = badge(canvas, area.x + i * step, area, who.numbers[0])
        canvas.text(x, baseline_y(area, MIDDLE), SIGNS[said], font(MIDDLE))
