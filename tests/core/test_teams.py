"""Teams: new names, other buttons, muted buttons, and leaving in mid-hand."""

from __future__ import annotations

from referee.core.match.engine import Engine
from referee.core.model.events import Ended, JoinedLate, Moved, Muted, Named, Overruled, SatOut
from referee.core.model.table import Setup
from referee.core.model.view import (
    CountScreen,
    MenuScreen,
    OverScreen,
    ReadyScreen,
    SearchScreen,
    VerdictScreen,
    VoteScreen,
    WaitScreen,
)
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")
NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Max"), ("4", "Lea"))


def table_of(*stations: str, preset: str = "nna", **options: object) -> Sitting:
    """Return these at READY, with five buttons and four remembered names."""
    setup = Setup(preset, options=tuple(options.items()), stations=("1", "2", "3", "4", "5"), names=NAMES)
    return Sitting(setup).seated(*(stations or THREE))


def waiting(table: Sitting) -> list[tuple[int, ...]]:
    return [label.numbers for label in table.screen(ReadyScreen).waiting]


def paused(table: Sitting) -> Sitting:
    return table.playing(*THREE).press(KNOB, ns=400 * MS)


# -- names ---------------------------------------------------------------------------------------------------------


def test_a_player_is_renamed_between_two_hands() -> None:
    table = table_of().choose("Players").choose("Name")
    assert all_en(table.screen(MenuScreen).items) == ("1: Anna", "2: Ben", "3: Max", "Back")
    table.choose("3: Max")
    assert table.screen(MenuScreen).value == "Max"
    assert table.turn(1).screen(MenuScreen).value == "Lea"
    assert table.turn(-9).screen(MenuScreen).value == "Max"
    table.turn(1).push()
    assert table.decisions(Named)[0].name == "Lea"
    assert [label.name for label in table.screen(ReadyScreen).waiting] == ["Anna", "Ben", "Lea"]
    assert Engine.restored(table.rows).state == table.engine.state
    table.choose("Undo: name")
    assert [label.name for label in table.screen(ReadyScreen).waiting] == ["Anna", "Ben", "Max"]


# -- another button ------------------------------------------------------------------------------------------------


def test_a_player_goes_on_with_another_button() -> None:
    table = counted(table_of().playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS).tap("1", "3")
    table.choose("Players").choose("Other button").choose("3 Max")
    assert all_en(table.screen(MenuScreen).items) == ("Button 4", "Button 5", "Back")
    table.choose("Button 5")
    assert (table.decisions(Moved)[0].station, table.decisions(Moved)[0].to) == ("3", "5")
    assert waiting(table) == [(2,), (5,)]
    table.wait(BREATH_NS).tap("3")
    assert table.decisions(JoinedLate) == []
    assert table.view.toast is None
    table.tap("2", "5").wait(5 * S)
    assert table.press("3").phase == "PLAYING"
    table.press("5").wait(100 * MS)
    assert [(c.numbers, c.name) for c in table.screen(VerdictScreen).callers] == [((5,), "Max")]
    table.wait(5 * S).wait(BREATH_NS).count("1", 1, 9).count("2", 1, 9).count("5", 0, 30, caller=True).wait(8 * S)
    assert [int(line.total) for line in table.screen(ReadyScreen).lines] == [27, 17, 40]
    assert [player.seat for team in only(table).teams for player in team.players] == [1, 2, 5]


def test_half_a_pair_takes_another_button() -> None:
    table = Sitting(Setup(stations=("1", "2", "3", "4"))).press("2", "3", ns=900 * MS).tap("4").choose("Start")
    table.wait(BREATH_NS).choose("Players").choose("Other button").choose("3").choose("Button 1")
    assert waiting(table) == [(1,), (2,), (4,)]
    partners = {seat.station: seat.partner for seat in table.engine.state.table.seats}
    assert partners == {"1": "2", "2": "1", "3": None, "4": None}
    assert [line.label.numbers for line in table.screen(ReadyScreen).lines] == [(1, 2), (4,)]
    table.choose("Undo: button")
    assert waiting(table) == [(2,), (3,), (4,)]


def test_a_button_that_lies_under_something_is_named_first() -> None:
    table = table_of().tap("1", "2").close("3").wait(11 * S).push()
    assert en(table.screen(MenuScreen).items[0]) == "Other button"
    table.push().choose("3 Max").choose("Button 4").wait(BREATH_NS).tap("4")
    assert table.phase == "STARTING"
    full = table_of("1", "2", "3", "4", "5").close("3").wait(11 * S).push()
    assert "Other button" not in all_en(full.screen(MenuScreen).items)
    assert "Other button" not in all_en(full.choose("Players").screen(MenuScreen).items)


def test_in_a_stopped_start_the_new_button_is_waited_for() -> None:
    table = table_of().tap(*THREE).wait(1_200 * MS).press("3").wait(BREATH_NS)
    table.choose("Players").choose("Other button").choose("3").choose("Button 4")
    assert [label.numbers for label in table.screen(WaitScreen).labels] == [(4,)]
    assert table.tap("4").phase == "STARTING"


# -- mute ----------------------------------------------------------------------------------------------------------


def falsely(table: Sitting, station: str, *, admits: bool = False) -> Sitting:
    """Call by that button, and find the call false by a vote or by its owner."""
    table.press(station).wait(2 * S).choose("False call").wait(BREATH_NS)
    table.tap(station) if admits else table.tap(*(s for s in THREE if s != station)).push()
    return table.wait(4 * S)


def test_the_second_unexplained_false_call_offers_to_mute_the_button() -> None:
    table = falsely(table_of().playing(*THREE), "3", admits=True)
    assert table.decisions(Overruled)[0].admitted
    falsely(table, "3").press(KNOB, ns=400 * MS)
    assert "Mute 3" not in all_en(table.screen(MenuScreen).items)
    table.push().wait(4 * S)
    assert not falsely(table, "3").decisions(Overruled)[1].admitted
    table.press(KNOB, ns=400 * MS)
    assert en(table.screen(MenuScreen).items[0]) == "Go on"
    table.choose("Mute 3")
    assert table.decisions(Muted)[0].station == "3"
    assert "Mute 3" not in all_en(table.screen(MenuScreen).items)
    table.choose("Undo: mute").choose("Mute 3").choose("Go on").wait(2 * S).press("3")
    assert table.phase == "RESUMING"
    assert table.wait(3 * S).press("3").phase == "PLAYING"
    table.press(KNOB, ns=400 * MS).choose("Players").choose("Unmute").choose("3 Max")
    assert table.push().wait(4 * S).press("3").phase == "VERDICT"


def test_a_muted_seat_is_not_waited_for_and_is_counted_by_the_knob() -> None:
    table = table_of(target=30).tap("1", "2").choose("Players").choose("Mute").choose("3 Max")
    assert table.phase == "STARTING"
    table.wait(5 * S).press("1").wait(5 * S).wait(BREATH_NS).count("1", 0, 40, caller=True).count("2", 1, 3)
    assert [cell.label.numbers for cell in table.screen(CountScreen).cells] == [(1,), (2,), (3,)]
    assert table.wait(1 * S).lit == "steady steady dark dark dark"
    assert table.tap("3").screen(CountScreen).cells[2].fields[0] is None
    table.choose("Count by knob").choose("3 Max").push().turn(2).push().push().wait(4 * S).wait(BREATH_NS)
    assert [int(line.total) for line in table.screen(OverScreen).lines] == [40, 20, 1]
    assert table.tap("1", "2").phase == "READY"


def test_a_muted_team_has_no_vote_and_finds_nothing() -> None:
    table = table_of().choose("Players").choose("Mute").choose("3 Max").playing("1", "2")
    table.press(KNOB, ns=400 * MS).choose("Void hand").wait(BREATH_NS).tap("3", "1")
    assert [label.numbers for label, _ in table.screen(VoteScreen).votes] == [(1,), (2,)]
    assert table.hold("2").phase == "TIMEOUT"
    table.choose("Stuck").wait(5 * S).wait(BREATH_NS).tap("1", "3")
    assert (table.screen(SearchScreen).teams, len(table.screen(SearchScreen).waiting)) == (2, 1)
    assert table.tap("2").phase == "BURNING"


def test_a_stopper_that_is_muted_is_not_waited_for() -> None:
    table = table_of().tap(*THREE).wait(1_200 * MS).press("3", "2").wait(BREATH_NS)
    table.choose("Players").choose("Mute").choose("3")
    assert [label.numbers for label in table.screen(WaitScreen).labels] == [(2,)]
    assert table.choose("Players").choose("Mute").choose("2").phase == "STARTING"


def test_start_goes_on_when_the_held_stopper_is_muted() -> None:
    table = table_of().tap(*THREE).wait(1_200 * MS).close("3").wait(BREATH_NS)
    assert table.phase == "STOPPED"
    assert table.choose("Players").choose("Mute").choose("3").phase == "STARTING"
    assert table.wait(5 * S).phase == "PLAYING"


def test_mute_does_not_go_on_with_a_start_that_the_knob_stopped() -> None:
    table = table_of().tap(*THREE).wait(1_200 * MS).press(KNOB, ns=400 * MS).wait(BREATH_NS)
    table.choose("Players").choose("Mute").choose("3")
    assert table.screen(WaitScreen) == WaitScreen((), by_knob=True)
    assert table.choose("Go on").phase == "STARTING"


def test_a_muted_player_calls_by_voice_and_the_table_confirms_it() -> None:
    table = table_of().choose("Players").choose("Mute").choose("3 Max").playing("1", "2").press(KNOB, ns=400 * MS)
    table.choose("Call by voice").choose("3 Max").wait(BREATH_NS)
    assert en(table.screen(VoteScreen).question) == "NERTZ!?"
    table.tap("1", "2")
    assert table.decisions(Ended)[0].callers == ("3",)
    assert [cell.locked[0] for cell in table.screen(CountScreen).cells] == [False, False, True]
    table.wait(BREATH_NS).count("1", 2, 3).count("2", 1, 3)
    table.choose("Count by knob").choose("3 Max").push().turn(2).push().push().wait(8 * S)
    assert only(table).match["hands"][0]["callers"] == ["Max"]  # type: ignore[index]


# -- leaving in mid-hand -------------------------------------------------------------------------------------------


def test_who_leaves_in_mid_hand_is_counted_for_and_sits_out() -> None:
    table = paused(table_of()).choose("Players").choose("Leave")
    assert all_en(table.screen(MenuScreen).items) == ("1 leaves", "2 leaves", "3 leaves", "Back")
    table.choose("3 leaves")
    assert table.decisions(SatOut)[0].stations == ("3",)
    assert table.phase == "TIMEOUT"
    assert "Call by voice" not in all_en(table.screen(MenuScreen).items), "who has left calls no more"
    table.push().wait(4 * S)
    assert table.press("3").phase == "PLAYING"
    table.press("1").wait(5 * S).wait(BREATH_NS)
    assert table.lit == "slow slow slow dark dark"
    table.count("1", 0, 20, caller=True).count("2", 1, 10).count("3", 2, 5).wait(8 * S).wait(BREATH_NS)
    assert waiting(table) == [(1,), (2,)]
    assert [int(line.total) for line in table.screen(ReadyScreen).lines] == [20, 8, 1]
    assert waiting(table.tap("3")) == [(1,), (2,)]
    assert table.tap("1", "2").phase == "STARTING"


def test_racing_demon_abandons_the_hand_when_somebody_leaves() -> None:
    table = paused(table_of(preset="racing-demon")).choose("Players").choose("Leave").choose("2 leaves")
    assert table.phase == "READY"
    assert [event.end for event in table.decisions(Ended)] == ["abandoned"]
    assert waiting(table.wait(5 * S)) == [(1,), (3,)]
    table.choose("Undo: end of hand")
    assert table.phase == "TIMEOUT"
    assert table.choose("Undo: sits out").choose("Undo: sits out").push().phase == "RESUMING"


def test_two_teams_must_remain_in_a_hand() -> None:
    table = table_of("1", "2").playing("1", "2").press(KNOB, ns=400 * MS)
    table.choose("Players").choose("Leave").choose("2 leaves")
    assert (table.phase, str(en(table.view.toast))) == ("TIMEOUT", "TWO TEAMS AT LEAST")
