"""Budgets of the contacts and the knob: one that says more than a hand can is muted, named, and back when it is calm.

Theory of operation. Rows wait in one queue for the live loop. A contact that chatters, or a pod that floods its line,
must not fill it: its rows would cost memory and delay everybody's verdict. Each contact therefore has a bucket of
`BURST` rows that refills with `RATE_HZ`, and all contacts of a pod together one of `POD` times that. Beyond it the
newest rows are dropped and the table learns that the contact has no link, which the display says. When it has kept to
its rate for `CALM_NS`, the link is back, with its last level. No more rows than these wait, however fast they come.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from referee.core.model.events import Fact, Linked, Turned
from referee.core.presses.signals import Edge
from referee.core.units import S

LOG = logging.getLogger("referee")
RATE_HZ = 200
"""Rows a second that a contact may say for long: ten presses, each of twenty edges."""
BURST = 512
"""Rows at once; twice as many are all that a pod keeps while its line is away."""
POD = 2
"""A pod has so many contacts' budget for all of its own."""
CALM_NS, LONGEST_CALM_NS = 2 * S, 64 * S
"""How long it must keep to its rate: twice as long each time, until it has been heard for the longest."""
TURN = "turn"
"""The knob's steps, beside the contacts."""


@dataclass(slots=True)
class _Bucket:
    """Room for rows. times: how many contacts' budget it is."""

    times: int = 1
    full_ns: int = 0

    def take(self, now_ns: int) -> bool:
        """Whether there is room for one more row."""
        full_ns = max(self.full_ns, now_ns)
        if full_ns - now_ns > (BURST * self.times - 1) * S // (RATE_HZ * self.times):
            return False
        self.full_ns = full_ns + S // (RATE_HZ * self.times)
        return True


@dataclass(slots=True)
class _Source:
    """A contact; while it is muted, until when and at which level; when it was back, and after how much calm."""

    bucket: _Bucket
    muted_until_ns: int | None = None
    closed: bool = False
    back_ns: int = -LONGEST_CALM_NS
    calm_ns: int = CALM_NS

    def mute(self, now_ns: int) -> None:
        """Note a row beyond the budget."""
        if self.muted_until_ns is None:
            again = now_ns - self.back_ns < LONGEST_CALM_NS
            self.calm_ns = min(2 * self.calm_ns, LONGEST_CALM_NS) if again else CALM_NS
        self.muted_until_ns = now_ns + self.calm_ns


class Floods:
    """Keeps every contact to its budget. Any thread may call it."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """`clock`: CLOCK_MONOTONIC, ns."""
        self._clock = clock
        self._sources: dict[str, _Source] = {}
        self._pods: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def admit(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts without those beyond a budget; in place of the first of these, that the contact has no link."""
        with self._lock:
            now_ns = self._clock()
            return [taken for fact in facts if (taken := self._admit(fact, now_ns)) is not None]

    def back(self) -> list[Fact]:
        """The links of contacts that are calm again."""
        with self._lock:
            now_ns, found = self._clock(), list[Fact]()
            for name, source in self._sources.items():
                if source.muted_until_ns is not None and source.muted_until_ns <= now_ns:
                    source.muted_until_ns, source.back_ns = None, now_ns
                    LOG.warning("%s is calm again and heard", _title(name))
                    if name != TURN:
                        found.append(Linked(now_ns, f"calm:{name}", True, (name,), (name,) * source.closed))
            return found

    @property
    def next_ns(self) -> int | None:
        """When to ask for `back`; None while no contact is muted."""
        with self._lock:
            return min((s.muted_until_ns for s in self._sources.values() if s.muted_until_ns is not None), default=None)

    def _admit(self, fact: Fact, now_ns: int) -> Fact | None:
        if isinstance(fact, Edge):
            return self._within(fact.station, fact, now_ns)
        if isinstance(fact, Turned):
            return self._within(TURN, fact, now_ns)
        if isinstance(fact, Linked):  # says itself whether these contacts have a link, and their level
            for station in fact.stations:
                self._source(station).muted_until_ns = None
        return fact

    def _within(self, name: str, fact: Edge | Turned, now_ns: int) -> Fact | None:
        source, pod = self._source(name), fact.clock.partition(":")[0] if isinstance(fact, Edge) and fact.clock else ""
        room = source.bucket.take(now_ns) and (not pod or self._pod(pod).take(now_ns))
        was_muted = source.muted_until_ns is not None
        if room and not was_muted:
            return fact
        source.closed = isinstance(fact, Edge) and fact.closed
        if not room:
            source.mute(now_ns)
        if was_muted:
            return None
        where = f" of pod {pod[-4:]}" if pod else ""
        LOG.warning("%s%s says more changes than a hand can make: it is muted until it is calm", _title(name), where)
        return None if name == TURN else Linked(now_ns, f"flood:{name}", False, (name,))

    def _source(self, name: str) -> _Source:
        return self._sources.setdefault(name, _Source(_Bucket()))

    def _pod(self, ident: str) -> _Bucket:
        return self._pods.setdefault(ident, _Bucket(POD))


def _title(name: str) -> str:
    """What a source is called in the log."""
    return "the knob's turning" if name == TURN else f"the contact {name}"
