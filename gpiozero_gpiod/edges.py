"""Edges as the kernel reports them, with its timestamps, from a pin factory.

gpiozero's `when_changed` reports one pin's edge at a time and holds its callback by a weak reference. Fair timing needs
more: all pins in one time order, notice of events lost by overflow, and a way to read all edges now. A factory that can
do this has the two methods of `EdgeSource`; `GpiodFactory` and `GpiodMockFactory` do.

Threads: a listener gets one batch at a time, in order, on the factory's thread or in a caller's `drain()`. It runs
under the factory's lock, so it must not block: put the batch into a queue and return. If it raises, it must not have
stored anything: the gpiod factory calls it with the batch again. When `drain()` returns, the listeners have received
every edge that could be read when it was called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple, Protocol


class RawEdge(NamedTuple):
    """A change of one line: BCM number, the level after it (0 low, 1 high), and its time in ns.

    t_ns is CLOCK_MONOTONIC. gap_since_ns: if events of this line were lost before this one, the time of the last known
    event, or of the start of detection; else None.
    """

    gpio: int
    level: int
    t_ns: int
    gap_since_ns: int | None = None


Listener = Callable[[Sequence[RawEdge]], None]


class Watch(Protocol):
    """Watched lines. Their edges go to the listener in time order, until `close()`."""

    def levels(self) -> Mapping[int, int]:
        """Return the current physical level of each line, by BCM number."""
        ...

    def close(self) -> None:
        """Stop listening and release the lines. May be called twice."""
        ...


class EdgeSource(Protocol):
    """A pin factory that reports raw edges."""

    def watch(self, listener: Listener, gpios: Iterable[int], pull: str = "up") -> Watch:
        """Claim inputs with a pull ("up", "down", "floating"); report rising and falling edges.

        Raises gpiozero's `GPIOPinInUse` for a line in use, `PinInvalidPin` for one that the board lacks.
        """
        ...

    def drain(self) -> int:
        """Read every line now, pass the edges to the listeners, and return their number."""
        ...


def in_order(edges: Iterable[RawEdge]) -> list[RawEdge]:
    """Merge the edges of several lines into time order.

    The sort is stable: edges of one line keep the kernel's order even with equal timestamps.
    """
    return sorted(edges, key=attrgetter("t_ns"))
