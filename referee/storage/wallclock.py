"""The wall clock, which may be wrong or set at any time, and the length of a power cut.

A board without a real-time clock starts with a time in the past, and the network corrects it, maybe minutes after the
start. The correction is noticed by comparison with a clock that counts from the boot and is never set.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from referee.core.units import S
from referee.drivers.pi import vitals
from referee.storage.evenings.rows import Tape

SET_S = 60
"""Smallest correction in s that is noticed. In an evening a clock drifts by less."""
LONGEST_AWAY_S = 400 * 86_400
"""Longest plausible time without power in s. More means that the wall clock was or is wrong."""
Wall = Callable[[], float]
Awake = Callable[[], int]


def wall_s() -> float:
    """Return the wall clock in Unix seconds."""
    return time.time()


def awake_ns() -> int:
    """Return the ns since the boot, including sleep, from a clock that is never set."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


RTC = Path("/sys/class/rtc/rtc0/hctosys")
"""A file that contains 1 if the kernel took the time from a real-time clock."""


def is_kept() -> bool:
    """Return whether the wall clock can be trusted: set since the start, or kept by a battery."""
    if vitals.is_synchronized() is not False:
        return True
    try:
        return RTC.read_text(encoding="ascii").strip() == "1"
    except OSError:
        return False


def local_s(wall: Wall = wall_s, *, trusted: bool = False) -> int | None:
    """Return the local time in s since 1970; None if the wall clock cannot be trusted.

    trusted: whether to trust it anyway, as on a computer that simulates the device.
    """
    return int(wall()) + (time.localtime(wall()).tm_gmtoff or 0) if trusted or is_kept() else None


class WallClock:
    """Notices when the wall clock is set."""

    def __init__(self, wall: Wall = wall_s, awake: Awake = awake_ns) -> None:
        self._wall, self._awake = wall, awake
        self._booted_s = self._boot_s()

    def set_by_s(self) -> int:
        """Return by how many seconds the wall clock was set since the last call; 0 if it was not."""
        booted_s = self._boot_s()
        by_s = round(booted_s - self._booted_s)
        if abs(by_s) < SET_S:
            return 0
        self._booted_s = booted_s
        return by_s

    def _boot_s(self) -> float:
        """Return when the machine started, by the current wall clock."""
        return self._wall() - self._awake() / S


class Away:
    """How long the device was off at most: from the last row of its journal to this start.

    Setting the wall clock may change `seconds`. Call `is_other` to find out.
    """

    def __init__(self, recovered: Tape, boot: str, wall: Wall = wall_s, awake: Awake = awake_ns) -> None:
        self._clock = WallClock(wall, awake)
        self._last_s, self._back_s = recovered.wall_s, int(wall())
        self._same_clock = recovered.boot == boot  # it was equally wrong at the last row
        self._kept = self._same_clock or is_kept()

    @property
    def seconds(self) -> int | None:
        """Return for how many seconds the device was off at most.

        None if that is implausible, or if the wall clock was not set since the power cut.
        """
        if self._last_s is None or not self._kept:
            return None
        away_s = self._back_s - self._last_s
        return away_s if 0 <= away_s <= LONGEST_AWAY_S else None

    def is_other(self) -> bool:
        """Check whether the wall clock was set meanwhile. Return whether this changed `seconds`."""
        before_s, by_s = self.seconds, self._clock.set_by_s()
        self._kept = self._kept or bool(by_s) or is_kept()
        if not self._same_clock:
            self._back_s += by_s
        return self.seconds != before_s
