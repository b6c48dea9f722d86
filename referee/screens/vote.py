"""VOTE: a question to all; the votes so far big, then who has said what."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import Label, VoteScreen
from referee.screens import words
from referee.screens.canvas import LARGE, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import BADGE_PX, badge, flow, label_entry
from referee.screens.parts import Band, baseline_y, header, put, stack
from referee.screens.wide import is_wide, labels_panel, split

VOTER_PX = 24  # a voter's column, when there is room


def vote(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    if is_wide(area):
        area, right = split(canvas, area)
        labels_panel(canvas, right, [who for who, _ in screen.votes], [_letter(said) for _, said in screen.votes])
        about = [label_entry(who) for who in screen.subject]
        rows = [
            header(screen.question, keep=7),
            Band(32 if about else 48, lambda c, a: _count(c, a, screen), least=26),
            *([Band(16, lambda c, a: flow(c, a, about), least=14)] if about else []),
            _how(),
        ]
        return stack(canvas, area, rows)
    rows = [
        Band(9, lambda c, a: _question(c, a, screen), keep=7),
        Band(31, lambda c, a: _count(c, a, screen), least=26),
        Band(16, lambda c, a: _votes(c, a, screen.votes), least=14),
        _how(),
    ]
    return stack(canvas, area, rows)


def _how() -> Band:
    return header(words.TAP_YES(), words.HOLD_NO(), keep=6)


def _letter(said: bool | None) -> str:
    return "?" if said is None else words.YES() if said else words.NO()


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
        x = badge(canvas, area.x + i * step, area, who.numbers[0])
        canvas.text(x + (step > BADGE_PX + 8), baseline_y(area, MIDDLE), _letter(said), font(MIDDLE))
