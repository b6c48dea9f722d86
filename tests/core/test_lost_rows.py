"""Rows that are lost or altered: the others tell them as far as they can, and no sound count is lost with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.chronicle import by_first_row, records
from referee.core.documents.record import Record
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Agreed, Began, Decision, Joined, Paired, Played, Rematched, Resumed, Ruled, Sealed
from referee.core.model.table import Setup
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import S
from referee.core.values import replace
from referee.table.bots import Bots
from referee.table.evening import Evening
from tests.core.evenings import at_table, counted, played
from tests.core.games.thirtyone.table import table as turns
from tests.core.sitting import BREATH_NS, Sitting
from tests.tapes.play import Play
from tests.tapes.tape import read

TAPES = ("argument", "people_leaving", "power_cuts", "roles", "settlement", "stuck", "two_books")


@cache
def evening(name: str) -> tuple[JournalRow, ...]:
    """The rows of a tape from its last `Opened` on."""
    return tuple(Play(read(name)).run().table.chapter)


def without(rows: Sequence[JournalRow], lost: Callable[[int], object]) -> list[JournalRow]:
    """The rows but for those of these numbers."""
    return [row for row in rows if not lost(row[0])]


def at(rows: Sequence[JournalRow], kind: type[Any], nth: int = 0) -> int:
    """The number of the nth event of that kind."""
    return [seq for seq, event in rows if isinstance(event, kind)][nth]


def told(
    rows: Sequence[JournalRow], altered: Collection[int] = ()
) -> list[tuple[list[str], list[dict[str, object]], dict[str, object]]]:
    """Of every match its teams, what each hand brought, and the totals."""
    found = [record for record in records(rows, {}, altered=altered) if record is not None]
    return [([team.name for team in r.teams], [hand.scores for hand in r.hands], r.totals) for r in found]


@pytest.mark.parametrize("name", TAPES)
def test_a_decision_whose_row_is_lost_or_altered_is_known_from_the_facts_before_it(name: str) -> None:
    """Each decision of an evening, one at a time: the table comes back as if nothing had happened."""
    rows = evening(name)
    whole = Engine.restored(rows).state
    decided = [seq for seq, event in rows if isinstance(event, get_args(Decision))]
    assert decided
    for seq in decided:
        lost = Engine.restored(without(rows, lambda n, seq=seq: n == seq))  # type: ignore[misc]
        assert lost.state == whole, seq
        garbled = [(n, Joined(1, "1", "Nobody") if n == seq else event) for n, event in rows]
        assert Engine.restored(garbled, altered={seq}).state == whole, seq


@pytest.mark.no_cover
@pytest.mark.parametrize("name", TAPES)
def test_a_fact_whose_row_is_lost_or_altered_costs_no_decision(name: str) -> None:
    """Every eleventh fact of an evening, one at a time: the same hands, counted by the same people."""
    rows = evening(name)
    whole = told(rows)
    for seq, event in rows[1::11]:
        if not isinstance(event, get_args(Decision)):
            assert told(without(rows, lambda n, seq=seq: n == seq)) == whole, seq  # type: ignore[misc]
            assert told(rows, {seq}) == whole, seq


@pytest.mark.no_cover
@given(st.integers(1, 3600), st.integers(1, 900))
def test_rows_lost_in_one_place_cost_no_hand_whose_count_is_there(first: int, length: int) -> None:
    """Of two matches of bots: every sound count is a hand of a match, and no more hands are told than were played."""
    rows = played()
    lost = range(first + 1, first + 1 + length)
    found = by_first_row(without(rows, lost.__contains__), {})
    assert not any(isinstance(record, Exception) for record in found.values())
    hands = [hand for record in found.values() if isinstance(record, Record) for hand in record.hands]
    sealed = [seq for seq, event in rows if isinstance(event, Sealed)]
    assert len([seq for seq in sealed if seq not in lost]) <= len(hands) <= len(sealed)


def test_somebody_whose_joining_is_lost_with_its_press_is_known_by_number() -> None:
    """Seat 2 has counted, so somebody sat there; the sentence says that nobody knows who."""
    rows = counted(at_table().playing("1", "2", "3"), "1", 20, "2", "3").rows
    joined = at(rows, Joined, 1)
    left = without(rows, range(at(rows, Joined) + 1, joined + 1).__contains__)
    engine = Engine.restored(left)
    assert [team.id for team in engine.state.table.teams] == ["1", "2", "3"]
    assert engine.sentence == (
        f"the rules now do not lead to Ruled, event {at(rows, Ruled)}: the table is in READY, with everything decided; "
        "who sat at 2 is not known"
    )
    ((names, hands, totals),) = told(left)
    assert names == ["Anna", "Seat 2", "Max"]
    ((_, whole, sums),) = told(rows)
    assert [[*hand.values()] for hand in hands] == [[*hand.values()] for hand in whole]
    assert [*totals.values()] == [*sums.values()]


def test_a_start_that_is_lost_can_be_undone_by_the_number_of_its_row() -> None:
    """The verdict behind it says that a match had begun; undo takes back the verdict, then the start."""
    rows = at_table("1", "2").playing("1", "2").press("1").wait(1 * S).rows
    left = without(rows, range(at(rows, Joined, 1) + 1, at(rows, Began) + 1).__contains__)
    decided, last = [], Engine.restored(left).state.undo
    while last is not None:
        decided.append((last.label, last.seq))
        last = last.state.undo
    assert decided[:2] == [("undo.verdict", at(rows, Ruled)), ("undo.start", at(rows, Began))]


def test_a_table_that_lost_nothing_seats_nobody_by_number() -> None:
    """Whoever got up in the lobby is no team, whatever is lost behind that."""
    table = at_table("1", "2", "3").close("3").wait(3 * S).open("3")
    rows = counted(table.playing("1", "2"), "1", 20, "2").rows
    assert [team.id for team in Engine.restored(rows).state.table.teams] == ["1", "2"]


def test_two_seats_whose_joining_is_lost_are_the_pair_that_they_became() -> None:
    """A pair speaks of both its seats."""
    table = at_table("1", "2", "3")
    table.close("2", "3").wait(S).open("2", "3")
    rows = table.playing("1", "2", "3").rows
    paired = at(rows, Paired)
    left = without(rows, range(at(rows, Joined, 0) + 1, at(rows, Joined, 2) + 1).__contains__)
    assert paired in dict(left)
    teams = Engine.restored(left).state.table.teams
    assert [team.stations for team in teams] == [("1",), ("2", "3")]


def test_a_pair_whose_joining_is_lost_sits_in_the_lobby_to_which_the_table_comes_back() -> None:
    """Known by the seats' numbers, also where the journal ends there: an empty seat has no partner."""
    table = at_table("1", "2", "3")
    table.close("2", "3").wait(S).open("2", "3")
    left = without(table.rows, range(at(table.rows, Joined, 0) + 1, at(table.rows, Joined, 2) + 1).__contains__)
    engine = Engine.restored(left)
    assert engine.sentence == (
        f"the rows before event {at(table.rows, Joined, 2) + 1} are missing: the table is back in LOBBY, with "
        "everything that was decided; who sat at 2, 3 is not known"
    )
    seats = [(seat.name, seat.partner) for seat in engine.state.table.seats[:3]]
    assert seats == [("Anna", None), ("Seat 2", "3"), ("Seat 3", "2")]


@pytest.mark.parametrize("kind", [Agreed, Ruled, Sealed])
def test_a_match_begins_with_its_first_hand_where_its_beginning_is_lost(kind: type) -> None:
    """Everything between the last press in the lobby and the agreement, the verdict or the count is lost."""
    table = Sitting(Setup(stations=("1", "2", "3"), agreement=True))
    rows = counted(table.playing("1", "2", "3"), "1", 20, "2", "3").rows
    first, behind = at(rows, Began) - 6, at(rows, kind)
    left = without(rows, lambda seq: first <= seq < behind)
    engine = Engine.restored(left)
    assert len(engine.state.table.hands) == 1
    assert told(left) == told(rows)


def recounted(
    rows: Sequence[JournalRow], seq: int, counts: tuple[tuple[str, tuple[int, ...]], ...]
) -> list[JournalRow]:
    """The rows with another count in that one."""
    return [
        (n, replace(event, counts=counts) if n == seq and isinstance(event, Sealed) else event) for n, event in rows
    ]


def rematched(*, other: bool = False) -> Sitting:
    """A match to its end, and a hand of another one; of other people, if so asked."""
    table = Sitting(Setup(stations=("1", "2"), options=(("target", 20),))).playing("1", "2")
    counted(table, "1", 30, "2")
    assert table.phase == "OVER"
    if other:
        table.choose("Other table").wait(2 * S).playing("1", "2")
    else:
        table.tap("1", "2").wait(2 * S).tap("1", "2")
        table.until(table.engine.state.phase.armed_at_ns).wait(S)  # type: ignore[attr-defined]
    return counted(table, "2", 20, "1")


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("kind", [Ruled, Sealed])
def test_another_match_begins_where_a_hand_follows_the_end_of_one(kind: type, other: bool) -> None:
    """The rematch is lost, with all up to its first hand's verdict or count: two matches of a hand each."""
    rows = rematched(other=other).rows
    first, behind = at(rows, Rematched) - 3, at(rows, kind, 1)
    left = without(rows, lambda seq: first <= seq < behind)
    assert told(left) == told(rows)
    assert len(Engine.restored(left).state.table.hands) == 1


@pytest.mark.parametrize("again", [False, True])
def test_a_match_of_another_evening_goes_on_where_its_going_on_is_lost(again: bool) -> None:
    """Its next hand is there: it is the match that the lobby has kept, unless that one is over."""
    options = (("target", 20 if again else 100),)
    table = counted(Sitting(Setup(stations=("1", "2"), options=options)).playing("1", "2"), "1", 30, "2")
    table.power_cut(away_s=9 * 3600).wait(2 * S)
    assert table.phase == "LOBBY"
    opened = table.engine.state.seq
    table.choose("Rematch" if again else "Resume").wait(2 * S)
    rows = counted(table.playing("1", "2"), "2", 20, "1").rows
    behind = at(rows, Ruled, 1)
    left = without(rows, lambda seq: opened < seq < behind)
    assert told(left) == told(rows)


def test_a_hand_whose_verdict_is_lost_was_called_by_whoever_has_nothing_left() -> None:
    """Two have something left, so it was the third; with nothing left at two of them, nobody can tell."""
    table = counted(at_table().playing("1", "2", "3"), "1", 20, "2", "3")
    first = table.engine.state.seq
    table.tap("1", "2", "3").wait(8 * S)
    table.press("3").wait(10 * S).count("3", 0, 20, caller=True).count("1", 4, 10).count("2", 5, 10).wait(8 * S)
    rows = table.rows
    left = without(rows, lambda seq: first < seq < at(rows, Sealed, 1))
    assert told(left) == told(rows)
    both = recounted(left, at(rows, Sealed, 1), (("1", (0, 1, 0)), ("2", (5, 1, 0)), ("3", (0, 2, 0))))
    (record,) = records(both, {})
    assert record is not None
    assert record.ended_by[1] == ()


def test_a_hand_of_31_that_follows_lost_rows_stands() -> None:
    """Nobody is asked who had nothing left: a knock is no call, and whose it was is lost with it."""
    rows: list[JournalRow] = []
    Evening(Setup("31"), Bots(["1", "2", "3"], 5, pace_percent=20), journal=rows.extend).play(1)
    sealed = next(seq for seq, event in rows if isinstance(event, Sealed) and event.counts)
    for length in (1, 30):
        left = without(rows, lambda seq, length=length: sealed - length <= seq < sealed)  # type: ignore[misc]
        assert len(Engine.restored(left).state.table.hands) == len(Engine.restored(rows).state.table.hands)


@pytest.mark.parametrize("altered", [False, True])
def test_a_hand_of_31_whose_declarer_is_lost_waits_in_a_pause_and_can_be_declared_again(altered: bool) -> None:
    """The end of the hand is there, and not whose 31 it was: nobody loses a life, the sentence says so, and the table
    goes on and says the 31 by word of mouth; then the book is as it was."""
    table = turns(3).dealt()
    dealt = table.engine.state.seq
    table.choose("A 31").choose("1 Anna").wait(S).press("1").press("2").press("3").wait(S)
    assert table.phase == "DECLARED"
    table.wait(16 * S)
    whole, rows = table.engine.state.table.hands, list(table.rows)
    sealed = at(rows, Sealed)
    lost = range(dealt + 1, sealed)
    assert at(rows, Played) in lost
    left = without(rows, lost.__contains__)
    engine = Engine.restored(rows, altered=lost) if altered else Engine.restored(left)
    assert (engine.state.phase.name, engine.state.table.hands) == ("TIMEOUT", ())
    why = f"event {lost[0]} is not as it was written" if altered else f"the rows before event {sealed} are missing"
    assert engine.sentence == (
        f"{why}: the table is back in TIMEOUT, with everything else that was decided; event {sealed} does not count "
        "(LookupError a 31 has ended the hand, and whose it was is lost)"
    )
    assert told(left)[0][1:] == ([], {"Anna": 3, "Ben": 3, "Max": 3})
    table.rows[:], table.engine, table.may_set_aside = left, engine, True
    table.choose("Go on").wait(S).choose("A 31").choose("1 Anna").wait(S).press("1").press("2").press("3").wait(17 * S)
    assert [replace(hand, knocker=None) for hand in table.engine.state.table.hands] == [*whole]


@pytest.mark.parametrize("altered", [False, True])
def test_a_pair_of_which_nothing_tells_is_two_teams_and_that_is_said(altered: bool) -> None:
    """The decision is lost with the holds that led to it. Whose count is there has it; the other's seat is a team of
    its own without a point, as that of somebody who got up would be, and nobody is told that all is as it was."""
    table = at_table("1", "2", "3", "4")
    table.close("2", "3").wait(S).open("2", "3")
    rows = counted(table.playing("1", "2", "3", "4"), "1", 20, "2", "4").rows
    lost = range(at(rows, Joined, 3) + 1, at(rows, Paired) + 1)
    left = without(rows, lost.__contains__)
    engine = Engine.restored(rows, altered=lost) if altered else Engine.restored(left)
    assert [team.stations for team in engine.state.table.teams] == [("1",), ("2",), ("3",), ("4",)]
    assert engine.sentence == (
        f"the rules now do not lead to Sealed, event {at(rows, Sealed)}: the table is in READY, with everything "
        "decided; whether 3 had got up or was one of a pair is not known"
    )
    (hand,) = engine.state.table.hands
    assert [*hand.counts] == ["1", "2", "4"]
    assert "pair" not in Engine.restored(without(rows, lambda seq: seq == at(rows, Paired))).sentence


def test_what_keeps_a_record_from_being_made_costs_no_other_match() -> None:
    """A count that cannot be, in the first of two matches: the error stands in its place."""
    whole = rematched().rows
    rows = recounted(whole, at(whole, Sealed), (("1", (5, 9, 9)), ("2", (0, 0, 0))))
    first, second = by_first_row(rows, {}).values()
    assert isinstance(first, ValueError)
    assert isinstance(second, Record)
    with pytest.raises(ValueError, match="counts"):
        records(rows, {})


def test_a_question_that_a_push_has_put_comes_back_in_its_own_release_alone() -> None:
    """Another one may have another line there: it goes to where the table stood before, and says so."""
    table = at_table().playing("1", "2", "3").power_cut().wait(BREATH_NS).choose("Void").wait(S)
    assert table.phase == "VOTE"
    assert (Engine.restored(table.rows).state.phase.name, Engine.restored(table.rows).sentence) == ("VOTE", "")
    other = Engine.restored(table.rows, release="another one")
    assert other.state.phase.name == "POWER_BACK"
    knob = [seq for seq, event in table.rows if isinstance(event, Edge) and event.station == KNOB and event.closed]
    pushed = min(seq for seq in knob if seq > at(table.rows, Resumed))
    assert other.sentence == (
        f"what was chosen at the knob before event {pushed + 2} only another release knows: the table is back in "
        "POWER_BACK, with everything that was decided"
    )
    assert other.state.table == table.engine.state.table
    decided = table.tap("1", "2", "3").wait(2 * S).rows
    assert "at the knob" not in Engine.restored(decided, release="another one").sentence


def test_what_the_last_fact_leads_to_is_told_though_its_row_is_lost() -> None:
    """The last hand's count is the last row of the evening."""
    rows = played()
    assert isinstance(rows[-1][1], Sealed)
    assert told(rows[:-1]) == told(rows)
