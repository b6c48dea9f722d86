"""The wall clock, which may be wrong or set at any time, and the length of a power cut.

A board without a real-time clock starts in the past, and is set by the network, maybe minutes after the start. The
difference shows in comparison with a clock that counts from the boot and is never set.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from referee.core.units import S
from referee.drivers.evenings.rows import Tape
from referee.drivers.pi import vitals

SET_S = 60
"""Least correction in seconds. A clock drifts and is slewed by less in an evening."""
LONGEST_AWAY_S = 400 * 86_400
"""A longer absence means that the wall clock was or is wrong."""
Wall = Callable[[], float]
Awake = Callable[[], int]


def wall_s() -> float:
    """Return the wall clock in Unix seconds."""
    return time.time()


def awake_ns() -> int:
    """Return the ns since the boot, including sleep, from a clock that is never set."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


RTC = Path("/sys/class/rtc/rtc0/hctosys")
"""Contains 1 if the kernel took the time from a real-time clock."""


def is_kept() -> bool:
    """Whether the wall clock kept running through a power cut, or has been set since."""
    if vitals.is_synchronized() is not False:
        return True
    try:
        return RTC.read_text(encoding="ascii").strip() == "1"
    except OSError:
        return False


class WallClock:
    """Notices when the wall clock is set."""

    def __init__(self, wall: Wall = wall_s, awake: Awake = awake_ns) -> None:
        self._wall, self._awake = wall, awake
        self._booted_s = self._boot_s()

    def set_by_s(self) -> int:
        """Return the seconds by which it was set since the last call that noticed; 0: it was not."""
        booted_s = self._boot_s()
        by_s = round(booted_s - self._booted_s)
        if abs(by_s) < SET_S:
            return 0
        self._booted_s = booted_s
        return by_s

    def _boot_s(self) -> float:
        """Return the boot's time by the current wall clock."""
        return self._wall() - self._awake() / S


class Away:
    """The longest possible absence, from a journal's last row to now.

    Ask again after the clock is set.
    """

    def __init__(self, recovered: Tape, boot: str, wall: Wall = wall_s, awake: Awake = awake_ns) -> None:
        self._clock = WallClock(wall, awake)
        self._last_s, self._back_s = recovered.wall_s, int(wall())
        self._same_clock = recovered.boot == boot  # it was equally wrong at the last row
        self._kept = self._same_clock or is_kept()

    @property
    def seconds(self) -> int | None:
        """The absence; None if the wall clock is implausible, or was not set since the power cut."""
        if self._last_s is None or not self._kept:
            return None
        away_s = self._back_s - self._last_s
        return away_s if 0 <= away_s <= LONGEST_AWAY_S else None

    def is_other(self) -> bool:
        """Whether the clock was set and `seconds` has changed."""
        before_s, by_s = self.seconds, self._clock.set_by_s()
        self._kept = self._kept or bool(by_s) or is_kept()
        if not self._same_clock:
            self._back_s += by_s
        return self.seconds != before_s
