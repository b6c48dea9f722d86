"""Every single flipped bit: what a journal that was hurt in one place says, and what comes back of it.

    python -m tests.drivers.flips [--elsewhere N] [--log N] [--seed S]

Opens a journal in this process on every single-bit flip of its first two pages, on N elsewhere and on N in its log. The
journal must open, say what was altered, and give back every row that was not; a file whose content is as it was (the
flip was in a place that holds nothing) may be silent. `tests/drivers/test_flips.py` does a few of each.
"""

from __future__ import annotations

import argparse
import logging
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from referee.core.events import Opened
from referee.drivers.journal import Journal, Row

PAGE = 4096


def recorded(directory: Path, rows: list[Row], *, log: bool) -> dict[str, bytes]:
    """The files of a journal with these rows, by name; log: a part of them is in the write-ahead log only."""
    path = directory / "journal.db"
    journal = Journal(path, "boot-1")
    with closing(sqlite3.connect(path)) as reader:
        if log:
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()  # as long as it is there, the log stays
        for start in range(0, len(rows), 20):
            journal.append(rows[start : start + 20])
            while journal.status().kind == "waiting":
                pass
        if not log:
            reader.close()
        assert journal.close(60.0)
        return {file.name: file.read_bytes() for file in directory.iterdir() if not file.name.endswith("-shm")}


def flipped(files: dict[str, bytes], name: str, bit: int, rows: list[Row]) -> str:
    """What comes of one flipped bit: "silent" or "said" when all is well, else what is wrong."""
    with tempfile.TemporaryDirectory() as there:
        for other, content in files.items():
            damaged = bytearray(content)
            if other == name:
                damaged[bit // 8] ^= 1 << bit % 8
            (Path(there) / other).write_bytes(damaged)
        journal = Journal(Path(there) / "journal.db", "boot-1", opening_s=30.0)
        found = journal.take_recovered()
        last = (found.rows[-1][0] if found.rows else 0) + 1
        journal.append([(last, Opened(1, "boot-1", {}))])
        saved = journal.close(30.0)
    return _judged(rows, found.rows, found.aside, found.note, saved)


def _judged(rows: list[Row], found: tuple[Row, ...], aside: object, note: str, saved: bool) -> str:
    skipped = set(aside)  # type: ignore[call-overload]
    kept = {seq: event for seq, event in found if seq not in skipped}
    lost = [seq for seq, event in rows if seq not in kept]
    if not saved:
        return "WRONG: nothing can be saved any more"
    if any(kept[seq] != event for seq, event in rows if seq in kept and seq not in lost) and not note:
        return "WRONG: altered and not said"
    if lost and not note:
        return "WRONG: lost and not said"
    if len(lost) > 1:
        return f"WRONG: {len(lost)} rows lost: {note[:150]}"
    return "said" if note else "silent"


def _bits(given: argparse.Namespace, whole: bool, log: bool, size: int, chosen: random.Random) -> Iterable[int]:
    """Every bit of the first two pages of a short journal, so many of a long one behind them, so many of its log."""
    if not whole:
        return range(0, 2 * PAGE * 8, given.every)
    first = 0 if log else 2 * PAGE * 8
    return [chosen.randrange(first, size) for _ in range(given.log if log else given.elsewhere)]


def main(argv: list[str]) -> int:
    """Flip, count, and say what was wrong; status 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elsewhere", type=int, default=2000)
    parser.add_argument("--log", type=int, default=500)
    parser.add_argument("--every", type=int, default=1, help="of the first two pages only every so many bits")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    from tests.core.evenings import played

    rows, counts, chosen = list(played(matches=1)), Counter[str](), random.Random(given.seed)
    for few, log, name in (
        (rows[:80], False, "journal.db"),
        (rows, False, "journal.db"),
        (rows, True, "journal.db-wal"),
    ):
        with tempfile.TemporaryDirectory() as directory:
            files = recorded(Path(directory), few, log=log)
        size = len(files[name]) * 8
        for bit in _bits(given, few is rows, log, size, chosen):
            told = flipped(files, name, bit, few)
            counts[f"{name} {told.partition(':')[0]}"] += 1
            if "WRONG" in told:
                print(name, len(few), "rows, bit", bit, told, flush=True)  # noqa: T201
    print(dict(counts))  # noqa: T201
    return any("WRONG" in told for told in counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
