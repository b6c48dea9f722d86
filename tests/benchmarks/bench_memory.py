"""Memory over a long evening: `python -m tests.benchmarks memory`.

Six bots play matches through the Engine into a journal on disk, as many hands as `HANDS`. What the process holds after
the first fifth (everything is loaded, caches are full) is compared with what it holds at the end: an evening that grows
by a little with each hand is killed by the kernel in the small hours. `REFEREE_HANDS` asks for another number.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from pathlib import Path

from referee.core.match.engine import LONG_FILE
from referee.core.model.table import Setup
from referee.drivers.evenings.writer import Journal
from referee.table.bots import Bots
from referee.table.evening import Evening
from tests.benchmarks.figures import Figure, at_most

HANDS = int(os.environ.get("REFEREE_HANDS", "500"))
MOST_PERCENT = 10.0
"""The evening that is open is in memory: two MiB, if its last match is a long one."""
SEATS = ("1", "2", "3", "4", "5", "6")


def resident_kib() -> int:
    """What this process holds now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def wait_for_disk(journal: Journal) -> None:
    """Until all rows are written: bots play faster than a disk writes, and rows that wait for it are no leak."""
    until_s = time.monotonic() + 60
    while journal.status().unsaved and time.monotonic() < until_s:
        time.sleep(0.01)


def grown_percent(hands: int) -> float:
    """How much more it holds after so many hands than after a fifth of them."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder), boot="evening")
        try:
            evening = Evening(Setup(), Bots(SEATS, seed=1, rematches=None), journal=journal.append)
            before = played = begun = 0
            while played < hands:
                records = evening.play(1)
                played += sum(len(record.hands) for record in records)
                wait_for_disk(journal)
                if evening.engine.state.seq - begun > LONG_FILE:  # as the device does at the first touch after a match
                    evening.engine.reopen()
                    begun = evening.engine.state.seq
                records.clear()  # kept by the simulated table for its transcript, and not by the device
                if not before and played >= hands // 5:
                    before = resident_kib()
            after = resident_kib()
        finally:
            assert journal.close(60)
    print(f"{played} hands: {before} KiB after a fifth, {after} KiB at the end")
    return 100 * (after - before) / before


def main() -> list[Figure]:
    """Flat, whatever else: the referee has no reason to keep a hand in memory once its match is over."""
    return [at_most(f"memory grown over {HANDS} hands", grown_percent(HANDS), MOST_PERCENT, "%")]
