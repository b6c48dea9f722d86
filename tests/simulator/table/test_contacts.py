"""Bouncing contacts: the core always makes one press of them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from referee.core.presses.signals import Edge, Pressed, Released, Spiked, accept_edge, settle, standing
from referee.core.units import MS, S
from referee.simulator.table.contacts import GAPS_NS, SETTLE_NS, Move, bounce, graze, press

SEEDS = st.integers(0, 10**6)


def alternates(moves: list[Move]) -> bool:
    """Return whether one contact's moves change its level every time, begin with closing and end released."""
    levels = [False] + [move.closed for move in moves]
    return all(a != b for a, b in pairwise(levels)) and not levels[-1]


def heard(moves: list[Move]) -> list[object]:
    """Return the core's events for one contact's moves, one second later."""
    contact, said = standing("3", False, 0), list[object]()
    for order, move in enumerate(moves):
        contact, signals = accept_edge(contact, Edge("3", move.closed, move.t_ns), order)
        said += signals
    _, signals = settle(contact, moves[-1].t_ns + S)
    return [*said, *signals]


@given(SEEDS, st.booleans())
def test_a_touch_rattles_and_settles(seed: int, closed: bool) -> None:
    """The first edge is the touch, the last gives the level, the gaps are a contact's, all within 5 ms."""
    moves = bounce(Random(seed), "3", 7 * S, closed)
    assert moves[0] == Move(7 * S, "3", closed)
    assert moves[-1].closed == closed
    assert moves[-1].t_ns <= 7 * S + SETTLE_NS
    for a, b in pairwise(moves):
        assert a.closed != b.closed
        assert GAPS_NS[0] <= b.t_ns - a.t_ns <= GAPS_NS[1]


@given(SEEDS, st.integers(60, 3_000))
def test_a_press_is_one_press_for_the_core(seed: int, length_ms: int) -> None:
    """With any bounce: one press at the first edge, one release, the contact ends open."""
    moves = press(Random(seed), "3", S, length_ms * MS)
    assert alternates(moves)
    first, last = heard(moves)
    assert isinstance(first, Pressed)
    assert first.press.t_ns == S
    assert isinstance(last, Released)


@given(SEEDS)
def test_a_graze_is_no_press(seed: int) -> None:
    assert [type(signal) for signal in heard(graze(Random(seed), "3", S))] == [Spiked]
