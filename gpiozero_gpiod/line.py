"""One GPIO line of the kernel: its request, its level, its edges and lost events.

Theory of operation. Every line has its own request. It is made on first use and then reconfigured in place, because the
level may jump if a line is released and claimed again. A request of one line has the largest possible event buffer
(1,024 events for this line alone), its own file descriptor, and a sequence number that counts this line's events.

If the buffer is full, the kernel drops the *oldest* event, which is the press. The sequence number shows this: it
counts the events put into the buffer, so a jump between two events means that those between are lost. The next event
then carries the timestamp of the last one before the gap.

Events are read from the descriptor in the kernel's layout (`struct gpio_v2_line_event`, include/uapi/linux/gpio.h, a
stable interface) and not with `read_edge_events`, which makes an object with five attributes of each: 2.4 µs per event
against 0.07 µs (measured on x86-64, Python 3.11). The Pi is ten times slower, and a bouncing contact makes thousands
per second. Requests and levels use libgpiod.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import gpiod
from gpiod.line import Direction, Edge, Value
from gpiozero.exc import BadPinFactory, GPIOPinInUse

from gpiozero_gpiod.edges import RawEdge

PI_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""Labels of the header's GPIO chip on a Pi 5, a Pi 4 and older ones.

The chip's number depends on the kernel.
"""

BUFFER_EVENTS = 1024
"""The kernel's maximum for one line (GPIO_V2_LINES_MAX * 16)."""

_EVENT = struct.Struct("=QIIII24x")  # timestamp_ns, id, offset, seqno, line_seqno, padding
_RISING = 1  # GPIO_V2_LINE_EVENT_RISING_EDGE; the other is 2
_SEQUENCE = 1 << 32
CONSUMER = "gpiozero"


def find_chip(wanted: str | None = None, devices: Path = Path("/dev")) -> gpiod.Chip:
    """Open the GPIO chip with this label, name or path; None: the chip of a Pi's 40-pin header.

    If there is none, raises gpiozero's BadPinFactory, which lists the chips that were found.
    """
    if wanted is not None and "/" in wanted:
        return _open(Path(wanted))
    seen: list[str] = []
    for path in sorted(devices.glob("gpiochip*"), key=lambda p: (len(p.name), p.name)):
        try:
            chip = _open(path)
        except BadPinFactory as exc:
            seen.append(str(exc))
            continue
        info = chip.get_info()
        if info.label in PI_LABELS if wanted is None else wanted in (info.label, info.name):
            return chip
        chip.close()
        seen.append(f"{info.name} is '{info.label}'")
    labels = " or ".join(PI_LABELS) if wanted is None else f"'{wanted}'"
    raise BadPinFactory(f"no GPIO chip is called {labels}; found were: {'; '.join(seen) or 'none'}")


def _open(path: Path) -> gpiod.Chip:
    try:
        return gpiod.Chip(str(path))
    except PermissionError:
        raise BadPinFactory(f"no permission to open {path}; its users belong to the group 'gpio'") from None
    except (OSError, ValueError) as exc:
        raise BadPinFactory(f"cannot open the GPIO chip {path}: {exc}") from None


class GpioLine:
    """One line of a chip. Not thread-safe: callers hold the factory's lock."""

    def __init__(self, chip: gpiod.Chip, gpio: int) -> None:
        """`gpio`: the BCM number, which is the line's offset on every Pi's chip. Claims nothing yet."""
        self.gpio = gpio
        self.lost = 0
        """Number of events of this line known to be lost."""
        self._chip = chip
        self._request: gpiod.LineRequest | None = None
        self._settings: gpiod.LineSettings | None = None
        self._sequence = 0
        self._known_ns = 0
        self._fresh = False

    @property
    def claimed(self) -> bool:
        """Return whether the line is claimed: from the first `configure` until `release`."""
        return self._request is not None

    @property
    def fd(self) -> int:
        """Return the file descriptor that becomes readable at an event. The line must be claimed."""
        return self._claimed_request().fd

    def is_output(self) -> bool:
        """Return whether the kernel has the line as an output, even if another program set that."""
        return self._chip.get_line_info(self.gpio).direction is Direction.OUTPUT

    def configure(self, settings: gpiod.LineSettings) -> None:
        """Claim the line with these settings, or change them in place. Raises GPIOPinInUse."""
        if settings == self._settings:
            return
        if settings.edge_detection is not Edge.NONE and not self._detecting():
            self._known_ns, self._fresh = time.monotonic_ns(), True
        if self._request is None:
            self._request = self._claim(settings)
        else:
            self._request.reconfigure_lines({self.gpio: settings})
        self._settings = settings

    def release(self) -> None:
        """Release the line. May be called twice."""
        request, self._request, self._settings = self._request, None, None
        self._sequence = 0
        if request is not None:
            request.release()

    def level(self) -> int:
        """Return the physical level: 0 low, 1 high."""
        return int(self._claimed_request().get_value(self.gpio) is Value.ACTIVE)

    def drive(self, level: int) -> None:
        """Set an output high (nonzero) or low."""
        self._claimed_request().set_value(self.gpio, Value.ACTIVE if level else Value.INACTIVE)

    def read(self) -> list[RawEdge]:
        """Return all events in the buffer, without waiting. Raises OSError if the chip is gone."""
        try:
            data = os.read(self.fd, _EVENT.size * BUFFER_EVENTS)
        except BlockingIOError:
            return []
        return list(self._events(data))

    def _events(self, data: bytes) -> Iterator[RawEdge]:
        for t_ns, kind, _, _, sequence in _EVENT.iter_unpack(data):
            missed = (sequence - self._sequence - 1) % _SEQUENCE
            if self._fresh and sequence == 1:
                missed = 0  # a kernel may restart the numbers when detection starts
            yield RawEdge(self.gpio, int(kind == _RISING), t_ns, self._known_ns if missed else None)
            self.lost += missed
            self._sequence, self._known_ns, self._fresh = sequence, t_ns, False

    def _detecting(self) -> bool:
        return self._settings is not None and self._settings.edge_detection is not Edge.NONE

    def _claimed_request(self) -> gpiod.LineRequest:
        if self._request is None:
            raise ValueError(f"GPIO{self.gpio} is not claimed")
        return self._request

    def _claim(self, settings: gpiod.LineSettings) -> gpiod.LineRequest:
        try:
            request = self._chip.request_lines({self.gpio: settings}, CONSUMER, BUFFER_EVENTS)
        except OSError as exc:
            consumer = self._chip.get_line_info(self.gpio).consumer
            whose = f" ('{consumer}')" if consumer else ""
            raise GPIOPinInUse(f"pin GPIO{self.gpio} cannot be claimed; another program{whose} has it: {exc}") from exc
        os.set_blocking(request.fd, False)
        return request
