"""Detect a steered host clock; leave an unsteered one alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.fit import BEND_NS, NOTES, Steering
from referee.core.units import MS, US, S

noises = st.integers(-400, 400)
pauses = st.integers(MS, 2 * S)


def ahead_ns(raw_ns: int, ppb: int) -> int:
    """Return the time of a clock that has been corrected at a constant rate since zero."""
    return raw_ns * ppb // 10**9


@given(st.integers(-100_000, 100_000), st.lists(st.tuples(pauses, noises), max_size=100))
def test_a_constant_correction_is_no_steering(ppb: int, readings: list[tuple[int, int]]) -> None:
    steering, raw_ns = Steering(), 0
    for pause_ns, noise_ns in readings:
        raw_ns += pause_ns
        steering = steering.read(raw_ns, ahead_ns(raw_ns, ppb) + noise_ns)
        assert not steering.bent
        assert len(steering.notes) <= NOTES


@given(
    st.integers(-100_000, 100_000),
    st.integers(2_000, 400_000) | st.integers(-400_000, -2_000),
    st.integers(2, 60),
    st.lists(pauses, min_size=1),
)
def test_a_step_of_the_rate_is_seen_before_it_matters(ppb: int, step: int, notes: int, readings: list[int]) -> None:
    """From 2 ppm on, only some microseconds pass unnoticed."""
    steering = Steering()
    for note in range(notes):
        steering = steering.read(note * S, ahead_ns(note * S, ppb))
    raw_ns = since_ns = (notes - 1) * S
    for pause_ns in readings:
        raw_ns += pause_ns
        moved_ns = (raw_ns - since_ns) * step // 10**9
        steering = steering.read(raw_ns, ahead_ns(raw_ns, ppb) + moved_ns)
        if steering.bent:
            return
        assert abs(moved_ns) <= 3 * BEND_NS


def test_the_line_goes_through_the_last_seven_and_a_half_seconds() -> None:
    """The host's clocks are read 16 times, half a second apart."""
    steering = Steering()
    for tenth in range(200):
        steering = steering.read(tenth * 100 * MS, 0)
    assert [raw_ns for raw_ns, _ in steering.notes] == [12 * S + n * 500 * MS for n in range(16)]


def test_readings_in_a_burst_are_not_all_kept() -> None:
    """A contact that bounces makes the host read its clocks a hundred times within a moment."""
    steering = Steering()
    for second in range(10):
        steering = steering.read(second * S, 0)
    for step in range(100):
        steering = steering.read(9 * S + step * MS, 0)
        assert not steering.bent
    assert len(steering.notes) == 10
    steering = steering.read(9 * S + 200 * MS, 20 * US)
    assert steering.bent
    assert steering.notes == ((9 * S + 200 * MS, 20 * US),)


def test_four_microseconds_off_the_line_are_noise_and_a_nanosecond_more_is_not() -> None:
    assert not Steering().read(0, 0).read(S, 10**9).bent
    line = Steering().read(0, 0).read(S, 0)
    for side in (-1, 1):
        assert not line.read(2 * S, side * BEND_NS).bent
        assert line.read(2 * S, side * (BEND_NS + 1)).bent
