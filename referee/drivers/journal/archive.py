"""Matches that came from elsewhere: an SQLite file beside the journal, which a running referee never opens.

A record is kept as the document it came as. The file keeps a rollback journal (no WAL), so that forgetting a person can
change it and the journal in one transaction. There is no file until something is imported.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

APPLICATION_ID = 0x52464132  # "RFA2"
SCHEMA = "CREATE TABLE record (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT"


class ArchiveError(ValueError):
    """The archive cannot be read or written, in one sentence."""


def imported_records(path: Path) -> list[tuple[int, Any]]:
    """Every imported record's document with its number, oldest first; none when there is no archive."""
    if not path.exists():
        return []
    with _open(path, f"file:{quote(str(path))}?mode=ro") as db:
        return [(number, json.loads(body)) for number, body in db.execute("SELECT number, body FROM record ORDER BY 1")]


def add(path: Path, id_: str, document: object) -> int | None:
    """Keep a record and say its number; None when this match is there already, and nothing is changed."""
    with _open(path, f"file:{quote(str(path))}?mode=rwc") as db, db:
        db.execute("BEGIN IMMEDIATE")
        if not db.execute("SELECT name FROM sqlite_master").fetchall():
            db.execute(SCHEMA)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if db.execute("SELECT number FROM record WHERE id = ?", (id_,)).fetchone():
            return None
        body = json.dumps(document, ensure_ascii=False)
        return db.execute("INSERT INTO record (id, body) VALUES (?, ?)", (id_, body)).lastrowid


def check_ours(db: sqlite3.Connection, path: Path, schema: str = "") -> None:
    """ArchiveError unless the file is empty or an archive. `schema`: "archive." when it is attached under that name."""
    (ours,) = db.execute(f"PRAGMA {schema}application_id").fetchone()
    if ours != APPLICATION_ID and db.execute(f"SELECT name FROM {schema}sqlite_master").fetchall():
        raise ArchiveError(f"{path} is another program's database")


@contextmanager
def _open(path: Path, uri: str) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=2.0)) as db:
            check_ours(db, path)
            yield db
    except (sqlite3.Error, OSError, json.JSONDecodeError) as error:
        raise ArchiveError(f"{path} cannot be used: {error}") from None
