"""The recipes in the pin factory's README run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpiozero_gpiod import factory as module
from gpiozero_gpiod.fake_chip import FakeChip

FOLDER = Path(__file__).parent.parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.splitlines()[-1])
def test_each_recipe_of_the_readme_runs(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a fake chip, as if on a Pi 3."""
    chip = FakeChip()
    find: Callable[[str | None], FakeChip] = lambda wanted: chip  # noqa: E731
    monkeypatch.setattr(module, "find_chip", find)
    monkeypatch.setenv(module.REVISION_SETTING, "a02082")
    namespace: dict[str, Any] = {}
    exec(recipe, namespace)
    namespace["factory"].close()
