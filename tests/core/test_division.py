"""Late evidence, which opens the contest only, and the division of a bonus."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.match import score_document
from referee.core.documents.record import columns
from referee.core.documents.record import table as rows_of
from referee.core.games.nertz.division import drawn_shares
from referee.core.match.engine import Engine
from referee.core.model.account import score_text
from referee.core.model.events import Divided, Overruled
from referee.core.model.table import Setup, Table
from referee.core.model.view import (
    CountScreen,
    MenuScreen,
    PhotoScreen,
    ReadyScreen,
    VerdictScreen,
    VoteScreen,
)
from referee.core.presses.signals import Edge
from referee.core.reading import number
from referee.core.units import MS, S
from referee.language.speech import speech_of
from tests.core.evenings import only
from tests.core.sitting import BREATH_NS, ERR_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")


def called(*at_ms: int, **options: object) -> Sitting:
    """Return three at the table who have pressed so many ms from now, with a shown verdict."""
    table = Sitting(Setup(options=tuple(options.items()), stations=("1", "2", "3", "4"))).playing(*THREE)
    pressed = [(str(n + 1), True, at * MS) for n, at in enumerate(at_ms)]
    return table.edges(*sorted(pressed, key=itemgetter(2))).wait(200 * MS).open(*THREE[: len(at_ms)])


def late(table: Sitting, station: str, t_ns: int) -> Sitting:
    """Deliver a press that happened at `t_ns` and arrives only now."""
    rows = [Edge(station, closed, t_ns + at, ERR_NS, table.now_ns) for closed, at in ((True, 0), (False, 60 * MS))]
    table.engine.intake(rows, table.now_ns)
    return table.wait(20 * MS)


# -- late evidence -------------------------------------------------------------------------------------------------


def test_late_evidence_is_shown_and_opens_the_contest_while_the_verdict_stands() -> None:
    table = called(0)
    called_ns = table.engine.state.phase.verdict.presses[0].t_ns  # type: ignore[attr-defined]
    late(table, "2", called_ns - 12 * MS)
    menu = table.screen(MenuScreen)
    assert (en(menu.title), all_en(menu.items[:3])) == ("LATE: 2 Blue", ("Verdict stands", "False call", "Tie"))
    table.choose("Back")
    shown = table.screen(VerdictScreen)
    assert [c.name for c in shown.callers] == ["Red"]
    assert [(who.name, ns) for who, ns in shown.late] == [("Blue", -12 * MS)]
    table.turn(1)
    assert [line.late for line in table.screen(PhotoScreen).lines] == [True, False]
    table.turn(-1)
    assert table.wait(10 * S).phase == "VERDICT"
    assert table.wait(12 * S).phase == "COUNTING"
    assert Engine.restored(table.rows).state == table.engine.state


def test_late_evidence_during_the_photo_finish_gives_the_verdict_no_more_time() -> None:
    table = called(0).turn(1)
    assert table.screen(PhotoScreen)
    called_ns = table.engine.state.phase.verdict.presses[0].t_ns  # type: ignore[attr-defined]
    late(table, "2", called_ns - 12 * MS).choose("Tie").wait(BREATH_NS).hold("2", "3")
    assert table.wait(16 * S).phase == "COUNTING"


def test_late_evidence_opens_the_contest_while_all_count() -> None:
    table = called(0)
    called_ns = table.engine.state.phase.verdict.presses[0].t_ns  # type: ignore[attr-defined]
    table.wait(5 * S).wait(BREATH_NS).taps("2", 3).hold("2").taps("2", 2)
    late(table, "2", called_ns + 5 * MS)
    assert en(table.screen(MenuScreen).title) == "LATE: 2 Blue"
    table.choose("Tie").wait(BREATH_NS).tap("1", "2", "3")
    assert table.decisions(Overruled)[0].teams == ("1", "2")
    cells = table.screen(CountScreen).cells
    assert [cell.locked[0] for cell in cells] == [True, True, False]
    assert cells[1].fields == ("0", "2", None)


def test_a_tap_that_counts_is_no_evidence_and_a_bystander_s_late_press_neither() -> None:
    table = called(0)
    called_ns = table.engine.state.phase.verdict.presses[0].t_ns  # type: ignore[attr-defined]
    table.wait(5 * S).wait(BREATH_NS).taps("2", 3)
    assert isinstance(table.view.screen, CountScreen)
    late(table, "4", called_ns + 5 * MS)
    assert isinstance(table.view.screen, CountScreen)
    late(table, "3", called_ns + 900 * MS)
    assert isinstance(table.view.screen, CountScreen)


# -- the division --------------------------------------------------------------------------------------------------


def finished(table: Sitting, *callers: str) -> Sitting:
    """Count 20 cards and none left for everybody."""
    table.wait(BREATH_NS)
    for seat in THREE:
        table.count(seat, 0, 20, caller=seat in callers)
    return table.wait(8 * S)


def totals(table: Sitting) -> list[Fraction]:
    return [line.total for line in table.screen(ReadyScreen).lines]


def test_three_callers_are_asked_for_the_division() -> None:
    """25 in halves: 8½, 8½ and 8."""
    table = called(0, 2, 4, bonus=25).wait(4 * S).wait(BREATH_NS)
    vote = table.screen(VoteScreen)
    proposed = drawn_shares(table.engine.state.table, THREE)
    assert [label.name for label in vote.subject] == ["Red", "Blue", "Green"]
    assert dict(vote.question.values)["parts"] == tuple(proposed.values())
    table.tap(*THREE).wait(5 * S)
    assert dict(table.decisions(Divided)[0].shares) == proposed
    assert sorted(proposed.values()) == [8, Fraction(17, 2), Fraction(17, 2)]
    assert totals(finished(table, *THREE)) == [20 + share for share in proposed.values()]
    record = only(table)
    shares = record.match["hands"][0]["shares"]  # type: ignore[index]
    assert list(shares.values()) == list(proposed.values())
    rows = [dict(zip(columns(record), row, strict=True)) for row in rows_of("7", record)]
    assert [(row["bonus"], row["false_calls"], row["score"]) for row in rows] == [
        (share, 0, 20 + share) for share in proposed.values()
    ]
    assert score_document(record.match)["totals"] == record.totals


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("no", [True, False])
def test_the_draw_stays_whatever_the_order_of_presses_and_without_a_majority(order: tuple[int, ...], no: bool) -> None:
    table = called(*order, bonus=10).wait(2 * S).wait(BREATH_NS)
    table = table.hold(*THREE) if no else table.wait(15 * S)
    drawn = drawn_shares(table.engine.state.table, THREE)
    assert dict(table.view.toast.values)["parts"] == tuple(  # type: ignore[union-attr]
        drawn[str(1 + order.index(at))] for at in range(3)
    )
    finished(table, *THREE)
    (hand,) = table.engine.state.table.hands
    assert hand.shares == drawn == drawn_shares(called(0, 1, 2, bonus=10).engine.state.table, THREE)
    assert sorted(drawn.values()) == [3, Fraction(7, 2), Fraction(7, 2)]
    assert Engine.restored(table.rows).state == Engine.derived(table.rows).state == table.engine.state
    record = only(table)
    assert record.match["hands"][0]["shares"].keys() == {"Red", "Blue", "Green"}  # type: ignore[index]
    assert score_document(record.match)["totals"] == record.totals


def test_callers_who_are_left_after_a_false_call_take_part_in_a_draw_of_their_own() -> None:
    seats = (*THREE, "4")
    table = Sitting(Setup(options=(("bonus", 25),), stations=seats)).playing(*seats)
    table.edges(*((s, True, n * MS) for n, s in enumerate(seats))).wait(200 * MS).open(*seats).wait(2 * S)
    table.wait(BREATH_NS).hold(*seats).choose("False call").choose("4").wait(BREATH_NS).tap("4").wait(BREATH_NS)
    assert table.phase == "COUNTING"
    for seat in seats:
        table.count(seat, 0, 20, caller=seat in THREE)
    (hand,) = table.wait(8 * S).engine.state.table.hands
    assert hand.shares.keys() == {*THREE}
    assert sorted(hand.shares.values()) == [8, Fraction(17, 2), Fraction(17, 2)]


@given(st.integers(0, 60), st.permutations([str(n) for n in range(1, 13)]), st.integers(1, 12), st.integers(0, 999))
def test_a_draw_depends_on_the_hand_not_on_the_order_of_callers(
    bonus: int, seats: list[str], callers: int, match: int
) -> None:
    table = Table(Setup(options=(("bonus", bonus),)), (), match=f"boot-{match}")
    drawn = drawn_shares(table, seats[:callers])
    assert drawn == drawn_shares(table, sorted(seats[:callers]))
    assert sum(drawn.values()) == bonus
    assert max(drawn.values()) - min(drawn.values()) <= Fraction(1, 2)


@pytest.mark.parametrize(("bonus", "seats", "less"), [(10, THREE, 1), (25, (*THREE, "4"), 2), (5, (*THREE, "4"), 2)])
def test_over_many_hands_each_caller_gets_the_smaller_share_equally_often(
    bonus: int, seats: tuple[str, ...], less: int
) -> None:
    """Callers in the order of their presses, which always begins with seat 1. Five deviations are allowed."""
    hands, small = 3000, Counter[str]()
    for match in range(hands // 10):
        for played in range(10):
            table = Table(Setup(options=(("bonus", bonus),)), (), match=f"boot-{match}", hands=(None,) * played)
            drawn = drawn_shares(table, seats)
            small.update(team for team in seats if drawn[team] == min(drawn.values()))
    share = less / len(seats)
    assert small.total() == hands * less
    for team in seats:
        assert abs(small[team] - hands * share) < 5 * (hands * share * (1 - share)) ** 0.5


def test_what_a_vote_has_decided_is_said_where_the_next_picture_is_the_same() -> None:
    def asked() -> Sitting:
        return called(0, 2, 4, bonus=10).wait(2 * S).wait(BREATH_NS)

    shares = drawn_shares(asked().engine.state.table, THREE).values()
    parts, spoken = [score_text(share) for share in shares], [number(share) for share in shares]
    yes, no, silence = asked().tap(*THREE), asked().hold(*THREE), asked().wait(15 * S)
    assert [table.phase for table in (yes, no, silence)] == ["COUNTING"] * 3
    assert [en(table.view.toast) for table in (yes, no, silence)] == [
        "VOTE: YES",
        "BONUS STAYS {}:{}:{}".format(*parts),
        "BONUS STAYS {}:{}:{}".format(*parts),
    ]
    assert speech_of(yes.view).endswith("The table has said yes.")
    assert speech_of(no.view).endswith("No majority: the bonus stays in parts of {}, {} and {}.".format(*spoken))
    admitted = called(0).choose("False call").wait(2 * S).tap("1")
    toast = admitted.view.toast
    assert toast is not None
    assert (admitted.phase, toast.key) == ("RESUMING", "toast.false_call")


def test_a_division_that_is_refused_leaves_the_one_before_it() -> None:
    table = called(0, 2, bonus=25).choose("Divide bonus").choose("25:0").wait(2 * S).tap(*THREE).wait(5 * S)
    table.choose("Divide bonus").choose("0:25").wait(2 * S).hold(*THREE)
    assert (table.phase, en(table.view.toast)) == ("COUNTING", "BONUS STAYS 25:0")
    table.choose("Void hand").wait(2 * S).hold(*THREE)
    assert (table.phase, en(table.view.toast)) == ("COUNTING", "NO MAJORITY")


def test_two_callers_may_divide_it_otherwise() -> None:
    table = called(0, 2, bonus=25).choose("Divide bonus")
    assert all_en(table.screen(MenuScreen).items) == ("12½:12½", "25:0", "0:25", "Other parts", "Back")
    table.choose("0:25").wait(2 * S).tap(*THREE)
    assert table.wait(5 * S).phase == "COUNTING"
    table.choose("Divide bonus").choose("Back").choose("Back")
    assert totals(finished(table, "1", "2")) == [20, 45, 20]


def test_the_table_may_divide_the_bonus_in_any_halves() -> None:
    table = called(0, 2, 4, bonus=25).choose("Divide bonus").choose("Other parts")
    first, second, _ = drawn_shares(table.engine.state.table, THREE).values()
    shown = all_en(table.screen(MenuScreen).items)
    assert (shown, table.screen(MenuScreen).value) == ((f"1 Red {score_text(first)}", "Back"), first)
    table.turn(25 - int(2 * first)).push()
    assert all_en(table.screen(MenuScreen).items) == ("1 Red 12½", f"2 Blue {score_text(second)}", "Back")
    table.turn(100).turn(-1).push().wait(2 * S)
    vote = table.screen(VoteScreen)
    assert en(vote.question) == "BONUS 12½:12:½?"
    table.tap(*THREE).wait(5 * S)
    shares = (("1", Fraction(25, 2)), ("2", Fraction(12)), ("3", Fraction(1, 2)))
    assert table.decisions(Divided)[0].shares == shares
    record = only(finished(table, *THREE))
    assert score_document(record.match)["totals"] == record.totals == {"Red": 32.5, "Blue": 32, "Green": 20.5}


def test_the_division_is_decided_in_the_count_too_and_an_overrule_forgets_it() -> None:
    table = called(0, 2, bonus=10).wait(5 * S).choose("Divide bonus").choose("10:0").wait(BREATH_NS).tap(*THREE)
    assert table.phase == "COUNTING"
    table.choose("Someone else first").choose("3").wait(BREATH_NS).tap(*THREE)
    assert totals(finished(table, "3")) == [20, 20, 30]


def test_eight_parts_are_too_many_for_the_question() -> None:
    seats = tuple(str(n) for n in range(1, 9))
    table = Sitting(Setup(options=(("bonus", 25),))).playing(*seats)
    table.edges(*((s, True, n * MS) for n, s in enumerate(seats))).wait(200 * MS).open(*seats).wait(5 * S)
    assert en(table.screen(VoteScreen).question) == "BONUS?"
    assert len(table.screen(VoteScreen).subject) == 8
