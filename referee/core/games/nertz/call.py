"""CALLED: everything has stopped; the verdict falls when nothing can change it any more."""

from __future__ import annotations

from typing import ClassVar

from referee.core import lamps
from referee.core.arbiter import Court, verdict_due_ns
from referee.core.arbiter import press as into_court
from referee.core.events import Cue, Decision, Ruled
from referee.core.games.nertz.court import ruled
from referee.core.games.nertz.playing import Playing
from referee.core.labels import Shown, Times
from referee.core.phases.common import stay, to
from referee.core.signals import Contact, Pressed
from referee.core.state import Phase, Play, State, Step, seats_of
from referee.core.units import S
from referee.core.values import stored
from referee.core.view import Screen, StopScreen


@stored("nertz_called")
class Called(Phase):
    """Everything has stopped; the verdict falls when nothing can change it any more. `asked_at_ns`: the stop."""

    name: ClassVar[str] = "CALLED"
    play: Playing = Playing(0)
    court: Court | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        assert self.court is not None
        return verdict_due_ns(self.court, contacts)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.asked_at_ns, self.asked_at_ns + 3_600 * S

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return StopScreen()

    def lamps(self, state: State) -> Shown:
        return dict.fromkeys(seats_of(state.table, self.play.playing), (lamps.ALL_ON, 0))

    def stopped(self, at_ns: int) -> Play | None:
        return self.play.stopped(self.asked_at_ns)

    def cut_off(self, state: State) -> Decision | None:
        assert self.court is not None
        return Ruled(state.now_ns, ruled(self.court, state.contacts))


def called_from(state: State, play: Playing, pressed: Pressed) -> Step:
    """The table stops at a call; a bystander's press is nothing."""
    assert play.court is not None
    if pressed.press.station not in play.court.team_of:
        return stay(state)
    called = Called(state.now_ns, play, into_court(play.court, pressed.press))
    return to(state, called, Cue("call", state.now_ns, urgent=True, cancels=True))
