"""`referee simulate`: figures as text and JSON, and one sentence for invalid input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee import cli

QUICK = ("simulate", "--preset", "dutch-blitz", "--players", "2", "--hands", "12")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return a function that gives the output and checks that there is no error text."""
    assert cli.main(arguments) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def test_figures_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, *QUICK, "--option", "bonus=5")
    assert text.startswith("dutch-blitz, bonus 5: 2 players, 12 hands\ncompany even, seed 1\n\nHow hands end\n")
    for row in ("by a call", "nobody could move meanwhile", "caller's Lake", "caller has the best score", "below zero"):
        assert row in text
    assert "\nMatches to 75: " in text
    assert "\n  nobody could move meanwhile       two players 42 to 45 %, three 7 %, four 0.4 %\n" in text
    assert "\x1b" not in text
    assert said(capsys, *QUICK, "--option", "bonus=5", "--seed", "2") != text


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(said(capsys, *QUICK, "--json", "--option", "penalty=1", "--option", "withholding=true"))
    assert (told["preset"], told["players"], told["hands"], told["seed"]) == ("dutch-blitz", 2, 12, 1)
    assert told["options"] == {"penalty": 1, "withholding": True}
    assert len(told["each"]) == 2
    assert sum(told["ends"].values()) == 12


def test_an_option_that_changes_no_hand_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, *QUICK, "--option", "rotate_seats=true", "--option", "turn=1")
    assert [line for line in text.splitlines() if "changes nothing here" in line] == [
        "rotate_seats changes nothing here: the preset has this value, or it concerns a table or several hands."
    ]


def test_tables_without_matches_and_without_calls_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Each hand is settled alone" in said(capsys, *QUICK, "--preset", "pagat", "--option", "settlement=each-hand")
    alone = said(capsys, *QUICK, "--hands", "1", "--company", "mixed", "--seed", "7")
    assert alone.startswith("dutch-blitz: 2 players, 1 hand\ncompany mixed, seed 7\n")
    assert "No match to 75 was finished." in alone
    never = said(
        capsys, "simulate", "--players", "2", "--hands", "1", "--option", "reserve=48", "--option", "stuck=score"
    )
    assert "caller has the best score         –" in never


WRONG: dict[tuple[str, ...], str] = {
    ("--hands", "0"): "--hands: must be a whole number from 1 to 1000000000, not '0'",
    ("--players", "1"): "--players: must be a whole number from 2 to 12, not '1'",
    ("--preset", "whist"): "--preset 'whist' is no preset; there are nna, ",
    ("--preset", "31"): "--preset: the cards of 31 are not modelled, allowed is one of nna, ",
    ("--company", "wild"): '--company has no "wild"; there are even, mixed',
    ("--plot", "figures.gif"): "--plot: must be a file that ends in .svg or .png, not 'figures.gif'",
    ("--plot", "none/figures.svg"): "--plot none/figures.svg: the directory none does not exist",
    ("--plot", f"{'x' * 256}.svg"): f"--plot {'x' * 256}.svg: cannot be written (File name too long)",
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_what_cannot_be_is_one_sentence(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["simulate", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"referee simulate: {WRONG[arguments]}")
    assert told.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "begins"), [("figures.svg", b"<svg "), ("FIGURES.PNG", b"\x89PNG")])
def test_the_figures_are_drawn(name: str, begins: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, *QUICK)
    assert said(capsys, *QUICK, "--plot", str(tmp_path / name)) == text
    drawn = (tmp_path / name).read_bytes()
    assert drawn.startswith(begins)
    said(capsys, *QUICK, "--plot", str(tmp_path / name))
    assert (tmp_path / name).read_bytes() == drawn


def test_the_device_imports_none_of_it() -> None:
    """Neither `referee run` nor the device loads the simulation."""
    program = (
        "import sys, referee.device.daemon as _, referee.cli as c; c.parser(['run']); print(*sys.modules, sep='\\n')"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert "referee.commands.run" in found
    heavy = (
        "referee.commands.simulate",
        "referee.simulator",
        "referee.simulator.table",
        "multiprocessing",
        "referee.core.cards",
    )
    assert [name for name in found if name.startswith(heavy)] == []
