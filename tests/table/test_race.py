"""The truth of a hand: consistent with the rules at every moment."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from referee.core.units import MS, S
from referee.table.hand import Cards, CountedCards, Hand, race

PACKS = st.sampled_from([Cards(), Cards(40, 10), Cards(54, 13), Cards(52, 3)])


@given(st.integers(0, 10**6), st.integers(2, 8), PACKS, st.integers(10, 100))
def test_counts_are_possible_at_every_moment(seed: int, teams: int, cards: Cards, pace: int) -> None:
    """0 <= left <= reserve, lake <= pack - left; left falls, lake grows, from the deal to the call."""
    for run in race(Random(seed), range(1, teams + 1), cards, pace).values():
        before = run.at(0)
        assert before == CountedCards(cards.reserve, 0)
        for tenth in range(1, 11):
            now = run.at(run.press_ns * tenth // 10)
            assert 0 <= now.left <= before.left
            assert before.lake <= now.lake <= cards.pack - now.left
            before = now
        assert before.left == 0


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_whoever_calls_or_ties_has_nothing_left_at_the_stop(seed: int, teams: int) -> None:
    """At the first press every team within a tie window of it has emptied its reserve."""
    runs = race(Random(seed), range(1, teams + 1), Cards())
    first = min(run.press_ns for run in runs.values())
    for run in runs.values():
        if run.press_ns - first <= 100 * MS:
            assert run.at(first).left == 0


def test_ties_near_ties_and_clear_calls_all_happen() -> None:
    """Over some hundred hands there are gaps within 18 ms, round 20 ms, within a second and beyond."""
    gaps = []
    for seed in range(400):
        first, second = sorted(run.press_ns for run in race(Random(seed), (1, 2), Cards()).values())
        gaps.append(second - first)
    bands = [(0, 18 * MS), (19 * MS, 21 * MS), (60 * MS, S), (4 * S, 90 * S)]
    counts = [sum(low <= gap <= high for gap in gaps) for low, high in bands]
    assert sum(counts) == len(gaps)
    assert all(count > 5 for count in counts)


def test_a_paused_hand_stands_still() -> None:
    """Play time is left alone by a pause; an overdue press comes at once when play goes on."""
    hand = Hand(race(Random(1), (1, 2), Cards()))
    press_ns = hand.runs[1].press_ns
    hand.run(10 * S)
    assert hand.press_at_ns(1, 12 * S) == 10 * S + press_ns
    hand.pause(20 * S)
    assert (hand.running, hand.played_ns(99 * S)) == (False, 10 * S)
    assert hand.tally(1, 50 * S) == hand.runs[1].at(10 * S)
    hand.run(100 * S)
    assert hand.press_at_ns(1, 100 * S) == 90 * S + press_ns
    hand.pause(100 * S + press_ns)
    hand.run(500 * S)
    assert hand.press_at_ns(1, 500 * S) == 500 * S
    assert (hand.press_at_ns(7, 0), hand.tally(7, 0)) == (None, None)


def test_a_hand_that_none_of_them_plays_has_no_runs() -> None:
    """A company whose seats sit out deals nobody in."""
    assert race(Random(1), (), Cards()) == {}


@given(st.integers(0, 10**6), st.integers(0, 8))
def test_kings_lie_among_the_cards_of_the_lake(seed: int, kings: int) -> None:
    """Never more of them than cards there, nor than the pack has; a handicap deals more reserve to its team alone."""
    runs = race(Random(seed), (1, 2), Cards(52, 13, kings, {2: 20}))
    assert [runs[team].at(0).left for team in (1, 2)] == [13, 20]
    for run in runs.values():
        at_the_stop = run.at(run.press_ns)
        assert at_the_stop.kings <= min(kings, at_the_stop.lake)
        assert run.kings_ns == tuple(sorted(run.kings_ns))
