"""Elimination by tables, against a naive model and for all small events."""

from __future__ import annotations

from math import ceil

import pytest

from referee.hall.decide import after, complete, draw, standings, warnings
from referee.hall.model import Entered, Event, EventError, Left, Moved, Returned, Seats
from tests.hall.events import TABLES, by_hand, by_number, drawn, event_of, groups_of, play, played


def model_of(count: int, size: int, advance: int) -> list[list[int]]:
    """Return the table sizes of each round, computed with numbers alone; 1 is a bye."""
    rounds = []
    entries = count
    while True:
        tables = ceil(entries / size)
        sizes = [entries // tables + 1] * (entries % tables) + [entries // tables] * (tables - entries % tables)
        if size == 2:
            sizes = [2] * (entries // 2) + [1] * (entries % 2)
        rounds.append(sizes)
        if len(sizes) == 1:
            return rounds
        going = sum(min(advance, at_table - 1) or 1 for at_table in sizes)
        entries = min(count, size * ceil(going / size)) if ceil(going / size) < len(sizes) else going


@pytest.mark.parametrize("size", range(2, 9))
def test_every_small_event_ends_with_the_best(size: int) -> None:
    for advance in range(1, size):
        for count in range(2, 31):
            event = played(event_of(count, size=size, advance=advance))
            sizes = [
                sorted([*map(len, groups_of(event, at)), *([1] * len(event.byes[at - 1]))], reverse=True)
                for at in range(1, event.round + 1)
            ]
            assert sizes == model_of(count, size, advance), (count, size, advance)
            table = standings(event)
            assert table[0].entry == 1
            assert [standing.entry for standing in table if standing.through] == [1]
            assert [standing.place for standing in table] == [*range(1, count + 1)]
            for round_ in range(2, event.round + 1):
                _check_who_goes_on(event, round_, advance)


def _check_who_goes_on(event: Event, round_: int, advance: int) -> None:
    """Check a round with the tables before it: the lower numbers won there."""
    before = groups_of(event, round_ - 1)
    first = {number for group in before for number in sorted(group)[: min(advance, len(group) - 1)]}
    first |= {*event.byes[round_ - 2]}
    now = {number for group in groups_of(event, round_) for number in group} | {*event.byes[round_ - 1]}
    assert first <= now
    places = {number: sorted(group).index(number) + 1 for group in before for number in group}
    reserves, left = now - first, {number for group in before for number in group} - now
    if left:  # by place at the table, then by points, which fall with the number here
        assert all((places[a], a) < min((places[b], b) for b in left) for a in reserves if a in places)
        assert reserves <= places.keys()


def test_64_players_need_31_matches() -> None:
    event = played(event_of(64))
    assert [len(tables) for tables in event.rounds] == [16, 8, 4, 2, 1]
    assert all(len(group) == 4 for at in range(1, 6) for group in groups_of(event, at))


@pytest.mark.parametrize("count", [16, 20, 24, 28, 32, 40, 48, 64])
def test_first_ones_and_entries_of_one_table_are_spread(count: int) -> None:
    for seed in range(6):
        event = drawn(play(drawn(event_of(count), seed)), seed)
        before, now = [[{*group} for group in groups_of(event, round_)] for round_ in (1, 2)]
        for place in (0, 1):
            had = [len({sorted(table)[place] for table in before} & group) for group in now]
            assert max(had) - min(had) <= 1
        assert all(len(table & group) <= 1 for group in now for table in before)


def test_seeds_meet_late() -> None:
    event = event_of(0)
    for number in range(1, 17):
        event = after(event, Entered(number, (f"P{number}",), seed=17 - number if number > 8 else 0))
    tables = groups_of(drawn(event), 1)
    favourites = {16, 15, 14, 13}
    assert [len(favourites & {*group}) for group in tables] == [1] * 4
    assert [len({*range(9, 17)} & {*group}) for group in tables] == [2] * 4


def test_another_seed_draws_otherwise_and_the_same_one_alike() -> None:
    event = event_of(16)
    assert draw(event, TABLES, 1) == draw(event, TABLES, 1)
    assert draw(event, TABLES, 1).seats != draw(event, TABLES, 2).seats


def test_reserve_replaces_one_who_left() -> None:
    event = play(drawn(event_of(16)))
    gone = min(groups_of(event, 1)[0])
    best_third = min(sorted(group)[2] for group in groups_of(event, 1))
    event = drawn(after(event, Left(gone, "tired")))
    assert sum(map(len, groups_of(event, 2))) == 8
    assert best_third in {number for group in groups_of(event, 2) for number in group}


def test_returned_entry_keeps_its_place_until_the_draw() -> None:
    event = play(drawn(event_of(16)))
    back = after(after(event, Left(1)), Returned(1))
    assert 1 in {number for group in groups_of(drawn(back), 2) for number in group}


def test_late_entry_is_a_reserve_behind_all_others() -> None:
    event = after(play(drawn(event_of(12))), Entered(13, ("Late",)))
    assert 13 not in {number for group in groups_of(drawn(event), 2) for number in group}
    for number in range(1, 12):
        event = after(event, Left(number))
    assert groups_of(drawn(event), 2) in ([(12, 13)], [(13, 12)])


def test_late_entry_joins_a_table_of_the_first_round() -> None:
    event = after(drawn(event_of(11)), Entered(12, ("Late",)))
    small = next(seats for seats in event.rounds[0] if len(seats.entries) == 3)
    event = play(after(event, Moved(12, small.table)))
    assert next(standing for standing in standings(event) if standing.entry == 12).played == 1


def test_no_show_leaves_three_at_the_table() -> None:
    event = drawn(event_of(16))
    seats = event.rounds[0][0]
    event = after(event, Left(seats.entries[0], "no-show"))
    rest = {number: 100 - number for number in seats.entries[1:]}
    event = play(after(event, by_hand(seats, rest)))
    through = [standing.entry for standing in standings(event) if standing.through]
    assert len({*through} & rest.keys()) == 2


def test_director_seats_the_best_reserve_for_a_no_show() -> None:
    event = drawn(play(drawn(event_of(16))))
    reserve = next(standing.entry for standing in standings(event) if standing.played and not standing.through)
    absent = event.rounds[1][0].entries[0]
    event = after(event, Left(absent, "no-show"))
    assert tuple(map(str, warnings(event))) == (
        f"By today's results round 2 should have P{reserve}. Draw it again, or swap them.",
    )
    event = after(event, Moved(reserve, swapped=absent))
    assert reserve in event.rounds[1][0].entries
    assert absent not in event.rounds[1][0].entries
    assert warnings(event) == ()


def test_equal_points_at_the_border_are_decided_by_lot() -> None:
    event = play(drawn(event_of(8)), lambda seats: dict.fromkeys(seats.entries, 50))
    table = standings(event)
    assert sum(standing.through for standing in table) == 4
    assert {standing.decided for standing in table[1:]} == {"lot", "round"}


def test_missing_result_stops_the_next_draw() -> None:
    event = drawn(event_of(8))
    first, second = event.rounds[0]
    event = after(event, by_hand(first, by_number(first)))
    with pytest.raises(EventError, match=f"round 1 has no result yet of table {second.table}"):
        draw(event, TABLES, 1)


def test_correction_after_the_draw_is_reported_and_drawn_again() -> None:
    event = drawn(play(drawn(event_of(16))))
    assert warnings(event) == ()
    seats = event.rounds[0][0]
    a, b, c, d = sorted(seats.entries)
    event = after(event, by_hand(seats, {a: 1, b: 50, c: 40, d: 2}, "counted twice"))
    assert tuple(map(str, warnings(event))) == (
        f"By today's results round 2 should have P{c}, and not P{a}. Draw it again, or swap them.",
    )
    event = after(event, draw(event, TABLES, 5, again=True))
    assert warnings(event) == ()
    assert c in {number for group in groups_of(event, 2) for number in group}


def test_correction_after_the_next_round_began_leaves_it() -> None:
    event = play(drawn(play(drawn(event_of(16)))))
    seats = event.rounds[0][0]
    a, b, c, d = sorted(seats.entries)
    event = after(event, by_hand(seats, {a: 1, b: 50, c: 40, d: 2}, "counted twice"))
    (said,) = map(str, warnings(event))
    assert said.endswith("It has begun and stays as it is.")
    with pytest.raises(EventError, match="round 2 has a result already"):
        draw(event, TABLES, 5, again=True)


def test_drawing_again_keeps_a_late_entry_that_was_entered_after_it() -> None:
    event = after(drawn(event_of(7)), Entered(8, ("Late",)))
    event = after(event, draw(event, TABLES, 3, again=True))
    assert sorted(number for group in groups_of(event, 1) for number in group) == [*range(1, 9)]


def test_winner_who_leaves_before_the_prizes_has_won() -> None:
    event = after(played(event_of(16)), Left(1))
    assert [standing.entry for standing in standings(event) if standing.through] == [1]
    assert standings(event)[0].entry == 1
    assert complete(event)


def test_too_few_tables_are_refused() -> None:
    with pytest.raises(EventError, match="16 tables are needed, 2 are given: a, b"):
        draw(event_of(64), ["a", "b", "a"], 1)


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_to_meet(count: int) -> None:
    with pytest.raises(EventError, match="cannot be split into tables of 4"):
        draw(event_of(count), TABLES, 1)


def test_after_the_final_no_round_is_drawn() -> None:
    with pytest.raises(EventError, match="round 2 is the last one"):
        draw(played(event_of(8)), TABLES, 1)


def test_table_where_all_have_left_ends_by_hand() -> None:
    event = drawn(event_of(8))
    empty, other = event.rounds[0]
    for number in empty.entries:
        event = after(event, Left(number))
    event = play(after(event, by_hand(empty, {}, "all have left")))
    assert {number for group in groups_of(drawn(event), 2) for number in group} == {*other.entries}


def test_points_compare_reserves() -> None:
    def points(seats: Seats) -> dict[int, int]:
        bonus = {"table-1": 0, "table-2": 5, "table-3": 9}[seats.table] if seats.round == 1 else 0
        return {number: 90 - 20 * at + bonus for at, number in enumerate(sorted(seats.entries))}

    event = play(drawn(event_of(12)), points)
    third = [sorted(group)[2] for group in groups_of(event, 1)]
    now = {number for group in groups_of(drawn(event), 2) for number in group}
    assert third[2] in now
    assert third[1] in now
    assert third[0] not in now
