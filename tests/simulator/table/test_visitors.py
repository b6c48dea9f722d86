"""Bots among people, who sit down, get up, or have played before the bots came."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from referee.core.games.thirtyone.rules import PRESETS
from referee.core.games.thirtyone.scoring import Card, value_of
from referee.core.match.engine import JournalRow
from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.core.values import replace
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from tests.core.sitting import Sitting
from tests.simulator.table.cut import CutEvening

FOUR = Setup(stations=("1", "2", "3", "4"))


class Visit(Sitting):
    """A visitor's gestures at a table with bots, which look afterwards."""

    def __init__(self, evening: Evening, rows: list[JournalRow]) -> None:
        super().__init__(FOUR)
        self.rows = rows
        self.evening = evening
        self.engine = evening.engine

    def does(self, *gestures: str) -> None:
        """Do `tap 1`, `choose Start` and so on, one after the other."""
        self.engine, self.now_ns = self.evening.engine, self.evening.now_ns
        for gesture in gestures:
            verb, _, what = gesture.partition(" ")
            getattr(self, verb)(what)
            self.wait(300 * MS)
        self.evening.now_ns = self.now_ns
        self.evening.bots.look(self.engine.view(self.now_ns), self.now_ns)

    def rest(self, ns: int) -> None:
        """Wait for `ns` while only the bots act."""
        end_ns = self.evening.now_ns + ns
        while self.evening.now_ns < end_ns:
            self.evening.step()

    def until_phase(self, *names: str, steps: int = 3_000) -> None:
        """Let the bots play until the table is in that phase."""
        for _ in range(steps):
            if self.evening.engine.state.phase.name in names:
                return
            self.evening.step()
        raise AssertionError(f"never {names}, but {self.evening.engine.state.phase.name}")


def at_the_table(rows: list[JournalRow], *bots: str) -> tuple[CutEvening, Visit]:
    """Return a table with these bots; visitors at 1 and 2 have sat down."""
    evening = CutEvening(FOUR, Bots(bots, 3, pace_percent=20), journal=rows.extend)
    visit = Visit(evening, rows)
    visit.does("tap 1", "tap 2")
    return evening, visit


def all_ready(rows: list[JournalRow], phase: str = "PLAYING") -> tuple[CutEvening, Visit]:
    """Return a table of these two and bots 3 and 4 in that phase; both visitors have dealt."""
    evening, visit = at_the_table(rows, "3", "4")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1", "tap 2")
    visit.until_phase(phase)
    return evening, visit


def test_a_hand_without_the_only_bot_goes_on_among_the_visitors() -> None:
    """Start without 4: the bot deals no one in at GO and calls nothing, and the visitors' call is valid."""
    evening, visit = at_the_table([], "4")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1", "tap 2", "choose Start without")
    visit.until_phase("PLAYING")
    visit.rest(20 * S)
    visit.does("press 1")
    visit.until_phase("COUNTING")
    assert evening.engine.state.table.absent == {"4"}


def test_visitors_and_bots_play_a_hand_to_its_count() -> None:
    """Two of each, dealt in together.

    The device restarts in mid-hand with new bots, who play on.
    """
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
    """From the first beat on everyone may look at them; the same cards are played at GO."""
    evening = Evening(FOUR, Bots("1234", 3, pace_percent=20))
    visit = Visit(evening, [])
    visit.until_phase("READY")
    assert evening.bots.company.felt(evening.now_ns) is None
    visit.until_phase("STARTING")
    visit.rest(1200 * MS)
    dealt: Any = evening.bots.company.felt(evening.now_ns)
    assert [side["reserve"][0] for side in dealt["sides"]] == [13] * 4
    assert [len(side["piles"]) for side in dealt["sides"]] == [4] * 4
    assert dealt["lake"] == []
    evening.bots.company.do(1, "turn", evening.now_ns)
    assert evening.bots.company.moves_ns(evening.now_ns) is None
    visit.until_phase("PLAYING")
    go_ns = evening.engine.view(evening.now_ns).go_ns or evening.now_ns
    at_go: Any = evening.bots.company.felt(go_ns)
    assert [(side["reserve"], side["piles"]) for side in at_go["sides"]] == [
        (side["reserve"], side["piles"]) for side in dealt["sides"]
    ]


def test_a_stopped_start_leaves_the_cards_and_another_company_deals_anew() -> None:
    """The same people keep the same cards; with one fewer there is a new deal for three."""
    evening, visit = all_ready([], "STARTING")
    visit.rest(1200 * MS)
    dealt: Any = evening.bots.company.felt(evening.now_ns)
    visit.does("tap 1")
    visit.until_phase("STOPPED")
    assert evening.bots.company.felt(evening.now_ns) is not None
    visit.rest(S)
    visit.does("tap 1")
    visit.until_phase("STARTING")
    visit.rest(1200 * MS)
    again: Any = evening.bots.company.felt(evening.now_ns)
    assert [side["piles"] for side in again["sides"]] == [side["piles"] for side in dealt["sides"]]


def test_a_count_that_the_cards_do_not_say_is_shown_beside_them() -> None:
    """For a visitor who enters nothing, the entered count and that of the cards are shown.

    For a right one not. A number is shown as soon as it is entered, before the count is sealed.
    """
    evening, visit = all_ready([])
    visit.rest(20 * S)
    visit.does("press 1")
    visit.until_phase("COUNTING")
    visit.rest(S)
    before: Any = evening.bots.company.felt(evening.now_ns)
    assert [side["counted"] for side in before["sides"][1:]] == [[]] * 3
    visit.does(*("hold 1",) * 3)
    felt: Any = evening.bots.company.felt(evening.now_ns)
    first = felt["sides"][0]
    lake = sum(owner == 0 for _, owners in felt["lake"] for owner in owners)
    nothing = [first["counted"][0], 0]  # where another player has called first, at least one card is left
    assert nothing in ([0, 0], [1, 0])
    assert [first["reserve"][0], lake] != nothing
    assert [side["counted"] for side in felt["sides"][:2]] == [nothing, []]
    left = felt["sides"][1]["reserve"][0]
    visit.does("tap 2")
    assert _counted(evening, 1) == ([] if left == 1 else [1])
    visit.does(*("tap 2",) * (left - 1), "hold 2")
    assert _counted(evening, 1) == []


def _counted(evening: Evening, side: int) -> list[int]:
    felt: Any = evening.bots.company.felt(evening.now_ns)
    counted: list[int] = felt["sides"][side]["counted"]
    return counted


# -- 31: three cards each ---------------------------------------------------------------------------------------------


def at_31(*taken: int) -> tuple[Evening, Visit]:
    """Return a table of 31 with two visitors and two bots, all dealt in.

    The page moves these seats' cards.
    """
    evening = Evening(replace(FOUR, preset="31"), Bots("34", 3, pace_percent=20))
    visit = Visit(evening, [])
    visit.does("tap 1", "tap 2")
    visit.until_phase("READY")
    visit.rest(S)
    for seat in taken:
        evening.bots.company.take(seat, True, evening.now_ns)
    visit.does("tap 1", "tap 2")
    visit.until_phase("PLAYING")
    return evening, visit


def cards_felt(evening: Evening) -> Any:
    """Return the message to the page."""
    felt = evening.bots.company.felt(evening.now_ns)
    assert felt is not None
    return felt


def until_turn(evening: Evening, visit: Visit, seat: int) -> Any:
    """Play until that visitor's turn; the other one is done at once."""
    for _ in range(3_000):
        if cards_felt(evening)["turn"] == [seat]:
            visit.rest(S)
            return cards_felt(evening)
        if cards_felt(evening)["turn"] == [3 - seat]:
            visit.rest(S)
            visit.does(f"tap {3 - seat}")
        evening.step()
    raise AssertionError(f"{seat} never is on turn")


def does(evening: Evening, seat: int, what: str) -> str:
    """Move a card of that seat; return the rule that refused it, or ""."""
    evening.bots.company.do(seat, what, evening.now_ns)
    refused = cards_felt(evening)["refused"].get(str(seat))
    return "" if refused is None else str(refused[1])


def test_a_person_takes_and_throws_the_cards_of_31_by_its_rules() -> None:
    """In a turn one card of either pile is taken, then one discarded, but not one just taken from there."""
    evening, visit = at_31(1)
    until_turn(evening, visit, 2)
    assert does(evening, 1, "stock") == "not your turn"
    before = until_turn(evening, visit, 1)
    hand, top = before["own"]["1"], before["discards"]
    assert does(evening, 1, "discard 1") == "undrawn"
    assert does(evening, 1, "discards") == ""
    assert cards_felt(evening)["own"]["1"] == [*hand, top]
    assert does(evening, 1, "discard 4") == "taken back"
    assert does(evening, 1, "stock") == "drawn"
    assert does(evening, 1, "discard 1") == ""
    after = cards_felt(evening)
    assert (after["own"]["1"], after["discards"]) == ([*hand[1:], top], hand[0])
    for what in ("stock", "discards", "discard 1"):
        assert does(evening, 1, what) == "exchanged"
    assert cards_felt(evening)["own"]["1"] == after["own"]["1"]
    visit.does("tap 1")
    assert cards_felt(evening)["turn"] != [1]
    assert cards_felt(evening)["own"]["1"] == [*hand[1:], top]


def test_nobody_s_hand_of_31_is_told_but_to_whoever_holds_it() -> None:
    """Every side has its cards' backs.

    Only a hand moved on the page is sent, and a bot's cannot be taken.
    """
    evening, _ = at_31(1)
    evening.bots.company.take(3, True, evening.now_ns)
    felt = cards_felt(evening)
    assert [side["hand"] for side in felt["sides"]] == [[""] * 3] * 4
    assert [side["worth"] for side in felt["sides"]] == [""] * 4
    assert [(seat, len(cards)) for seat, cards in felt["own"].items()] == [("1", 3)]
    assert len(felt["discards"]) in (2, 3)
    evening.bots.company.take(1, False, evening.now_ns)
    assert cards_felt(evening)["own"] == {}


def test_a_turn_s_end_leaves_three_cards() -> None:
    """After a draw without a discard, the card worth least is discarded.

    Without a page the visitor's cards are exchanged.
    """
    evening, visit = at_31(1)
    hand = until_turn(evening, visit, 1)["own"]["1"]
    assert does(evening, 1, "stock") == ""
    four = cards_felt(evening)["own"]["1"]
    visit.does("tap 1")
    after = cards_felt(evening)
    assert len(after["own"]["1"]) == 3
    assert {*hand} <= {*four}
    assert {*after["own"]["1"]} < {*four}
    evening.bots.company.take(1, False, evening.now_ns)
    before = until_turn(evening, visit, 1)["discards"]
    visit.does("tap 1")
    assert cards_felt(evening)["discards"] != before


def test_all_hands_of_31_lie_open_in_the_count_and_are_worth_what_the_game_says() -> None:
    """A visitor knocks; every other player has one more turn.

    Then each hand is shown with its value.
    """
    evening, visit = at_31(1, 2)
    hand = until_turn(evening, visit, 1)["own"]["1"]
    visit.does("hold 1", "tap 1")
    until_turn(evening, visit, 2)
    visit.does("tap 2")
    visit.until_phase("COUNTING")
    felt = cards_felt(evening)
    assert felt["sides"][0]["hand"] == hand
    for side in felt["sides"]:
        cards = [Card(card[:-1], card[-1]) for card in side["hand"]]
        assert Fraction(side["worth"]) == value_of(PRESETS["31"], cards)
    assert evening.bots.company.truth().keys() == {3, 4}


def test_a_turn_that_ends_without_a_card_is_told_to_its_player() -> None:
    """A knock and a turn with a card are not."""
    evening, visit = at_31(1, 2)
    until_turn(evening, visit, 2)
    visit.does("tap 2")
    assert cards_felt(evening)["refused"]["2"][1] == "passed"
    until_turn(evening, visit, 1)
    assert does(evening, 1, "stock") == ""
    visit.does("tap 1")
    assert "1" not in cards_felt(evening)["refused"]
    until_turn(evening, visit, 2)
    told = cards_felt(evening)["refused"]["2"]
    visit.does("hold 2", "tap 2")
    assert cards_felt(evening)["refused"]["2"] == told


def test_no_turn_is_marked_in_the_count_of_31() -> None:
    evening, visit = at_31(1, 2)
    assert until_turn(evening, visit, 1)["turn"] == [1]
    visit.does("hold 1", "tap 1")
    until_turn(evening, visit, 2)
    visit.does("tap 2")
    visit.until_phase("COUNTING")
    assert cards_felt(evening)["turn"] == []
