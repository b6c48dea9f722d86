"""Whether a time service is steering this host's CLOCK_MONOTONIC, by reading CLOCK_MONOTONIC_RAW beside it."""

from __future__ import annotations

import time
from collections.abc import Callable

from referee.core.steering import Steering
from referee.core.units import US

CLOSE_NS = 3 * US
"""Readings farther apart say too little: the thread was interrupted in between."""
TRIES = 3
Clock = Callable[[], int]


def raw_ns() -> Clock | None:
    """CLOCK_MONOTONIC_RAW, where the system has it."""
    number = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return None if number is None else lambda: time.clock_gettime_ns(number)


class Steered:
    """Call it whenever a foreign clock's stamps are about to be placed: True once the host's rate has changed."""

    def __init__(self, clock: Clock = time.monotonic_ns, raw: Clock | None = None) -> None:
        """`raw`: another clock than CLOCK_MONOTONIC_RAW."""
        self._clock, self._raw = clock, raw or raw_ns()
        self._steering = Steering()

    def __call__(self) -> bool:
        """Read both clocks; False where that cannot tell."""
        if self._raw is None:
            return False
        for _ in range(TRIES):
            before_ns, raw, after_ns = self._clock(), self._raw(), self._clock()
            if after_ns - before_ns <= CLOSE_NS:
                self._steering = self._steering.read(raw, (before_ns + after_ns) // 2 - raw)
                return self._steering.bent
        return False
