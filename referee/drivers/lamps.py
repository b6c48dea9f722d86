"""Station lamps on pins or on a chain of 74HCT595 shift registers.

A lamp driver gets the complete state, `show({"1", "4"}, now_ns)`, and writes only the differences. It never raises: a
failing chain is logged once and retried by the next `show`, or by `retry` at `next_ns`. After a failure everything is
written again, because the lamps' state is unknown.

Call all methods on one thread, the daemon's.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from gpiozero import DigitalOutputDevice

from referee.drivers.health import Health
from referee.drivers.pwm import Pwm

DIM_PERIOD_NS = 1_000_000
"""PWM period in ns: 1 kHz, without visible flicker.

It is slow compared to the 74HCT595's output enable (tens of ns, its data sheet).
"""


class Lamps(ABC):
    """Base class of lamp drivers: keeps the wanted state, and writes it again after a failure."""

    def __init__(self) -> None:
        self._health = Health("lamps", logging.getLogger(__name__))
        self._wanted: frozenset[str] = frozenset()
        self._wanted_percent = 100
        self._shown: tuple[frozenset[str], int] | None = None  # None: unknown

    @property
    def next_ns(self) -> int | None:
        """Return when to call `retry`, in ns; None while the lamps work."""
        return self._health.next_ns

    def show(self, lit: Iterable[str], now_ns: int) -> None:
        """Light the lamps of exactly these stations; a failure is retried later."""
        self._wanted = frozenset(lit)
        self.retry(now_ns)

    def dim(self, percent: int, now_ns: int) -> None:
        """Set the brightness of lit lamps, 0 to 100, if the wiring allows it."""
        self._wanted_percent = min(max(percent, 0), 100)
        self.retry(now_ns)

    def retry(self, now_ns: int) -> None:
        """Write the wanted state, if the lamps do not show it and a try is due."""
        picture = (self._wanted, self._wanted_percent)
        if picture == self._shown or not self._health.due(now_ns):
            return
        before, self._shown = self._shown, None
        try:
            self._write(picture, before)
        except Exception as exc:  # gpiozero, spidev and sysfs raise different errors; none may stop a hand
            self._health.note_failure(exc, now_ns)
        else:
            self._shown = picture
            self._health.ok()

    def close(self) -> None:
        """Switch all lamps off and release the hardware. Never raises."""
        self.show((), self._health.next_ns or 0)
        with suppress(Exception):
            self._release()

    @abstractmethod
    def _write(self, picture: tuple[frozenset[str], int], before: tuple[frozenset[str], int] | None) -> None:
        """Write the picture: the lit stations and their brightness in percent. May raise.

        `before`: the picture written before; None if unknown.
        """

    @abstractmethod
    def _release(self) -> None:
        """Release the hardware. May raise."""


class DirectLamps(Lamps):
    """A lamp driver with one pin per lamp, through gpiozero.

    It cannot dim: the gpiod factory has no PWM.
    """

    def __init__(self, factory: Any, gpios: Mapping[str, int]) -> None:
        """`gpios`: station -> BCM number. Raises gpiozero's errors.

        Claims the pins, and switches the lamps off.
        """
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
    """Lamps on a chain of 74HCT595 shift registers on SPI, one output for each station.

    Station 1 is output QA of the register at the data line. Seats beyond the chain have their lamps on pods.

    The PWM drives the registers' output enable through a transistor. Lit lamps shine while the PWM is high. All lamps
    are dark before the PWM is set, and while its pin is not driven.
    """

    def __init__(self, open_bus: Callable[[], Any], enable: Pwm | None = None, stations: int = 8) -> None:
        """`open_bus`: opens the SPI device; called again after each failure.

        `enable`: the PWM of the registers' output enable; None if their outputs are always enabled.
        """
        super().__init__()
        self._open_bus = open_bus
        self._bus: Any = None
        self._enable = enable
        self._bytes, self._stations = -(-stations // 8), stations

    def _write(self, picture: tuple[frozenset[str], int], before: tuple[frozenset[str], int] | None) -> None:
        lit, percent = picture
        if before is None or before[0] != lit:
            self._send(lit)
        # Only after the registers have our state: at power-up it is random, and a disabled output keeps the lamps dark.
        if self._enable is not None and (before is None or before[1] != percent):
            self._enable.set(DIM_PERIOD_NS, DIM_PERIOD_NS * percent // 100)

    def _send(self, lit: frozenset[str]) -> None:
        bits = sum(1 << (int(station) - 1) for station in lit if int(station) <= self._stations)
        if self._bus is None:
            self._bus = self._open_bus()
        try:
            self._bus.writebytes(list(bits.to_bytes(self._bytes, "big")))  # the first byte goes to the last register
        except Exception:
            with suppress(Exception):
                self._release()
            raise

    def _release(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            bus.close()
