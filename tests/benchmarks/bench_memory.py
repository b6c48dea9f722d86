"""Measure memory over a long evening: `python -m tests.benchmarks memory`.

Six bots play `HANDS` hands through the Engine into a journal on disk. The process's memory after the first fifth
(everything loaded, caches full) is compared with that at the end: if an evening grew with each hand, the kernel would
kill it in the end. `REFEREE_HANDS` sets another number.

Then the pages: `MESSAGES` messages reach four open pages of an evening (table, board, wall, a phone's button), and as
many reach four pages of a hall. Memory is compared as in a soak (tests/soak). `REFEREE_MESSAGES` sets another number.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from referee.core.match.engine import LONG_FILE, Engine
from referee.core.model.events import Fact, Linked, Opened, PhoneFact
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.device.assembly import draw
from referee.device.children.page import PAGE, PageProcess, bind_sockets
from referee.device.phones.desk import Desk
from referee.device.phones.pairing import PhoneBook
from referee.hall.web import feed
from referee.protocol.page import Served
from referee.protocol.snapshot import Snapshot
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.storage.evenings.writer import Journal
from tests.benchmarks.bench_page import Nobody
from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import ROOT, Child
from tests.hall.web.house import drawn, house, playing
from tests.soak.growth import Figures, Samples, quarters, sampled
from tests.storage.evenings.memory import status_of

HANDS = int(os.environ.get("REFEREE_HANDS", "500"))
MOST_PERCENT = 10.0
"""The open evening is in memory: two MiB, if its last match is long."""
MESSAGES = int(os.environ.get("REFEREE_MESSAGES", "50000"))
MOST_MIB = 2.0
SAMPLES = 100
PAUSE_S = 0.002
"""Time in s between two views: bots in simulated time make more of them than any page can show."""
TABLES = ("table-1", "table-2")
SEATS = ("1", "2", "3", "4", "5", "6")


def resident_kib() -> int:
    """Return the resident KiB of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def wait_for_disk(journal: Journal) -> None:
    """Wait until all rows are written: bots play faster than a disk writes, and waiting rows are no leak."""
    until_s = time.monotonic() + 60
    while status_of(journal).unsaved and time.monotonic() < until_s:
        time.sleep(0.01)


def played(journal: Journal, watch: Callable[[View], object] | None = None) -> Iterator[int]:
    """Let bots play. Yield the number of hands after each match."""
    evening = Evening(Setup(), Bots(SEATS, seed=1, rematches=None), journal=journal.append, watch=watch)
    hands = begun = 0
    while True:
        records = evening.play(1)
        hands += sum(len(record.hands) for record in records)
        wait_for_disk(journal)
        if evening.engine.state.seq - begun > LONG_FILE:  # as the device does at the first touch after a match
            evening.engine.reopen()
            begun = evening.engine.state.seq
        records.clear()  # kept by the simulated table for its transcript, not by the device
        yield hands


def grown_percent(hands: int) -> float:
    """Return the growth from a fifth of the hands to all of them, in percent."""
    before = count = 0
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder), boot="evening")
        try:
            for count in played(journal):
                if not before and count >= hands // 5:
                    before = resident_kib()
                if count >= hands:
                    break
            after = resident_kib()
        finally:
            assert journal.close(60)
    print(f"{count} hands: {before} KiB after a fifth, {after} KiB at the end")
    return 100 * (after - before) / before


# -- pages -----------------------------------------------------------------------------------------------------------


class EnoughError(Exception):
    """All messages have been received."""


class NoMatch:
    """The match of a desk whose phones have no seat: they ask nothing of it."""

    def __init__(self) -> None:
        self._engine = Engine(Opened(0, "evening", Setup().document()))

    def now(self) -> State:
        return self._engine.state

    def feed(self, facts: Iterable[Fact]) -> None:
        raise AssertionError("a phone without a seat has pressed a button")

    def ask(self, fact: PhoneFact | Linked, answer: Callable[[State], object]) -> None:
        raise AssertionError("a phone without a seat has asked for something")


class Published:
    """Publishes each view, and takes samples until `MESSAGES` have been received; then raises EnoughError."""

    def __init__(self, page: PageProcess, clients: subprocess.Popen[bytes]) -> None:
        self._page, self.received, self.samples = page, 0, list[dict[str, Figures]]()
        self._reader = threading.Thread(target=self._read, args=(clients.stdout,), daemon=True)
        self._reader.start()

    def _read(self, lines: IO[bytes]) -> None:
        for line in lines:
            self.received = int(line)

    def __call__(self, view: View) -> None:
        self._page.publish(Snapshot(view, draw(view).tobytes()))
        time.sleep(PAUSE_S)
        if not self._reader.is_alive():
            raise AssertionError("the pages were closed")
        if self.received * SAMPLES > MESSAGES * len(self.samples):
            gc.collect()
            self.samples.append(sampled(os.getpid()))
        if self.received > MESSAGES:
            raise EnoughError


def of_pages() -> Samples:
    """Return samples of this process and of the page's while bots play and four pages are open."""
    sockets = bind_sockets("127.0.0.1", 0)
    address = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        book = PhoneBook(Path(name) / "phones.json")
        secret = book.pair()[1]
        desk = Desk(book, NoMatch(), lambda page, code: page)
        page = PageProcess(Served(SEATS, True, "127.0.0.1"), sockets, Nobody(), desk)
        stack.callback(page.stop)
        command = [sys.executable, "-m", "tests.soak.pages", address, secret]
        clients = stack.enter_context(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE))
        stack.callback(clients.kill)
        journal = Journal(Path(name), boot="evening")
        stack.callback(journal.close, 60)
        published = Published(page, clients)
        with contextlib.suppress(EnoughError):
            for _ in played(journal, published):
                pass
    return published.samples


async def of_hall() -> Samples:
    """Return samples of this process while the views of a hall's tables change and four of its pages are open."""
    samples: Samples = []
    with tempfile.TemporaryDirectory() as name:
        async with house(Path(name)) as hall, contextlib.AsyncExitStack() as stack:
            drawn(hall.store, hall.event)
            hall.live |= {table: playing() for table in TABLES}
            lines = []
            for query in ("live/&language=en", "live/&language=de", "wall/&language=it", "overlay/&language=en"):
                path = f"/changes?show={query}&had=none"
                lines.append((await stack.enter_async_context(hall.client.get(path))).content)
            for number in range(MESSAGES // len(lines)):
                hall.live[TABLES[number % len(TABLES)]] = playing(number)
                for line in lines:
                    while not (await line.readuntil(b"\n\n")).startswith(b"id"):
                        pass
                if number * len(lines) * SAMPLES >= MESSAGES * len(samples):
                    gc.collect()
                    samples.append(sampled(os.getpid()))
    return samples


def grown_mib(samples: Samples, program: str) -> float:
    """Return by how much the least memory of a program has grown, in MiB."""
    before, after = next((early.memory, late.memory) for name, early, late in quarters(samples) if name == program)
    print(f"{program}: {before} KiB in the second quarter, {after} KiB in the last")
    return (after - before) / 1024


def of_messages() -> Iterator[Figure]:
    """Check that messages to pages leave nothing behind, in any process."""
    own = Child(os.getpid()).program
    samples = of_pages()
    kinds = f"over {MESSAGES:,} messages, four kinds of pages"
    yield at_most(f"page's process: memory grown {kinds}", grown_mib(samples, PAGE.module), MOST_MIB, "MiB")
    yield at_most(f"device's process: memory grown {kinds}", grown_mib(samples, own), MOST_MIB, "MiB")
    feed.PERIOD_S = 0.001
    yield at_most(f"hall: memory grown {kinds}", grown_mib(asyncio.run(of_hall()), own), MOST_MIB, "MiB")


def main() -> list[Figure]:
    """Check that memory stays flat: no hand need be kept after its match, and no message after the next one."""
    hands = at_most(f"memory grown over {HANDS} hands", grown_percent(HANDS), MOST_PERCENT, "%")
    return [hands, *of_messages()]
