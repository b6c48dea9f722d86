"""Whether a time service is steering this host's CLOCK_MONOTONIC, by reading CLOCK_MONOTONIC_RAW beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from referee.core.clocks.steering import Steering
from referee.core.units import MS, US

CLOSE_NS = 3 * US
"""Readings farther apart say too little: the thread was interrupted in between."""
TRIES = 3
AGAIN_NS = 1 * MS
"""What has been read within this is not read again: pods are served one after the other."""
Clock = Callable[[], int]


def raw_ns() -> Clock | None:
    """CLOCK_MONOTONIC_RAW, where the system has it."""
    number = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return None if number is None else lambda: time.clock_gettime_ns(number)


class Steered:
    """Call it often, and before a foreign clock's stamps are placed: how often the host's rate has changed so far.

    Any thread may.
    """

    def __init__(self, clock: Clock = time.monotonic_ns, raw: Clock | None = None) -> None:
        """`raw`: another clock than CLOCK_MONOTONIC_RAW."""
        self._clock, self._raw = clock, raw or raw_ns()
        self._steering = Steering()
        self._times = 0
        self._read_ns = -AGAIN_NS
        self._gate = threading.Lock()

    def __call__(self) -> int:
        """Read both clocks; the number since the start, 0 where they cannot be read."""
        if self._raw is None:
            return 0
        if self._clock() - self._read_ns < AGAIN_NS:
            return self._times
        with self._gate:
            for _ in range(TRIES):
                before_ns, raw, after_ns = self._clock(), self._raw(), self._clock()
                if after_ns - before_ns <= CLOSE_NS:
                    self._steering = self._steering.read(raw, (before_ns + after_ns) // 2 - raw)
                    self._times += self._steering.bent
                    self._read_ns = after_ns
                    break
            return self._times
