"""Limits for each client address: connections, requests and open pages.

Theory of operation. A peer is an address. Requests beyond a limit wait their turn while waiting is cheap, and are
refused only when a peer has too many waiting; a client that asks too often slows down only itself. Browsers on the
table's own machine have higher limits and reserved places: at the simulated table they are the table's display and
buttons, on the device they show its own display.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.core.values import Value

_S = 1_000_000_000
PEERS_KEPT = 512
"""Maximum number of remembered addresses. Beyond it, those without a connection are dropped."""


class Bucket:
    """A rate limit: at most `burst` events at once, and `rate_hz` events a second on average.

    It stores one instant and has no timer.
    """

    def __init__(self, rate_hz: int, burst: int, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._step_ns = _S // rate_hz
        self._slack_ns = (burst - 1) * self._step_ns
        self._clock = clock
        self._full_ns = clock()

    def take(self) -> bool:
        """Count an event if the limit allows it now; return whether it does."""
        now_ns = self._clock()
        full_ns = max(self._full_ns, now_ns)
        if full_ns - now_ns > self._slack_ns:
            return False
        self._full_ns = full_ns + self._step_ns
        return True

    def reserve(self) -> int:
        """Count an event; return for how many ns it must wait. Events counted earlier go first."""
        now_ns = self._clock()
        full_ns = max(self._full_ns, now_ns)
        self._full_ns = full_ns + self._step_ns
        return max(full_ns - now_ns - self._slack_ns, 0)


class Allowance(Value):
    """The limits of one client address.

    connections, pages: how many may be open. arrivals: the limit of new connections, as (number a second, number at
    once). requests: the limit of requests, in the same form.
    """

    connections: int
    arrivals: tuple[int, int]
    requests: tuple[int, int]
    pages: int


GUEST = Allowance(connections=24, arrivals=(20, 40), requests=(40, 80), pages=8)
"""Limits of a phone.

Its browser opens six connections and one page, and requests it five times.
"""
OWN = Allowance(connections=160, arrivals=(100, 60), requests=(200, 60), pages=56)
"""Limits of this machine itself.

At full use, the page's process takes a tenth of a desktop's core.
"""
CODES = (1, 8)
"""Attempts at the pairing code for each address: (per second, at once)."""
CONNECTIONS_MOST, CONNECTIONS_KEPT = 256, 64
PAGES_MOST, PAGES_KEPT = 64, 8
"""Maximum number of open pages, and how many of them are reserved for this machine itself."""


@dataclass(slots=True)
class Peer:
    """One client address, and how much of its limits it uses now."""

    own: bool
    allowance: Allowance
    arrivals: Bucket
    requests: Bucket
    codes: Bucket
    connections: int = 0
    pages: int = 0


@dataclass(slots=True)
class Budgets:
    """Counts the open connections and pages of each client address, and of all together."""

    clock: Callable[[], int] = time.monotonic_ns
    connections: int = 0
    pages: int = 0
    _peers: dict[str, Peer] = field(default_factory=dict)

    def peer(self, address: str, own: bool) -> Peer:
        """Return the `Peer` of this client address. own: the address is this machine's."""
        found = self._peers.get(address)
        if found is None:
            self._forget()
            found = self._peers[address] = self._new(own)
        return found

    def connect(self, peer: Peer) -> bool:
        """Count one more connection if the limits allow it; return whether they do."""
        most = CONNECTIONS_MOST - (0 if peer.own else CONNECTIONS_KEPT)
        if peer.connections >= peer.allowance.connections or self.connections >= most:
            return False
        peer.connections += 1
        self.connections += 1
        return True

    def disconnect(self, peer: Peer) -> None:
        """Record that one connection of this peer has ended."""
        peer.connections -= 1
        self.connections -= 1

    def open(self, peer: Peer) -> bool:
        """Count one more open page if the limits allow it; return whether they do."""
        most = PAGES_MOST - (0 if peer.own else PAGES_KEPT)
        if peer.pages >= peer.allowance.pages or self.pages >= most:
            return False
        peer.pages += 1
        self.pages += 1
        return True

    def close(self, peer: Peer) -> None:
        """Record that one page of this peer was closed."""
        peer.pages -= 1
        self.pages -= 1

    def _new(self, own: bool) -> Peer:
        allowance = OWN if own else GUEST
        arrivals, requests = (Bucket(*rate, self.clock) for rate in (allowance.arrivals, allowance.requests))
        return Peer(own, allowance, arrivals, requests, Bucket(*CODES, self.clock))

    def _forget(self) -> None:
        if len(self._peers) >= PEERS_KEPT:
            self._peers = {address: peer for address, peer in self._peers.items() if peer.connections}
