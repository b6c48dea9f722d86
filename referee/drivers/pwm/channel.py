"""One channel of the kernel's PWM through sysfs: the piezo's tone, and the lamps' brightness.

The gpiod factory has no PWM, and software PWM would jitter and cost a thread; the hardware needs a handful of file
writes a tone. Where the channel is (chip.py) is asked when it is needed, so that a chip whose driver comes late is
found, and tests look at what is written in a directory of their own. The kernel's rules (drivers/pwm/core.c,
Documentation/driver-api/pwm.rst): duty_cycle may never exceed period, so a shorter period is written after its duty and
a longer one before; a channel whose period was never set takes nothing else, not even 0. A channel that we exported
becomes ours to write when udev has been told of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from referee.drivers.pwm.chip import PwmChannel

HANDED_OVER_S = 1.0
"""udev gives a new channel to our group within some ms; a busy Pi that is still booting takes longer."""
LOOK_S = 0.01


class Pwm(Protocol):
    """A square wave on one pin. Every method may raise OSError where the device is gone."""

    def set(self, period_ns: int, high_ns: int) -> None:
        """Run with that period, high for that part of it."""
        ...

    def off(self) -> None:
        """Stop the wave; the pin rests at low. OSError where the device is gone."""
        ...


class KernelPwm:
    """A channel of a PWM chip in sysfs. Writes only what changed."""

    def __init__(
        self,
        find: Callable[[], PwmChannel],
        *,
        told: Callable[[Path], object] = lambda node: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`find` says where the channel is, or raises OSError; `told` hears its directory once it is ours to write.
        Touches nothing yet."""
        self._find = find
        self._told = told
        self._sleep = sleep
        self._node: Path | None = None
        self._written: dict[str, int] = {}

    def set(self, period_ns: int, high_ns: int) -> None:
        """Run with that period, high for that part of it (ns). OSError where the channel is gone."""
        node = self._export()
        if "period" not in self._written and self._stands(node, "period"):
            self._write(node, "duty_cycle", 0)
        # the kernel takes no period below the high part: in this order it never is, and no note ends in silence
        steps = [("period", period_ns), ("duty_cycle", high_ns)]
        for name, value in steps if period_ns >= self._written.get("period", 0) else reversed(steps):
            self._write(node, name, value)
        self._write(node, "enable", 1)

    def off(self) -> None:
        """See `Pwm`. The channel stays exported and configured."""
        node = self._export()
        if self._stands(node, "enable"):
            self._write(node, "duty_cycle", 0)
            self._write(node, "enable", 0)

    def _export(self) -> Path:
        """The channel's directory, there and ours to write as far as anybody can make it so."""
        if self._node is not None and self._node.is_dir():
            return self._node
        self._written.clear()
        place = self._find()
        self._node = node = place.chip / f"pwm{place.channel}"
        if not node.is_dir():
            (place.chip / "export").write_text(str(place.channel), encoding="ascii")
            for _ in range(round(HANDED_OVER_S / LOOK_S)):
                if os.access(node / "enable", os.W_OK):
                    break
                self._sleep(LOOK_S)
        self._told(node)
        return node

    def _stands(self, node: Path, name: str) -> bool:
        """Whether the kernel has anything but 0 there."""
        return (node / name).read_text(encoding="ascii").strip() not in ("0", "")

    def _write(self, node: Path, name: str, value: int) -> None:
        if self._written.get(name) == value:
            return
        self._written.pop(name, None)  # a write that fails half-way leaves the value unknown
        (node / name).write_text(str(value), encoding="ascii")
        self._written[name] = value


class FakePwm:
    """The shipped fake: keeps what was set as (period_ns, high_ns), off as (0, 0); fails while `error` is set."""

    def __init__(self) -> None:
        self.log: list[tuple[int, int]] = []
        self.error: OSError | None = None

    def set(self, period_ns: int, high_ns: int) -> None:
        """Record the period and how long of it is high, in ns. Raises `error` while that is set."""
        if self.error:
            raise self.error
        self.log.append((period_ns, high_ns))

    def off(self) -> None:
        """Stop the wave, which is written down as a period of 0."""
        self.set(0, 0)
