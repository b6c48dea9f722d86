"""Accepts connections a few at a time, as fast as each client's limits allow.

Theory of operation. A server that accepts all waiting connections at once delays all its visitors while fifty
new ones connect. Here at most `AT_ONCE` are accepted before other work has its turn. A connection whose peer (client
address) is over its rate waits as an accepted socket, unread. If there is no room, the connection that has waited
longest without a request is closed: one of the same peer or, if all places are taken, one of the peer with most.
So clients that connect and send nothing cannot keep others out. A malformed request is one line in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.http_exceptions import LineTooLong

from referee.page.rate_limit import Bucket, Budgets, Peer
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
