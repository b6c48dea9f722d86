"""The live loop: the horizon, the journal's pace, what is urgent, and when it wants to be called again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import match
from referee.core.engine import LONG_EVENING, Engine
from referee.core.events import Cue, Opened, Turned
from referee.core.signals import Edge
from referee.core.state import Setup
from referee.core.units import MS, S
from referee.core.view import ClockLine, LobbyScreen, StopScreen, VerdictScreen, View
from referee.drivers.journal_memory import MemoryJournal
from referee.live import NOT_SAVED, PATIENCE_NS, READ_NS, SEE_LOG, Live

SLACK_NS = 300_000


@dataclass
class Loop:
    """The part of an event loop that the live loop uses, in the test's own time."""

    now_ns: int = 1 * S
    timer: tuple[int, Callable[[], None]] | None = None
    calls: list[Callable[[], None]] = field(default_factory=list)

    def call_soon_threadsafe(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def call_later(self, delay_s: float, call: Callable[[], None]) -> Any:
        self.timer = (self.now_ns + round(delay_s * S), call)
        return self

    def cancel(self) -> None:
        self.timer = None

    def until(self, at_ns: int) -> None:
        """Run everything that falls due up to an instant."""
        while True:
            while self.calls:
                self.calls.pop(0)()
            if self.timer is None or self.timer[0] > at_ns:
                break
            self.now_ns, call = max(self.now_ns, self.timer[0]), self.timer[1]
            self.timer = None
            call()
        self.now_ns = max(self.now_ns, at_ns)


@dataclass
class Seen:
    """An output that remembers."""

    views: list[View] = field(default_factory=list)
    lit: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def show(self, view: View) -> None:
        self.views.append(view)

    def lamps(self, lamps: Sequence[Any]) -> None:
        self.lit.append("".join("*" if lamp.lit else "." for lamp in lamps))

    def sound(self, cue: Cue) -> None:
        self.heard.append(cue.name)


class Room:
    """A live loop with its journal, its output and its loop."""

    def __init__(self, *, by_hand: bool = False) -> None:
        self.loop = Loop()
        self.journal = MemoryJournal(by_hand=by_hand, report=self._durable)
        self.seen = Seen()
        self.kernel: list[Edge | Turned] = []
        engine = Engine(Opened(0, "boot", Setup(stations=("1", "2")).document()))
        self.live = Live(
            engine,
            self.journal,
            self.seen,
            clock=lambda: self.loop.now_ns,
            drain=self.drain,
            slack_ns=SLACK_NS,
        )
        self.live.start(self.loop)  # type: ignore[arg-type]

    def _durable(self, seq: int) -> None:
        self.live.durable(seq)

    def drain(self) -> None:
        """What the kernel holds comes to the loop."""
        rows, self.kernel = self.kernel, []
        self.live.feed(rows)

    def press(self, station: str, at_ns: int, ns: int = 100 * MS) -> None:
        """A clean press, reported when it happens."""
        for closed, t_ns in ((True, at_ns), (False, at_ns + ns)):
            self.loop.until(t_ns)
            self.live.feed([Edge(station, closed, t_ns, SLACK_NS)])
        self.loop.until(at_ns + ns + 60 * MS)

    def wait(self, ns: int) -> None:
        """Let time pass."""
        self.loop.until(self.loop.now_ns + ns)

    def play(self) -> None:
        """Two join, start and play."""
        for station in ("1", "2", "knob", "knob"):
            self.press(station, self.loop.now_ns + 1 * S)
        self.wait(1 * S)
        for station in ("1", "2"):
            self.press(station, self.loop.now_ns + 1 * S)
        self.wait(5 * S)
        assert self.live.engine.state.phase.name == "PLAYING"

    @property
    def screen(self) -> object:
        """The last picture."""
        return self.seen.views[-1].screen


def test_rows_wait_until_everything_before_them_must_be_in() -> None:
    """A row is taken in only when the horizon has passed it: an earlier one that comes later still goes first."""
    room = Room()
    room.wait(1 * S)
    now = room.loop.now_ns
    room.live.feed([Edge("1", True, now, SLACK_NS)])
    room.loop.until(now + 100_000)
    assert room.live.engine.state.rows == 0
    room.live.feed([Edge("2", True, now - 50_000, SLACK_NS)])
    room.loop.until(now + 400_000)
    assert [edge.station for edge in room.live.engine.state.trail] == ["2", "1"]


def test_a_deadline_is_acted_on_only_after_a_read_begun_behind_it() -> None:
    """What the kernel still holds when a deadline falls is in before the deadline is."""
    room = Room()
    room.play()
    start = room.loop.now_ns
    room.live.feed([Edge("1", True, start, SLACK_NS)])
    room.loop.until(start + 25 * MS)
    room.kernel.append(Edge("2", True, start + 15 * MS, SLACK_NS))
    room.loop.until(start + 100 * MS)
    assert isinstance(room.screen, VerdictScreen)
    assert room.screen.kind == "tie"


def test_outputs_follow_the_durable_state_and_only_the_stop_does_not_wait() -> None:
    """The verdict waits for its row; the stop tone and the lamps are there at once, naming nobody."""
    room = Room(by_hand=True)
    room.journal.settle()
    room.loop.until(room.loop.now_ns)
    for station in ("1", "2", "knob", "knob", "1", "2"):
        room.press(station, room.loop.now_ns + 1 * S)
        room.journal.settle()
        room.wait(1 * S)
        room.journal.settle()
    for _ in range(60):
        room.wait(100 * MS)
        room.journal.settle()
        room.wait(0)
    before = len(room.seen.views)
    room.seen.heard.clear()
    room.live.feed([Edge("1", True, room.loop.now_ns, SLACK_NS)])
    room.wait(200 * MS)
    assert room.seen.heard == ["call"]
    assert room.seen.lit[-1] == "**"
    assert not any(isinstance(view.screen, StopScreen | VerdictScreen) for view in room.seen.views[before:])
    room.journal.settle()
    room.wait(1 * MS)
    assert isinstance(room.screen, VerdictScreen)
    assert room.seen.heard == ["call", "verdict_clear"]


def test_a_journal_that_does_not_answer_for_two_seconds_is_told_and_passed() -> None:
    """The table goes on under a banner, and the banner goes when everything is saved."""
    room = Room()
    room.journal.fail("disk full")
    room.press("1", room.loop.now_ns + 1 * S)
    assert isinstance(room.screen, LobbyScreen)
    assert room.screen.teams == 0
    room.wait(PATIENCE_NS)
    assert isinstance(room.screen, LobbyScreen)
    assert room.screen.teams == 1
    assert room.seen.views[-1].banner == NOT_SAVED
    room.seen.views.clear()
    room.wait(30 * S)
    assert {view.banner for view in room.seen.views} == {NOT_SAVED}, "it stays while nothing has been saved"
    room.journal.heal()
    room.wait(1 * MS)
    assert room.seen.views[-1].banner is None


def test_nothing_happens_in_a_quiet_lobby_but_the_lamps() -> None:
    """No picture, no row, and no wake-up beyond the 1 Hz blink, once the screen has dimmed."""
    room = Room()
    room.wait(61 * S)
    views, rows, steps = len(room.seen.views), len(room.journal.rows), room.live.steps
    room.wait(60 * S)
    assert len(room.seen.views) == views
    assert len(room.journal.rows) == rows
    assert room.live.steps - steps <= 121


def test_an_output_that_joins_late_sees_what_is_shown() -> None:
    """The page opens after the device is ready and begins with the present picture."""
    room = Room()
    shown = len(room.seen.views)
    room.live.show_again()
    assert len(room.seen.views) == shown + 1
    room.wait(0)
    room.live.stop()
    room.live.feed([Turned(room.loop.now_ns, 1)])
    assert room.loop.calls == []


@given(st.permutations([("1", 0), ("2", 7 * MS)]), st.integers(0, 10 * MS))
def test_the_order_in_which_rows_reach_the_loop_does_not_matter(rows: list[tuple[str, int]], late_ns: int) -> None:
    """Threads may hand rows over in any order within the horizon: the verdict is the same."""
    room = Room()
    room.play()
    start = room.loop.now_ns + 5 * MS
    room.loop.until(start + 7 * MS)
    room.live.feed([Edge(s, True, start + at, SLACK_NS) for s, at in rows])
    room.wait(late_ns + 200 * MS)
    assert isinstance(room.screen, VerdictScreen)
    assert [label.numbers for label in room.screen.callers] == [(1,), (2,)]


def test_clocks_are_shown_and_a_loose_one_is_said() -> None:
    """As they are known when something else is shown, too; the journal's trouble is said first."""
    room = Room()
    room.live._clocks = lambda: (ClockLine("pod 3f2a", (5, 6), 12 * MS),)
    room.live.show_again()
    assert room.seen.views[-1].clocks == (ClockLine("pod 3f2a", (5, 6), 12 * MS),)
    assert room.seen.views[-1].banner == "CLOCK 5,6 ±12 MS"
    room.live._clocks = lambda: (ClockLine("pod 3f2a", (5, 6), 1 * MS),)
    room.live.step()
    assert room.seen.views[-1].banner is None


def test_rows_are_taken_in_order_of_arrival() -> None:
    """A pod's row happened before a wired one and came after it; both wait until their arrival has passed."""
    room = Room()
    at = room.loop.now_ns
    wired, remote = Edge("1", True, at + 3 * MS), Edge("2", True, at + 1 * MS, 200_000, at + 4 * MS)
    room.live.feed([remote, wired])
    room.loop.until(at + 3 * MS + SLACK_NS)
    assert [edge.station for edge in room.live.engine.state.trail] == ["1"]
    room.loop.until(at + 6 * MS)
    assert [row for _, row in room.journal.rows if isinstance(row, Edge)] == [wired, remote]


def test_an_edge_is_written_with_the_press_that_it_becomes_and_a_chattering_contact_holds_nothing_up() -> None:
    """One transaction for both; rows wait 2 ms at most for that, and a stop for nothing. None is left behind."""
    room = Room()
    room.play()
    start, before = room.loop.now_ns, len(room.journal.rows)
    room.live.feed([Edge("1", True, start, SLACK_NS), Edge("2", True, start + 700_000, SLACK_NS)])
    room.loop.until(start + 1 * MS)
    assert len(room.journal.rows) == before
    room.loop.until(start + 1 * MS + SLACK_NS)
    assert room.seen.heard[-1] == "call"
    assert [type(event).__name__ for _, event in room.journal.rows[before:]] == ["Edge", "Edge", "Tick"]
    room.wait(5 * S)
    start, before = room.loop.now_ns, len(room.journal.rows)
    for n in range(8):
        room.live.feed([Edge("1", n % 2 == 0, start + n * 900_000, SLACK_NS)])
        room.loop.until(start + n * 900_000 + SLACK_NS)
    assert len(room.journal.rows) > before + 4
    room.live.stop()
    assert Engine.restored(room.journal.rows).state == room.live.engine.state


def test_a_journal_that_is_lost_in_mid_match_begins_with_where_the_table_stands() -> None:
    """The next power cut finds the hand as it is; the screen says once that the log has more."""
    room = Room()
    room.play()
    room.journal.lose()
    room.wait(1 * S)
    assert room.seen.views[-1].banner == SEE_LOG
    assert isinstance(room.journal.rows[0][1], Opened)
    room.press("1", room.loop.now_ns + 1 * S)
    room.wait(1 * S)
    assert Engine.restored(room.journal.rows).state == room.live.engine.state
    assert room.live.engine.state.phase.name == "VERDICT"
    room.press("1", room.loop.now_ns + READ_NS)
    assert room.seen.views[-1].banner is None


def test_an_event_that_the_core_cannot_take_is_marked_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table goes on; the next start skips the row and stands where this one does."""
    room = Room()
    with monkeypatch.context() as within:
        within.delitem(match._EVENTS, Turned)
        room.live.feed([Turned(room.loop.now_ns, 1)])
        room.wait(1 * S)
    [(seq, reason)] = room.journal.aside.items()
    assert isinstance(dict(room.journal.rows)[seq], Turned)
    assert (reason.partition(":")[0], room.seen.views[-1].banner) == ("Turned", SEE_LOG)
    room.play()
    assert Engine.restored(room.journal.rows, room.journal.aside).state == room.live.engine.state


def test_a_note_stands_until_somebody_has_had_the_time_to_read_it() -> None:
    """A touch in its first five seconds was on its way; a later one takes it away, and time alone does not."""
    room = Room()
    room.live.tell("LAST MATCH UNREADABLE")
    room.press("1", room.loop.now_ns + 1 * S)
    room.wait(600 * S)
    assert room.seen.views[-1].banner == "LAST MATCH UNREADABLE"
    room.live.feed([Turned(room.loop.now_ns, 1)])
    room.wait(1 * S)
    assert room.seen.views[-1].banner is None


def test_a_table_that_is_never_switched_off_begins_a_journal_anew_when_a_long_evening_is_over() -> None:
    """At the first touch, so that an idle table writes nothing."""
    room = Room()
    while room.live.engine.state.seq <= LONG_EVENING:
        room.live.feed([Turned(room.loop.now_ns, 1)])
        room.wait(1 * MS)
    room.wait(3600 * S)
    assert sum(isinstance(event, Opened) for _, event in room.journal.rows) == 1
    room.press("1", room.loop.now_ns + 1 * S)
    _, at = [index for index, (_, event) in enumerate(room.journal.rows) if isinstance(event, Opened)]
    assert Engine.restored(room.journal.rows[at:]).state == room.live.engine.state
