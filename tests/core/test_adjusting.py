"""Points that the table gives or takes at the knob. Each can be undone like any decision."""

from __future__ import annotations

from fractions import Fraction

import pytest

from referee.core.documents.match import DocumentError, account, score_document
from referee.core.documents.record import columns, forget_person, from_document, table, to_document
from referee.core.messages import msg
from referee.core.model.events import PhoneGave, PointsGiven
from referee.core.model.registry import game_of
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen, OverScreen, ReadyScreen
from referee.core.phases.fixing import FixScreen
from referee.core.phases.phones import refusal
from referee.core.units import MS, S
from tests.core.evenings import only
from tests.core.games.thirtyone.table import Thirtyone
from tests.core.games.thirtyone.table import table as thirtyone
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_fixing import table_of, totals
from tests.english import all_en, en


def given(sitting: Sitting, who: str, points: int, reason: str = "penalty") -> Sitting:
    """Choose Fix counts > Adjust points > the team, turn to the points, choose the reason."""
    sitting.choose("Fix counts").push().choose("Adjust points").choose(who)
    return sitting.turn(points).push().choose(reason)


def test_a_penalty_counts_in_the_total_and_in_no_hand() -> None:
    sitting = given(table_of(20, 28), "1 Red", -5)
    decided = sitting.decisions(PointsGiven)[0]
    assert (decided.after, decided.team, decided.points, decided.reason) == (2, "1", Fraction(-5), "penalty")
    assert sitting.phase == "READY"
    assert totals(sitting) == {1: 43, 2: 20}
    shown = sitting.wait(5 * S).screen(ReadyScreen)
    assert [line.delta for line in shown.lines] == [28, 10]
    assert all_en(shown.notes)[0] == "1Re -5 penalty"


def test_each_step_says_what_is_being_done() -> None:
    sitting = table_of(20).choose("Fix counts").push()
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red", "2 Blue", "Adjust points", "Back")
    sitting.choose("Adjust points")
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red 0", "2 Blue 0", "Back")
    sitting.choose("2 Blue").turn(7)
    assert en(sitting.screen(MenuScreen).value) == "+7"
    sitting.push()
    assert en(sitting.screen(MenuScreen).title) == "2 Blue +7"
    assert all_en(sitting.screen(MenuScreen).items) == ("penalty", "illegal play", "miscount", "agreed", "Back")
    assert all_en(sitting.choose("Back").screen(MenuScreen).items) == ("1 Red 0", "2 Blue 0", "Back")
    sitting.choose("Back").choose("Back")
    assert (sitting.phase, totals(sitting)) == ("READY", {1: 20, 2: 10})


def test_points_stand_behind_the_hand_that_is_looked_at() -> None:
    sitting = table_of(40, 30, 10).choose("Fix counts").turn(1).turn(1)
    assert sitting.screen(FixScreen).hand == 1
    sitting.push().choose("Adjust points").choose("1 Red").turn(30).push().choose("agreed")
    assert sitting.decisions(PointsGiven)[0].after == 1
    assert en(sitting.screen(MenuScreen).title) == "OVER AT HAND 2?"
    sitting.choose("End match").choose("End match")
    assert sitting.phase == "OVER"
    assert totals(sitting) == {1: 100, 2: 20}
    assert only(sitting).match["adjustments"] == [{"after": 1, "team": "Red", "points": 30, "reason": "agreed"}]


def test_a_match_that_ends_with_an_earlier_hand_forgets_what_was_given_later() -> None:
    sitting = given(table_of(40, 30, 10), "2 Blue", 3)
    sitting.choose("Fix counts").turn(1).turn(1).push().choose("Adjust points").choose("1 Red").turn(30).push()
    sitting.choose("agreed").choose("End match").choose("End match")
    assert totals(sitting) == {1: 100, 2: 20}
    assert [one.after for one in sitting.engine.state.table.adjustments] == [1]


def test_a_penalty_after_the_end_plays_on_and_a_gift_ends_the_match() -> None:
    sitting = given(table_of(50, 52), "1 Red", -5)
    assert (sitting.phase, totals(sitting)) == ("READY", {1: 97, 2: 20})
    given(sitting.wait(BREATH_NS), "1 Red", 4, "agreed").choose("End match")
    assert sitting.phase == "OVER"
    assert [winner.name for winner in sitting.screen(OverScreen).winners] == ["Red"]


def test_a_game_without_points_has_no_such_line() -> None:
    for preset in ("31", "ride-the-bus"):
        sitting = quebec(preset).wait(BREATH_NS).choose("Fix counts").push()
        assert "Adjust points" not in all_en(sitting.screen(MenuScreen).items)
    state = sitting.engine.state
    refused = refusal(state, PhoneGave(state.now_ns, "phone-1", "1", 2, "penalty"))
    assert refused == msg("refusal.no_points")


# -- games of claims, and 31 for points ----------------------------------------------------------------------------


def claimed(preset: str, *, hands: int = 1, **options: int) -> Sitting:
    """Return the pause of a game of two after so many accepted claims of Anna's."""
    names = (("1", "Anna"), ("2", "Ben"))
    sitting = Sitting(Setup(preset, tuple(options.items()), ("1", "2", "3"), names)).seated("1", "2")
    sitting.wait(BREATH_NS).tap("1", "2").wait(BREATH_NS)
    for _ in range(hands):
        sitting.edges(("1", True, 0), ("1", False, 200 * MS)).wait(8 * S)
        sitting.tap("1", "2").wait(BREATH_NS)
    return sitting.press("knob", ns=400_000_000).wait(BREATH_NS)


def quebec(preset: str = "31-quebec", **options: object) -> Thirtyone:
    """Return three at 31, and a hand in the book that Max has won by his knock."""
    sitting = thirtyone(3, preset, **options).dealt().done().knocks().done(2)
    sitting.values({"1": 20, "2": 25, "3": 28})
    return sitting


def scores(sitting: Sitting) -> list[int]:
    """Return everybody's points, in seat order."""
    table = sitting.engine.state.table
    return [int(place.total) for place in game_of(table).standings(table)]


def test_points_of_slap_are_given_in_its_pause_and_undone_there() -> None:
    sitting = claimed("ratscrew").choose("Adjust points").choose("2 Ben").turn(-3).push().choose("illegal play")
    (decided,) = sitting.decisions(PointsGiven)
    assert (decided.after, decided.team, decided.points) == (1, "2", Fraction(-3))
    assert (sitting.phase, scores(sitting)) == ("TIMEOUT", [1, -3])
    sitting.choose("Undo: points")
    assert (sitting.phase, scores(sitting)) == ("TIMEOUT", [1, 0])
    sitting.choose("Redo: points")
    sitting.power_cut().reopened().power_cut()
    assert scores(sitting) == [1, -3]


def test_points_of_slap_are_in_its_record_its_export_and_its_score() -> None:
    sitting = claimed("ratscrew").choose("Adjust points").choose("2 Ben").turn(-3).push().choose("illegal play")
    record = only(sitting)
    assert record.match["adjustments"] == [{"after": 1, "team": "Ben", "points": -3, "reason": "illegal_play"}]
    assert from_document(to_document(record)) == record
    assert score_document(record.match)["totals"] == {"Anna": 1, "Ben": -3}
    assert account(record.match).remarks == ("Ben loses 3 after hand 1: illegal play",)
    rows = [dict(zip(columns(record), row, strict=True)) for row in table("7", record)]
    assert [(row["end"], row["team"], row["score"], row["total"]) for row in rows] == [
        ("right", "Anna", 1, 1),
        ("right", "Ben", 0, 0),
        ("adjustment", "Ben", -3, -3),
    ]
    (hand,) = sitting.view.match.hands  # type: ignore[union-attr]
    assert (hand.scores, [one.points for one in hand.given]) == ((1, 0), [Fraction(-3)])
    neutral = forget_person(record, "Ben")
    assert neutral.match["adjustments"][0]["team"] == "Player 2"  # type: ignore[index]


def test_points_that_reach_the_target_of_slap_ask_whether_the_match_was_over() -> None:
    sitting = claimed("snap", target=5).choose("Adjust points").choose("2 Ben").turn(5).push().choose("agreed")
    assert en(sitting.screen(MenuScreen).title) == "OVER AT HAND 1?"
    sitting.choose("End match")
    assert (sitting.phase, [label.name for label in sitting.screen(OverScreen).winners]) == ("OVER", ["Ben"])
    given_back = sitting.wait(BREATH_NS).choose("Adjust points").choose("2 Ben").turn(-1).push().choose("miscount")
    assert (given_back.phase, scores(given_back)) == ("READY", [1, 4])
    assert all_en(given_back.wait(5 * S).screen(ReadyScreen).notes) == ("2Be +5 agreed", "2Be -1 miscount")


def test_points_of_a_31_for_points_are_given_behind_the_hand_that_is_looked_at() -> None:
    sitting = quebec()
    assert scores(sitting) == [0, 0, 1]
    sitting.wait(BREATH_NS).choose("Fix counts").push().choose("Adjust points").choose("1 Anna").turn(4).push()
    sitting.choose("agreed")
    assert (sitting.phase, scores(sitting)) == ("READY", [4, 0, 1])
    shown = sitting.wait(5 * S).screen(ReadyScreen)
    assert [line.delta for line in shown.lines] == [0, 0, 1]
    assert all_en(shown.notes)[0] == "1An +4 agreed"
    record = only(sitting)
    assert record.match["adjustments"] == [{"after": 1, "team": "Anna", "points": 4, "reason": "agreed"}]
    assert score_document(record.match)["points"] == {"Anna": 4, "Ben": 0, "Max": 1}
    sitting.choose("Undo: points")
    assert scores(sitting) == [0, 0, 1]


def test_a_31_for_points_ends_at_31_points_however_they_came_and_else_by_a_31_alone() -> None:
    for end, over in (("31-points", True), ("first-31", False)):
        document = {
            "preset": "31-quebec",
            "options": {"end": end},
            "players": ["A", "B"],
            "hands": [{"knocker": "A", "values": {"A": 27, "B": 20}}],
        }
        assert score_document(document)["over"] is False
        given = score_document({**document, "adjustments": [taken(30, team="A")]})
        assert (given["points"], given["over"]) == ({"A": 31, "B": 0}, over)
        kept = score_document({**document, "adjustments": [taken(30, team="A"), taken(-1, team="A")]})
        assert kept["over"] is False


@pytest.mark.parametrize(
    ("preset", "counts"), [("31", "lives"), ("ride-the-bus", "places of the bus"), ("spoons", "letters")]
)
def test_a_document_gives_nobody_lives_places_or_letters(preset: str, counts: str) -> None:
    match = {"preset": preset, "players": ["A", "B"], "hands": []}
    score_document({**match, "adjustments": []})
    with pytest.raises(DocumentError) as refused:
        score_document({**match, "adjustments": [taken(1, after=0, team="A")]})
    assert str(refused.value).startswith("adjustments: ")
    assert str(refused.value).endswith(
        f"allowed is none in {preset}, which counts {counts}: only points can be given and deducted"
    )


# -- documents -----------------------------------------------------------------------------------------------------

HAND = {"end": "call", "callers": ["Red"], "counts": {"Red": [28, 0], "Blue": [15, 4]}}


def document(*adjustments: object, hands: int = 1, **more: object) -> dict[str, object]:
    """Return a match of Red and Blue with those adjustments."""
    return {"preset": "nna", "teams": ["Red", "Blue"], "hands": [HAND] * hands, "adjustments": [*adjustments], **more}


def taken(points: float, after: int = 1, team: str = "Red", **more: object) -> dict[str, object]:
    """Return an adjustment in the form of a document."""
    return {"after": after, "team": team, "points": points, **more}


def test_referee_score_reads_adjustments() -> None:
    result = score_document(document(taken(-5, reason="penalty"), taken(2.5, after=0, team=" blue ")))
    assert result["hands"] == [{"scores": {"Red": 28, "Blue": 7}}]
    assert result["totals"] == {"Red": 23, "Blue": 9.5}
    over = score_document(document(taken(80, team="Blue", after=2), hands=2))
    assert (over["over"], over["winners"], over["ranks"]) == (False, [], {"Red": 2, "Blue": 1})
    assert score_document(document(taken(90, team="Blue", after=2), hands=2))["winners"] == ["Blue"]


def test_a_hand_may_follow_where_a_penalty_has_kept_the_match_from_its_end() -> None:
    """112 less 20 is below 100, so the fifth hand is allowed. Without the penalty it is refused."""
    assert score_document(document(taken(-20, after=4), hands=5))["totals"] == {"Red": 120, "Blue": 35}
    with pytest.raises(DocumentError, match=r"hands\[4\]: no hand may follow the end of the match"):
        score_document(document(hands=5))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (taken(-5, after=2), "adjustments[0].after: 2 is given, allowed is a whole number from 0 to 1"),
        (taken(-5, team="Gold"), 'adjustments[0].team: "Gold" is given, allowed is one of the teams of the match'),
        (taken(1, reason=7), "adjustments[0].reason: 7 is given, allowed is a text of at most 200 printable"),
        (taken(1, why="x"), "adjustments[0].why: the key is unknown, allowed are after, team, points, reason"),
    ],
)
def test_an_adjustment_that_cannot_be_is_refused_in_one_sentence(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(DocumentError) as refused:
        score_document(document(wrong))
    assert str(refused.value).startswith(sentence)


def test_a_settlement_pays_the_difference_of_the_totals_with_them() -> None:
    assert score_document(document(taken(60), preset="pagat"))["settlement"] == {}
    paid = score_document(document(taken(75), taken(-5, team="Blue"), preset="pagat"))
    assert paid["settlement"] == {"Red": 101, "Blue": -101}
    each = document(taken(-5), preset="pagat", options={"settlement": "each-hand"})
    assert score_document(each)["settlement"] == {"Red": 16, "Blue": -16}
    before = document(taken(4, team="Blue", after=0), preset="pagat", options={"settlement": "each-hand"})
    assert score_document(before)["settlement"] == {"Red": 17, "Blue": -17}
    turned = document(taken(-30), preset="pagat", options={"settlement": "each-hand"})
    assert score_document(turned)["settlement"] == {"Red": -9, "Blue": 9}


@pytest.mark.parametrize("sign", [1, -1])
def test_fifty_points_can_be_given_at_once_and_no_more(sign: int) -> None:
    state = table_of(20).engine.state
    given = (PhoneGave(state.now_ns, "phone-1", "1", sign * points, "penalty") for points in (50, 51))
    assert [refusal(state, event) for event in given] == [None, msg("refusal.above", value=51, most=50)]
