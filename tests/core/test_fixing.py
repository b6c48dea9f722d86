"""Corrections: counts of past hands are entered again, and everything is recomputed."""

from __future__ import annotations

import pytest

from referee.core.documents.match import score_document
from referee.core.match.advance import advance
from referee.core.messages import msg
from referee.core.model.events import Closed, Corrected, Resumed
from referee.core.model.phase import Phase
from referee.core.model.table import Setup
from referee.core.model.view import (
    CountScreen,
    MenuScreen,
    OverScreen,
    ReadyScreen,
    StandingsScreen,
    TeamLine,
)
from referee.core.phases.agreement import Agreement
from referee.core.phases.fixing import Fixing, FixScreen
from referee.core.phases.over import Over
from referee.core.phases.pause import TimeOut
from referee.core.phases.power_back import ANOTHER_EVENING_S
from referee.core.phases.ready import Ready
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

TWO = ("1", "2")


def table_of(*lakes: int, **options: object) -> Sitting:
    """Return a table of two after these hands.

    1 called each with that many Lake cards; 2 has 10.
    """
    table = Sitting(Setup(options=tuple(options.items()), stations=("1", "2", "3")))
    for lake in lakes:
        counted(table.playing(*TWO), "1", lake, "2")
    return table.wait(BREATH_NS)


def lines(table: Sitting) -> dict[int, TeamLine]:
    """Return the teams' lines by number, from any screen that shows them."""
    shown = table.view.screen
    assert isinstance(shown, ReadyScreen | StandingsScreen | OverScreen)
    return {line.label.numbers[0]: line for line in shown.lines}


def totals(table: Sitting) -> dict[int, int]:
    return {number: int(line.total) for number, line in lines(table).items()}


def fields(table: Sitting) -> list[str]:
    return [".".join(digit or "_" for digit in cell.fields) for cell in table.screen(FixScreen).cells]


def test_the_newest_hand_is_counted_again_by_the_team_s_own_button() -> None:
    table = table_of(20, 28).choose("Fix counts").wait(BREATH_NS)
    assert table.screen(FixScreen).hand == 2
    assert fields(table) == ["0.2.8", "0.1.0"]
    assert table.lit == "slow slow dark"
    table.tap("2").hold("2", "2").taps("2", 3)
    assert fields(table) == ["0.2.8", "0.1.3"]
    assert table.screen(FixScreen).cells[1].cursor == 2
    table.hold("2")
    assert [cell.done for cell in table.screen(FixScreen).cells] == [False, True]
    table.push()
    assert table.decisions(Corrected)[0].hand == 2
    assert table.phase == "READY"
    assert totals(table) == {1: 48, 2: 23}
    assert [lines(table)[n].corrected for n in (1, 2)] == [False, True]
    assert lines(table)[2].delta == 13


def test_an_older_hand_by_the_knob_alone() -> None:
    table = table_of(20, 28, 30).choose("Fix counts").turn(1).turn(1)
    assert (table.screen(FixScreen).hand, fields(table)) == (1, ["0.2.0", "0.1.0"])
    assert table.turn(5).screen(FixScreen).hand == 1
    assert table.turn(-9).screen(FixScreen).hand == 3
    assert table.turn(1).screen(FixScreen).hand == 2
    table.choose("2 Blue").turn(3).push().turn(1).push().turn(-1).push()
    assert fields(table) == ["0.2.8", "3.2.9"]
    table.push()
    assert totals(table) == {1: 78, 2: 43}
    assert only(table).match["hands"][1]["corrected"] == ["Blue"]  # type: ignore[index]


def test_the_caller_s_reserve_stays_empty_and_an_impossible_count_is_refused() -> None:
    table = table_of(20).choose("Fix counts").wait(BREATH_NS).tap("1").taps("1", 3)
    assert fields(table)[0] == "0.2.0"
    table.tap("2").taps("2", 13).hold("2").taps("2", 3).hold("2").taps("2", 5).hold("2")
    assert en(table.screen(FixScreen).cells[1].refusal) == "13+45? YOU HAVE 52"
    assert table.screen(FixScreen).cells[1].cursor == 0
    table.push()
    assert table.phase == "FIXING"
    table.tap("2").hold("2", "2", "2")
    assert fields(table)[1] == "0.4.5"
    table.hold("2")
    assert table.screen(FixScreen).cells[1].cursor == 0
    table.push()
    assert totals(table) == {1: 20, 2: 45}


def said(table: Sitting) -> str:
    """Return the key of the sentence over the screen."""
    assert table.view.toast is not None
    return table.view.toast.key


def test_correction_closes_visibly_after_a_minute_and_keeps_what_was_entered() -> None:
    table = table_of(20).choose("Fix counts").wait(59 * S)
    assert table.phase == "FIXING"
    assert table.wait(S).phase == "READY"
    assert said(table) == "toast.list_closed"
    table.choose("Fix counts").wait(BREATH_NS).tap("2").hold("2", "2").tap("2").wait(61 * S)
    assert (table.phase, said(table)) == ("READY", "toast.not_saved_yet")
    assert totals(table) == {1: 20, 2: 10}
    assert fields(table.choose("Fix counts").wait(BREATH_NS)) == ["0.2.0", "0.1.1"]
    assert table.push().phase == "READY"
    assert totals(table) == {1: 20, 2: 11}
    assert fields(table.choose("Fix counts")) == ["0.2.0", "0.1.1"]


def test_unsaved_correction_of_an_older_hand_comes_back_until_it_is_saved() -> None:
    table = table_of(20, 28).choose("Fix counts").turn(1).wait(BREATH_NS).tap("2").hold("2", "2").tap("2").wait(61 * S)
    table.choose("Fix counts")
    assert (table.screen(FixScreen).hand, fields(table)) == (1, ["0.2.0", "0.1.1"])
    table.push().choose("Undo: correction").wait(S)
    assert totals(table) == {1: 48, 2: 20}
    table.choose("Fix counts")
    assert (table.screen(FixScreen).hand, fields(table)) == (2, ["0.2.8", "0.1.0"])


def test_unsaved_correction_goes_with_its_hand() -> None:
    table = table_of(20).choose("Fix counts").wait(BREATH_NS).tap("2").hold("2", "2").tap("2").wait(61 * S)
    table.choose("Undo").wait(S).choose("Void hand").wait(BREATH_NS).tap(*TWO).wait(S)
    counted(table.playing(*TWO), "1", 7, "2")
    assert fields(table.wait(BREATH_NS).choose("Fix counts")) == ["0.0.7", "0.1.0"]


@pytest.mark.parametrize("between_s", [1, 19, 21, 40, 59])
def test_list_over_a_correction_keeps_it_open(between_s: int) -> None:
    """A turn of the knob in the list counts as input."""
    table = table_of(20).choose("Fix counts").wait(BREATH_NS).push()
    for _ in range(4):
        table.wait(between_s * S).turn(1)
        assert (table.phase, type(table.view.screen)) == ("FIXING", MenuScreen)
    assert table.choose("Back").phase == "READY"


@pytest.mark.parametrize("phase", ["TIMEOUT", "COUNTING", "STOPPED"])
def test_the_phase_that_waited_goes_on_where_it_was(phase: str) -> None:
    table = table_of(20).tap(*TWO)
    if phase == "STOPPED":
        table.wait(1_200 * MS).press("2").wait(BREATH_NS)
    else:
        table.wait(5 * S)
        table.press(KNOB, ns=400 * MS) if phase == "TIMEOUT" else table.press("1").wait(5 * S).wait(BREATH_NS)
    if phase == "COUNTING":
        table.taps("2", 4)
    table.choose("Fix counts").choose("2 Blue").push().turn(1).push().push().push()
    assert table.phase == phase
    if phase == "COUNTING":
        assert table.screen(CountScreen).cells[1].fields[0] == "4"
    table.choose("Undo: correction")
    assert table.phase == phase


# -- the end of the match ------------------------------------------------------------------------------------------


def test_a_correction_that_would_have_ended_an_earlier_match_asks() -> None:
    table = table_of(40, 40, 5, target=90).choose("Fix counts").turn(1)
    table.choose("1 Red").push().turn(1).push().push().push()
    shown = table.screen(MenuScreen)
    assert (en(shown.title), all_en(shown.items)) == ("OVER AT HAND 2?", ("Play on", "End match"))
    table.choose("End match")
    asked = table.screen(MenuScreen)
    assert asked.title == msg("title.drop_hands", count=1, first=3, last=3)
    assert (all_en(asked.items), asked.cursor, table.decisions(Closed)) == (("Play on", "End match"), 0, [])
    table.choose("End match")
    assert table.decisions(Closed)[0].hands == 2
    over = table.screen(OverScreen)
    assert (over.hands, [label.name for label in over.winners]) == (2, ["Red"])
    assert totals(table) == {1: 90, 2: 20}
    assert only(table).winners == ("Red",)
    assert table.choose("Undo: match end").phase == "READY"
    assert totals(table) == {1: 95, 2: 30}


def test_an_end_that_drops_the_running_hand_asks() -> None:
    table = table_of(40, 40, target=85).playing(*TWO).wait(5 * S).press(KNOB, ns=400 * MS)
    table.choose("Fix counts").choose("1 Red").push().turn(1).push().push().push().choose("End match")
    assert table.screen(MenuScreen).title == msg("title.drop_hands", count=1, first=3, last=3)
    assert table.choose("Play on").phase == "TIMEOUT"
    assert table.decisions(Closed) == []


def test_playing_on_is_the_default_and_the_record_says_so() -> None:
    """Without an answer the next hand follows. The same correction asks only once."""
    table = table_of(40, 40, 5, target=90).choose("Fix counts").turn(1)
    table.choose("1 Red").push().turn(1).push().push().push().wait(21 * S)
    assert isinstance(table.view.screen, ReadyScreen)
    table.choose("Fix counts").choose("2 Blue").push().turn(-1).push().push().push()
    assert isinstance(table.view.screen, ReadyScreen)
    counted(table.playing(*TWO), "2", 1, "1")
    record = only(table)
    assert record.match["played_on"] is True
    assert score_document(record.match)["winners"] == ["Red"]


def test_a_correction_in_the_end_plays_on_or_stays_over() -> None:
    table = table_of(40, 50, target=90)
    assert table.phase == "OVER"
    table.choose("Fix counts").choose("2 Blue").push().turn(1).push().push().push()
    assert (table.phase, totals(table)) == ("OVER", {1: 90, 2: 30})
    table.choose("Fix counts").choose("1 Red").push().turn(-1).push().push().push()
    assert (table.phase, totals(table)) == ("READY", {1: 80, 2: 30})


def test_a_correction_that_makes_or_ends_a_tie_break() -> None:
    table = Sitting(Setup(options=(("target", 40), ("tiebreak", "hand")), stations=("1", "2", "3")))
    counted(table.playing("1", "2", "3"), "1", 40, "2", "3").wait(BREATH_NS)
    assert table.phase == "OVER"
    table.choose("Fix counts").choose("2 Blue").push().turn(3).push().push().push().wait(5 * S)
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(1,), (2,)]
    counted(table.playing("1", "2"), "1", 10, "2").wait(BREATH_NS)
    table.choose("Fix counts").choose("2 Blue").push().turn(-1).push().push().push()
    assert table.choose("Play on").phase == "READY"
    assert totals(table) == {1: 50, 2: 40, 3: 10}
    table.choose("Undo").wait(5 * S)
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(1,), (2,)]


# -- handicaps -----------------------------------------------------------------------------------------------------


def test_what_was_dealt_stays_dealt() -> None:
    table = table_of(20, handicap="winner")
    table.playing(*TWO).press("2").wait(5 * S).wait(BREATH_NS)
    table.count("1", 14, 5).count("2", 0, 30, caller=True).wait(8 * S).wait(BREATH_NS)
    table.choose("Fix counts").turn(1).choose("2 Blue").push().turn(2).push().push().push()
    assert totals(table) == {1: 20 + 5 - 28, 2: 30 + 30}
    record = only(table)
    assert record.match["hands"][1]["reserves"] == {"Red": 14, "Blue": 13}  # type: ignore[index]
    assert score_document(record.match)["totals"] == record.totals
    assert all_en(table.wait(8 * S).screen(ReadyScreen).notes)[0] == "2Bl: pile of 14"


def test_kings_that_cannot_be_are_refused_when_all_is_saved() -> None:
    """Other open counts hide the error until all are saved."""
    table = Sitting(Setup(options=(("king_bonus", 5),), stations=("1", "2"))).counting("1", *TWO)
    table.count("1", 0, 20, caller=True).tap("1").hold("1").count("2", 0, 1).hold("2").wait(8 * S).wait(BREATH_NS)
    table.choose("Fix counts").wait(BREATH_NS).tap("2").tap("1").hold("1", "1", "1").tap("1").hold("1")
    assert [cell.done for cell in table.screen(FixScreen).cells] == [True, False]
    table.heard()
    assert "refused" in table.push().heard()
    cell = table.screen(FixScreen).cells[1]
    assert (cell.cursor, en(cell.refusal)) == (0, "KINGS: 21 < 26")


@pytest.mark.parametrize(
    ("inner", "away_s", "after"),
    [
        (Agreement(0), 10, "AGREEMENT"),
        (Ready(0, TWO), 10, "READY"),
        (Over(0), 10, "OVER"),
        (Ready(0, TWO), ANOTHER_EVENING_S, "LOBBY"),
        (TimeOut(0, TWO), 10, "POWER_BACK"),
    ],
)
def test_after_a_power_cut_a_correction_is_gone_and_what_waited_beneath_it_goes_on(
    inner: Phase, away_s: int, after: str
) -> None:
    state = table_of(20).engine.state
    fixing = replace(state, phase=Fixing(state.now_ns, inner=inner))
    step = advance(fixing, Resumed(5 * S, "boot-2", away_s))
    assert (step.state.phase.name, step.astray) == (after, ())
    assert [cue.name for cue in step.cues] == ["power_back"]


def test_a_bystander_a_late_finger_and_a_long_hold_change_nothing() -> None:
    table = table_of(20).choose("Fix counts").tap("1").wait(BREATH_NS).tap("3").hold("3").press("1", ns=2_500 * MS)
    assert [cell.cursor for cell in table.screen(FixScreen).cells] == [0, None]


def test_turning_shows_no_other_hand_while_one_is_being_counted() -> None:
    table = table_of(20, 28).choose("Fix counts").wait(BREATH_NS).tap("2").turn(1)
    assert table.screen(FixScreen).hand == 2
    table.hold("2", "2").tap("2").hold("2").turn(1)
    assert (table.screen(FixScreen).hand, fields(table)[1]) == (2, "0.1.1")
