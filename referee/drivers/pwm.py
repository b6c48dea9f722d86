"""One channel of the kernel's PWM through sysfs: the piezo's tone, and the lamps' brightness.

The gpiod factory has no PWM, and software PWM would jitter and cost a thread; the hardware needs a handful of file
writes a tone. The directory is an argument (`/sys/class/pwm/pwmchip0` on most boards), so that tests look at what is
written in one of their own. The kernel's rules (drivers/pwm/core.c, Documentation/driver-api/pwm.rst): duty_cycle may
never exceed period, so the duty goes to 0 before the period changes; and a channel whose period was never set takes
nothing else, not even 0. A channel that we exported becomes ours to write when udev has been told of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

HANDED_OVER_S = 1.0
"""udev gives a new channel to our group within some ms; a busy Pi that is still booting takes longer."""
LOOK_S = 0.01


class Pwm(Protocol):
    """A square wave on one pin. Every method may raise OSError where the device is gone."""

    def set(self, period_ns: int, high_ns: int) -> None:
        """Run with that period, high for that part of it."""
        ...

    def off(self) -> None:
        """Rest at low."""
        ...


class KernelPwm:
    """A channel of a PWM chip in sysfs. Writes only what changed."""

    def __init__(self, chip: Path, channel: int, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """`chip`: its directory in sysfs; `channel`: its number on that chip. Touches nothing yet."""
        self._chip = chip
        self._sleep = sleep
        self._channel = channel
        self._node = chip / f"pwm{channel}"
        self._written: dict[str, int] = {}

    def set(self, period_ns: int, high_ns: int) -> None:
        """See `Pwm`."""
        self._export()
        if self._written.get("period") != period_ns:
            if self._stands("period"):
                self._write("duty_cycle", 0)
            self._write("period", period_ns)
        self._write("duty_cycle", high_ns)
        self._write("enable", 1)

    def off(self) -> None:
        """See `Pwm`. The channel stays exported and configured."""
        self._export()
        if self._stands("enable"):
            self._write("duty_cycle", 0)
            self._write("enable", 0)

    def _export(self) -> None:
        if not self._node.is_dir():
            self._written.clear()
            (self._chip / "export").write_text(str(self._channel), encoding="ascii")
            for _ in range(round(HANDED_OVER_S / LOOK_S)):
                if os.access(self._node / "enable", os.W_OK):
                    break
                self._sleep(LOOK_S)

    def _stands(self, name: str) -> bool:
        """Whether the kernel has anything but 0 there."""
        return (self._node / name).read_text(encoding="ascii").strip() not in ("0", "")

    def _write(self, name: str, value: int) -> None:
        if self._written.get(name) == value:
            return
        self._written.pop(name, None)  # a write that fails half-way leaves the value unknown
        (self._node / name).write_text(str(value), encoding="ascii")
        self._written[name] = value


class FakePwm:
    """The shipped fake: keeps what was set as (period_ns, high_ns), off as (0, 0); fails while `error` is set."""

    def __init__(self) -> None:
        self.log: list[tuple[int, int]] = []
        self.error: OSError | None = None

    def set(self, period_ns: int, high_ns: int) -> None:
        """Record it."""
        if self.error:
            raise self.error
        self.log.append((period_ns, high_ns))

    def off(self) -> None:
        """Record it."""
        self.set(0, 0)
