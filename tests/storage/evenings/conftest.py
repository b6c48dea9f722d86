"""Fixtures of the tests in this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.storage.evenings.writer import Journal
from tests.storage.evenings.desk import PATIENCE_S, Desk


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow a journal the closing time of a busy machine.

    The service's limit is not tested here.
    """
    monkeypatch.setattr(Journal.close, "__defaults__", (PATIENCE_S,))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The state directory of this test."""
    return tmp_path / "state"


@pytest.fixture
def desk(state: Path) -> Iterator[Desk]:
    """A fresh journal."""
    made = Desk(state)
    yield made
    made.gate.set()
    made.fault = None
    made.journal.close()
