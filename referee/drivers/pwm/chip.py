"""Find the PWM channel of a pin in sysfs by the chip's device, because chip numbers vary.

`/sys/class/pwm/pwmchipN/device` links to the device's directory, whose name is the controller's address. The numbers N
depend on the order in which drivers load: on a Pi 5 the header's controller is pwmchip2 under kernel 6.6 and pwmchip0
under 6.12; others belong to the fan (raspberrypi/linux#6818). Addresses: the kernel's device trees of BCM283x (at
0x7e20c000 on the bus; 0x20, 0x3f or 0xfe as the first byte from the processor, by model) and of RP1. Channels: the pwm
overlays' notes (12 and 18 are channel 0, 13 and 19 channel 1), and for RP1 Pioreactor/rpi_hardware_pwm#11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
