"""Swiss in groups, against the best of all possible draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from referee.hall.decide import after, complete, draw, standings
from referee.hall.model import Entered, Event, EventError, Finished, Left, Seats
from tests.hall.events import TABLES, by_number, drawn, event_of, groups_of, pairs, play, played, result


def splits(numbers: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to split the numbers into groups of these sizes; some come several times."""
    if not sizes:
        yield []
        return
    first, *rest = numbers
    for size in sorted(set(sizes)):
        others = list(sizes)
        others.remove(size)
        for with_first in combinations(rest, size - 1):
            left = [number for number in rest if number not in with_first]
            yield from ([(first, *with_first), *later] for later in splits(left, others))


Measure = tuple[int, Fraction]


def measures(event: Event) -> Callable[[Sequence[Sequence[int]]], Measure]:
    """Return the stated measure of a draw: repeated meetings, then squared differences of scores."""
    met = Counter(pair for at in range(1, event.round + 1) for pair in pairs(groups_of(event, at)))
    score = {standing.entry: standing.points for standing in standings(event)}

    def measure(groups: Sequence[Sequence[int]]) -> Measure:
        spread = [(score[a] - score[b]) ** 2 for group in groups for a, b in combinations(group, 2)]
        return sum(met[pair] for pair in pairs(groups)), sum(spread, Fraction(0))

    return measure


@pytest.mark.parametrize("count", [3, 4, 6, 7, 8, 9])
def test_draws_are_the_best_possible(count: int) -> None:
    dice = Random(count)
    event = event_of(count, "swiss", rounds=5)
    for _ in range(5):
        event = play(event, lambda seats: {number: dice.randrange(9) for number in seats.entries})
        now, measure = drawn(event), measures(event)
        found = groups_of(now, now.round)
        if event.round:
            possible = splits(range(1, count + 1), [*map(len, found)])
            assert measure(found) == min(map(measure, possible)), event.round
        event = now


@pytest.mark.parametrize("size", range(2, 9))
def test_every_small_event_is_split_or_refused(size: int) -> None:
    least = {2: 1, 3: 2}.get(size, 3)
    for count in range(1, 31):
        tables = -(-count // size)
        event = event_of(count, "swiss", size, 1, rounds=2)
        if count < 2 or (size > 2 and count < least * tables):
            with pytest.raises(EventError, match="cannot be split"):
                draw(event, TABLES, 1)
            continue
        event = played(event)
        for round_ in (1, 2):
            drawn_now = [number for group in groups_of(event, round_) for number in group] + [*event.byes[round_ - 1]]
            assert sorted(drawn_now) == [*range(1, count + 1)]
            lengths = [*map(len, groups_of(event, round_))]
            assert len(lengths) + len(event.byes[round_ - 1]) == tables
            assert max(lengths) <= size
            assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("count", [1, 2, 5])
def test_these_cannot_be_split_into_threes_and_fours(count: int) -> None:
    with pytest.raises(EventError, match=f"^{count} entr(y|ies) cannot be split into tables of 4 and 3$"):
        draw(event_of(count, "swiss"), TABLES, 1)


def test_sixteen_meet_no_one_twice_in_three_rounds() -> None:
    event = played(event_of(16, "swiss", rounds=3))
    met = Counter(pair for at in (1, 2, 3) for pair in pairs(groups_of(event, at)))
    assert max(met.values()) == 1


def test_leaders_meet() -> None:
    event = drawn(play(drawn(event_of(16, "swiss"))))
    winners = {min(group) for group in groups_of(event, 1)}
    assert winners in [{*group} for group in groups_of(event, 2)]


def test_byes_are_shared() -> None:
    event = played(event_of(7, "swiss", size=2, advance=1, rounds=7))
    had = Counter(number for byes in event.byes for number in byes)
    assert had == dict.fromkeys(range(1, 8), 1)


def test_bye_goes_to_the_last_without_one() -> None:
    event = drawn(play(drawn(event_of(5, "swiss", size=2, advance=1))))
    table = [standing.entry for standing in standings(play(drawn(event_of(5, "swiss", size=2, advance=1))))]
    last = [number for number in table if number not in event.byes[0]][-1]
    assert event.byes[1] == (last,)


def test_result_may_come_after_the_next_draw() -> None:
    event = drawn(event_of(8, "swiss"))
    late, other = event.rounds[0]
    event = drawn(play_one(event, other))
    assert not complete(event)
    assert standings(play_one(event, late))[0].played == 1


def play_one(event: Event, seats: Seats) -> Event:
    return after(event, Finished(result(seats, by_number(seats))))


def test_late_entry_and_drop_out() -> None:
    event = after(after(play(drawn(event_of(8, "swiss"))), Left(3)), Entered(9, ("Late",)))
    numbers = sorted(number for group in groups_of(drawn(event), 2) for number in group)
    assert numbers == [1, 2, 4, 5, 6, 7, 8, 9]


def test_200_entries_meet_no_one_twice() -> None:
    dice = Random(1)
    event = event_of(200, "swiss", rounds=5)
    while not complete(event):
        event = play(drawn(event), lambda seats: {number: dice.randrange(99) for number in seats.entries})
    met = Counter(pair for at in range(1, 6) for pair in pairs(groups_of(event, at)))
    assert max(met.values()) == 1
