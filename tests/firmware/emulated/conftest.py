"""The program on an emulated Pico's flash, once per session.

A running pod is shared by tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.core.units import MS
from tests.firmware.emulated.desk import Desk, installed
from tests.firmware.emulated.pico import image


@pytest.fixture(scope="session")
def flash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A flash on which the installer has put the program."""
    found = image()
    assert found is not None
    return installed(found, tmp_path_factory.mktemp("pod") / "flash.bin")


@pytest.fixture(scope="session")
def met(flash: Path) -> Iterator[Desk]:
    """A running pod and its host, shared by all tests that leave it intact."""
    with Desk(flash) as desk:
        desk.meet()
        yield desk


@pytest.fixture
def desk(met: Desk) -> Iterator[Desk]:
    """The shared pod, half a second after the previous test.

    A test's changes to its line end with the test.
    """
    met.run(520 * MS)
    yield met
    met.spoil = bytes


@pytest.fixture
def fresh(flash: Path) -> Iterator[Desk]:
    """A pod that has just been plugged in, and its host."""
    with Desk(flash) as desk:
        desk.meet()
        yield desk
