"""A TCP relay that delays what it forwards, each way by itself, and keeps the order: a phone's wireless link."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field


@dataclass
class Link:
    """One phone's link to the table.

    delay_s: returns how long the next piece is delayed, in s. pieces: for each forwarded piece whether it went to the
    table, when it arrived at the relay and when it left it, in ns.
    """

    delay_s: Callable[[], float]
    pieces: list[tuple[bool, int, int]] = field(default_factory=list)

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, to_table: bool) -> None:
        """Forward one direction of a connection until it ends."""
        waiting: asyncio.Queue[tuple[bytes, int, float]] = asyncio.Queue()
        delivers = asyncio.ensure_future(self._deliver(waiting, writer, to_table))
        due_s = 0.0
        with contextlib.suppress(OSError):
            while piece := await reader.read(65536):
                due_s = max(due_s, time.monotonic() + self.delay_s())
                waiting.put_nowait((piece, time.monotonic_ns(), due_s))
        waiting.put_nowait((b"", 0, due_s))
        await delivers

    async def _deliver(
        self, waiting: asyncio.Queue[tuple[bytes, int, float]], writer: asyncio.StreamWriter, to_table: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while True:
                piece, arrived_ns, due_s = await waiting.get()
                await asyncio.sleep(due_s - time.monotonic())
                if not piece:
                    break
                self.pieces.append((to_table, arrived_ns, time.monotonic_ns()))
                writer.write(piece)
                await writer.drain()
        writer.close()

    def delays_ns(self, from_ns: int, to_ns: int) -> tuple[int, int]:
        """Return the delays of the first piece to the table after `from_ns` and of the last from it by `to_ns`."""
        up = next((left - came for to, came, left in self.pieces if to and came >= from_ns), 0)
        down = next((left - came for to, came, left in reversed(self.pieces) if not to and left <= to_ns), 0)
        return up, down


@contextlib.asynccontextmanager
async def relay(link: Link, listen: str, host: str, port: int) -> AsyncIterator[int]:
    """Forward connections to `host` and `port` over that link; yield the port where phones connect."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        table_reader, table_writer = await asyncio.open_connection(host, port)
        await asyncio.gather(
            link.forward(reader, table_writer, to_table=True), link.forward(table_reader, writer, to_table=False)
        )

    server = await asyncio.start_server(connected, listen, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
