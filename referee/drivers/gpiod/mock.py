"""The shipped fake: gpiozero's mock pins with a clock of one's own and edges stamped by the caller.

The stock mock stamps edges itself, with a float clock, and swallows a repeated level, which a kernel does report when
a bounce was too fast for it. Here `edge(gpio, t_ns, level)` says exactly what the kernel would, repeated levels and
gaps included, and reaches plain gpiozero devices (`when_changed`) and raw listeners (`watch`) alike. Outputs stay
gpiozero's: read `factory.pin(24).state`.

With `held=True` edges wait, as they would in the kernel's buffers, until `drain()`; otherwise each is handed over
before `edge()` returns. Any thread may call anything: one lock keeps batches whole and in order.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from referee.drivers.gpiod.edges import Listener, RawEdge, in_order

# gpiozero carries no types, so its classes are Any to the checker: hence the ignores at the two subclasses.


class RefereeMockPin(MockPin):  # type: ignore[misc]
    """A mock pin whose changes go through the factory, so that they carry its clock."""

    _settling = False  # true while the pull is being set

    def drive_high(self) -> None:
        """Pull the line up at this moment by the factory's clock; a repeated level is no edge."""
        self._drive(1)

    def drive_low(self) -> None:
        """Pull the line down at this moment by the factory's clock; a repeated level is no edge."""
        self._drive(0)

    def report(self, t_ns: int, level: int) -> None:
        """Take over a level and tell gpiozero's listener, if its `edges` ask for that direction."""
        self._change_state(bool(level))
        wanted = self._edges in ("both", "rising" if level else "falling")
        method = self._when_changed() if wanted and self._when_changed is not None else None
        if method is not None:
            method(t_ns, level)

    def _drive(self, level: int) -> None:
        if self._settling:
            self._change_state(bool(level))
        elif self._state != bool(level):
            self.factory.drive(self._number, level)

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self.factory.carry(self._number, int(value))

    def _set_pull(self, value: str) -> None:
        # The stock method drives the line to its pull. That sets a resting level; it is no press, so nobody is told.
        self._settling = True
        try:
            super()._set_pull(value)
        finally:
            self._settling = False


class _MockWatch:
    """Some lines of the mock under watch by one listener."""

    def __init__(self, factory: RefereeMockFactory, listener: Listener, gpios: Iterable[int], pull: str) -> None:
        self.factory = factory
        self.listener = listener
        self.pins: dict[int, Any] = {}
        for gpio in gpios:
            factory.reserve_pins(self, gpio)
            pin = factory.pin(gpio)
            pin.input_with_pull(pull)
            self.pins[gpio] = pin

    def levels(self) -> Mapping[int, int]:
        return {gpio: int(pin.state) for gpio, pin in self.pins.items()}

    def close(self) -> None:
        self.factory.forget(self)

    def _conflicts_with(self, other: object) -> bool:
        return True


class RefereeMockFactory(MockFactory):  # type: ignore[misc]
    """A gpiozero mock factory that is also an `EdgeSource`; registered as `referee_mock`."""

    def __init__(
        self,
        revision: str | None = None,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        held: bool = False,
    ) -> None:
        """`revision`: board to pretend, as gpiozero's. `clock` gives ns. `held`: edges wait for `drain()`."""
        super().__init__(revision=revision, pin_class=RefereeMockPin)
        self._clock = clock
        self._held = held
        self._lock = threading.RLock()
        self._watches: list[_MockWatch] = []
        self._waiting: list[RawEdge] = []
        self._last_ns: dict[int, int] = {}
        self._by_gpio: dict[int, Any] = {}  # gpiozero's own look-up walks every header of the board
        self._wires: dict[int, int] = {}

    def ticks(self) -> int:
        """The clock that the tests set, in ns."""
        return self._clock()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        """The seconds from the earlier of two `ticks()` to the later one."""
        return (later - earlier) / 1e9

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> _MockWatch:
        """Watches simulated lines; raises as `EdgeSource.watch` says."""
        with self._lock:
            watch = _MockWatch(self, listener, gpios, pull)
            self._watches.append(watch)
            return watch

    def forget(self, watch: _MockWatch) -> None:
        """End a watch (what `Watch.close` does)."""
        with self._lock:
            if watch in self._watches:
                self._watches.remove(watch)
                self.release_pins(watch, *watch.pins)

    def edge(self, gpio: int, t_ns: int, level: int, gap_since_ns: int | None = None) -> None:
        """One event as the kernel would report it, of either level, also one that repeats the last.

        Raises ValueError when t_ns lies before the line's last event: no kernel does that.
        """
        with self._lock:
            self._accept(RawEdge(gpio, level, t_ns, gap_since_ns))

    def drive(self, gpio: int, level: int) -> int:
        """An edge at this moment; returns its stamp. Never before the line's last one."""
        with self._lock:
            t_ns = max(self._clock(), self._last_ns.get(gpio, 0))
            self._accept(RawEdge(gpio, level, t_ns))
            return t_ns

    def solder(self, out: int, back: int) -> None:
        """A wire from an output to an input, which from now on reads what is driven, stamped by the clock."""
        self._wires[out] = back

    def carry(self, gpio: int, level: int) -> None:
        """An output was set (what a pin does): the wire on it, if there is one, takes the level along."""
        back = self._wires.get(gpio)
        if back is not None and int(self._pin(back).state) != level:
            self.drive(back, level)

    def drain(self) -> int:
        """See `EdgeSource.drain`; without `held` there is never anything left to read."""
        with self._lock:
            batch, self._waiting = in_order(self._waiting), []
            self._deliver(batch)
            return len(batch)

    def close(self) -> None:
        """Drop every pin and watch, and what was waiting to be handed over."""
        with self._lock:
            for watch in list(self._watches):
                self.forget(watch)
            self._waiting.clear()
            self._by_gpio.clear()
            super().close()

    def reset(self) -> None:
        """Forget pins and reservations, as gpiozero's own mock does between tests."""
        self._by_gpio.clear()
        super().reset()

    def _accept(self, edge: RawEdge) -> None:
        last_ns = self._last_ns.get(edge.gpio, edge.t_ns)
        if edge.t_ns < last_ns:
            raise ValueError(f"GPIO{edge.gpio}: an edge at {edge.t_ns} ns after one at {last_ns} ns; stamps never fall")
        self._last_ns[edge.gpio] = edge.t_ns
        self._waiting.append(edge)
        if not self._held:
            self.drain()

    def _pin(self, gpio: int) -> Any:
        if gpio not in self._by_gpio:
            self._by_gpio[gpio] = self.pin(gpio)
        return self._by_gpio[gpio]

    def _deliver(self, batch: list[RawEdge]) -> None:
        for edge in batch:
            self._pin(edge.gpio).report(edge.t_ns, edge.level)
        for watch in list(self._watches):
            mine = [edge for edge in batch if edge.gpio in watch.pins]
            if mine:
                watch.listener(mine)
