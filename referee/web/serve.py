"""Serves the page on the running loop, from listening sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence

from aiohttp import web

from referee.core.values import Value
from referee.web.app import create_app
from referee.web.budget import Budgets
from referee.web.door import Door
from referee.web.feed import Feed
from referee.web.guard import IsOwn, same_machine
from referee.web.site import PhoneDesk


class Page(Value):
    """A served page. `close` ends it; the sockets it was given stay open."""

    runner: web.AppRunner
    door: Door

    async def close(self) -> None:
        """Stop accepting connections, close all, open every contact."""
        self.door.close()
        await self.runner.cleanup()


async def serve(
    table: Feed,
    sockets: Sequence[socket.socket],
    host: str = "127.0.0.1",
    *,
    names: Iterable[str] = (),
    is_own: IsOwn = same_machine,
    desk: PhoneDesk | None = None,
    closed: bool = False,
    past: Sequence[str] = (),
) -> Page:
    """Serve from these sockets.

    `host`: the one that they were bound to; `is_own`: whether a connection is the table's own machine's; `desk`:
    takes phones' requests; `closed`: only paired phones may look on; `past`: the program that answers queries about
    past matches (past.py).
    """
    budgets = Budgets()
    app = create_app(
        table, listen=host, names=names, budgets=budgets, is_own=is_own, desk=desk, closed=closed, past=past
    )
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    door = Door(runner.server, sockets, budgets, is_own)
    door.open()
    return Page(runner, door)
