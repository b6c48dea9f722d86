"""Fixtures of the hall's tests: each test with a `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hall import databases
from tests.hall.brokers import PROGRAM, Mosquitto

pytest.importorskip("sqlalchemy")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server."""
    if databases.programs() is None:
        pytest.skip("PostgreSQL is not installed (make hall-tools)")
    with databases.postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hall.db'}"
    return databases.new_database(request.getfixturevalue("server"))


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running broker."""
    if PROGRAM is None:
        pytest.skip("mosquitto is not installed (make hall-tools)")
    broker = Mosquitto(tmp_path)
    yield broker
    broker.kill()


@pytest.fixture(scope="session")
def servers() -> Iterator[databases.Pair]:
    """A PostgreSQL server with an asynchronous standby."""
    if databases.programs() is None:
        pytest.skip("PostgreSQL is not installed (make hall-tools)")
    with databases.replicated(synchronous=False) as pair:
        yield pair


@pytest.fixture
def pair(servers: databases.Pair) -> databases.Pair:
    """The same, whole again after the last test."""
    if not servers.whole:
        servers.rebuild()
    return servers
