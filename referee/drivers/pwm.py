"""The kernel's PWM: find a pin's channel, and drive the piezo or the lamps with it.

`/sys/class/pwm/pwmchipN/device` links to the device's directory, whose name is the controller's address. The numbers N
depend on the order in which drivers load: on a Pi 5 the header's controller is pwmchip2 under kernel 6.6 and pwmchip0
under 6.12; others belong to the fan (raspberrypi/linux#6818). Addresses: the kernel's device trees of BCM283x (at
0x7e20c000 on the bus; 0x20, 0x3f or 0xfe as the first byte from the processor, by model) and of RP1. Channels: the pwm
overlays' notes (12 and 18 are channel 0, 13 and 19 channel 1), and for RP1 Pioreactor/rpi_hardware_pwm#11.

The gpiod factory has no PWM. Software PWM would jitter and need a thread; the hardware needs a few file writes per
tone. The channel (chip.py) is looked up on use, so that a chip whose driver loads late is found, and tests can use
their own directory. The kernel's rules (drivers/pwm/core.c, Documentation/driver-api/pwm.rst): duty_cycle must never
exceed period, so a shorter period is written after its duty and a longer one before; a channel without a period accepts
nothing else, not even 0. After an export, udev makes the channel writable for us.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

CLASS = Path("/sys/class/pwm")
BCM_CHANNELS = {12: 0, 18: 0, 13: 1, 19: 1}
RP1_CHANNELS = {12: 0, 13: 1, 18: 2, 19: 3}
HEADER_CHIPS = (
    (re.compile(r"(20|3f|fe)20c000\.pwm"), BCM_CHANNELS),  # Pi 1 and Zero; Pi 2, 3 and Zero 2; Pi 4
    (re.compile(r"1f00098000\.pwm"), RP1_CHANNELS),  # Pi 5
)
"""Header PWM controllers: a pattern for the device's name, and the channel of each pin."""
_CHANNEL = re.compile(r"pwm\d+")


class PwmMissingError(OSError):
    """There is no PWM chip for this pin."""


@dataclass(frozen=True)
class PwmChannel:
    """A channel: its chip's directory, its number, and the device's name ("" if unknown)."""

    chip: Path
    channel: int
    device: str


def find(gpio: int, given: str = "", root: Path = CLASS) -> PwmChannel:
    """Return the PWM channel of a pin. Raises PwmMissingError.

    given: the path of the PWM chip; "" for the chip of the Pi's header.
    """
    if given:
        return _channel_of_option(gpio, Path(given))
    chips = sorted(root.glob("pwmchip*"), key=lambda chip: (len(chip.name), chip.name))
    for chip in chips:
        device = _device(chip)
        for name, channels in HEADER_CHIPS:
            if name.fullmatch(device):
                return PwmChannel(chip, _channel(channels, gpio), device)
    seen = ", ".join(f"{chip.name} ({_device(chip) or 'no device'})" for chip in chips) or "none"
    raise PwmMissingError(
        f"no PWM chip of the header is in {root} (there: {seen}): the overlay lines of `referee pins` turn it on, and "
        "option 'pwm' in section [sound] names another one"
    )


def _channel_of_option(gpio: int, chip: Path) -> PwmChannel:
    if _CHANNEL.fullmatch(chip.name):
        raise PwmMissingError(
            f"option 'pwm' in section [sound] is '{chip}', a channel; allowed is its chip's directory, {chip.parent}"
        )
    if not (chip / "export").exists():
        raise PwmMissingError(
            f"option 'pwm' in section [sound] is '{chip}', which is no PWM chip's directory; allowed is one of "
            f"{CLASS}/pwmchip*, or nothing, and the Pi's own is found"
        )
    device = _device(chip)
    channels = next((channels for name, channels in HEADER_CHIPS if name.fullmatch(device)), BCM_CHANNELS)
    return PwmChannel(chip, _channel(channels, gpio), device)


def _channel(channels: Mapping[int, int], gpio: int) -> int:
    if gpio not in channels:
        allowed = ", ".join(f"GPIO{pin}" for pin in channels)
        raise PwmMissingError(f"GPIO{gpio} has no hardware PWM; allowed are {allowed}")
    return channels[gpio]


def _device(chip: Path) -> str:
    link = chip / "device"
    return link.resolve().name if link.exists() else ""


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
