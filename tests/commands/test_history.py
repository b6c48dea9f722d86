"""`referee history`: the matches played here, and a player's figures."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from referee.commands import history
from referee.commands.files import instant, match_called, records_in
from referee.commands.terminal import UsageError
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.commands.house import BEGUN_S, journaled, parsed
from tests.core.evenings import at_table, counted, played
from tests.core.sitting import BREATH_NS
from tests.page.test_foreign_names import MOHAMED, adrift, foreign


def said(capsys: pytest.CaptureFixture[str], state: Path, *argv: str, status: int = 0) -> str:
    """Return the command's output."""
    assert history.run(parsed(history, "history", "--state", str(state), *argv)) == status
    return capsys.readouterr().out


def test_matches_are_listed_with_result_and_winner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun = at_table("1", "2").choose("Start").rows
    going = counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 20, "2").rows
    lines = said(capsys, journaled(tmp_path, played(), begun, going)).splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert lines[0].endswith("nna         Ben 129 : Max 112 : Anna 97  4 hands, Ben won")
    assert lines[2].endswith("nna         Anna 20 : Ben 10  1 hand, not over")


def test_a_name_that_is_written_from_right_to_left_moves_no_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = foreign(tmp_path)
    for argv in ([], ["--stats"], ["--player", MOHAMED]):
        shown = said(capsys, state, *argv)
        assert f"\u2068{MOHAMED}\u2069" in shown
        assert adrift(shown) == ""
    assert "2068" not in said(capsys, state, "--json")


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, journaled(tmp_path), "--json")
    assert text.count("\n") == 1
    first = json.loads(text)["matches"][0]
    (began,) = [seq for seq, event in played() if type(event).__name__ == "Began"]
    assert first["begun"] == instant(BEGUN_S + began)
    assert (first["match"], first["imported"], first["preset"], first["hands"]) == ("1", False, "nna", 4)
    assert first["teams"][0] == {"name": "Anna", "players": [{"seat": 1, "name": "Anna"}]}
    assert (first["totals"], first["winners"]) == ({"Anna": 97, "Ben": 129, "Max": 112}, ["Ben"])


def test_what_a_table_has_noted_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2")
    table.press(KNOB, ns=400 * MS).choose("Who asked").choose("2 Ben").choose("collision").choose("Go on")
    counted(table.wait(5 * S), "1", 20, "2")
    table.choose("Fix counts").push().choose("Adjust points").choose("1 Anna").turn(-5).push().choose("penalty")
    state = journaled(tmp_path, played(), table.rows)
    line = said(capsys, state).splitlines()[2]
    assert line.endswith("nna         Anna 15 : Ben 10  1 hand, not over, 1 adjustment, time outs: Ben 1")
    first, *_, last = json.loads(said(capsys, state, "--json"))["matches"]
    assert (first["adjustments"], first["timeouts"]) == ([], [])
    assert first["agreed"] is None
    assert last["adjustments"] == [{"after": 1, "team": "Anna", "points": -5, "reason": "penalty"}]
    assert last["timeouts"] == [{"hand": 1, "team": "Ben", "why": "collision"}]


def test_all_matches_are_told_in_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = journaled(tmp_path, played(), played(2, 7, 1))
    text = said(capsys, state, "--stats")
    assert text.startswith("Nertz  3 matches, 15 hands, 15 calls, 1 of them tied\n")
    assert "\n  Anna        3    1     15" in text
    assert "\n  Anna 1 : 1 Max\n" in text
    assert "\n  best hand       37 by Anna, match 2\n" in text
    assert "\n  closest call    0.219 s by Ben, match 2\n" in text
    (of,) = json.loads(said(capsys, state, "--stats", "--json"))["figures"]
    assert (of["game"], of["hands"], of["duels"][0]) == (
        "Nertz",
        15,
        {"one": "Anna", "other": "Ben", "matches": 3, "better": 1, "worse": 2, "level": 0},
    )
    (tmp_path / "none" / "records").mkdir(parents=True)
    assert said(capsys, tmp_path / "none", "--stats") == "No hand has been played yet.\n"


def test_an_evening_is_written_as_one_page_and_one_picture(tmp_path: Path) -> None:
    state = journaled(tmp_path / "state", played(), played(2, 7, 1))
    page, picture, drawing = tmp_path / "e.html", tmp_path / "e.png", tmp_path / "e.svg"
    share = ("history", "--state", str(state))
    argv = (*share, "--html", str(page), "--picture", str(picture), "--lang", "de")
    assert history.run(parsed(history, *argv)) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith('<!doctype html>\n<html lang="de">')
    assert re.search(r"Abend vom 1\d\. November 2023", text)
    assert not re.search(r"(src|href)=|url\(|<script|<link|@import", text)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert history.run(parsed(history, *share, "--evening", "1", "--picture", str(drawing))) == 0
    ElementTree.fromstring(drawing.read_bytes())
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["e.html", "e.png", "e.svg", "state"]


def test_an_evening_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    state = journaled(tmp_path / "state")
    (tmp_path / "none" / "records").mkdir(parents=True)
    (taken := tmp_path / "taken.html").mkdir()
    for argv, why in (
        (("--html", str(tmp_path / "nowhere" / "e.html")), "nowhere does not exist"),
        (("--html", str(taken)), "is a directory"),
        (
            ("--html", "e.html", "--evening", "9"),
            '--evening needs the number of a match here, not "9"; allowed are 1, 2',
        ),
        (("--html", "e.html", "--state", str(tmp_path / "none")), "no evening to share"),
    ):
        with pytest.raises(UsageError, match=why):
            history.run(parsed(history, "history", "--state", str(state), *argv))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["none", "state", "taken.html"]


def test_a_player_is_told_in_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = journaled(tmp_path, played(), played(2, 7, 1))
    text = said(capsys, state, "--player", "MAX ")
    assert [line.split()[0] for line in text.split("\n\n")[0].splitlines()] == ["1", "2"]
    assert "Max\n  matches        2, won 0\n  hands          8\n" in text
    assert "score a hand" in text
    assert "quickest call" in text
    document = json.loads(said(capsys, state, "--player", "Max", "--json"))
    assert (document["statistics"]["player"], document["statistics"]["hands"]) == ("Max", 8)
    assert len(document["matches"]) == 2


def test_a_house_without_a_match_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="there are no evenings and no records"):
        records_in(tmp_path)
    assert said(capsys, journaled(tmp_path, ())) == "No match has been played yet.\n"


def test_a_damaged_record_hides_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = journaled(tmp_path, played(), played(2, 7, 1))
    path = state / "records" / "00001.json"
    path.write_bytes(path.read_bytes().replace(b"Ben", b"Bun"))
    shutil.rmtree(state / "evenings")  # else it would be created again
    lines = said(capsys, state, status=1).splitlines()
    assert lines[0].endswith("is damaged: its checksum is wrong")
    assert [line.endswith("won") for line in lines] == [False, True, True]
    assert "damaged" in json.loads(said(capsys, state, "--json", status=1))["matches"][0]["trouble"]
    with pytest.raises(ValueError, match="match 1 is damaged"):
        match_called(state, "1")
