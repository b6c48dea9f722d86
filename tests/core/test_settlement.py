"""Payments at the end of a match and after each hand, and tie-break hands."""

from __future__ import annotations

from referee.core.documents.match import score_document
from referee.core.model.table import Setup
from referee.core.model.view import OverScreen, ReadyScreen
from referee.core.units import S
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en

THREE = ("1", "2", "3")


def evening(preset: str, *lakes: int, **options: object) -> Sitting:
    """Return a table of three after these hands.

    1 called each with that many Lake cards; the others have 10.
    """
    table = Sitting(Setup(preset, tuple(options.items()), stations=("1", "2", "3", "4")))
    for lake in lakes:
        counted(table.playing(*THREE), "1", lake, "2", "3")
    return table.wait(BREATH_NS)


def test_the_end_says_who_pays_whom_and_shows_the_ranking_in_turn() -> None:
    table = evening("pagat", 50, 50)
    shown = table.screen(OverScreen)
    assert all_en(shown.notes) == ("2Bl pays 1Re 80", "3Gr pays 1Re 80")
    over_ns = table.engine.state.phase.asked_at_ns
    notes = []
    for turn_ns in range(over_ns + 4 * S, over_ns + 17 * S, 4 * S):
        before, after = table.engine.view(turn_ns - 1), table.engine.view(turn_ns)
        notes.append([view.screen.note for view in (before, after) if isinstance(view.screen, OverScreen)])
        assert before.changes_at_ns == turn_ns
    assert notes == [[0, 1], [1, 2], [2, 0], [0, 1]]


def test_a_match_that_is_not_settled_has_nothing_to_pay() -> None:
    assert evening("nna", 50, 50).screen(OverScreen).notes == ()


def test_a_match_that_the_table_ends_is_settled_too() -> None:
    table = evening("pagat", 30).choose("More").choose("End match").wait(BREATH_NS).tap(*THREE)
    assert all_en(table.screen(OverScreen).notes) == ("2Bl pays 1Re 20", "3Gr pays 1Re 20")
    assert score_document(only(table).match)["settlement"] == {"Red": 40, "Blue": -20, "Green": -20}


def test_each_hand_says_who_pays_whom_where_each_is_settled_by_itself() -> None:
    table = evening("pagat", 20, 30, settlement="each-hand", target=0).wait(5 * S)
    assert all_en(table.screen(ReadyScreen).notes)[:2] == ("2Bl pays 1Re 20", "3Gr pays 1Re 20")
    table.choose("More").choose("End match").wait(BREATH_NS).tap(*THREE)
    assert all_en(table.screen(OverScreen).notes) == ("2Bl pays 1Re 30", "3Gr pays 1Re 30")


def test_points_that_the_table_gives_are_paid_with_the_hand_behind_which_they_stand() -> None:
    table = evening("pagat", 20, 30, settlement="each-hand", target=0).wait(5 * S)
    table.choose("Fix counts").push().choose("Adjust points").choose("1").turn(-5).push().choose("penalty").wait(5 * S)
    assert all_en(table.screen(ReadyScreen).notes)[:2] == ("2Bl pays 1Re 15", "3Gr pays 1Re 15")
    table.choose("More").choose("End match").wait(BREATH_NS).tap(*THREE)
    assert all_en(table.screen(OverScreen).notes) == ("2Bl pays 1Re 25", "3Gr pays 1Re 25")
    assert score_document(only(table).match)["settlement"] == {"Red": 50, "Blue": -25, "Green": -25}


def tie_break(**options: object) -> Sitting:
    """Return a table where 1 and 2 are equal at the target and 3 is behind."""
    settings = {"target": 20, "tiebreak": "hand", **options}
    table = Sitting(Setup(options=tuple(settings.items()), stations=("1", "2", "3")))
    table.playing(*THREE).press("1").wait(5 * S).wait(BREATH_NS)
    return table.count("1", 0, 20, caller=True).count("2", 0, 20).count("3", 0, 5).wait(8 * S).wait(BREATH_NS)


def test_a_tie_break_says_whose_hand_it_is_and_who_rests() -> None:
    table = tie_break()
    assert all_en(table.screen(ReadyScreen).notes)[:2] == ("TIE BREAK 1:2", "rest: 3")
    assert table.asked == ("1", "2")
