"""The rig's judge finds wrong lamps, and excuses measured stalls."""

from __future__ import annotations

import pytest

from referee.core.units import MS, S
from tests.rig.follow import Patience, Timeline, follows, half_drawn
from tests.rig.stalls import Stalls

PATIENCE = Patience(late_ns=600 * MS, least_ns=400 * MS, torn_ns=60 * MS)
DUE: Timeline[bool] = [(0, False), (2 * S, True), (4 * S, False), (6 * S, True), (7 * S, False)]
FLASH: Timeline[bool] = [*DUE, (10 * S, True), (10 * S + 900 * MS, False)]


def told(seen: Timeline[bool], *stalls: tuple[int, int]) -> list[str]:
    noted = Stalls((0, begun, ended, ended - begun) for begun, ended in stalls)
    return [str(wrong) for wrong in follows("the lamp", DUE, seen, PATIENCE, 20 * S, noted)]


def later(ns: int) -> Timeline[bool]:
    return [(at_ns + ns, lit) for at_ns, lit in DUE]


@pytest.mark.parametrize("seen", [later(0), later(500 * MS), [*DUE, (10 * S, True), (10 * S + 20 * MS, False)]])
def test_due_late_and_torn_changes_are_right(seen: Timeline[bool]) -> None:
    assert told(seen) == []


@pytest.mark.parametrize(
    "seen", [[(0, False)], [(0, True)], [(at_ns, not lit) for at_ns, lit in DUE], later(2 * S), FLASH, DUE[:3]]
)
def test_stuck_swapped_late_extra_and_missing_changes_are_found(seen: Timeline[bool]) -> None:
    assert told(seen)


def test_only_a_stall_nearby_excuses() -> None:
    assert told(FLASH, (9 * S + 300 * MS, 9 * S + 700 * MS)) == [
        "the lamp at 10.000 s: True, when it had to be False "
        "(the guest lost 400 ms of the second from 9.300 s on, by its own pulse)"
    ]
    assert "(" not in told(FLASH, (4 * S, 5 * S))[0]


def test_a_half_drawn_picture_is_excused() -> None:
    half = half_drawn([(0, b"\xff\x00"), (2 * S, b"\x0f\xf0")], late_ns=lambda at_ns: S)
    assert half(2 * S + 500 * MS, b"\x0f\x00")
    assert not half(2 * S + 500 * MS, b"\x0f\x01")
    assert not half(4 * S, b"\x0f\x00")
