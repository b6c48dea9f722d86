"""The match so far in outputs: hands, totals, leaders, corrections and pictures of calls."""

from __future__ import annotations

from fractions import Fraction

from referee.core.documents.record import from_document, to_document
from referee.core.match.viewer import sheet
from referee.core.model.table import Adjustment, Setup
from referee.core.model.view import MatchSheet, PhotoScreen
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.evenings import at_table, counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en


def match_of(table: Sitting) -> MatchSheet:
    found = table.view.match
    assert found is not None
    return found


def open_call(table: Sitting) -> PhotoScreen | None:
    return table.view.call


def called_twice() -> Sitting:
    """Return two hands: Anna calls alone; then Ben's call is found false, and Anna calls again."""
    table = at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2")
    return counted(table, "1", 30, "2").wait(BREATH_NS).playing("1", "2")


def test_each_hand_stands_with_its_scores_the_totals_after_it_and_who_led() -> None:
    setup = Setup(stations=("1", "2"), options=(("target", 200),))
    table = counted(Sitting(setup).playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    table = counted(table.playing("1", "2"), "2", 45, "1").wait(BREATH_NS)
    match = match_of(table)
    assert [hand.end for hand in match.hands] == ["call", "call"]
    assert [hand.callers for hand in match.hands] == [(0,), (1,)]
    assert [hand.leaders for hand in match.hands] == [(0,), (1,)]
    for hand, after in zip(match.hands, match.hands[1:], strict=False):
        assert after.totals == tuple(
            total + (score or 0) for total, score in zip(hand.totals, after.scores, strict=True)
        )
    assert match.hands[-1].totals == tuple(line.total for line in match.lines)
    assert (match.target, match.winners, [team.name for team in match.teams]) == (200, (), ["Red", "Blue"])


def test_points_and_reasons_stand_with_the_hand_that_they_are_about() -> None:
    setup = Setup(stations=("1", "2"), options=(("target", 200),))
    table = counted(Sitting(setup).playing("1", "2"), "1", 30, "2").wait(BREATH_NS)
    table = counted(table.playing("1", "2"), "2", 30, "1").wait(BREATH_NS)
    given = (
        Adjustment(0, "2", Fraction(7), "agreed"),
        Adjustment(1, "1", Fraction(-5), "penalty"),
        Adjustment(2, "2", Fraction(1), "miscount"),
        Adjustment(2, "1", Fraction(2), "her own word"),
    )
    why = ((2, "miscount"), (1, "spilt"), (2, "agreed"))
    match = sheet(replace(table.engine.state.table, adjustments=given, corrections=why))
    assert match is not None
    told = [
        [(one.team, int(one.points), en(one.reason)) for one in part]
        for part in (match.given, *(hand.given for hand in match.hands))
    ]
    assert told == [[(1, 7, "agreed")], [(0, -5, "penalty")], [(1, 1, "miscount"), (0, 2, "her own word")]]
    totals = [[int(total) for total in each] for each in (match.start, *(hand.totals for hand in match.hands))]
    assert totals == [[0, 7], [25, 17], [37, 48]]
    assert [[str(score) for score in hand.scores] for hand in match.hands] == [["30", "10"], ["10", "30"]]
    assert [[en(reason) for reason in hand.reasons] for hand in match.hands] == [["spilt"], ["miscount", "agreed"]]


def test_every_call_keeps_its_photo_finish() -> None:
    table = Sitting(Setup(stations=("1", "2", "3"))).playing("1", "2", "3")
    table.edges(("2", True, 0), ("3", True, 25 * MS)).wait(200 * MS).open("2", "3").wait(1 * S)
    shown = open_call(table)
    assert shown is not None
    assert [(line.label.name, line.press_ns, line.caller) for line in shown.lines] == [
        ("Blue", 0, True),
        ("Green", 25 * MS, False),
    ]
    table.wait(4 * S).wait(BREATH_NS)
    assert open_call(table) == shown  # it is counted now
    table.count("2", 0, 20, caller=True).count("1", 3, 10).count("3", 0, 12).wait(8 * S)
    assert open_call(table) is None
    assert match_of(table).hands[0].calls == (shown,)
    assert all(line.closed for line in shown.lines)


def test_a_call_that_was_false_keeps_its_photo_finish_and_a_hand_that_is_void_has_none() -> None:
    table = Sitting(Setup(options=(("bonus", 10),), stations=("1", "2", "3", "4"))).playing("1", "2", "3", "4")
    table.press("2").wait(1 * S).choose("False call").wait(BREATH_NS).tap("2").wait(4 * S)
    assert len(match_of(table).calls) == 1
    table.press("1").wait(6 * S)
    table.count("1", 0, 20, caller=True)
    for station in ("2", "3", "4"):
        table.count(station, 2, 12)
    table.wait(8 * S)
    assert [[line.label.name for line in call.lines] for call in match_of(table).hands[0].calls] == [["Blue"], ["Red"]]
    assert match_of(table).calls == ()


def test_a_record_has_every_call_of_its_hands() -> None:
    found = only(called_twice())
    ((call,),) = [hand.calls for hand in found.hands]
    assert [press.seat for press in call.presses if press.caller] == [1]
    assert call.presses[0].closed
    assert from_document(to_document(found)) == found
