"""`referee export` and `referee import`: a match is exported and imported once."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from uuid import UUID

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.cli import main
from referee.commands import export, history, import_
from referee.commands.files import records_in
from referee.commands.score import MOST_BYTES
from referee.commands.terminal import UsageError
from referee.core.documents.bgstats import LINK
from referee.core.documents.chronicle import records
from referee.core.documents.record import HEAD, TAIL, from_document, to_document
from referee.core.model.events import Adjusted, Opened
from referee.core.model.table import Setup
from referee.core.values import replace
from referee.storage.records.store import Records
from referee.web import exports
from tests.commands.house import contents, journaled, parsed
from tests.core.evenings import played


def written(capsys: pytest.CaptureFixture[str], state: Path, *argv: str) -> str:
    """Return a function that gives the output of `referee export`."""
    assert export.run(parsed(export, "export", *argv, "--state", str(state))) == 0
    return capsys.readouterr().out


def kept(state: Path, file: Path | str, *argv: str) -> int:
    """Run `referee import`."""
    return import_.run(parsed(import_, "import", str(file), "--state", str(state), *argv))


@cache
def document() -> Any:
    """An exported match."""
    found = records(played(), {1: 5})[0]
    assert found is not None
    return json.loads(json.dumps(to_document(found)))


def test_an_exported_match_is_one_that_score_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole file and the match document in it give the totals that the table showed."""
    file, inner = tmp_path / "m.json", tmp_path / "i.json"
    text = written(capsys, journaled(tmp_path / "state"), "1", "--json")
    assert written(capsys, tmp_path / "state", "1", "--output", str(file)) == ""
    assert file.read_text() == text
    inner.write_text(json.dumps(json.loads(text)["match"]))
    for path in (file, inner):
        assert main(["score", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["totals"] == json.loads(text)["totals"]
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


@settings(max_examples=3, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(seats=st.integers(2, 4), seed=st.integers(0, 10**6))
def test_out_in_and_out_again_is_the_same(tmp_path_factory: pytest.TempPathFactory, seats: int, seed: int) -> None:
    home, away = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("away")
    journaled(home, played(seats, seed, 1))
    files = [home / "1.json", away / "1.json"]
    export.run(parsed(export, "export", "1", "--state", str(home), "--output", str(files[0])))
    kept(away, files[0])
    export.run(parsed(export, "export", "A1", "--state", str(away), "--output", str(files[1])))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_match_is_imported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    file.write_text(json.dumps(document()))
    away = tmp_path / "away" / "state"
    assert kept(away, file) == 0
    assert capsys.readouterr().out == "Imported as match A1: Ben 129 : Max 112 : Anna 97\n"
    before = contents(away)
    assert kept(away, file) == 0
    assert capsys.readouterr().out == "This match is here already, as match A1; nothing was changed.\n"
    assert kept(away, file, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"match": "A1", "new": False}
    assert contents(away) == before
    home = journaled(tmp_path / "home")
    kept(home, file)
    assert capsys.readouterr().out == "This match is here already, as match 1; nothing was changed.\n"
    assert not list(home.rglob("A*.json"))


def test_history_marks_what_was_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, file = journaled(tmp_path / "state", played(2, 7, 1)), tmp_path / "m.json"
    other = {**document(), "id": "another table's"}
    file.write_text(json.dumps(other))
    kept(state, file)
    capsys.readouterr()
    history.run(parsed(history, "history", "--state", str(state)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[0] == "A1"
    assert lines[1].endswith("4 hands, Ben won  (imported)")
    assert [entry.imported for entry in records_in(state).list()] == [False, True]
    assert written(capsys, state, "A1") == json.dumps(other, indent=1) + "\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "line 1, column 1: no JSON document"),
        (b"\xff", "it is not UTF-8 text (byte 0)"),
        (b'{"preset": "nna"}', 'it is no record of a match, which has "format": "referee-match"'),
        (b'{"format": "referee-match", "version": 9}', "its version is 9, this referee reads 1"),
        (b'{"format": "referee-match", "version": 1, "id": NaN}', "Record.id: must be a text"),
        (b"[" * 100_000, "the document is nested deeper than any match document"),
        (b" " * (MOST_BYTES + 1), "cannot be read (it is longer than 8 MiB"),
    ],
)
def test_a_broken_file_is_one_sentence_and_changes_nothing(tmp_path: Path, content: bytes, sentence: str) -> None:
    file, state = tmp_path / "m.json", tmp_path / "state"
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        kept(state, file)
    assert str(caught.value).startswith(f"referee import: {file}: {sentence}")
    assert "\n" not in str(caught.value)
    assert not state.exists()


def test_csv_is_a_row_a_hand_and_team(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.reader(io.StringIO(written(capsys, journaled(tmp_path), "1", "--format", "csv"))))
    assert tuple(rows[0]) == (*HEAD, "foundation", "reserve", "kings", *TAIL)
    assert len(rows) == 1 + 4 * 3
    assert {row[5]: row[13] for row in rows[-3:]} == {"Anna": "97", "Ben": "129", "Max": "112"}


def test_a_name_is_no_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document()
    text = json.dumps(found).replace('"Max"', '"=1+1"')
    Records(tmp_path).add(from_document(json.loads(text)))
    out = written(capsys, tmp_path, "A1", "--format", "csv")
    assert "'=1+1" in out
    assert ",=" not in out
    assert exports.safe_cell(-4) == -4


@pytest.mark.parametrize(("language", "mark", "separator"), [("de", ",", ";"), ("it", ",", ";"), ("en", ".", ",")])
def test_office_programs_open_a_match_in_the_table_s_language(
    language: str, mark: str, separator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A byte order mark, and the separator and decimal mark of the table's language or of a chosen one."""
    opened = Opened(0, "evening", Setup(language="it").document())
    state = journaled(tmp_path / "own", played(), [(1, opened), (2, Adjusted(9, "language", language))])
    out = tmp_path / "match.csv"
    assert written(capsys, state, "1", "--for", "excel", "--output", str(out)) == ""
    text = out.read_bytes().decode()
    assert text.startswith("\ufeffmatch")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator))
    plain = list(csv.DictReader(io.StringIO(written(capsys, state, "1", "--format", "csv"))))
    assert rows == [row | {"gap_ms": row["gap_ms"].replace(".", mark)} for row in plain]
    assert any(mark in row["gap_ms"] for row in rows)
    other = written(capsys, state, "1", "--for", "excel", "--format", "csv", "--lang", "en")
    assert other.splitlines()[0].count(",") == len(plain[0]) - 1


def test_bg_stats_knows_people_and_plays_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """UUIDs are the same in every export and differ between people; dates have the app's format."""
    state = journaled(tmp_path)
    one, two = (
        json.loads(written(capsys, state, number, "--format", "bgstats", "--location", "Kitchen"))
        for number in ("1", "2")
    )
    assert one["players"][0]["uuid"] == two["players"][0]["uuid"] != one["players"][1]["uuid"]
    assert one["plays"][0]["uuid"] != two["plays"][0]["uuid"]
    assert str(UUID(one["plays"][0]["uuid"])).upper() == one["plays"][0]["uuid"]
    assert one["plays"][0]["playDate"] == "2023-11-14 22:14:09"
    assert one["locations"][0]["name"] == "Kitchen"


def test_two_of_one_name_are_two_people_for_bg_stats() -> None:
    """At one table each gets a UUID from the match and the seat.

    The others keep the UUID of their name.
    """
    found = from_document({**document(), "begun_s": 1})
    teams = tuple(
        replace(team, players=tuple(replace(p, name="Ben" if p.name == "Max" else p.name) for p in team.players))
        for team in found.teams
    )
    twins, later = replace(found, teams=teams), replace(found, teams=teams, id="another match")
    files = [json.loads(exports.as_bgstats("1", match, "Home")) for match in (found, twins, later)]
    uuids = [[player["uuid"] for player in file["players"]] for file in files]
    assert len({*uuids[0], *uuids[1], *uuids[2]}) == 3 + 2 + 2
    assert uuids[0][0] == uuids[1][0] == uuids[2][0]
    linked = json.loads(unquote(exports.bgstats_link(twins, "Home").removeprefix(LINK)))
    assert [player["sourcePlayerId"] for player in linked["players"]] == uuids[1]


def test_export_of_what_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    state = str(journaled(tmp_path / "state"))
    with pytest.raises(ValueError, match=r"has no match '9'; allowed are 1, 2$"):
        export.run(parsed(export, "export", "9", "--state", state))
    for words, said in (
        (("--json", "--format", "csv"), "--format csv and --json are given; give only one of them"),
        (("--for", "excel", "--format", "json"), "--format json and --for excel are given; give only one of them"),
    ):
        with pytest.raises(UsageError, match=said):
            export.run(parsed(export, "export", "1", *words, "--state", state))
