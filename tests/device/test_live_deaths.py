"""A daemon that dies during a call, at each millisecond and with disks of each speed.

The tests compare what the table had shown and played by then with what the next life knows and shows. The stop tone and
its lamps do not wait for the journal, so a death between them and the call's row leaves a stopped table and a journal
without the call. Nothing else may run ahead of the journal.

One life is played for each disk speed; its state at an instant is what a death at that instant leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from referee.core.match.engine import Engine, JournalRow
from referee.core.match.viewer import view
from referee.core.model.events import Resumed
from referee.core.model.table import Setup
from referee.core.model.view import PowerBackScreen, VerdictScreen, View
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.device.live import NOT_SAVED, PATIENCE_NS, Live
from tests.core.evenings import NAMES
from tests.device.one_thread import Host, Loop
from tests.device.test_live import SLACK_NS, Room, Seen
from tests.storage.evenings.memory import MemoryJournal

CALLER = "1"
STEPS = 200
CONFIRMED_MS = 2
"""Milliseconds until a press is confirmed: 1 ms of closed contact, plus the error of the sources."""
PACES_MS = (1, 4, 30, 110, 400)
"""Duration of a disk transaction in ms, from negligible to longer than the sweep."""


class Disk:
    """A journal whose disk takes `pace_ms` for a transaction of all waiting rows.

    `tick` advances it.
    """

    def __init__(self, rows: Sequence[JournalRow], pace_ms: int) -> None:
        self.rows = list(rows)
        self._pace_ms = pace_ms
        self._waiting: list[JournalRow] = []
        self._batch: list[JournalRow] = []
        self._left_ms = 0

    @property
    def durable_seq(self) -> int:
        return self.rows[-1][0]

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Queue the rows."""
        self._waiting += rows
        self._begin()

    def set_aside(self, seq: int, reason: str) -> None:
        """Do nothing."""

    def _begin(self) -> None:
        if not self._batch:
            self._batch, self._waiting, self._left_ms = self._waiting, [], self._pace_ms

    def tick(self) -> bool:
        """Advance by a millisecond; return whether rows have become durable."""
        if not self._batch:
            return False
        self._left_ms -= 1
        if self._left_ms > 0:
            return False
        self.rows += self._batch
        self._batch = []
        self._begin()
        return True


@dataclass(frozen=True)
class Moment:
    """The state left by a death at this instant: the durable rows, the picture and the sounds so far."""

    ms: int
    rows: int
    view: View
    lit: str
    heard: tuple[str, ...]


@dataclass
class Life:
    """One call from its press on, with a disk of that speed."""

    pace_ms: int
    rows: list[JournalRow] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    began_ns: int = 0
    known: int = 0
    """Number of rows before the press."""


@cache
def life(pace_ms: int, steps: int = STEPS) -> Life:
    """Let seat 1 press in play and hold its button; record each millisecond."""
    room = Room()
    room.play()
    disk = Disk(room.journal.rows, pace_ms)
    room.live._journal = disk
    room.seen.heard.clear()
    played = Life(pace_ms, disk.rows, began_ns=room.loop.now_ns, known=len(disk.rows))
    room.live.feed([Edge(CALLER, True, played.began_ns, SLACK_NS)])
    for ms in range(steps):
        room.loop.until(played.began_ns + ms * MS)
        played.moments.append(
            Moment(ms, len(disk.rows), room.seen.views[-1], room.seen.lit[-1], tuple(room.seen.heard))
        )
        if disk.tick():
            room.live.durable(disk.durable_seq)
            room.loop.until(room.loop.now_ns)
    return played


@cache
def next_life(pace_ms: int, rows: int) -> tuple[Engine, Seen]:
    """Return what a restarted daemon has read from that many rows, and what it shows."""
    table, seen, loop = Engine.restored(life(pace_ms).rows[:rows]), Seen(), Loop(life(pace_ms).began_ns + 3 * S)
    table.intake([Resumed(loop.now_ns, "after the death", 3, ())], loop.now_ns)
    live = Live(table, MemoryJournal(), seen, clock=loop.clock, drain=lambda: None, slack_ns=SLACK_NS)
    live.start(loop)
    loop.until(loop.now_ns + 1 * S)
    return table, seen


def sweep() -> list[tuple[Life, Moment]]:
    """Return all deaths with their lives."""
    return [(life(pace_ms), moment) for pace_ms in PACES_MS for moment in life(pace_ms).moments]


def told_apart(moment: Moment) -> bool:
    """Return whether a lamp or the picture distinguishes one player from the others."""
    return moment.lit not in ("..", "**") or isinstance(moment.view.screen, VerdictScreen)


def test_the_stop_waits_for_the_press_alone() -> None:
    for _, moment in sweep():
        if moment.ms == 0:
            assert (moment.heard, moment.lit) == ((), "..")
        elif moment.ms >= CONFIRMED_MS and not told_apart(moment):
            assert (moment.heard, moment.lit) == (("call",), "**")
        assert moment.heard[:1] in ((), ("call",))


def test_nobody_is_named_before_the_verdict_is_durable() -> None:
    seen = {True: 0, False: 0}
    for played, moment in sweep():
        table, _ = next_life(played.pace_ms, moment.rows)
        phase: Any = table.state.phase
        if told_apart(moment) or "verdict_clear" in moment.heard:
            assert phase.inner.name == "VERDICT"
            assert phase.inner.verdict.callers == (CALLER,)
        seen[told_apart(moment)] += 1
    assert min(seen.values()) > STEPS, "a sweep that never names anybody, or always, shows nothing"


def test_a_call_whose_press_was_written_is_ruled_in_the_next_life_and_another_one_was_only_the_stop() -> None:
    """One transaction is enough to write the press.

    Before it is written, the next life shows the hand paused: people were stopped, no one was named, and the caller
    calls again.
    """
    unwritten = 0
    for played, moment in sweep():
        table, _ = next_life(played.pace_ms, moment.rows)
        assert table.state.phase.name == "POWER_BACK"
        inner: Any = table.state.phase.inner  # type: ignore[attr-defined]
        if moment.rows > played.known:
            assert (inner.name, inner.verdict.callers) == ("VERDICT", (CALLER,))
        else:
            assert inner.name == "TIMEOUT"
            unwritten += moment.lit == "**"
    assert unwritten == sum(min(pace_ms, STEPS - CONFIRMED_MS) for pace_ms in PACES_MS)


def test_the_next_life_shows_its_own_lamps_and_picture_whatever_was_left() -> None:
    for played, moment in sweep():
        _, seen = next_life(played.pace_ms, moment.rows)
        assert isinstance(seen.views[-1].screen, PowerBackScreen)
        assert seen.lit == ["..", "**"]  # they begin to blink when an answer counts
        assert "call" not in seen.heard


def test_a_verdict_that_was_shown_unsaved_said_so() -> None:
    """After two seconds without the disk the table goes on.

    A death then loses a ruled call, and the banner had said that nothing was saved.
    """
    pace_ms = 2 * PATIENCE_NS // MS
    last = life(pace_ms, PATIENCE_NS // MS + 100).moments
    named = [moment for moment in last if told_apart(moment)]
    assert named
    assert {moment.view.banner for moment in named} == {NOT_SAVED}


@pytest.mark.parametrize("pace_ms", PACES_MS)
def test_a_disk_writes_all_of_a_call_in_the_end(pace_ms: int) -> None:
    played = life(pace_ms, STEPS)
    assert [seq for seq, _ in played.rows] == list(range(played.rows[0][0], played.rows[-1][0] + 1))


def test_what_bots_are_shown_in_a_hand_is_what_a_death_leaves_but_for_taps_that_bind_nobody() -> None:
    """Checked at every 25th step of a long play.

    Durable rows lead to the same picture and table; in READY and COUNTING the players who are ready and the cells of a
    count may differ.
    """
    host = Host(Setup(stations=("1", "2", "3"), names=NAMES, options=(("target", 10_000),)), 3)
    host.hands.arrive("a page")
    live, journal, phases = host.live, host.journal, set[str]()
    for step in range(2_000):
        host.loop.until(host.loop.due_ns or 0)
        if step % 25 == 0:
            shown, left = live._shown, Engine.restored(journal.rows).state
            phases.add(shown.phase.name)
            assert left.table == shown.table
            assert left.phase.name == shown.phase.name
            if shown.phase.name not in ("READY", "COUNTING"):
                assert view(left, host.loop.now_ns).screen == view(shown, host.loop.now_ns).screen
            assert left.phase.after_cut().without_entries() == shown.phase.after_cut().without_entries()
    assert {"READY", "PLAYING", "COUNTING"} <= phases
    assert live.engine.state.table.hands
