"""Clients of a table's page, one of each kind: table, scoreboard, wall, a phone as a button, and a guest who browses.

`python -m tests.soak.pages ADDRESS SECRET` runs those that only look on, and prints the number of messages so far.

The table's page may press the buttons, so the bots play while it is open. The phone has the seat of a bot, which also
presses the wired button there: both are heard.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count
from random import Random
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse

PATHS = (
    "/",
    "/scores",
    "/wall?language=it",
    "/api/view",
    "/api/history",
    "/history",
    "/history/last",
    "/statistics",
    "/join",
    "/rules",
    "/setup",
    "/phone",
    "/table.js",
    "/nothing",
)
BROWSED_S = 1.0
"""Pause in s between two requests of the guest; each tenth opens and closes a live page, too."""
REACTION_S = (0.1, 0.6)
NAME = "Zoë"


class Pages:
    """The open pages of one table.

    phases: how often each phase has begun. messages: how many each kind of page has received.
    """

    def __init__(self, address: str, secret: str, *, plays: bool = True) -> None:
        """`secret`: of a paired phone. plays: it takes a seat, and a guest requests pages."""
        self.address, self._plays = address, plays
        self.phases: Counter[str] = Counter()
        self.messages: Counter[str] = Counter()
        self._cookie = {"Cookie": f"phone={secret}"}
        self._dice = Random(1)

    @property
    def hands(self) -> int:
        """Return the number of hands that have begun."""
        return self.phases["playing"]

    async def run(self) -> None:
        """Keep all pages open until cancelled. The table may still be starting."""
        host, port = self.address.rpartition("/")[2].split(":")
        while True:
            with contextlib.suppress(ConnectionRefusedError):
                (await asyncio.open_connection(host, int(port)))[1].close()
                break
            await asyncio.sleep(0.1)
        async with (
            ClientSession(self.address, headers={"Origin": self.address}) as session,
            asyncio.TaskGroup() as all_,
        ):
            all_.create_task(self._table(session))
            all_.create_task(self._show(session, "board", "de"))
            all_.create_task(self._show(session, "wall", "en"))
            all_.create_task(self._phone(session))
            if self._plays:
                all_.create_task(self._browse(session))

    async def _messages(self, line: ClientWebSocketResponse, kind: str) -> AsyncIterator[dict[str, Any]]:
        async for message in line:
            self.messages[kind] += 1
            yield json.loads(message.data)
        raise ConnectionError(f"the table has closed its {kind} page")

    async def _table(self, session: ClientSession) -> None:
        seated = not self._plays
        async with session.ws_connect("/live") as line:
            async for message in self._messages(line, "table"):
                face = message.get("table", {})
                if "asks" in face:
                    self.phases[face["asks"]] += 1
                if not seated and any(plate[0] for plate in face.get("seats", ())):
                    seated = await self._sit(session, [bool(plate[0]) for plate in face["seats"]].index(True) + 1)

    async def _sit(self, session: ClientSession, seat: int) -> bool:
        async with session.post("/api/seat", json={"seat": seat, "name": NAME}, headers=self._cookie) as answer:
            return answer.status == 200

    async def _show(self, session: ClientSession, show: str, language: str) -> None:
        async with session.ws_connect(f"/live?show={show}&language={language}") as line:
            async for _ in self._messages(line, show):
                pass

    async def _phone(self, session: ClientSession) -> None:
        """Answer for the clock, and touch the screen whenever the table waits for those who are not ready."""
        async with session.ws_connect("/live?button=", headers=self._cookie) as line, AsyncExitStack() as stack:
            numbers = count(1)
            async for message in self._messages(line, "phone"):
                if "clock" in message:
                    await line.send_json({"clock": message["clock"], "at": _now_ms()})
                if message.get("table", {}).get("asks") == "ready":
                    task = asyncio.create_task(self._touch(line, next(numbers)))
                    stack.callback(task.cancel)

    async def _touch(self, line: ClientWebSocketResponse, number: int) -> None:
        await asyncio.sleep(self._dice.uniform(*REACTION_S))
        for down in (True, False):
            at = _now_ms()
            await line.send_json({"touch": down, "at": at, "seen": at, "id": 2 * number + down})
            await asyncio.sleep(0.08)

    async def _browse(self, session: ClientSession) -> None:
        """Request all pages in turn."""
        for number in count():
            async with session.get(PATHS[number % len(PATHS)], headers=self._cookie) as answer:
                await answer.read()
            self.messages["browsed"] += 1
            if number % 10 == 0:
                async with session.ws_connect("/live?language=it") as line:
                    await line.receive()
            await asyncio.sleep(BROWSED_S)


def _now_ms() -> float:
    return time.monotonic() * 1000


async def watch(address: str, secret: str) -> None:
    """Look on, and print the number of all messages ten times a second."""
    pages = Pages(address, secret, plays=False)
    looking = asyncio.create_task(pages.run())
    while not looking.done():
        await asyncio.wait([looking], timeout=0.1)
        print(pages.messages.total(), flush=True)
    looking.result()


if __name__ == "__main__":
    asyncio.run(watch(*sys.argv[1:]))
