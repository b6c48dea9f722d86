"""The wall clock, which may be wrong and be set at any time; and how long the power was off, as far as it can say.

A board without a clock of its own starts in the past, and a network sets it once it is there: minutes after the table
has asked to go on. By how much, the clock beside it shows that counts from the boot and that nobody sets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from referee.core.units import S
from referee.drivers.evenings.rows import Tape
from referee.drivers.pi import vitals

SET_S = 60
"""Off by less, nothing is corrected: a clock drifts and is slewed by less in an evening."""
LONGEST_AWAY_S = 400 * 86_400
"""A longer absence is a wall clock that was wrong before or is wrong now."""
Wall = Callable[[], float]
Awake = Callable[[], int]


def wall_s() -> float:
    """Unix seconds by the clock that people set."""
    return time.time()


def awake_ns() -> int:
    """Since the boot, sleep included, by a clock that nobody sets."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


RTC = Path("/sys/class/rtc/rtc0/hctosys")
"""Reads 1 where the kernel has taken the time from a clock of the board's own."""


def is_kept() -> bool:
    """Whether the wall clock went on through a power cut, or has been set since."""
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
        """By how many seconds it has been set since the last time it was; 0: it has not."""
        booted_s = self._boot_s()
        by_s = round(booted_s - self._booted_s)
        if abs(by_s) < SET_S:
            return 0
        self._booted_s = booted_s
        return by_s

    def _boot_s(self) -> float:
        """When this boot was, by the wall clock as it is set now."""
        return self._wall() - self._awake() / S


class Away:
    """How long the device was off at most, from the last row of a journal to now; to be asked again when the clock is
    set."""

    def __init__(self, recovered: Tape, boot: str, wall: Wall = wall_s, awake: Awake = awake_ns) -> None:
        self._clock = WallClock(wall, awake)
        self._last_s, self._back_s = recovered.wall_s, int(wall())
        self._same_clock = recovered.boot == boot  # it was as wrong when it noted the last row
        self._kept = self._same_clock or is_kept()

    @property
    def seconds(self) -> int | None:
        """None when the wall clock makes no sense, or was not set since the power cut."""
        if self._last_s is None or not self._kept:
            return None
        away_s = self._back_s - self._last_s
        return away_s if 0 <= away_s <= LONGEST_AWAY_S else None

    def is_other(self) -> bool:
        """Whether the clock has been set, and `seconds` say something else now."""
        before_s, by_s = self.seconds, self._clock.set_by_s()
        self._kept = self._kept or bool(by_s) or is_kept()
        if not self._same_clock:
            self._back_s += by_s
        return self.seconds != before_s
