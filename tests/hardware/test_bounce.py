"""The delay of stamps of bouncing presses: the filter in small steps, the kernel's stamp, the stated bound."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.make import bounce, skew

ONE = skew.Input(1000, 0.01, 2200, 1e-8, 0.05)
LENGTHS = st.lists(st.floats(1, 120), max_size=6)


def edges(lengths: list[float]) -> bounce.Edges:
    """Return changes after these intervals, ending closed."""
    found = [(0.0, True)]
    for length in lengths[: len(lengths) // 2 * 2]:
        found.append((found[-1][0] + length, not found[-1][1]))
    return found


@settings(max_examples=40)
@given(LENGTHS, st.floats(0.8, 2.0))
def test_the_pin_follows_the_contact_as_in_small_steps(lengths: list[float], turns_v: float) -> None:
    """Compared with the same circuit integrated in steps of 0.1 us."""
    contact = edges(lengths)
    found = bounce.at_pin(contact, 10.0, 32.0, 3.3, turns_v)
    volts, step, low, seen = 3.3, 0.1, False, []
    for n in range(int((contact[-1][0] + 60) / step)):
        at = n * step
        closed = next(closed for when, closed in reversed(contact) if when <= at)
        volts += ((0.0 if closed else 3.3) - volts) / (10.0 if closed else 32.0) * step
        if low != (volts < turns_v):
            low = volts < turns_v
            seen.append((at, low))
    assert found[-1][1]
    brief = [pair for pair in pairwise(found) if pair[1][0] - pair[0][0] < 1.0]
    if not brief and len(seen) == len(found):  # a swing shorter than a step's error may or may not appear
        assert [low for _, low in seen] == [low for _, low in found]
        assert [at for at, _ in seen] == pytest.approx([at for at, _ in found], abs=1.5)
    assert abs(len(seen) - len(found)) <= 2 * (1 + len(brief))


def test_a_first_touch_too_short_is_not_seen() -> None:
    """5 us closed, 300 us open: the pin goes low after 305 us plus the filter's 15.5, never before."""
    ((at, low),) = bounce.at_pin([(0.0, True), (5.0, False), (305.0, True)], 10.6, 35.0, 3.465, 0.8)
    assert low
    assert at == pytest.approx(305 + 15.5, abs=0.1)


def test_a_short_opening_passes_while_the_pin_has_not_come_down() -> None:
    """15 us after the touch an opening of 5 us changes the pin.

    After the contact has settled it does not.
    """
    early = bounce.at_pin([(0.0, True), (15.0, False), (20.0, True)], 10.0, 32.0, 3.3, 0.8)
    rested = bounce.at_pin([(0.0, True), (400.0, False), (405.0, True)], 10.0, 32.0, 3.3, 0.8)
    assert [low for _, low in early] == [True, False, True]
    assert [low for _, low in rested] == [True]


def test_a_stamp_is_taken_over_until_the_thread_has_run() -> None:
    """Three edges 40 us apart, each answered after 5 us.

    A thread after 30 us reads the first stamp, one after 50 us the second, one after 500 us the last.
    """
    pin = [(10.0, True), (50.0, False), (90.0, True)]
    assert [bounce.stamped_us(pin, [5.0] * 3, thread) for thread in (30.0, 50.0, 500.0)] == [15.0, 55.0, 95.0]


@given(st.integers(0, 2**32), st.sampled_from(sorted(bounce.SHORTEST_US)))
def test_what_is_stated_holds_where_the_first_touch_lasts_as_long_as_the_filter_takes(seed: int, kind: str) -> None:
    """The budget's sum is a bound of such presses, and the settling time is one of all presses."""
    budget = skew.budget([ONE])
    late = bounce.lateness_us(Random(seed), ONE, kind, skew.SUPPLY_V, skew.FALLING_V, skew.KERNEL_US)
    dice = Random(seed)
    for _ in range(3):  # as `lateness_us` draws: three parts, then the touches
        dice.uniform(-1, 1)
    first = next((at for at, _ in bounce.touches(dice, kind)[1:]), 1e9)
    if first >= budget.filter_most_us:
        assert late <= budget.late_us
    assert late <= bounce.WORST_BOUNCE_US + budget.late_us
