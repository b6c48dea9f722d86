"""The simulated table's own line, from its own machine: `python -m tests.web.browser.table_line PORT`.

What comes on standard input goes down the WebSocket, what the table says stands on standard output, a line each.
"""

from __future__ import annotations

import asyncio
import sys

from aiohttp import ClientSession


async def relay(port: str) -> None:
    """Until either end closes."""
    address = f"http://localhost:{port}"
    async with ClientSession(headers={"Origin": address}) as session, session.ws_connect(f"{address}/live") as line:
        telling = asyncio.ensure_future(_tell(line))
        while text := await asyncio.to_thread(sys.stdin.readline):
            await line.send_str(text.strip())
        telling.cancel()


async def _tell(line: object) -> None:
    async for message in line:  # type: ignore[attr-defined]
        print(message.data, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1]))
