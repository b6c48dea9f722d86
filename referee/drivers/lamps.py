"""Station lamps: which are lit, on pins of their own or on a chain of 74HCT595 shift registers.

A lamp driver is told the whole picture, `show({"1", "4"}, now_ns)`, and writes only what differs from what it wrote
last. It never raises: a chain that does not answer is logged once and tried again, by the next `show` or by `retry`
when `next_ns` has come. After a failure everything is written anew, because nobody knows what arrived.
All calls come from one thread, the daemon's.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from gpiozero import DigitalOutputDevice

from referee.drivers.health import Health
from referee.drivers.pwm.channel import Pwm

DIM_PERIOD_NS = 1_000_000
"""1 kHz: no flicker that anybody sees, and slow against the 74HCT595's output enable (tens of ns, its data sheet)."""


class Lamps(ABC):
    """The picture on the lamps, and the habit of keeping it there."""

    def __init__(self) -> None:
        self._health = Health("lamps", logging.getLogger(__name__))
        self._wanted: frozenset[str] = frozenset()
        self._wanted_percent = 100
        self._shown: tuple[frozenset[str], int] | None = None  # None: unknown

    @property
    def next_ns(self) -> int | None:
        """When `retry` is worth calling; None while all is well."""
        return self._health.next_ns

    def show(self, lit: Iterable[str], now_ns: int) -> None:
        """Light the lamps of exactly these stations; tried again later where the device does not answer."""
        self._wanted = frozenset(lit)
        self.retry(now_ns)

    def dim(self, percent: int, now_ns: int) -> None:
        """Brightness of lit lamps, 0 to 100, where the board can do that."""
        self._wanted_percent = min(max(percent, 0), 100)
        self.retry(now_ns)

    def retry(self, now_ns: int) -> None:
        """Bring the lamps to what was last asked for, if they are not there and trying is due."""
        picture = (self._wanted, self._wanted_percent)
        if picture == self._shown or not self._health.due(now_ns):
            return
        before, self._shown = self._shown, None
        try:
            self._write(picture, before)
        except Exception as exc:  # gpiozero, spidev and sysfs each have errors of their own; none may stop a hand
            self._health.note_failure(exc, now_ns)
        else:
            self._shown = picture
            self._health.ok()

    def close(self) -> None:
        """All dark, and the hardware given back. Raises nothing."""
        self.show((), self._health.next_ns or 0)
        with suppress(Exception):
            self._release()

    @abstractmethod
    def _write(self, picture: tuple[frozenset[str], int], before: tuple[frozenset[str], int] | None) -> None:
        """Write a picture (lit stations, percent); `before` is what is there, None if unknown. May raise."""

    @abstractmethod
    def _release(self) -> None:
        """Give the hardware back. May raise."""


class DirectLamps(Lamps):
    """One pin a lamp, through gpiozero. Not dimmable: the gpiod factory has no PWM."""

    def __init__(self, factory: Any, gpios: Mapping[str, int]) -> None:
        """`gpios`: station name to BCM number. Claims the pins, dark; raises gpiozero's errors."""
        super().__init__()
        self._outputs = {station: DigitalOutputDevice(gpio, pin_factory=factory) for station, gpio in gpios.items()}
        self._shown = (frozenset(), 100)

    def _write(self, picture: tuple[frozenset[str], int], before: tuple[frozenset[str], int] | None) -> None:
        lit, _ = picture
        for station, output in self._outputs.items():
            if before is None or (station in lit) != (station in before[0]):
                output.value = station in lit

    def _release(self) -> None:
        for output in self._outputs.values():
            output.close()


class ShiftLamps(Lamps):
    """A chain of 74HCT595 on SPI: station 1 is output QA of the first register, the one the data line reaches first.

    The PWM's high part is the lit part: a transistor turns it into the registers' output enable, so that a pin nobody
    drives, and a PWM that nobody has set, are dark. Seats beyond the chain have their lamps on pods.
    """

    def __init__(self, open_bus: Callable[[], Any], enable: Pwm | None = None, stations: int = 8) -> None:
        """`open_bus` opens the device, again after each failure; `enable`: None where the outputs are always on."""
        super().__init__()
        self._open_bus = open_bus
        self._bus: Any = None
        self._enable = enable
        self._bytes, self._stations = -(-stations // 8), stations

    def _write(self, picture: tuple[frozenset[str], int], before: tuple[frozenset[str], int] | None) -> None:
        lit, percent = picture
        if before is None or before[0] != lit:
            self._send(lit)
        # Only after the registers hold a picture of ours: at power-up they hold noise, and the enable keeps it dark.
        if self._enable is not None and (before is None or before[1] != percent):
            self._enable.set(DIM_PERIOD_NS, DIM_PERIOD_NS * percent // 100)

    def _send(self, lit: frozenset[str]) -> None:
        bits = sum(1 << (int(station) - 1) for station in lit if int(station) <= self._stations)
        if self._bus is None:
            self._bus = self._open_bus()
        try:
            self._bus.writebytes(list(bits.to_bytes(self._bytes, "big")))  # the byte sent first travels farthest
        except Exception:
            with suppress(Exception):
                self._release()
            raise

    def _release(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            bus.close()


class FakeBus:
    """The shipped fake of a spidev device: keeps each transfer; fails while `error` is set."""

    def __init__(self) -> None:
        self.log: list[bytes] = []
        self.error: OSError | None = None
        self.closed = False

    def writebytes(self, data: Sequence[int]) -> None:
        """Record one transfer of bytes. Raises `error` where a test has set one."""
        if self.error:
            raise self.error
        self.log.append(bytes(data))

    def close(self) -> None:
        """Record that it was given back."""
        self.closed = True
