"""Matches come out of a damaged journal, and go into another house's memory."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from referee.cli import main
from referee.drivers.journal.writer import Journal
from tests.commands.house import journaled
from tests.core.evenings import played


def test_a_damaged_journals_matches_are_imported_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first page is garbage, so SQLite gives the file up; both matches come out, and the file stays as it is."""
    file = journaled(tmp_path / "here", played()) / "journal.db"
    content = bytearray(file.read_bytes())
    content[:100] = b"\xff" * 100
    content[content.index(b'"type":"tick"', len(content) // 2)] ^= 1
    file.write_bytes(content)
    before = {path.name: path.read_bytes() for path in file.parent.iterdir()}
    assert main(["salvage", str(file), "--output", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["files"]) == 2
    assert told["sound"] > 50
    assert (told["altered"], told["lost"]) == (1, 0)
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == before
    for document in told["files"]:
        assert main(["import", document, "--state", str(tmp_path / "there")]) == 0
    capsys.readouterr()
    assert main(["history", "--state", str(tmp_path / "there")]) == 0
    listed = capsys.readouterr().out
    assert "A1" in listed
    assert "A2" in listed
    assert main(["salvage", str(file), "--output", str(tmp_path / "out")]) == 2, "nothing is written over"


def test_a_tail_that_is_gone_counts_as_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How far the file once went is known from the mark beside it; the rows behind the last one found are lost."""
    file = journaled(tmp_path / "here", played(matches=1)) / "journal.db"
    journal = Journal(file, "evening")  # which leaves the mark
    last = journal.take_recovered().rows[-1][0]
    assert journal.close()
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA secure_delete = ON")
        for table in ("edge", "milestone", "event"):
            db.execute(f"DELETE FROM {table} WHERE seq > ?", (last - 20,))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    assert main(["salvage", str(file), "--output", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["sound"], told["altered"], told["lost"]) == (last - 20, 0, 20)


@pytest.mark.parametrize("content", [None, b"", b"no journal" * 1000])
def test_what_is_no_journal_gets_one_sentence(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file, an empty one, another one: exit status 2, a sentence, and nothing is written."""
    file = tmp_path / "journal.db"
    if content is not None:
        file.write_bytes(content)
    assert main(["salvage", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("referee salvage: ")
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["journal.db"] * (content is not None)
