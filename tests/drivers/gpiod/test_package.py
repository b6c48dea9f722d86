"""The pin factory's folder could be published by itself: nothing of ours in it, and a README whose recipes run."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.drivers.gpiod import factory as module
from referee.drivers.gpiod.line import Chip
from tests.drivers.gpiod.fake_chip import FakeChip
from tests.test_arrows import imports

FOLDER = Path(module.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_it_imports_gpiozero_gpiod_and_itself_alone(path: Path) -> None:
    """Beside the standard library, which is what its README says."""
    for name in imports(path):
        known = name.split(".")[0] in {"gpiozero", "gpiod"} | sys.stdlib_module_names
        assert known or name.startswith("referee.drivers.gpiod."), f"{path.name} must not import {name}"


def test_no_two_of_its_modules_import_each_other() -> None:
    """However far round: each can be read after those that it imports."""
    left = {
        path.stem: {name.split(".")[3] for name in imports(path) if name.startswith("referee.drivers.gpiod.")}
        for path in FOLDER.glob("*.py")
    }
    while left:
        free = {name for name, needed in left.items() if not needed & left.keys()}
        assert free, f"a circle among {', '.join(sorted(left))}"
        left = {name: needed for name, needed in left.items() if name not in free}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.splitlines()[-1])
def test_each_recipe_of_the_readme_runs(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands there, on a fake chip and as if on a Pi 3."""
    chip = FakeChip()
    find: Callable[[str | None], Chip] = lambda wanted: chip  # noqa: E731
    monkeypatch.setattr(module, "find_chip", find)
    monkeypatch.setenv(module.REVISION_SETTING, "a02082")
    namespace: dict[str, Any] = {}
    exec(recipe, namespace)
    namespace["factory"].close()


def test_the_readme_names_every_file() -> None:
    """In its table of files, none left out and none invented."""
    assert set(re.findall(r"^\| `(\w+\.py)`", README, re.MULTILINE)) == {p.name for p in FOLDER.glob("[a-z]*.py")}
