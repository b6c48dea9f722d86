"""PLAYING where a press is a claim: cards move, and a button means only the call.

What a claim means the game says (`transitions.ClaimGame`); a game with values of its own in play inherits `Race`.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import msg
from referee.core.model import lamps
from referee.core.model.labels import Shown, Times, team_lines
from referee.core.model.phase import Due, KnobHeld, Play
from referee.core.model.registry import claim_game, game_of
from referee.core.model.state import State, Step
from referee.core.model.table import Table, seats_of
from referee.core.model.transitions import Row, Transition
from referee.core.model.view import CountdownScreen, PlayingScreen, Screen
from referee.core.phases.armed import armed_span_of
from referee.core.phases.common import within
from referee.core.phases.pause import time_out
from referee.core.presses.arbiter import ArmedSpan
from referee.core.presses.signals import Contact
from referee.core.units import S
from referee.core.values import field, replace

NOTED_NS = 10 * S
"""A hand in which nobody touches anything is noted so often: a power cut takes no more than this off its clock."""


class Race(Play):
    """Cards move and a button means only the call. `played_ns`: play time before this stretch, timeouts left out.

    false_calls: the teams whose call in this hand did not stand. resumed: this stretch began with a resume, not with
    the hand. noted_at_ns: when the journal was last told that play goes on.
    """

    name: ClassVar[str] = ""  # a kind of phases: a game's own play has the name
    races: ClassVar[bool] = True
    go_at_ns: int = 0
    armed_at_ns: int = 0
    played_ns: int = 0
    armed: ArmedSpan | None = field(default=None, name="court")
    false_calls: tuple[str, ...] = ()
    resumed: bool = False
    noted_at_ns: int = 0

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return max(self.noted_at_ns, self.armed_at_ns) + NOTED_NS

    def clock_ns(self, now_ns: int) -> int:
        """How long the hand has been played at `now_ns`, pauses left out."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def play_at_pause(self, at_ns: int) -> Race:
        return replace(self, played_ns=self.clock_ns(at_ns), go_at_ns=at_ns)

    def still_in(self, table: Table) -> tuple[str, ...]:
        """The teams whose call would stand: a false one may have taken its team out of the hand."""
        out = claim_game(table).out(table, self.false_calls)
        return tuple(team for team in self.playing if team not in out)

    def armed_anew(self, table: Table) -> ArmedSpan:
        """An armed span without a press yet, for those."""
        return armed_span_of(table, self.still_in(table))

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Race:
        again = replace(self, armed=self.armed_anew(table), resumed=True)
        return replace(again, asked_at_ns=armed_at_ns, go_at_ns=go_at_ns, armed_at_ns=armed_at_ns)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.go_at_ns, self.go_at_ns + S // 2

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        if now_ns < self.go_at_ns + lamps.GO_NS:
            times.append(self.go_at_ns + lamps.GO_NS)
            return CountdownScreen(msg("beat.go"))
        clock = self.clock_ns(now_ns)
        times.append(now_ns + S - clock % S)
        return PlayingScreen(len(table.hands) + 1, game_of(table).title(table)[1], clock - clock % S, team_lines(table))

    def lamps(self, state: State) -> Shown:
        """Dark: a press is the call. Only GO's half second still glows."""
        pattern = lamps.beats((), self.go_at_ns)
        return dict.fromkeys(seats_of(state.table, self.playing), (pattern, 0))


class Racing(Race, tag="racing"):
    """The same in a game that keeps nothing of its own in play."""

    name: ClassVar[str] = Play.name


def on_knob_held(state: State, phase: Race, held: KnobHeld) -> Step:
    """The one push that a race knows: TIME OUT."""
    play = phase.play_at_pause(state.now_ns)
    return time_out(state, play.playing, play)


def on_playing_due(state: State, phase: Race, due: Due) -> Step:
    """Nothing has happened; that it has not is in the journal now."""
    return within(state, replace(phase, noted_at_ns=state.now_ns))


ROWS: tuple[Transition, ...] = (
    Row(Race, KnobHeld, on_knob_held, ("TIMEOUT",), "knob 0.3 s: time out"),
    Row(Race, Due, on_playing_due, (), "10 s: the hand's clock is kept"),
)
