"""Round robin: everyone meets everyone, equally often where a design exists."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from referee.hall.decide import after, complete, standings
from referee.hall.formats import last_drawn
from referee.hall.formats.roundrobin import STARTERS, design
from referee.hall.model import Entered, Event, Left
from tests.hall.events import drawn, event_of, groups_of, pairs, play, played


def met_in(event: Event, rounds: int) -> Counter[frozenset[int]]:
    return Counter(pair for at in range(1, rounds + 1) for pair in pairs(groups_of(event, at)))


def drawn_to_the_end(event: Event) -> Event:
    while not last_drawn(event):
        event = drawn(event, event.round)
    return event


@pytest.mark.parametrize("size", range(2, 9))
def test_every_small_event_lets_all_meet(size: int) -> None:
    """The largest difference of meetings is 0 with a design, 2 at tables of up to four, and 4 at larger ones."""
    for count in range(2, 31 if size > 2 else 13):  # of more pairs the designs are tested
        event = drawn_to_the_end(event_of(count, "round-robin", size, 1))
        met = met_in(event, event.round)
        often = [met[frozenset(pair)] for pair in combinations(range(1, count + 1), 2)]
        assert min(often) >= 1, count
        worst = 0 if design(count, size) else 2 if size <= 4 else 4
        assert max(often) - min(often) <= worst, count
        byes = Counter(number for byes in event.byes for number in byes)
        assert max(byes.values(), default=0) - min(byes[number] for number in range(1, count + 1)) == 0, count


@pytest.mark.parametrize(("count", "size"), [*STARTERS, (9, 3), (27, 3), (16, 4), (64, 4), (25, 5), (49, 7), (64, 8)])
def test_designs_are_balanced(count: int, size: int) -> None:
    rounds = design(count, size)
    assert all(sorted(number for group in groups for number in group) == [*range(count)] for groups in rounds)
    assert {len(group) for groups in rounds for group in groups} == {size}
    met = Counter(pair for groups in rounds for pair in pairs(groups))
    assert len(met) == count * (count - 1) // 2
    assert len(set(met.values())) == 1


@pytest.mark.parametrize("count", range(2, 31))
def test_pairs_meet_once(count: int) -> None:
    met = Counter(pair for groups in design(count, 2) for pair in pairs(groups))
    assert set(met.values()) == {1}
    assert len(met) == count * (count - 1) // 2
    assert len(design(count, 2)) == count - 1 + count % 2


def test_pairs_after_a_drop_out_meet_all_others() -> None:
    event = after(play(drawn(event_of(8, "round-robin", 2, 1))), Left(3))
    event = drawn_to_the_end(event)
    met = met_in(event, event.round)
    assert all(met[frozenset(pair)] == 1 for pair in combinations([1, 2, 4, 5, 6, 7, 8], 2))
    assert event.round == 7


def test_late_entry_meets_all_others() -> None:
    event = after(play(drawn(event_of(7, "round-robin", 2, 1))), Entered(8, ("Late",)))
    event = drawn_to_the_end(event)
    met = met_in(event, event.round)
    assert all(met[frozenset((8, other))] for other in range(1, 8))


def test_given_rounds_are_as_even_as_possible() -> None:
    event = drawn_to_the_end(event_of(12, "round-robin", 4, 1, rounds=3))
    assert event.round == 3
    assert max(met_in(event, 3).values()) <= 2


def test_twice_as_many_rounds_repeat_the_design() -> None:
    event = drawn_to_the_end(event_of(6, "round-robin", 2, 1, rounds=10))
    assert set(met_in(event, 10).values()) == {2}


def test_rounds_may_all_be_drawn_before_the_results() -> None:
    assert not complete(drawn_to_the_end(event_of(4, "round-robin", 2, 1)))


def test_wins_decide() -> None:
    table = standings(played(event_of(6, "round-robin", 2, 1)))
    assert [standing.entry for standing in table] == [1, 2, 3, 4, 5, 6]
    assert [standing.points for standing in table] == [5, 4, 3, 2, 1, 0]
