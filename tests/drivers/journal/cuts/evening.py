"""The evening that is recorded: a child process that writes journals under `recorder.c`, and says what is durable.

    python -m tests.drivers.journal.cuts.evening FOLDER ROWS ACKS

A journal of an older schema, brought up to date; rows with checkpoints between them; past evenings packed; a file that
is damaged and set aside in the middle; a name forgotten. Each report of the journal is a line in ACKS, which lies in
the folder and so in the order of the records; every row that was handed over is in ROWS.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from referee.core.model.events import Opened
from referee.core.stored import encode
from referee.drivers.journal import file as journal_file
from referee.drivers.journal.forget import forget
from referee.drivers.journal.keeper_child import keep
from referee.drivers.journal.schema import MIGRATIONS, migrate
from referee.drivers.journal.writer import Journal, JournalRow
from tests.core.evenings import played

BOOT = "evening"
BATCH = 7
OLDER = 2
"""The schema that the evening begins with."""


class Written:
    """Every row by its number on the disk, and up to which one all are durable, said as it happens."""

    def __init__(self, acks: Path) -> None:
        self.rows: dict[int, str] = {}
        self._fd = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def older(self, path: Path, rows: Sequence[JournalRow]) -> None:
        """As an older referee wrote them; durable when they are there."""
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            migrate(db, MIGRATIONS[:OLDER])
            db.execute("BEGIN")
            db.execute("INSERT INTO boot (uuid) VALUES (?)", (BOOT,))
            for seq, event in rows:
                entry = journal_file.entry_of(seq, event, 0, 1_700_000_000, 0)
                values = entry.values[:5] if entry.table == "edge" else entry.values
                marks = ", ".join("?" * (len(values) + 2))
                db.execute(f"INSERT INTO {entry.table} VALUES ({marks})", (seq, 1, *values))
                if entry.milestone:
                    db.execute("INSERT INTO milestone VALUES (?, ?, ?)", (seq, *entry.milestone))
                self.rows[seq] = encode(event)
            db.execute("COMMIT")
        self.durable(len(rows))

    def life(self, path: Path, rows: Sequence[JournalRow], *, pack: bool = False) -> None:
        """The journal opened, these rows of a new evening written by and by, and closed."""
        told: list[Journal] = []

        def report(seq: int) -> None:
            self.durable(told[0]._durable if told else 0)

        journal = Journal(path, BOOT, report=report, wall=lambda: 1_700_000_000)
        told.append(journal)
        self.durable(journal._durable)
        base = journal._last
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            self.rows |= {base + seq: encode(event) for seq, event in batch}
            journal.append(batch)
            while journal.status().kind == "waiting":
                pass
            if pack and start == BATCH * 3:
                keep(path)
                journal.pack()
        assert journal.close(30.0)
        self.durable(journal._durable)

    def durable(self, seq: int) -> None:
        """Said by the journal: a line in the folder."""
        os.write(self._fd, b"%d\n" % seq)


def renumbered(rows: Sequence[JournalRow]) -> list[JournalRow]:
    """As an evening of its own: it begins with `Opened` and 1."""
    assert isinstance(rows[0][1], Opened)
    return [(n, event) for n, (_, event) in enumerate(rows, 1)]


def main(folder: Path, rows: Path, acks: Path, length: int) -> None:
    """Live through it all."""
    journal_file.COMMITS_PER_CHECKPOINT = 5
    path, evening, written = folder / "journal.db", renumbered(played(matches=1)), Written(acks)
    short = evening[:length]
    written.older(path, short)
    written.life(path, short)
    written.life(path, short, pack=True)
    fd = os.open(path, os.O_RDWR)
    os.pwrite(fd, bytes(100), 0)
    os.fsync(fd)
    os.close(fd)
    written.life(path, short)
    written.life(path, short, pack=True)
    forget(path, folder / "archive.db", "Anna")
    written.life(path, short)
    rows.write_text(json.dumps(written.rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
