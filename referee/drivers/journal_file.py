"""The journal's file: an SQLite database, its schema and its lock, and what to do with a damaged one.

Theory of operation. One ascending `seq` runs over everything. Evidence (`edge`) lies beside events (`event`); `boot`
names the runs of CLOCK_MONOTONIC their times belong to. `milestone` repeats the few events at which an evening or a
match begins, so that they are found without an index; `base` is what separates `seq` from the Engine's own numbers,
which may begin again at 1 with every `Opened`. `match` is a view over it. `mark` says where the record is not perfect:
rows that were saved late, and rows that were lost with a process that could not save them.

WAL with synchronous=FULL: a commit has been synced when it returns. `user_version` counts the migrations done.

A file that is no journal of ours, or damaged, or newer than we are, raises `DamagedError`; `set_aside` renames it. The
log is renamed before the database: a fresh database must never find a stranger's log beside it.

Two processes are kept apart by a lock that the kernel drops when its holder dies. The lock file also holds a note of
one block, overwritten in place, which needs no space on a full disk: up to which row saving has failed. The next start
finds it there and knows that rows are missing.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from referee.core.codec import CodecError, encode
from referee.core.events import Began, Event, Opened, Rematched
from referee.core.signals import Edge

APPLICATION_ID = 0x52464A31  # "RFJ1"
CHECK_LIMIT = 64 * 2**20
"""Up to this size (bytes) a file is checked page by page at the start: 50 MiB (380,000 rows) took 0.3 s on x86."""
COMMITS_PER_CHECKPOINT = 250
"""A commit adds about four pages of 4 KiB to the log: it is brought in every 4 MB or so, when nothing waits."""
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE boot (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE edge (
        seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL REFERENCES boot (id), station TEXT NOT NULL,
        closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
        t_ns INTEGER NOT NULL, err_ns INTEGER NOT NULL, arrived_ns INTEGER NOT NULL) STRICT;
    CREATE TABLE event (
        seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL REFERENCES boot (id), at_ns INTEGER NOT NULL,
        kind TEXT NOT NULL, body TEXT NOT NULL, wall_s INTEGER) STRICT;
    CREATE TABLE milestone (
        seq INTEGER PRIMARY KEY REFERENCES event (seq), kind TEXT NOT NULL, base INTEGER NOT NULL) STRICT;
    CREATE TABLE mark (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('late', 'gap')),
        after_seq INTEGER NOT NULL, until_seq INTEGER, reason TEXT NOT NULL, wall_s INTEGER) STRICT;
    CREATE VIEW match AS
        WITH start AS (
            SELECT seq, kind, lead(seq) OVER (ORDER BY seq) - 1 AS last_seq
            FROM milestone WHERE kind IN ('Opened', 'Rematched'))
        SELECT row_number() OVER (ORDER BY start.seq) AS number,
            (SELECT max(seq) FROM milestone AS m WHERE m.kind = 'Opened' AND m.seq <= start.seq) AS opened_seq,
            start.seq AS first_seq, last_seq, wall_s
        FROM start JOIN event USING (seq)
        WHERE start.kind = 'Rematched' OR EXISTS (
            SELECT 1 FROM milestone AS m
            WHERE m.kind = 'Began' AND m.seq > start.seq AND m.seq <= coalesce(last_seq, m.seq));
    """,
    """
    DROP VIEW match;
    CREATE VIEW match AS
        WITH start AS (
            SELECT seq, kind, lead(seq) OVER (ORDER BY seq) - 1 AS last_seq
            FROM milestone WHERE kind IN ('Opened', 'Rematched'))
        SELECT row_number() OVER (ORDER BY start.seq) AS number,
            (SELECT max(seq) FROM milestone AS m WHERE m.kind = 'Opened' AND m.seq <= start.seq) AS opened_seq,
            start.seq AS first_seq, last_seq, wall_s
        FROM start JOIN event USING (seq)
        WHERE start.kind = 'Rematched' OR json_extract(event.body, '$.underway') OR EXISTS (
            SELECT 1 FROM milestone AS m
            WHERE m.kind = 'Began' AND m.seq > start.seq AND m.seq <= coalesce(last_seq, m.seq));
    """,
)
TABLES = frozenset({"boot", "edge", "event", "milestone", "mark", "match"})
MILESTONES = (Opened, Began, Rematched)
_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_DISK_CODES = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
)
_NOTE_BYTES = 256
_INT64 = range(-(2**63), 2**63)


class JournalBusy(RuntimeError):  # noqa: N818 - the name says it
    """Another process has this journal open."""


class DamagedError(Exception):
    """The file is no sound journal of ours; the sentence says why."""


class Mark(NamedTuple):
    """A blemish of the record: rows after `after_seq` were saved late or (kind "gap") are lost."""

    kind: str
    after_seq: int
    until_seq: int | None
    reason: str
    wall_s: int


class Moved(NamedTuple):
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
        """Whether it is an `Opened`."""
        return self.milestone is not None and self.milestone[0] == Opened.__name__

    def shifted(self, by: int) -> Entry:
        """The same row, its number on the disk and its base higher by so many."""
        milestone = self.milestone and (self.milestone[0], self.milestone[1] + by)
        return self._replace(seq=self.seq + by, milestone=milestone)


def entry_of(seq: int, event: Event, base: int, wall_s: int, now_ns: int) -> Entry:
    """A row for the disk, `seq` counted by the Engine. CodecError for what the disk could not give back as it was."""
    if isinstance(event, Edge):
        encode(event)  # the checks; the columns hold the same
        values: tuple[object, ...] = (event.station, event.closed, event.t_ns, event.err_ns, event.arrived_ns)
        if not event.station.isprintable() or any(t not in _INT64 for t in values[2:]):
            raise CodecError(f"this edge row cannot be saved: {event}")
        return Entry(base + seq, "edge", values, None, now_ns)
    kind = type(event).__name__
    body = encode(event)
    if event.at_ns not in _INT64:
        raise CodecError(f"this instant cannot be saved: {event.at_ns} ns")
    milestone = (kind, base) if isinstance(event, MILESTONES) else None
    return Entry(base + seq, "event", (event.at_ns, kind, body, wall_s), milestone, now_ns)


# -- the database ------------------------------------------------------------------------------------------------------


class JournalFile:
    """An open journal that can be written. All its methods belong to one thread."""

    def __init__(self, path: Path, boot: str, migrations: Sequence[str] = MIGRATIONS) -> None:
        """Open, check and bring up to date. DamagedError, or sqlite3.Error when the disk is in the way."""
        self._commits = 0
        sound = _looks_sound(path, len(migrations))
        self.db = sqlite3.connect(path, isolation_level=None, timeout=1.0)
        judged_by = damage_at_opening
        try:
            if not sound:
                examine(self.db, path, len(migrations))
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = FULL")
            self.db.execute("PRAGMA foreign_keys = ON")
            self.db.execute("PRAGMA wal_autocheckpoint = 0")
            judged_by = damage  # a migration that fails is a mistake of ours, and no reason to rename a sound file
            migrate(self.db, migrations)
            judged_by = damage_at_opening
            self._boot = self._boot_row(boot)
            self.last_seq = last_seq(self.db)
        except BaseException as error:
            self.db.close()
            raise judged_by(error) or error from None

    def write(self, batch: Sequence[Entry], marks: Sequence[Mark] = (), moves: Sequence[Moved] = ()) -> None:
        """All of it in one transaction, synced when this returns; or sqlite3.Error, and none of it."""
        transaction(self.db, lambda: self._insert(batch, marks, moves))
        self.last_seq = batch[-1].seq if batch else self.last_seq
        self._commits += 1

    def tidy(self) -> None:
        """Between commits: bring a log that has grown into the database. If that fails, the log keeps the rows."""
        if self._commits >= COMMITS_PER_CHECKPOINT:
            self._commits = 0
            with contextlib.suppress(sqlite3.Error):
                self.db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the connection; what has been written stays written."""
        self.db.close()

    def _insert(self, batch: Sequence[Entry], marks: Sequence[Mark], moves: Sequence[Moved]) -> None:
        boot, db = self._boot, self.db
        edges = [(entry.seq, boot, *entry.values) for entry in batch if entry.table == "edge"]
        events = [(entry.seq, boot, *entry.values) for entry in batch if entry.table == "event"]
        milestones = [(entry.seq, *entry.milestone) for entry in batch if entry.milestone]
        db.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?, ?)", edges)
        db.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", events)
        db.executemany("INSERT INTO milestone VALUES (?, ?, ?)", milestones)
        db.executemany("INSERT INTO mark (kind, after_seq, until_seq, reason, wall_s) VALUES (?, ?, ?, ?, ?)", marks)
        corrections = [(moved.by_s, boot, moved.before_seq) for moved in moves]
        db.executemany("UPDATE event SET wall_s = wall_s + ? WHERE boot = ? AND seq < ?", corrections)

    def _boot_row(self, boot: str) -> int:
        found = self.db.execute("SELECT id FROM boot WHERE uuid = ?", (boot,)).fetchone()
        if found is None:
            transaction(self.db, lambda: self.db.execute("INSERT INTO boot (uuid) VALUES (?)", (boot,)))
            return self._boot_row(boot)
        return int(found[0])


def transaction(db: sqlite3.Connection, body: Callable[[], object]) -> None:
    """Run body in a write transaction: all of it, or nothing and its exception."""
    db.execute("BEGIN IMMEDIATE")
    try:
        body()
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def examine(db: sqlite3.Connection, path: Path, known: int = len(MIGRATIONS)) -> None:
    """DamagedError unless this is a new file or a sound journal that was written by at most `known` migrations."""
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if not names:
        return
    (ours,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if ours != APPLICATION_ID:
        raise DamagedError("it is another program's database")
    if version > known:
        raise DamagedError(f"a newer referee wrote it (schema {version}, this one knows {known})")
    if version and not names >= TABLES:
        raise DamagedError(f"it lacks {', '.join(sorted(TABLES - names))}")
    if path.stat().st_size <= CHECK_LIMIT:
        (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise DamagedError(" ".join(verdict.replace("***", "").split()))


def examine_kept(db: sqlite3.Connection, path: Path) -> None:
    """As `examine`, for those who read: a file that was killed while it was made has nothing for them."""
    examine(db, path)
    if db.execute("PRAGMA user_version").fetchone() == (0,):
        raise DamagedError("it is empty, nothing has been kept in it yet")


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing. DamagedError where there is no file.

    On a read-only disk, where SQLite cannot make the log's index, a file without a log is read as it lies there.
    """
    if not path.is_file():
        raise DamagedError("there is no such file")
    log = Path(f"{path}-wal")
    still = not os.access(path.parent, os.W_OK, effective_ids=True) and not (log.exists() and log.stat().st_size)
    return sqlite3.connect(f"file:{quote(str(path))}?{'immutable=1' if still else 'mode=ro'}", uri=True, timeout=1.0)


def _looks_sound(path: Path, known: int) -> bool:
    """Examine without the right to write: SQLite would throw the log of a damaged file away. False: look again later.

    Only a file that was killed while it was made needs writing to before it can be read.
    """
    if not path.exists():
        return False
    try:
        with contextlib.closing(connect_to_read(path)) as db:
            examine(db, path, known)
    except Exception as error:
        if found := damage_at_opening(error):
            raise found from None
        return False
    return True


def migrate(db: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Do the migrations that the file has not seen, each in its own transaction."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    for number, script in enumerate(migrations[version:], version + 1):
        statements = [
            *script.split(";")[:-1],
            f"PRAGMA application_id = {APPLICATION_ID}",
            f"PRAGMA user_version = {number}",
        ]
        transaction(db, lambda statements=statements: [db.execute(statement) for statement in statements])  # type: ignore[misc]


def last_seq(db: sqlite3.Connection) -> int:
    """The largest number on the disk, 0 when there is none."""
    query = "SELECT max(coalesce((SELECT max(seq) FROM edge), 0), coalesce((SELECT max(seq) FROM event), 0))"
    return int(db.execute(query).fetchone()[0])


def damage(error: BaseException) -> DamagedError | None:
    """The error as DamagedError if it says that the file itself is bad; None for a disk that is full, locked or gone.

    A text in the file that is no UTF-8 has no code: Python finds it, in a row or in SQLite's own message.
    """
    if isinstance(error, DamagedError):
        return error
    bad = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE_CODES or "not decode to UTF-8" in str(error)
    if isinstance(error, sqlite3.Error) and bad:
        return DamagedError(str(error))
    return DamagedError("its text is no UTF-8") if isinstance(error, UnicodeDecodeError) else None


def damage_at_opening(error: BaseException) -> DamagedError | None:
    """As `damage`, while a file is opened: there a statement that fails says that the tables are not ours any more."""
    known = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_CODES or isinstance(error, OSError | JournalBusy)
    if found := damage(error):
        return found
    foreign = isinstance(error, Exception) and not known and not isinstance(error, MemoryError)
    return DamagedError(str(error) or type(error).__name__) if foreign else None


def set_aside(path: Path, wall_s: int) -> Path:
    """Rename a damaged journal and its log to journal-damaged-DATE.db and say what it is called now. OSError if not."""
    date = datetime.fromtimestamp(wall_s).astimezone().strftime("%Y-%m-%d-%H%M%S")
    names = (f"{path.stem}-damaged-{date}{suffix}{path.suffix}" for suffix in _suffixes())
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    for tail in ("-wal", "-shm", "-journal", ""):
        part = Path(f"{path}{tail}")
        if part.exists():
            part.rename(f"{aside}{tail}")
    return aside


def _suffixes() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in itertools.count(2))


# -- the lock ----------------------------------------------------------------------------------------------------------


class Lock:
    """The lock file beside a journal, held until `release` or death."""

    def __init__(self, path: Path) -> None:
        """Take it. JournalBusy if another process has it, OSError if the directory cannot be written."""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            words = self._read().split()
            os.close(self._fd)
            who = f"process {words[1]}" if words[:1] == ["process"] else "another process"
            raise JournalBusy(f"{path.with_suffix('.db')} is in use by {who}: only one referee can write it") from None
        self.unsaved_until, self.reason = self._parse(self._read())
        """What the last holder noted; it stands in the file until `note` is called again."""
        self.note(self.unsaved_until, self.reason)

    def note(self, unsaved_until: int = 0, reason: str = "") -> None:
        """Write down that rows up to this number are not saved (0: all are). Does its best, never raises."""
        text = f"process {os.getpid()}\nunsaved {unsaved_until} {reason}\n".encode()[:_NOTE_BYTES]
        with contextlib.suppress(OSError):  # the trouble that keeps the rows from being saved, and told already
            os.pwrite(self._fd, text.ljust(_NOTE_BYTES), 0)
            if unsaved_until:
                os.fsync(self._fd)

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._fd)

    def _read(self) -> str:
        return os.pread(self._fd, _NOTE_BYTES, 0).decode(errors="replace")

    @staticmethod
    def _parse(text: str) -> tuple[int, str]:
        words = text.split(maxsplit=4)
        if len(words) >= 4 and words[2] == "unsaved" and words[3].isdigit():
            return int(words[3]), " ".join(words[4:]).strip()
        return 0, ""
