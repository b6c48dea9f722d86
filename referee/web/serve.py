"""Serving the page: on a loop of one's own, or on a thread beside a daemon that has none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable

from aiohttp import web

from referee.web.app import create_app
from referee.web.feed import TableFeed


async def serve(table: TableFeed, host: str, port: int, *, names: Iterable[str] = ()) -> web.AppRunner:
    """Listen on the running loop; `cleanup()` of what comes back ends it. OSError when the address cannot be had."""
    app = create_app(table, listen=host, names=names)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except BaseException:
        await runner.cleanup()
        raise
    return runner


def address_of(runner: web.AppRunner, host: str, name: str = "localhost") -> str:
    """The page's address for a person's browser. name: of this machine, for a page that listens everywhere."""
    port = runner.addresses[0][1]
    shown = name if host in ("", "0.0.0.0", "::") else "localhost" if host in ("127.0.0.1", "::1") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


class PageThread:
    """The page on a thread and an event loop of its own; it sleeps while nobody looks."""

    def __init__(
        self,
        table: TableFeed,
        host: str,
        port: int,
        *,
        names: Iterable[str] = (),
        shown_as: str = "localhost",
    ) -> None:
        """Returns when the page can be opened. OSError when the address cannot be had. Port 0: any free one.

        `shown_as`: this machine's name in the address of a page that listens everywhere.
        """
        self._loop = asyncio.new_event_loop()
        try:
            self._runner = self._loop.run_until_complete(serve(table, host, port, names=names))
        except BaseException:
            self._loop.close()
            raise
        self.address = address_of(self._runner, host, shown_as)
        self._thread = threading.Thread(target=self._loop.run_forever, name="page", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close every connection, let go of every contact, end the thread. May be called twice."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
