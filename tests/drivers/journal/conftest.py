"""Fixtures of the tests in this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.drivers.journal.writer import Journal
from tests.drivers.journal.desk import PATIENCE_S, Desk


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal is closed in the time that a busy machine takes; what a service gets for it is not tried here."""
    monkeypatch.setattr(Journal.close, "__defaults__", (PATIENCE_S,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal of this test is."""
    return tmp_path / "journal.db"


@pytest.fixture
def desk(path: Path) -> Iterator[Desk]:
    """A fresh journal."""
    made = Desk(path)
    yield made
    made.gate.set()
    made.fault = None
    made.journal.close()
