"""Write the recorded evenings in a child process under `recorder.c`, and record which rows are durable.

    python -m tests.storage.evenings.cuts.evening STATE ROWS

Several evenings, with starts that continue them, a full disk, and a file that is removed; old ones compressed; records
kept and rewritten. An acknowledgement is a line in the file `acks`, which is in the folder and so in the order of the
record.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.storage.evenings.folder import compress, evenings_in, find_latest
from referee.storage.evenings.writer import Journal, JournalRow
from referee.storage.records.store import Records
from tests.core.evenings import played
from tests.storage.evenings.memory import nudge, status_of
from tests.storage.records.test_store import match

BOOT, ACKS = "evening", "acks"
BATCH = 7


def rows_of(length: int) -> list[JournalRow]:
    """Return the rows of each evening, numbered from 1."""
    return [(n, event) for n, (_, event) in enumerate(played()[:length], 1)]


class Evenings:
    """Writes evenings, and acknowledges durable rows."""

    def __init__(self, state: Path) -> None:
        self.state, self.evening = state, 0
        self._acks = os.open(state / ACKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def acknowledge(self, kind: str, number: int, reached: int) -> None:
        """Acknowledge.

        E: rows up to `reached` of that evening are durable; R: that match's record has that many hands.
        """
        os.write(self._acks, f"{kind} {number} {reached}\n".encode())

    @contextmanager
    def life(self) -> Iterator[Journal]:
        """Run one process's life."""
        journal = Journal(self.state, BOOT, wall=lambda: 1_700_000_000)
        yield journal
        assert journal.close(30.0)

    def write(self, journal: Journal, rows: list[JournalRow]) -> None:
        """Write rows, a few at a time, each durable before the next, unless the disk is full."""
        for start in range(0, len(rows), BATCH):
            self.evening += rows[start][0] == 1
            journal.append(rows[start : start + BATCH])
            while (kind := status_of(journal).kind) == "waiting":
                time.sleep(0)
            if kind == "ok":
                self.acknowledge("E", self.evening, journal.durable_seq)

    def settle(self, journal: Journal) -> None:
        """Wait until all rows are durable: the disk has room again."""
        nudge(journal)
        while status_of(journal).kind != "ok":
            time.sleep(0)
        self.acknowledge("E", self.evening, journal.durable_seq)

    def lose_file(self) -> None:
        """Remove the open evening's file."""
        self.acknowledge("E", self.evening, 0)
        path = find_latest(evenings_in(self.state)).path
        assert path is not None
        path.unlink()

    def keep(self, number: int, hands: int) -> None:
        """Keep a record, new or with more hands than before."""
        Records(self.state).keep(match(number, hands), "2023-11-14_2213")
        self.acknowledge("R", number, hands)


@contextmanager
def trouble(name: str) -> Iterator[None]:
    """Simulate a disk where half of each write fits ("pwrite"), or names cannot be synced ("fsync")."""
    real = getattr(os, name)

    def fails(fd: int, data: bytes = b"", *place: int) -> int:
        if data:
            real(fd, data[: len(data) // 2], *place)
        raise OSError(errno.ENOSPC, "no room")

    setattr(os, name, fails)
    yield
    setattr(os, name, real)


def main(state: Path, length: int) -> None:
    """Run all lives."""
    evenings, rows, half = Evenings(state), rows_of(length), length // 2
    with evenings.life() as journal:
        evenings.write(journal, rows[:half])
        evenings.keep(1, 2)
        with trouble("pwrite"):
            evenings.write(journal, rows[half : half + BATCH])
        evenings.settle(journal)
        evenings.write(journal, rows[half + BATCH :])
        evenings.write(journal, rows[:half])
        evenings.keep(1, 5)
    with evenings.life() as journal:
        evenings.write(journal, rows[half:])
        compress(evenings_in(state))
        evenings.keep(2, 3)
        evenings.write(journal, rows[:half])
        evenings.lose_file()
        with trouble("fsync"):
            evenings.write(journal, rows[half : half + BATCH])
        evenings.settle(journal)
        evenings.write(journal, rows[half + BATCH :])
        evenings.keep(2, 4)
    with evenings.life() as journal:
        with trouble("pwrite"):
            evenings.write(journal, rows[:BATCH])
        evenings.settle(journal)
        evenings.write(journal, rows[BATCH:])
    compress(evenings_in(state))
    evenings.keep(1, 6)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
