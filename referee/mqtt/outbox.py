"""A table's results for the hall: its records, each with the row that last changed it.

Theory of operation. The device gives a record a later row with each change, so the hall's last row of a match tells
whether it has the newest record. A removed record leaves its row in `removed.json`. The index of records has the rows;
of records that have changed since it was saved, the files are read.

A hall gets no matches from before it met the table, apart from those of the last day. At the first contact, the row
from which on it gets results is saved. Clocks of boards without a battery can be wrong, so the order of rows counts,
too: nothing before a match that seems old is sent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from referee.core.documents.delivery import NO_ROW, STORED, Result, Row
from referee.storage.files import Folder, content_of, read_small, write_small
from referee.storage.records.recordfile import FORM, IMPORTED, INDEX, MOST_FILES, NAME, REMOVED, Removed, read_sound
from referee.storage.records.removed_names import INDEX as HALLS

RECENT_S = 24 * 3600
"""Maximum difference in s between the first contact with a hall and the last hand of a match that the hall gets."""
MOST_HALLS = 20
"""Maximum number of halls in the file. The one that was met first is dropped first."""
MOST_ID = 100
"""Maximum number of characters of a hall's ID that are kept."""
MOST_INDEX_BYTES = 1 << 28


class Halls(msgspec.Struct):
    """The content of the file of halls: a hall's ID -> the first row that it gets."""

    halls: dict[str, Row] = {}


class _Match(msgspec.Struct):
    """The parts of a summary that an outbox needs."""

    id: str
    ended_s: int | None = None


class _Line(msgspec.Struct, array_like=True, tag=FORM):
    """A line of the index, as `IndexLine`."""

    name: str
    size: int
    mtime_ns: int
    evening: str
    summary: _Match
    row: Row = NO_ROW


class _File(msgspec.Struct):
    """The parts of a record's file that an outbox needs."""

    summary: _Match
    row: Row = NO_ROW


_LINE, _FILE = msgspec.json.Decoder(_Line), msgspec.json.Decoder(_File)


class Outbox:
    """The newest result of each match in a state directory. Methods raise OSError if a file cannot be used."""

    def __init__(self, state: Path) -> None:
        self._state, self._is_read = state, False
        self._lines: dict[str, _Line] = {}
        self._files: dict[str, tuple[int, ...]] = {}
        self._removed: dict[str, Row] = {}
        self._halls = read_small(state / HALLS, Halls()).halls

    def read(self) -> None:
        """Read the records that have changed since the last call.

        At the first call, make lost records again, and give rows to records of earlier versions.
        """
        self._removed = read_small(self._state / REMOVED, Removed()).rows
        is_whole = self._read_files()
        if not self._is_read and not is_whole:
            from referee.storage.records.rows import add_rows  # it takes much memory

            add_rows(self._state)
            self._read_files()
        self._is_read = True

    def _read_files(self) -> bool:
        """Return whether each record played here could be read and has a row."""
        with contextlib.suppress(FileNotFoundError), Folder(self._state / "records") as folder:
            if not self._is_read:
                self._lines = {line.name: line for line in _index(folder)}
                self._files = {name: (line.size, line.mtime_ns) for name, line in self._lines.items()}
            there = {name: found for name, found in folder.files(MOST_FILES) if NAME.fullmatch(name)}
            own = [name for name in self._lines | there if not name.startswith(IMPORTED)]
            self._lines = {name: line for name, line in self._lines.items() if name in there}
            for name, found in there.items():
                self._read_file(folder, name, (found.st_size, found.st_mtime_ns, found.st_ino))
            return all(name in self._lines and self._lines[name].row > NO_ROW for name in own)
        return not self._halls

    def _read_file(self, folder: Folder, name: str, stat: tuple[int, int, int]) -> None:
        seen = self._files.get(name)
        if seen is None or seen != stat[: len(seen)]:
            self._lines.pop(name, None)
            with contextlib.suppress(OSError, ValueError):  # a damaged record is made again by the next list
                made = _FILE.decode(read_sound(folder, name))
                self._lines[name] = _Line(name, *stat[:2], "", made.summary, made.row)
                self._files[name] = stat

    def first_row(self, hall: str, held: Mapping[str, Row], *now_s: float) -> Row:
        """Return the first row that a hall gets. At the first contact, choose and save it.

        held: match -> last row that the hall holds. now_s: Unix seconds, by each clock to which a record's times may
        refer. Call `read` before.
        """
        hall = hall[:MOST_ID]
        if hall not in self._halls:
            halls = dict([*self._halls.items(), (hall, self._choose(held, now_s))][-MOST_HALLS:])
            write_small(self._state / HALLS, Halls(halls))
            self._halls = halls
        return self._halls[hall]

    def _choose(self, held: Mapping[str, Row], now_s: Sequence[float]) -> Row:
        """Return the first row of the recent evenings, or of the oldest one of which the hall holds a row."""
        lines = sorted((line for line in self._lines.values() if line.row > NO_ROW), key=lambda line: line.row)
        evening, number = lines[-1].row if lines else NO_ROW
        first = (evening, number + 1)
        for line in reversed(lines):
            ended_s = line.summary.ended_s or 0
            if all(abs(now - ended_s) >= RECENT_S for now in now_s):
                break
            first = (line.row[0], 0)
        shared = ((held[line.summary.id][0], 0) for line in lines if line.summary.id in held)
        return min([first, *shared])

    def due(self, held: Mapping[str, Row], most: int, skip: Collection[str] = (), first: Row = NO_ROW) -> list[Result]:
        """Return the newest results of at most `most` matches that have one after `held`, from row `first` on.

        held: match -> last row. skip: matches that are left out.
        """
        found = list[Result]()
        ends = {match: (row, "") for match, row in self._removed.items() if match in held}
        ends |= {line.summary.id: (line.row, line.name) for line in self._lines.values()}
        for match, (row, name) in sorted(ends.items(), key=lambda item: item[1]):
            after = held.get(match, NO_ROW)
            if row > after and row >= first and match not in skip and len(found) < most:
                with contextlib.suppress(FileNotFoundError, ValueError):  # it was removed or damaged since
                    found.append(self._result(match, name, after) if name else Result(match, row, after, None))
        return found

    def _result(self, match: str, name: str, after: Row) -> Result:
        with Folder(self._state / "records") as folder:
            data = read_sound(folder, name)
        parts: dict[str, Any] = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        document = {key: part for key, part in parts.items() if key not in STORED}
        return Result(match, _FILE.decode(data).row, after, document)


def _index(folder: Folder) -> Iterator[_Line]:
    """Yield the sound lines of the index."""
    with contextlib.suppress(FileNotFoundError):
        for text in folder.read(INDEX, MOST_INDEX_BYTES).split(b"\n"):
            with contextlib.suppress(ValueError):
                if content := content_of(text):
                    yield _LINE.decode(content)
