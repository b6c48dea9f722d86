"""`referee demo`: a transcript, one JSON document, pictures; the same for the same seed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from referee.commands import demo
from referee.core.documents.match import score_document
from referee.simulator.table import habits, skill
from referee.simulator.table.stopwatch import SPANS
from tests.commands.house import parsed


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return a function that runs the command and gives its output."""
    assert demo.run(parsed(demo, "demo", *arguments)) == 0
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return a function that runs the command with --json and checks that it prints one line."""
    text = said(capsys, "--json", *arguments)
    assert text.count("\n") == 1
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_transcript_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "--seed", "3", "--players", "3")
    assert text.startswith("NNA Nertz to 100, evening 3\nAt the table: 1 Anna, 2 Ben, 3 Max\n")
    assert "Hand 1 " in text
    assert "in the middle" in text
    assert re.search(r"^\d [A-Z][a-z]+ wins after \d+ hands\.$", text, re.MULTILINE)
    assert "call to next Go" not in text
    assert "\x1b" not in text


def test_a_table_may_have_rules_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--players", "2", "--option", "target=20", "--option", "king_bonus=5", "--option", "turn=1")
    text = said(capsys, *given)
    assert text.startswith("NNA Nertz to 20, evening 1\nChanged options: target 20, king_bonus 5, turn 1\nAt the ")
    assert re.search(r"in the middle +\d+ left  \d kings? ", text)
    found = document(capsys, *given)
    assert found["options"] == {"target": 20, "king_bonus": 5, "turn": 1}
    assert found["match"]["options"] == found["options"]
    assert all(len(count) == 3 for hand in found["hands"] for count in hand["counts"].values())
    scored = score_document(found["match"])
    assert scored["totals"] == found["totals"]


def test_buttons_may_hang_on_pods(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--seed", "3", "--players", "3", "--option", "target=40")
    found = document(capsys, *given, "--pods", "2")
    assert found != document(capsys, *given)
    assert all(hand["counts"][caller][1] == 0 for hand in found["hands"] for caller in hand["verdict"]["callers"])


@pytest.mark.parametrize(("company", "preset"), [("calm", "ligretto"), ("wild", "nna")])
def test_a_companys_match_can_be_scored(capsys: pytest.CaptureFixture[str], company: str, preset: str) -> None:
    given = ("--players", "4", "--company", company, "--preset", preset, "--seed", "5", "--option", "target=50")
    found = document(capsys, *given)
    scored = score_document(found["match"])
    assert sorted(scored["totals"].values()) == sorted(found["totals"].values())  # a pair has both names there
    assert len(scored["winners"]) == len(found["winners"])


def test_the_time_between_two_hands_stands_beside_its_budget(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--players", "2", "--company", "calm", "--seed", "2", "--option", "target=40")
    found = document(capsys, *given)
    rows = {row["what"]: row for row in found["pace"]}
    assert list(rows) == [span.name for span in SPANS]
    assert all(row["median"] <= row["p90"] for row in rows.values())
    own = rows["of it the device's own"]
    assert (own["budget_median"], own["budget_p90"]) == (13, 14)
    assert rows["last ready to Go"]["median"] == 3
    text = said(capsys, *given, "--pace")
    assert f"{own['median']:.2f}" in next(line for line in text.splitlines() if "device's own" in line)


def test_a_slip_that_nobody_noticed_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(habits, "BLIND_PERCENT", 100)
    monkeypatch.setattr(skill, "SLIP_PERCENT", 20)
    assert "Nobody noticed that" in said(capsys, "--players", "2", "--option", "target=60")


def test_screens_are_written_once_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "screens"
    text = said(capsys, "--players", "2", "--option", "target=20", "--screens", str(folder))
    files = sorted(folder.iterdir())
    sheet = files.pop()
    assert text.endswith(f"{len(files)} screens in {folder}, all of them in one: {sheet}\n")
    assert files[0].name == "0001-lobby.png"
    pictures = [Image.open(file) for file in files]
    with Image.open(sheet) as together:
        across, down = together.width // (2 * 128), together.height // (2 * 64)
        assert (across, sheet.name) == (8, "contact-sheet.png")
        playing = sum("playing" in file.name for file in files)
        assert (
            len(files) - playing <= across * (down + 1) < len(files)
        )  # the clock's seconds count as one picture there
    assert {(picture.size, picture.mode) for picture in pictures} == {((128, 64), "1")}
    assert len({picture.tobytes() for picture in pictures}) == len(files)


def test_a_game_of_turns_is_told_by_its_knocks_and_lives(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "--preset", "31", "--players", "4", "--seed", "1")
    assert text.startswith("31, evening 1\nAt the table: 1 Anna, 2 Ben, 3 Max, 4 Lea\n")
    assert " knocked.\n" in text
    assert " had 31.\n" in text
    assert " 2 lives\n" in text
    assert " wins after " in text
    found = document(capsys, "--preset", "31", "--players", "4", "--seed", "1")
    result = score_document(found["match"])
    assert (result["winners"], result["lives"]) == (found["winners"], found["totals"])
    for hand, told in zip(found["match"]["hands"], found["hands"], strict=True):
        assert hand.get("values", {}) == told["counts"]
        assert told["ended"]["by"] == hand.get("thirtyone", [hand.get("knocker")])
