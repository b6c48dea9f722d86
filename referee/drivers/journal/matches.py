"""Past matches as records, in a file beside the journal: one line a match, derived once and then only read.

Theory of operation. A line is a sum, what lists show of the match, and the whole record, parted by tabs. It is added to
and synced; a line that does not fit its sum is left out and derived again from the journal, and costs no other line. A
match is known by number and id; a later line of the same (a match that was gone on with) counts instead of the earlier
one. `link` is the journal's link at the match's last row: the hash of its rows, and of all before them.

Numbers are the journal's, and go on where this file ends when a fresh journal is begun.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from referee.core.documents.record import Record, from_document, to_document
from referee.drivers.journal.beside import sync_directory

_TO_JSON = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


class Kept(NamedTuple):
    """A match as it is kept: its number, id, when it began, what lists show of it, and the line's record, unread.

    shown: None for a match without a record; then `trouble` says why. It has the statistics' parts, too, by person.
    over: nothing of it can change any more.
    """

    number: int
    id: str
    begun_s: int | None
    link: str
    trouble: str
    shown: dict[str, Any] | None
    body: str
    over: bool = True

    @property
    def key(self) -> tuple[int, str]:
        """What tells one match from every other: its number and its id."""
        return self.number, self.id

    def record(self) -> Record:
        """The whole record. RecordError if it is none."""
        return from_document(json.loads(self.body))


def beside(journal: Path) -> Path:
    """Where the records of a journal's matches are."""
    return journal.with_name("matches.log")


def match_to_keep(number: int, id_: str, begun_s: int | None, link: bytes, record: Record | None, trouble: str) -> Kept:
    """A match as it is to be kept."""
    told = None if record is None else {"people": list(record.people), "parts": {}}
    body = "null" if record is None else _TO_JSON(to_document(record))
    return Kept(number, id_, begun_s, link.hex(), "" if record else trouble, told, body)


def read(path: Path) -> list[Kept]:
    """Every match of which a sound line tells, by number; none when there is no file. OSError."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    found = {match.key: match for match in map(_match, content.split(b"\n")) if match}
    return sorted(found.values(), key=lambda match: match.number)


def add(path: Path, matches: Iterable[Kept]) -> None:
    """Keep these, too; on the disk when it returns. OSError."""
    lines = b"".join(b"\n" + _line(match) + b"\n" for match in matches)
    if not lines:
        return
    new = not path.exists()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.write(fd, lines)
        os.fsync(fd)
    finally:
        os.close(fd)
    if new:
        sync_directory(path.parent)


def rewrite(path: Path, matches: Sequence[Kept]) -> None:
    """The whole file anew, or as it was. OSError."""
    part = path.with_name(f"{path.name}.part")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, b"".join(b"\n" + _line(match) + b"\n" for match in matches))
        os.fsync(fd)
    finally:
        os.close(fd)
    part.replace(path)
    sync_directory(path.parent)


def last_number(journal: Path) -> int:
    """The highest number that a match has here; 0 when there is none, or nobody can tell."""
    with contextlib.suppress(OSError):
        return max((match.number for match in read(beside(journal))), default=0)
    return 0


def count_damaged(path: Path) -> int:
    """How many lines of the file do not fit their sums."""
    with contextlib.suppress(OSError):
        return sum(bool(line) and _match(line) is None for line in path.read_bytes().split(b"\n"))
    return 0


def _line(match: Kept) -> bytes:
    head = _TO_JSON([match.number, match.id, match.begun_s, match.link, match.trouble, match.shown])
    text = f"{head}\t{match.body}".encode()
    return _sum(text) + b"\t" + text


def _match(line: bytes) -> Kept | None:
    """The match of a line; None for one that is empty, torn or damaged."""
    sum_, _, text = line.partition(b"\t")
    if not text or sum_ != _sum(text):
        return None
    head, _, body = text.decode().partition("\t")
    number, id_, begun_s, link, trouble, told = json.loads(head)
    return Kept(number, id_, begun_s, link, trouble, told, body)


def _sum(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).hexdigest().encode()


def people_of(matches: Iterable[Kept]) -> Iterator[str]:
    """Everybody who is named in one of these."""
    for match in matches:
        yield from (match.shown or {}).get("people", ())
