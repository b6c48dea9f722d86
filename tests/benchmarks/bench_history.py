"""Measure commands and pages with 10, 1,000 and 10,000 past matches: `python -m tests.benchmarks history`.

The records vary in people, hands, scores and times, and have photo finishes like real ones. Measured in turns, so that
other load affects all; medians.
"""

from __future__ import annotations

import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from aiohttp.test_utils import TestClient, TestServer

from referee.core.documents.chronicle import records
from referee.core.documents.record import Record
from referee.core.values import Json, replace
from referee.device.page import past_of
from referee.page.app import create_app
from referee.page.feed import Feed
from referee.page.history_reader import PATIENCE_S, PastFeed
from referee.page.site import Site
from referee.storage.records.recordfile import file_name, text_of
from referee.storage.records.store import Records
from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import ROOT
from tests.core.documents.test_figures import a_match
from tests.core.evenings import played

FEW, MANY, MOST = 10, 1_000, 10_000
RATIO, LONGEST_S = 1.5, 2.0
ROUNDS = 5
NAMES = ("Anna", "Ben", "Max", "Lea", "Zoë", "Jonas", "Mia", "Paul", "Ida", "Tom", "Eva", "Karl")
BEGUN_S = 1_500_000_000
NICE_0, NICE_10 = 1024, 110
"""Linux scheduler weights of a program at nice 0 and at nice 10, the page's."""
OTHERS = 3
"""Programs that keep each core busy while a visitor waits for the page of past evenings."""


def varied(dice: random.Random) -> Record:
    """Return a match of two to six people, of at most 12 hands or to its end, with photo finishes."""
    people, target = dice.sample(NAMES, dice.randint(2, 6)), dice.choice([60, 10_000])
    hands: list[Json] = []
    match = a_match(people, hands, options={"target": target})
    for _ in range(dice.randint(3, 12)):
        if match.winners:
            break
        caller = dice.choice(people)
        counts = {name: [dice.randint(0, 25), 0 if name == caller else dice.randint(1, 13)] for name in people}
        hands.append({"end": "call", "callers": [caller], "counts": counts})
        match = a_match(people, hands, options={"target": target})
    (call,) = records(played(), {})[0].hands[0].calls[:1]
    presses = tuple(replace(press, seat=n) for n, press in enumerate(call.presses[: len(people)], 1))
    return replace(match, hands=tuple(replace(hand, calls=(replace(call, presses=presses),)) for hand in match.hands))


def matches(count: int) -> Iterator[Record]:
    """Yield that many matches, four per evening."""
    dice = random.Random(1)
    kinds = [varied(dice) for _ in range(100)]
    for n in range(count):
        begun_s = BEGUN_S + n // 4 * 86_400 + n % 4 * 3_000
        times = replace(dice.choice(kinds), id=f"match {n}", begun_s=begun_s)
        yield replace(times, ended_s=begun_s + dice.randint(600, 2_500))


def device(state: Path, count: int) -> Path:
    """Write a state directory with that many records and no index."""
    (state / "records").mkdir(parents=True)
    for n, record in enumerate(matches(count), 1):
        (state / "records" / file_name(str(n))).write_bytes(text_of(record, "2026-11-26_1930"))
    return state


def command(*words: str) -> Callable[[Path], float]:
    """Return the seconds of a command."""

    def run(state: Path) -> float:
        begun = time.perf_counter()
        line = [sys.executable, "-m", "referee", *words, "--state", str(state)]
        subprocess.run(line, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun

    return run


def page(path: str) -> Callable[[Path], float]:
    """Return the seconds until a first request for a page is answered."""

    @asynccontextmanager
    async def served(state: Path):  # type: ignore[no-untyped-def]
        app = create_app(Site(Feed(("1", "2")), past=PastFeed(past_of(state))))
        async with TestClient(TestServer(app)) as client:
            yield client

    async def ask(state: Path) -> float:
        async with served(state) as client:
            begun = time.perf_counter()
            async with client.get(path) as answer:
                assert answer.status == 200
                await answer.read()
            return time.perf_counter() - begun

    return lambda state: asyncio.run(ask(state))


def indexed(state: Path) -> float:
    """Return the processor seconds of the page's program when the index is lost."""
    (state / "records" / "index.jsonl").unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*past_of(state), "page", "1"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def add_all(count: int) -> float:
    """Return the seconds for importing that many matches, one by one."""
    with tempfile.TemporaryDirectory() as name:
        there = Records(Path(name))
        begun = time.perf_counter()
        for record in matches(count):
            there.add(record)
        return (time.perf_counter() - begun) / count


def main() -> list[Figure]:
    """Measure each in turn at all devices."""
    works = {
        "history": command("history"),
        "history --player": command("history", "--player", "Anna"),
        "history --stats": command("history", "--stats"),
        "export": command("export", "5"),
        "page /history": page("/history"),
        "page /history/5": page("/history/5"),
        "page /statistics": page("/statistics"),
    }
    figures = []
    with tempfile.TemporaryDirectory() as name:
        few, many, most = (device(Path(name) / str(count), count) for count in (FEW, MANY, MOST))
        lost_s = indexed(most)
        behind_s = lost_s * OTHERS * NICE_0 / NICE_10
        Records(few).list(), Records(many).list()
        for what, work in works.items():
            rounds = [(work(few), work(many), work(most)) for _ in range(ROUNDS)]
            short, long, longest = (median(spent) for spent in zip(*rounds, strict=True))
            print(f"{what} (absolute): {short * 1000:.0f}, {long * 1000:.0f} and {longest * 1000:.0f} ms")
            figures.append(at_most(f"{what} at {MANY:,} matches", long / short, RATIO, "x", f"at {FEW}"))
            figures.append(at_most(f"{what} at {MOST:,} matches", longest, LONGEST_S, "s"))
        figures.append(
            at_most(f"index of {MOST:,} made behind {OTHERS} others", behind_s / PATIENCE_S, 1.0, "of the wait")
        )
    figures.append(at_most(f"import, a match of {MANY:,}", add_all(MANY) / add_all(MANY // 10), 2.0, "x", "of 100"))
    return figures
