"""The index of the records: a line a record with its file's size and time, and its summary. It can always be rebuilt.

    <CRC-32 of the JSON's bytes, 8 hex digits> <JSON>

A later line of the same record counts. A line that is damaged, or whose record has changed since, is made again from
the record, and added at the end; the whole file is rewritten when half of its lines are of no use any more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from referee.core.documents.summary import Summary
from referee.core.values import Value
from referee.files import Folder, checksummed, content_of

NAME = "index.jsonl"
MOST_BYTES = 1 << 28
FORM: Literal[1] = 1
"""To be changed with `Summary`, so that lines of another release are made again."""


class IndexLine(Value, array_like=True):
    """The file `name` as it was read: its size, when it was written, its evening ("" for an imported one)."""

    form: Literal[1]
    name: str
    size: int
    mtime_ns: int
    evening: str
    summary: Summary


class _Known(msgspec.Struct):
    id: str


class _Short(msgspec.Struct, array_like=True):
    """The beginning of a line, as far as a match's id."""

    form: int
    name: str
    size: int
    mtime_ns: int
    evening: str
    summary: _Known


_LINE = msgspec.json.Decoder(IndexLine)
_SHORT = msgspec.json.Decoder(_Short)


def known_ids(folder: Folder) -> dict[str, str]:
    """The record's file name -> the match's id, as far as the index has them; no summary is read."""
    found = {}
    with contextlib.suppress(OSError):
        for text in folder.read(NAME, MOST_BYTES).split(b"\n"):
            with contextlib.suppress(ValueError):
                if content := content_of(text):
                    line = _SHORT.decode(content)
                    found[line.name] = line.summary.id
    return found


class Index:
    """The lines of an index file, by the record's file name."""

    def __init__(self, folder: Folder) -> None:
        """Read it; a file that is missing or cannot be read has no lines."""
        self.lines: dict[str, IndexLine] = {}
        self._useless = 0
        self._whole = False
        """Whether the file can be added to: it is there, and ends with a whole line."""
        with contextlib.suppress(OSError):
            data = folder.read(NAME, MOST_BYTES)
            self._whole = data[-1:] in (b"", b"\n")
            for text in data.split(b"\n"):
                self._take(text)

    def _take(self, text: bytes) -> None:
        try:
            if content := content_of(text):
                line = _LINE.decode(content)
                self._useless += line.name in self.lines
                self.lines[line.name] = line
                return
        except ValueError:
            pass
        self._useless += bool(text)

    def update(self, folder: Folder, new: Iterable[IndexLine], names: Mapping[str, object]) -> None:
        """Take in the new lines, forget records that are not in `names`, and save what has changed if possible."""
        fresh = list(new)
        gone = [name for name in self.lines if name not in names]
        for name in gone:
            del self.lines[name]
        self._useless += len(gone) + sum(line.name in self.lines for line in fresh)
        self.lines.update({line.name: line for line in fresh})
        if not gone and not fresh:
            return
        with contextlib.suppress(OSError):
            if gone or not self._whole or 2 * self._useless > len(self.lines):
                folder.write(NAME, b"".join(map(_text, self.lines.values())))
                self._useless, self._whole = 0, True
            else:
                folder.append(NAME, b"".join(map(_text, fresh)))


def _text(line: IndexLine) -> bytes:
    return checksummed(msgspec.json.encode(line))
