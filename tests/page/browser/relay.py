"""A TCP relay that delays what it forwards, each way by itself, and keeps the order: a phone's wireless link."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Piece:
    """A piece of a connection: when it arrived at the relay and when it left it, in ns.

    content: as sent; browsers mask what they send (`messages`).
    """

    to_table: bool
    arrived_ns: int
    left_ns: int
    content: bytes

    @property
    def delay_ns(self) -> int:
        return self.left_ns - self.arrived_ns

    @property
    def messages(self) -> list[Any]:
        """Return the short WebSocket messages of JSON objects that the piece contains."""
        found, rest = [], self.content
        while len(rest) > 2 and rest[0] == 0x81:
            size, mask, rest = rest[1] & 0x7F, rest[1] >> 7, rest[2:]
            if size > 125:
                wide = 2 if size == 126 else 8
                size, rest = int.from_bytes(rest[:wide], "big"), rest[wide:]
            key, rest = (rest[:4], rest[4:]) if mask else (bytes(4), rest)
            text, rest = bytes(byte ^ key[n % 4] for n, byte in enumerate(rest[:size])), rest[size:]
            with contextlib.suppress(ValueError):
                found.append(json.loads(text))
        return found


@dataclass
class Link:
    """One phone's link to the table. delay_s: returns how long the next piece is delayed, in s."""

    delay_s: Callable[[], float]
    pieces: list[Piece] = field(default_factory=list)

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
                self.pieces.append(Piece(to_table, arrived_ns, time.monotonic_ns(), piece))
                writer.write(piece)
                await writer.drain()
        writer.close()

    def first(self, since_ns: int, *, to_table: bool, containing: bytes = b"") -> Piece:
        """Return the first piece in that direction that arrived since then and contains that."""
        return next(
            piece
            for piece in self.pieces
            if piece.to_table is to_table and piece.arrived_ns >= since_ns and containing in piece.content
        )


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
