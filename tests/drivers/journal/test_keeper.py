"""The child that keeps past matches: asked at a match's end, never waited for, said once when it fails."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.assembly import RecordsOutput
from referee.drivers.journal import matches
from referee.drivers.journal.keeper import Keeper
from tests.commands.house import journaled
from tests.core.evenings import played

PATIENCE_S = 300.0


class Told:
    """What a keeper says, and how often it has something packed."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.packed = 0
        self.news = threading.Condition()

    def pack(self) -> None:
        with self.news:
            self.packed += 1
            self.news.notify_all()

    def wrong(self, sentence: str) -> None:
        with self.news:
            self.sentences.append(sentence)
            self.news.notify_all()


def keeper(told: Told, journal: Path, *command: str) -> Keeper:
    given: dict[str, Any] = {"command": command} if command else {}
    return Keeper(journal, told.pack, told.wrong, told.wrong, pause_s=0.0, **given)


def test_the_device_has_records_made_and_evenings_packed(tmp_path: Path) -> None:
    """By the real child, without any command: both matches are in matches.log, the evening that is over is packed."""
    house, told = journaled(tmp_path / "house", *[played(matches=1)] * 2), Told()
    eager = "import sys; from referee.drivers.journal import keeper_child as child; child.STEP_BACK = 0"
    eager += "; sys.exit(child.main(sys.argv[1:]))"  # behind a busy machine it may take minutes
    keeping = keeper(told, house / "journal.db", sys.executable, "-c", eager)
    with told.news:
        assert told.news.wait_for(lambda: told.packed, PATIENCE_S), told.sentences
    keeping.close()
    assert [match.number for match in matches.read(house / "matches.log")] == [1, 2]
    assert told.sentences == []


def test_what_fails_is_said_once_and_tried_again(tmp_path: Path) -> None:
    """A child that ends badly each time: one sentence, however often it is asked; another trouble is another one."""
    counted = tmp_path / "count"
    script = (
        "import sys, pathlib; path = pathlib.Path(sys.argv[1]); n = len(path.read_text()) if path.exists() else 0; "
        "path.write_text('x' * (n + 1)); sys.exit('no room' if n < 3 else 'no light')"
    )
    told = Told()
    keeping = keeper(told, counted, sys.executable, "-c", script)
    with told.news:
        while len(told.sentences) < 2:
            keeping.ask()
            told.news.wait(0.05)
    keeping.close()
    assert told.sentences[:2] == [
        "past matches could not be kept: no room",
        "past matches could not be kept: no light",
    ]
    assert len(counted.read_text()) >= 4


def test_ctrl_c_is_not_the_child_s(tmp_path: Path) -> None:
    """It goes to the foreground's process group, which the child is not in."""
    told = Told()
    script = "import json, os; print(json.dumps({'packed': 0, 'wrong': [f'{os.getpgrp()}']}))"
    keeping = keeper(told, tmp_path, sys.executable, "-c", script)
    with told.news:
        assert told.news.wait_for(lambda: told.sentences, PATIENCE_S)
    keeping.close()
    assert told.sentences != [str(os.getpgrp())]


def test_a_child_that_is_at_it_ends_with_the_device(tmp_path: Path) -> None:
    """Nobody waits for it, and its end is no trouble."""
    told, ready = Told(), tmp_path / "ready"
    script = "import sys, pathlib, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    keeping = keeper(told, ready, sys.executable, "-c", script)
    while not ready.exists():
        threading.Event().wait(0.01)
    keeping.close()
    assert keeping._child is not None
    assert keeping._child.wait(PATIENCE_S) < 0
    assert told.sentences == []


@pytest.mark.parametrize(
    ("phases", "count"),
    [
        (("LOBBY",), 0),  # how it came up
        (("COUNTING", "OVER", "OVER"), 1),
        (("COUNTING", "OVER", "LOBBY", "READY"), 2),
        (("PLAYING", "CALLED", "VERDICT"), 0),
    ],
)
def test_it_is_asked_when_a_match_or_an_evening_has_ended(phases: tuple[str, ...], count: int) -> None:
    """Once for each time that the picture of a durable state says so."""
    asked: list[bool] = []
    output = RecordsOutput(lambda: asked.append(True))
    for phase in phases:
        output.show(SimpleNamespace(phase=phase))  # type: ignore[arg-type]
    assert len(asked) == count


def test_the_child_finds_what_the_device_has_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that lies where its own start has said, and not where Python looks by itself, keeps matches, too."""
    (tmp_path / "only_here.py").write_text('print(\'{"packed": 1, "wrong": []}\')')
    monkeypatch.syspath_prepend(str(tmp_path))
    told = Told()
    keeping = keeper(told, tmp_path / "journal.db", sys.executable, "-m", "only_here")
    with told.news:
        assert told.news.wait_for(lambda: told.packed or told.sentences, PATIENCE_S)
    keeping.close()
    assert (told.packed, told.sentences) == (1, [])
