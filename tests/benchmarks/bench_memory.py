"""Measure memory over a long evening: `python -m tests.benchmarks memory`.

Six bots play `HANDS` hands through the Engine into a journal on disk. The process's memory after the first fifth
(everything loaded, caches full) is compared with that at the end: if an evening grew with each hand, the kernel would
kill it in the end. `REFEREE_HANDS` sets another number.
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
from tests.drivers.evenings.memory import status_of

HANDS = int(os.environ.get("REFEREE_HANDS", "500"))
MOST_PERCENT = 10.0
"""The open evening is in memory: two MiB, if its last match is long."""
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


def grown_percent(hands: int) -> float:
    """Return the growth from a fifth of the hands to all of them, in percent."""
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
                records.clear()  # kept by the simulated table for its transcript, not by the device
                if not before and played >= hands // 5:
                    before = resident_kib()
            after = resident_kib()
        finally:
            assert journal.close(60)
    print(f"{played} hands: {before} KiB after a fifth, {after} KiB at the end")
    return 100 * (after - before) / before


def main() -> list[Figure]:
    """Check that memory stays flat: no hand need be kept after its match."""
    return [at_most(f"memory grown over {HANDS} hands", grown_percent(HANDS), MOST_PERCENT, "%")]
