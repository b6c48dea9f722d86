"""The phases of 31: a player's turn, and a declared 31.

A question ("knock?", "31?") that waits for an answer belongs to one seat. The questions and the times at which they
appeared are two separate fields, so that a restart can shift the times.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.games.thirtyone.table import rules_of
from referee.core.messages import msg
from referee.core.model import lamps
from referee.core.model.labels import answer_lamps, label_of, seat_label, team_lines
from referee.core.model.lamps import Shown, Times
from referee.core.model.registry import game_of
from referee.core.model.state import GUARD_NS, Play, State
from referee.core.model.table import Table, seats_of
from referee.core.model.view import DeclaredScreen, Screen, SeatQuestion, TurnScreen
from referee.core.presses.signals import Contact
from referee.core.units import S
from referee.core.values import field, replace

ASK_NS = 15 * S
"""Time in ns after which a question to a player closes without an answer."""
SHOW_NS = 15 * S
"""Time in ns after the first declared 31 in which other players may declare one."""


class Asking(Play, tag="thirtyone_asking"):
    """A phase in which a hold shows the player a question. A tap then answers it with yes.

    asks: the open questions as (station, question). asks_at_ns: when each of them appeared.
    """

    asks: tuple[tuple[str, str], ...] = ()
    asks_at_ns: tuple[int, ...] = ()

    def open_question(self, station: str) -> str | None:
        """Return the question that the display shows for this station; None if there is none."""
        return dict(self.asks).get(station)

    def answers(self, station: str, t_ns: int) -> bool:
        """Return whether a press begun at `t_ns` may answer the station's question."""
        since = dict(zip((name for name, _ in self.asks), self.asks_at_ns, strict=True)).get(station)
        return since is None or t_ns >= since + GUARD_NS


class Turn(Asking, tag="thirtyone_turn"):
    """A player's turn.

    had: the teams that have had a turn. knocker: the team that has knocked; the last round ends when the turn comes
    back to this team. go_at_ns: when the hand's clock last started; played_ns: play time before that. look: the team
    chosen with the knob. Until `look_until_at_ns`, a push gives this team the turn.
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
        """Return the play time of the hand at `now_ns`, without pauses."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def after(self, team: str) -> str:
        """Return the next team, clockwise."""
        return self.playing[(self.playing.index(team) + 1) % len(self.playing)]

    def play_at_pause(self, at_ns: int) -> Turn:
        """Return the turn with its clock stopped and without open questions."""
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
            target=game_of(table).target(table),
            turn=label_of(table, self.turn),
            lines=team_lines(table),
            knocker=label_of(table, self.knocker) if self.knocker is not None else None,
            left=_turns_left(self),
            questions=_questions(state, self),
            look=label_of(table, self.look) if self.look is not None else None,
            minimum=rules_of(table.setup).minimum_knock,
            own_discard=self.knocker is not None and len(self.playing) == 2,  # source: pagat
        )

    def lamps(self, state: State) -> Shown:
        """Return the lamps: blinking for the team on turn, lit for the knocker.

        The lamps of seats with an open question also blink.
        """
        shown: Shown = dict.fromkeys(seats_of(state.table, (self.turn,)), (lamps.SLOW, self.asked_at_ns))
        if self.knocker is not None:
            shown |= dict.fromkeys(seats_of(state.table, (self.knocker,)), (lamps.STEADY, 0))
        return shown | _asked_lamps(self)


class Declared(Asking, tag="thirtyone_declared"):
    """A player has declared a 31. Other players may also declare one, until `until_at_ns`.

    seen: the teams that have answered that they have no 31. play: the interrupted hand, with its clock stopped.
    """

    name: ClassVar[str] = "DECLARED"
    argued: ClassVar[bool] = True
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
        """Return the teams that have not declared a 31. The device asks each of them."""
        return tuple(team for team in self.playing if team not in self.declared)

    def play_at_pause(self, at_ns: int) -> None:
        """Return None: a 31 has ended the hand, so a timeout keeps no play to continue."""

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        left = max(-(-(self.until_at_ns - now_ns) // S), 1)
        times.append(self.until_at_ns - (left - 1) * S)
        waiting = tuple(label_of(table, team) for team in self.others if team not in self.seen)
        declared = tuple(label_of(table, team) for team in self.declared)
        return DeclaredScreen(declared, waiting, _questions(state, self), left)

    def lamps(self, state: State) -> Shown:
        """Return the lamps: lit for teams that have answered, blinking for the others."""
        answered = seats_of(state.table, tuple(team for team in self.playing if team not in self.others))
        seen = seats_of(state.table, tuple(team for team in self.others if team in self.seen))
        shown = answer_lamps(seats_of(state.table, self.playing), (*answered, *seen), self.asked_at_ns)
        return shown | _asked_lamps(self)


def _turns_left(phase: Turn) -> int:
    """Return how many turns are left in the last round, with the current one; 0 before a knock."""
    if phase.knocker is None:
        return 0
    size = len(phase.playing)
    return (phase.playing.index(phase.knocker) - phase.playing.index(phase.turn)) % size


def _questions(state: State, phase: Asking) -> tuple[SeatQuestion, ...]:
    return tuple(
        SeatQuestion(seat_label(state.table, station), msg(f"seat.{question}")) for station, question in phase.asks
    )


def _asked_lamps(phase: Asking) -> Shown:
    """Return the lamps of seats with an open question. They blink once a tap can answer it."""
    shown: Shown = {}
    for (station, _), at_ns in zip(phase.asks, phase.asks_at_ns, strict=True):
        shown |= answer_lamps((station,), (), at_ns)
    return shown
