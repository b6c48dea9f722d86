"""Every example in the program's docstrings is tried: what a reader is shown there is what the program answers."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "referee").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


def test_there_are_examples() -> None:
    """Else the next test would show nothing."""
    assert len(MODULES) > 50


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Word for word; what differs is printed."""
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0, capsys.readouterr().out
