"""A record's file: its name and number, its text with a checksum, and what may be damaged."""

from __future__ import annotations

import contextlib
import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import msgspec

from referee.core.documents.delivery import NO_ROW, Row
from referee.core.values import replace
from referee.storage.files import Folder

if TYPE_CHECKING:
    from referee.core.documents.record import Record

MOST_BYTES = 16 << 20
"""Maximum bytes. A record with sixty hands and all photo finishes has half a megabyte."""
MOST_FILES = 200_000
"""Maximum number of folder entries that are read."""
INDEX, REMOVED = "index.jsonl", "removed.json"
FORM = 1
"""Format of the index's lines. Raise it with each change of `Summary`.

Lines of another format are made again from their records.
"""
IMPORTED = "A"
NAME = re.compile(r"(A?)([0-9]{5,9})\.json")
_NUMBER = re.compile(r"(A?)([1-9][0-9]{0,8})")
_END = b',"crc32":"%08x"}\n'
_END_BYTES = len(_END % 0)


class BrokenRecordError(ValueError):
    """A record is damaged. The message ends a sentence that begins with the record's number."""


class Stored(NamedTuple):
    """A record, the name of its evening ("" for an imported one), and the row that last changed it.

    row: `NO_ROW` for an imported record, and in a file of an earlier version. Its number is 0 if the record was made
    again and has not changed since its evening began.
    """

    record: Record
    evening: str
    row: Row = NO_ROW


class Removed(msgspec.Struct):
    """The content of `removed.json`. rows: match -> the row that removed its record."""

    rows: dict[str, Row] = {}


class Claim(msgspec.Struct):
    """The match ID and the evening that a record's file names. The file may be damaged."""

    id: str = ""
    evening: str = ""


def text_of(record: Record, evening: str, row: Row = NO_ROW) -> bytes:
    """Return the content of a record's file."""
    from referee.core.documents.course import summarize
    from referee.core.documents.record import to_document

    more: dict[str, object] = {} if record.winners else {"unfinished": True}
    more |= {"evening": evening} if evening else {}
    more |= {"form": FORM, "summary": summarize(record)}
    more |= {"row": row} if row > NO_ROW else {}
    text = msgspec.json.encode(to_document(record) | more)[:-1]
    return text + _END % crc32(text)


def read_record(folder: Folder, name: str) -> Stored:
    """Read a record's file.

    Raises OSError; BrokenRecordError for a wrong checksum; RecordError for a record of another release.
    """
    from referee.core.documents.record import read_trusted

    document = msgspec.json.decode(read_sound(folder, name))
    row = document.get("row", NO_ROW)
    return Stored(read_trusted(document), document.get("evening", ""), (row[0], row[1]))


def read_sound(folder: Folder, name: str) -> bytes:
    """Return the content of a record's file. Raises OSError; BrokenRecordError for a wrong checksum."""
    data = folder.read(name, MOST_BYTES)
    if data[-_END_BYTES:] != _END % crc32(data[:-_END_BYTES]):
        raise BrokenRecordError("is damaged: its checksum is wrong")
    return data


def claim_of(folder: Folder, name: str) -> Claim | None:
    """Return the `Claim` of a file; an empty one if it is no JSON; None if it cannot be read."""
    with contextlib.suppress(OSError):
        try:
            return msgspec.json.decode(folder.read(name, MOST_BYTES), type=Claim)
        except ValueError:
            return Claim()
    return None


def trouble(folder: Folder, name: str) -> str:
    """Return a sentence on a record's damage; "" if there is none."""
    try:
        read_record(folder, name)
    except (OSError, ValueError) as error:
        return f"record {number_of(name)} {words(error)}"
    return ""


def words(error: Exception) -> str:
    """Return why a record was not read. The text ends a sentence that begins with its number."""
    if isinstance(error, BrokenRecordError):
        return str(error)
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def row_after(row: Row, before: Row) -> Row:
    """Return the row of a record that has changed after row `before`: `row`, or the next one if that is not later."""
    return max(row, (before[0], before[1] + 1)) if before > NO_ROW else row


def with_row(made: Stored, known: Row) -> Stored:
    """Return a record that was made again, with the row `known` if that can be its own."""
    return made._replace(row=max(made.row, known) if made.row[1] else known if known > NO_ROW else made.row)


def with_times(record: Record, before: Record) -> Record:
    """Return the record with missing wall-clock times copied from its earlier version."""
    hands = tuple(
        replace(hand, counted_s=old.counted_s) if hand.counted_s is None else hand
        for hand, old in zip(record.hands, before.hands, strict=False)
    )
    return replace(
        record,
        begun_s=before.begun_s if record.begun_s is None else record.begun_s,
        ended_s=before.ended_s if record.ended_s is None else record.ended_s,
        hands=hands + record.hands[len(hands) :],
    )


def is_same(record: Record, before: Record) -> bool:
    """Return whether two records differ at most in their times."""
    return _untimed(record) == _untimed(before)


def _untimed(record: Record) -> bytes:
    """Return the record as JSON, because a record that was read has lists in place of tuples."""
    hands = tuple(replace(hand, counted_s=None) for hand in record.hands)
    return msgspec.json.encode(replace(record, begun_s=None, ended_s=None, hands=hands), order="sorted")


# -- names -------------------------------------------------------------------------------------------------------------


def number_of(name: str) -> str:
    """Return the number of a record's file: "3", "A1"."""
    prefix, digits = ("A", name[1:-5]) if name[0] == "A" else ("", name[:-5])
    return prefix + digits.lstrip("0")


def file_name(number: str) -> str:
    """Return the file name for a number. Raises FileNotFoundError if it is not a number."""
    found = _NUMBER.fullmatch(number)
    if found is None:
        raise FileNotFoundError(f"{number!r} is not the number of a match")
    return f"{found[1]}{int(found[2]):05}.json"


def order(name: str) -> tuple[bool, int, str]:
    """Return a sort key for file names: matches played here first, then imported, by number."""
    return name.startswith(IMPORTED), len(name), name


def free_name(folder: Folder, prefix: str, *, gap: bool = False) -> str:
    """Return the file name for the number after the highest one in use; with `gap`, for the lowest unused number."""
    matches = (NAME.fullmatch(name) for name in folder.names(MOST_FILES))
    numbers = {int(found[2]) for found in matches if found and found[1] == prefix}
    number = next(n for n in count(1) if n not in numbers) if gap else max(numbers, default=0) + 1
    return file_name(f"{prefix}{number}")


def foreign_sentence(path: Path, names: list[str]) -> list[str]:
    """Return a list with one sentence if the folder has files that are not records."""
    found = [name for name in names if not NAME.fullmatch(name) and name != INDEX and not name.endswith(".part")]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return [f"{path}: {found[0]!r}{more} is no record of a match, and is left alone"] if found else []
