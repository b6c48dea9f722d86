"""Forgetting a person: another name in every event of the journal and in every imported record, in one transaction.

For a transaction over two files SQLite needs both without WAL, so the journal leaves it for that while; nobody else
may have it open (the referee's lock, SQLite's own lock). What is overwritten is zeroed in the files (secure_delete),
and the write-ahead log, which still holds the name, goes when WAL is left.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from referee.core.record import RecordError, forgotten, from_document, names_in, neutral_in, renamed_event, to_document
from referee.drivers.archive import check_ours
from referee.drivers.journal_chain import name_sum, plain_body, with_names
from referee.drivers.journal_file import DamagedError, JournalBusy, Lock, damage, examine_kept, transaction
from referee.drivers.journal_lines import is_chained, read_names

_EVENTS = """
    SELECT (SELECT count(*) FROM milestone AS m WHERE m.kind = 'Opened' AND m.seq <= event.seq) AS evening, seq, body
    FROM event WHERE instr(body, '"name') ORDER BY seq"""
_KEYS = {"main.event": "seq", "main.name": "id", "archive.record": "number"}


class ForgetError(ValueError):
    """Nothing could be forgotten, and nothing was changed: one sentence."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a person is named: places in the journal's events, imported records. known: everybody who is named."""

    places: int
    records: int
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """A row as it is to be written: which table's, its number, its new text, in how many places it differs."""

    table: str
    number: int
    body: str
    places: int


def look(journal: Path, archive: Path, person: str) -> Found:
    """Where that person is named. Changes nothing. ForgetError when the referee is running or a file cannot be read."""
    with _both(journal, archive) as db:
        return _found(*_changes(db, journal.exists(), archive.exists(), person))


def forget(journal: Path, archive: Path, person: str) -> Found:
    """Call that person otherwise everywhere, or change nothing and raise ForgetError."""
    with _both(journal, archive) as db:
        changes, known = _changes(db, journal.exists(), archive.exists(), person)
        transaction(db, lambda: _write(db, changes))
    return _found(changes, known)


def _found(changes: Sequence[_Change], known: Iterable[str]) -> Found:
    records = sum(change.table == "archive.record" for change in changes)
    return Found(sum(change.places for change in changes) - records, records, tuple(sorted(known)))


def _write(db: sqlite3.Connection, changes: Iterable[_Change]) -> None:
    for change in changes:
        key = _KEYS[change.table]
        db.execute(f"UPDATE {change.table} SET body = ? WHERE {key} = ?", (change.body, change.number))
        if change.table == "main.name":
            sum_ = name_sum(change.number, change.body)
            db.execute("UPDATE main.name SET sum = ? WHERE id = ?", (sum_, change.number))


def _changes(db: sqlite3.Connection, journal: bool, archive: bool, person: str) -> tuple[list[_Change], set[str]]:
    """Every row that names the person as it is to be, and everybody who is named anywhere."""
    changes: list[_Change] = []
    known: set[str] = set()
    names = read_names(db) if journal and is_chained(db) else {}
    for _, group in groupby(db.execute(_EVENTS) if journal else (), lambda row: row[0]):
        evening = [(seq, json.loads(body)) for _, seq, body in group]
        named = [with_names(event, lambda number: names.get(number, "")) for _, event in evening]
        known |= set().union(*map(names_in, named))
        changes += _evening(evening, person, neutral_in(named, person), names)
    for number, body in db.execute("SELECT number, body FROM archive.record") if archive else ():
        record = from_document(json.loads(body))
        known |= record.people.keys()
        if person in record.people:
            text = json.dumps(to_document(forgotten(record, person)), ensure_ascii=False)
            changes.append(_Change("archive.record", number, text, 1))
    return changes, known - {""}


def _evening(
    events: Sequence[tuple[int, Any]], person: str, neutral: str, names: Mapping[int, str]
) -> Iterator[_Change]:
    """Older rows hold the name itself, the others a number of the table of names."""
    places: dict[int, int] = {}
    for seq, event in events:
        renamed, found = renamed_event(event, {person: neutral})
        if found:
            yield _Change("main.event", seq, plain_body(renamed), found)

        def count(number: int) -> str:
            places[number] = places.get(number, 0) + 1
            return ""

        with_names(event, count)
    for number, found in places.items():
        if names.get(number) == person:
            yield _Change("main.name", number, json.dumps(neutral), found)


@contextmanager
def _both(journal: Path, archive: Path) -> Iterator[sqlite3.Connection]:
    """The journal with the archive attached, nobody else at them; the journal is in WAL mode again at the end."""
    at = journal
    try:
        with ExitStack() as stack:
            if journal.exists():
                stack.callback(Lock(journal.with_suffix(".lock")).release)
            uri = f"file:{quote(str(journal))}?mode=rw" if journal.exists() else ":memory:"
            db = stack.enter_context(closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=2.0)))
            db.execute("PRAGMA secure_delete = ON")
            if journal.exists():
                examine_kept(db)
                db.execute("PRAGMA journal_mode = DELETE")
                stack.callback(db.execute, "PRAGMA journal_mode = WAL")
            if archive.exists():
                at = archive
                db.execute("ATTACH ? AS archive", (f"file:{quote(str(archive))}?mode=rw",))
                stack.callback(db.execute, "DETACH archive")
                check_ours(db, archive, "archive.")
                db.execute("PRAGMA archive.secure_delete = ON")
                at = journal
            yield db
    except JournalBusy as error:
        raise ForgetError(f"{error}; stop it first") from None
    except (sqlite3.Error, DamagedError, OSError) as error:
        raise ForgetError(f"{at} cannot be changed: {damage(error) or error}") from None
    except (RecordError, json.JSONDecodeError) as error:
        raise ForgetError(f"{archive} cannot be read: {error}") from None
