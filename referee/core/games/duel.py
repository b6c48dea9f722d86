"""Reflex duel: GO comes after a random wait, and the first press after it wins a point.

A press before GO, or sooner after it than a person can react, gives the other teams a point. No cards are needed. The
length of the wait is computed from the match's id and the nanosecond in which the last tap began it, so that a replay
has the same one. The arbiter judges early presses like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2s

from referee.core.messages import msg
from referee.core.model.events import Cue
from referee.core.model.lamps import Times
from referee.core.model.state import Phase, State, Step
from referee.core.model.table import Table
from referee.core.model.transitions import Row
from referee.core.model.triggers import Due
from referee.core.model.view import CountdownScreen, Screen
from referee.core.phases import call, race
from referee.core.phases.points import ROWS, PointsGame, Values
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import Contact, Pressed
from referee.core.units import MS
from referee.core.values import replace

REACTION_NS = 100 * MS  # an earlier press is no reaction to GO (World Athletics, Technical Rules 16.6)


class Duel(race.Racing, tag="duel"):
    earlier_ns: int = 0  # play time of the hand before this wait

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.armed_at_ns if self.noted_at_ns < self.armed_at_ns else super().due_ns(contacts)

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> race.Race:
        drawn = int.from_bytes(blake2s(f"{table.match} {go_at_ns}".encode()).digest(), "big")
        go = go_at_ns + (1500 + drawn % 4500) * MS
        later = replace(self, earlier_ns=self.played_ns)
        return race.Racing.running(later, table, go, armed_at_ns)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        times.append(self.go_at_ns)
        return super().screen(state, now_ns, times) if now_ns >= self.go_at_ns else CountdownScreen(msg("beat.ready"))


def on_due(state: State, phase: Duel, due: Due) -> Step:
    step = race.on_playing_due(state, phase, due)
    return replace(step, cues=(Cue("go", phase.go_at_ns),)) if state.now_ns < phase.go_at_ns else step


class ReflexDuel(PointsGame):
    NAME = FAMILY = "Reflex duel"
    PRESETS = {"reflex-duel": ("Reflex duel", {"target": (5, "assumed")})}
    ENDS = (end, false_start) = ("won", "false")
    plays = (Duel,)
    word = msg("claim.first")
    rows = (
        *ROWS,
        Row(Duel, Due, on_due, (), "the sound of GO is scheduled"),
        Row(Duel, Pressed, call.on_pressed, ("CALLED",), "a press, early or not"),
    )

    def end_of(self, judged: Judged) -> str:
        assert isinstance(judged.play, Duel)
        is_early = judged.play.played_ns < judged.play.earlier_ns + REACTION_NS
        return self.false_start if is_early and not judged.by_vote else self.end

    def is_early(self, judged: Phase) -> bool:
        assert isinstance(judged, Judged)
        return self.end_of(judged) == self.false_start

    def points(self, rules: Values, end: str, callers: Sequence[str], playing: Iterable[str]) -> Mapping[str, int]:
        return dict.fromkeys(callers if end == self.end else set(playing) - set(callers), 1)


DOCUMENTS = GAME = ReflexDuel()
