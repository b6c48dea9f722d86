"""The journal's figures: how fast a row is durable, how fast a recorded evening is read, and how quiet it is when idle.

    python -m tests.benchmarks.bench_journal [--dir DIR] [--rows N]

Ratios compare two things of the same run and travel between machines; absolutes are this machine's, and marked so.
DIR should lie on a real disk: on a tmpfs a sync costs nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.core.model.events import Event, Opened, Ruled, Tick
from referee.core.presses.arbiter import CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.core.stored import decode, encode
from referee.drivers.evenings.folder import evenings_in, find_latest
from referee.drivers.evenings.writer import Journal, JournalRow
from tests.benchmarks.figures import Figure, at_least, at_most, quantile, table

MS = 1e6
CALLED = tuple(CalledPress(str(n), str(n), 10**14 + n, 2_000) for n in range(3))
RULED = Ruled(10**14, Verdict("tie", False, ("0", "1"), "0", 20_000_000, 10**14, CALLED, ((CALLED[0], True),), ()))


def evening(count: int) -> list[JournalRow]:
    """As many rows as asked, in an evening's proportions: edges, two deadlines for every three, a verdict in 200."""
    rows: list[JournalRow] = [(1, Opened(0, "boot", {"preset": "nna", "names": {}}))]
    for seq in range(2, count + 1):
        t_ns = 10**14 + seq * 1_000_000
        event: Event = Edge(str(seq % 8), seq % 2 == 0, t_ns, 50_000) if seq % 5 < 3 else Tick(t_ns)
        rows.append((seq, RULED if seq % 200 == 0 else event))
    return rows


def plain_sync(directory: Path, count: int) -> list[float]:
    """What the disk itself needs for a page and a sync, in ms: the yardstick for the commits."""
    spent = []
    with (directory / "yardstick").open("wb", buffering=0) as file:
        for _ in range(count):
            start = time.perf_counter_ns()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            spent.append((time.perf_counter_ns() - start) / MS)
    return spent


def latencies(state: Path, count: int, stall: Callable[[], object] | None) -> tuple[list[float], list[float]]:
    """One row at a time: ms until `append` returns, and ms until its number is reported durable."""
    durable = threading.Event()
    journal = Journal(state, "boot", report=lambda seq: durable.set(), hook=stall)
    taken, saved = [], []
    for seq in range(1, count + 1):
        durable.clear()
        start = time.perf_counter_ns()
        journal.append([(seq, Opened(0, "boot", {}) if seq == 1 else Edge("1", True, seq))])
        taken.append((time.perf_counter_ns() - start) / MS)
        durable.wait()
        saved.append((time.perf_counter_ns() - start) / MS)
    journal.close()
    return taken, saved


def rate(count: int, work: Callable[[], object]) -> float:
    """Items a second, the best of three."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return count / best


def idle(state: Path, seconds: float) -> tuple[float, int]:
    """The journal's thread left alone: voluntary switches a second, and bytes written to the disk."""
    journal = Journal(state, "boot")
    journal.append([(1, Opened(0, "boot", {}))])
    while journal.status().kind != "ok":
        time.sleep(0.01)
    time.sleep(0.2)
    thread = next(t for t in threading.enumerate() if t.name == "journal")
    before = (_switches(thread), _written())
    time.sleep(seconds)
    after = (_switches(thread), _written())
    journal.close()
    return (after[0] - before[0]) / seconds, after[1] - before[1]


def _switches(thread: threading.Thread) -> int:
    lines = Path(f"/proc/self/task/{thread.native_id}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary"))


def _written() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes"))


def main(argv: Sequence[str] = ()) -> list[Figure]:
    """Measure, print the distributions, and give the figures with their limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, help="where to write (a new directory below the system's temporary one)")
    parser.add_argument("--rows", type=int, default=60_000, help="length of the evening")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir=given.dir) as name:
        figures = report_latency(Path(name)) + report_reading(Path(name), given.rows)
        switches, written = idle(Path(name) / "idle", 3.0)
    return [
        *figures,
        at_most("journal idle: thread's voluntary switches", switches, 0, "a second"),
        at_most("journal idle: written", written, 0, "bytes"),
    ]


def report_latency(directory: Path) -> list[Figure]:
    """Append to durable, on a calm disk and with stalls."""
    disk = plain_sync(directory, 200)
    taken, saved = latencies(directory / "calm", 400, None)
    line(disk, "one page and a sync")
    line(saved, "append to durable")
    line(taken, "append returns")
    ratio = statistics.median(saved) / statistics.median(disk)
    figures = [
        at_most("journal: append to durable", ratio, 2.5, "×", "a page and a sync on this disk (medians)"),
        at_most("journal: append returns, p99", quantile(taken, 0.99), 1, "ms"),
    ]
    for stall_ms in (50, 300):
        path = directory / f"stall{stall_ms}"
        taken, saved = latencies(path, 15, lambda ms=stall_ms: time.sleep(ms / 1e3))  # type: ignore[misc]
        line(saved, f"each commit stalled {stall_ms} ms: append to durable")
        figures.append(at_most(f"journal: append returns, sync stalled {stall_ms} ms, largest", max(taken), 5, "ms"))
    return figures


def line(values: list[float], what: str) -> None:
    """One line of a distribution."""
    median, p99, most = statistics.median(values), quantile(values, 0.99), max(values)
    print(f"{what} (absolute): median {median:.3f} ms, p99 {p99:.3f} ms, largest {most:.3f} ms")


def report_reading(directory: Path, count: int) -> list[Figure]:
    """Write an evening, read it back; the codec alone, beside json alone."""
    state, rows = directory / "evening", evening(count)
    journal = Journal(state, "boot")
    start = time.perf_counter()
    journal.append(rows)
    journal.close(600.0)
    print(f"written at once (absolute): {count / (time.perf_counter() - start):,.0f} rows a second")
    folder = evenings_in(state)
    assert list(find_latest(folder).tape.rows) == rows
    reading = rate(count, lambda: find_latest(folder))
    for name, event in (("Tick", Tick(10**14)), ("Edge", Edge("1", True, 10**14)), ("Ruled", RULED)):
        text = encode(event)
        ours = rate(20_000, lambda text=text: [decode(text) for _ in range(20_000)])  # type: ignore[misc]
        plain = rate(20_000, lambda text=text: [json.loads(text) for _ in range(20_000)])  # type: ignore[misc]
        print(f"decode {name}: {ours:,.0f} a second (absolute), {plain / ours:.2f} × the time of json.loads (ratio)")
    return [at_least("journal: an evening read and decoded", reading, 30_000, "events/s")]


if __name__ == "__main__":
    print(table(main(sys.argv[1:])))
