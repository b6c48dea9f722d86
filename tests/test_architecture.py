"""The signatures that ARCHITECTURE.md writes down for others to build on are those that stand."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from referee.core.engine import Engine
from referee.core.signals import Edge
from referee.core.values import Value
from referee.core.view import View

TEXT = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")


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
