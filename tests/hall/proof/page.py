"""The page of standings, read through HAProxy with the configuration of docs/halls.md."""

from __future__ import annotations

import asyncio
import html
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp

from referee.hall.decide import standings
from referee.hall.model import Event
from tests.hall.brokers import free_port
from tests.hall.proof.parts import Part, WrongError

PROXY = shutil.which("haproxy", path="/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin")
DOCUMENT = Path(__file__).parents[3] / "docs" / "halls.md"
PATIENCE_S = 15.0
AGAIN_S = 0.05
_LINE = re.compile(r'<tr[^>]*><td class="n">(\d+)</td><th scope="row">([^<]+)')


class Page(Part):
    """HAProxy in front of halls. waits_s: for each check, how long it took until the page was right."""

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        assert PROXY is not None
        self._port, config = free_port(), folder / "haproxy.cfg"
        text = DOCUMENT.read_text().partition("```haproxy\n")[2].partition("```")[0]
        text = text.replace("bind :80", f"bind 127.0.0.1:{self._port}").replace("hall.example", "127.0.0.1")
        lines = [line.strip() for line in text.splitlines() if "hall-b:" not in line]
        each = [[line.replace("a hall-a:8090", f"{port} 127.0.0.1:{port}") for port in ports] for line in lines]
        config.write_text("".join(f"{line}\n" for made in each for line in dict.fromkeys(made)))
        super().__init__([PROXY, "-db", "-f", str(config)], folder / "haproxy.log")
        self.waits_s: list[float] = []

    async def check(self, event: Event) -> None:
        """Read the page until it shows an event's standings. Raises WrongError if it never does."""
        names = {entry.number: entry.name for entry in event.entries}
        expected = [(str(one.place), names[one.entry]) for one in standings(event)]
        begun_s, seen = time.monotonic(), ""
        while True:
            try:
                async with aiohttp.request("GET", f"http://127.0.0.1:{self._port}/standings") as answer:
                    seen = f"{answer.status} {await answer.text()}"
            except aiohttp.ClientError as error:
                seen = str(error)
            waited_s = time.monotonic() - begun_s
            if (
                seen.startswith("200")
                and [(place, html.unescape(name)) for place, name in _LINE.findall(seen)] == expected
            ):
                self.waits_s.append(waited_s)
                return
            if waited_s > PATIENCE_S:
                raise WrongError(f"the page of standings is wrong after {waited_s:.0f} s: {seen[:2000]}")
            await asyncio.sleep(AGAIN_S)
