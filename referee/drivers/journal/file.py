"""The journal's file: an SQLite database that is written row by row, and what to do with a damaged one.

Theory of operation. One ascending `seq` runs over everything. Evidence (`edge`) lies beside events (`event`); `boot`
names the runs of CLOCK_MONOTONIC their times belong to. `milestone` repeats the few events at which an evening or a
match begins, so that they are found without an index; `base` is what separates `seq` from the Engine's own numbers,
which may begin again at 1 with every `Opened`. `opening` holds each `Opened` a second time, in pages of its own: no
other row can be followed without it, and one flipped bit must not cost them all. `match` is a view over milestones.
`packed` says up to which row past evenings lie in a file of their own (seasons.py); rows up to there that are still
here are on their way out, and nobody's. `link` is the row's place in the chain (chain.py), NULL in rows that an older
referee wrote; `name` holds what people are called; `origin` is which file this is, the link before its first row, and
how many matches were before it.

`mark` says where the record is not perfect: rows saved late ("late"), rows lost ("gap"), rows that the next start skips
("aside"), and a wall clock that was set ("moved": the rows of boot `until_seq` before row `after_seq` were noted by a
clock that was wrong by `wall_s` seconds). Nothing that was written is ever written over, but for a name.

WAL with synchronous=FULL: a commit has been synced when it returns.

`set_aside` renames a damaged file. The log is renamed before the database: a fresh database must never find the log of
another one beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from referee.core.model.events import Began, Event, Opened, Rematched
from referee.core.presses.signals import Edge
from referee.core.stored import CodecError, encode
from referee.core.values import stored_name
from referee.drivers.journal.beside import High, Lock, sync_directory
from referee.drivers.journal.carve import PAGES, Carved, ProvedRow, carve, count_unnamed, names_of
from referee.drivers.journal.chain import (
    edge_link,
    event_link,
    link_after,
    name_sum,
    opening_sum,
    origin_sum,
    packed_sum,
    plain_body,
    without_names,
)
from referee.drivers.journal.schema import (
    MIGRATIONS,
    DamagedError,
    JournalBusy,
    JournalTooNew,
    damage,
    damage_at_opening,
    examine,
    examine_kept,
    migrate,
    transaction,
)
from referee.drivers.journal.seasons import Block, beside
from referee.drivers.journal.seasons import blocks as packed_blocks

__all__ = [
    "MIGRATIONS",
    "Blemish",
    "DamagedError",
    "Entry",
    "JournalBusy",
    "JournalFile",
    "JournalTooNew",
    "Lock",
    "WallClockSet",
    "connect_to_read",
    "damage",
    "damage_at_opening",
    "entry_of",
    "examine",
    "examine_kept",
    "last_seq",
    "migrate",
    "set_aside",
    "transaction",
]  # fmt: skip

COMMITS_PER_CHECKPOINT = 40
"""A commit adds a few pages to the log. It is brought in every few hundred KB, when nothing waits, and begins again at
its front: a log that grows no more costs the file system no note of its length at each commit."""
PUT_OFF = 8
"""While rows wait all the time it is brought in at so many times that size: once in a while a row waits for that."""
PAGE_BYTES = PAGES[0]
"""A commit writes whole pages, four of them nearly empty: with the 4 KiB of older referees it is twice as much."""
PACKS = 4
"""The first schema that knows of packed evenings."""
MILESTONES = (Opened, Began, Rematched)
_INT64 = range(-(2**63), 2**63)


class Blemish(NamedTuple):
    """A blemish of the record: rows after `after_seq` were saved late ("late") or are lost ("gap").

    "aside": the rows from `after_seq` to `until_seq` are skipped when a table comes back.
    """

    kind: str
    after_seq: int
    until_seq: int | None
    reason: str
    wall_s: int


class WallClockSet(NamedTuple):
    """The wall clock was set by so much before this row: it was wrong by that since the boot."""

    before_seq: int
    by_s: int


class Entry(NamedTuple):
    """One row as it goes to the disk. `values` fit the columns of `table` behind seq and boot."""

    seq: int
    table: str
    values: tuple[object, ...]
    milestone: tuple[str, int] | None
    appended_ns: int

    @property
    def opens(self) -> bool:
        """Whether the row's event is an `Opened`."""
        return self.milestone is not None and self.milestone[0] == stored_name(Opened)

    def shift_by(self, by: int) -> Entry:
        """The same row, its number on the disk and its base higher by so many."""
        milestone = self.milestone and (self.milestone[0], self.milestone[1] + by)
        return self._replace(seq=self.seq + by, milestone=milestone)


def entry_of(seq: int, event: Event, base: int, wall_s: int, now_ns: int) -> Entry:
    """A row for the disk, `seq` counted by the Engine. CodecError for what the disk could not give back as it was."""
    if isinstance(event, Edge):
        encode(event)  # the checks; the columns hold the same
        values: tuple[object, ...] = (
            event.station, event.closed, event.t_ns, event.err_ns, event.arrived_ns, event.clock, event.rel_err_ns
        )  # fmt: skip
        texts = (event.station, event.clock or "")
        if not all(map(str.isprintable, texts)) or any(t not in _INT64 for t in (*values[2:5], event.rel_err_ns or 0)):
            raise CodecError(f"this edge row cannot be saved: {event}")
        return Entry(base + seq, "edge", values, None, now_ns)
    body, kind = encode(event), stored_name(type(event))
    assert kind is not None  # encode has found it
    if event.at_ns not in _INT64:
        raise CodecError(f"this instant cannot be saved: {event.at_ns} ns")
    milestone = (kind, base) if isinstance(event, MILESTONES) else None
    return Entry(base + seq, "event", (event.at_ns, kind, body, wall_s), milestone, now_ns)


# -- the database ------------------------------------------------------------------------------------------------------


class JournalFile:
    """An open journal that can be written. All its methods belong to one thread."""

    def __init__(
        self, path: Path, boot: str, migrations: Sequence[str] = MIGRATIONS, *, matches_before: int = 0
    ) -> None:
        """Open, check and bring up to date. DamagedError, JournalTooNew; sqlite3.Error when the disk is in the way.

        matches_before: for a new file, how many matches were before its first.
        """
        self._commits = 0
        self._names: dict[str, int] = {}
        sound = _looks_sound(path, migrations)
        self.db = sqlite3.connect(path, isolation_level=None, timeout=1.0)
        self.db.text_factory = lenient_text
        judged_by = damage_at_opening
        try:
            if not sound:
                examine(self.db, migrations)
            self.db.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a new file; one that is there keeps its own
            _begin_writing(self.db, path)
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = FULL")
            self.db.execute("PRAGMA foreign_keys = ON")
            self.db.execute("PRAGMA wal_autocheckpoint = 0")
            self.db.execute("PRAGMA secure_delete = ON")  # a name that is packed can be forgotten there alone
            judged_by = damage  # a migration that fails is a mistake of ours, and no reason to rename a sound file
            migrate(self.db, migrations)
            judged_by = damage_at_opening
            self._boot, self._uuid = self._boot_row(boot), boot
            self._begin(matches_before)
        except BaseException as error:
            self.db.close()
            raise judged_by(error) or error from None

    def _begin(self, matches_before: int) -> None:
        """Where the chain goes on. The row `origin` is made, or made anew when it is damaged (which recover says)."""
        if origin(self.db) is None:
            transaction(self.db, lambda: self._new_origin(matches_before))
        found = origin(self.db)
        assert found is not None
        self.id, self._anchor, _ = found
        self.last_seq = last_seq(self.db)
        self._packed = packed_through(self.db)
        behind = self._packed.link if self._packed else self._anchor
        self._link = link_at(self.db, self.last_seq) or behind
        marked = self.db.execute("SELECT link FROM mark ORDER BY id DESC LIMIT 1").fetchone()
        self._mark_link: bytes | None = marked[0] if marked else None

    def _new_origin(self, matches: int) -> None:
        values = (os.urandom(16), os.urandom(16), matches)
        self.db.execute("INSERT OR REPLACE INTO origin VALUES (1, ?, ?, ?, ?)", (*values, origin_sum(*values)))

    def high(self) -> High:
        """The last row, for the mark beside the file."""
        return High(self.id, self.last_seq, self._link)

    @property
    def packed_seq(self) -> int:
        """Up to which row past evenings are packed; 0: none is."""
        return self._packed.seq if self._packed else 0

    def adopt(self, blocks: Iterable[Block]) -> bool:
        """Take packed evenings for the rows' place, as far as they go on from each other; whether there were any.

        DamagedError for one that does not end as the rows here do. The rows themselves go by `sweep`.
        """
        due = [block for block in blocks if block.file == self.id.hex() and block.last > self.packed_seq]
        for block in due:
            link, first = link_at(self.db, block.last), self.packed_seq + 1
            if (block.first != first and self._packed) or block.last >= self.last_seq:
                raise DamagedError(f"the packed rows {block.first} to {block.last} are not the next ones")
            if link is not None and link.hex() != block.after:
                raise DamagedError(
                    f"the packed rows {block.first} to {block.last} end otherwise than those in the journal"
                )
            transaction(self.db, lambda block=block: self._adopt(block))  # type: ignore[misc]
            self._packed = packed_through(self.db)
        return bool(due)

    def _adopt(self, block: Block) -> None:
        before = self._packed.matches if self._packed else (origin(self.db) or (b"", b"", 0))[2]
        values = (block.last, bytes.fromhex(block.after), max([before, *(m.number for m in block.matches)]))
        self.db.execute("INSERT OR REPLACE INTO packed VALUES (1, ?, ?, ?, ?)", (*values, packed_sum(*values)))
        for table in ("milestone", "opening"):
            self.db.execute(f"DELETE FROM {table} WHERE seq <= ?", (block.last,))
        self.db.executemany("DELETE FROM name WHERE id = ?", [(number,) for number in block.names])

    def sweep(self, count: int) -> bool:
        """Delete so many of the rows that are packed, the oldest first; whether any are left."""
        gone = 0

        def delete() -> None:
            nonlocal gone
            for table in ("edge", "event"):
                query = f"DELETE FROM {table} WHERE seq <= min(?, (SELECT min(seq) FROM {table}) + ?)"
                gone += self.db.execute(query, (self.packed_seq, count)).rowcount

        transaction(self.db, delete)
        self._commits += 1
        return gone > 0

    def write(self, batch: Sequence[Entry], marks: Sequence[Blemish] = (), moves: Sequence[WallClockSet] = ()) -> None:
        """All of it in one transaction, synced when this returns; or sqlite3.Error, and none of it.

        After an error the file is to be closed: what it knew of itself is no longer sure.
        """
        transaction(self.db, lambda: self._insert(batch, marks, moves))
        self.last_seq = batch[-1].seq if batch else self.last_seq
        self._commits += 1

    def refill(self, rows: Sequence[ProvedRow], found: Carved) -> None:
        """Rows, names and marks of a damaged file into this one, which is new; holes become gap marks."""
        transaction(self.db, lambda: self._refill(rows, found))
        self.last_seq = rows[-1].seq if rows else 0

    def _refill(self, rows: Sequence[ProvedRow], found: Carved) -> None:
        names = [(number, body, name_sum(number, body)) for number, body in names_of(found).items()]
        self.db.executemany("INSERT INTO name VALUES (?, ?, ?)", names)
        own = self._uuid
        for uuid, run in itertools.groupby(sorted(rows), lambda row: row.boot):
            self._uuid, self._boot = uuid, self._boot_number(uuid)
            self._insert([_entry(row) for row in run], (), ())
        self._uuid, self._boot = own, self._boot_number(own)
        self._insert((), (*_old_marks(found), *_holes(rows, found.packed)), ())

    def _boot_number(self, uuid: str) -> int:
        self.db.execute("INSERT OR IGNORE INTO boot (uuid) VALUES (?)", (uuid,))
        return int(self.db.execute("SELECT id FROM boot WHERE uuid = ?", (uuid,)).fetchone()[0])

    def tidy(self, *, waited_for: bool = False) -> None:
        """Between commits: bring a log that has grown into the database. If that fails, the log keeps the rows.

        waited_for: rows wait to be written, which puts it off, but not for ever.
        """
        if self._commits >= COMMITS_PER_CHECKPOINT * (PUT_OFF if waited_for else 1):
            self._commits = 0
            with contextlib.suppress(sqlite3.Error):
                self.db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the connection; what has been written stays written."""
        self.db.close()

    def _insert(self, batch: Sequence[Entry], marks: Sequence[Blemish], moves: Sequence[WallClockSet]) -> None:
        edges, events, milestones, openings = [], [], [], []
        for entry in batch:
            if entry.table == "edge":
                self._link = edge_link(self._link, entry.seq, self._uuid, entry.values)
                edges.append((entry.seq, self._boot, *entry.values, self._link))
            else:
                values = self._nameless(entry)
                base = entry.milestone[1] if entry.milestone else None
                self._link = event_link(self._link, entry.seq, self._uuid, values, base)
                events.append((entry.seq, self._boot, *values, self._link))
                milestones += [(entry.seq, *entry.milestone)] if entry.milestone else []
                openings += [(*events[-1], base)] if entry.opens else []
        self.db.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", edges)
        self.db.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", events)
        self.db.executemany("INSERT INTO milestone VALUES (?, ?, ?)", milestones)
        copies = [(*columns, opening_sum(columns)) for columns in openings]
        self.db.executemany("INSERT INTO opening VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", copies)
        told = [Blemish("moved", move.before_seq, self._boot, "the wall clock was set", move.by_s) for move in moves]
        for mark in (*marks, *told):
            self._mark_link = link_after(self._mark_link or self._anchor, *mark)
            self.db.execute(
                "INSERT INTO mark (kind, after_seq, until_seq, reason, wall_s, link) VALUES (?, ?, ?, ?, ?, ?)",
                (*mark, self._mark_link),
            )

    def _nameless(self, entry: Entry) -> tuple[object, ...]:
        """An event's columns with numbers for the names in its body."""
        if entry.opens:
            self._names.clear()  # a person may be called otherwise from one evening to the next
        at_ns, kind, body, wall_s = entry.values
        if '"name' not in str(body):
            return entry.values
        return at_ns, kind, plain_body(without_names(json.loads(str(body)), self._name_number)), wall_s

    def _name_number(self, name: str) -> int:
        if name not in self._names:
            (number,) = self.db.execute("SELECT coalesce(max(id), 0) + 1 FROM name").fetchone()
            body = json.dumps(name)
            self.db.execute("INSERT INTO name VALUES (?, ?, ?)", (number, body, name_sum(number, body)))
            self._names[name] = number
        return self._names[name]

    def _boot_row(self, boot: str) -> int:
        # Not by the index, which may be damaged: then every row of this boot would be refused.
        found = self.db.execute("SELECT id FROM boot NOT INDEXED WHERE uuid = ?", (boot,)).fetchone()
        if found is None:
            transaction(self.db, lambda: self.db.execute("INSERT INTO boot (uuid) VALUES (?)", (boot,)))
            return self._boot_row(boot)
        return int(found[0])


def _entry(row: ProvedRow) -> Entry:
    milestone = None if row.base is None else (row.values[1], row.base)
    return Entry(row.seq, row.table, row.values, milestone, 0)


def _old_marks(found: Carved) -> Iterator[Blemish]:
    """What a damaged file said of its rows; a clock that was set is known by a boot's number there, and left out."""
    yield from (
        Blemish(*marks[0]) for _, marks in sorted(found.marks.items()) if marks[0][0] in ("late", "gap", "aside")
    )


def _holes(rows: Sequence[ProvedRow], packed: int) -> Iterator[Blemish]:
    for one, two in itertools.pairwise([packed, *(row.seq for row in rows)]):
        lost = range(one + 1, two)
        if lost:
            what = "this row" if len(lost) == 1 else "these rows"
            yield Blemish("gap", one, two - 1, f"{what} of a damaged file could not be read", 0)


def rescued_name(path: Path) -> Path:
    """Where a journal that was made from a damaged one waits to take its place."""
    return path.with_name(f"{path.stem}-rescued{path.suffix}")


def rescue(path: Path, boot: str, until: int | None) -> tuple[int, int]:
    """Make a sound journal of a damaged one, up to row `until`, beside it. OSError.

    How many rows are in it, and how many people in them have lost their names.
    """
    sound, found = carve(path, packed_blocks(beside(path)))
    rows = [row for row in sound if until is None or row.seq <= until]
    part = path.with_name(f"{path.stem}-rescued.part")
    for old in (part, Path(f"{part}-wal"), Path(f"{part}-shm")):
        old.unlink(missing_ok=True)
    if not rows:
        return 0, 0
    file = JournalFile(part, boot, matches_before=found.matches_before)
    try:
        file.refill(rows, found)
    finally:
        file.close()
    part.rename(rescued_name(path))
    sync_directory(path.parent)
    return len(rows), count_unnamed(rows, found)


def sound_among(path: Path, hurt: Collection[int]) -> int:
    """How many of the rows that SQLite gives back altered are in the file as they were written: it is its pages' lists
    of rows that are damaged. OSError."""
    sound, found = carve(path, packed_blocks(beside(path)))
    return sum(row.seq in hurt and any(other.link for other in found.rows[row.seq]) for row in sound)


def finish_rescue(path: Path) -> None:
    """Put what `rescue` made into its place, if a power cut came between; a copy of what stands there is dropped."""
    rescued = rescued_name(path)
    if rescued.exists() and not path.exists():
        rescued.rename(path)
        sync_directory(path.parent)
    rescued.unlink(missing_ok=True)


def end_has_vanished(path: Path, high: High | None) -> DamagedError | None:
    """Whether the file ends before the row that the mark beside it names; asked before anything is written to it."""
    if high is None or not path.exists():
        return None
    try:
        with contextlib.closing(connect_to_read(path)) as db:
            made = db.execute("SELECT name FROM sqlite_master WHERE name = 'origin'").fetchone()
            found = origin(db) if made else None
            if found is None:  # not even which file it is was kept: it ends before its first row
                return DamagedError(f"its {high.seq} rows have vanished")
            lost = high.seq - last_seq(db) if found[0] == high.file else 0
            return DamagedError(f"its last {lost} rows have vanished") if lost > 0 else None
    except Exception:  # whatever it is, opening will find it, too
        return None


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing. DamagedError where there is no file.

    On a read-only disk, where SQLite cannot make the log's index, a file without a log is read as it lies there. Where
    the index cannot be made for another reason, a full disk for one, file and log are read from a copy in memory.
    """
    if not path.is_file():
        raise DamagedError("there is no such file")
    log = Path(f"{path}-wal")
    still = not os.access(path.parent, os.W_OK, effective_ids=True) and not (log.exists() and log.stat().st_size)
    db = _connect_how(path, "immutable=1" if still else "mode=ro")
    try:
        db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()  # what makes the index is the first look
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in _NO_INDEX and (copied := _in_memory(path, log)) is not None:
            db.close()
            return copied
    except sqlite3.Error:  # whoever asked meets it at the first question, and knows what to make of it
        pass
    return db


_NO_INDEX = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
MEMORY = Path("/dev/shm")
"""A folder that is memory on every Linux; a service that is shut in may write there, too."""


def _in_memory(path: Path, log: Path) -> sqlite3.Connection | None:
    """The file with its log as they are now, from memory, where the index can be made; None: not to be had."""
    import shutil  # for a bad hour only; every start would pay for them
    import tempfile

    try:
        with tempfile.TemporaryDirectory(dir=MEMORY) as name:
            copy = Path(name) / path.name
            shutil.copyfile(path, copy)
            if log.is_file():
                shutil.copyfile(log, f"{copy}-wal")
            db = _connect_how(copy, "mode=ro")
            db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()  # holds all of it from now on, names or not
    except (OSError, sqlite3.Error):
        return None
    return db


def _connect_how(path: Path, how: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=1.0)
    db.text_factory = lenient_text
    return db


def lenient_text(content: bytes) -> str:
    """A text of the file, whatever it holds: a damaged one costs its own row and no other."""
    return content.decode("utf-8", "surrogateescape")


def _looks_sound(path: Path, known: Sequence[str]) -> bool:
    """Examine without the right to write: SQLite would throw the log of a damaged file away. False: look again later.

    Only a file that was killed while it was made needs writing to before it can be read.
    """
    if not path.exists():
        return False
    try:
        with contextlib.closing(connect_to_read(path)) as db:
            examine(db, known)
    except Exception as error:
        if found := damage_at_opening(error):
            raise found from None
        return False
    return True


def _begin_writing(db: sqlite3.Connection, path: Path) -> None:
    """A flipped bit in the header (byte 18, over 2) makes a file that may be read and never written."""
    try:
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
    except sqlite3.OperationalError:
        with path.open("rb") as file:
            if file.read(19)[18:] > b"\x02":
                raise DamagedError("its header says that nothing may be written to it") from None
        raise


def last_seq(db: sqlite3.Connection) -> int:
    """The largest number on the disk, 0 when there is none."""
    query = "SELECT max(coalesce((SELECT max(seq) FROM edge), 0), coalesce((SELECT max(seq) FROM event), 0))"
    return int(db.execute(query).fetchone()[0])


def link_at(db: sqlite3.Connection, seq: int) -> bytes | None:
    """The link of that row; None when it has none, or is not there."""
    query = "SELECT link FROM edge WHERE seq = ? UNION ALL SELECT link FROM event WHERE seq = ?"
    found = db.execute(query, (seq, seq)).fetchone()
    return bytes(found[0]) if found and found[0] is not None else None


def origin(db: sqlite3.Connection) -> tuple[bytes, bytes, int] | None:
    """Which file this is, the link before its first row, how many matches were before it; None: unknown or damaged."""
    found = db.execute("SELECT file, anchor, matches, sum FROM origin").fetchone()
    return found[:3] if found and found[3] == origin_sum(*found[:3]) else None


class Packed(NamedTuple):
    """Up to which row past evenings are packed, the link behind it, how many matches that makes with all before.

    linked: whether that row has a link of its own; older referees' have none.
    """

    seq: int
    link: bytes
    matches: int
    linked: bool


def packed_through(db: sqlite3.Connection) -> Packed | None:
    """What is packed; None when nothing is, or what the file says of it is damaged."""
    if db.execute("PRAGMA user_version").fetchone()[0] < PACKS:
        return None
    found = db.execute("SELECT seq, link, matches, sum FROM packed").fetchone()
    if found is None or found[3] != packed_sum(*found[:3]):
        return None
    known, (seq, link, count, _) = origin(db), found
    return Packed(seq, link, count, linked=known is None or known[1] != link)


def packed_trouble(db: sqlite3.Connection) -> str:
    """What is wrong with the row that says what is packed, "" when nothing is."""
    newer = db.execute("PRAGMA user_version").fetchone()[0] >= PACKS and packed_through(db) is None
    found = db.execute("SELECT count(*) FROM packed").fetchone() if newer else (0,)
    return "what it says of past seasons is not as it was written" if found[0] else ""


def set_aside(path: Path, wall_s: int) -> Path:
    """Rename a damaged journal and its log to journal-damaged-DATE.db and say what it is called now. OSError if not.

    The mark beside it is copied: how far the file once went is asked by `referee salvage`.
    """
    date = datetime.fromtimestamp(wall_s).astimezone().strftime("%Y-%m-%d-%H%M%S")
    names = (f"{path.stem}-damaged-{date}{suffix}{path.suffix}" for suffix in _suffixes())
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    for tail in ("-wal", "-shm", "-journal", ""):
        part = Path(f"{path}{tail}")
        if part.exists():
            part.rename(f"{aside}{tail}")
    with contextlib.suppress(OSError):
        aside.with_suffix(".mark").write_bytes(path.with_suffix(".mark").read_bytes())
    sync_directory(path.parent)
    return aside


def _suffixes() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in itertools.count(2))
