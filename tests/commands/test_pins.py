"""`referee pins`: the table, the conflicts, and the source of the profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main


def test_the_configuration_says_which_profile_and_what_is_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "referee.toml"
    file.write_text("[pins]\nprofile = 'direct4'\n")
    assert _document(capsys, "--config", str(file))["profile"] == "direct4"
    file.write_text("[pins]\nprofile = 'direct4'\nmoved = { P1_BTN = 27, P2_BTN = 17 }\n")
    document = _document(capsys, "--config", str(file), "--profile", "full8")
    assert document["profile"] == "full8"
    assert [pin["gpio"] for pin in document["pins"] if pin["net"] == "P1_BTN"] == [27]


def _document(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert main(["pins", *args, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_conflict_is_the_answer_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "referee.toml"
    file.write_text("[pins.moved]\nP1_BTN = 24\nP2_BTN = 24\n")
    assert main(["pins", "--config", str(file)]) == 1
    said = capsys.readouterr()
    assert said.err == ""
    told = [line.strip() for line in said.out.partition("Conflicts:\n")[2].splitlines()]
    assert told[0] == "Profile 'full8': P2_BTN is on GPIO24, which P1_BTN uses already; free: GPIO17, GPIO27."
    assert main(["pins", "--config", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["conflicts"] == told
