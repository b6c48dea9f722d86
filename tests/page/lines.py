"""A served table for the tests: a recorder of presses, and clients of all kinds."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from aiohttp import ClientWebSocketResponse, web
from aiohttp.test_utils import TestClient, TestServer

from referee.core.model.view import Lamp, PlayingScreen, Screen, View
from referee.device.children.page import address_of, bind_sockets
from referee.page.app import create_app, serve
from referee.page.feed import Feed
from referee.page.site import Site
from referee.protocol.gestures import Act, Controls, apply
from referee.protocol.page import Note, Sound
from referee.protocol.snapshot import Snapshot
from referee.web.guard import Hosts

Client = TestClient[Any, Any]
PATIENCE_S = 60.0
"""Seconds after which a test counts as hanging, on a slow, busy machine."""


class Recorder:
    """Controls that record calls from any thread; no contact is closed or opened twice."""

    def __init__(self) -> None:
        self.log: list[tuple[str, bool] | int] = []
        self.closed: set[str] = set()
        self.moves: list[tuple[int, str]] = []
        self.counts: list[int] = []
        self._news = threading.Condition()

    def contact(self, name: str, closed: bool) -> None:
        assert (name in self.closed) is not closed
        (self.closed.add if closed else self.closed.remove)(name)
        self._note((name, closed))

    def turn(self, steps: int) -> None:
        self._note(steps)

    def card(self, seat: int, move: str) -> None:
        self.moves.append((seat, move))

    def hasten(self, times: int) -> None:
        self.moves.append((times, "speed"))

    def visitors(self, count: int) -> None:
        self.counts.append(count)

    def _note(self, what: tuple[str, bool] | int) -> None:
        with self._news:
            self.log.append(what)
            self._news.notify_all()

    async def until(self, *wanted: tuple[str, bool] | int) -> None:
        """Wait until exactly this was pressed."""

        def pressed() -> bool:
            with self._news:
                return self._news.wait_for(lambda: self.log == list(wanted), 10)

        assert await asyncio.to_thread(pressed), self.log


def acting(controls: Controls | None) -> Callable[[Act], None] | None:
    """Return what a feed calls to move these contacts."""
    return partial(apply, controls) if controls is not None else None


def picture(screen: Screen | None = None, *, phase: str = "playing", seats: int = 8, **more: Any) -> View:
    """Return a view with dark lamps."""
    lamps = tuple(Lamp(str(n + 1), False, "dark") for n in range(seats))
    return View(0, 0, phase, screen or PlayingScreen(5, 100, 0, ()), lamps, **more)


def snapshot(screen: Screen | None = None, **more: Any) -> Snapshot:
    return Snapshot(picture(screen, **more), bytes(1024))


def sound(name: str, notes: Sequence[Note], at_ns: int | None = None, **more: Any) -> Sound:
    """Return a motif, due now unless `at_ns` is given."""
    return Sound(name, tuple(notes), time.monotonic_ns() if at_ns is None else at_ns, **more)


class Server(TestServer):
    """A test server that, like the page's own, finishes a request when the client disconnects."""

    async def _make_runner(self, **more: Any) -> web.BaseRunner:
        return web.AppRunner(self.app, **more | {"handler_cancellation": False, "lingering_time": 0.1})


@asynccontextmanager
async def table(
    *, controls: Recorder | None = None, feed: Feed | None = None, listen: str = "127.0.0.1"
) -> AsyncIterator[tuple[Client, Feed]]:
    """Serve a table and yield a client of it."""
    feed = feed or Feed(act=acting(controls))
    async with TestClient(Server(create_app(Site(feed, Hosts(listen))))) as client:
        yield client, feed


@asynccontextmanager
async def served(table: Feed, host: str = "127.0.0.1", port: int = 0, **more: Any) -> AsyncIterator[str]:
    """Serve the page as in production, with all its guards; yield its address."""
    sockets = bind_sockets(host, port)
    page = await serve(Site(table, Hosts(host), **more), sockets)
    try:
        yield address_of(sockets[0].getsockname()[1], host)
    finally:
        await page.close()
        for listener in sockets:
            listener.close()


def origin(client: Client) -> str:
    """Return the page's own origin."""
    return f"http://127.0.0.1:{client.port}"


async def read(client: Client, path: str, status: int = 200, **more: Any) -> str:
    """Return the page's text; check its status."""
    async with client.get(path, **more) as answer:
        assert answer.status == status, path
        return await answer.text()


@asynccontextmanager
async def opened(client: Client, **headers: str) -> AsyncIterator[ClientWebSocketResponse]:
    """Open the page's WebSocket as a browser would."""
    async with client.ws_connect("/live", headers={"Origin": origin(client)} | headers) as socket:
        yield socket


def run(test: Callable[[], Awaitable[None]], limit_s: float = PATIENCE_S) -> None:
    """Run an asynchronous test with a time limit in seconds."""

    async def limited() -> None:
        await asyncio.wait_for(test(), limit_s)

    asyncio.run(limited())
