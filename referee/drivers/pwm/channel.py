"""A channel of the kernel's PWM through sysfs: the piezo's tone, or the lamps' brightness.

The gpiod factory has no PWM. Software PWM would jitter and need a thread; the hardware needs a few file writes per
tone. The channel (chip.py) is looked up on use, so that a chip whose driver loads late is found, and tests can use
their own directory. The kernel's rules (drivers/pwm/core.c, Documentation/driver-api/pwm.rst): duty_cycle must never
exceed period, so a shorter period is written after its duty and a longer one before; a channel without a period accepts
nothing else, not even 0. After an export, udev makes the channel writable for us.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from referee.drivers.pwm.chip import PwmChannel

HANDED_OVER_S = 1.0
"""Maximum wait in s for udev to make the channel writable.

It usually takes some ms, longer on a Pi that is still booting.
"""
LOOK_S = 0.01


class Pwm(Protocol):
    """A square wave on one pin. All methods raise OSError if the device is gone."""

    def set(self, period_ns: int, high_ns: int) -> None:
        """Start the wave with this period. It is high for `high_ns` of each period."""
        ...

    def off(self) -> None:
        """Stop the wave. The pin is then low."""
        ...


class KernelPwm:
    """A channel of a PWM chip, used through sysfs. It writes a value only if the value changes."""

    def __init__(
        self,
        find: Callable[[], PwmChannel],
        *,
        told: Callable[[Path], object] = lambda node: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`find`: returns the channel, or raises OSError.

        `told`: called with the channel's directory each time the channel is found. The constructor does not access the
        device.
        """
        self._find = find
        self._told = told
        self._sleep = sleep
        self._node: Path | None = None
        self._written: dict[str, int] = {}

    def set(self, period_ns: int, high_ns: int) -> None:
        """Start the wave with this period, high for `high_ns` of it. Raises OSError without device."""
        node = self._export()
        if "period" not in self._written and self._stands(node, "period"):
            self._write(node, "duty_cycle", 0)
        # the kernel rejects a period below the high part; this order avoids that without a silence
        steps = [("period", period_ns), ("duty_cycle", high_ns)]
        for name, value in steps if period_ns >= self._written.get("period", 0) else reversed(steps):
            self._write(node, name, value)
        self._write(node, "enable", 1)

    def off(self) -> None:
        """Stop the wave. The channel stays exported and configured."""
        node = self._export()
        if self._stands(node, "enable"):
            self._write(node, "duty_cycle", 0)
            self._write(node, "enable", 0)

    def _export(self) -> Path:
        """Return the channel's directory. Export the channel first, and wait until it is writable."""
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
        """Return whether the channel's file of that name has a value other than 0."""
        return (node / name).read_text(encoding="ascii").strip() not in ("0", "")

    def _write(self, node: Path, name: str, value: int) -> None:
        if self._written.get(name) == value:
            return
        self._written.pop(name, None)  # a write that fails half-way leaves the value unknown
        (node / name).write_text(str(value), encoding="ascii")
        self._written[name] = value
