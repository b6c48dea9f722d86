"""PLAYING in games in which a press is a claim: cards move, and a button only calls.

The game defines what a claim means (`transitions.ClaimGame`). A game that keeps values of its own during play
subclasses `Race`.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import msg
from referee.core.model import lamps
from referee.core.model.events import Cue
from referee.core.model.labels import labels, team_lines
from referee.core.model.lamps import Shown, Times
from referee.core.model.registry import claim_game, game_of
from referee.core.model.state import Play, State, Step
from referee.core.model.table import Table, seats_of
from referee.core.model.transitions import Row, Transition
from referee.core.model.triggers import Due, KnobHeld
from referee.core.model.view import CountdownScreen, PlayingScreen, Screen
from referee.core.phases.armed import armed_span_of
from referee.core.phases.common import within
from referee.core.phases.pause import time_out
from referee.core.presses.arbiter import ArmedSpan
from referee.core.presses.signals import Contact
from referee.core.units import S
from referee.core.values import field, replace

NOTED_NS = 10 * S
"""Interval in ns at which the journal records that a hand without events goes on.

After a power cut, at most this much is missing from the hand's clock.
"""


OWN_GO_NS = 2 * S
"""How long in ns the display shows a player's own Go after a head start."""


class Race(Play):
    """Play in which a press of a button is a call, and nothing else.

    played_ns: play time before the last pause, without timeouts. false_calls: the teams whose call in this hand was
    false. resumed: this part of the hand began after a pause. noted_at_ns: when the journal last recorded that play
    goes on. late_offered: late evidence has opened a contest in this hand.
    """

    name: ClassVar[str] = ""  # each game's phase sets the name
    races: ClassVar[bool] = True
    go_at_ns: int = 0
    armed_at_ns: int = 0
    played_ns: int = 0
    armed: ArmedSpan = field(default=ArmedSpan(), name="court")
    false_calls: tuple[str, ...] = ()
    resumed: bool = False
    noted_at_ns: int = 0
    late_offered: bool = False

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return min((*self.goes_after(self.noted_at_ns), max(self.noted_at_ns, self.armed_at_ns) + NOTED_NS))

    def goes_after(self, at_ns: int) -> list[int]:
        """Return the instants after `at_ns` at which players who start later than others begin."""
        return [go for go in self.armed.own_go_ns.values() if go > at_ns]

    def clock_ns(self, now_ns: int) -> int:
        """Return the play time of the hand at `now_ns`, without pauses."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def play_at_pause(self, at_ns: int) -> Race:
        return replace(self, played_ns=self.clock_ns(at_ns), go_at_ns=at_ns)

    def still_in(self, table: Table) -> tuple[str, ...]:
        """Return the teams that may still call in this hand. A false call can put a team out."""
        out = claim_game(table).out(table, self.false_calls)
        return tuple(team for team in self.playing if team not in out)

    def new_armed_span(self, table: Table, go_at_ns: int) -> ArmedSpan:
        """Return an armed span (a time in which presses are claims) without presses yet.

        It begins at `go_at_ns`. Its teams are those that may still call.
        """
        return armed_span_of(table, self.still_in(table), go_at_ns, self.played_ns)

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Race:
        again = replace(self, armed=self.new_armed_span(table, go_at_ns), resumed=True)
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
        shown = PlayingScreen(len(table.hands) + 1, game_of(table).target(table), clock - clock % S, team_lines(table))
        go = min(self.goes_after(now_ns - OWN_GO_NS), default=None)
        if go is None:
            return shown
        who = labels(table, [station for station, at_ns in self.armed.own_go_ns.items() if at_ns == go])
        return replace(shown, later=who, later_s=max(-((now_ns - go) // S), 0))

    def lamps(self, state: State) -> Shown:
        """Return the lamps: lit for half a second from GO (or the player's own Go), then dark."""
        pattern = lamps.beats((), self.go_at_ns)
        own: Shown = {station: (lamps.own_go((), go), 0) for station, go in self.armed.own_go_ns.items()}
        return dict.fromkeys(seats_of(state.table, self.playing), (pattern, 0)) | own


class Racing(Race, tag="racing"):
    """Play in a game that keeps no values of its own during play."""

    name: ClassVar[str] = Play.name


def on_knob_held(state: State, phase: Race, held: KnobHeld) -> Step:
    """Pause the race: the knob has been held. During a race a short push does nothing."""
    play = phase.play_at_pause(state.now_ns)
    return time_out(state, play.playing, play)


def on_playing_due(state: State, phase: Race, due: Due) -> Step:
    """Record in the journal that play goes on. Sound the Go of players who start now."""
    now = state.now_ns
    starts = any(go <= now for go in phase.goes_after(phase.noted_at_ns))
    return within(state, replace(phase, noted_at_ns=now), *([Cue("own_go", now, urgent=True)] if starts else ()))


ROWS: tuple[Transition, ...] = (
    Row(Race, KnobHeld, on_knob_held, ("TIMEOUT",), "knob 0.3 s: time out"),
    Row(Race, Due, on_playing_due, (), "own Go; 10 s: the hand's clock is kept"),
)
