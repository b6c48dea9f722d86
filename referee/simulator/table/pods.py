"""Simulated buttons on pods: the edge rows that a link would deliver, with clock errors.

Theory of operation. A pod has two buttons. Its clock differs from the host's estimate by up to `SHARED_NS`, the
same for both buttons; in addition each stamp has its own small error. A row arrives at once: only the errors are
simulated, not the delays of a link.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from random import Random

from referee.core.model.events import Linked
from referee.core.presses.signals import Edge
from referee.core.units import MS
from referee.simulator.table.contacts import Move

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
