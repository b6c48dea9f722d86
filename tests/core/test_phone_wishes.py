"""Other requests of phones: votes, pairs, corrections of past hands, and points."""

from __future__ import annotations

import pytest

from referee.core.match.engine import Engine
from referee.core.model.events import (
    Corrected,
    Overruled,
    Paired,
    PhoneCorrected,
    PhoneFact,
    PhoneGave,
    PhonePaired,
    PhonePaused,
    PhoneSat,
    PhoneStarted,
    PhoneVoted,
    PointsGiven,
)
from referee.core.model.view import OverScreen, ReadyScreen, VoteScreen
from referee.core.phases.phones import refusal
from referee.core.units import S
from tests.core.evenings import only
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_fixing import lines, table_of, totals
from tests.english import en

TWO = ("1", "2")


def asks(table: Sitting, fact: PhoneFact) -> str:
    """Feed the phone's request and return the reason for a refusal, or "".

    A refusal changes nothing.
    """
    why, before = refusal(table.engine.state, fact), table.engine.state
    table.engine.intake([fact], table.now_ns)
    table._collect()
    if why is not None:
        after = table.engine.state
        assert (after.table, after.phase) == (before.table, before.phase)
    return en(why) or ""


def corrects(table: Sitting, hand: int, team: str, *numbers: int, reason: str = "miscount") -> str:
    """Correct that hand by the scorekeeper's phone; return the refusal, or ""."""
    return asks(table, PhoneCorrected(table.now_ns, "phone-1", hand, team, numbers, reason))


def votes(table: Sitting, team: str, yes: bool) -> str:
    """Vote by a team's phone; return the refusal, or ""."""
    return asks(table, PhoneVoted(table.now_ns, "phone-1", team, yes))


def pairs(table: Sitting, one: str, other: str, together: bool = True) -> str:
    """Pair or part two seats by phone; return the refusal, or ""."""
    return asks(table, PhonePaired(table.now_ns, "phone-1", (one, other), together))


def replayed(table: Sitting) -> Sitting:
    """Check that the journal restores the same state, in both ways."""
    assert Engine.restored(table.chapter).state == table.engine.state
    assert Engine.derived(table.chapter).state == table.engine.state
    return table


# -- time outs ---------------------------------------------------------------------------------------------------------


def test_seated_phone_pauses_the_race_and_ends_the_pause() -> None:
    table = Sitting()
    table.engine.intake([PhoneSat(table.now_ns, "phone-1", "1", "Anna")], table.now_ns)
    table.playing(*TWO)

    def wish(phone: str, pause: bool) -> str:
        return asks(table, PhonePaused(table.now_ns, phone, pause))

    assert wish("phone-1", False) == "NOT NOW"
    assert wish("phone-2", True) == "NOT NOW"  # without a seat
    assert wish("phone-1", True) == ""
    assert table.phase == "TIMEOUT"
    assert wish("phone-1", True) == wish("phone-1", False) == "NOT NOW"  # nobody has seen the pause yet
    table.wait(BREATH_NS)
    assert wish("phone-2", False) == "NOT NOW"
    assert wish("phone-1", False) == ""
    assert table.phase == "RESUMING"
    assert replayed(table).wait(5 * S).phase == "PLAYING"


# -- start -------------------------------------------------------------------------------------------------------------


def test_phone_starts_the_match_when_two_teams_have_joined() -> None:
    table = Sitting().tap("1")

    def wish() -> str:
        return asks(table, PhoneStarted(table.now_ns, "phone-1"))

    assert wish() == "TWO TEAMS AT LEAST"
    table.tap("2")
    assert wish() == ""
    assert table.phase == "READY"
    assert wish() == "NOT NOW"
    replayed(table)


# -- past hands --------------------------------------------------------------------------------------------------------


def test_a_past_hand_is_counted_otherwise_for_a_reason() -> None:
    table = table_of(20, 28)
    assert corrects(table, 1, "2", 3, 14) == ""
    assert table.decisions(Corrected)[0].reason == "miscount"
    assert totals(table) == {1: 48, 2: 18}
    assert lines(table)[2].corrected
    assert [hand.reasons for hand in only(table).hands] == [("miscount",), ()]
    match = table.view.match
    assert match is not None
    assert [[en(reason) for reason in hand.reasons] for hand in match.hands] == [["miscount"], []]
    replayed(table).choose("Undo: correction")
    assert totals(table) == {1: 48, 2: 20}
    assert only(table).hands[0].reasons == ()


@pytest.mark.parametrize(
    ("hand", "team", "numbers", "reason", "why"),
    [
        (1, "2", (45, 13), "miscount", "at most 13"),
        (1, "1", (1, 20), "miscount", "0"),
        (0, "2", (3, 14), "miscount", "NOT NOW"),
        (1, "3", (3, 14), "miscount", "NOT NOW"),
        (1, "2", (3, 14), "because", "NOT NOW"),
    ],
)
def test_a_count_that_cannot_have_been_is_refused(
    hand: int, team: str, numbers: tuple[int, ...], reason: str, why: str
) -> None:
    assert why.split()[-1] in corrects(table_of(20), hand, team, *numbers, reason=reason)


def test_a_match_that_was_over_goes_on_by_a_correction_and_stays_over_by_another() -> None:
    table = table_of(30, 22, target=50)
    assert isinstance(table.view.screen, OverScreen)
    assert corrects(table, 2, "2", 0, 11, reason="mistyped") == ""
    assert isinstance(table.view.screen, OverScreen)
    assert corrects(table, 2, "1", 0, 12, reason="found") == ""
    assert isinstance(table.wait(5 * S).screen(ReadyScreen), ReadyScreen)
    assert table.engine.state.table.corrections == ((2, "mistyped"), (2, "found"))
    replayed(table)


# -- points -----------------------------------------------------------------------------------------------------------


def gives(table: Sitting, team: str, points: int, reason: str = "penalty") -> str:
    """Give points by the scorekeeper's phone; return the refusal, or ""."""
    return asks(table, PhoneGave(table.now_ns, "phone-1", team, points, reason))


def test_points_are_given_by_phone_for_a_reason() -> None:
    table = table_of(20, 28)
    assert gives(table, "2", -5) == ""
    (given,) = table.decisions(PointsGiven)
    assert (given.after, given.team, given.points, given.reason) == (2, "2", -5, "penalty")
    assert totals(table) == {1: 48, 2: 15}
    replayed(table).choose("Undo: points")
    assert totals(table) == {1: 48, 2: 20}
    table = Sitting().seated(*TWO)
    assert gives(table, "1", 3, "agreed") == ""
    assert totals(table) == {1: 3, 2: 0}


@pytest.mark.parametrize(
    ("team", "points", "reason", "why"),
    [
        ("7", 5, "penalty", "NOT NOW"),
        ("2", 5, "envy", "NOT NOW"),
        ("2", -51, "agreed", "50"),
    ],
)
def test_points_that_cannot_be_given_are_refused(team: str, points: int, reason: str, why: str) -> None:
    assert gives(table_of(20), team, points, reason).endswith(why)


# -- votes -------------------------------------------------------------------------------------------------------------


def questioned() -> Sitting:
    """Return a vote of three on whether 1's call was false."""
    table = Sitting().counting("1", "1", "2", "3").choose("False call")
    assert table.phase == "VOTE"
    return table


def test_a_question_is_answered_by_phone_beside_buttons() -> None:
    table = questioned().wait(BREATH_NS)
    assert votes(table, "2", False) == ""
    assert votes(table, "2", True) == ""
    table.tap("3")
    assert [yes for _, yes in table.screen(VoteScreen).votes] == [None, True, True]
    table.hold("1")
    assert table.decisions(Overruled)[0].ruling == "false_call"
    replayed(table)


def test_an_answer_that_nobody_asked_for_or_that_came_at_once_counts_nothing() -> None:
    table = table_of(20)
    assert votes(table, "1", True) == "NOT NOW"
    table = questioned()
    assert votes(table, "2", True) == "NOT NOW"
    assert votes(table.wait(BREATH_NS), "7", True) == "NOT NOW"
    assert votes(table, "2", True) == ""


# -- pairs -------------------------------------------------------------------------------------------------------------


def test_two_seats_are_paired_and_parted_in_the_lobby() -> None:
    table = Sitting().tap("1", "2", "3")
    assert pairs(table, "1", "3") == ""
    assert pairs(table, "1", "2") == pairs(table, "2", "1") == "NO SUCH PAIR"
    assert pairs(table, "1", "2", together=False) == "NO SUCH PAIR"
    assert pairs(table, "3", "1", together=False) == ""
    assert [one.together for one in table.decisions(Paired)] == [True, False]
    replayed(table)


def test_no_pair_of_one_of_nobody_or_in_a_match() -> None:
    table = Sitting().tap("1", "2")
    assert pairs(table, "1", "1") == "NOT NOW"
    assert pairs(table, "1", "99") == pairs(table, "99", "1") == "NOT NOW"
    assert pairs(table, "1", "4") == pairs(table, "4", "1") == "NO SUCH PAIR"
    assert pairs(table_of(20), "1", "2") == "NOT NOW"


def test_the_same_count_again_is_no_decision() -> None:
    table = table_of(20)
    assert corrects(table, 1, "2", 0, 10) == ""
    assert table.decisions(Corrected) == []
