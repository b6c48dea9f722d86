"""Commands run with sudo leave no file in the state directory that its owner cannot change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.house import journaled
from tests.core.evenings import played

ROOT = Path(__file__).parents[2]
OWNER = 12345


def python() -> str:
    """Return this Python, or one of the same version that every user can start.

    Skip if there is none.
    """
    for name in (sys.executable, "/usr/bin/python3"):
        found = Path(name).resolve()
        if found.exists() and all(parent.stat().st_mode & 0o001 for parent in (found, *found.parents)):
            asked = [name, "-c", "import sys; print(sys.version_info[:2])"]
            if subprocess.run(asked, capture_output=True, text=True, check=True).stdout == f"{sys.version_info[:2]}\n":
                return name
    pytest.skip("no Python that every user can start")


def referee(*argv: str | Path, user: int = 0, status: int = 0) -> str:
    """Run a command as that user and return its output."""
    libraries = [path for path in sys.path if path.endswith("-packages")]
    done = subprocess.run(
        [python(), "-B", "-m", "referee", *map(str, argv)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *libraries])},
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can reach, with another user's state directory and a folder of root's."""
    if os.geteuid():
        pytest.skip("needs root")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        journaled(place / "state", played(2, 7, 1))
        (place / "root").mkdir(mode=0o700)
        (place / "state").chmod(0o750)
        for path in (place / "state", *(place / "state").rglob("*")):
            shutil.chown(path, OWNER, OWNER)
        yield place


def owners(folder: Path) -> set[int]:
    """Return the owners of the files there."""
    return {path.stat().st_uid for path in folder.rglob("*")}


def test_what_root_does_stays_the_owner_s(place: Path) -> None:
    state, mine, settings = place / "state", place / "root", place / "root" / "referee.toml"
    settings.write_text('[names]\n1 = "Anna"\n')
    referee("history", "--state", state)
    referee("export", "1", "--state", state, "--output", mine / "match.json")
    referee("backup", mine, "--state", state)
    assert "already" in referee("import", mine / "match.json", "--state", state)
    for folder in ("records", "evenings"):
        shutil.rmtree(state / folder)
    assert "Imported as match A1" in referee("import", mine, "--state", state)
    referee("forget", "Anna", "--yes", "--state", state, "--config", settings)
    assert owners(state) == {OWNER}
    assert owners(mine) == {0}
    assert "Anna" not in settings.read_text()


def test_a_device_that_root_has_started_leaves_a_state_that_its_owner_can_use(place: Path) -> None:
    state = place / "state"
    taken = referee(
        "run", "--simulate", "--state", state, "--listen", "192.0.2.1:9", status=2
    )  # not an address of this machine
    assert "cannot listen" in taken
    assert owners(state) == {OWNER}
    assert "1" in referee("history", "--state", state, user=OWNER)
