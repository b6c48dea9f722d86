"""Fixtures of the tests in this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.journal.desk import Desk


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
