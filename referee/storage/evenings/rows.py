"""The rows of an evening's file, format 1: one line per row, a checksum and a JSON object.

    5f1d0c3a {"kind":"event","n":5,"boot":1,"wall":1764183000,"event":{"type":"sealed",...}}
    8d0f6d27 {"n":6,"edge":["1",true,1002283170719,300000]}
    1f0b6c9e {"n":7,"tick":1002285018779}

The checksum is the CRC-32 of the JSON's bytes, as 8 lower-case hex digits. `docs/evening-file.md` describes the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, cast

import msgspec
from msgspec import Raw
from msgspec.structs import astuple

from referee.core.model.events import Event, Opened, Resumed, Tick
from referee.core.presses.signals import UNSTATED_NS, Edge
from referee.core.stored import CodecError, decode, encode
from referee.core.values import Value, field
from referee.storage.files import checksummed, content_of

FORMAT = 1
JournalRow = tuple[int, Event]
Kind = Literal["input", "start", "event", "late", "aside", "moved", "gap"]
_NONE = Raw()
_BOM = b"\xef\xbb\xbf"
_END = re.compile(rb"(?<=\})[^}](?=[0-9a-f]{8} \{|$)")
"""A damaged end of a line that runs into the next line."""


class EdgeRow(msgspec.Struct, frozen=True, array_like=True):
    """An edge as a list of values. Default values at the end of the list are left out."""

    station: str
    closed: bool
    t_ns: int
    err_ns: int = 0
    arrived_ns: int = UNSTATED_NS
    clock: str | None = None
    rel_err_ns: int | None = None


class FileRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row of an evening's file. Its `kind` says which other fields it has.

    n: the event's number; in a row without an event, the number of the last event. boot: the boot's number. wall: Unix
    seconds, for information.

    Kinds: input: an edge or a tick. Almost all rows are inputs, so they leave out kind and boot. start: has format,
    release, id (counts evenings), boot_id and opened. event: all other events. late: the events after number `after`
    up to n were saved late. aside: event n is skipped. moved: the clock was set, so add by_s to `wall` of this boot's
    earlier rows. gap: `lost` rows after n were never saved.
    """

    kind: Kind = "input"
    n: int = 0
    boot: int = 0
    wall: int | None = None
    format: int = 0
    release: str = ""
    id: int = 0
    boot_id: str = ""
    opened: Raw = _NONE
    event: Raw = _NONE
    after: int = 0
    lost: int = 0
    by_s: int = 0
    reason: str = ""
    edge: EdgeRow | None = None
    tick: int | None = None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(FileRow)


def line(row: FileRow) -> bytes:
    """Return the row as a line of the file."""
    return checksummed(_ENCODER.encode(row))


def event_row(seq: int, event: Event, text: str, boot: int, wall: int | None = None) -> FileRow:
    """Return the row of an event; `text` is the encoded event."""
    if type(event) is Edge:
        return FileRow(n=seq, edge=_short(event))
    if type(event) is Tick:
        return FileRow(n=seq, tick=event.at_ns)
    return FileRow("event", seq, boot, wall, event=Raw(text.encode()))


def _short(edge: Edge) -> EdgeRow:
    """Return the edge as a list without default values at its end."""
    parts, usual = [*astuple(edge)], [0, edge.t_ns, None, None]
    while usual and parts[-1] == usual.pop():
        parts.pop()
    return cast(EdgeRow, parts)


def start_row(opened: Opened, seq: int, boot: int, boot_id: str, wall: int, id_: int) -> FileRow:
    """Return a start row. It is the first row of a file, and the first row of each later boot."""
    return FileRow("start", seq, boot, wall, FORMAT, opened.release, id_, boot_id, Raw(encode(opened).encode()))


def parse(text: bytes) -> FileRow | None:
    """Parse a line without its line end. Return None if the line is damaged."""
    content = content_of(text)
    try:
        return None if content is None else _DECODER.decode(content)
    except (msgspec.DecodeError, ValueError):
        return None


class Tape(Value):
    """The parsed content of an evening's file.

    id, format: of the first readable start row, else 0. rows: the events from `Opened` on, in order. boots: number of
    boots; boot: ID of the last one; wall_s: the last wall-clock time in the file. walls: event number -> Unix seconds.
    aside: number of an event to skip -> why. gaps: sentences on rows that were saved late or never. damaged:
    descriptions of damage. size: bytes up to the end of the last complete line. tail: the last row as a line, if the
    row is readable but lacks its line end.
    """

    id: int = 0
    format: int = 0
    rows: tuple[JournalRow, ...] = ()
    boots: int = 0
    boot: str | None = None
    wall_s: int | None = None
    walls: Mapping[int, int] = field(default_factory=dict)
    aside: Mapping[int, str] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    size: int = 0
    tail: bytes = b""


def read_tape(data: bytes) -> Tape:
    """Parse a file's bytes. An unfinished last line is ignored unless it can be read."""
    return _Reader(data).tape()


def start_of(data: bytes) -> FileRow | None:
    """Return the first readable start row; None without one."""
    starts = (text for text in _lines(data) if b'"kind":"start"' in text[:40])
    rows = (row for text in starts for row in (parse(text), *_rows_of_damaged(text)))
    return next((row for row in rows if row is not None and row.kind == "start"), None)


def has_rows(data: bytes) -> bool:
    """Return whether the file has a readable line."""
    return any(parse(text) or any(_rows_of_damaged(text)) for text in _lines(data))


def _rows_of_damaged(text: bytes) -> list[FileRow | None]:
    """Parse two lines that have become one text, because the line end between them is damaged.

    The list has None for a line that cannot be read.
    """
    return [parse(part) for part in _END.split(text) if part]


def _lines(data: bytes) -> Iterator[bytes]:
    for text in data.removeprefix(_BOM).split(b"\n")[:-1]:
        yield text.removesuffix(b"\r")


class _Reader:
    """Reads the lines in order. `last` is the number of the last event that was read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.start: FileRow | None = None
        self.rows: list[JournalRow] = []
        self.last = self.bad = 0  # bad: damaged lines since the last event
        self.boots = 0
        self.boot: str | None = None
        self.walls: dict[int, tuple[int, int]] = {}  # event number -> (boot, seconds)
        self.noted: tuple[int, int] | None = None  # the last one noted
        self.aside: dict[int, str] = {}
        self.gaps: list[str] = []
        self.damaged: list[str] = []

    def tape(self) -> Tape:
        size = self.data.rfind(b"\n") + 1
        for number, text in enumerate(_lines(self.data), 1):
            self._read(number, text)
        tail = self.data[size:].rstrip(b" \0")
        row = parse(tail) or parse(tail[:-1])
        if row is not None:
            self._read(self.data.count(b"\n") + 1, tail)
        start = self.start or FileRow("start", 0, 0)
        walls = {seq: wall for seq, (_, wall) in self.walls.items()}
        wall_s = self.noted[1] if self.noted else None
        return Tape(
            start.id, start.format, tuple(self.rows), self.boots, self.boot, wall_s, walls, self.aside,
            tuple(self.gaps), tuple(self.damaged), size, line(row) if row else b"",
        )  # fmt: skip

    def _read(self, number: int, text: bytes) -> None:
        row = parse(text)
        if row is not None:
            self._take(number, row)
            return
        rows = _rows_of_damaged(text)
        if all(rows):
            self.damaged.append(f"the end of line {number} is damaged")
        else:
            self._damage(f"line {number} is damaged")
        for row in filter(None, rows):
            self._take(number, row)

    def _damage(self, sentence: str) -> None:
        self.bad += 1
        self.damaged.append(sentence)

    def _take(self, number: int, row: FileRow) -> None:
        self.boots = max(self.boots, row.boot)
        try:
            getattr(self, f"_take_{row.kind}")(row)
        except CodecError as error:
            self._damage(f"line {number} cannot be read: {error}")
        if row.wall is not None:
            self.noted = row.boot, row.wall

    def _take_start(self, row: FileRow) -> None:
        opened = decode(bytes(row.opened))
        if not isinstance(opened, Opened):
            raise CodecError("an evening must begin with the event Opened")
        self.boot = row.boot_id
        if self.start is None:
            self.start = row
            self.last = self.last or row.n
            self.rows.insert(0, (row.n, opened))

    def _take_event(self, row: FileRow) -> None:
        event = decode(bytes(row.event))
        if isinstance(event, Resumed):
            self.boot = event.boot
        if row.wall is not None:
            self.walls[row.n] = row.boot, row.wall
        self._add(row.n, event)

    def _take_input(self, row: FileRow) -> None:
        if row.edge is not None:
            self._add(row.n, Edge(*astuple(row.edge)))
        elif row.tick is not None:
            self._add(row.n, Tick(row.tick))
        else:
            raise CodecError("it holds no event")

    def _add(self, seq: int, event: Event) -> None:
        if self.rows and seq <= self.last:
            raise CodecError(f"row {seq} occurs twice")
        if self.rows and seq - self.last - 1 > self.bad:
            self.damaged.append(_missing(self.last + 1, seq - 1))
        self.rows.append((seq, event))
        self.last, self.bad = seq, 0

    def _take_late(self, row: FileRow) -> None:
        self.gaps.append(f"rows {row.after + 1} to {row.n} were saved late ({row.reason})")

    def _take_gap(self, row: FileRow) -> None:
        self.gaps.append(f"{row.lost} rows after row {row.n} could not be saved ({row.reason})")

    def _take_aside(self, row: FileRow) -> None:
        self.aside[row.n] = row.reason

    def _take_moved(self, row: FileRow) -> None:
        for seq, (boot, wall) in self.walls.items():
            if boot == row.boot:
                self.walls[seq] = boot, wall + row.by_s
        if self.noted and self.noted[0] == row.boot:
            self.noted = row.boot, self.noted[1] + row.by_s


def _missing(first: int, last: int) -> str:
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"
