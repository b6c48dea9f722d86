"""The rows of a journal's file without SQLite: from every page of the file and its log, each proved by the chain.

Theory of operation. SQLite gives up a file for one bit in its first page, and the end of a log for one bit in a frame.
The rows are still there: every table leaf in the file, and every copy of a page in the log, is read cell by cell, and a
cell counts as a row if its columns are those of one of our tables. Where rows are missing or a page makes no sense,
every place is tried where a cell may begin. That finds several versions of a row, old ones and damaged ones; right is
the one whose link follows from the link of the row before it. A boot's id is known from its own row, and from the
events that name it.

Each `Opened` is there a second time, in the table `opening`: a copy is one more version of its row.

A row behind one that is lost cannot be proved; it is taken if it can be read and nothing speaks against it. So are the
rows of older referees, which have no links.
"""

from __future__ import annotations

import contextlib
import json
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from referee.core.model.events import Event
from referee.core.presses.signals import Edge
from referee.core.stored import CodecError, from_document
from referee.drivers.journal.chain import (
    LINK_BYTES,
    edge_link,
    event_link,
    name_sum,
    opening_fits,
    origin_sum,
    packed_sum,
    with_names,
)
from referee.drivers.journal.seasons import Block

PAGES = (1024, 4096)
"""The sizes of page that our journals have, those of older referees SQLite's own. What the damaged header says is not
asked: a file has the size by which more of our rows are found."""
_LEAF = 13
_HEAD = re.compile(rb"(?=[\x03-\x18]\x00)")
"""A record's head in our tables: its length, then the first column, which is the row's number and stands before it."""
_NEAR = 200
"""Rows within so many of a missing one may share its page."""


class CarvedRow(NamedTuple):
    """A row as it stood on the disk. values: its columns behind seq and boot, without the link."""

    seq: int
    boot: int
    table: str
    values: tuple[Any, ...]
    link: bytes | None


@dataclass(slots=True)
class Carved:
    """What a file holds: rows by number, their boots, milestones' bases, names, marks, the row `origin`.

    There may be several of each. named_boots: by the events that begin a run. files:
    which journal's; packed: up to which row it is elsewhere.
    """

    rows: dict[int, list[CarvedRow]] = field(default_factory=dict)
    boots: dict[int, list[str]] = field(default_factory=dict)
    named_boots: list[str] = field(default_factory=list)
    bases: dict[int, list[int]] = field(default_factory=dict)
    names: dict[int, list[tuple[str, bytes]]] = field(default_factory=dict)
    marks: dict[int, list[tuple[Any, ...]]] = field(default_factory=dict)
    anchors: list[bytes] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)
    matches_before: int = 0
    packed: int = 0


class ProvedRow(NamedTuple):
    """A row that is to be believed: its number, boot, table, columns, its milestone's base."""

    seq: int
    boot: str
    table: str
    values: tuple[Any, ...]
    base: int | None


def carve(path: Path, packed: Sequence[Block] = ()) -> tuple[list[ProvedRow], Carved]:
    """The sound rows in the file and its log, in order, and all that was found. OSError if it cannot be read.

    packed: the evenings that lie beside it; what is in one of them is not looked for here.
    """
    content, beside = path.read_bytes(), Path(f"{path}-wal")
    log = beside.read_bytes() if beside.exists() else b""
    looks = [_first_look(content, log, size) for size in PAGES]
    images, pages, found, seqs = max(looks, key=lambda look: sum(map(len, look[3])))
    _leave_out(found, packed)
    sound = list(_follow_numbers(found))
    missing = _missing(sound, found.packed)
    for (_, image), own in zip(images, seqs, strict=True):
        if _strange(image, own) or any(seq - _NEAR <= lost <= seq + _NEAR for seq in own for lost in missing):
            _take(found, image, _anywhere(image), pages)
    _leave_out(found, packed)
    return list(_follow_numbers(found)), found


def _first_look(
    content: bytes, log: bytes, size: int
) -> tuple[list[tuple[int, bytes]], tuple[dict[int, bytes], ...], Carved, list[set[int]]]:
    """Every page of that size, the newest and the oldest of each number, and what stands where their lists say."""
    images = [*_pages(content, size), *_frames(log, size)]
    pages, found = (dict(images), dict(_pages(content, size))), Carved()
    return images, pages, found, [_take(found, image, _cells(image), pages) for _, image in images]


def _leave_out(found: Carved, packed: Sequence[Block]) -> None:
    """Drop the rows that are packed, and go on from where the last of them ended.

    The file says how far that is, or its name does; where both are lost, a row that the block ends with.
    """
    own = [
        block
        for block in packed
        if bytes.fromhex(block.file) in found.files
        or any(row.link == bytes.fromhex(block.after) for row in found.rows.get(block.last, ()))
    ]
    if own:
        found.packed = max(block.last for block in own)
        found.anchors += [bytes.fromhex(block.after) for block in own if block.last == found.packed]
        found.matches_before = max((match.number for block in own for match in block.matches), default=0)
    for seq in [seq for seq in found.rows if seq <= found.packed]:
        del found.rows[seq]


def _missing(sound: list[ProvedRow], packed: int) -> set[int]:
    """Where numbers are not there: the first of each hole, and what may be behind the end."""
    numbers = [packed, *(row.seq for row in sound)]
    return {one + 1 for one, two in pairwise(numbers) if two > one + 1} | {numbers[-1] + 1}


def _strange(image: bytes, own: set[int]) -> bool:
    """No page of a table or an index as SQLite makes them, and no continuation of a long row."""
    return not own and image[0] not in (0, 2, 5, 10, _LEAF)


# -- pages and cells ---------------------------------------------------------------------------------------------------


def _pages(content: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(content) - size + 1, size):
        yield start // size + 1, content[start : start + size]


def _frames(log: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """Every copy of a page in the log, oldest first: of this round, then what is left of the rounds before it."""
    found: list[tuple[bool, int, bytes]] = []
    for start in range(32, len(log) - size - 23, size + 24):
        (number,) = struct.unpack_from(">I", log, start)
        found.append((log[start + 8 : start + 16] == log[16:24], number, log[start + 24 : start + 24 + size]))
    for _, number, image in sorted(found, key=lambda frame: frame[0]):
        yield number, image


def _cells(image: bytes) -> list[int]:
    """Where the cells of a table leaf begin."""
    if image[0] != _LEAF:
        return []
    count = min(int.from_bytes(image[3:5], "big"), (len(image) - 8) // 2)
    return [int.from_bytes(image[8 + 2 * n : 10 + 2 * n], "big") for n in range(count)]


def _anywhere(image: bytes) -> Iterator[int]:
    """Where a cell may begin, whatever the page's own list says: its size (below 2 MiB) and its row's number (below
    2^28) stand before a head, in seven bytes at most."""
    for match in _HEAD.finditer(image, 10, len(image) - 8):
        head = match.start()
        if image[head - 1] < 0x80:
            yield from range(max(head - 7, 8), head - 1)


def _take(found: Carved, image: bytes, starts: Iterable[int], pages: tuple[dict[int, bytes], ...]) -> set[int]:
    """Add whatever begins at these places and is a row of ours; the numbers of the rows that were there."""
    seqs: set[int] = set()
    for start in starts:
        cell = _cell(image, start, pages[0])
        if cell is None or not _keep(found, *cell):
            cell = _cell(image, start, pages[1]) if cell else None
            if cell is None or not _keep(found, *cell):
                continue
        seqs.add(cell[0])
    return seqs


def _varint(image: bytes, at: int) -> tuple[int, int]:
    """A number as SQLite writes it, and where the next thing begins."""
    value = 0
    for n in range(9):
        byte = image[at + n]
        if n == 8:
            return (value << 8 | byte), at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    raise IndexError


def _cell(image: bytes, start: int, pages: dict[int, bytes]) -> tuple[int, list[Any]] | None:
    """A cell's row number and columns; None where there is none."""
    try:
        size, at = _varint(image, start)
        rowid, at = _varint(image, at)
        if not 3 <= size <= 2**24 or not 0 < rowid < 2**48:
            return None
        head, behind = _varint(image, at)
        if not 2 <= head <= 24 or head > size:
            return None
        kinds, end = [], at + head
        while behind < end:
            kind, behind = _varint(image, behind)
            kinds.append(kind)
        if behind != end or head + sum(map(_length, kinds)) != size:
            return None
        payload = _payload(image, at, size, pages)
        return (rowid, _columns(payload, head, kinds)) if payload is not None else None
    except (IndexError, struct.error, UnicodeDecodeError):
        return None


def _payload(image: bytes, at: int, size: int, pages: dict[int, bytes]) -> bytes | None:
    """A cell's content, with what stands in pages of its own."""
    page_size = len(image)
    most, least = page_size - 35, (page_size - 12) * 32 // 255 - 23
    if size <= most:
        return image[at : at + size] if at + size <= page_size else None
    local = least + (size - least) % (page_size - 4)
    local = local if local <= most else least
    parts = [image[at : at + local]]
    (number,) = struct.unpack_from(">I", image, at + local)
    left = size - local
    while left > 0:
        page = pages.get(number)
        if page is None:
            return None
        parts.append(page[4 : 4 + min(left, page_size - 4)])
        left -= page_size - 4
        (number,) = struct.unpack_from(">I", page, 0)
    return b"".join(parts)


_INTS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _length(kind: int) -> int:
    """How many bytes a column of this kind takes."""
    if kind >= 12:
        return (kind - 12) // 2
    return 8 if kind == 7 else _INTS.get(kind, 0)


def _columns(payload: bytes, at: int, kinds: list[int]) -> list[Any]:
    columns: list[Any] = []
    for kind in kinds:
        part = payload[at : at + _length(kind)]
        at += _length(kind)
        if kind >= 13 and kind % 2:
            columns.append(part.decode())
        elif kind >= 12:
            columns.append(part)
        elif kind in _INTS:
            columns.append(int.from_bytes(part, "big", signed=True))
        else:
            columns.append({8: 0, 9: 1}.get(kind))
    return columns


# -- rows of ours ------------------------------------------------------------------------------------------------------

_SHAPES: dict[str, tuple[str, ...]] = {
    "edge": ("n", "i", "s", "i", "i", "i", "i", "sn", "in", "bn"),
    "old edge": ("n", "i", "s", "i", "i", "i", "i"),
    "event": ("n", "i", "i", "s", "s", "in", "bn"),
    "old event": ("n", "i", "i", "s", "s", "in"),
    "opening": ("n", "i", "i", "s", "s", "in", "b", "i", "b"),
    "milestone": ("n", "s", "i"),
    "boot": ("n", "s"),
    "name": ("n", "s", "b"),
    "mark": ("n", "s", "i", "in", "s", "in", "bn"),
    "origin": ("n", "b", "b", "i", "b"),
    "packed": ("n", "i", "b", "i", "b"),
}
_LETTERS = {type(None): "n", int: "i", str: "s", bytes: "b"}
_MILESTONES = ("opened", "began", "rematched")


def _shape(columns: list[Any]) -> str | None:
    letters = [_LETTERS[type(column)] for column in columns]
    for name, shape in _SHAPES.items():
        if len(shape) == len(letters) and all(map(str.__contains__, shape, letters)):
            return name
    return None


def _keep(found: Carved, number: int, columns: list[Any]) -> bool:
    """Add it to what was found, if it is a row of ours."""
    match _shape(columns):
        case "edge" | "event" as table:
            _add(found.rows, number, CarvedRow(number, columns[1], table, tuple(columns[2:-1]), columns[-1]))
            _add_boot(found, table, columns)
        case "opening" if opening_fits([number, *columns[1:-1]], columns[-1]):
            _add(found.rows, number, CarvedRow(number, columns[1], "event", tuple(columns[2:6]), columns[6]))
            _add(found.bases, number, columns[7])
            _add_boot(found, "event", columns)
        case "old edge":
            _add(found.rows, number, CarvedRow(number, columns[1], "edge", (*columns[2:], None, None), None))
        case "old event":
            _add(found.rows, number, CarvedRow(number, columns[1], "event", tuple(columns[2:]), None))
        case "milestone" if columns[1].lower() in _MILESTONES:
            _add(found.bases, number, columns[2])
        case "boot":
            _add(found.boots, number, columns[1])
        case "name":
            _add(found.names, number, (columns[1], columns[2]))
        case "mark":
            _add(found.marks, number, tuple(columns[1:-1]))
        case "origin" if len(columns[2]) == LINK_BYTES:
            # From one that was altered no first row follows, and without any the first row is taken as it can be read.
            sound = columns[4] == origin_sum(*columns[1:4])
            found.anchors += [columns[2]] if sound and columns[2] not in found.anchors else []
            found.files.append(columns[1])
            found.matches_before = max(found.matches_before, columns[3])
        case "packed" if columns[4] == packed_sum(*columns[1:4]):
            found.anchors.append(columns[2])
            found.packed = max(found.packed, columns[1])
            found.matches_before = max(found.matches_before, columns[3])
        case _:
            return False
    return True


def _add_boot(found: Carved, table: str, columns: list[Any]) -> None:
    """The boot that an event names, should the boot's own row be damaged."""
    if table == "event" and '"boot"' in columns[4]:
        with contextlib.suppress(CodecError, ValueError, TypeError, RecursionError):
            boot = getattr(_nameless(columns[4]), "boot", None)
            found.named_boots += [boot] if boot and boot not in found.named_boots else []


def _add(to: dict[int, list[Any]], number: int, value: Any) -> None:
    values = to.setdefault(number, [])
    if value not in values:
        values.append(value)


# -- which of them are sound -------------------------------------------------------------------------------------------


def _follow_numbers(found: Carved) -> Iterator[ProvedRow]:
    """Of each number the row that follows from the one before it; or the only one that can be read, if none can.

    One that has the link of a row that was proved is that row, under a number that was altered. One that does not
    follow, but from which the next one does, is as it was written but for its link.
    """
    links, last, taken = list(found.anchors), found.packed, set[bytes | None]()
    behind: dict[bytes, ProvedRow] = {}  # the rows that may have stood just before, by the link that each ought to have
    for seq in sorted(found.rows):
        rows = found.rows[seq]
        proved = next((s for row in rows if (s := _prove(found, row, links)) is not None), None)
        if proved is None and (last != seq - 1 or not links or any(row.link is None for row in rows)):
            others = (row for row in rows if row.link is None or row.link not in taken)
            proved = next((s for row in others if (s := _readable(found, row)) is not None), None)
        elif proved is not None:
            taken.update(row.link for row in rows)
            if (
                before := next((row for link, row in behind.items() if _follows(proved, rows, link)), None)
            ) is not None:
                yield before
        if proved is not None:
            yield proved
        own = [row.link for row in rows if row.link is not None]
        behind = dict(_due(found, rows, links)) if own and proved is None else {}
        links, last = [*own, *behind] or links, seq


def _follows(proved: ProvedRow, rows: list[CarvedRow], before: bytes) -> bool:
    """Whether that row's link follows from this one."""
    links = {row.link for row in rows}
    if proved.table == "edge":
        return edge_link(before, proved.seq, proved.boot, proved.values) in links
    return event_link(before, proved.seq, proved.boot, proved.values, proved.base) in links


def _due(found: Carved, rows: list[CarvedRow], links: list[bytes]) -> Iterator[tuple[bytes, ProvedRow]]:
    """The links that these rows ought to have: was one's own link hurt and nothing else, the next follows from this."""
    for row in rows:
        for boot in dict.fromkeys((*found.boots.get(row.boot, ()), *found.named_boots)):
            for base in dict.fromkeys((*found.bases.get(row.seq, ()), *_guesses(found, row))):
                it = ProvedRow(row.seq, boot, row.table, row.values, base)
                yield from ((_link(link, row, boot, base), it) for link in links)


def _prove(found: Carved, row: CarvedRow, links: list[bytes]) -> ProvedRow | None:
    for boot in dict.fromkeys((*found.boots.get(row.boot, ()), *found.named_boots)):
        for base in (*found.bases.get(row.seq, ()), *_guesses(found, row)):
            for link in links:
                if _link(link, row, boot, base) == row.link is not None:
                    return ProvedRow(row.seq, boot, row.table, row.values, base)
    return None


def _guesses(found: Carved, row: CarvedRow) -> tuple[int | None, ...]:
    """What a milestone that is lost may have said."""
    if row.table != "event" or row.values[1].lower() not in _MILESTONES:
        return (None,)
    return (row.seq - 1, *{base for bases in found.bases.values() for base in bases})


def _link(before: bytes, row: CarvedRow, boot: str, base: int | None) -> bytes:
    if row.table == "edge":
        return edge_link(before, row.seq, boot, row.values)
    return event_link(before, row.seq, boot, row.values, base)


def _readable(found: Carved, row: CarvedRow) -> ProvedRow | None:
    """A row that nothing proves, if it is one that a referee would write."""
    try:
        if row.table == "edge":
            Edge(row.values[0], row.values[1] == 1, *row.values[2:])
            base = None
        else:
            kind = decode_nameless(row.values[2])
            guesses = (*found.bases.get(row.seq, ()), row.seq - 1)
            base = guesses[0] if kind.lower() in _MILESTONES else None
            if kind != row.values[1]:
                return None
    except (CodecError, ValueError, TypeError):
        return None
    boots = found.boots.get(row.boot) or found.named_boots
    return ProvedRow(row.seq, boots[0], row.table, row.values, base) if boots else None


def decode_nameless(body: str) -> str:
    """The event's name as it stands there. CodecError for a body that is none; names may be numbers in it."""
    try:
        _nameless(body)
        return str(json.loads(body)["type"])
    except (ValueError, TypeError, RecursionError) as error:
        raise CodecError(str(error)) from None


def _nameless(body: str) -> Event:
    """The event of a row; people are called by their numbers."""
    return from_document(with_names(json.loads(body), lambda number: f"Player {number}"))


def count_unnamed(rows: Iterable[ProvedRow], found: Carved) -> int:
    """How many people that these rows speak of have lost their names."""
    people = set[int]()

    def note_person(number: int) -> str:
        people.add(number)
        return ""

    for row in rows:
        if row.table == "event":
            with_names(json.loads(row.values[2]), note_person)
    return len(people - names_of(found).keys())


def names_of(found: Carved) -> dict[int, str]:
    """The names that are as they were written, as they stand in the table."""
    return {n: body for n, bodies in found.names.items() for body, own in bodies if name_sum(n, body) == own}
