"""A house with 1,000 past matches beside one with 10: start, commands, the page. `python -m tests.benchmarks house`.

Both are made by the product's own code: evenings written by the journal's file, packed and swept as the device does. To
have them in a minute, each evening is the first 300 rows of a match, and its record is that of the whole match, so that
lists are as long and as heavy as they would be. In turns, so that all meet the same minute; medians.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from referee.core.documents.chronicle import records
from referee.drivers.journal import matches
from referee.drivers.journal.file import JournalFile, entry_of
from referee.drivers.journal.keeper_child import keep
from referee.drivers.journal.read import matches as journal_matches
from referee.drivers.journal.seasons import beside, blocks
from referee.web.past import PATIENCE_S
from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import ROOT, daemon
from tests.core.evenings import played

MOST = 1.5
ROWS = 300
ROUNDS = 7
FEW, MANY = 10, 1000
BEGUN_S = 1_700_000_000
NICE_0, NICE_10 = 1024, 110
"""What Linux shares a core by: the weights of a program and of one that is as nice as the page."""
OTHERS = 3
"""Programs that keep each core busy, while somebody waits for the page of past evenings."""


def house(state: Path, count: int) -> Path:
    """So many matches in evenings that are over, and one that is going on; all packed, as after a quiet minute."""
    state.mkdir()
    journal, rows = state / "journal.db", list(played(matches=1))
    file = JournalFile(journal, "evening")
    for _ in range(count + 1):
        base = file.last_seq
        file.write([entry_of(seq, event, base, BEGUN_S + base + seq, 0) for seq, event in rows[:ROWS]])
    (record,) = records(rows, {seq: BEGUN_S + seq for seq, _ in rows})
    told = [matches.match_to_keep(m.number, m.id, m.wall_s, b"", record, "") for m in journal_matches(journal)[:-1]]
    matches.add(matches.beside(journal), told)
    assert keep(journal) == (count, [])
    file.adopt(blocks(beside(journal)))
    while file.sweep(5000):
        pass
    file.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    return state


def started(state: Path) -> float:
    """Seconds until the device is ready."""
    begun = time.perf_counter()
    with daemon(state):
        return time.perf_counter() - begun


def command(*words: str) -> Callable[[Path], float]:
    """Seconds that a command takes."""

    def run(state: Path) -> float:
        begun = time.perf_counter()
        line = [sys.executable, "-m", "referee", *words, "--state", str(state)]
        subprocess.run(line, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun

    return run


def told(state: Path) -> float:
    """Seconds of a processor that the program takes which tells the page of the past."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = [sys.executable, "-m", "referee.drivers.journal.past_child", str(state)]
    subprocess.run(line, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> list[Figure]:
    """Each in turn at both houses."""
    works = {
        "start": started,
        "history": command("history"),
        "history --player": command("history", "--player", "Anna"),
        "export": command("export", "5"),
    }
    figures = []
    with tempfile.TemporaryDirectory() as name:
        few, many = house(Path(name) / "few", FEW), house(Path(name) / "many", MANY)
        for what, work in works.items():
            pairs = [(work(few), work(many)) for _ in range(ROUNDS)]
            short, long = (median(spent) for spent in zip(*pairs, strict=True))
            print(f"{what} (absolute): {short * 1000:.0f} ms at {FEW} matches, {long * 1000:.0f} ms at {MANY:,}")
            figures.append(at_most(f"{what} at {MANY:,} matches", long / short, MOST, "x", f"at {FEW}"))
        behind_s = median(told(many) for _ in range(ROUNDS)) * OTHERS * NICE_0 / NICE_10
        figures.append(at_most(f"past of {MANY:,} behind {OTHERS} others", behind_s / PATIENCE_S, 1.0, "of the wait"))
    return figures
