"""A name in a file that was set aside is overwritten wherever it stands, over two pages as well."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.drivers.journal.scrub import places, scrub

NAME = "Anna-Lena"


def stored(path: Path, *, log: bool) -> list[str]:
    """A file with long rows in which the name comes at every place round the ends of pages; in its log only, or not."""
    texts = [
        "y" * length + f'"{NAME}"' + "z" * 5000
        for start in (400, 4500, 8600)
        for length in range(start, start + 700, 5)
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT)")
        db.executemany("INSERT INTO event (body) VALUES (?)", [(text,) for text in texts])
        if log:
            for tail in ("", "-wal"):
                shutil.copyfile(f"{path}{tail}", f"{path.with_name('copy.db')}{tail}")
    if not log:
        shutil.copyfile(path, path.with_name("copy.db"))
    return texts


@pytest.mark.parametrize("log", [False, True])
def test_a_name_that_is_split_over_two_pages_is_overwritten_too(tmp_path: Path, *, log: bool) -> None:
    """In the database and in its log; each row is otherwise as it was."""
    texts = stored(tmp_path / "journal.db", log=log)
    copy = tmp_path / "copy.db"
    for file in (copy, Path(f"{copy}-wal")):
        if file.exists():
            assert not log or file == copy or places(file.read_bytes(), NAME)
            scrub(file, places(file.read_bytes(), NAME))
            assert places(file.read_bytes(), NAME) == []
    if log:  # SQLite takes no frame whose sum is another: the pages are looked at as they lie
        assert b"Lena" not in Path(f"{copy}-wal").read_bytes()
        return
    with closing(sqlite3.connect(copy)) as db:
        found = [body for (body,) in db.execute("SELECT body FROM event ORDER BY seq")]
    assert found == [text.replace(NAME, "x" * len(NAME)) for text in texts]
