"""Bots beside people: at some of the seats somebody else sits, sits down, gets up, or has played before they came."""

from __future__ import annotations

from typing import Any

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


def all_ready(rows: list[JournalRow], phase: str = "PLAYING") -> tuple[Evening, Visit]:
    """A table of these two and the bots 3 and 4 in that phase, both visitors having said that they have dealt."""
    evening, visit = at_the_table(rows, "3", "4")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1", "tap 2")
    visit.until_phase(phase)
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
    evening, visit = all_ready(rows)
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


def test_the_cards_lie_there_before_go() -> None:
    """From the first beat on everybody may look at them, nobody moves any; at Go the very same are played with."""
    evening = Evening(FOUR, Bots("1234", 3, pace_percent=20))
    visit = Visit(evening, [])
    visit.until_phase("READY")
    assert evening.bots.felt(evening.now_ns) is None
    visit.until_phase("STARTING")
    visit.rest(1200 * MS)
    dealt: Any = evening.bots.felt(evening.now_ns)
    assert [side["reserve"][0] for side in dealt["sides"]] == [13] * 4
    assert [len(side["piles"]) for side in dealt["sides"]] == [4] * 4
    assert dealt["lake"] == []
    evening.bots.do(1, "turn", evening.now_ns)
    assert evening.bots.felt_moves_ns(evening.now_ns) is None
    visit.until_phase("PLAYING")
    go_ns = evening.engine.view(evening.now_ns).go_ns or evening.now_ns
    at_go: Any = evening.bots.felt(go_ns)
    assert [(side["reserve"], side["piles"]) for side in at_go["sides"]] == [
        (side["reserve"], side["piles"]) for side in dealt["sides"]
    ]


def test_a_stopped_start_leaves_the_cards_and_another_company_deals_anew() -> None:
    """The same people: the same cards. One fewer: others, for three."""
    evening, visit = all_ready([], "STARTING")
    visit.rest(1200 * MS)
    dealt: Any = evening.bots.felt(evening.now_ns)
    visit.does("tap 1")
    visit.until_phase("STOPPED")
    assert evening.bots.felt(evening.now_ns) is not None
    visit.rest(S)
    visit.does("tap 1")
    visit.until_phase("STARTING")
    visit.rest(1200 * MS)
    again: Any = evening.bots.felt(evening.now_ns)
    assert [side["piles"] for side in again["sides"]] == [side["piles"] for side in dealt["sides"]]


def test_a_count_that_the_cards_do_not_say_is_shown_beside_them() -> None:
    """A visitor who enters nothing at all: what was entered stands beside what lies there; a right count shows none."""
    evening, visit = all_ready([])
    visit.rest(20 * S)
    visit.does("press 1")
    visit.until_phase("COUNTING")
    visit.rest(S)
    before: Any = evening.bots.felt(evening.now_ns)
    assert [side["counted"] for side in before["sides"]] == [[]] * 4
    visit.does(*("hold 1",) * 3)
    felt: Any = evening.bots.felt(evening.now_ns)
    first = felt["sides"][0]
    lake = sum(owner == 0 for _, owners in felt["lake"] for owner in owners)
    nothing = [first["counted"][0], 0]  # where another one has called first, at least one card is left
    assert nothing in ([0, 0], [1, 0])
    assert [first["reserve"][0], lake] != nothing
    assert [side["counted"] for side in felt["sides"]] == [nothing, [], [], []]
    visit.does("hold 2", "tap 2")
    open_yet: Any = evening.bots.felt(evening.now_ns)
    assert open_yet["sides"][1]["counted"] == []
