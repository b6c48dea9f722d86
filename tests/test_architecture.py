"""What ARCHITECTURE.md writes down for others to build on is what stands: signatures, folders, files."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from referee.core.match.engine import Engine
from referee.core.model.view import View
from referee.core.presses.signals import Edge
from referee.core.values import Value

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


ROOMS = ("referee", "tests", "firmware", "hardware", "systemd", "docs")
FILES = {path.as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.*")} | {p.name for p in ROOT.iterdir()}


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_that_a_document_names_is_there(document: str) -> None:
    """By its name, or by the end of its path."""
    told = re.findall(r"`([\w./-]+\.(?:py|toml|md|sh|po|json|service))`", (ROOT / document).read_text(encoding="utf-8"))
    assert [name for name in told if not any(path.endswith(f"/{name}") or path == name for path in FILES)] == []
