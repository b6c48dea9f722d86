"""Rate limits for contacts and the knob: a source over its limit is muted until it is calm.

Theory of operation. Rows wait in one queue for the live loop. A contact that keeps bouncing or a pod that reports too
much must not fill that queue, because its rows cost memory and delay every verdict. Each contact therefore has a bucket
of `BURST` rows that refills at `RATE_HZ`; all contacts of one pod share a bucket `POD` times as large. Rows beyond the
limit are dropped, and the match receives a `Linked` row saying that the contact has no link, which the display shows.
After the contact has kept to its rate for `CALM_NS`, the link is restored with its last level. The buckets also limit
the number of queued rows.
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
"""Sustained rows per second and contact: ten presses of twenty edges each."""
BURST = 512
"""Rows allowed at once. A pod stores at most twice as many while its line is away."""
POD = 2
"""Size of the bucket that a pod's contacts share, compared with that of one contact."""
CALM_NS, LONGEST_CALM_NS = 2 * S, 64 * S
"""Time in ns within the limit before a muted source is restored, and its maximum.

It doubles each time. It is reset once the source has not been muted for the maximum.
"""
TURN = "turn"
"""Name of the knob's rotation among the sources."""


@dataclass(slots=True)
class _Bucket:
    """A token bucket that limits the rate of rows.

    times: the bucket's limit, as a multiple of the limit of one contact.
    """

    times: int = 1
    full_ns: int = 0

    def take(self, now_ns: int) -> bool:
        """Count one row. Return False, and do not count it, if it is over the limit."""
        full_ns = max(self.full_ns, now_ns)
        if full_ns - now_ns > (BURST * self.times - 1) * S // (RATE_HZ * self.times):
            return False
        self.full_ns = full_ns + S // (RATE_HZ * self.times)
        return True


@dataclass(slots=True)
class _Source:
    """The state of a contact, or of the knob's turning.

    While a source is muted, its rows are dropped. closed: the contact's last level. back_ns: when the source was last
    restored after it was muted. calm_ns: how long a muted source must stay within its limit to be restored.
    """

    bucket: _Bucket
    muted_until_ns: int | None = None
    closed: bool = False
    back_ns: int = -LONGEST_CALM_NS
    calm_ns: int = CALM_NS

    def mute(self, now_ns: int) -> None:
        """Drop the source's rows for the next `calm_ns`, because a row was over its limit."""
        if self.muted_until_ns is None:
            again = now_ns - self.back_ns < LONGEST_CALM_NS
            self.calm_ns = min(2 * self.calm_ns, LONGEST_CALM_NS) if again else CALM_NS
        self.muted_until_ns = now_ns + self.calm_ns


class Floods:
    """Drops the rows of contacts that send too many. Thread-safe."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._sources: dict[str, _Source] = {}
        self._pods: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def admit(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return the facts that are within the limits.

        A contact's first fact over its limit is replaced by a `Linked` row: the contact's link is down. Later facts are
        dropped.
        """
        with self._lock:
            now_ns = self._clock()
            return [taken for fact in facts if (taken := self._admit(fact, now_ns)) is not None]

    def back(self) -> list[Fact]:
        """Return a `Linked` row for each contact that is now within its limit again."""
        with self._lock:
            now_ns, found = self._clock(), list[Fact]()
            for name, source in self._sources.items():
                if source.muted_until_ns is not None and source.muted_until_ns <= now_ns:
                    source.muted_until_ns, source.back_ns = None, now_ns
                    LOG.warning("%s is calm again and counts again", _title(name))
                    if name != TURN:
                        found.append(Linked(now_ns, f"calm:{name}", True, (name,), (name,) * source.closed))
            return found

    @property
    def next_ns(self) -> int | None:
        """Return when to call `back` next, in ns; None while no source's rows are dropped."""
        with self._lock:
            return min((s.muted_until_ns for s in self._sources.values() if s.muted_until_ns is not None), default=None)

    def _admit(self, fact: Fact, now_ns: int) -> Fact | None:
        if isinstance(fact, Edge):
            return self._within(fact.station, fact, now_ns)
        if isinstance(fact, Turned):
            return self._within(TURN, fact, now_ns)
        if isinstance(fact, Linked):  # it says whether these contacts have a link, and their levels
            for station in fact.stations:
                self._source(station).muted_until_ns = None
        return fact

    def _within(self, name: str, fact: Edge | Turned, now_ns: int) -> Fact | None:
        source, pod = self._source(name), _pod_of(fact.clock) if isinstance(fact, Edge) and fact.clock else ""
        room = source.bucket.take(now_ns) and (not pod or self._pod(pod).take(now_ns))
        was_muted = source.muted_until_ns is not None
        if room and not was_muted:
            return fact
        source.closed = isinstance(fact, Edge) and fact.closed
        if not room:
            source.mute(now_ns)
        if was_muted:
            return None
        where = f" of {pod if pod.startswith(('keys', 'phone')) else f'pod {pod[-4:]}'}" if pod else ""
        LOG.warning("%s%s sends more changes than a hand can make: it is ignored until it is calm", _title(name), where)
        return None if name == TURN else Linked(now_ns, f"flood:{name}", False, (name,))

    def _source(self, name: str) -> _Source:
        return self._sources.setdefault(name, _Source(_Bucket()))

    def _pod(self, ident: str) -> _Bucket:
        return self._pods.setdefault(ident, _Bucket(POD))


def _pod_of(clock: str) -> str:
    """Return the pod, keyboard or phone that has this clock. Its contacts share a bucket."""
    kind, _, phone = clock.partition(":")
    return phone if kind == "phone" else kind


def _title(name: str) -> str:
    return "the knob's turning" if name == TURN else f"the contact {name}"
