"""`referee hall`: its usage, and codes. tests/hall runs it at a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.cli import main

pytest.importorskip("sqlalchemy")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment names no broker and no database."""
    for name in ("HALL_BROKER", "HALL_DATABASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "--broker URL is missing"),
        (["--broker", "http://x"], "must be mqtt://"),
        (["--broker", "mqtt://x", "--ca", "/nowhere"], "there is no such file"),
        (["--broker", "mqtt://x", "--prefix", "a/#"], "must be letters"),
        (["--broker", "mqtt://x", "--listen", "8090"], "HOST:PORT"),
        (["--broker", "mqtt://x", "--database", "mysql://x"], "sqlite:/// or postgresql://"),
    ],
)
def test_bad_usage_is_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(["hall", "--state", str(tmp_path), *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_new_code_replaces_the_last_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from referee.hall.store import Store

    codes = []
    for _ in range(2):
        assert main(["hall", "--state", str(tmp_path), "--new-code", "Dora"]) == 0
        codes.append(capsys.readouterr().out.strip())
    store = Store(f"sqlite:///{tmp_path / 'hall.db'}")
    assert [store.access.login("Dora", code, "here") is None for code in codes] == [True, False]
    assert [(person.name, person.role) for person in store.access.people()] == [("Dora", "director")]
    store.close()
