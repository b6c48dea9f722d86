"""Detect when a time service steers CLOCK_MONOTONIC, by comparison with CLOCK_MONOTONIC_RAW."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from referee.core.clocks.steering import Steering
from referee.core.units import MS, US

CLOSE_NS = 3 * US
"""Longest time between the two readings of a pair, in ns.

If it is longer, the thread was interrupted between them.
"""
TRIES = 3
AGAIN_NS = 1 * MS
"""Minimum time between readings, in ns. Pods are served one after the other."""
Clock = Callable[[], int]


def raw_ns() -> Clock | None:
    """Return a function that reads CLOCK_MONOTONIC_RAW, or None if the system lacks that clock."""
    number = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return None if number is None else lambda: time.clock_gettime_ns(number)


class Steered:
    """Counts how often a time service has changed the rate of the host's clock. Thread-safe.

    Calling the object returns the number. Call it often, and before converting timestamps of another clock.
    """

    def __init__(self, clock: Clock = time.monotonic_ns, raw: Clock | None = None) -> None:
        """`clock`, `raw`: replacements for CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW."""
        self._clock, self._raw = clock, raw or raw_ns()
        self._steering = Steering()
        self._times = 0
        self._read_ns = -AGAIN_NS
        self._gate = threading.Lock()

    def __call__(self) -> int:
        """Compare both clocks; return the number of changes so far, or 0 without the raw clock."""
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
