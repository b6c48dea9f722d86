"""Raw edges: what a pin factory tells those who want the kernel's own stamps.

gpiozero's `when_changed` gives one pin's edge at a time and holds its callback by a weak reference. A referee needs
more: all pins in one order of time, events lost by overflow told as such, and a way to say "read everything there is,
now". A factory that can do that has the two methods of `EdgeSource`; `GpiodFactory` and `RefereeMockFactory` do, and
`watch` below makes do with `when_changed` for every other gpiozero factory (lgpio, the stock mock).

Threads: a listener is called with one batch at a time, in order, never two at once; by the factory's own thread or by
whoever called `drain()`. It runs under the factory's lock, so it must be quick and must wait for nothing: put the
batch on a queue and return. One that raises must have taken nothing: the gpiod factory hands it the batch again. When
`drain()` returns, every edge that could be read when it was called has been handed to the listeners.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable


class RawEdge(NamedTuple):
    """One event of one line: BCM number, physical level after it (0 low, 1 high), stamp in ns of CLOCK_MONOTONIC.

    gap_since_ns: None, or events of this line were lost before this one, and this is the stamp of the last event known
    (the time detection began when there was none).
    """

    gpio: int
    level: int
    t_ns: int
    gap_since_ns: int | None = None


Listener = Callable[[Sequence[RawEdge]], None]


class Watch(Protocol):
    """Lines under watch until `close()`: their edges go to the listener, in order of time."""

    def levels(self) -> Mapping[int, int]:
        """The physical level of each line at this moment, by BCM number."""
        ...

    def close(self) -> None:
        """Stop listening and give the lines back. May be called twice."""
        ...


@runtime_checkable
class EdgeSource(Protocol):
    """A pin factory that reports raw edges."""

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> Watch:
        """Claim lines as inputs with that pull ("up", "down", "floating") and report both edges of each.

        Raises gpiozero's `GPIOPinInUse` when a device holds one of them, `PinInvalidPin` when the board has it not.
        """
        ...

    def drain(self) -> int:
        """Read every line by a read begun now, hand over what was there, and return how many edges that was."""
        ...


def in_order(edges: Iterable[RawEdge]) -> list[RawEdge]:
    """Merge what a drain read, line by line, into one order of time.

    The sort is stable: edges of one line keep the kernel's order even with equal stamps.
    """
    return sorted(edges, key=attrgetter("t_ns"))


def ns_from_ticks(ticks: int | float) -> int:
    """A gpiozero factory's ticks as ns: ours are integers in ns, lgpio's and the stock mock's float seconds."""
    return ticks if isinstance(ticks, int) else round(ticks * 1e9)


class WhenChangedWatch:
    """The second best: raw edges from any gpiozero factory through `when_changed`.

    Nothing can be drained and no gap is seen, callbacks of different pins may come out of order, and nobody can say
    when the last one is in. Good enough to try a button; a table that plays for something uses the gpiod factory.
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
        """The physical level of each line at this moment."""
        return {gpio: int(bool(pin.state)) for gpio, pin in self._pins.items()}

    def close(self) -> None:
        """Stop listening and give the pins back."""
        for gpio, pin in self._pins.items():
            pin.when_changed = None
            pin.close()
            self._factory.release_pins(self, gpio)
        self._pins.clear()

    def _conflicts_with(self, other: object) -> bool:
        return True  # gpiozero asks this of both parties to a reservation


class AnyFactory:
    """An `EdgeSource` over a gpiozero factory that is none; see `WhenChangedWatch` for what is lost."""

    def __init__(self, factory: Any) -> None:
        """Wrap `factory`, any gpiozero pin factory."""
        self._factory = factory

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> Watch:
        """Watch the lines through gpiozero's `when_changed`, where a factory has nothing better."""
        return WhenChangedWatch(self._factory, listener, gpios, pull)

    def drain(self) -> int:
        """Nothing can be read from outside; yield so that the factory's thread may deliver what it has."""
        time.sleep(0)
        return 0


def edge_source(factory: Any) -> EdgeSource:
    """The raw edges of a gpiozero factory: itself where it can, else an adapter over `when_changed`."""
    return factory if isinstance(factory, EdgeSource) else AnyFactory(factory)
