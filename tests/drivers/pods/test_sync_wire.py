"""The sync wire's pulses: each has an instant and an error that contain the edge."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero.exc import GPIOPinInUse
from hypothesis import given
from hypothesis import strategies as st

from referee.core.units import MS, US, S
from referee.drivers.pods.sync_wire import KEPT, RISE_NS, SyncWire, place_pulse
from tests.drivers.soldered import SolderedFactory

OUT, BACK = 15, 14
ERR_NS = 300 * US


class Clock:
    """Each reading is 4 µs after the one before; `late` is set after twenty readings."""

    def __init__(self) -> None:
        self.now_ns = 10 * S
        self.late = threading.Event()

    def __call__(self) -> int:
        self.now_ns += 4 * US
        if self.now_ns >= 10 * S + 80 * US:
            self.late.set()
        return self.now_ns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def factory(clock: Clock) -> Iterator[SolderedFactory]:
    with SolderedFactory(clock=clock) as made:
        made.solder(OUT, BACK)
        yield made


def wire(factory: Any, clock: Clock) -> SyncWire:
    """Return a wire that does not wait while it is high."""
    return SyncWire(factory, OUT, BACK, err_ns=ERR_NS, clock=clock, high_s=0)


def test_a_pulse_is_between_two_readings_of_the_clock(factory: SolderedFactory, clock: Clock) -> None:
    driven = wire(factory, clock)
    driven.pulse()
    (pulse,) = driven.pulses()
    assert [state.state for state in factory.pin(OUT).states] == [False, True, False]
    assert factory.pin(BACK).state == 0
    edge_ns = 10 * S + 8 * US  # the first reading, then the edge, then the second
    assert abs(pulse.t_ns - edge_ns) <= pulse.err_ns <= 3 * US
    driven.close()


def test_the_input_saves_a_pulse_at_which_the_host_was_interrupted(factory: SolderedFactory, clock: Clock) -> None:
    """Five milliseconds between the readings, but the kernel stamped the edge: its own error counts."""
    driven = wire(factory, clock)
    pin: Any = factory.pin(OUT)
    told = type(pin)._set_state

    def slow(self: Any, value: float) -> None:
        told(self, value)
        clock.now_ns += 5 * MS

    type(pin)._set_state = slow
    try:
        driven.pulse()
    finally:
        type(pin)._set_state = told
    (pulse,) = driven.pulses()
    assert pulse.err_ns <= ERR_NS // 2 + RISE_NS
    driven.close()


def test_without_the_input_the_readings_alone_count(clock: Clock) -> None:
    """SYNC_IN is not connected."""
    with SolderedFactory(clock=clock) as factory:
        driven = wire(factory, clock)
        driven.pulse()
        assert driven.pulses() == (place_pulse(10 * S + 4 * US, 10 * S + 8 * US, None, ERR_NS),)
        driven.close()


@given(
    st.integers(0, 5 * MS),
    st.integers(0, 5 * MS),
    st.none() | st.integers(0, ERR_NS),
    st.integers(0, RISE_NS),
)
def test_an_edge_is_always_within_its_error(before_ns: int, after_ns: int, late_ns: int | None, rise_ns: int) -> None:
    """For any interruption of the host, delay of the kernel's stamp, and rise time."""
    raised_ns = 10 * S
    edge_ns = raised_ns + rise_ns
    stamp = None if late_ns is None else edge_ns + late_ns
    instant = place_pulse(raised_ns - before_ns, raised_ns + after_ns, stamp, ERR_NS)
    assert abs(instant.t_ns - edge_ns) <= instant.err_ns
    assert instant.err_ns <= (before_ns + after_ns + RISE_NS + 1) // 2 + 1


def test_a_stamp_that_cannot_be_of_this_edge_is_left_out() -> None:
    """Noise on the input, milliseconds later: only the readings of the clock count."""
    after_ns = 10 * S + 4 * US
    assert place_pulse(10 * S, after_ns, 10 * S + 9 * MS, ERR_NS) == place_pulse(10 * S, after_ns, None, ERR_NS)


def test_only_the_newest_pulses_are_kept(factory: SolderedFactory, clock: Clock) -> None:
    """A pod's report is milliseconds old; memory does not grow with the evening."""
    driven = wire(factory, clock)
    for _ in range(3 * KEPT):
        driven.pulse()
    times = [pulse.t_ns for pulse in driven.pulses()]
    assert len(times) == KEPT
    assert times == sorted(times)
    driven.close()


def test_a_wire_that_fails_is_told_once_and_once_when_it_is_back(
    factory: SolderedFactory, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    driven = wire(factory, clock)
    pin = factory.pin(OUT)
    pin.function = "input"
    with caplog.at_level(logging.WARNING, "referee"):
        driven.pulse()
        driven.pulse()
        assert driven.pulses() == ()
        pin.function = "output"
        driven.pulse()
    assert len(driven.pulses()) == 1
    lost, back = caplog.messages
    assert lost.startswith("the sync wire lost: ")
    assert back == "the sync wire is back"
    driven.close()


def test_a_pin_that_somebody_has_is_refused_and_both_are_given_back(factory: SolderedFactory, clock: Clock) -> None:
    driven = wire(factory, clock)
    with pytest.raises(GPIOPinInUse):
        wire(factory, clock)
    driven.close()
    for taken in (OUT, BACK):
        factory.reserve_pins(clock, taken)
        with pytest.raises(GPIOPinInUse):
            wire(factory, clock)
        factory.release_pins(clock, taken)
    wire(factory, clock).close()


def test_it_pulses_by_itself_until_it_is_closed(factory: SolderedFactory, clock: Clock) -> None:
    driven = SyncWire(factory, OUT, BACK, err_ns=ERR_NS, clock=clock, period_s=0.001, high_s=0)
    driven.start()
    assert clock.late.wait(10)
    driven.close()
    assert len(driven.pulses()) >= 2
    assert factory.pin(OUT).state == 0
