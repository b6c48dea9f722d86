"""How much of the page each peer may have: connections, requests and open pages.

Theory of operation. A peer is an address. What is beyond a budget waits its turn, as long as that costs next to
nothing, and is refused only when a peer leaves too much waiting: so a greedy client slows down itself and nobody else.
Browsers on the table's own machine have larger budgets, and places that nobody else can take: at the simulated table
they are the table, on the device its own display's viewers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.core.values import Value

_S = 1_000_000_000
PEERS_KEPT = 512
"""So many peers are remembered; beyond them those without a connection are forgotten."""


class Bucket:
    """At most `burst` at once and `rate_hz` in the long run. One instant is all it remembers, and it has no timer."""

    def __init__(self, rate_hz: int, burst: int, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._step_ns = _S // rate_hz
        self._slack_ns = (burst - 1) * self._step_ns
        self._clock = clock
        self._full_ns = clock()

    def take(self) -> bool:
        """Whether there was room for one more."""
        now_ns = self._clock()
        full_ns = max(self._full_ns, now_ns)
        if full_ns - now_ns > self._slack_ns:
            return False
        self._full_ns = full_ns + self._step_ns
        return True

    def reserve(self) -> int:
        """Room for one more, and how many ns it is until then. Everybody who asks waits for a turn of one's own."""
        now_ns = self._clock()
        full_ns = max(self._full_ns, now_ns)
        self._full_ns = full_ns + self._step_ns
        return max(full_ns - now_ns - self._slack_ns, 0)


class Allowance(Value):
    """What one peer may have. Rates are (a second, at once)."""

    connections: int
    arrivals: tuple[int, int]
    requests: tuple[int, int]
    pages: int


GUEST = Allowance(connections=24, arrivals=(20, 40), requests=(40, 80), pages=8)
"""A phone's browser opens six connections and one page, and asks five times for it."""
OWN = Allowance(connections=160, arrivals=(100, 60), requests=(200, 60), pages=56)
"""At full use of these the page's process has a tenth of a desktop's core to do."""
CODES = (1, 8)
"""Tries at the display's code, a second and at once, of one address."""
CONNECTIONS_MOST, CONNECTIONS_KEPT = 256, 64
PAGES_MOST, PAGES_KEPT = 64, 8
"""Of all of them, and those that are kept for the table's own machine."""


@dataclass(slots=True)
class Peer:
    """One address and what it has of its allowance."""

    own: bool
    allowance: Allowance
    arrivals: Bucket
    requests: Bucket
    codes: Bucket
    connections: int = 0
    pages: int = 0


@dataclass(slots=True)
class Budgets:
    """The budgets of all peers, and how many connections and pages they have together."""

    clock: Callable[[], int] = time.monotonic_ns
    connections: int = 0
    pages: int = 0
    _peers: dict[str, Peer] = field(default_factory=dict)

    def peer(self, address: str, own: bool) -> Peer:
        """This address's budget. own: whether it is the table's own machine."""
        found = self._peers.get(address)
        if found is None:
            self._forget()
            found = self._peers[address] = self._new(own)
        return found

    def connect(self, peer: Peer) -> bool:
        """Whether there is room for one more of this peer's connections; it is taken."""
        most = CONNECTIONS_MOST - (0 if peer.own else CONNECTIONS_KEPT)
        if peer.connections >= peer.allowance.connections or self.connections >= most:
            return False
        peer.connections += 1
        self.connections += 1
        return True

    def disconnect(self, peer: Peer) -> None:
        """One of this peer's connections is gone."""
        peer.connections -= 1
        self.connections -= 1

    def open(self, peer: Peer) -> bool:
        """Whether there is a place for one more of this peer's live pages; it is taken."""
        most = PAGES_MOST - (0 if peer.own else PAGES_KEPT)
        if peer.pages >= peer.allowance.pages or self.pages >= most:
            return False
        peer.pages += 1
        self.pages += 1
        return True

    def close(self, peer: Peer) -> None:
        """One of this peer's live pages is gone."""
        peer.pages -= 1
        self.pages -= 1

    def _new(self, own: bool) -> Peer:
        allowance = OWN if own else GUEST
        arrivals, requests = (Bucket(*rate, self.clock) for rate in (allowance.arrivals, allowance.requests))
        return Peer(own, allowance, arrivals, requests, Bucket(*CODES, self.clock))

    def _forget(self) -> None:
        if len(self._peers) >= PEERS_KEPT:
            self._peers = {address: peer for address, peer in self._peers.items() if peer.connections}
