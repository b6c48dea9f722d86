"""A mock pin factory for tests: gpiozero's mock pins with the caller's clock and timestamps.

`edge(gpio, t_ns, level)` specifies exactly what the kernel reports to raw listeners (`watch`), including gaps and
repeated levels, which a kernel reports if a bounce was too fast for it. Outputs are gpiozero's: read
`factory.pin(24).state`.

With `held=True`, edges wait until `drain()`, as in the kernel's buffers; otherwise `edge()` passes them on before it
returns. All methods are thread-safe: one lock keeps batches complete and in order.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpiozero.pins.mock import MockFactory

from gpiozero_gpiod.edges import Listener, RawEdge, in_order


class _MockWatch:
    def __init__(self, factory: GpiodMockFactory, listener: Listener, gpios: Iterable[int], pull: str) -> None:
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


class GpiodMockFactory(MockFactory):  # type: ignore[misc]  # gpiozero has no types
    """A gpiozero mock factory that is also an `EdgeSource`."""

    def __init__(
        self,
        revision: str | None = None,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        held: bool = False,
    ) -> None:
        """`revision`: the board's revision code. `clock`: in ns. `held`: edges wait for `drain()`."""
        super().__init__(revision=revision)
        self._clock = clock
        self._held = held
        self._lock = threading.RLock()
        self._watches: list[_MockWatch] = []
        self._waiting: list[RawEdge] = []
        self._last_ns: dict[int, int] = {}
        self._by_gpio: dict[int, Any] = {}  # gpiozero's own lookup searches all headers of the board

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> _MockWatch:
        """Watch simulated lines. Raises the errors of `EdgeSource.watch`."""
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
        """Report an event as the kernel does. Its level may be the same as the last event's.

        Raises ValueError if t_ns is before the line's last event, which a kernel never reports.
        """
        with self._lock:
            self._accept(RawEdge(gpio, level, t_ns, gap_since_ns))

    def drive(self, gpio: int, level: int) -> int:
        """Report an edge with the present time, and return that time.

        The time is never before the line's last edge.
        """
        with self._lock:
            t_ns = max(self._clock(), self._last_ns.get(gpio, 0))
            self._accept(RawEdge(gpio, level, t_ns))
            return t_ns

    def drain(self) -> int:
        """Pass on the waiting edges, and return their number. Edges wait only if `held` is set."""
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

    def _accept(self, edge: RawEdge) -> None:
        last_ns = self._last_ns.get(edge.gpio, edge.t_ns)
        if edge.t_ns < last_ns:
            raise ValueError(
                f"GPIO{edge.gpio}: an edge at {edge.t_ns} ns after one at {last_ns} ns; stamps must not fall"
            )
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
            pin = self._pin(edge.gpio)
            pin._change_state(bool(edge.level))
            del pin.states[:-1]  # gpiozero keeps every state of a mock pin
        for watch in list(self._watches):
            mine = [edge for edge in batch if edge.gpio in watch.pins]
            if mine:
                watch.listener(mine)
