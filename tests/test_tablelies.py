"""Lies in the transition table break tests: a dozen here, every one by `make table-lies`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import tablelies

ROOT = Path(__file__).parents[1]
TESTS = ("tests/core/test_device.py", "tests/core/test_roles.py")
LIES = (
    "every game: Lobby, CheckButtons, without CHECK",
    "every game: Lobby, SwitchOff, without OFF",
    "every game: Checking, KnobPushed, without LOBBY",
    "every game: Off, Resumed, without LOBBY",
    "every game: Off, KnobPushed, left out",
    "every game: Checking, Turned, left out",
    "every game: Checking, Due, left out",
    "every game: Lobby, ShowAddress, left out",
    "every game: Checking, Pressed, under Redone",
    "every game: Lobby, SwitchOff, with CHECK",
    "every game: Checking, Due, with TAKEN_BACK",
    "every game: Off, KnobPushed, with LOBBY",
)
"""Of each kind some, of rows that these tests use."""


def test_a_dozen_lies_in_the_table_are_noticed() -> None:
    """By a test that runs with the altered table, or by what is said at the end of all tests."""
    told = [word for lie in LIES for word in ("--lie", lie)]
    argv = [sys.executable, "-m", "tests.tablelies", "--jobs", "1", *told, *TESTS]
    run = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "target removed: 4 of 4 noticed" in run.stdout
    assert "row removed: 4 of 4 noticed" in run.stdout
    assert "row moved: 1 of 1 noticed" in run.stdout
    assert "target added: 3 of 3 noticed" in run.stdout


def test_a_lie_that_no_test_meets_is_said() -> None:
    """And ends with status 1: the tests of the buttons' check know nothing of a vote."""
    argv = [
        sys.executable,
        "-m",
        "tests.tablelies",
        "--jobs",
        "1",
        "--lie",
        "every game: Vote, Held, left out",
        TESTS[0],
    ]
    run = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "unnoticed: every game: Vote, Held, left out" in run.stdout


@pytest.mark.parametrize("kind", tablelies.KINDS)
def test_every_row_is_told_otherwise(kind: str) -> None:
    """In each way but the first once or more; no two sentences are alike."""
    lies = list(tablelies.KINDS[kind]())
    assert len({lie.said for lie in lies}) == len(lies)
    told = {lie.said.rpartition(", ")[0] for lie in lies}
    every = [(said, row) for said, _, _, row in tablelies._declared_rows()]
    assert told >= {said for said, row in every} or kind == "target removed"
    assert len(told) <= len(every)
