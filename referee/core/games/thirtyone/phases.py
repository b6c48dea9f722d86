"""The phases of 31: somebody is on turn, and a 31 lies on the table.

An open question ("knock", "31") stands for one seat; the seats and the instants at which they were asked stand beside
each other, so that a new boot can move the instants.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.games.thirtyone.table import rules_of
from referee.core.messages import msg
from referee.core.model import lamps
from referee.core.model.labels import Shown, Times, answer_lamps, label_of, seat_label, team_lines
from referee.core.model.phase import GUARD_NS, Play
from referee.core.model.registry import game_of
from referee.core.model.state import State
from referee.core.model.table import Table, seats_of
from referee.core.model.view import DeclaredScreen, Screen, SeatQuestion, TurnScreen
from referee.core.presses.signals import Contact
from referee.core.units import S
from referee.core.values import field, replace

ASK_NS = 15 * S
"""A question that its own asker does not answer goes away."""
SHOW_NS = 15 * S
"""How long others may still declare a 31 after the first."""


class Asking(Play, tag="thirtyone_asking"):
    """A phase in which holding asks: `asks` are (station, question), `asks_at_ns` when each appeared."""

    asks: tuple[tuple[str, str], ...] = ()
    asks_at_ns: tuple[int, ...] = ()

    def open_question(self, station: str) -> str | None:
        """The question that is open for that station."""
        return dict(self.asks).get(station)

    def answers(self, station: str, t_ns: int) -> bool:
        """Whether a press begun then may answer the station's question."""
        since = dict(zip((name for name, _ in self.asks), self.asks_at_ns, strict=True)).get(station)
        return since is None or t_ns >= since + GUARD_NS


class Turn(Asking, tag="thirtyone_turn"):
    """Somebody is on turn. `had`: who has had a turn. `knocker`: the last round is on, and ends before that team.

    go_at_ns: since when the clock runs; played_ns: play time before that. look: whom the knob points at, until when.
    """

    dealer: str = ""
    turn: str = ""
    had: frozenset[str] = frozenset()
    knocker: str | None = None
    go_at_ns: int = 0
    played_ns: int = 0
    look: str | None = None
    look_until_at_ns: int | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        dues = [at + ASK_NS for at in self.asks_at_ns]
        return min((due for due in (*dues, self.look_until_at_ns) if due is not None), default=None)

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        early = t_ns < self.asked_at_ns + GUARD_NS
        return (team == self.turn and early) or not self.answers(station, t_ns)

    def takes_push(self) -> bool:
        return self.look is not None

    def clock_ns(self, now_ns: int) -> int:
        """How long this hand has been played at `now_ns`, pauses left out."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def after(self, team: str) -> str:
        """Whose turn follows: the next one's, clockwise."""
        return self.playing[(self.playing.index(team) + 1) % len(self.playing)]

    def play_at_pause(self, at_ns: int) -> Turn:
        """The same with its clock stopped and nothing asked."""
        return replace(
            self,
            played_ns=self.clock_ns(at_ns),
            go_at_ns=at_ns,
            asks=(),
            asks_at_ns=(),
            look=None,
            look_until_at_ns=None,
        )

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Turn:
        return replace(self, asked_at_ns=armed_at_ns, go_at_ns=go_at_ns)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        return TurnScreen(
            hand=len(table.hands) + 1,
            target=game_of(table).title(table)[1],
            turn=label_of(table, self.turn),
            lines=team_lines(table),
            knocker=label_of(table, self.knocker) if self.knocker is not None else None,
            left=_turns_left(self),
            questions=_questions(state, self),
            look=label_of(table, self.look) if self.look is not None else None,
            minimum=rules_of(table.setup).minimum_knock,
            own_discard=self.knocker is not None and len(self.playing) == 2,  # pagat: two players left, after a knock
        )

    def lamps(self, state: State) -> Shown:
        """Blinking: on turn, or asked. Steady: has knocked."""
        shown: Shown = dict.fromkeys(seats_of(state.table, (self.turn,)), (lamps.SLOW, self.asked_at_ns))
        if self.knocker is not None:
            shown |= dict.fromkeys(seats_of(state.table, (self.knocker,)), (lamps.STEADY, 0))
        return shown | _asked_lamps(self)


class Declared(Asking, tag="thirtyone_declared"):
    """A 31 lies on the table; until `until_at_ns` others may declare theirs. `seen`: who has none.

    play: the hand as it was, its clock stopped.
    """

    name: ClassVar[str] = "DECLARED"
    waits: ClassVar[bool] = True
    play: Turn = field(default_factory=lambda: Turn(0))
    declared: tuple[str, ...] = ()
    seen: frozenset[str] = frozenset()
    until_at_ns: int = 0

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        early = t_ns < self.asked_at_ns + GUARD_NS
        return (team in self.others and early) or not self.answers(station, t_ns)

    @property
    def others(self) -> tuple[str, ...]:
        """Who is asked: everybody who has not declared."""
        return tuple(team for team in self.playing if team not in self.declared)

    def play_at_pause(self, at_ns: int) -> None:
        """The hand is over but for who else has a 31: no pause keeps it."""

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        left = max(-(-(self.until_at_ns - now_ns) // S), 1)
        times.append(self.until_at_ns - (left - 1) * S)
        waiting = tuple(label_of(table, team) for team in self.others if team not in self.seen)
        declared = tuple(label_of(table, team) for team in self.declared)
        return DeclaredScreen(declared, waiting, _questions(state, self), left)

    def lamps(self, state: State) -> Shown:
        """Steady: has declared, or has none; blinking: has not said."""
        answered = seats_of(state.table, tuple(team for team in self.playing if team not in self.others))
        seen = seats_of(state.table, tuple(team for team in self.others if team in self.seen))
        shown = answer_lamps(seats_of(state.table, self.playing), (*answered, *seen), self.asked_at_ns)
        return shown | _asked_lamps(self)


def _turns_left(phase: Turn) -> int:
    """Turns in the last round, this one included; 0 before a knock."""
    if phase.knocker is None:
        return 0
    size = len(phase.playing)
    return (phase.playing.index(phase.knocker) - phase.playing.index(phase.turn)) % size


def _questions(state: State, phase: Asking) -> tuple[SeatQuestion, ...]:
    return tuple(
        SeatQuestion(seat_label(state.table, station), msg(f"seat.{question}")) for station, question in phase.asks
    )


def _asked_lamps(phase: Asking) -> Shown:
    """A question's own lamp blinks from when its answer is accepted."""
    shown: Shown = {}
    for (station, _), at_ns in zip(phase.asks, phase.asks_at_ns, strict=True):
        shown |= answer_lamps((station,), (), at_ns)
    return shown
