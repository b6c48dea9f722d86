"""`referee backup`: writes each match to a stick once.

Another device reads the whole folder.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli import main
from referee.commands import backup
from referee.storage.records.store import Records
from tests.commands.house import journaled, texts
from tests.core.evenings import played


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "stick" / "referee"
    folder.mkdir(parents=True)
    return folder


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    """Return a function that runs the command and gives its status and output."""
    status = main(list(argv))
    return status, capsys.readouterr().out


def test_matches_go_to_another_house(tmp_path: Path, stick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here, there = journaled(tmp_path / "here", played()), tmp_path / "there"
    assert said(capsys, "backup", str(stick), "--state", str(here)) == (0, "Written: 2 matches; there already: 0.\n")
    for new in (True, False):
        status, text = said(capsys, "import", str(stick), "--state", str(there), "--json")
        assert status == 0
        assert [match["new"] for match in json.loads(text)["matches"]] == [new, new]
    for number, imported in (("1", "A1"), ("2", "A2")):
        assert Records(there).read(imported) == Records(here).read(number)
    status, text = said(capsys, "import", str(stick), "--state", str(tmp_path / "third"))
    assert (status, text.count("Imported as match A")) == (0, 2)


def test_only_what_is_new_or_changed_is_written_again(
    tmp_path: Path, stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = journaled(tmp_path / "here", played())
    said(capsys, "backup", str(stick), "--state", str(here))
    before = texts(stick)
    assert said(capsys, "backup", str(stick), "--state", str(here)) == (0, "Written: 0 matches; there already: 2.\n")
    first = min(stick.iterdir())
    first.write_text("spoilt")
    (stick / "match-2020-01-01-else.json").write_text("of another house")
    status, text = said(capsys, "backup", str(stick), "--state", str(here), "--json")
    assert (status, json.loads(text)) == (0, {"written": [first.name], "same": 1, "left": []})
    (stick / "match-2020-01-01-else.json").unlink()
    assert texts(stick) == before


def test_a_file_that_is_no_match_is_left_out_and_said(
    tmp_path: Path, stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = journaled(tmp_path / "here", played(matches=1))
    said(capsys, "backup", str(stick), "--state", str(here))
    (good,) = stick.iterdir()
    one_name = good.read_text().replace('"Ben"', '"Anna"')
    broken = {"match-0.json": "{", "match-1.json": one_name, "match-2.json": '{"format": "\\ud800"}'}
    for name, content in broken.items():
        (stick / name).write_text(content)
    (stick / "holiday.json").write_text("{")
    status, text = said(capsys, "import", str(stick), "--state", str(tmp_path / "there"))
    assert status == 1
    assert "Imported as match A1" in text
    assert [line.split(": ")[1] for line in text.splitlines()[1:]] == [str(stick / name) for name in broken]
    assert "holiday" not in text
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["import", str(empty), "--state", str(tmp_path / "there")]) == 2
    assert "no file in this folder is called match-....json" in capsys.readouterr().err


def test_nowhere_to_write_is_one_sentence(tmp_path: Path, stick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = journaled(tmp_path / "here", played(matches=1))
    assert main(["backup", str(tmp_path / "none"), "--state", str(here)]) == 2
    assert "the folder does not exist" in capsys.readouterr().err
    record = Records(here).read("1")
    (stick / backup.file_name(record)).mkdir()
    assert main(["backup", str(stick), "--state", str(here)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        f"referee backup: {stick / backup.file_name(record)}: is a directory, allowed is a file that can be written"
    )
    assert [path.name for path in stick.iterdir()] == [backup.file_name(record)]
