"""Every single flipped bit: what a journal that was hurt in one place says, and what comes back of it.

    python -m tests.drivers.journal.flips [--first N] [--opening N] [--elsewhere N] [--log N] [--program N] [--seed S]

Opens a journal in this process on single-bit flips: all of the first two pages of a short one; all of the row with
which its evening begins, of that row's copy and of where the chain begins; N elsewhere in a long one and N in its log;
N more are opened by the program itself. The journal must open, say what was altered, give back every row that was not;
a file whose content is as it was (the flip was in a place that holds nothing) may be silent. The row with which it
begins must come back, too.
`tests/drivers/journal/test_flips.py` does a few of each. Put TMPDIR on a tmpfs: each flip writes and syncs a journal.
"""

from __future__ import annotations

import argparse
import logging
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from referee.core.model.events import Opened
from referee.drivers.journal import carve
from referee.drivers.journal.writer import Journal, JournalRow

PAGE = carve.PAGES[0]
BOOT = "evening"
"""The boot that the played rows name."""
SHORT = 40
"""Rows of the journal whose first two pages are flipped: what stands there is the same in a longer one."""
LONG = 400
"""Rows of the one that is hurt elsewhere: some forty pages of every kind."""
Trial = Callable[[Path, list[JournalRow]], str]


def recorded(directory: Path, rows: list[JournalRow], *, log: bool = False) -> dict[str, bytes]:
    """The files of a journal with these rows, by name; log: a part of them is in the write-ahead log only."""
    path = directory / "journal.db"
    journal = Journal(path, BOOT)
    with closing(sqlite3.connect(path)) as reader:
        if log:
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()  # as long as it is there, the log stays
        for start in range(0, len(rows), 20):
            journal.append(rows[start : start + 20])
            while journal.status().kind == "waiting":
                time.sleep(0)
        if not log:
            reader.close()
        assert journal.close(60.0)
        return {file.name: file.read_bytes() for file in directory.iterdir() if not file.name.endswith("-shm")}


def flipped(files: dict[str, bytes], name: str, bit: int, rows: list[JournalRow], trial: Trial) -> str:
    """What comes of one flipped bit: "silent" or "said" when all is well, else what is wrong."""
    with tempfile.TemporaryDirectory() as there:
        for other, content in files.items():
            damaged = bytearray(content)
            if other == name:
                damaged[bit // 8] ^= 1 << bit % 8
            (Path(there) / other).write_bytes(damaged)
        return trial(Path(there), rows)


def in_process(there: Path, rows: list[JournalRow]) -> str:
    """Opened, taken over, written to and closed, as the device does."""
    journal = Journal(there / "journal.db", BOOT, opening_s=30.0)
    found = journal.take_recovered()
    last = (found.rows[-1][0] if found.rows else 0) + 1
    journal.append([(last, Opened(1, BOOT, {}))])
    saved = journal.close(30.0)
    if not saved:
        return f"WRONG: nothing can be saved any more: {journal.status()}"
    return judged(rows, found.rows, found.aside, found.note)


def judged(rows: Sequence[JournalRow], found: Sequence[JournalRow], aside: object, note: str) -> str:
    """What was found beside what was written: one row may be lost, and one may be otherwise, if that is said.

    A number that was altered hurts two: the row, and the one whose number it has now.
    """
    skipped = set(aside)  # type: ignore[call-overload]
    kept = {seq: event for seq, event in found if seq not in skipped}
    lost = [seq for seq, _ in rows if seq not in kept]
    others = [seq for seq, event in rows if seq in kept and kept[seq] != event]
    if any(f"row {seq}:" not in note for seq in others) and "names" not in note:
        return f"WRONG: a row that was altered is taken for sound: {note or 'nothing is said'}"
    if lost and not note:
        return "WRONG: lost and not said"
    if len(lost) > 1 and not (len(lost) == 2 and (lost[0] ^ lost[1]).bit_count() == 1):
        return f"WRONG: {len(lost)} rows lost: {note[:150]}"
    return "said" if note else "silent"


def opening_bits(content: bytes) -> list[int]:
    """Every bit of the row 1, an `Opened`, of its copy, and of the row that says where the chain begins."""
    pages = dict(carve._pages(content, PAGE))
    places = [
        range((number - 1) * PAGE + start, (number - 1) * PAGE + start + 3 + carve._varint(image, start)[0])
        for number, image in pages.items()
        for start in carve._cells(image)
        if (cell := carve._cell(image, start, pages))
        and cell[0] == 1
        and carve._shape(cell[1]) in ("event", "opening", "origin")
    ]
    assert len(places) == 3
    return [8 * byte + bit for place in places for byte in place for bit in range(8)]


def whole(there: Path, rows: list[JournalRow]) -> str:
    """As `in_process`; every row must come back, and so the match."""
    journal = Journal(there / "journal.db", BOOT, opening_s=30.0)
    found = journal.take_recovered()
    if not journal.close(30.0):
        return f"WRONG: nothing can be saved any more: {journal.status()}"
    kept = [row for row in found.rows if row[0] not in found.aside]
    return ("said" if found.note else "silent") if kept == rows else f"WRONG: rows are lost: {found.note or 'not said'}"


def main(argv: list[str]) -> int:
    """Flip, count, and say what was wrong; status 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=2 * PAGE * 8, help="so many of the first two pages' bits (all)")
    parser.add_argument("--opening", type=int, default=2 * PAGE * 8, help="so many of the beginning's bits (all)")
    parser.add_argument("--elsewhere", type=int, default=2000)
    parser.add_argument("--log", type=int, default=500)
    parser.add_argument("--program", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    from tests.core.evenings import played
    from tests.drivers.journal.flips_program import by_the_program

    rows, chosen, wrong = list(played(matches=1))[:LONG], random.Random(given.seed), 0
    few_rows, begun = rows[:SHORT], time.monotonic()
    for what, few, name, first, count, trial in (
        ("first two pages", few_rows, "journal.db", 0, given.first, in_process),
        ("beginning", few_rows, "journal.db", 0, given.opening, whole),
        ("elsewhere", rows, "journal.db", 2 * PAGE * 8, given.elsewhere, in_process),
        ("log", rows, "journal.db-wal", 0, given.log, in_process),
        ("program, first two pages", rows, "journal.db", 0, given.program // 3, by_the_program),
        ("program, elsewhere", rows, "journal.db", 2 * PAGE * 8, given.program // 3, by_the_program),
        ("program, log", rows, "journal.db-wal", 0, given.program - given.program // 3 * 2, by_the_program),
    ):
        with tempfile.TemporaryDirectory() as directory:
            files = recorded(Path(directory), few, log=name.endswith("wal"))
        end = 2 * PAGE * 8 if "first" in what else len(files[name]) * 8
        places = opening_bits(files[name]) if what == "beginning" else range(first, end)
        bits = chosen.sample(places, min(count, len(places)))
        counts = Counter[str]()
        for bit in sorted(bits):
            told = flipped(files, name, bit, few, trial)
            counts[told.partition(":")[0]] += 1
            if "WRONG" in told:
                print(what, "bit", bit, told, flush=True)  # noqa: T201
        wrong += sum(number for told, number in counts.items() if "WRONG" in told)
        print(f"{what}: {dict(counts)} ({time.monotonic() - begun:.0f} s)", flush=True)  # noqa: T201
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
