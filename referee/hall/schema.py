"""The hall's database: its tables, and transactions on SQLite or PostgreSQL.

Theory of operation. Several processes may share a database. Transactions that change card tables or events run one
after another: on PostgreSQL each takes a lock first (`Database.lock`), on SQLite it locks the file. Calls of
`Database.transaction` may be nested; the outermost one commits.

A standby that is promoted may lack the last transactions, so numbers in the database may repeat with other content.
`Database.losses` tells when to publish everything again, and `EVENTS.revision` is random.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError

VERSION = "1"
"""The version of these tables."""
WAIT_S = 10
"""Time in s for which a transaction on SQLite waits for another one."""
PAUSE_S = 1.0
"""Time in s after a failure in which the database is not tried again."""
Metadata = MetaData()
META = Table("hall", Metadata, Column("key", String(20), primary_key=True), Column("value", Text, nullable=False))
TABLES = Table(
    "card_tables",
    Metadata,
    Column("name", String(32), primary_key=True),
    Column("invited", Boolean, nullable=False),
    Column("forgotten", Integer, nullable=False, default=0),
    Column("seen_s", BigInteger, nullable=False),
)
RESULTS = Table(
    "results",
    Metadata,
    Column("card_table", String(32), primary_key=True),
    Column("match", String(100), primary_key=True),
    Column("evening", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary(32), nullable=False),
    Column("order", Integer, nullable=False),
)
"""The key and digest of each stored result.

digest: empty once a name has been removed from the match. order: of the results of a match, from 1.
"""
MATCHES = Table(
    "matches",
    Metadata,
    Column("card_table", String(32), primary_key=True),
    Column("match", String(100), primary_key=True),
    Column("evening", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("results", Integer, nullable=False),
    Column("since", Integer, nullable=False),
    Column("record", Text),
    Column("refused", Text, nullable=False, default=""),
    Column("odd_time", Boolean, nullable=False, default=False),
    Column("event", Integer),
    Column("received_s", BigInteger, nullable=False),
    Index("matches_by_time", "received_s"),
)
"""What the hall holds of each match: its last row, and its last readable record.

since: number of decisions in the hall when the first result came. refused: why the last result could not be read.
results: their number. event: the event to which the match belongs; NULL for none.
"""
TROUBLES = Table(
    "troubles",
    Metadata,
    Column("card_table", String(32), primary_key=True),
    Column("match", String(100), primary_key=True),
    Column("kind", String(20), primary_key=True),
    Column("sentence", Text, nullable=False),
    Column("times", Integer, nullable=False),
    Column("at_s", BigInteger, nullable=False),
)
EVENTS = Table(
    "events",
    Metadata,
    Column("id", Integer, primary_key=True),
    Column("decisions", Integer, nullable=False),
    Column("revision", Integer, nullable=False, default=0),
    Column("closed", Boolean, nullable=False, default=False),
)
"""decisions: their number. revision: a random number, another one after each change."""
DECISIONS = Table(
    "decisions",
    Metadata,
    Column("event", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("order", Integer, nullable=False),
    Column("at_s", BigInteger, nullable=False),
    Column("line", Text, nullable=False),
)
"""The decisions of events, as JSON lines. order: among all decisions of the hall, from 1."""
PEOPLE = Table(
    "people",
    Metadata,
    Column("name", String(64), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("salt", LargeBinary(16), nullable=False),
    Column("secret", LargeBinary(64), nullable=False),
)
SESSIONS = Table(
    "sessions",
    Metadata,
    Column("token", LargeBinary(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("until_s", BigInteger, nullable=False),
)
TRIES = Table(
    "tries",
    Metadata,
    Column("address", String(64), primary_key=True),
    Column("wrong", Integer, nullable=False),
    Column("until_s", BigInteger, nullable=False),
)
_LOCK = text("SELECT pg_advisory_xact_lock(724103)")


class DatabaseError(ValueError):
    """A database that the hall cannot use. The text is one sentence."""


class AwayError(Exception):
    """A transaction that failed, or was not tried because the last one failed. The text is one sentence."""


class Database:
    """A database: sqlite:///PATH or postgresql://USER@HOST[,HOST]/NAME. Creates missing tables.

    Raises DatabaseError. Later, methods raise `lost`. losses: how often a connection has
    been lost; after each time the database may lack its last transactions.
    """

    lost = AwayError

    def __init__(self, url: str) -> None:
        self._own = threading.local()
        self.losses = 0
        self._away, self._away_s = "", 0.0
        self._is_sqlite = url.startswith("sqlite:")
        try:
            self._engine = _sqlite(url) if self._is_sqlite else _postgresql(url)
            event.listen(self._engine, "invalidate", self._lose)
            self.hall = self._create()
        except AwayError as error:
            raise DatabaseError(f"the database cannot be used: {error}") from None
        except (ArgumentError, ImportError) as error:
            raise DatabaseError(f"the database cannot be used: {_sentence(error)}") from None

    def _lose(self, *_: object) -> None:
        self.losses += 1

    def _create(self) -> str:
        """Create missing tables and return the hall's ID."""
        with self.transaction() as connection:
            self.lock(connection)
            Metadata.create_all(connection)
            for key, value in (("version", VERSION), ("id", secrets.token_hex(8))):
                connection.execute(self.insert(META).values(key=key, value=value).on_conflict_do_nothing())
            found = dict(connection.execute(select(META.c.key, META.c.value)).tuples().all())
        if found["version"] != VERSION:
            raise DatabaseError(
                f"the database has version {found['version']} of a newer hall, this one reads version {VERSION}"
            )
        return str(found["id"])

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield the connection of this thread's transaction, which begins here if there is none."""
        running: Connection | None = getattr(self._own, "connection", None)
        if running is not None:
            yield running
            return
        if time.monotonic() < self._away_s:
            raise AwayError(self._away)
        try:
            with self._engine.begin() as connection:
                self._own.connection, self._own.is_locked = connection, self._is_sqlite
                yield connection
        except (DBAPIError, TimeoutError) as error:
            self._away, self._away_s = _sentence(error), time.monotonic() + PAUSE_S
            raise AwayError(self._away) from error
        finally:
            self._own.connection = None

    def lock(self, connection: Connection) -> None:
        """Let other changes wait until this transaction ends. Call it before the first change."""
        if not self._own.is_locked:
            connection.execute(_LOCK)
            self._own.is_locked = True

    def insert(self, table: Table) -> Any:  # Any: the two dialects' classes share no type with ON CONFLICT
        """Return an INSERT that can have an ON CONFLICT clause."""
        return sqlite.insert(table) if self._is_sqlite else postgresql.insert(table)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _sqlite(url: str) -> Engine:
    made = create_engine(url, connect_args={"timeout": WAIT_S})
    event.listen(made, "connect", _prepare)
    event.listen(made, "begin", _begin)
    return made


def _postgresql(url: str) -> Engine:
    if not url.startswith("postgresql:"):
        scheme = url.partition(":")[0][:40]
        raise DatabaseError(f"a database's URL begins with sqlite:/// or postgresql://, got {scheme!r}")
    from psycopg import Error

    from referee.hall.postgres import engine

    try:
        return engine(url)
    except Error as error:
        raise DatabaseError(f"the database's URL is invalid: {_sentence(error)}") from None


def _sentence(error: Exception) -> str:
    """Return the first line of an error, without SQL."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def _prepare(connection: Any, _: object) -> None:
    """Set up a new connection to SQLite so that each commit is durable."""
    connection.isolation_level = None  # transactions begin with `_begin`
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
