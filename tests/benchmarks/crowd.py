"""Run fifty clients of a page, of one kind, until killed: `python -m tests.benchmarks.crowd KIND PORT`.

They stand for phones and laptops elsewhere, which take no time of the table's own machine: so they run at the lowest
priority. `watch` is a single viewer who prints the instant (ns, CLOCK_MONOTONIC) of each verdict's picture on arrival.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from random import Random

from aiohttp import ClientSession

CLIENTS = 50
HOST = "127.0.0.1"
AGAIN_S = 0.01
"""Seconds after which a refused client tries again: greedy, but not unlimited."""
PATHS = ("/", "/api/view", "/api/openapi.json", "/table.js", "/table.css", "/icon.svg", "/live", "/nothing/of/ours")


def request(path: str, port: int, more: str = "") -> bytes:
    """Return a GET as a browser sends it, with the connection kept open."""
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n{more}\r\n".encode()


async def idle(port: int, dice: Random) -> None:
    """Open a connection and send nothing."""
    reader, _ = await asyncio.open_connection(HOST, port)
    await reader.read()


async def sockets(port: int, dice: Random) -> None:
    """Open the page's WebSocket and look on."""
    async with ClientSession() as session, session.ws_connect(f"http://{HOST}:{port}/live") as line:
        async for _ in line:
            pass


async def scores(port: int, dice: Random) -> None:
    """Keep the scoreboard open."""
    address = f"http://{HOST}:{port}/live?show=board&language=en"
    async with ClientSession() as session, session.ws_connect(address) as line:
        async for _ in line:
            pass


async def slow(port: int, dice: Random) -> None:
    """Send a request byte by byte, and read no answer."""
    reader, writer = await asyncio.open_connection(HOST, port, limit=256)
    try:
        for _ in range(20):
            writer.write(request("/api/openapi.json", port))
        for byte in request("/", port, "X-Slow: " + "x" * 2000 + "\r\n"):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)
        await reader.read(10)
    finally:
        writer.close()


async def garbage(port: int, dice: Random) -> None:
    """Send invalid requests until the server disconnects."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(dice.randbytes(dice.randrange(1, 3000)) + b"\r\n\r\n")
        await reader.read()
    finally:
        writer.close()


async def asked(port: int, path: Callable[[], str]) -> None:
    """Send requests as fast as they are answered, on one connection while it is kept."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        while True:
            writer.write(request(path(), port))
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            await reader.readexactly(int(length.split(b":")[1]))
    finally:
        writer.close()


async def openapi(port: int, dice: Random) -> None:
    """Request the largest document."""
    await asked(port, lambda: "/api/openapi.json")


async def anything(port: int, dice: Random) -> None:
    """Request every existing path and missing ones."""
    await asked(port, lambda: dice.choice(PATHS))


async def fresh(port: int, dice: Random) -> None:
    """Open a new connection for every request."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(request(dice.choice(PATHS), port, "Connection: close\r\n"))
        await reader.read()
    finally:
        writer.close()


Client = Callable[[int, Random], Awaitable[None]]
KINDS: dict[str, Client] = {
    client.__name__: client for client in (idle, sockets, scores, slow, garbage, openapi, anything, fresh)
}


async def greedy(client: Client, port: int, dice: Random) -> None:
    """Run one client, restarted whenever it is refused."""
    while True:
        try:
            await client(port, dice)
        except Exception:  # after any error the client comes again
            pass
        finally:
            await asyncio.sleep(AGAIN_S)


async def crowd(kind: str, port: int) -> None:
    """Run all clients."""
    await asyncio.gather(*(greedy(KINDS[kind], port, Random(n)) for n in range(CLIENTS)))


async def watch(port: int) -> None:
    """Run one viewer at the table's own machine."""
    async with ClientSession() as session, session.ws_connect(f"http://{HOST}:{port}/live") as line:
        async for message in line:
            if json.loads(message.data).get("table", {}).get("phase") == "Verdict":
                print(time.monotonic_ns(), flush=True)


def main(kind: str, port: str) -> None:
    """Run until killed."""
    if kind == "watch":
        return asyncio.run(watch(int(port)))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.nice(19)
    return asyncio.run(crowd(kind, int(port)))


if __name__ == "__main__":
    main(*sys.argv[1:])
