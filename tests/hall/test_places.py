"""Standings: each criterion against a naive computation, and the order in which they decide."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from referee.hall.decide import standings
from referee.hall.model import Event, Kind, Seats
from tests.hall.events import drawn, event_of, play, played

F = Fraction


def random_event(seed: int, kind: Kind = "swiss", size: int = 4, count: int = 7) -> Event:
    dice = Random(seed)
    event = event_of(count, kind, size, 1, rounds=4)
    for _ in range(4):
        event = play(drawn(event, seed), lambda seats: {number: dice.randrange(4) for number in seats.entries})
    return event


def beaten(own: Fraction, others: list[Fraction]) -> Fraction:
    return F(sum(2 * (own > other) + (own == other) for other in others), 2 * len(others))


def test_values_equal_a_naive_computation() -> None:
    for seed in range(8):
        event = random_event(seed, size=2 + seed % 3)
        had = {
            entry.number: [out.points for out in event.outcomes if entry.number in out.points]
            for entry in event.entries
        }
        byes = [number for byes in event.byes for number in byes]
        score = {
            number: F(byes.count(number), 2)
            + sum(beaten(points[number], [p for n, p in points.items() if n != number]) for points in all_points)
            for number, all_points in had.items()
        }
        for standing in standings(event):
            number, values = standing.entry, standing.values
            others = [(points[number], [p for n, p in points.items() if n != number]) for points in had[number]]
            met = [score[n] for points in had[number] for n in points if n != number]
            assert values["score"] == standing.points == score[number]
            assert values["opponents"] == sum(met, F(0)) / len(met)
            assert values["difference"] == sum(own - sum(rest) / len(rest) for own, rest in others)
            wins = [points for points in had[number] if points[number] == max(points.values())]
            assert values["wins"] == sum(F(1, [*points.values()].count(points[number])) for points in wins)
            assert standing.played == len(had[number])


def test_direct_encounter_counts_the_equal_entries_alone() -> None:
    """3 beats 1 at one table, where 2 is first; all else makes 1 and 3 equal."""
    event = event_of(3, "round-robin", 4, 1, rounds=2)
    event = play(drawn(event), lambda seats: {2: 9, 3: 5, 1: 4})
    event = play(drawn(event), lambda seats: {2: 9, 3: 4, 1: 4})
    values = {standing.entry: standing.values for standing in standings(event)}
    assert values[3]["score"] == F(3, 4)
    assert values[3]["direct"] == 0  # no one is equal to it
    again = play(drawn(event_of(3, "round-robin", 4, 1, rounds=1)), lambda seats: {2: 5, 3: 5, 1: 4})
    table = standings(again)
    assert [standing.values["direct"] for standing in table] == [F(1, 2), F(1, 2), 0]
    assert [standing.decided for standing in table] == ["", "lot", "score"]


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1)])
def test_direct_encounter_decides_before_the_lot(first: int, second: int) -> None:
    """Both win twice by 1 and lose once by 1; 4 beats the first, who beats the second."""
    won = {(first, second), (first, 3), (4, first), (second, 3), (second, 4), (3, 4)}

    def points(seats: Seats) -> dict[int, int]:
        a, b = seats.entries
        return {a: int((a, b) in won), b: int((b, a) in won)}

    table = standings(played(event_of(4, "round-robin", 2, 1), points))
    assert [standing.entry for standing in table[:2]] == [first, second]
    assert table[0].points == table[1].points == 2
    assert table[1].decided == "direct"
