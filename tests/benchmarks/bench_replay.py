"""Replay's speed: `python -m tests.benchmarks replay`.

Six bots play two matches through the Engine into a journal on disk. Then that file is read, decoded and folded, every
verdict derived again from its edges, as after a power cut. Time is the process's own, so that other programs on the
machine do not count; the best of several rounds, because what is asked is the program's cost and not its neighbours'.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from referee.core.match.engine import Engine
from referee.core.model.table import Setup
from referee.core.units import S
from referee.drivers.journal.read import recover
from referee.drivers.journal.writer import Journal
from referee.table.bots import Bots
from referee.table.evening import Evening
from tests.benchmarks.figures import Figure, at_least

LEAST_PER_S = 30_000
SEATS = ("1", "2", "3", "4", "5", "6")
ROUNDS = 25


def record(path: Path, matches: int = 2) -> int:
    """An evening of bots, in this journal; how many rows it has."""
    journal = Journal(path, boot="evening")
    try:
        evening = Evening(Setup(), Bots(SEATS, seed=1, rematches=matches), journal=journal.append)
        evening.play(matches)
        return evening.engine.state.seq
    finally:
        assert journal.close(60)


def replay_ns(path: Path) -> tuple[int, int]:
    """Processor time for reading and for folding, ns."""
    begun = time.process_time_ns()
    rows = recover(path).rows
    read = time.process_time_ns()
    Engine.restored(rows)
    return read - begun, time.process_time_ns() - read


def main() -> list[Figure]:
    """Record once, replay many times."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        events = record(path)
        rounds = [replay_ns(path) for _ in range(ROUNDS)]
    read, folded = min(r for r, _ in rounds), min(f for _, f in rounds)
    print(f"{events} events: read at {events * S / read:,.0f} a second, folded at {events * S / folded:,.0f}")
    return [at_least("replay of an evening", events * S / (read + folded), LEAST_PER_S, "events/s")]


if __name__ == "__main__":
    main()
