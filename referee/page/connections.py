"""Limits for visitors: connections, requests and open pages.

Theory of operation. A server that accepts all waiting connections at once delays all its visitors while fifty
new ones connect. Here at most `AT_ONCE` are accepted before other work has its turn. A connection whose peer (client
address) is over its rate waits as an accepted socket, unread. If there is no room, the connection that has waited
longest without a request is closed: one of the same peer or, if all places are taken, one of the peer with most.
So clients that connect and send nothing cannot keep others out. A malformed request is one line in the log.

Theory of operation. A peer is an address. Requests beyond a limit wait their turn while waiting is cheap, and are
refused only when a peer has too many waiting; a client that asks too often slows down only itself. Browsers on the
table's own machine have higher limits and reserved places: at the simulated table they are the table's display and
buttons, on the device they show its own display.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.http_exceptions import LineTooLong

from referee.core.values import Value
from referee.web.guard import IsOwn

LOG = logging.getLogger("referee")
AT_ONCE = 4
AGAIN_S = 1.0
"""Pause in s before accepting again after the machine ran out of sockets."""
QUIET_S = 20.0
"""Time in s after which a connection is closed that has sent no whole or no further request."""
STUCK_MS = 20_000
"""Time after which a connection is closed if the other side acknowledges no data."""
HEAD_BYTES = 64 * 1024
"""Maximum bytes of a header field.

It must hold the cookies of other programs on this host, which are up to 4 KB each.
"""
HEADS_BYTES = 80 * 1024
"""Maximum bytes of all header fields of a request."""
LINES = (1, 10)
"""Log lines about malformed requests: (per second, at once). A flood must not fill the disk."""
TOO_LONG = f"The address or a header is too long: cookies may take {HEAD_BYTES >> 10} KiB. Delete this site's cookies."
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"
_STUCK_OPTION = getattr(socket, "TCP_USER_TIMEOUT", None)


class Door:
    """Accepts connections from listening sockets. Use it on the event loop's thread only."""

    def __init__(self, server: Any, sockets: Sequence[socket.socket], budgets: Budgets, is_own: IsOwn) -> None:
        """`server`: aiohttp's server.

        `is_own(client's address, our address)`: returns whether a connection comes from this machine itself.
        """
        self._server, self._sockets, self._budgets, self._is_own = server, sockets, budgets, is_own
        self._loop = asyncio.get_running_loop()
        self._entering: set[asyncio.Task[Any]] = set()
        self._callers: dict[Caller, None] = {}  # in order of arrival
        self._nonsense = Nonsense()

    def open(self) -> None:
        """Start accepting connections, as many as the limits allow."""
        for listener in self._sockets:
            listener.setblocking(False)
            self._loop.add_reader(listener, self._look, listener)

    def close(self) -> None:
        """Stop accepting connections. Open connections stay; the sockets go on listening."""
        for listener in self._sockets:
            self._loop.remove_reader(listener)
        for task in self._entering:
            task.cancel()

    def _look(self, listener: socket.socket) -> None:
        for _ in range(AT_ONCE):
            try:
                connection, address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as exc:
                LOG.warning("the page accepts no connection for a moment: %s", exc)
                self._loop.remove_reader(listener)
                self._loop.call_later(AGAIN_S, self._loop.add_reader, listener, self._look, listener)
                return
            self._came(connection, address[0])

    def _came(self, connection: socket.socket, address: str) -> None:
        connection.setblocking(False)
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if _STUCK_OPTION is not None:
                connection.setsockopt(socket.IPPROTO_TCP, _STUCK_OPTION, STUCK_MS)
        peer = self._budgets.peer(address, self._is_own(address, connection.getsockname()[0]))
        if not self._budgets.connect(peer) and not (self._make_room(peer) and self._budgets.connect(peer)):
            with contextlib.suppress(OSError):
                connection.send(BUSY)
            connection.close()
            return
        caller = Caller(self._server, self._loop, peer, self._leave, self._nonsense)
        self._callers[caller] = None
        task = self._loop.create_task(self._enter(connection, caller))
        self._entering.add(task)
        task.add_done_callback(self._entering.discard)

    def _make_room(self, peer: Peer) -> bool:
        """Close an idle connection, if there is one, so that this peer can open another.

        A connection from this machine is never closed in favour of one from outside.
        """
        idle = [caller for caller in self._callers if caller.idle and caller.peer.own <= peer.own]
        if peer.connections >= peer.allowance.connections:
            idle = [caller for caller in idle if caller.peer is peer]
        if not idle:
            return False
        self._leave(max(idle, key=lambda caller: caller.peer.connections))  # the oldest of those that are equal
        return True

    def _leave(self, caller: Caller) -> None:
        """Close the connection and count it as ended, unless this was done before."""
        if caller in self._callers:
            del self._callers[caller]
            self._budgets.disconnect(caller.peer)
            caller.force_close()

    async def _enter(self, connection: socket.socket, caller: Caller) -> None:
        """Wait as long as the peer's rate limit demands, then serve the connection."""
        try:
            wait_ns = caller.peer.arrivals.reserve()
            if wait_ns:
                await asyncio.sleep(wait_ns / 1e9)
            await self._loop.connect_accepted_socket(lambda: caller, connection)
        except BaseException:
            connection.close()
            self._leave(caller)
            raise


class Caller(web.RequestHandler):
    """Handles the requests of one connection, which counts towards its client's limits."""

    __slots__ = ("_head", "_left", "_nonsense", "peer")

    def __init__(
        self,
        server: Any,
        loop: asyncio.AbstractEventLoop,
        peer: Peer,
        left: Callable[[Caller], None],
        nonsense: Nonsense,
    ) -> None:
        """`left`: called when the connection has ended. `nonsense`: logs malformed requests."""
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]
            keepalive_timeout=QUIET_S,
            lingering_time=1.0,
            max_field_size=HEAD_BYTES,
        )
        self.peer = peer
        self._left, self._nonsense = left, nonsense
        self._head = 0  # number of bytes of an incomplete request head

    @property
    def idle(self) -> bool:
        """Return whether the connection waits for a request, or for the rest of a request's headers."""
        return self._waiter is not None and not self._waiter.done()

    def data_received(self, data: bytes) -> None:
        """Handle received bytes; close the connection if the request's headers are too long."""
        super().data_received(data)
        self._head = self._head + len(data) if self.idle else 0
        if self._head > HEADS_BYTES:
            self.force_close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Count the connection as ended."""
        super().connection_lost(exc)
        self._left(self)

    def handle_error(
        self, request: Any, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Answer a malformed request with one sentence and one log line.

        Errors of this program are logged with a traceback.
        """
        if not isinstance(exc, HttpProcessingError):
            return super().handle_error(request, status, exc, message)
        self._nonsense.note(request.remote, exc)
        why = TOO_LONG if isinstance(exc, LineTooLong) else "That is no request that this page understands."
        response = web.Response(status=status, text=f"{why}\n")
        response.force_close()
        return response


class Nonsense:
    """Logs which clients sent malformed requests, at a limited rate."""

    def __init__(self) -> None:
        self._lines = Bucket(*LINES)
        self._unsaid = 0

    def note(self, remote: str | None, exc: HttpProcessingError) -> None:
        """Count a malformed request, and log it if the rate allows."""
        if not self._lines.take():
            self._unsaid += 1
            return
        more = f" ({self._unsaid} more since the last line)" if self._unsaid else ""
        self._unsaid = 0
        LOG.info("the page: no request from %s: %s%s", remote, _first_line(exc), more)


def _first_line(exc: HttpProcessingError) -> str:
    """Return the first line of the error's text, shortened and printable."""
    line = (exc.message or type(exc).__name__).partition("\n")[0].rstrip(": ")
    return "".join(letter if letter.isprintable() else "?" for letter in line)[:120]


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
