"""Simulated contacts: a button that bounces, and buttons on pods.

Contacts that bounce: their level changes several times before it settles.

Theory of operation. A moving blade hits its stop, jumps off and hits again with less energy each time: a handful of
edges 0.1 to 1 ms apart, for up to 5 ms. `bounce` returns such a series. It begins with the new level at the instant of
the touch, so the first edge is the press; it alternates, and ends on the new level within `SETTLE_NS`. All randomness
comes from a seeded generator.

Simulated buttons on pods: the edge rows that a link would deliver, with clock errors.

Theory of operation. A pod has two buttons. Its clock differs from the host's estimate by up to `SHARED_NS`, the
same for both buttons; in addition each stamp has its own small error. A row arrives at once: only the errors are
simulated, not the delays of a link.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import count
from random import Random

from referee.core.model.events import Linked
from referee.core.presses.signals import Edge
from referee.core.units import MS, US
from referee.core.values import Value

SETTLE_NS = 5 * MS
"""Time within which the bounces of a worn arcade button are over, 0.1 to 1 ms apart."""
GAPS_NS = (100 * US, 1 * MS)
CLEAN_SHARE = 5
"""Of this many touches, one does not bounce at all, on average."""
TRAINS = (3, 3, 3, 5, 5, 7, 9)
"""Numbers of edges of a touch that bounces; odd, so that it ends on the new level."""


class Move(Value):
    """A contact ("1" to "8" or "knob") closes or opens at `t_ns` (CLOCK_MONOTONIC)."""

    t_ns: int
    contact: str
    closed: bool


class KnobTurn(Value):
    """A turn of the knob by `detents` (steps, clockwise positive) that ends at `t_ns`."""

    t_ns: int
    detents: int


Action = Move | KnobTurn


def bounce(rng: Random, contact: str, t_ns: int, closed: bool) -> list[Move]:
    """Return the edges of one touch (`closed`) or one release: the change and its bounces."""
    edges = 1 if not rng.randrange(CLEAN_SHARE) else rng.choice(TRAINS)
    times = [t_ns]
    while len(times) < edges:
        times.append(times[-1] + rng.randint(*GAPS_NS))
    kept = [t for t in times if t <= t_ns + SETTLE_NS]
    kept = kept if len(kept) % 2 else kept[:-1]
    return [Move(t, contact, closed if n % 2 == 0 else not closed) for n, t in zip(count(), kept, strict=False)]


def press(rng: Random, contact: str, t_ns: int, length_ns: int) -> list[Move]:
    """Return the edges of a press that lasts `length_ns`.

    The contact stays open from `t_ns + length_ns + SETTLE_NS` on at the latest.

    Raises ValueError for a press so short that it would be released while it still bounces.
    """
    if length_ns <= SETTLE_NS:
        raise ValueError(f"a press of {length_ns} ns on {contact} is too short, it must be longer than {SETTLE_NS} ns")
    return bounce(rng, contact, t_ns, True) + bounce(rng, contact, t_ns + length_ns, False)


def graze(rng: Random, contact: str, t_ns: int) -> list[Move]:
    """Return the edges of a touch too light for a press: closed for less than a millisecond."""
    return [Move(t_ns, contact, True), Move(t_ns + rng.randint(50 * US, 900 * US), contact, False)]


BUTTONS = 2
SHARED_NS = 2 * MS
"""Bound of the clock error that a pod's stamps share.

A USB link's usual bound is a quarter of this; a bad link's is larger.
"""
OWN_NS = 400
"""A stamp's own error: two ticks of the pod's sampling, as its firmware states it."""


class SimulatedPods:
    """Simulated pods: the first has the buttons of the first two stations, and so on.

    The same `seed` gives the pods' clocks the same errors.
    """

    def __init__(self, stations: Sequence[str], seed: int) -> None:
        self._dice = Random(seed)
        self.pods = [tuple(stations[n : n + BUTTONS]) for n in range(0, len(stations), BUTTONS)]
        self._clock = {station: f"pod-{n}" for n, pod in enumerate(self.pods, 1) for station in pod}
        self._early_ns = {f"pod-{n}": self._dice.randint(OWN_NS, SHARED_NS) for n in range(1, len(self.pods) + 1)}

    def links(self, at_ns: int) -> list[Linked]:
        """Return one row per pod. It says that the link is up at `at_ns`, with all buttons open."""
        return [Linked(at_ns, f"pod:{n}", True, pod, ()) for n, pod in enumerate(self.pods, 1)]

    def edge(self, move: Move) -> Edge:
        """Return the row for a move of a button on one of these pods."""
        clock = self._clock[move.contact]
        t_ns = move.t_ns - self._early_ns[clock] + self._dice.randint(-OWN_NS, OWN_NS)
        return Edge(move.contact, move.closed, t_ns, SHARED_NS + OWN_NS, move.t_ns, clock, OWN_NS)


class LooseButtons:
    """Those buttons of a simulated table that are wired to no GPIO pins.

    They are on simulated pods. Each change of a contact's level is reported as an edge row.
    """

    def __init__(
        self, stations: Sequence[str], feed: Callable[[Sequence[Linked | Edge]], object], clock: Callable[[], int]
    ) -> None:
        """Report through `feed` that the links of the simulated pods are up."""
        self.stations = tuple(stations)
        self._pods = SimulatedPods(stations, len(stations))
        self._feed = feed
        self._closed = dict.fromkeys(stations, False)
        self._told_ns = dict.fromkeys(stations, 0)
        self._one = threading.Lock()
        if stations:
            feed(self._pods.links(clock()))

    def touch(self, station: str, closed: bool, t_ns: int) -> None:
        """Close or open the station's contact at an instant."""
        with self._one:
            if self._closed[station] == closed:
                return
            self._closed[station] = closed
            self._told_ns[station] = max(self._told_ns[station] + 1, t_ns)
            self._feed([self._pods.edge(Move(self._told_ns[station], station, closed))])
