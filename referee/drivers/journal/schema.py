"""The journal's schema: its migrations, whether a file is a sound journal of ours, and what an error says of a file.

Theory of operation. `user_version` counts the migrations done. The tables' definitions in the file are compared with
what the migrations make: a flipped bit there would change what SQLite lets in or gives back. So a number that is too
high for this program, over definitions that it knows, is damage; over others it is a journal of a newer referee, which
is left alone (`JournalTooNew`). Another program's database, or a damaged file, raises `DamagedError`.

Up to schema 4 the column `kind` held the name of an event's class ("Opened"), since then its stored name ("opened"). Of
the kinds that are asked for here the one is the other in small letters, so `lower(kind)` finds both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache

APPLICATION_ID = 0x52464A31  # "RFJ1"
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
    """
    ALTER TABLE edge ADD COLUMN clock TEXT;
    ALTER TABLE edge ADD COLUMN rel_err_ns INTEGER;
    ALTER TABLE edge ADD COLUMN link BLOB;
    ALTER TABLE event ADD COLUMN link BLOB;
    CREATE TABLE name (id INTEGER PRIMARY KEY, body TEXT NOT NULL, sum BLOB NOT NULL) STRICT;
    CREATE TABLE origin (
        id INTEGER PRIMARY KEY CHECK (id = 1), file BLOB NOT NULL, anchor BLOB NOT NULL, matches INTEGER NOT NULL,
        sum BLOB NOT NULL) STRICT;
    CREATE TEMP TABLE kept_mark AS SELECT * FROM mark;
    DROP TABLE mark;
    CREATE TABLE mark (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('late', 'gap', 'aside', 'moved')),
        after_seq INTEGER NOT NULL, until_seq INTEGER, reason TEXT NOT NULL, wall_s INTEGER, link BLOB) STRICT;
    INSERT INTO mark SELECT *, NULL FROM kept_mark;
    DROP TABLE kept_mark;
    """,
    """
    CREATE TABLE packed (
        id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, link BLOB NOT NULL, matches INTEGER NOT NULL,
        sum BLOB NOT NULL) STRICT;
    CREATE TEMP TABLE kept_mark AS SELECT * FROM mark;
    DROP TABLE mark;
    CREATE TABLE mark (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('late', 'gap', 'aside', 'moved', 'said')),
        after_seq INTEGER NOT NULL, until_seq INTEGER, reason TEXT NOT NULL, wall_s INTEGER, link BLOB) STRICT;
    INSERT INTO mark SELECT * FROM kept_mark;
    DROP TABLE kept_mark;
    """,
    """
    DROP VIEW match;
    CREATE VIEW match AS
        WITH start AS (
            SELECT seq, kind, lead(seq) OVER (ORDER BY seq) - 1 AS last_seq
            FROM milestone WHERE lower(kind) IN ('opened', 'rematched'))
        SELECT row_number() OVER (ORDER BY start.seq) AS number,
            (SELECT max(seq) FROM milestone AS m WHERE lower(m.kind) = 'opened' AND m.seq <= start.seq) AS opened_seq,
            start.seq AS first_seq, last_seq, wall_s
        FROM start JOIN event USING (seq)
        WHERE lower(start.kind) = 'rematched' OR json_extract(event.body, '$.underway') OR EXISTS (
            SELECT 1 FROM milestone AS m
            WHERE lower(m.kind) = 'began' AND m.seq > start.seq AND m.seq <= coalesce(last_seq, m.seq));
    """,
    """
    CREATE TABLE opening (
        seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL REFERENCES boot (id), at_ns INTEGER NOT NULL,
        kind TEXT NOT NULL, body TEXT NOT NULL, wall_s INTEGER, link BLOB NOT NULL, base INTEGER NOT NULL,
        sum BLOB NOT NULL) STRICT;
    """,
)
_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_CONFLICT_CODES = (
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
)
"""A row of ours does not fit what the file says it holds."""
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


class JournalBusy(RuntimeError):  # noqa: N818 - the name says it
    """Another process has this journal open."""


class JournalTooNew(RuntimeError):  # noqa: N818 - the name says it
    """A newer referee wrote this journal: it is left as it is, and cannot be used."""


class DamagedError(Exception):
    """The file is no sound journal of ours; the sentence says why."""


# -- the tables --------------------------------------------------------------------------------------------------------


def examine(db: sqlite3.Connection, known: Sequence[str] = MIGRATIONS) -> int:
    """How many migrations the file has seen; 0: it is new. DamagedError, JournalTooNew."""
    found = _definitions(db)
    if not found:
        return 0
    (ours,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    numbers = (version,) if version <= len(known) else range(1, len(known) + 1)
    same = [number for number in numbers if _expected_schema(tuple(known[:number])) == found]
    if ours != APPLICATION_ID:
        raise DamagedError("its mark as a journal is damaged" if same else "it is another program's database")
    if version > len(known) and not same:
        raise JournalTooNew(f"a newer referee wrote it (schema {version}, this one knows {len(known)})")
    if version not in same:
        raise DamagedError(f"its tables are not those of schema {version}")
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise DamagedError(" ".join(verdict.replace("***", "").split()))
    return int(version)


def examine_kept(db: sqlite3.Connection) -> int:
    """As `examine`, for those who read. DamagedError, too, for a file that was killed while made: it is empty."""
    version = examine(db)
    if version == 0:
        raise DamagedError("it is empty, nothing has been kept in it yet")
    return version


@cache
def _expected_schema(migrations: tuple[str, ...]) -> dict[tuple[str, str], str]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(db, migrations)
        return _definitions(db)
    finally:
        db.close()


def _definitions(db: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """What is defined, by type and name; without spaces and quotes, in which SQLite's versions may differ."""
    found = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    plain = str.maketrans("", "", ' \n\t"')
    return {(kind, name): f"{table}:{(sql or '').translate(plain)}" for kind, name, table, sql in found}


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


# -- errors -----------------------------------------------------------------------------------------------------------


def damage(error: BaseException) -> DamagedError | None:
    """The error as DamagedError if it says that the file itself is bad; None for a disk that is full, locked or gone.

    A text in the file that is no UTF-8 has no code: Python finds it, in a row or in SQLite's own message.
    """
    if isinstance(error, DamagedError):
        return error
    code = getattr(error, "sqlite_errorcode", 0)
    bad = code & 0xFF in _DAMAGE_CODES or code in _CONFLICT_CODES or "not decode to UTF-8" in str(error)
    if isinstance(error, sqlite3.Error) and bad:
        return DamagedError(str(error))
    return DamagedError("its text is no UTF-8") if isinstance(error, UnicodeDecodeError) else None


def damage_at_opening(error: BaseException) -> DamagedError | None:
    """As `damage`, while a file is opened: there a statement that fails says that the tables are not ours any more."""
    known = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_CODES or isinstance(
        error, OSError | JournalBusy | JournalTooNew
    )
    if found := damage(error):
        return found
    foreign = isinstance(error, Exception) and not known and not isinstance(error, MemoryError)
    return DamagedError(str(error) or type(error).__name__) if foreign else None
