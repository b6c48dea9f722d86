"""A gpiozero pin factory for libgpiod version 2: `GPIOZERO_PIN_FACTORY=gpiod`.

Compared to gpiozero's other factories it has: kernel timestamps as integers in ns of CLOCK_MONOTONIC, edges of all pins
in one time order, detection of lost events, and a thread that sleeps while there are no events. It has no bounce times.
Any gpiozero program can use it. For raw edges, use `watch` and `drain` (see edges.py).

It has no PWM (`PinPWMUnsupported`; use the kernel's in /sys/class/pwm). SPI is gpiozero's.

The chip is found by its label. Two settings, environment variables or arguments, override the chip and the board:
`GPIOD_CHIP`, a label, name or path; `GPIOD_BOARD_REVISION`, a Pi's revision code in hexadecimal, e.g. a02082
for a 3B.

Threads: gpiozero's `when_changed` runs on the factory's thread, one call at a time, in order within a batch. For raw
listeners see edges.py. gpiozero has no types, so its subclasses here ignore type errors.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from gpiozero.exc import BadPinFactory, PinUnknownPi
from gpiozero.pins.local import LocalPiFactory

from gpiozero_gpiod.edges import Listener, RawEdge
from gpiozero_gpiod.line import GpioLine, find_chip
from gpiozero_gpiod.pin import GpiodPin
from gpiozero_gpiod.pump import EdgePump

CHIP_SETTING = "GPIOD_CHIP"
REVISION_SETTING = "GPIOD_BOARD_REVISION"
REFUSED_NS = 2_000_000_000
"""How long a listener may raise before its edges are dropped, in ns."""
_log = logging.getLogger(__name__)


class GpiodWatch:
    """The lines whose edges one listener gets. Created by `GpiodFactory.watch`."""

    def __init__(self, factory: GpiodFactory, listener: Listener) -> None:
        self._factory = factory
        self._listener = listener
        self._refused_ns: int | None = None
        self.waiting: list[RawEdge] = []
        """Edges that the listener has not accepted yet."""
        self.pins: dict[int, GpiodPin] = {}

    def claim(self, gpios: Iterable[int], pull: str) -> None:
        """Reserve the pins and start edge detection."""
        for gpio in gpios:
            self._factory.reserve_pins(self, gpio)
            pin = self._factory.pin(gpio)
            self.pins[gpio] = pin
            pin.input_with_pull(pull)
            pin.watched = True

    def levels(self) -> Mapping[int, int]:
        """Return each line's current physical level (1: high), by BCM number."""
        return {gpio: pin.state for gpio, pin in self.pins.items()}

    def hand_over(self) -> None:
        """Pass the waiting edges to the listener. If it raises, keep the edges and raise its error.

        If the listener has raised for REFUSED_NS, pass the edges one by one, and drop those for which it raises.
        """
        if not self.waiting:
            return
        try:
            self._listener(self.waiting)
        except Exception:
            now_ns = time.monotonic_ns()
            self._refused_ns = self._refused_ns or now_ns
            if now_ns - self._refused_ns < REFUSED_NS:
                raise
            for edge in self.waiting:
                _call_safely(self._listener, [edge])
        self.waiting, self._refused_ns = [], None

    def close(self) -> None:
        """Stop listening and release the lines. May be called twice."""
        self._factory.forget(self)

    def _conflicts_with(self, other: object) -> bool:
        return True  # gpiozero asks both devices about a shared pin


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]
    """Pins of the local board through the kernel's character device. An `EdgeSource`."""

    def __init__(self, chip: Any = None, revision: str | int | None = None) -> None:
        """`chip`: label, name or path of the GPIO chip, or an open one.

        `revision`: the board's revision code. Raises BadPinFactory if the chip cannot be opened or the revision is not
        a number.
        """
        super().__init__()
        self.pin_class = GpiodPin
        self._revision = _revision(revision if revision is not None else os.environ.get(REVISION_SETTING))
        wanted = chip if chip is not None else os.environ.get(CHIP_SETTING) or None
        self._chip = find_chip(wanted) if wanted is None or isinstance(wanted, str) else wanted
        self._watches: list[GpiodWatch] = []
        self._heard: deque[tuple[GpiodPin, RawEdge]] = deque()
        self.pump = EdgePump(self._deliver, self._call_back)

    def line(self, gpio: int) -> GpioLine:
        """Return the line with this BCM number. It is not claimed yet."""
        return GpioLine(self._chip, gpio)

    @staticmethod
    def ticks() -> int:
        """Return the time in ns of CLOCK_MONOTONIC, the clock of the kernel's timestamps."""
        return time.monotonic_ns()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        """Return the seconds between two ticks."""
        return (later - earlier) / 1e9

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> GpiodWatch:
        """Claim lines and report their edges to the listener.

        Raises the errors of `EdgeSource.watch`. After an error, no line stays claimed.
        """
        watch = GpiodWatch(self, listener)
        with self.pump.lock:
            self._watches.append(watch)
            try:
                watch.claim(gpios, pull)
            except Exception:
                self.forget(watch)
                raise
        return watch

    def forget(self, watch: GpiodWatch) -> None:
        """End a watch; called by `Watch.close`."""
        with self.pump.lock:
            if watch in self._watches:
                self._watches.remove(watch)
            for pin in watch.pins.values():
                pin.close()
            self.release_pins(watch, *watch.pins)
            watch.pins.clear()

    def drain(self) -> int:
        """Read all lines now, pass the edges to the listeners, and return their number.

        gpiozero's callbacks run later, on the factory's thread.
        """
        count = self.pump.drain()
        if self._heard:
            self.pump.wake()  # gpiozero's callbacks run on the factory's thread
        return count

    def close(self) -> None:
        """Release everything. May be called twice."""
        for watch in list(self._watches):
            watch.close()
        super().close()
        self.pump.close()
        self._chip.close()

    def _get_revision(self) -> Any:
        if self._revision is not None:
            return self._revision
        try:
            return super()._get_revision()
        except PinUnknownPi as exc:
            raise PinUnknownPi(f"{exc}; off a Pi, set {REVISION_SETTING} to a Pi's revision, e.g. a02082") from None

    def _own_pins(self) -> list[GpiodPin]:
        # gpiozero's local factories share one dictionary of pins, which other threads may extend: copy it
        return [pin for pin in list(self.pins.values()) if isinstance(pin, GpiodPin)]

    def _deliver(self, batch: Sequence[RawEdge]) -> None:
        pins = {pin.gpio: pin for pin in self._own_pins() if pin.listening}
        self._heard.extend((pins[edge.gpio], edge) for edge in batch if edge.gpio in pins)
        for watch in self._watches:
            watch.waiting += [edge for edge in batch if edge.gpio in watch.pins]
        with ExitStack() as all_of_them:  # all watches are called, even if one raises
            for watch in self._watches:
                all_of_them.callback(watch.hand_over)

    def _call_back(self) -> None:
        while self._heard:
            pin, edge = self._heard.popleft()
            _call_safely(pin.take_edge, edge)


def _call_safely(call: Any, argument: object) -> None:
    try:
        call(argument)
    except Exception:  # a faulty callback must not stop the edges of all pins
        _log.exception("a callback for GPIO edges failed")


def _revision(given: str | int | None) -> int | None:
    if not given:
        return None
    try:
        return given if isinstance(given, int) else int(given, 16)
    except ValueError:
        raise BadPinFactory(
            f"the board's revision '{given}' is no hexadecimal number such as a02082 (see {REVISION_SETTING})"
        ) from None
