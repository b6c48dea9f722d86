"""A hand that does not count and is dealt again: a question to all, in every game."""

from __future__ import annotations

from typing import ClassVar

from referee.core.model.events import Voided
from referee.core.model.menu import MenuAction
from referee.core.model.phase import Phase
from referee.core.model.state import State, Step
from referee.core.phases.ready import next_hand
from referee.core.phases.vote import ask
from referee.core.values import replace


class VoidHand(MenuAction):
    """Ask all whether the hand shall not count."""

    upsets: ClassVar[bool] = True


def void(state: State, playing: tuple[str, ...]) -> Step:
    """Shall the hand not count and be dealt again?"""
    return ask(state, "ask.void_hand", Voided(state.now_ns), voters=playing)


def on_voided(state: State, phase: Phase, event: Voided) -> Step:
    """The hand is dealt again; nothing of it counts."""
    return next_hand(replace(state, table=state.table.booked_calls()), event.at_ns)
