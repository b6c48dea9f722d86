"""Reading a journal: what the fold needs after a power cut, which matches there are, and one of them for `replay`.

Readers change nothing and take no lock: in WAL mode they see the last commit while the referee goes on writing. Rows
come in order of their number, edges and events merged by SQLite; their numbers are the Engine's own again (see `base`
in journal_file.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path

from referee.core.codec import CodecError, decode
from referee.core.events import Event
from referee.core.signals import Edge
from referee.core.values import dataclass
from referee.drivers.journal_file import DamagedError, Mark, connect_to_read, damage, examine_kept, last_seq
from referee.drivers.journal_memory import Recovered, Row

_ROWS = """
    SELECT seq, NULL, station, closed, t_ns, err_ns, arrived_ns FROM edge WHERE seq BETWEEN ? AND ?
    UNION ALL SELECT seq, body, NULL, NULL, NULL, NULL, NULL FROM event WHERE seq BETWEEN ? AND ?
    ORDER BY seq"""
_LAST = """
    SELECT uuid, (SELECT wall_s FROM event WHERE wall_s IS NOT NULL ORDER BY seq DESC LIMIT 1)
    FROM (SELECT seq, boot FROM edge UNION ALL SELECT seq, boot FROM event ORDER BY seq DESC LIMIT 1) AS row
    JOIN boot ON boot.id = row.boot"""
_END = 2**62


class JournalError(ValueError):
    """This journal, or this match of it, cannot be read, in one sentence."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match that has begun. It is replayed from `opened_seq`; its own rows are `first_seq` to `last_seq`.

    All are numbers on the disk; last_seq None: the journal's end. wall_s: when, in Unix seconds, a note of that time.
    """

    number: int
    opened_seq: int
    first_seq: int
    last_seq: int | None
    wall_s: int | None


@dataclass(frozen=True, slots=True)
class Tape:
    """A match as recorded: its rows from `Opened` on, and where the record is not perfect."""

    match: Match
    rows: tuple[Row, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Evening:
    """An `Opened` and what came of it: its matches, its rows up to the next one, wall-clock seconds by row number."""

    matches: tuple[Match, ...]
    rows: Iterator[Row]
    walls: dict[int, int]


def recover(path: Path) -> Recovered:
    """The rows since the last `Opened`, for the fold; none when there is no journal. JournalError if it is damaged."""
    if not path.exists():
        return Recovered()
    with _reading(path) as db:
        return recover_from(db)


def matches(path: Path) -> list[Match]:
    """Every match that has begun, oldest first; numbers never change. JournalError if there is no sound journal."""
    with _reading(path) as db:
        return [Match(*found) for found in db.execute("SELECT * FROM match ORDER BY number")]


def read_match(path: Path, number: int) -> Tape:
    """One match for replay. JournalError if the journal has no such match."""
    with _reading(path) as db:
        found = [Match(*row) for row in db.execute("SELECT * FROM match ORDER BY number")]
        match = next((match for match in found if match.number == number), None)
        if match is None:
            raise JournalError(f"{path} has no match {number}; it has {_span(len(found))}")
        first, last = match.opened_seq, match.last_seq or _END
        marks = db.execute(
            "SELECT kind, after_seq, until_seq, reason, wall_s FROM mark "
            "WHERE after_seq <= ? AND coalesce(until_seq, after_seq) >= ? ORDER BY id",
            (last, first),
        )
        return Tape(match, tuple(rows(db, first, last)), tuple(Mark(*mark) for mark in marks))


def evenings(path: Path) -> Iterator[Evening]:
    """Every `Opened` that led to a match, oldest first, with its matches. JournalError if there is no sound journal.

    All is read from one moment's journal, and each evening's rows while they are asked for.
    """
    with _reading(path) as db:
        db.execute("BEGIN")
        found = [Match(*match) for match in db.execute("SELECT * FROM match ORDER BY number")]
        for opened, group in groupby(found, lambda match: match.opened_seq):
            of_evening = tuple(group)
            last = of_evening[-1].last_seq or _END
            yield Evening(of_evening, rows(db, opened, last), _walls(db, opened, last))


def _walls(db: sqlite3.Connection, opened: int, last: int) -> dict[int, int]:
    """The wall clock's seconds at the rows where a match begins or a hand ends, numbered as the Engine did."""
    query = "SELECT seq, wall_s FROM event WHERE seq BETWEEN ? AND ? AND kind IN (?, ?, ?, ?) AND wall_s IS NOT NULL"
    (base,) = db.execute("SELECT base FROM milestone WHERE seq = ?", (opened,)).fetchone()
    found = db.execute(query, (opened, last, "Began", "Rematched", "Sealed", "Ended"))
    return {seq - base: wall_s for seq, wall_s in found}


def rows(db: sqlite3.Connection, first: int, last: int = _END) -> Iterator[Row]:
    """Rows from `first` to `last` on the disk, numbered as the Engine did. DamagedError for one that is no event."""
    query = "SELECT base FROM milestone WHERE kind = 'Opened' AND seq <= ? ORDER BY seq DESC LIMIT 1"
    (base,) = db.execute(query, (first,)).fetchone() or (0,)
    for seq, body, station, closed, t_ns, err_ns, arrived_ns in db.execute(_ROWS, (first, last, first, last)):
        if body is None:
            yield seq - base, Edge(station, closed == 1, t_ns, err_ns, arrived_ns)
        else:
            yield seq - base, _event(seq, body)


def recover_from(db: sqlite3.Connection) -> Recovered:
    """As `recover`, on an open connection. DamagedError or sqlite3.Error."""
    last = last_seq(db)
    boot, wall_s = db.execute(_LAST).fetchone() or (None, None)
    opened = db.execute("SELECT seq, base FROM milestone WHERE kind = 'Opened' ORDER BY seq DESC LIMIT 1").fetchone()
    if opened is None:
        note = "the journal lacks its beginning; the table starts anew" if last else ""
        return Recovered((), boot, wall_s, note, last)
    return Recovered(tuple(rows(db, opened[0])), boot, wall_s, "", last, opened[1])


def _event(seq: int, body: str) -> Event:
    try:
        return decode(body)
    except CodecError as error:
        raise DamagedError(f"row {seq}: {error}") from None


def _span(count: int) -> str:
    return f"the matches 1 to {count}" if count > 1 else "match 1 only" if count else "none yet"


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write, to a file found sound; JournalError for whatever is wrong with it."""
    try:
        with closing(connect_to_read(path)) as db:
            examine_kept(db, path)
            yield db
    except JournalError:
        raise
    except Exception as error:  # a damaged file may say anything
        raise JournalError(f"{path} cannot be read: {damage(error) or error or type(error).__name__}") from None
