"""Measure a start after a long evening, and replay's speed: `python -m tests.benchmarks replay`.

Six bots play two matches; the first 20,000 rows are an evening's file. It is read, decoded and folded, and every
verdict derived again from its edges, as after a power cut; the figure is this process's own time, the best of several
rounds. The program also starts on it, until it is ready.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from referee.core.match.engine import Engine
from referee.core.model.table import Setup
from referee.core.units import S
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.evenings.writer import Journal, JournalRow
from tests.benchmarks.figures import Figure, at_least, at_most
from tests.benchmarks.process import daemon

LEAST_PER_S = 30_000
ROWS = 20_000
MOST_START_S, MOST_ROW_S = 1.0, 40e-6
SEATS = ("1", "2", "3", "4", "5", "6")
ROUNDS, STARTS = 25, 7


def record(state: Path, count: int = ROWS) -> None:
    """Record the first rows of an evening of bots."""
    rows: list[JournalRow] = []
    Evening(Setup(), Bots(SEATS, seed=1, rematches=2), journal=rows.extend).play(2)
    journal = Journal(state, boot="evening")
    journal.append(rows[:count])
    assert journal.close(60)


def replay_ns(state: Path) -> tuple[int, int]:
    """Return the processor time for reading and for folding, in ns."""
    begun = time.process_time_ns()
    rows = find_latest(evenings_in(state)).tape.rows
    read = time.process_time_ns()
    Engine.restored(rows)
    return read - begun, time.process_time_ns() - read


def start_s(state: Path) -> float:
    """Return the seconds from the program's start until it is ready."""
    begun = time.perf_counter()
    with daemon(state):
        return time.perf_counter() - begun


def main() -> list[Figure]:
    """Record once, replay many times."""
    with tempfile.TemporaryDirectory() as name:
        long, empty = Path(name) / "long", Path(name) / "empty"
        empty.mkdir()
        record(long)
        rounds = [replay_ns(long) for _ in range(ROUNDS)]
        starts = [(start_s(empty), start_s(long)) for _ in range(STARTS)]
    read, folded = min(r for r, _ in rounds), min(f for _, f in rounds)
    alone_s, long_s = min(s for s, _ in starts), min(s for _, s in starts)
    print(f"{ROWS:,} events: read at {ROWS * S / read:,.0f} a second, folded at {ROWS * S / folded:,.0f}")
    print(f"start {alone_s:.2f} s, with those rows {long_s:.2f} s: {(long_s - alone_s) / ROWS * 1e6:.0f} µs a row")
    return [
        at_least("replay of an evening", ROWS * S / (read + folded), LEAST_PER_S, "events/s"),
        at_most(f"start after {ROWS:,} rows", long_s, MOST_START_S + ROWS * MOST_ROW_S, "s"),
    ]


if __name__ == "__main__":
    main()
