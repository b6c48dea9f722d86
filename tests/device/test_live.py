"""Tests of the live loop: horizon, journal pace, urgent outputs and the next wake-up time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.match import advance as match
from referee.core.match import aside as aside_module
from referee.core.match import engine as engine_module
from referee.core.match.engine import Engine
from referee.core.match.viewer import view
from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Opened, PhoneSat, Resumed, Ruled, Turned
from referee.core.model.state import State
from referee.core.model.table import Setup, Table
from referee.core.model.view import (
    ClockLine,
    CountScreen,
    LobbyScreen,
    MenuScreen,
    PhoneLine,
    PowerBackScreen,
    StopScreen,
    VerdictScreen,
    View,
)
from referee.core.phases.over import Over
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import replace
from referee.device import live as live_module
from referee.device.floods import BURST, CALM_NS
from referee.device.live import (
    ENTRY_NS,
    NO_BUTTONS,
    NOT_SAVED,
    PATIENCE_NS,
    QUIET_NS,
    SEE_LOG,
    SEE_REFEREE,
    Live,
    keepable,
)
from tests.device.one_thread import Loop
from tests.english import en
from tests.storage.evenings.memory import MemoryJournal

SLACK_NS = 300_000


@dataclass
class Seen:
    """An output that records what it is given."""

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
    """A live loop with its journal, output and event loop.

    `engine`: a table restored with its clock.
    """

    def __init__(self, *, by_hand: bool = False, engine: Engine | None = None) -> None:
        self.loop = Loop() if engine is None else Loop(engine.state.now_ns + 1 * S)
        self.journal = MemoryJournal(by_hand=by_hand, report=self._durable)
        self.kept: list[tuple[Table, int, int]] = []  # states handed over: table, number, highest durable row
        self.seen = Seen()
        self.kernel: list[Edge | Turned] = []
        engine = engine or Engine(Opened(0, "boot", Setup(stations=("1", "2")).document()))
        self.live = Live(
            engine,
            self.journal,
            self.seen,
            clock=self.loop.clock,
            drain=self.drain,
            slack_ns=SLACK_NS,
            kept=self._kept,
        )
        self.live.start(self.loop)

    def _kept(self, state: State) -> None:
        self.kept.append((state.table, state.seq, self.journal.durable_seq))

    def _durable(self, seq: int) -> None:
        self.live.durable(seq)

    def drain(self) -> None:
        """Deliver the rows held by the kernel to the loop."""
        rows, self.kernel = self.kernel, []
        self.live.feed(rows)

    def press(self, station: str, at_ns: int, ns: int = 100 * MS) -> None:
        """Press cleanly and report the press when it happens."""
        for closed, t_ns in ((True, at_ns), (False, at_ns + ns)):
            self.loop.until(t_ns)
            self.live.feed([Edge(station, closed, t_ns, SLACK_NS)])
        self.loop.until(at_ns + ns + 60 * MS)

    def wait(self, ns: int) -> None:
        """Advance the time."""
        self.loop.until(self.loop.now_ns + ns)

    def play(self) -> None:
        """Let two players join, start and play."""
        for station in ("1", "2", "knob", "knob"):
            self.press(station, self.loop.now_ns + 1 * S)
        self.wait(1 * S)
        for station in ("1", "2"):
            self.press(station, self.loop.now_ns + 1 * S)
        self.wait(5 * S)
        assert self.live.engine.state.phase.name == "PLAYING"

    @property
    def screen(self) -> object:
        """Return the last picture."""
        return self.seen.views[-1].screen


def test_rows_wait_until_everything_before_them_must_be_in() -> None:
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
    """The verdict waits for its row. The stop tone and the lamps come at once and name no one."""
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


def test_a_phone_is_answered_once_its_row_is_durable_with_the_table_as_it_was_left() -> None:
    room, answers = Room(by_hand=True), list[str | None]()
    room.journal.settle()
    room.wait(0)
    for station, name in (("1", "Anna"), ("2", "Ben")):
        fact = PhoneSat(room.loop.now_ns, f"phone-{station}", station, name)
        room.live.ask(fact, lambda then, station=station: answers.append(then.table.seat(station).name))  # type: ignore[misc]
        room.live.ask(replace(fact, name=""), lambda then: then.no_such_field)  # type: ignore[attr-defined]
    room.wait(1 * MS)
    assert answers == []
    assert room.live.engine.state.table.seats[0].name == "Anna"
    room.journal.settle()
    room.wait(1 * MS)
    assert answers == ["Anna", "Ben"]


def test_a_journal_that_does_not_answer_for_two_seconds_is_told_and_passed() -> None:
    room = Room()
    room.journal.fail()
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
    room = Room()
    room.wait(61 * S)
    views, rows, steps = len(room.seen.views), len(room.journal.rows), room.live.steps
    room.wait(60 * S)
    assert len(room.seen.views) == views
    assert len(room.journal.rows) == rows
    assert room.live.steps - steps <= 121


@given(st.permutations([("1", 0), ("2", 7 * MS)]), st.integers(0, 10 * MS))
def test_the_order_in_which_rows_reach_the_loop_does_not_matter(rows: list[tuple[str, int]], late_ns: int) -> None:
    """Threads may hand over rows in any order within the horizon."""
    room = Room()
    room.play()
    start = room.loop.now_ns + 5 * MS
    room.loop.until(start + 7 * MS)
    room.live.feed([Edge(s, True, start + at, SLACK_NS) for s, at in rows])
    room.wait(late_ns + 200 * MS)
    assert isinstance(room.screen, VerdictScreen)
    assert [label.numbers for label in room.screen.callers] == [(1,), (2,)]


def test_clocks_are_shown_and_a_loose_one_is_said() -> None:
    room = Room()
    room.live._clocks = lambda: (ClockLine("pod 3f2a", (5, 6), 12 * MS),)
    room.live.show_again()
    assert room.seen.views[-1].clocks == (ClockLine("pod 3f2a", (5, 6), 12 * MS),)
    assert en(room.seen.views[-1].banner) == "CLOCK 5,6 ±12 MS"
    room.live._clocks = lambda: (ClockLine("pod 3f2a", (5, 6), 1 * MS),)
    room.live.step()
    assert room.seen.views[-1].banner is None


def test_a_phone_s_note_is_shown_when_nothing_else_changes() -> None:
    room, noted = Room(), (PhoneLine("phone-1", 1, msg("own.fist.count", done=1, all=10)),)
    room.live.show_again()
    shown = len(room.seen.views)
    room.live.dress(lambda seen: replace(seen, phones=noted))
    room.live.step()
    room.live.step()
    assert len(room.seen.views) == shown + 1
    assert room.seen.views[-1].phones == noted


def test_rows_are_taken_in_order_of_arrival() -> None:
    """A pod's row can happen before a wired row and arrive after it.

    Both wait until their arrival time has passed.
    """
    room = Room()
    at = room.loop.now_ns
    wired, remote = Edge("1", True, at + 3 * MS), Edge("2", True, at + 1 * MS, 200_000, at + 4 * MS)
    room.live.feed([remote, wired])
    room.loop.until(at + 3 * MS + SLACK_NS)
    assert [edge.station for edge in room.live.engine.state.trail] == ["1"]
    room.loop.until(at + 6 * MS)
    assert [row for _, row in room.journal.rows if isinstance(row, Edge)] == [wired, remote]


def test_a_flood_of_one_contact_delays_no_other_s_call(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.play()
    at = room.loop.now_ns
    rows = [Edge("2", n % 2 == 0, at + n, SLACK_NS) for n in range(20_000)]
    for n in range(0, len(rows), 100):
        room.live.feed(rows[n : n + 100])
        assert len(room.live._inbox) <= BURST + 1
    room.press("1", at + 2 * MS)
    assert isinstance(room.seen.views[-1].screen, VerdictScreen)
    assert [label.numbers for label in room.seen.views[-1].screen.callers] == [(1,)]
    assert en(room.seen.views[-1].banner) == "NO LINK 2"
    assert len([row for _, row in room.journal.rows if isinstance(row, Edge) and row.station == "2"]) < BURST + 20
    room.wait(CALM_NS + 1 * S)
    assert room.seen.views[-1].banner is None
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "the contact 2 sends more changes than a hand can make",
        "the contact 2 is calm again and counts again",
    ]


def test_an_edge_is_written_with_the_press_that_it_becomes_and_a_chattering_contact_holds_nothing_up() -> None:
    """Both go in one transaction. Rows wait at most 2 ms for it, a stop does not wait.

    Rows that change nothing visible are written in one transaction after `QUIET_NS`.
    """
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
    assert len(room.journal.rows) == before
    room.wait(QUIET_NS + S)
    assert len(room.journal.rows) > before + 8
    room.live.stop()
    assert Engine.restored(room.journal.rows).state == room.live.engine.state


def test_a_power_cut_takes_no_more_than_ten_seconds_off_a_hand_s_clock() -> None:
    room = Room()
    room.play()
    room.wait(18 * S)
    engine = Engine.restored(room.journal.rows)
    engine.intake([Resumed(5 * S, "boot-2", 5)], 5 * S)
    played = room.live.engine.state.phase.clock_ns(room.loop.now_ns)  # type: ignore[attr-defined]
    screen = engine.view(5 * S).screen
    assert isinstance(screen, PowerBackScreen)
    assert screen.played_ns is not None
    assert played - 11 * S < screen.played_ns <= played


def test_rows_that_tell_nobody_anything_are_written_with_the_next_that_does() -> None:
    room = Room(by_hand=True)
    room.journal.settle()
    room.loop.until(room.loop.now_ns)
    for station in ("1", "2"):
        room.press(station, room.loop.now_ns + 1 * S)
        room.journal.settle()
        room.wait(1 * MS)
    before = room.live.engine.state.seq
    assert room.journal.durable_seq < before  # the second player's release
    room.wait(3 * S)
    assert not room.journal._unsaved
    room.press("knob", room.loop.now_ns)
    assert room.journal._unsaved[0][0] == room.journal.durable_seq + 1
    assert isinstance(room.seen.views[-1].screen, LobbyScreen)
    room.journal.settle()
    room.wait(1 * MS)
    assert isinstance(room.seen.views[-1].screen, MenuScreen)


def test_a_count_is_shown_as_it_is_typed_and_written_before_it_can_be_sealed() -> None:
    """A cell follows the tap while the disk sleeps.

    Its rows are handed over after `ENTRY_NS`, before a seal.
    """
    room = Room(by_hand=True)

    def saved() -> None:
        room.journal.settle()
        room.wait(1 * MS)

    for station in ("1", "2", "knob", "knob"):
        room.press(station, room.loop.now_ns + 1 * S)
        saved()
    room.wait(1 * S)
    for station in ("1", "2"):
        room.press(station, room.loop.now_ns + 5 * S)
        saved()
    for _ in range(10):
        room.wait(1 * S)
        saved()
    room.press("1", room.loop.now_ns + 1 * S)
    for _ in range(20):
        room.wait(1 * S)
        saved()
    assert isinstance(room.seen.views[-1].screen, CountScreen)
    first = room.loop.now_ns
    room.press("2", first)
    screen = room.seen.views[-1].screen
    assert isinstance(screen, CountScreen)
    assert [cell.fields[0] for cell in screen.cells] == ["0", "1"]
    assert room.journal.durable_seq < room.live.engine.state.seq
    assert not room.journal._unsaved
    room.loop.until(first + ENTRY_NS + 300 * MS)
    assert room.journal._unsaved[-1][0] == room.live.engine.state.seq
    assert room.seen.views[-1].banner is None


def test_tables_are_kept_once_they_are_durable() -> None:
    room = Room()
    room.play()
    seated, room.kept = len(room.kept), []
    assert seated
    room.journal.fail()
    room.press("1", room.loop.now_ns + 1 * S)
    room.wait(60 * S)
    assert room.live.unsaved
    assert room.live.engine.state.phase.name == "COUNTING"
    assert not room.kept
    room.journal.heal()
    room.wait(1 * S)
    tables = [table for table, _, _ in room.kept]
    assert tables[-1] is room.live.engine.state.table
    assert all(now is not before for before, now in pairwise(tables))
    assert all(seq <= durable for _, seq, durable in room.kept)


def test_an_event_that_the_core_cannot_take_is_marked_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_row_that_raises_only_at_the_next_start_is_marked_and_said_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that an older release accepted: the table opens without it and the display says where to look."""
    before = Room()
    before.play()
    before.live.feed([Turned(before.loop.now_ns, 1)])
    before.press("1", before.loop.now_ns + 1 * S)
    before.wait(1 * S)
    [seq] = [seq for seq, event in before.journal.rows if isinstance(event, Turned)]
    assert before.seen.views[-1].banner is None
    with monkeypatch.context() as within:
        within.delitem(match._EVENTS, Turned)
        engine = Engine.restored(before.journal.rows)
    engine.intake([Resumed(before.loop.now_ns, "boot", 5)], before.loop.now_ns)
    room = Room(engine=engine)
    room.wait(1 * S)
    assert [*room.journal.aside] == [seq]
    assert room.seen.views[-1].banner == SEE_LOG
    room.live.feed([Turned(room.loop.now_ns, 1)])
    room.wait(1 * S)
    assert [*room.journal.aside] == [seq]


def test_a_way_that_the_transition_table_does_not_name_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Engine, "strict", False)
    monkeypatch.setattr(match, "check_target", lambda game, key, step: replace(step, astray=("no row says so",)))
    room = Room()
    room.play()
    assert room.seen.views[-1].phase != "LOBBY"
    assert [record.message for record in caplog.records] == ["the transition table: no row says so"]


def test_a_note_stands_until_somebody_has_had_the_time_to_read_it() -> None:
    """A touch in the first five seconds is ignored; a later one removes the note.

    Time alone does not.
    """
    room = Room()
    room.live.tell(msg("toast.last_unreadable"))
    room.press("1", room.loop.now_ns + 1 * S)
    room.wait(600 * S)
    assert en(room.seen.views[-1].banner) == "LAST MATCH UNREADABLE"
    room.live.feed([Turned(room.loop.now_ns, 1)])
    room.wait(1 * S)
    assert room.seen.views[-1].banner is None


def test_a_table_that_is_never_switched_off_begins_another_evening_at_the_first_touch_after_an_hour() -> None:
    """This way an idle table writes nothing."""
    room = Room()
    room.play()
    room.live.engine.state = replace(room.live.engine.state, phase=Over(room.loop.now_ns, ("1",)))
    room.wait(3600 * S)
    assert sum(isinstance(event, Opened) for _, event in room.journal.rows) == 1
    room.press("1", room.loop.now_ns + 1 * S)
    room.live.stop()
    _, at = [index for index, (_, event) in enumerate(room.journal.rows) if isinstance(event, Opened)]
    assert Engine.restored(room.journal.rows[at:]).state == room.live.engine.state


# -- failures at the boundaries ----------------------------------------------------------------------------------------


class Trouble:
    """Raises while it lasts, in place of the replaced function; counts the calls."""

    def __init__(self, instead_of: Callable[..., Any], error: Exception) -> None:
        self._call, self._error = instead_of, error
        self.lasts, self.asked = True, 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.asked += 1
        if self.lasts:
            raise self._error
        return self._call(*args, **kwargs)


def banner(room: Room) -> Msg | None:
    """Return the text of the banner."""
    return room.seen.views[-1].banner


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_mistake_in_the_match_itself_ends_no_loop_and_makes_none_that_runs_in_circles(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is logged once and retried after a growing pause, or at once on a press.

    The watchdog is informed.
    """
    room = Room()
    room.play()
    live = room.live
    trouble = Trouble(live.engine.intake, ArithmeticError("a mistake"))
    live.engine.intake = trouble  # type: ignore[method-assign]
    room.press("1", room.loop.now_ns)
    room.wait(60 * S)
    assert trouble.asked < 200
    assert live.stuck(10 * S)
    assert banner(room) == SEE_REFEREE
    assert lines(caplog) == ["the match lost: a mistake"]
    trouble.lasts = False
    room.press("1", room.loop.now_ns)
    room.wait(1 * S)
    assert isinstance(room.screen, VerdictScreen)
    assert not live.stuck(10 * S)
    assert banner(room) is None
    assert lines(caplog) == ["the match lost: a mistake", "the match is back"]


def test_a_picture_that_cannot_be_made_keeps_no_call_from_being_judged_and_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    room = Room()
    room.play()
    trouble = Trouble(view, ZeroDivisionError("no picture"))
    monkeypatch.setattr(live_module, "view", trouble)
    steps = room.live.steps
    room.press("1", room.loop.now_ns)
    room.wait(2 * S)
    assert "call" in room.seen.heard
    assert any(isinstance(event, Ruled) for _, event in room.journal.rows)
    assert room.seen.views[-1].phase == "PLAYING"
    assert banner(room) == SEE_REFEREE
    assert room.live.steps - steps < 100
    trouble.lasts = False
    room.wait(10 * S)
    assert room.seen.views[-1].phase != "PLAYING"
    assert banner(room) is None
    assert [line for line in lines(caplog) if line.startswith("the picture")] == [
        "the picture lost: no picture",
        "the picture is back",
    ]


def test_rows_that_a_journal_does_not_take_wait_and_go_in_their_order() -> None:
    room = Room()
    trouble = Trouble(room.journal.append, OSError("no journal"))
    room.journal.append = trouble  # type: ignore[method-assign]
    room.press("1", room.loop.now_ns + 1 * S)
    room.wait(3 * S)
    assert banner(room) == NOT_SAVED
    room.press("2", room.loop.now_ns)
    trouble.lasts = False
    room.wait(20 * S)
    assert banner(room) is None
    assert Engine.restored(room.journal.rows).state == room.live.engine.state


def test_a_row_that_a_journal_will_never_take_costs_no_more_than_itself() -> None:
    """The journal restarts with the current table, so the hand survives the next start."""
    room = Room()
    room.play()
    append = room.journal.append
    refused: list[int] = []

    def choosy(rows: Sequence[Any]) -> None:
        if not refused and any(isinstance(event, Edge) for _, event in rows):
            refused.append(rows[0][0])
            raise ValueError("this row cannot be read again")
        append(rows)

    room.journal.append = choosy  # type: ignore[method-assign]
    room.press("1", room.loop.now_ns)
    room.wait(1 * S)
    assert isinstance(room.screen, VerdictScreen)
    assert banner(room) == SEE_LOG
    begins = max(at for at, (_, event) in enumerate(room.journal.rows) if isinstance(event, Opened))
    kept = Engine.restored(room.journal.rows[begins:]).state
    assert kept.phase == room.live.engine.state.phase
    assert kept.table == room.live.engine.state.table


def test_buttons_that_cannot_be_read_are_said_and_those_on_pods_go_on() -> None:
    room = Room()
    room.play()
    trouble = Trouble(room.drain, OSError("no chip"))
    room.live._drain = trouble
    room.wait(2 * S)
    room.press("1", room.loop.now_ns)
    room.wait(1 * S)
    assert isinstance(room.screen, VerdictScreen)
    assert banner(room) == NO_BUTTONS
    trouble.lasts = False
    room.wait(20 * S)
    assert banner(room) is None


@pytest.mark.parametrize(
    "fact",
    [
        Edge("1", True, 2**64 - 5_000),
        Edge("1", True, 5 * S, 2**64 - 5_000, 5 * S),
        Edge("1", True, 5 * S, -1, 5 * S),
        Turned(2**63, 1),
    ],
)
def test_a_row_that_no_journal_could_keep_is_not_taken(fact: Edge | Turned, caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.play()
    assert not keepable(fact)
    room.live.feed([fact])
    room.wait(1 * MS)
    assert room.seen.views[-1].banner == SEE_LOG
    room.press("2", room.loop.now_ns)
    room.wait(1 * S)
    [ruled] = [event for _, event in room.journal.rows if isinstance(event, Ruled)]
    assert ruled.verdict.callers == ("2",)
    assert len(lines(caplog)) == 1
    assert "the journal cannot store it" in lines(caplog)[0]


def unshowable(monkeypatch: pytest.MonkeyPatch, when: Callable[[State, int], bool]) -> None:
    """Make tables for which `when` is true impossible to draw."""

    def picture(state: State, now_ns: int) -> View:
        if when(state, now_ns):
            raise ZeroDivisionError("no picture")
        return view(state, now_ns)

    for module in (live_module, engine_module, aside_module):
        monkeypatch.setattr(module, "view", picture)


def kept(room: Room) -> Engine:
    """Return the table that the next start would restore."""
    return Engine.restored(room.journal.rows, room.journal.aside)


def test_what_leads_to_no_picture_is_set_aside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    room = Room()
    for station in ("1", "2"):
        room.press(station, room.loop.now_ns + S)
    unshowable(monkeypatch, lambda state, now_ns: state.menu is not None)
    steps = room.live.steps
    room.press("knob", room.loop.now_ns + S)
    room.wait(5 * S)
    assert len(room.journal.aside) == 1
    assert [type(view.screen) for view in room.seen.views[-1:]] == [LobbyScreen]
    assert banner(room) == SEE_LOG
    assert room.live.steps - steps < 100
    assert [line for line in lines(caplog) if line.startswith("the look")] == [
        "the look ahead lost: no picture",
        "the look ahead is back",
    ]
    assert kept(room).sentence == ""
    assert kept(room).state.table == room.live.engine.state.table
    monkeypatch.undo()
    room.press("knob", room.loop.now_ns + S)
    assert [type(view.screen) for view in room.seen.views[-1:]] == [MenuScreen]


def test_a_picture_that_is_late_to_fail_lasts_no_longer_than_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room()
    room.play()
    late_ns = room.loop.now_ns + 3 * S
    unshowable(monkeypatch, lambda state, now_ns: state.phase.name == "PLAYING" and now_ns >= late_ns)
    room.live.poke()
    room.loop.until(late_ns)
    room.live.poke()
    room.wait(PATIENCE_NS - 100 * MS)
    assert room.seen.views[-1].phase == "PLAYING"
    room.wait(10 * S)
    assert room.seen.views[-1].phase == "TIMEOUT"
    assert banner(room) == SEE_LOG
