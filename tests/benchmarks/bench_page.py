"""Measure the verdict's picture with fifty clients of the page: `python -m tests.benchmarks page`.

The table of `bench_latency`, with a page and a panel. Each kind of crowd (`crowd.py`) comes for a while, and goes;
before each of them the table plays alone, so that both are measured in the same minute. Two pictures are timed, both
from the verdict's deadline: the panel's, and the page's on arrival at the table's own viewer.

A picture waits for its durable row, and no crowd uses the disk: the journal is in memory where there is such a folder,
or the disk's other users would be measured. `bench_latency` measures with the disk.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median

from referee.core.units import MS
from referee.device.children.page import PageProcess, bind_sockets
from referee.device.page import _on_thread
from referee.device.page_output import PageOutput
from referee.protocol.page import Served
from tests.benchmarks.bench_latency import PLAYERS, Table, come_first
from tests.benchmarks.crowd import KINDS
from tests.benchmarks.figures import Figure, at_most, quantile
from tests.benchmarks.process import ROOT

CALLS = 60
"""Calls under each kind of crowd, and as many without one."""
MEDIAN_TIMES, P95_TIMES, P95_MS = 1.5, 2.0, 50.0
SETTLE_S = 1.0
"""Seconds until a crowd has connected."""
MEMORY = Path("/dev/shm")


@contextmanager
def client(kind: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run such clients in their own process."""
    command = [sys.executable, "-m", "tests.benchmarks.crowd", kind, str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Nobody:
    """Controls that ignore all input."""

    def contact(self, name: str, closed: bool) -> None:
        """See Controls."""

    def turn(self, steps: int) -> None:
        """See Controls."""

    def card(self, seat: int, move: str) -> None:
        """See Controls."""

    def hasten(self, times: int) -> None:
        """See Controls."""

    def visitors(self, count: int) -> None:
        """See Controls."""


def step_back(pid: int | None) -> None:
    """Lower the page's priority below the referee's and above the crowd's."""
    if os.sched_getscheduler(0) == os.SCHED_FIFO and pid is not None:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
        os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(1))


class Timed:
    """The two pictures of each call, in ns after the verdict's deadline."""

    def __init__(self) -> None:
        self.panel: list[int] = []
        self.page: list[int] = []

    def figures(self, none: Timed, kind: str) -> Iterator[Figure]:
        for name in ("panel", "page"):
            mine, alone = getattr(self, name), getattr(none, name)
            where = f"verdict due to {name}, 50 {kind}"
            yield at_most(f"{where} (median)", median(mine) / median(alone), MEDIAN_TIMES, "x", "no client")
            yield at_most(f"{where} (p95)", quantile(mine, 0.95) / quantile(alone, 0.95), P95_TIMES, "x", "no client")
            yield at_most(f"{where} (p95)", quantile(mine, 0.95) / MS, P95_MS, "ms")


async def timed(table: Table, viewer: subprocess.Popen[bytes], count: int) -> Timed:
    """Time `count` calls."""
    found = Timed()
    assert viewer.stdout is not None
    for n in range(count):
        call = await table.call(PLAYERS[n % len(PLAYERS)])
        seen_ns = int(await asyncio.wait_for(asyncio.to_thread(viewer.stdout.readline), 10))
        found.panel.append(call.drawn_ns)
        found.page.append(seen_ns - table.due_ns)
    return found


@asynccontextmanager
async def with_page() -> AsyncIterator[tuple[Table, subprocess.Popen[bytes], int]]:
    """Yield a table with a page and a panel, the table's own viewer, and the page's port."""
    sockets = bind_sockets("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    page = PageProcess(Served(PLAYERS, True, "127.0.0.1"), sockets, Nobody())
    output = PageOutput(page, (128, 64), _on_thread)
    try:
        memory = MEMORY if MEMORY.is_dir() else None
        with tempfile.TemporaryDirectory(dir=memory) as folder, client("watch", port) as viewer:
            table = Table(Path(folder), None, [output])
            try:
                await timed(table, viewer, 5)
                step_back(page.pid)
                yield table, viewer, port
            finally:
                table.close()
    finally:
        output.close()
        page.stop()


async def measured(kinds: list[str]) -> dict[str, tuple[Timed, Timed]]:
    """Measure each kind without it and with it."""
    found = {}
    async with with_page() as (table, viewer, port):
        for kind in kinds:
            none = await timed(table, viewer, CALLS)
            with client(kind, port):
                await asyncio.sleep(SETTLE_S)
                found[kind] = none, await timed(table, viewer, CALLS)
            line(kind, *found[kind])
    return found


def line(kind: str, none: Timed, crowd: Timed) -> None:
    """Print the result."""
    for name in ("panel", "page"):
        spreads = []
        for values in (getattr(none, name), getattr(crowd, name)):
            spreads.append(f"{median(values) / MS:.1f} / {quantile(values, 0.95) / MS:.1f} / {max(values) / MS:.1f}")
        print(f"{kind}, {name}: median / p95 / worst {spreads[1]} ms, none {spreads[0]} ms", flush=True)


def main() -> list[Figure]:
    """Measure every kind."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    print(come_first())
    try:
        found = asyncio.run(measured(list(KINDS)))
    finally:
        os.sched_setscheduler(0, *before)
    return [figure for kind, (none, crowd) in found.items() for figure in crowd.figures(none, kind)]


if __name__ == "__main__":
    main()
