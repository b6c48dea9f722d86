"""Serves the page on the running loop, from listening sockets."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from aiohttp import web

from referee.core.values import Value
from referee.page.app import create_app
from referee.page.connections import Door
from referee.page.site import Site


class Page(Value):
    """The running server of the page. `close` ends it; its listening sockets stay open."""

    runner: web.AppRunner
    door: Door

    async def close(self) -> None:
        """Stop accepting connections and close all open connections."""
        self.door.close()
        await self.runner.cleanup()


async def serve(site: Site, sockets: Sequence[socket.socket]) -> Page:
    """Start to serve the site from these listening sockets."""
    app = create_app(site)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    door = Door(runner.server, sockets, site.budgets, site.is_own)
    door.open()
    return Page(runner, door)
