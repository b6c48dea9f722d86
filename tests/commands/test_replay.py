"""`referee replay`: derives an evening again and compares it.

One sentence per fault of a file.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from referee.cli import main
from referee.core.match import advance as match
from referee.core.model.events import Event, PhoneVoted, Ruled
from referee.core.values import replace
from referee.storage.evenings.folder import compress, evenings_in
from referee.storage.evenings.rows import FileRow, line
from referee.storage.evenings.writer import Journal
from referee.storage.records.store import Records
from tests.commands.house import kept
from tests.core.sitting import Sitting


@pytest.fixture(scope="module")
def hand() -> Sitting:
    """A hand, called, counted and sealed."""
    table = Sitting().counting("1", "1", "2")
    return table.count("1", 0, 21, caller=True).count("2", 3, 12).wait(4_000_000_000)


def file_of(state: Path) -> Path:
    """Return the one evening there."""
    (path,) = evenings_in(state).iterdir()
    return path


def saved(state: Path, rows: Sequence[tuple[int, Event]]) -> Path:
    """Write the evening's file with these rows, without a record."""
    journal = Journal(state, "boot-0")
    journal.append(rows)
    assert journal.close()
    return file_of(state)


def replayed(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str]:
    """Return a function that gives status and output; for bad input the error message."""
    status = main(["replay", *map(str, argv)])
    said = capsys.readouterr()
    assert bool(said.err) == (status == 2)
    return status, said.out or said.err


def changed(path: Path, change: Callable[[list[bytes]], object]) -> Path:
    """Change the lines of a file."""
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))
    return path


def test_a_match_that_agrees(hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = kept(tmp_path / "state", hand.rows)
    path = file_of(state)
    told = f"{len(hand.rows)} events, 1 hand, 1 verdict.\nEverything that was announced follows from the evidence.\n"
    assert replayed(capsys, "1", "--state", state) == (0, f"{path}: {told}")
    for elsewhere, content in (("a.jsonl", path.read_bytes()), ("a.jsonl.gz", gzip.compress(path.read_bytes()))):
        (tmp_path / elsewhere).write_bytes(content)
        assert replayed(capsys, tmp_path / elsewhere) == (0, f"{tmp_path / elsewhere}: {told}")
    status, text = replayed(capsys, "1", "--state", state, "--json")
    assert (status, json.loads(text)) == (
        0,
        {
            "file": str(path),
            "events": len(hand.rows),
            "hands": 1,
            "verdicts": 1,
            "damaged": [],
            "gaps": [],
            "skipped": [],
            "difference": "",
            "agrees": True,
        },
    )
    assert replayed(capsys, "--state", state) == (0, "   1  2023-11-14T22:13:20+00:00\n")
    listed = {"matches": [{"match": "1", "begun": "2023-11-14T22:13:20+00:00"}]}
    assert json.loads(replayed(capsys, "--state", state, "--json")[1]) == listed


def test_a_compressed_evening_is_found_by_its_match(
    hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = kept(tmp_path, hand.rows, hand.rows)
    compress(evenings_in(state))
    for number, ending in (("1", ".jsonl.gz: "), ("2", "_2.jsonl: ")):
        status, text = replayed(capsys, number, "--state", state)
        assert (status, ending in text) == (0, True)


def test_a_verdict_that_was_tampered_with_is_the_answer_no(
    hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It exits with 1 and names the row that differs."""
    rows: Sequence[tuple[int, Event]] = [
        (seq, replace(event, verdict=replace(event.verdict, callers=("2",), first="2")))
        if isinstance(event, Ruled)
        else (seq, event)
        for seq, event in hand.rows
    ]
    path = saved(tmp_path, rows)
    ruled = next(seq for seq, event in rows if isinstance(event, Ruled))
    status, text = replayed(capsys, path)
    assert (status, f"The evidence disagrees with what was announced: event {ruled}: " in text) == (1, True)
    status, text = replayed(capsys, path, "--json")
    report = json.loads(text)
    assert (status, report["agrees"], report["difference"].startswith(f"event {ruled}: ")) == (1, False, True)


def test_damaged_lines_and_missing_rows_are_listed(
    hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file_of(kept(tmp_path, hand.rows))
    whole = path.read_bytes()
    changed(path, lambda lines: lines.insert(2, b"rubbish\n"))
    status, text = replayed(capsys, path)
    assert status == 1
    assert "\nDamaged: line 3 is damaged.\nEverything that was announced follows" in text
    path.write_bytes(whole)
    changed(path, lambda lines: lines.pop(5))
    status, text = replayed(capsys, path)
    assert status == 1
    assert re.search(r"\nDamaged: row \d+ is missing\.\nThe evidence disagrees .* out of order", text)


def test_gaps_and_skipped_rows_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(match._EVENTS, PhoneVoted)
    rows = Sitting().seated("1", "2").rows
    last = rows[-1][0] + 1
    journal = Journal(tmp_path, "boot-1")
    journal.append([*rows, (last, PhoneVoted(10**12, "phone-1", "1", True))])
    journal.set_aside(last, "PhoneVoted: KeyError")
    assert journal.close()
    path = file_of(tmp_path)
    late, gap = FileRow("late", last, 1, after=3, reason="disk full"), FileRow("gap", last, 1, lost=2, reason="cut")
    changed(path, lambda lines: lines.extend([line(late), line(gap)]))
    status, text = replayed(capsys, path)
    assert status == 0
    assert f"\nGap: rows 4 to {last} were saved late (disk full).\nGap: 2 rows after row {last} could not be" in text
    assert f"\nSkipped: event {last}: PhoneVoted: KeyError.\nEverything" in text


def test_a_running_table_is_not_disturbed(hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A running table's file may end in half a line; this is no damage."""
    saved_all = threading.Event()
    last = hand.rows[-1][0]
    journal = Journal(tmp_path, "boot-1", report=lambda seq: saved_all.set() if seq == last else None)
    journal.append(hand.rows)
    assert saved_all.wait(20)
    path = file_of(tmp_path)
    assert replayed(capsys, path)[0] == 0
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes()[:-9])
    assert replayed(capsys, tmp_path / "copy.jsonl")[0] == 0
    assert journal.close()


@pytest.mark.parametrize("number", ["0", "2", "A1", "007"])
def test_a_match_that_is_not_there(
    number: str, hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = kept(tmp_path, hand.rows)
    said = f"referee: {state} has no match {number!r}; allowed is 1, or a file's name\n"
    assert replayed(capsys, number, "--state", state) == (2, said)


def test_a_match_without_its_evening(hand: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = kept(tmp_path, hand.rows)
    Records(state).add(replace(Records(state).read("1"), id="elsewhere"))
    said = "referee: match A1 was imported, so its evening is not known; give the evening's file instead\n"
    assert replayed(capsys, "A1", "--state", state) == (2, said)
    file_of(state).unlink()
    assert re.fullmatch(r"referee: \S+ cannot be read: No such .*\n", replayed(capsys, "1", "--state", state)[1])
    (state / "records" / "00001.json").write_bytes(b"{")
    assert "match 1 has a damaged record, " in replayed(capsys, "1", "--state", state)[1]


@pytest.mark.parametrize("content", [b"", b"no evening", b"SQLite format 3\0" + b"\0" * 4096, b"\x1f\x8b"])
def test_what_is_no_evening(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.jsonl", "a.jsonl.gz"):
        path = tmp_path / name
        path.write_bytes(content)
        assert replayed(capsys, path) == (2, f"referee: {path} holds no readable evening\n")
        assert path.read_bytes() == content
    for path in (tmp_path, Path("/dev/zero")):
        assert replayed(capsys, path)[1].startswith(f"referee: {path} cannot be read: it is a folder or device")
