"""Points by the table's will: given and taken at the knob, in a row of their own, undone like any decision."""

from __future__ import annotations

from fractions import Fraction

import pytest

from referee.core.documents.match import DocumentError, account, score_document
from referee.core.documents.record import GIVEN, columns, forgotten, from_document, table, to_document
from referee.core.model.events import PointsGiven
from referee.core.model.registry import game_of
from referee.core.model.state import Setup
from referee.core.model.view import FixScreen, MenuScreen, OverScreen, ReadyScreen
from referee.core.phases.adjusting import points_text, reason_text
from referee.core.units import S
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_fixing import table_of, totals
from tests.english import all_en, en


def given(sitting: Sitting, who: str, points: int, reason: str = "penalty") -> Sitting:
    """Fix counts > Adjust points > the team, turned to that many points > the reason."""
    sitting.choose("Fix counts").push().choose("Adjust points").choose(who)
    return sitting.turn(points).push().choose(reason)


def test_a_penalty_counts_in_the_total_and_in_no_hand() -> None:
    """Red's 48 are 43; READY says why, and what the last hand brought stays what it was."""
    sitting = given(table_of(20, 28), "1 Red", -5)
    decided = sitting.decisions(PointsGiven)[0]
    assert (decided.after, decided.team, decided.points, decided.reason) == (2, "1", Fraction(-5), "penalty")
    assert sitting.phase == "READY"
    assert totals(sitting) == {1: 43, 2: 20}
    shown = sitting.wait(5 * S).screen(ReadyScreen)
    assert [line.delta for line in shown.lines] == [28, 10]
    assert all_en(shown.notes)[0] == "1Re -5 penalty"


def test_each_step_says_what_is_being_done() -> None:
    """The list has the teams, the line at the cursor turns by ones from none, then the reasons stand under it."""
    sitting = table_of(20).choose("Fix counts").push()
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red", "2 Blue", "Adjust points", "Back")
    sitting.choose("Adjust points")
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red 0", "2 Blue 0", "Back")
    sitting.choose("2 Blue").turn(7)
    assert en(sitting.screen(MenuScreen).value) == "+7"
    sitting.push()
    assert en(sitting.screen(MenuScreen).title) == "2 Blue +7"
    assert all_en(sitting.screen(MenuScreen).items) == ("penalty", "illegal play", "miscount", "agreed", "Back")
    sitting.choose("Back")
    assert (sitting.phase, totals(sitting)) == ("READY", {1: 20, 2: 10})


def test_no_points_lead_back_to_the_teams() -> None:
    """A push on 0 gives nobody anything."""
    sitting = table_of(20).choose("Fix counts").push().choose("Adjust points").choose("2 Blue").push()
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red 0", "2 Blue 0", "Back")
    assert sitting.decisions(PointsGiven) == []


def test_the_correction_stays_open_while_its_list_is_read() -> None:
    """Each push in the list gives the table its 20 s again."""
    sitting = table_of(20).choose("Fix counts").wait(15 * S).push().wait(15 * S).choose("Adjust points").wait(15 * S)
    assert sitting.phase == "FIXING"


def test_points_stand_behind_the_hand_that_is_looked_at() -> None:
    """Turned to hand 1, they count from there: a match that was over by them with hand 2 is asked about."""
    sitting = table_of(40, 30, 10).choose("Fix counts").turn(1).turn(1)
    assert sitting.screen(FixScreen).hand == 1
    sitting.push().choose("Adjust points").choose("1 Red").turn(30).push().choose("agreed")
    assert sitting.decisions(PointsGiven)[0].after == 1
    assert en(sitting.screen(MenuScreen).title) == "OVER AT HAND 2?"
    sitting.choose("End match")
    assert sitting.phase == "OVER"
    assert totals(sitting) == {1: 100, 2: 20}
    assert only(sitting).match["adjustments"] == [{"after": 1, "team": "Red", "points": 30, "reason": "agreed"}]


def test_a_match_that_ends_with_an_earlier_hand_forgets_what_was_given_later() -> None:
    """Points after a hand that is dropped go with it."""
    sitting = given(table_of(40, 30, 10), "2 Blue", 3)
    sitting.choose("Fix counts").turn(1).turn(1).push().choose("Adjust points").choose("1 Red").turn(30).push()
    sitting.choose("agreed").choose("End match")
    assert totals(sitting) == {1: 100, 2: 20}
    assert [one.after for one in sitting.engine.state.table.adjustments] == [1]


def test_a_penalty_after_the_end_plays_on_and_a_gift_ends_the_match() -> None:
    """OVER is asked anew: under the target everybody deals again, at it the winner is named."""
    sitting = given(table_of(50, 52), "1 Red", -5)
    assert (sitting.phase, totals(sitting)) == ("READY", {1: 97, 2: 20})
    given(sitting.wait(BREATH_NS), "1 Red", 4, "agreed").choose("End match")
    assert sitting.phase == "OVER"
    assert [winner.name for winner in sitting.screen(OverScreen).winners] == ["Red"]


def test_points_are_undone_redone_and_outlive_a_power_cut() -> None:
    """One step in the list takes them back, another brings them again; a journal gives them back as they stand."""
    sitting = given(table_of(20, 28), "1 Red", -5).choose("Undo: points")
    assert sitting.wait(5 * S).phase == "READY"
    assert totals(sitting) == {1: 48, 2: 20}
    sitting.choose("Redo: points")
    assert totals(sitting.wait(5 * S)) == {1: 43, 2: 20}
    sitting.power_cut().reopened(lost=False).power_cut()
    assert totals(sitting) == {1: 43, 2: 20}


def test_a_rematch_begins_without_them() -> None:
    """They belong to the match in which they were given."""
    sitting = given(table_of(50, 50), "2 Blue", 7).wait(BREATH_NS).tap("1", "2").wait(BREATH_NS)
    assert (sitting.phase, totals(sitting)) == ("READY", {1: 0, 2: 0})


def test_what_was_dealt_stays_dealt_when_points_change_a_handicap() -> None:
    """Blue was below zero and dealt one card less for hand 2; points after hand 1 change no past."""
    sitting = Sitting(Setup(options=(("handicap", "negative"),), stations=("1", "2", "3")))
    sitting.counting("1", "1", "2").count("1", 0, 20, caller=True).count("2", 13, 0).wait(8 * S)
    counted(sitting.playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    sitting.choose("Fix counts").turn(1).push().choose("Adjust points").choose("2 Blue").turn(40).push()
    sitting.choose("agreed")
    record = only(sitting)
    assert record.match["hands"][1]["reserves"] == {"Blue": 12}  # type: ignore[index]
    assert score_document(record.match)["totals"] == {"Red": 40, "Blue": 24}


def test_a_game_without_points_has_no_such_line() -> None:
    """31 counts lives: nothing in its correction gives any."""
    sitting = Sitting(Setup(preset="31", stations=("1", "2", "3"))).seated("1", "2", "3")
    assert not game_of(sitting.engine.state.table).adjusts


def test_words_for_points_and_reasons() -> None:
    """Halves have their sign, and a reason of the table's own stands as it is written."""
    assert [points_text(Fraction(n, 2)) for n in (-1, 1, 5, -10)] == ["-½", "+½", "+2½", "-5"]
    assert reason_text("drank my coffee") == "drank my coffee"
    assert en(reason_text("penalty")) == "penalty"


# -- on paper ------------------------------------------------------------------------------------------------------

HAND = {"end": "call", "callers": ["Red"], "counts": {"Red": [28, 0], "Blue": [15, 4]}}


def document(*adjustments: object, hands: int = 1, **more: object) -> dict[str, object]:
    """A match of Red and Blue with those adjustments."""
    return {"preset": "nna", "teams": ["Red", "Blue"], "hands": [HAND] * hands, "adjustments": [*adjustments], **more}


def taken(points: float, after: int = 1, team: str = "Red", **more: object) -> dict[str, object]:
    """An adjustment as a document has it."""
    return {"after": after, "team": team, "points": points, **more}


def test_referee_score_reads_adjustments() -> None:
    """They change totals, ranks and the end, and no hand's scores; halves are kept; before the first hand, too."""
    result = score_document(document(taken(-5, reason="penalty"), taken(2.5, after=0, team=" blue ")))
    assert result["hands"] == [{"scores": {"Red": 28, "Blue": 7}}]
    assert result["totals"] == {"Red": 23, "Blue": 9.5}
    over = score_document(document(taken(80, team="Blue", after=2), hands=2))
    assert (over["over"], over["winners"], over["ranks"]) == (False, [], {"Red": 2, "Blue": 1})
    assert score_document(document(taken(90, team="Blue", after=2), hands=2))["winners"] == ["Blue"]


def test_a_hand_may_follow_where_a_penalty_has_kept_the_match_from_its_end() -> None:
    """112 less 20 is below 100: the fifth hand is allowed, which without the penalty is refused."""
    assert score_document(document(taken(-20, after=4), hands=5))["totals"] == {"Red": 120, "Blue": 35}
    with pytest.raises(DocumentError, match=r"hands\[4\]: a hand is given after the match was over"):
        score_document(document(hands=5))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (taken(-5, after=2), "adjustments[0].after: 2 is given, allowed is a whole number from 0 to 1"),
        (taken(-5, team="Gold"), 'adjustments[0].team: "Gold" is given, allowed is one of the teams of the match'),
        (taken(0.3), "adjustments[0].points: 0.3 is given, allowed is a whole number or a half"),
        (taken(1, reason="a\nb"), "adjustments[0].reason: "),
        (taken(1, reason=7), "adjustments[0].reason: 7 is given, allowed is a text of at most 200 printable"),
        (taken(1, why="x"), "adjustments[0].why: the key is unknown, allowed are after, team, points, reason"),
        ({"after": 1, "team": "Red"}, "adjustments[0]: the key points is missing, needed are after, team, points"),
    ],
)
def test_an_adjustment_that_cannot_be_is_refused_in_one_sentence(wrong: dict[str, object], sentence: str) -> None:
    """What was given, where, and what is allowed."""
    with pytest.raises(DocumentError) as refused:
        score_document(document(wrong))
    assert str(refused.value).startswith(sentence)


def test_a_settlement_pays_the_difference_of_the_totals_with_them() -> None:
    """At the end of a match; where each hand is settled alone they are paid with the hand behind which they stand."""
    assert score_document(document(taken(60), preset="pagat"))["settlement"] == {}
    paid = score_document(document(taken(75), taken(-5, team="Blue"), preset="pagat"))
    assert paid["settlement"] == {"Red": 101, "Blue": -101}
    each = document(taken(-5), preset="pagat", options={"settlement": "each-hand"})
    assert score_document(each)["settlement"] == {"Red": 16, "Blue": -16}
    before = document(taken(4, team="Blue", after=0), preset="pagat", options={"settlement": "each-hand"})
    assert score_document(before)["settlement"] == {"Red": 17, "Blue": -17}
    turned = document(taken(-30), preset="pagat", options={"settlement": "each-hand"})
    assert score_document(turned)["settlement"] == {"Red": -9, "Blue": 9}


def test_the_account_and_the_table_say_them() -> None:
    """A sentence each, and a row of its own in the table; totals run on through it."""
    told = account(document(taken(-5, reason="illegal_play"), taken(0.5, team="Blue", after=0)))
    assert told.remarks == ("Red loses 5 after hand 1: illegal play", "Blue gets ½ after hand 0")
    sitting = given(table_of(20, 28), "1 Red", -5)
    record = only(sitting)
    assert from_document(to_document(record)) == record
    rows = [dict(zip(columns(record), row, strict=True)) for row in table("7", record)]
    assert [(row["end"], row["team"], row["score"], row["total"], row["reason"]) for row in rows] == [
        ("call", "Red", 20, 20, None),
        ("call", "Blue", 10, 10, None),
        ("call", "Red", 28, 48, None),
        ("call", "Blue", 10, 20, None),
        (GIVEN, "Red", -5, 43, "penalty"),
    ]


def test_a_team_that_is_called_otherwise_keeps_its_points() -> None:
    """A forgotten person's team has another name in the adjustments, too."""
    record = forgotten(only(given(table_of(20, 28), "1 Red", -5)), "Red")
    assert record.match["adjustments"] == [{"after": 2, "team": "Player 1", "points": -5, "reason": "penalty"}]
    assert from_document(to_document(record)) == record


def test_a_penalty_after_the_end_is_undone_and_redone() -> None:
    """The match is over again, and is not."""
    sitting = given(table_of(50, 52), "1 Red", -5).wait(BREATH_NS).choose("Undo: points")
    assert sitting.wait(5 * S).phase == "OVER"
    sitting.choose("Redo: points")
    assert (sitting.wait(5 * S).phase, totals(sitting)) == ("READY", {1: 97, 2: 20})


def test_points_that_come_while_the_winner_is_named_count_too() -> None:
    """As a journal brings them whose list the present rules would not have opened."""
    sitting = table_of(50, 52)
    assert sitting.phase == "OVER"
    points = PointsGiven(sitting.now_ns, 2, "1", Fraction(-5), "penalty")
    sitting.engine.intake([points], sitting.now_ns)  # type: ignore[list-item]  # a decision, as a journal has it
    assert (sitting.wait(S).phase, totals(sitting)) == ("READY", {1: 97, 2: 20})
