"""CALLED: everything has stopped; the verdict falls when nothing can change it any more."""

from __future__ import annotations

from typing import ClassVar

from referee.core import lamps
from referee.core.arbiter import Court, verdict_due_ns
from referee.core.games.nertz.playing import Playing
from referee.core.labels import Shown, Times
from referee.core.signals import Contact
from referee.core.state import Phase, State, seats_of
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
