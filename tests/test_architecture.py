"""What ARCHITECTURE.md writes down for others to build on is what stands: signatures, folders, files."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from referee.core.match.engine import Engine
from referee.core.model.events import Ruled
from referee.core.model.table import Setup
from referee.core.model.transitions import ClaimGame
from referee.core.model.view import View
from referee.core.phases.call import Called
from referee.core.phases.contest import ContestCall
from referee.core.phases.race import Race
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import Edge, Pressed
from referee.core.units import S
from referee.core.values import Value
from referee.screens import draw
from tests.core.games.first_to_three import GAME
from tests.core.sitting import Sitting

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FOLDERS = sorted(
    {path.parent.relative_to(ROOT / "referee").as_posix() for path in (ROOT / "referee").rglob("*.py")} - {"."}
)


def written(name: str) -> list[str]:
    """The names of the parameters that the document gives."""
    found = re.search(rf"(?:^|= ){name}\(([^)]*)\)", TEXT, re.MULTILINE)
    assert found is not None, name
    return [parameter.split(":")[0].split("=")[0].strip() for parameter in found[1].split(",")]


@pytest.mark.parametrize("value", [Edge, View])
def test_the_values_have_the_fields_that_are_written_down(value: type[Value]) -> None:
    """In their order, none left out."""
    assert written(value.__name__) == list(value.__struct_fields__)


def test_an_engine_is_made_as_it_is_written_down() -> None:
    """And has the methods that are named."""
    assert written("Engine") == list(inspect.signature(Engine).parameters)
    for name in re.findall(r"^engine\.(\w+)", TEXT, re.MULTILINE):
        assert hasattr(Engine, name), name


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_of_the_program_has_its_line(folder: str) -> None:
    """In one of the tables of rooms: its path, from `referee/` or from the room that it is in."""
    inner = folder.partition("/")[2] or folder
    assert re.search(rf"^\|.*`(referee/)?({folder}|{inner})/`", TEXT, re.MULTILINE), folder


def lines_of(*paths: Path) -> int:
    """How many lines the modules below these paths have, comments and empty ones included."""
    files = [file for path in paths for file in (path.rglob("*.py") if path.is_dir() else (path,))]
    assert files
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


@pytest.mark.parametrize("game", ["slap", "lastone"])
def test_a_game_of_claims_is_at_most_180_lines_with_its_rulebook(game: str) -> None:
    """What a game of claims needs beside its numbers is the house's; its whole folder counts."""
    assert lines_of(ROOT / "referee/core/games" / game) <= 180


def test_the_smallest_game_is_at_most_80_lines_with_its_fair_call() -> None:
    """One file, and a press in it is judged, shown and contested as everywhere."""
    assert lines_of(ROOT / "tests/core/games/first_to_three.py") <= 80
    assert isinstance(GAME, ClaimGame)
    handled = {(row.phase, row.trigger) for row in GAME.rows}
    assert handled >= {(Race, Pressed), (Called, Ruled), (Judged, ContestCall)}


def files_on_the_way(act: Callable[[], object]) -> set[str]:
    """The files of the program of which anything is called meanwhile."""
    found = set[str]()

    def note(frame: FrameType, event: str, arg: object) -> None:
        found.update({frame.f_code.co_filename} if event == "call" else ())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    program = ROOT / "referee"
    return {path.relative_to(program).as_posix() for path in map(Path, found) if program in path.parents}


class Unwatched(Sitting):
    """A table whose test looks at nothing in between: only what the press itself leads to is called."""

    def _look_until(self, until_ns: int) -> None:
        pass


def playing() -> Sitting:
    """Three in the middle of a hand."""
    return Unwatched(Setup(stations=("1", "2", "3", "4"))).playing("1", "2", "3")


def counting() -> Sitting:
    """The same where the caller counts."""
    return playing().tap("1").wait(20 * S)


@pytest.mark.parametrize(
    ("sit", "gesture", "phase", "words"),
    [
        (playing, Sitting.close, "CALLED", "A press that calls runs through"),
        (counting, Sitting.tap, "COUNTING", "a tap in COUNTING through"),
    ],
)
def test_a_press_has_no_more_files_on_its_way_to_the_picture_than_are_written_down(
    sit: Callable[[], Sitting], gesture: Callable[[Sitting, str], Sitting], phase: str, words: str
) -> None:
    """Whoever follows a press reads so many; counted at the second time, when what is kept ready is."""
    for _ in range(2):
        table = sit()
        draw(table.view)
        way = files_on_the_way(lambda table=table: draw(gesture(table, "2").view))  # type: ignore[misc]
        assert table.phase == phase
    found = re.search(rf"{words} (\d+)", TEXT)
    assert found is not None
    assert 10 < len(way) <= int(found[1])


ROOMS = ("referee", "tests", "firmware", "hardware", "systemd", "docs")
FILES = {path.as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.*")} | {p.name for p in ROOT.iterdir()}


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_that_a_document_names_is_there(document: str) -> None:
    """By its name, or by the end of its path."""
    told = re.findall(r"`([\w./-]+\.(?:py|toml|md|sh|po|json|service))`", (ROOT / document).read_text(encoding="utf-8"))
    assert [name for name in told if not any(path.endswith(f"/{name}") or path == name for path in FILES)] == []
