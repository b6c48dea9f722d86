"""`referee replay`: matches listed, derived again and compared; what is wrong with a journal in one sentence."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from referee.cli import main
from referee.core.match import advance as match
from referee.core.model.events import Event, Ruled, Turned
from referee.core.values import replace
from referee.drivers.journal.writer import Journal
from tests.core.sitting import Sitting


@pytest.fixture(scope="module")
def hand() -> Sitting:
    """A hand, called, counted and sealed."""
    table = Sitting().counting("1", "1", "2")
    return table.count("1", 0, 21, caller=True).count("2", 3, 12).wait(4_000_000_000)


def journal(state: Path, rows: Sequence[tuple[int, Event]]) -> Path:
    """A journal with these rows lies in `state`."""
    kept = Journal(state / "journal.db", boot="boot-1", wall=lambda: 1_800_000_000)
    kept.append(rows)
    assert kept.close()
    return state


def test_rows_that_were_set_aside_are_skipped_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the core could not take is no disagreement."""
    table = Sitting(may_set_aside=True).seated("1", "2")
    with monkeypatch.context() as within:
        within.delitem(match._EVENTS, Turned)
        table.turn(1)
    kept = Journal(tmp_path / "journal.db", boot="boot-1")
    kept.append(table.rows)
    kept.set_aside(table.rows[-1][0], "Turned: KeyError")
    assert kept.close()
    assert main(["replay", "1", "--state", str(tmp_path)]) == 0
    assert "\nSet aside and skipped: 1 of the events.\nEverything" in capsys.readouterr().out


def test_a_match_that_agrees(hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0, a sentence with the figures; --json says the same; without a number the matches are listed."""
    state = str(journal(tmp_path, hand.rows))
    assert main(["replay", "1", "--state", state]) == 0
    said = capsys.readouterr()
    assert said.out == (
        f"Match 1: {len(hand.rows)} events, 1 hands, 1 verdicts.\n"
        "Everything that was announced follows from the evidence.\n"
    )
    assert said.err == ""
    assert main(["replay", "1", "--state", state, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "match": 1,
        "events": len(hand.rows),
        "verdicts": 1,
        "hands": 1,
        "gaps": [],
        "skipped": 0,
        "hurt": [],
        "agrees": True,
    }
    assert main(["replay", "--state", state]) == 0
    assert capsys.readouterr().out == "   1  2027-01-15T08:00:00+00:00\n"
    assert main(["replay", "--state", state, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"matches": [{"match": 1, "begun": "2027-01-15T08:00:00+00:00"}]}


def test_a_verdict_that_was_tampered_with_is_the_answer_no(
    hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1, and the row that differs is named."""
    rows = [
        (seq, replace(event, verdict=replace(event.verdict, callers=("2",), first="2")))
        if isinstance(event, Ruled)
        else (seq, event)
        for seq, event in hand.rows
    ]
    state = str(journal(tmp_path, rows))
    ruled = next(seq for seq, event in rows if isinstance(event, Ruled))
    assert main(["replay", "1", "--state", state]) == 1
    assert f"The evidence disagrees with what was announced: event {ruled}: " in capsys.readouterr().out
    assert main(["replay", "1", "--state", state, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["agrees"] is False
    assert report["difference"].startswith(f"event {ruled}: ")


def test_an_altered_row_is_told(hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row that is not as it was written stands in the report, even if all that was announced still follows."""
    state = journal(tmp_path, hand.rows)
    with closing(sqlite3.connect(state / "journal.db")) as db, db:
        db.execute("UPDATE edge SET link = zeroblob(16) WHERE seq = (SELECT max(seq) FROM edge)")
    assert main(["replay", "1", "--state", str(state)]) == 1
    assert "\nThe record was altered: row " in capsys.readouterr().out


def test_a_gap_in_the_record_is_told(hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows that were saved late or lost stand in the report, agreeing or not."""
    state = journal(tmp_path, hand.rows)
    with closing(sqlite3.connect(state / "journal.db")) as db, db:
        db.execute("INSERT INTO mark VALUES (1, 'late', 3, 9, 'database or disk is full', 0, NULL)")
    assert main(["replay", "1", "--state", str(state)]) == 0
    assert "The record has a gap: database or disk is full.\n" in capsys.readouterr().out


@pytest.mark.parametrize("number", ["0", "2", "x", "²", "-1", "1.0", ""])
def test_a_match_that_is_not_there(
    number: str, hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, what was given and what is allowed."""
    state = journal(tmp_path, hand.rows)
    assert main(["replay", "--state", str(state), "--", number]) == 2
    assert capsys.readouterr().err == (f"referee: {state / 'journal.db'} has no match {number!r}; allowed is 1\n")


def test_a_journal_without_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has played yet: an empty list is no mistake, a number is."""
    state = journal(tmp_path, Sitting().rows)
    assert main(["replay", "--state", str(state)]) == 0
    assert capsys.readouterr().out == "No match has been played yet.\n"
    assert main(["replay", "1", "--state", str(state)]) == 2
    assert capsys.readouterr().err.endswith(" has no match '1'; no match has been played yet\n")


def test_a_journal_in_which_nothing_has_been_kept_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The power went, or the disk was full, before its first row."""
    (tmp_path / "journal.db").touch()
    assert main(["replay", "--state", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("journal.db cannot be read: it is empty, nothing has been kept in it yet\n")


@pytest.mark.parametrize("content", [b"", b"no journal", b"SQLite format 3\0" + b"\0" * 4096])
def test_what_is_no_journal(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, status 2, and the file stays as it is: setting aside is the device's business."""
    (tmp_path / "journal.db").write_bytes(content)
    assert main(["replay", "--state", str(tmp_path)]) == 2
    assert re.fullmatch(r"referee: \S+journal\.db cannot be read: [^\n]+\n", capsys.readouterr().err)
    assert (tmp_path / "journal.db").read_bytes() == content
