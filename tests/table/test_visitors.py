"""Bots beside people: at some of the seats somebody else sits, sits down, gets up, or has played before they came."""

from __future__ import annotations

from referee.core.match.engine import JournalRow
from referee.core.model.state import Setup
from referee.core.units import MS, S
from referee.table.bots import Bots
from referee.table.evening import Evening
from tests.core.sitting import Sitting

FOUR = Setup(stations=("1", "2", "3", "4"))


class Visit(Sitting):
    """A visitor's hands at a table with bots: gestures in the table's own time, at which the bots look afterwards."""

    def __init__(self, evening: Evening, rows: list[JournalRow]) -> None:
        super().__init__(FOUR)
        self.rows = rows
        self.evening = evening
        self.engine = evening.engine

    def does(self, *gestures: str) -> None:
        """`tap 1`, `choose Start`: one after the other, from now on."""
        self.engine, self.now_ns = self.evening.engine, self.evening.now_ns
        for gesture in gestures:
            verb, _, what = gesture.partition(" ")
            getattr(self, verb)(what)
            self.wait(300 * MS)
        self.evening.now_ns = self.now_ns
        self.evening.bots.look(self.engine.view(self.now_ns), self.now_ns)

    def rest(self, ns: int) -> None:
        """So long nobody but the bots does anything."""
        end_ns = self.evening.now_ns + ns
        while self.evening.now_ns < end_ns:
            self.evening.step()

    def until_phase(self, *names: str, steps: int = 3_000) -> None:
        """Let the bots play until the table is there."""
        for _ in range(steps):
            if self.evening.engine.state.phase.name in names:
                return
            self.evening.step()
        raise AssertionError(f"never {names}, but {self.evening.engine.state.phase.name}")


def at_the_table(rows: list[JournalRow], *bots: str) -> tuple[Evening, Visit]:
    """A table at which these bots are, and a visitor at 1 and another one at 2 have sat down."""
    evening = Evening(FOUR, Bots(bots, 3, pace_percent=20), journal=rows.extend)
    visit = Visit(evening, rows)
    visit.does("tap 1", "tap 2")
    return evening, visit


def test_a_hand_without_the_only_bot_goes_on_among_the_visitors() -> None:
    """Start without 4: at Go the bot deals nobody in, calls nothing, and the visitors' call stands."""
    evening, visit = at_the_table([], "4")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1", "tap 2", "choose Start without")
    visit.until_phase("PLAYING")
    visit.rest(20 * S)
    visit.does("press 1")
    visit.until_phase("COUNTING")
    assert evening.engine.state.table.absent == {"4"}


def test_bots_that_come_after_a_restart_leave_the_match_to_those_who_play_it() -> None:
    """Two people have begun, the device is started again with three bots: Go and the call are the people's."""
    rows: list[JournalRow] = []
    evening, visit = at_the_table(rows, "4")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1", "tap 2", "choose Start without")
    visit.until_phase("PLAYING")
    evening.sit(Bots("34", 9, pace_percent=20))
    evening.power_cut(rows, 60 * S)
    visit.rest(S)
    visit.does("tap 1", "tap 2")
    visit.until_phase("PLAYING")
    visit.rest(20 * S)
    visit.does("press 2")
    visit.until_phase("COUNTING")


def test_visitors_and_bots_play_a_hand_to_its_count() -> None:
    """Two of each, dealt in together; the device starts again in mid-hand with new bots, who play on."""
    rows: list[JournalRow] = []
    evening, visit = at_the_table(rows, "3", "4")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1", "tap 2")
    visit.until_phase("PLAYING")
    evening.sit(Bots("34", 9, pace_percent=20))
    evening.power_cut(rows, 60 * S)
    visit.rest(S)
    visit.does("tap 1", "tap 2")
    visit.until_phase("PLAYING")
    visit.until_phase("COUNTING")
    visit.rest(S)
    for seat in ("1", "2"):
        visit.does(*(f"hold {seat}",) * 3)
    visit.until_phase("READY")
    assert len(evening.engine.state.table.hands) == 1
