"""Raw edges with the kernel's timestamps, from a pin factory.

gpiozero's `when_changed` reports one pin's edge at a time and holds its callback by a weak reference. The referee needs
more: all pins in one time order, notice of events lost by overflow, and a way to read all edges now. A factory that can
do this has the two methods of `EdgeSource`; `GpiodFactory` and `RefereeMockFactory` do. `AnyFactory` below uses
`when_changed` for all other gpiozero factories (lgpio, the stock mock).

Threads: a listener gets one batch at a time, in order, on the factory's thread or in a caller's `drain()`. It runs
under the factory's lock, so it must not block: put the batch into a queue and return. If it raises, it must not have
stored anything: the gpiod factory calls it with the batch again. When `drain()` returns, the listeners have received
every edge that could be read when it was called.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable


class RawEdge(NamedTuple):
    """An event of one line: BCM number, level after it (0 low, 1 high), time in ns.

    t_ns is CLOCK_MONOTONIC. gap_since_ns: if events of this line were lost before this one, the time of the last known
    event, or of the start of detection; else None.
    """

    gpio: int
    level: int
    t_ns: int
    gap_since_ns: int | None = None


Listener = Callable[[Sequence[RawEdge]], None]


class Watch(Protocol):
    """Watched lines. Until `close()`, their edges go to the listener in time order."""

    def levels(self) -> Mapping[int, int]:
        """Return the current physical level of each line, by BCM number."""
        ...

    def close(self) -> None:
        """Stop listening and release the lines. May be called twice."""
        ...


@runtime_checkable
class EdgeSource(Protocol):
    """A pin factory that reports raw edges."""

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> Watch:
        """Claim lines as inputs with a pull ("up", "down", "floating") and report both edges.

        Raises gpiozero's `GPIOPinInUse` for a line in use, `PinInvalidPin` for one that the board lacks.
        """
        ...

    def drain(self) -> int:
        """Read every line now, pass on its edges, and return their number."""
        ...


def in_order(edges: Iterable[RawEdge]) -> list[RawEdge]:
    """Merge the edges of several lines into time order.

    The sort is stable: edges of one line keep the kernel's order even with equal timestamps.
    """
    return sorted(edges, key=attrgetter("t_ns"))


def ns_from_ticks(ticks: int | float) -> int:
    """Convert gpiozero ticks to ns. Ours are integers in ns, others' are float seconds."""
    return ticks if isinstance(ticks, int) else round(ticks * 1e9)


class WhenChangedWatch:
    """Raw edges from any gpiozero factory through `when_changed`.

    It cannot drain and does not notice lost events. Callbacks of different pins may come out of order, and the last one
    may come at any time. Use it to try a button; for real matches use the gpiod factory.
    """

    def __init__(self, factory: Any, listener: Listener, gpios: Iterable[int], pull: str = "up") -> None:
        """Claim the pins. `factory` is any gpiozero pin factory."""
        self._factory = factory
        self._pins: dict[int, Any] = {}
        self._callbacks: list[Callable[[int | float, int], None]] = []  # gpiozero keeps only a weak reference
        self._listener = listener
        for gpio in gpios:
            self._claim(gpio, pull)

    def _claim(self, gpio: int, pull: str) -> None:
        self._factory.reserve_pins(self, gpio)
        pin = self._factory.pin(gpio)
        pin.input_with_pull(pull)
        pin.edges = "both"

        def note_change(ticks: int | float, state: int) -> None:
            self._listener([RawEdge(gpio, int(bool(state)), ns_from_ticks(ticks))])

        self._callbacks.append(note_change)
        self._pins[gpio] = pin
        pin.when_changed = note_change

    def levels(self) -> Mapping[int, int]:
        return {gpio: int(bool(pin.state)) for gpio, pin in self._pins.items()}

    def close(self) -> None:
        """Stop listening and release the pins."""
        for gpio, pin in self._pins.items():
            pin.when_changed = None
            pin.close()
            self._factory.release_pins(self, gpio)
        self._pins.clear()

    def _conflicts_with(self, other: object) -> bool:
        return True  # gpiozero asks both devices about a shared pin


class AnyFactory:
    """An `EdgeSource` for other gpiozero factories, with the limits of `WhenChangedWatch`."""

    def __init__(self, factory: Any) -> None:
        """`factory`: any gpiozero pin factory."""
        self._factory = factory

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> Watch:
        """Watch the lines with `when_changed`."""
        return WhenChangedWatch(self._factory, listener, gpios, pull)

    def drain(self) -> int:
        """Let the factory's thread run, because its edges cannot be read here. Returns 0."""
        time.sleep(0)
        return 0


def edge_source(factory: Any) -> EdgeSource:
    """Return the factory itself if it is an EdgeSource, else an adapter."""
    return factory if isinstance(factory, EdgeSource) else AnyFactory(factory)
