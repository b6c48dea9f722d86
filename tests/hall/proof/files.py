"""What follows from the evenings' files of all tables.

Another process reads them. Meanwhile the campaign goes on watching what the hall stores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import msgspec

from referee.core.documents.chronicle import records
from referee.core.documents.delivery import Row
from referee.core.documents.record import Record
from referee.storage.evenings.folder import PLAIN, EveningError, evenings_in, read_evening
from tests.mqtt.chain import untimed

Held = dict[tuple[str, str], Row]
"""(table, match) -> its last row."""


_Answer = TypeVar("_Answer")
NICE = 10


class Files:
    """The evenings of all tables, read by another process. folders: table -> its state directory."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._process = ProcessPoolExecutor(1, get_context("spawn"), _begin, (dict(folders),))

    def close(self) -> None:
        """End the process."""
        self._process.shutdown()

    def rows(self, tables: Iterable[str] = ()) -> Held:
        """Return the row of each record of these tables; of all for none."""
        return self._process.submit(_ask, _Reader.rows, tuple(tables)).result()

    def records(self) -> dict[tuple[str, str], Record]:
        """Return the record of each match."""
        return self._process.submit(_ask, _Reader.records).result()


def _begin(folders: Mapping[str, Path]) -> None:
    os.nice(NICE)
    _readers.append(_Reader(folders))


def _ask(what: Callable[..., _Answer], *given: object) -> _Answer:
    return what(*_readers, *given)


class _Reader:
    """Reads evenings again only if they have changed."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders
        self._records: dict[tuple[str, str], tuple[Record, ...]] = {}
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}

    def _read(self, tables: Iterable[str]) -> None:
        for table in tables:
            state = self._folders[table]
            for entry in os.scandir(evenings_in(state)):
                key, stat = (table, entry.name.removesuffix(PLAIN)), entry.stat()
                if self._seen.get(key) == (stat.st_mtime_ns, stat.st_size):
                    continue
                self._seen[key] = stat.st_mtime_ns, stat.st_size
                try:
                    tape = read_evening(Path(entry.path))
                except EveningError:  # cut before its first row was complete
                    self._records.pop(key, None)
                    continue
                # computed without the publisher's code
                self._records[key] = tuple(map(untimed, records(tape.rows, tape.walls, tape.aside)))

    def rows(self, tables: Iterable[str]) -> Held:
        held: Held = {}
        for table in tables or self._folders:
            for path in (self._folders[table] / "records").glob("0*.json"):
                document = msgspec.json.decode(path.read_bytes())
                held[table, document["id"]] = tuple(document["row"])
        return held

    def records(self) -> dict[tuple[str, str], Record]:
        self._read(self._folders)
        return {(table, one.id): one for (table, _), made in self._records.items() for one in made}


_readers: list[_Reader] = []
"""The reader of this process; see `_begin`."""
