"""Measure what a match of ten hands writes to the disk, in fast time, and how soon a row is durable.

    python -m tests.benchmarks.bench_written [--dir DIR] [--hands N]

Four bots play, with every edge row as contacts give it; the loop is the product's (`Live`), the journal its file,
written by its own thread, and every commit is waited for before time goes on. If possible (root, a loop device) the
disk is a separate ext4 file system, and the sectors of its block device are counted, including the file system's own
journal and metadata; elsewhere the pages that this process has made the kernel write (`/proc/self/io`), without the
file system's share. It is played three times: once only the journal's own syncs are written, once the file system is
synced as often as the kernel does under the package's settings, and once every 30 s of the evening, as the kernel does
by default.

Rows alone are then appended one by one, to a calm disk and to one that stalls; a page and a sync are the yardstick. DIR
should be on a real disk: on a tmpfs a sync costs nothing.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from referee.core.match.engine import Engine
from referee.core.model.events import Opened
from referee.core.model.state import State
from referee.core.model.table import Setup, Table
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.device.live import Live
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.contacts import Action, Move
from referee.simulator.table.evening import ERR_NS, IDLE_NS, START_NS, StuckError
from referee.storage.evenings.folder import compress, evenings_in
from referee.storage.evenings.writer import Journal
from referee.storage.records.keeper import Keeper
from referee.storage.records.store import Records
from tests.benchmarks.figures import Figure, at_most, quantile, spread_ms, table
from tests.benchmarks.process import Child
from tests.core.evenings import NAMES
from tests.device.one_thread import Loop
from tests.device.test_live import Seen
from tests.storage.evenings.memory import status_of

HANDS = 10
MOST_KIB = 1400
"""Limit of the KiB written by syncs, including the file system's own; with SQLite it was 2,232 KiB without the record.
"""
MOST_BY_HAND_KIB = 1800
"""The KiB written with the kernel's default settings; only the package's settings keep the limit."""
WRITEBACK_NS = 30 * S
"""Time after which Linux writes unsynced data by default."""
PACKAGED = Path(__file__).parent.parent.parent / "systemd" / "referee.sysctl"
"""The package's setting of that time (`vm.dirty_expire_centisecs`)."""
SECTOR = 512
DISK_BYTES = 64 << 20


class Played:
    """A table with a journal in `folder` and simulated time."""

    def __init__(self, folder: Path, hands: int, writeback_ns: int) -> None:
        self._folder, self._hands = os.open(folder, os.O_RDONLY), hands
        self.loop, self.seen = Loop(START_NS), Seen()
        self.commits, self._writeback_ns = 0, writeback_ns
        self.journal = Journal(folder, "evening", report=self._durable, hook=self._commit)
        self.keeper = Keeper(Records(folder), print)
        self._booked: Table | None = None
        setup = Setup(names=NAMES, options=(("target", 10_000),))
        self.live = Live(
            Engine(Opened(START_NS, "evening", setup.document())),
            self.journal,
            self.seen,
            clock=self.loop.clock,
            drain=lambda: None,
            slack_ns=ERR_NS,
            kept=self._kept,
        )
        self.bots = Bots([str(n) for n in range(1, 5)], 3, pace_percent=100)
        self.bots.deal_by(lambda: cards_of(self.live.engine.state.table))
        self._synced_ns = START_NS
        self.live.start(self.loop)
        self._settle()

    def _durable(self, seq: int) -> None:
        self.live.durable(seq)

    def _kept(self, state: State) -> None:
        if state.table is not self._booked:
            self._booked = state.table
            self.keeper.take(state, self.journal.walls, (self.journal.name, self.journal.id))

    def _commit(self) -> None:
        self.commits += 1

    def play(self) -> None:
        """Play until that many hands are in the book."""
        moved_ns = START_NS
        while len(self.live.engine.state.table.hands) < self._hands:
            times = [t for t in (self.bots.next_ns(), self.loop.due_ns) if t is not None]
            if not times or min(times) > moved_ns + IDLE_NS:
                raise StuckError(f"nobody has moved since {moved_ns} ns")
            at_ns = max(self.loop.now_ns, min(times))
            self._written_by(at_ns)
            self.loop.until(at_ns)
            for action in self.bots.moves(at_ns):
                moved_ns = at_ns
                self.live.feed([_fact(action)])
            self.loop.until(at_ns)
            self._settle()

    def _settle(self) -> None:
        """Wait until all rows are durable and shown, and the bots have seen it."""
        while status_of(self.journal).kind != "ok":
            time.sleep(0)
        self.loop.until(self.loop.now_ns)
        self.live.step()
        if self.seen.views:
            self.bots.look(self.seen.views[-1], self.loop.now_ns)

    def _written_by(self, at_ns: int) -> None:
        """Sync as the kernel does by itself until then."""
        if self._writeback_ns and at_ns >= self._synced_ns + self._writeback_ns:
            self._synced_ns = at_ns
            ctypes.CDLL(None).syncfs(self._folder)

    def close(self) -> None:
        """End the evening."""
        self.live.stop()
        assert self.keeper.close()
        assert self.journal.close()
        ctypes.CDLL(None).syncfs(self._folder)
        os.close(self._folder)


def _fact(action: Action) -> Edge:
    assert isinstance(action, Move)
    return Edge(action.contact, action.closed, action.t_ns, ERR_NS)


@contextmanager
def own_disk(folder: Path) -> Iterator[tuple[Path, Path] | None]:
    """Mount an ext4 file system in a file below the folder.

    Yield its block device's counters, or None.
    """
    image, there = folder / "disk.img", folder / "disk"
    there.mkdir()
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    try:
        subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, there], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        number = there.stat().st_dev
        yield there, Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat")
    finally:
        subprocess.run(["umount", there], check=True)


def _sectors(counters: Path | None) -> int:
    return int(counters.read_text().split()[6]) * SECTOR if counters else 0


def measured(folder: Path, hands: int, counters: Path | None, writeback_ns: int) -> tuple[float, float, int, int]:
    """Return KiB given to the block device (0: not known), KiB of pages, commits, rows."""
    libc = ctypes.CDLL(None)
    played = Played(folder, hands, writeback_ns)  # an empty journal is made once in a device's life, not per match
    libc.syncfs(played._folder)
    sectors, pages, commits = _sectors(counters), Child(os.getpid()).written(), played.commits
    played.play()
    rows, count = played.live.engine.state.seq, played.commits - commits
    played.close()
    compress(evenings_in(folder))
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        libc.syncfs(fd)
        os.close(fd)
    return (_sectors(counters) - sectors) / 1024, (Child(os.getpid()).written() - pages) / 1024, count, rows


def packaged_ns() -> int:
    """Return the package's time after which the kernel writes unsynced data."""
    (found,) = re.findall(r"^vm\.dirty_expire_centisecs = (\d+)$", PACKAGED.read_text(encoding="utf-8"), re.MULTILINE)
    return int(found) * 10 * MS


def plain_sync(directory: Path, count: int) -> list[int]:
    """Return the disk's times for a page and a sync, in ns."""
    spent = []
    with (directory / "yardstick").open("wb", buffering=0) as file:
        for _ in range(count):
            start = time.perf_counter_ns()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            spent.append(time.perf_counter_ns() - start)
    return spent


def latencies(state: Path, count: int, stall: Callable[[], object] | None) -> tuple[list[int], list[int]]:
    """Append one row at a time.

    Return ns until `append` returns, and ns until its number is reported durable.
    """
    durable = threading.Event()
    journal = Journal(state, "boot", report=lambda seq: durable.set(), hook=stall)
    taken, saved = [], []
    for seq in range(1, count + 1):
        durable.clear()
        start = time.perf_counter_ns()
        journal.append([(seq, Opened(0, "boot", {}) if seq == 1 else Edge("1", True, seq))])
        taken.append(time.perf_counter_ns() - start)
        durable.wait()
        saved.append(time.perf_counter_ns() - start)
    journal.close()
    return taken, saved


def latency_figures(directory: Path) -> list[Figure]:
    """Measure append to durable, on a calm disk and with stalls."""
    disk = plain_sync(directory, 200)
    taken, saved = latencies(directory / "calm", 400, None)
    print(f"one page and a sync: {spread_ms(disk)}\nappend to durable: {spread_ms(saved)}")
    ratio = statistics.median(saved) / statistics.median(disk)
    figures = [
        at_most("journal: append to durable", ratio, 2.5, "×", "a page and a sync on this disk (medians)"),
        at_most("journal: append returns, p99", quantile(taken, 0.99) / MS, 1, "ms"),
    ]
    for stall_ms in (50, 300):
        taken, _ = latencies(directory / f"stall{stall_ms}", 15, partial(time.sleep, stall_ms / 1e3))
        most = max(taken) / MS
        figures.append(at_most(f"journal: append returns, sync stalled {stall_ms} ms, largest", most, 5, "ms"))
    return figures


def main(argv: Sequence[str] = ()) -> list[Figure]:
    """Play, and compare what was written with the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, help="where to write (a new directory below the system's temporary one)")
    parser.add_argument("--hands", type=int, default=HANDS)
    given = parser.parse_args(argv)
    figures = []
    for what, writeback_ns, most in (
        ("synced", 0, MOST_KIB),
        ("and by the kernel as the package has it", packaged_ns(), MOST_KIB),
        ("and by the kernel every 30 s", WRITEBACK_NS, MOST_BY_HAND_KIB),
    ):
        with tempfile.TemporaryDirectory(dir=given.dir) as name, own_disk(Path(name)) as disk:
            folder, counters = disk or (Path(name), None)
            block, pages, commits, rows = measured(folder, given.hands, counters, writeback_ns)
        device = f"{block:,.0f} KiB to the block device" if disk else "no block device of its own could be made"
        print(f"{given.hands} hands, {what}: {rows:,} rows in {commits:,} commits, {pages:,.0f} KiB of pages, {device}")
        against = "sectors of ext4's device" if disk else "the process's pages"
        written, limit = (block if disk else pages), most * given.hands / HANDS
        figures.append(at_most(f"written in a match of {given.hands} hands, {what}", written, limit, "KiB", against))
    with tempfile.TemporaryDirectory(dir=given.dir) as name:
        return figures + latency_figures(Path(name))


if __name__ == "__main__":
    print(table(main(sys.argv[1:])))
