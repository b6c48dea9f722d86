"""Seasons with the best k events, and ratings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from referee.hall.decide import after, fold, forget
from referee.hall.model import Entered, Event, Left
from referee.hall.seasons import ratings, season
from tests.hall.events import drawn, event_of, opened, play, played

NEEDED = "the extra `hall` is not installed"


def night(*order: str) -> Event:
    """Return an event in which these people took these places."""
    entries = [Entered(number, tuple(name.split("&"))) for number, name in enumerate(order, 1)]
    return played(fold([opened("round-robin", 2, 1), *entries]))


def test_best_events_count() -> None:
    events = [night("Anna", "Ben", "Max"), night("Ben", "Max", "ANNA"), night("Anna", "Max", "Ben")]
    table = season(events, best=2)
    assert [(had.place, had.name, int(had.points)) for had in table] == [
        (1, "Anna", 200),
        (2, "Ben", 150),
        (3, "Max", 100),
    ]
    assert table[0].results == {0: 100, 1: 0, 2: 100}
    assert table[0].counted == (0, 2)
    assert [had.points for had in season(events, best=3)] == [200, 150, 100]
    assert [had.points for had in season(events, best=1)] == [100, 100, 50]


def test_best_single_result_decides_and_equal_people_share_a_place() -> None:
    events = [night("Anna", "Ben", "Max"), night("Eva", "Ben", "Anna"), night("Eva", "Max", "Lea")]
    table = season([*events, night("Tom", "Kim", "Lea"), night("Kim", "Tom", "Lea")], best=2)
    assert [(had.place, had.name) for had in table] == [
        (1, "Eva"),
        (2, "Kim"),
        (2, "Tom"),
        (4, "Anna"),
        (5, "Ben"),
        (6, "Max"),
        (7, "Lea"),
    ]


def test_large_and_small_events_count_the_same() -> None:
    assert [had.points for had in season([night("A", "B", "C", "D", "E")], 1)] == [100, 75, 50, 25, 0]
    assert [had.points for had in season([night("A", "B")], 1)] == [100, 0]


def test_pairs_give_their_points_to_both() -> None:
    table = season([night("Anna&Max", "Ben&Lea")], 1)
    assert {had.name: had.points for had in table} == {"Anna": 100, "Max": 100, "Ben": 0, "Lea": 0}


def test_entries_that_never_played_are_no_part_of_the_field() -> None:
    event = after(event_of(4, "swiss"), Left(4, "no-show"))
    assert [had.name for had in season([play(drawn(event))], 1)] == ["P1", "P2", "P3"]


def test_forgotten_people_are_not_listed() -> None:
    event = fold(forget(night("Anna", "Ben", "Max").decisions, "Ben"))
    assert [had.name for had in season([event], 1)] == ["Anna", "Max"]
    assert season([event], 1)[1].points == Fraction(0)


def test_ratings_follow_results_and_grow_surer() -> None:
    pytest.importorskip("openskill", reason=NEEDED)
    once, often = ratings([night("Anna", "Ben", "Max")]), ratings([night("Anna", "Ben", "Max")] * 9)
    assert [had.name for had in once] == [had.name for had in often] == ["Anna", "Ben", "Max"]
    assert [had.matches for had in often] == [18, 18, 18]
    assert often[0].sigma < once[0].sigma
    assert often[0].sure == often[0].mu - 3 * often[0].sigma


def test_ratings_forget() -> None:
    pytest.importorskip("openskill", reason=NEEDED)
    before = [night("Anna", "Ben", "Max"), night("Ben", "Anna", "Max")]
    gone = [fold(forget(event.decisions, "ben")) for event in before]
    assert [had.name for had in ratings(gone)] == ["Anna", "Max"]
    assert all(had.sigma < 25 / 3 for had in ratings(gone))


def test_ratings_of_pairs_go_to_both() -> None:
    pytest.importorskip("openskill", reason=NEEDED)
    found = ratings([night("Anna&Max", "Ben&Lea")])
    assert [had.name for had in found] == ["Anna", "Max", "Ben", "Lea"]
    assert found[0].mu == found[1].mu > found[2].mu
