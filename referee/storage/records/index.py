"""The index of the records: a line per record with file size, time and summary, and a line per searched evening.

    <CRC-32 of the JSON's bytes, 8 hex digits> <JSON>

It can always be rebuilt. A later line replaces an earlier one of the same record. If a line is damaged or its record
has changed, a new line is made from the record and appended; the file is rewritten when half of its lines are unused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from typing import Any, Literal

import msgspec

from referee.core.documents.delivery import NO_ROW, Row
from referee.core.documents.summary import Summary
from referee.core.values import Value
from referee.storage.files import Folder, checksummed, content_of
from referee.storage.records.recordfile import FORM, INDEX, Stored, read_record, read_sound

MOST_BYTES = 1 << 28


class IndexLine(Value, array_like=True, tag=FORM):
    """The index line of a record: its file's name, size and time, its evening, its summary.

    evening, row: as in `Stored`.
    """

    name: str
    size: int
    mtime_ns: int
    evening: str
    summary: Summary
    row: Row = NO_ROW


class EveningLine(Value, array_like=True, tag=-1):
    """The line of an evening that was searched for lost records: its name, its file's size and time.

    records: number of records that name the evening.
    """

    name: str
    size: int
    mtime_ns: int
    records: int


_LINE = msgspec.json.Decoder(IndexLine | EveningLine)


class Index:
    """The lines of an index file.

    lines: name of a record's file -> its line. evenings: name of an evening -> its line.
    """

    def __init__(self, folder: Folder) -> None:
        """Read the file; a missing or unreadable file has no lines."""
        self.lines: dict[str, IndexLine] = {}
        self.evenings: dict[str, EveningLine] = {}
        self._useless = 0
        self._whole = False
        """Whether lines can be appended: the file exists and ends with a complete line."""
        with contextlib.suppress(OSError):
            data = folder.read(INDEX, MOST_BYTES)
            self._whole = data[-1:] in (b"", b"\n")
            for text in data.split(b"\n"):
                self._take(text)

    def _take(self, text: bytes) -> None:
        try:
            if content := content_of(text):
                self._add(_LINE.decode(content))
                return
        except ValueError:
            pass
        self._useless += bool(text)

    def _add(self, line: IndexLine | EveningLine) -> None:
        lines: dict[str, Any] = self.evenings if isinstance(line, EveningLine) else self.lines
        self._useless += line.name in lines
        lines[line.name] = line

    def update(self, folder: Folder, new: Iterable[IndexLine | EveningLine], names: Collection[str]) -> None:
        """Add the new lines, drop lines whose file is not in `names`; save the index if possible."""
        fresh = list(new)
        gone = [name for name in self.lines if name not in names]
        for name in gone:
            del self.lines[name]
        self._useless += len(gone)
        for line in fresh:
            self._add(line)
        if not gone and not fresh:
            return
        every: list[IndexLine | EveningLine] = [*self.lines.values(), *self.evenings.values()]
        with contextlib.suppress(OSError):
            if gone or not self._whole or 2 * self._useless > len(every):
                folder.write(INDEX, b"".join(map(_text, every)))
                self._useless, self._whole = 0, True
            else:
                folder.append(INDEX, b"".join(map(_text, fresh)))


def _text(line: IndexLine | EveningLine) -> bytes:
    return checksummed(msgspec.json.encode(line))


# -- lines of records ----------------------------------------------------------------------------------------------


class _Listed(msgspec.Struct):
    """The parts of a record's file that the index needs."""

    version: Literal[1]
    form: Literal[1]
    summary: Summary
    evening: str = ""
    row: Row = NO_ROW


def read_line(folder: Folder, name: str, size: int, mtime_ns: int) -> IndexLine:
    """Return the index line of a record, from the summary in its file.

    If another release wrote the file, summarize its record. Raises the errors of `read_record`.
    """
    try:
        found = msgspec.json.decode(read_sound(folder, name), type=_Listed)
    except msgspec.ValidationError:  # written by another release
        return line_of(name, size, mtime_ns, read_record(folder, name))
    return IndexLine(name, size, mtime_ns, found.evening, found.summary, found.row)


def line_of(name: str, size: int, mtime_ns: int, stored: Stored) -> IndexLine:
    """Return the index line of a record."""
    from referee.core.documents.course import summarize

    return IndexLine(name, size, mtime_ns, stored.evening, summarize(stored.record), stored.row)
