"""VOTE: a question to all; the votes so far big, then who has said what."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.view import Label, VoteScreen
from referee.screens import words
from referee.screens.canvas import LARGE, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import BADGE_PX, badge, flow, label_entry
from referee.screens.parts import Row, baseline_y, header, put, stack

VOTER_PX = 24  # a voter's column, when there is room


def vote(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    rows = [
        Row(9, lambda c, a: _question(c, a, screen), keep=7),
        Row(31, lambda c, a: _count(c, a, screen), least=26),
        Row(16, lambda c, a: _votes(c, a, screen.votes), least=14),
        header(words.TAP_YES(), words.HOLD_NO(), keep=6),
    ]
    stack(canvas, area, rows)


def _question(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    """What is asked and, at its right, about whom."""
    put(canvas, area, screen.question)
    rest = area.inset(left=width_of(screen.question, SMALL) + 8)
    if screen.subject and rest.w > BADGE_PX:
        flow(canvas, rest, [label_entry(who) for who in screen.subject], SMALL)


def _count(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    """ "3:1", yes before no; what is left of the time at the right."""
    yes = sum(said is True for _, said in screen.votes)
    no = sum(said is False for _, said in screen.votes)
    put(canvas, area, f"{yes}:{no}", LARGE)
    put(canvas, area, words.SECONDS(s=screen.left_s), MIDDLE, 1.0)


def _votes(canvas: Canvas, area: Area, votes: Sequence[tuple[Label, bool | None]]) -> None:
    """Each team's number and its letter; columns stand still while votes come in."""
    step = min(VOTER_PX, area.w // max(1, len(votes)))
    for i, (who, said) in enumerate(votes):
        letter = {True: words.YES(), False: words.NO(), None: "?"}[said]
        x = badge(canvas, area.x + i * step, area, who.numbers[0])
        canvas.text(x + (step > BADGE_PX + 8), baseline_y(area, MIDDLE), letter, font(MIDDLE))
