"""A mock factory: gpiozero's mock pins with the caller's clock and timestamps.

The stock mock stamps edges itself, with a float clock, and ignores a repeated level, which a kernel reports if a bounce
was too fast for it. Here `edge(gpio, t_ns, level)` specifies exactly what the kernel reports, including repeated levels
and gaps, to gpiozero devices (`when_changed`) and raw listeners (`watch`). Outputs are gpiozero's: read
`factory.pin(24).state`.

With `held=True`, edges wait until `drain()`, as in the kernel's buffers; otherwise `edge()` passes them on before it
returns. All methods are thread-safe: one lock keeps batches complete and in order.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from referee.drivers.gpiod.edges import Listener, RawEdge, in_order

# gpiozero has no types, so its classes are Any to the type checker: hence the ignores at the two subclasses.


class RefereeMockPin(MockPin):  # type: ignore[misc]
    """A mock pin whose changes go through the factory, so that they carry its clock."""

    _settling = False  # true while the pull is being set

    def drive_high(self) -> None:
        """Set the line high now, by the factory's clock. A repeated level is no edge."""
        self._drive(1)

    def drive_low(self) -> None:
        """Set the line low now, by the factory's clock. A repeated level is no edge."""
        self._drive(0)

    def report(self, t_ns: int, level: int) -> None:
        """Take a level, and call gpiozero's listener if `edges` includes this direction."""
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
        # The stock method drives the line to its pull. That sets the level at rest; it is not a press, so it is not
        # reported.
        self._settling = True
        try:
            super()._set_pull(value)
        finally:
            self._settling = False


class _MockWatch:
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
        """`revision`: the board, as in gpiozero. `clock`: in ns. `held`: edges wait for `drain()`."""
        super().__init__(revision=revision, pin_class=RefereeMockPin)
        self._clock = clock
        self._held = held
        self._lock = threading.RLock()
        self._watches: list[_MockWatch] = []
        self._waiting: list[RawEdge] = []
        self._last_ns: dict[int, int] = {}
        self._by_gpio: dict[int, Any] = {}  # gpiozero's lookup searches all headers of the board
        self._wires: dict[int, int] = {}

    def ticks(self) -> int:
        """Return the time of the given clock, in ns."""
        return self._clock()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        """Return the seconds between two ticks."""
        return (later - earlier) / 1e9

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> _MockWatch:
        """Watch simulated lines. Raises like `EdgeSource.watch`."""
        with self._lock:
            watch = _MockWatch(self, listener, gpios, pull)
            self._watches.append(watch)
            return watch

    def forget(self, watch: _MockWatch) -> None:
        """End a watch; called by `Watch.close`."""
        with self._lock:
            if watch in self._watches:
                self._watches.remove(watch)
                self.release_pins(watch, *watch.pins)

    def edge(self, gpio: int, t_ns: int, level: int, gap_since_ns: int | None = None) -> None:
        """Report an event as the kernel does; it may repeat the last level.

        Raises ValueError if t_ns is before the line's last event, which a kernel never reports.
        """
        with self._lock:
            self._accept(RawEdge(gpio, level, t_ns, gap_since_ns))

    def drive(self, gpio: int, level: int) -> int:
        """Report an edge now, not before the line's last one; return its timestamp."""
        with self._lock:
            t_ns = max(self._clock(), self._last_ns.get(gpio, 0))
            self._accept(RawEdge(gpio, level, t_ns))
            return t_ns

    def solder(self, out: int, back: int) -> None:
        """Connect an output to an input. The input then follows it, with the clock's timestamps."""
        self._wires[out] = back

    def carry(self, gpio: int, level: int) -> None:
        """Pass an output's new level to the input connected to it, if any; called by pins."""
        back = self._wires.get(gpio)
        if back is not None and int(self._pin(back).state) != level:
            self.drive(back, level)

    def drain(self) -> int:
        """Pass on the waiting edges, which exist with `held` only; return their number."""
        with self._lock:
            batch, self._waiting = in_order(self._waiting), []
            self._deliver(batch)
            return len(batch)

    def close(self) -> None:
        """Release all pins and watches, and drop waiting edges."""
        with self._lock:
            for watch in list(self._watches):
                self.forget(watch)
            self._waiting.clear()
            self._by_gpio.clear()
            super().close()

    def reset(self) -> None:
        """Forget pins and reservations, as gpiozero's mock does between tests."""
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
