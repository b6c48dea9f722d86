"""People who are absent, come back or join, between two hands."""

from __future__ import annotations

import pytest

from referee.core.documents.chronicle import records
from referee.core.documents.record import Record, from_document, to_document
from referee.core.match.engine import Engine
from referee.core.model.events import CameBack, JoinedLate, SatOut
from referee.core.model.table import Setup
from referee.core.model.view import CountScreen, MenuScreen, OverScreen, ReadyScreen
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")


def totals(table: Sitting) -> dict[int, int]:
    """Return each total by the team's first number, from any screen that shows them."""
    return {line.label.numbers[0]: int(line.total) for line in table.screen(ReadyScreen).lines}


def counted(table: Sitting, caller: str, lake: int, *others: str) -> Sitting:
    """Play a hand to its end: the caller has `lake`, the others 10 cards and none left."""
    table.press(caller).wait(5 * S).wait(BREATH_NS).count(caller, 0, lake, caller=True)
    for other in others:
        table.count(other, 0, 10)
    return table.wait(8 * S)


def test_somebody_in_the_kitchen_is_left_out_and_comes_back_with_a_tap() -> None:
    table = counted(Sitting().playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS).tap("1", "2")
    table.choose("Start without 3")
    assert table.phase == "STARTING"
    assert table.decisions(SatOut)[0].stations == ("3",)
    table.wait(5 * S)
    assert table.phase == "PLAYING"
    assert table.press("3").phase == "PLAYING"
    table.press("2").wait(5 * S).wait(BREATH_NS)
    assert [cell.label.numbers for cell in table.screen(CountScreen).cells] == [(1,), (2,)]
    table.count("1", 0, 10).count("2", 0, 30, caller=True).wait(8 * S)
    assert totals(table) == {1: 30, 2: 40, 3: 10}
    table.wait(BREATH_NS).tap("3")
    assert table.decisions(CameBack)[0].station == "3"
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(1,), (2,)]
    assert table.tap("1", "2").phase == "STARTING"


@pytest.mark.parametrize(("preset", "options"), [("nna", {"target": 20}), ("spoons", {"lives": 1})])
def test_who_sat_out_the_whole_match_is_not_in_its_result(preset: str, options: dict[str, object]) -> None:
    table = Sitting(Setup(preset, tuple(options.items()), (*THREE, "4"))).seated(*THREE)
    table.tap("1", "2").choose("Start without 3").wait(5 * S)
    if preset == "nna":
        counted(table, "1", 20, "2")
    else:
        table.press("1").wait(500 * MS).press("2").wait(8 * S)
    assert table.phase == "OVER"
    assert [line.label.numbers for line in table.screen(OverScreen).lines] == [(1,), (2,)]
    [record] = records(table.rows, {})
    assert isinstance(record, Record)
    assert [team.name for team in record.teams] == ["Red", "Blue"]
    assert (record.winners, set(record.totals)) == (("Red",), {"Red", "Blue"})
    assert from_document(to_document(record)) == record
    assert Engine.restored(table.chapter).state == table.engine.state


def test_two_teams_must_remain() -> None:
    table = Sitting().seated(*THREE).tap("1").push()
    assert not [line for line in table.screen(MenuScreen).items if en(line).startswith("Start without")]
    table = Sitting().seated(*THREE).tap("1", "2").push()
    at = [en(line) for line in table.screen(MenuScreen).items].index("Start without 3")
    table.turn(at).close("2").wait(1500 * MS).push()
    assert table.phase == "READY"
    assert en(table.view.toast) == "TWO TEAMS AT LEAST"
    assert table.decisions(SatOut) == []


def test_a_newcomer_is_let_in_by_the_knob_and_starts_at_the_lowest_total() -> None:
    table = counted(Sitting().playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS).tap("4")
    assert en(table.screen(MenuScreen).title) == "4 JOINS?"
    assert all_en(table.screen(MenuScreen).items) == ("4 joins at 10", "Back")
    assert table.decisions(JoinedLate) == []
    table.wait(BREATH_NS).push()
    assert table.decisions(JoinedLate)[0].name == "Gold"
    assert totals(table) == {1: 20, 2: 10, 3: 10, 4: 10}
    table.wait(BREATH_NS).tap("1", "2", "3")
    assert table.phase == "READY"
    assert table.tap("4").phase == "STARTING"
    table.wait(5 * S)
    counted(table, "4", 40, "1", "2", "3")
    assert totals(table) == {1: 30, 2: 20, 3: 20, 4: 50}


def test_a_line_for_a_newcomer_who_no_longer_asks_does_nothing() -> None:
    table = Sitting().seated(*THREE).tap("1", "2").choose("Start without 3").wait(5 * S)
    counted(table, "1", 20, "2").wait(BREATH_NS)
    table.tap("4").choose("Back").push().tap("3")
    assert en(table.screen(MenuScreen).items[0]) == "4 joins at 0"
    before = len(table.rows)
    assert table.push().decisions(JoinedLate) == []
    assert table.phase == "READY"
    assert len(table.rows) > before
    assert not Engine.restored(table.rows).take().aside


def test_a_newcomer_disturbs_nobody_at_the_knob() -> None:
    table = Sitting().seated("1", "3").push()
    table.heard()
    table.tap("2")
    assert table.heard() == ["asked"]
    assert en(table.view.toast) == "2 JOINS? PUSH KNOB"
    assert "2 joins" not in all_en(table.screen(MenuScreen).items)
    assert en(table.choose("Back").push().screen(MenuScreen).items[0]) == "2 joins"


def test_a_handicap_is_told_before_the_deal_and_bounds_the_count() -> None:
    table = Sitting(Setup(options=(("handicap", "winner"),), stations=("1", "2"))).playing("1", "2")
    counted(table, "1", 20, "2")
    assert all_en(table.screen(ReadyScreen).notes)[0] == "1Re: pile of 14"
    table.playing("1", "2").press("2").wait(5 * S).wait(BREATH_NS).taps("1", 14)
    assert table.screen(CountScreen).cells[0].fields[0] == "14"
    assert table.tap("1").screen(CountScreen).cells[0].fields[0] == "0"


NOTES: list[tuple[str, dict[str, object], int, tuple[str, ...]]] = [
    ("nna", {}, 1, ()),
    ("nna", {"pack_check": True}, 0, ()),
    ("nna", {"pack_check": True}, 1, ("52 cards each? Tap",)),
    ("nna", {"pack_check": True, "jokers": 2}, 1, ("54 cards each? Tap",)),
    ("nna", {"shuffle_for": "left"}, 0, ("shuffle pack on left",)),
    ("nna", {"rotate_seats": True}, 0, ()),
    ("nna", {"rotate_seats": True}, 1, ("seats move on",)),
    ("nna", {"layout": "klondike"}, 0, ()),
    ("dutch-blitz", {}, 0, ("5 work piles each",)),
    ("dutch-blitz", {"river": 3}, 0, ()),
]


@pytest.mark.parametrize(("preset", "options", "hands", "notes"), NOTES)
def test_what_must_be_known_before_dealing_is_said(
    preset: str, options: dict[str, object], hands: int, notes: tuple[str, ...]
) -> None:
    table = Sitting(Setup(preset, tuple(options.items()), ("1", "2")))
    table.seated("1", "2")
    for _ in range(hands):
        counted(table.playing("1", "2"), "1", 20, "2")
    *said, sorts = all_en(table.wait(5 * S).screen(ReadyScreen).notes)
    assert tuple(said) == (notes if hands else (*notes, "different card backs"))
    assert sorts.startswith(("1Re sorts", "2Bl sorts")[hands])


def test_a_tie_break_hand_is_for_all_where_that_is_agreed() -> None:
    options = {"target": 20, "tiebreak": "hand", "tiebreak_teams": "all"}
    table = Sitting(Setup(options=tuple(options.items()), stations=("1", "2", "3")))
    table.playing("1", "2", "3").press("1").wait(5 * S).wait(BREATH_NS)
    table.count("1", 0, 20, caller=True).count("2", 0, 20).count("3", 0, 5).wait(8 * S).wait(BREATH_NS)
    assert [label.numbers[0] for label in table.screen(ReadyScreen).waiting] == [1, 2, 3]


def test_kings_beyond_what_all_have_on_the_lake_are_refused_once_all_have_counted() -> None:
    table = Sitting(Setup(options=(("king_bonus", 5),), stations=("1", "2"))).counting("1", "1", "2")
    table.count("1", 0, 12, caller=True).tap("1").hold("1")
    assert table.screen(CountScreen).cells[0].done
    table.count("2", 4, 0).hold("2")
    assert en(table.screen(CountScreen).cells[1].refusal) == "KINGS: 12 < 13"
    table.hold("1", "1", "1").tap("1").hold("1").hold("1").hold("2", "2", "2", "2").wait(8 * S)
    assert totals(table) == {1: 18, 2: -8}


def test_all_kings_of_a_pack_can_be_counted() -> None:
    table = Sitting(Setup(options=(("king_bonus", 5),), stations=("1", "2"))).counting("1", "1", "2")
    table.count("1", 0, 52, caller=True).taps("1", 4)
    assert table.screen(CountScreen).cells[0].fields[-1] == "4"
    assert table.tap("1").screen(CountScreen).cells[0].fields[-1] == "0"
    table.taps("1", 4).hold("1").count("2", 4, 0).hold("2").wait(8 * S)
    assert totals(table) == {1: 72, 2: -8}


def test_pairs_that_alternate_see_who_holds_the_reserve() -> None:
    table = (
        Sitting(Setup(options=(("pile_control", "alternate"),), stations=("1", "2", "3", "4")))
        .press("1", "2", ns=900 * MS)
        .tap("3")
    )
    table.choose("Start").wait(BREATH_NS)
    assert table.lit == "double slow slow dark"
    table.tap("1", "2", "3").wait(5 * S)
    counted(table, "1", 20, "3")
    assert table.wait(BREATH_NS).lit == "slow double slow dark"


def test_a_tie_break_hand_is_for_the_tied_alone() -> None:
    setup = Setup(options=(("target", 20), ("tiebreak", "hand")), stations=("1", "2", "3", "4"))
    table = Sitting(setup).playing(*THREE).press("1").wait(5 * S).wait(BREATH_NS)
    table.count("1", 0, 20, caller=True).count("2", 0, 20).count("3", 0, 10).wait(8 * S).wait(BREATH_NS)
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(1,), (2,)]
    assert table.tap("3").view.toast is None
    said = table.tap("4").view.toast
    assert said is not None
    assert (said.key, dict(said.values)) == ("toast.joins_match", {"seat": 4})
    table.tap("1", "2").wait(5 * S)
    assert table.press("3").phase == "PLAYING"
    table.press("2").wait(5 * S)
    assert [cell.label.numbers for cell in table.screen(CountScreen).cells] == [(1,), (2,)]
    table.wait(BREATH_NS).count("1", 0, 5).count("2", 0, 9, caller=True).wait(8 * S)
    assert [label.numbers for label in table.screen(OverScreen).winners] == [(2,)]


def tied_at_20(*seats: str) -> Sitting:
    """Return four in READY for the tie-break hand of these seats; the others have 5."""
    four = (*THREE, "4")
    table = Sitting(Setup(options=(("target", 20), ("tiebreak", "hand")), stations=four)).playing(*four)
    table.press("1").wait(5 * S).wait(BREATH_NS)
    for seat in four:
        table.count(seat, 0, 20 if seat in seats else 5, caller=seat == "1")
    return table.wait(8 * S).wait(BREATH_NS)


def test_all_play_on_where_one_of_two_tied_teams_has_gone_home() -> None:
    """The others play an ordinary hand with the team that is left; who comes back plays the tie-break hand."""
    table = tied_at_20("1", "2").tap("1").choose("Start without 2")
    assert (table.phase, table.decisions(SatOut)[0].stations) == ("READY", ("2",))
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(3,), (4,)]
    back = tied_at_20("1", "2").tap("1").choose("Start without 2").wait(BREATH_NS).tap("2")
    assert back.phase == "STARTING"
    assert back.engine.state.phase.playing == ("1", "2")  # type: ignore[attr-defined]
    table.tap("3", "4").wait(5 * S).press("3").wait(5 * S).wait(BREATH_NS)
    table.count("1", 0, 1).count("3", 0, 18, caller=True).count("4", 0, 2).wait(8 * S)
    assert [label.numbers for label in table.screen(OverScreen).winners] == [(3,)]
    (record,) = records(table.rows, {})
    assert record.totals == {"Red": 21, "Blue": 20, "Green": 23, "Gold": 7}
    assert from_document(to_document(record)) == record
    assert Engine.derived(table.rows).state == table.engine.state


def test_a_tie_break_hand_of_three_is_recorded_where_one_of_them_sits_out() -> None:
    table = tied_at_20(*THREE).tap("1", "3").choose("Start without 2").wait(5 * S)
    table.press("1").wait(5 * S).wait(BREATH_NS)
    table.count("1", 0, 15, caller=True).count("3", 0, 10).wait(8 * S)
    assert [label.numbers for label in table.screen(OverScreen).winners] == [(1,)]
    (record,) = records(table.rows, {})
    assert (record.totals["Red"], record.totals["Blue"], record.totals["Green"]) == (35, 20, 30)
    assert from_document(to_document(record)) == record


def test_no_hand_is_offered_to_one_team_alone() -> None:
    table = tied_at_20("1", "2").tap("1").choose("Start without 2").wait(BREATH_NS)
    assert any(item.startswith("Start without") for item in all_en(table.push().screen(MenuScreen).items)) is False


@pytest.mark.parametrize("phase", ["STARTING", "PLAYING", "TIMEOUT", "CALLED", "VERDICT", "VOTE", "COUNTING", "OVER"])
def test_press_without_a_seat_is_answered(phase: str) -> None:
    """The answer names the button and says when it can join. It changes nothing else."""
    table = Sitting(Setup("nna", (("target", 20),), (*THREE, "4"))).playing(*THREE)
    if phase == "STARTING":
        table = Sitting(Setup(stations=(*THREE, "4"))).seated(*THREE).wait(BREATH_NS).tap(*THREE).wait(S)
    elif phase == "TIMEOUT":
        table.press("knob", ns=500 * MS)
    elif phase != "PLAYING":
        table.close("1").wait({"CALLED": 5 * MS}.get(phase, 500 * MS))
        table = table if phase == "CALLED" else table.open("1")
    if phase == "VOTE":
        table.wait(2 * S).choose("False call")
    if phase in ("COUNTING", "OVER"):
        table.wait(5 * S).wait(BREATH_NS)
    if phase == "OVER":
        table.count("1", 0, 30, caller=True).count("2", 0, 10).count("3", 0, 10).wait(8 * S)
    before = table.engine.state.phase
    assert before.name == phase
    table.close("4")
    said = table.view.toast
    assert table.engine.state.phase == before
    assert said is not None
    key = "toast.joins_match" if phase == "OVER" else "toast.joins_hand"
    assert (said.key, dict(said.values)) == (key, {"seat": 4})


def test_who_sits_out_is_answered_and_players_are_not() -> None:
    table = counted(Sitting().playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS).tap("1", "2")
    table.choose("Start without 3").wait(5 * S).close("3")
    said = table.view.toast
    assert said is not None
    assert (said.key, dict(said.values)) == ("toast.joins_hand", {"seat": 3})
    assert table.open("3").wait(3 * S).close("2").view.toast is None
