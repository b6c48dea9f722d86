"""The host's two clocks, read side by side."""

from __future__ import annotations

import time

import pytest

from referee.core.units import MS, S
from referee.drivers.pods.sync_wire import AGAIN_NS, CLOSE_NS, TRIES, Steered


class Host:
    """Two clocks that advance by 100 ns per reading; one is faster when it is steered."""

    def __init__(self) -> None:
        self.raw_ns = 5 * S
        self.ahead_ns = 3 * S
        self.interrupted = 0  # number of further readings of the raw clock that take a millisecond
        self.readings = 0

    def monotonic(self) -> int:
        self.raw_ns += 100
        return self.raw_ns + self.ahead_ns

    def raw(self) -> int:
        self.readings += 1
        if self.interrupted:
            self.interrupted -= 1
            self.raw_ns += MS
        self.raw_ns += 100
        return self.raw_ns

    def later(self, ns: int, ppm: int = 0) -> None:
        """Advance the time."""
        self.raw_ns += ns
        self.ahead_ns += ns * ppm // 10**6


def test_a_time_service_that_slews_is_seen() -> None:
    """40 ppm from one second to the next, and again at its end; a constant rate is not reported."""
    host = Host()
    steered = Steered(host.monotonic, host.raw)
    told = []
    for second in range(60):
        host.later(S, 40 if 20 <= second < 40 else 0)
        told.append(steered())
    assert told == [0] * 20 + [1] * 20 + [2] * 20


def test_a_reading_that_was_interrupted_is_taken_again_and_then_left() -> None:
    """A millisecond between the two readings makes them useless."""
    host = Host()
    steered = Steered(host.monotonic, host.raw)
    for _ in range(5):
        host.later(S)
        assert steered() == 0
    host.interrupted = 1
    host.later(S)
    assert steered() == 0
    host.interrupted, host.readings = TRIES, 0
    host.later(S, 500)
    assert steered() == 0
    assert host.readings == TRIES
    assert CLOSE_NS < MS


def test_one_reading_does_for_pods_that_are_served_one_after_the_other() -> None:
    """Within a millisecond the clocks are not read again; later they are."""
    host = Host()
    steered = Steered(host.monotonic, host.raw)
    for _ in range(9):
        steered()
    assert host.readings == 1
    host.later(AGAIN_NS)
    steered()
    assert host.readings == 2


def test_a_system_without_the_raw_clock_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fit then detects it when its evidence disagrees."""
    monkeypatch.delattr(time, "CLOCK_MONOTONIC_RAW", raising=False)
    assert Steered()() == 0
