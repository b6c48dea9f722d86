"""The rig's own judge: a checker that finds nothing wrong with anything would be worse than none."""

from __future__ import annotations

import pytest

from referee.core.units import MS, S
from tests.rig.follow import TONE, Patience, Timeline, follows, half_drawn
from tests.rig.stalls import Stalls, Wrong

PATIENCE = Patience(late_ns=600 * MS, least_ns=400 * MS, torn_ns=60 * MS)
ENDS_NS = 20 * S
DUE: Timeline[bool] = [(0, False), (2 * S, True), (4 * S, False), (6 * S, True), (7 * S, False)]


def told(seen: Timeline[bool], *stalls: tuple[int, int]) -> list[str]:
    noted = Stalls((0, begun, ended, ended - begun) for begun, ended in stalls)
    return [str(wrong) for wrong in follows("the lamp", DUE, seen, PATIENCE, ENDS_NS, noted)]


def later(ns: int) -> Timeline[bool]:
    """Everything as it was due, so much later."""
    return [(at_ns + ns, lit) for at_ns, lit in DUE]


@pytest.mark.parametrize("ns", [0, 50 * MS, 500 * MS])
def test_what_is_as_due_or_a_little_late_is_right(ns: int) -> None:
    """No word about it."""
    assert told(later(ns)) == []


@pytest.mark.parametrize("stuck", [False, True])
def test_a_lamp_that_never_changes_is_found(stuck: bool) -> None:
    """Dark or lit all the time: what it never showed is told, though nothing was seen after the first moment."""
    sentences = told([(0, stuck)])
    assert any("never showed" in sentence for sentence in sentences)


def test_a_lamp_the_other_way_round_is_found() -> None:
    """Lit where it must be dark."""
    assert told([(at_ns, not lit) for at_ns, lit in DUE])


def test_a_lamp_that_is_far_too_late_or_early_is_found() -> None:
    """Two seconds late, one second early."""
    assert told(later(2 * S))
    assert told([(0, False), *((at_ns - S, lit) for at_ns, lit in DUE[1:])])


def test_one_change_too_many_is_found_unless_it_is_half_of_another() -> None:
    """A flash of 200 ms that nobody ordered is told; one shorter than a change takes is not."""
    assert told([*DUE, (10 * S, True), (10 * S + 200 * MS, False)])
    assert told([*DUE, (10 * S, True), (10 * S + 20 * MS, False)]) == []


def test_one_change_too_few_is_found_unless_it_was_short() -> None:
    """A second that was never lit is told; where the guest stood still for a fifth of it, it is not."""
    seen = [*DUE[:3]]
    assert told(seen) == ["the lamp never showed True, due at 6.000 s"]
    assert told(seen, (7 * S - 200 * MS, 7 * S)) == []
    assert told(seen, (3 * S, 3 * S + 400 * MS)) == told(seen), "a stall elsewhere is no matter"


def test_what_a_stall_may_have_done_is_told_with_its_figure() -> None:
    """A flash of 500 ms that nobody ordered, 0.3 s after the guest lost as much: an excuse, no more."""
    seen = [*DUE, (10 * S, True), (10 * S + 900 * MS, False)]
    assert told(seen, (9 * S + 300 * MS, 9 * S + 700 * MS)) == [
        "the lamp at 10.000 s: True, when it had to be False "
        "(the guest lost 400 ms of the second from 9.300 s on, by its own pulse)"
    ]
    assert "(" not in told(seen, (4 * S, 5 * S))[0]


def test_half_a_change_at_the_end_of_a_life_is_no_fault() -> None:
    """A tone is silent for an instant between two notes, and there the daemon died; 60 ms before, it was not half."""
    due: Timeline[int] = [(0, 0), (2 * S, 800), (2 * S + 80 * MS, 1200)]

    def found(silent_ns: int) -> list[Wrong]:
        seen: Timeline[int] = [(0, 0), (2 * S, 800), (2 * S + 82 * MS, 1200), (silent_ns, 0)]
        return list(follows("the piezo", due, seen, TONE, 2 * S + 150 * MS))

    assert found(2 * S + 149 * MS) == []
    assert [str(wrong) for wrong in found(2 * S + 90 * MS)] == ["the piezo at 2.090 s: 0, when it had to be 1200"]


def test_what_stood_since_before_counts() -> None:
    """Dark for a moment between two lit stretches and never seen so: lit was shown all the same."""
    due: Timeline[bool] = [(0, False), (2 * S, True), (3 * S, False), (3 * S + 140 * MS, True), (5 * S, False)]
    seen: Timeline[bool] = [(0, False), (2 * S, True), (5 * S, False)]
    assert list(follows("the lamp", due, seen, PATIENCE, ENDS_NS)) == []


def test_a_picture_on_its_way_to_the_next_is_excused_and_no_other() -> None:
    """Upper half new, lower half old; but not with a dot that neither has, nor when nothing was on its way."""
    half = half_drawn([(0, b"\xff\x00"), (2 * S, b"\x0f\xf0")], late_ns=lambda at_ns: S)
    assert half(2 * S + 500 * MS, b"\x0f\x00")
    assert not half(2 * S + 500 * MS, b"\x0f\x01")
    assert not half(4 * S, b"\x0f\x00")
    assert not half(1 * S, b"\x0f\x00")
