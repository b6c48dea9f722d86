"""Matches come out of a damaged journal, and go into another house's memory."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.core.documents.record import Record, from_document
from referee.core.model.events import Joined
from referee.drivers.journal.writer import Journal
from tests.commands.house import journaled
from tests.core.evenings import at_table, counted, played


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


def salvaged(file: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], list[Record]]:
    """What salvage says, and the records that it has brought."""
    assert main(["salvage", str(file), "--output", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    return told, [from_document(json.loads(Path(path).read_text(encoding="utf-8"))) for path in told["files"]]


def altered(file: Path, to: Path, statement: str, seq: int) -> Path:
    """A copy of the journal in which that statement has altered a row, with nothing left of what it was."""
    shutil.copytree(file.parent, to)
    with closing(sqlite3.connect(to / file.name)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA secure_delete = ON")
        assert db.execute(statement, (seq,)).rowcount == 1
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return to / file.name


CONTENT = {
    "edge": "UPDATE edge SET t_ns = t_ns + 1 WHERE seq = ?",
    "event": """UPDATE event SET body = replace(body, '"at_ns":', '"at_ns":1') WHERE seq = ?""",
}
LINK = "UPDATE {} SET link = zeroblob(16) WHERE seq = ?"


def test_each_row_of_an_evening_altered_by_itself_costs_no_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pair joins, a hand is played: whichever row is hurt, in what it says or in its link, the match comes back with
    its people and its counts; an altered row is counted, and named beside the file.

    An `Opened` stands there twice, and a row whose link alone is hurt is as it was written.
    """
    table = at_table("1", "2", "3")
    table.close("2", "3").wait(10**9).open("2", "3")
    rows = counted(table.playing("1", "2", "3"), "1", 20, "2").rows
    file = journaled(tmp_path / "here", rows) / "journal.db"
    assert Journal(file, "evening").close()  # which leaves the mark
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found = db.execute("SELECT seq, 'edge', '' FROM edge UNION SELECT seq, 'event', kind FROM event").fetchall()
    told, (whole,) = salvaged(file, tmp_path / "out", capsys)
    assert [(team.name, len(team.players)) for team in whole.teams] == [("Anna", 1), ("Ben & Max", 2)]
    assert told["unknown"] == {told["files"][0]: []}
    for seq, kind, what in found:
        for number, statement in enumerate((CONTENT[kind], LINK.format(kind))):
            place = tmp_path / f"{seq}-{number}"
            told, (record,) = salvaged(altered(file, place / "there", statement, seq), place, capsys)
            assert (record.teams, record.match, record.totals) == (whole.teams, whole.match, whole.totals), (seq, what)
            (unknown,) = told["unknown"].values()
            hurt = not number and what != "opened"
            last = number and seq == found[-1][0]  # nothing behind it says that it is as it was written
            assert (told["altered"], told["lost"]) == (int(hurt or last), 0), (seq, what)
            assert [line.partition(":")[0] for line in unknown] == (
                [f"row {seq}"] if hurt and seq < found[-1][0] else []
            )
            shutil.rmtree(place)


def test_what_is_not_known_of_a_match_stands_beside_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A joining that is lost with its press: the counts are there, and who sat there is not known."""
    rows = counted(at_table().playing("1", "2", "3"), "1", 20, "2", "3").rows
    joined = [seq for seq, event in rows if isinstance(event, Joined)]
    left = [row for row in rows if not joined[0] < row[0] <= joined[1]]
    file = journaled(tmp_path / "here", left) / "journal.db"
    assert main(["salvage", str(file), "--output", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1].endswith("match-1.json")
    assert said[2:] == [
        f"  rows {joined[0] + 1} to {joined[1]}: these rows of a damaged file could not be read",
        "  seat 2: who sat there is not known",
    ]


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


def test_a_device_that_never_ends_is_not_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would fill the disk first."""
    assert main(["salvage", "/dev/zero", "--output", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == "referee salvage: /dev/zero: cannot be read (it is no file)\n"
