"""Decisions of an event: what fits, what is refused, and undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.values import replace
from referee.hall.decide import after, check, complete, draw, fold, forget, standings, undone, warnings
from referee.hall.model import (
    Closed,
    Corrected,
    Decision,
    Drawn,
    Entered,
    Event,
    EventError,
    Finished,
    Format,
    Game,
    Kind,
    Left,
    Moved,
    Returned,
    Seats,
    Undone,
    Voided,
    decode,
    encode,
)
from tests.hall.events import TABLES, by_hand, by_number, drawn, event_of, opened, played, refold, result, without_log


def one_result(event: Event, at: int = 0, match: str = "m") -> Event:
    seats = event.rounds[-1][at]
    return after(event, Finished(result(seats, by_number(seats), match)))


EIGHT = drawn(event_of(8))
ONE, TWO = EIGHT.rounds[0]
GONE = ONE.entries[0]


@pytest.mark.parametrize(
    ("event", "decision", "sentence"),
    [
        (Event(), Closed(), "an event is opened once, by its first decision"),
        (event_of(2), opened(), "an event is opened once"),
        (Event(), replace(opened(), name=" x"), "an event's name has 1 to 64 letters"),
        (Event(), replace(opened(), format=Format(size=9)), "must have 2 to 8 entries"),
        (Event(), replace(opened(), format=Format(size=4, advance=4)), "1 to 3 of 4 must go on from a table, got 4"),
        (Event(), replace(opened(), format=Format(rounds=2)), "an elimination has as many rounds as it needs"),
        (Event(), replace(opened(), format=Format("swiss", rounds=0)), "must have 1 to 200 rounds, got 0"),
        (Event(), replace(opened(), game=Game("poker")), 'no table can play "poker"'),
        (Event(), replace(opened(), game=Game("nna", {"target": -3})), 'no table can play "nna" with these options'),
        (event_of(2), Entered(2, ("New",)), "entry number 2 is taken or not allowed, the next one is 3"),
        (event_of(2), Entered(0, ("New",)), "entry number 0 is taken"),
        (event_of(2), Entered(3, ("New",), seed=-1), "a seed is from 0 to 1000, got -1"),
        (event_of(2), Entered(3, ()), "an entry has 1 to 8 players, got 0"),
        (event_of(2), Entered(3, ("p1 ".strip(),)), "p1 is already entered as number 1"),
        (event_of(2), Entered(3, ("Max", "MAX")), "has a name twice"),
        (event_of(2), Entered(3, ("a\nb",)), "a player's name has"),
        (event_of(2), Left(3), "entry 3 does not exist"),
        (after(event_of(2), Left(2)), Left(2), "P2 has dropped out"),
        (event_of(2), Returned(2), "P2 has not dropped out"),
        (event_of(8), Drawn(2, (), (), 1), "the next round is 1, got 2"),
        (event_of(8), Drawn(1, (), (), 1), "a round needs a table"),
        (event_of(8), Drawn(1, (Seats(2, "a", (1, 2)),), (), 1), 'table "a" is not one of round 1'),
        (event_of(8), Drawn(1, (Seats(1, "", (1, 2)),), (), 1), 'table "" is not one of round 1'),
        (event_of(8), Drawn(1, (Seats(1, "a", (1,)),), (), 1), "table a must have 2 to 8 entries, got 1"),
        (event_of(8), Drawn(1, (Seats(1, "a", (1, 2)), Seats(1, "b", (2, 3))), (), 1), "P2 is drawn twice"),
        (event_of(8), Drawn(1, (Seats(1, "a", (1, 2)), Seats(1, "a", (4, 3))), (), 1), "a table is drawn twice"),
        (event_of(8), Drawn(1, (Seats(1, "a", (1, 2)),), (2,), 1), "P2 is drawn twice"),
        (event_of(8), Drawn(1, (Seats(1, "a", (1, 12)),), (), 1), "entry 12 does not exist"),
        (after(event_of(8), Left(2)), Drawn(1, (Seats(1, "a", (1, 2)),), (), 1), "P2 has dropped out"),
        (EIGHT, Drawn(2, (Seats(2, "a", (1, 2)),), (), 1), "round 1 has no result yet of table table-1, table-2"),
        (one_result(EIGHT), Drawn(1, EIGHT.rounds[0], (), 1), "round 1 has a result already"),
        (event_of(8), Moved(1, "a"), "no round is drawn yet"),
        (EIGHT, Moved(1), "give one of both"),
        (EIGHT, Moved(1, "a", 2), "give one of both"),
        (EIGHT, Moved(1, "a"), 'table "a" is not drawn in round 1'),
        (EIGHT, Moved(ONE.entries[0], ONE.table), "is at table table-1 already"),
        (EIGHT, Moved(ONE.entries[0], swapped=ONE.entries[1]), "do not play at different tables"),
        (one_result(EIGHT), Moved(ONE.entries[0], TWO.table), "table table-1 has a result already"),
        (one_result(EIGHT), Moved(TWO.entries[0], swapped=ONE.entries[0]), "table table-1 has a result already"),
        (drawn(event_of(4, size=2, advance=1)), Moved(1, "table-9"), "is not drawn"),
        (EIGHT, Finished(result(Seats(1, "x", (1, 2)), {1: 1, 2: 2})), 'table "x" is not drawn in round 1'),
        (EIGHT, Finished(result(Seats(7, ONE.table, (1, 2)), {1: 1, 2: 2})), "is not drawn in round 7"),
        (EIGHT, Finished(result(ONE, {GONE: 3})), "must name"),
        (EIGHT, Finished(result(ONE, by_number(ONE) | {TWO.entries[0]: 1})), "must name"),
        (EIGHT, Finished(replace(result(ONE, by_number(ONE)), match="")), "a match that does not count"),
        (EIGHT, Finished(replace(result(ONE, by_number(ONE)), places=dict.fromkeys(ONE.entries, 2))), "like 1, 1, 3"),
        (one_result(EIGHT), Finished(result(ONE, by_number(ONE), "other")), "the result of another match already"),
        (one_result(EIGHT), Finished(result(TWO, by_number(TWO), "m")), "a match that counts for another table"),
        (EIGHT, Corrected(result(ONE, by_number(ONE))), "a result entered by hand needs a reason"),
        (EIGHT, Voided(1, "table-1"), 'table "table-1" in round 1 has no result'),
        (EIGHT, Voided(1, "table-1", "x" * 201), "at most 200 printable characters"),
        (EIGHT, Closed("a\nb"), "at most 200 printable characters"),
        (after(EIGHT, Closed()), Left(1), "the event is closed: undo that first"),
        (EIGHT, Undone(1), "decisions 2 to 10 can be undone, got 1"),
        (EIGHT, Undone(11), "decisions 2 to 10 can be undone, got 11"),
        (EIGHT, Undone(2), "without it decision 10 does not fit (entry 1 does not exist): undo that first"),
        (after(EIGHT, Undone(10)), Undone(10), "decision 10 is undone already"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(event: Event, decision: Decision, sentence: str) -> None:
    with pytest.raises(EventError, match=re.escape(sentence)) as refused:
        check(event, decision)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_result_by_hand_outranks_the_record_until_it_is_voided() -> None:
    event = after(EIGHT, by_hand(ONE, by_number(ONE)))
    record = Finished(result(ONE, {number: number for number in ONE.entries}))
    with pytest.raises(EventError, match="has a result entered by hand: void it to use the record's"):
        check(event, record)
    event = after(after(event, Voided(1, ONE.table)), record)
    assert event.outcomes == (record.outcome,)


def test_voided_match_does_not_come_back() -> None:
    event = after(one_result(EIGHT), Voided(1, ONE.table, "wrong players"))
    with pytest.raises(EventError, match="does not count"):
        check(event, Finished(result(ONE, by_number(ONE), "m")))
    assert after(event, Finished(result(ONE, by_number(ONE), "m2"))).outcomes


def test_later_result_of_the_same_match_replaces_it() -> None:
    event = one_result(one_result(EIGHT, 0, "a"), 1, "b")
    changed = result(ONE, {number: number for number in ONE.entries}, "a")
    assert [outcome.match for outcome in after(event, Finished(changed)).outcomes] == ["a", "b"]
    assert after(event, Finished(changed)).outcomes[0] == changed


def test_swap_with_an_entry_that_sits_out() -> None:
    event = drawn(event_of(5, size=2, advance=1))
    (alone,) = event.byes[0]
    player = event.rounds[0][0].entries[0]
    moved = after(event, Moved(alone, swapped=player))
    assert moved.byes == ((player,),)
    assert alone in moved.rounds[0][0].entries
    assert without_log(after(moved, Moved(player, swapped=alone))) == without_log(event)


def test_table_keeps_two_entries_and_has_eight_at_most() -> None:
    event = drawn(event_of(4, size=2, advance=1))
    first, second = event.rounds[0]
    with pytest.raises(EventError, match="table table-1 needs two entries: swap"):
        check(event, Moved(first.entries[0], second.table))
    full = drawn(event_of(16, size=8))
    with pytest.raises(EventError, match="table table-2 is full with 8 entries"):
        check(full, Moved(full.rounds[0][0].entries[0], "table-2"))


def test_closed_event_has_one_winner_still_in() -> None:
    event = after(played(event_of(9, "swiss")), Closed())
    assert [standing.entry for standing in standings(event) if standing.through] == [1]


def test_forgotten_name_is_gone_from_all_decisions() -> None:
    event = fold([opened(), Entered(1, ("Anna", "Max"), by="anna"), Entered(2, ("Player 1",)), Left(1, "ANNA is ill")])
    made = forget(event.decisions, "anna")
    assert not any("anna" in encode(decision).casefold() for decision in made)
    assert [entry.names for entry in fold(made).entries] == [("Player 11", "Max"), ("Player 1",)]
    assert made[3] == Left(1, "Player 11 is ill")
    assert forget([Left(1, "says Eva", by="EVA")], "Eva") == (Left(1, "says Player 0", by="Player 0"),)


def test_nested_undo_is_redo() -> None:
    made: list[Decision] = [opened(), Entered(1, ("A",)), Undone(2), Undone(3), Undone(4)]
    assert undone(made[:3]) == {2}
    assert undone(made[:4]) == {3}
    assert undone(made) == {4, 2}
    assert fold(made).entries == ()
    assert fold(made).next_number == 2


@pytest.mark.parametrize(
    "line", ["", "[]", '{"type":"fly"}', '{"type":"event_left"}', '{"type":"event_left","number":1,"x":2}', "\xff"]
)
def test_line_that_is_no_decision(line: str) -> None:
    with pytest.raises(EventError, match="a line is no decision of an event"):
        decode(line)


# -- any sequence of decisions -------------------------------------------------------------------------------------

NAMES = ("Anna", "anna", "Ben", "Max", "Lea", "Jose\u0301", "Pia", "Tom", "Mia", "Emma", "Nina")
KINDS: tuple[Kind, ...] = ("elimination", "round-robin", "swiss")
small = st.integers(0, 9)
Made = tuple[str, int, int, int]
OFTEN = ["enter"] * 4 + ["draw"] * 3 + ["finish"] * 6
RARELY = ["left", "return", "move", "swap", "correct", "void", "again", "undo", "close"]
sequences = st.lists(st.tuples(st.sampled_from(OFTEN + RARELY), small, small, small), max_size=60)


def _seats(event: Event, at: int) -> Seats:
    places = [seats for tables in event.rounds for seats in tables] or [Seats(1, "x", (1, 2))]
    return places[-1 - at % len(places)]


def _points(seats: Seats, b: int, c: int) -> dict[int, int]:
    return {number: (number * (b + 1) + c) % 7 for number in seats.entries}


MAKE: dict[str, Callable[[Event, int, int, int], Decision]] = {
    "enter": lambda event, a, b, c: Entered(event.next_number, (NAMES[(a + 3 * b) % 11],), seed=c % 3),
    "draw": lambda event, a, b, c: draw(event, TABLES[: 1 + a], b),
    "again": lambda event, a, b, c: draw(event, TABLES, b, again=True),
    "finish": lambda event, a, b, c: Finished(result(_seats(event, a), _points(_seats(event, a), b, c))),
    "correct": lambda event, a, b, c: by_hand(_seats(event, a), _points(_seats(event, a), b, c)),
    "left": lambda event, a, b, c: Left(a),
    "return": lambda event, a, b, c: Returned(a),
    "move": lambda event, a, b, c: Moved(a, TABLES[b]),
    "swap": lambda event, a, b, c: Moved(a, swapped=b),
    "void": lambda event, a, b, c: Voided(_seats(event, a).round, _seats(event, a).table),
    "undo": lambda event, a, b, c: Undone(len(event.decisions) - a * b),
    "close": lambda event, a, b, c: Closed(),
}


def run(plan: Sequence[Made], begin: Event) -> Event:
    """Make the decisions that are allowed; those refused must change nothing."""
    event = begin
    for what, a, b, c in plan:
        refused = ""
        try:
            event = after(event, MAKE[what](event, a, b, c))
        except EventError as error:
            refused = str(error)
        assert "\n" not in refused
        assert not refused or event == fold(event.decisions)
    return event


@given(st.sampled_from(KINDS), st.integers(2, 5), sequences)
def test_any_allowed_sequence_can_be_stored_and_read(kind: Kind, size: int, plan: list[Made]) -> None:
    event = run(plan, fold([opened(kind, size, 1)]))
    assert fold(decode(encode(decision)) for decision in event.decisions) == event
    for number, drawn_now in enumerate(event.rounds, 1):
        seated = [entry for seats in drawn_now for entry in seats.entries] + [*event.byes[number - 1]]
        assert len(seated) == len(set(seated))
        assert {seats.round for seats in drawn_now} == {number}
    for outcome in event.outcomes:
        seats = event.seats(outcome.round, outcome.table)
        assert seats is not None
        assert outcome.points.keys() <= {*seats.entries}
    table = standings(event)
    assert sorted(standing.entry for standing in table) == sorted(entry.number for entry in event.entries)
    order = [tuple(standing.values.values()) for standing in table]
    assert order == sorted(order, reverse=True)
    assert all(str(warning).endswith(".") for warning in warnings(event))
    assert complete(event) in (True, False)


@given(st.sampled_from(KINDS), sequences, st.tuples(st.sampled_from(sorted(MAKE)), small, small, small))
def test_undo_takes_back_any_decision_and_redo_brings_it(kind: Kind, plan: list[Made], last: Made) -> None:
    before = run(plan, fold([opened(kind, 3, 1)]))
    now = run([last], before)
    if now == before or last[0] == "undo":
        return
    back = after(now, Undone(len(now.decisions)))
    assert without_log(back) == without_log(before)
    assert without_log(after(back, Undone(len(back.decisions)))) == without_log(now)


@given(st.sampled_from(KINDS), sequences, small)
def test_undo_equals_never_having_decided(kind: Kind, plan: list[Made], at: int) -> None:
    event = run([made for made in plan if made[0] != "undo"], fold([opened(kind, 3, 1)]))
    number = len(event.decisions) - at
    kept: list[Any] = [made for n, made in enumerate(event.decisions, 1) if n != number]
    try:
        expected = refold(kept) if number > 1 else None
    except EventError:
        expected = None
    if expected is None:
        with pytest.raises(EventError):
            check(event, Undone(number))
    else:
        assert without_log(after(event, Undone(number))) == expected
