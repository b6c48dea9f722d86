"""Write rows through a real journal, kill its process, and read a copy of the files."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from referee.core.match.engine import JournalRow
from referee.storage.evenings.writer import Journal
from tests.storage.evenings.memory import status_of

PATIENCE_S = 60.0


def through_a_file(rows: Sequence[JournalRow]) -> list[JournalRow]:
    """Return what a journal restores after its writer was killed as soon as these rows were durable."""
    with TemporaryDirectory(prefix="campaign-") as folder:
        alive, dead = Path(folder, "alive"), Path(folder, "dead")
        alive.mkdir()
        saved = threading.Condition()

        def report(seq: int) -> None:
            with saved:
                saved.notify_all()

        journal = Journal(alive, "boot", report=report)
        for begin in range(0, len(rows), 500):
            journal.append(rows[begin : begin + 500])
        with saved:
            if not saved.wait_for(lambda: journal.durable_seq >= rows[-1][0], PATIENCE_S):
                raise AssertionError(
                    f"only {journal.durable_seq} of {rows[-1][0]} rows were saved: {status_of(journal)}"
                )
        shutil.copytree(alive, dead)
        journal.close()
        return _found(dead)


def _found(path: Path) -> list[JournalRow]:
    journal = Journal(path, "another boot")
    found = list(journal.take_recovered().rows)
    journal.close()
    return found
