"""Fifty open scoreboards: how late each has an event; how large the first page is: `python -m tests.benchmarks scores`.

The page runs in its own process as on the device. Each event seals a hand of a long match of eight, so that the largest
parts go out; its instant is when the device publishes it, the arrival when a client has read the message. The clients
are one process of their own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from fractions import Fraction

from aiohttp import ClientSession

from referee.core.model.view import HandLine, Label, MatchSheet, PhotoLine, PhotoScreen, PlayingScreen, TeamLine, View
from referee.core.units import MS, S
from referee.web.feed import Snapshot
from referee.web.listen import bind_sockets
from referee.web.process import PageProcess
from referee.web.wire import Served
from tests.benchmarks.bench_latency import come_first
from tests.benchmarks.bench_page import Nobody, step_back
from tests.benchmarks.crowd import CLIENTS, HOST
from tests.benchmarks.figures import Figure, at_most, quantile
from tests.benchmarks.process import ROOT

EVENTS, PAUSE_S, LIMIT_MS, FIRST_PAGE_KB = 40, 0.25, 100.0, 100.0
TEAMS = tuple(Label((n + 1,), f"Player {n + 1}") for n in range(8))
STATIONS = tuple(str(n + 1) for n in range(8))
LINES = tuple(PhotoLine(label, n * 5 * MS, 300_000, ((n * 5 * MS, 80 * MS),), n == 0) for n, label in enumerate(TEAMS))
PHOTO = PhotoScreen(20 * MS, 100 * MS, LINES)


def sealed(number: int) -> Snapshot:
    """The table after so many hands; the clock says which event it is."""
    hands, totals = [], [Fraction(0)] * len(TEAMS)
    for hand in range(1 + number % 20):
        row = tuple(Fraction((hand * 7 + at * 5 + number) % 40 - 6) for at in range(len(TEAMS)))
        totals = [total + score for total, score in zip(totals, row, strict=True)]
        hands.append(HandLine("call", (hand % 8,), row, tuple(totals), (hand % 8,), (), (PHOTO,)))
    lines = tuple(TeamLine(label, totals[at], at + 1, False, hands[-1].scores[at]) for at, label in enumerate(TEAMS))
    match = MatchSheet("NNA Nertz", 500, TEAMS, lines, (Fraction(0),) * len(TEAMS), tuple(hands))
    return Snapshot(View(0, number, "PLAYING", PlayingScreen(1, 500, number * S, lines), (), match=match))


async def clients(port: int) -> None:
    """Fifty open scoreboards; prints the event (its clock) and the arrival, ns, of each message."""

    async def one() -> None:
        address = f"http://{HOST}:{port}/live?show=board&language=en"
        async with ClientSession() as session, session.ws_connect(address) as line:
            async for message in line:
                arrived_ns = time.monotonic_ns()
                clock = json.loads(message.data)["board"].get("clock")
                if clock:
                    print(clock, arrived_ns, flush=True)

    await asyncio.gather(*(one() for _ in range(CLIENTS)))


def measured() -> tuple[list[int], int]:
    """How late each client had each event, ns; how many bytes the first page is with all that it needs."""
    sockets = bind_sockets(HOST, 0)
    port = sockets[0].getsockname()[1]
    page = PageProcess(Served(STATIONS, False, HOST), sockets, Nobody())
    command = [sys.executable, "-m", "tests.benchmarks.bench_scores", str(port)]
    published: dict[str, int] = {}
    try:
        page.publish(sealed(0))
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as crowd:
            assert crowd.stdout is not None
            try:
                for _ in range(CLIENTS):
                    crowd.stdout.readline()  # each has what there was when it came
                step_back(page.pid)
                for number in range(1, EVENTS + 1):
                    published[f"{number // 60}:{number % 60:02}"] = time.monotonic_ns()
                    page.publish(sealed(number))
                    time.sleep(PAUSE_S)
                told = [crowd.stdout.readline().split() for _ in range(EVENTS * CLIENTS)]
            finally:
                crowd.kill()
        files = ("/scores", "/book.css", "/board.css", "/board.js", "/line.js", "/icon.svg")
        size = sum(len(urllib.request.urlopen(f"http://{HOST}:{port}{path}").read()) for path in files)
    finally:
        page.stop()
    return [int(arrived_ns) - published[clock] for clock, arrived_ns in told], size


def main() -> list[Figure]:
    """The figures of one run."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    print(come_first())
    try:
        late, size = measured()
    finally:
        os.sched_setscheduler(0, *before)
    return [
        at_most(f"an event at {CLIENTS} open scoreboards (p95)", quantile(late, 0.95) / MS, LIMIT_MS, "ms"),
        at_most("the scoreboard with style and script", size / 1000, FIRST_PAGE_KB, "kB"),
    ]


if __name__ == "__main__":
    asyncio.run(clients(int(sys.argv[1])))
