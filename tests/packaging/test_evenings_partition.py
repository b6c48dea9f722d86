"""The evenings' own partition: the script of the package, on a loop device."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = Path("systemd/debian/evenings-partition").resolve()


def _can() -> bool:
    return os.geteuid() == 0 and subprocess.run(["losetup", "-f"], capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not _can(), reason="a partition to try it on needs root and a loop device")


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """An empty partition."""
    image = tmp_path / "card.img"
    with image.open("wb") as file:
        file.truncate(32 << 20)
    found = subprocess.run(
        ["losetup", "--show", "-f", image], capture_output=True, text=True, check=True
    ).stdout.strip()
    yield found
    subprocess.run(["losetup", "-d", found], check=True)


EVENING = "evenings/2026-11-26_1930.jsonl"


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Return a function that runs the script with folders of the test's own."""
    places = {"REFEREE_STATE": str(tmp_path / "state"), "REFEREE_UNITS": str(tmp_path / "units")}
    return subprocess.run(
        ["sh", SCRIPT, *words], capture_output=True, text=True, check=False, env={**os.environ, **places}
    )


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder with evenings."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o750)
    (folder / EVENING).parent.mkdir()
    (folder / EVENING).write_bytes(os.urandom(50_000))
    os.chown(folder, 1234, 1235)
    os.chown(folder / EVENING, 1234, 1235)
    return folder


def test_the_evenings_are_copied_and_their_partition_named(tmp_path: Path, state: Path, device: str) -> None:
    """With owners and rights; the units wait for it and mount it; the original files stay."""
    done = run(tmp_path, device)
    assert (done.returncode, done.stdout) == (0, f"{state} is on {device} now.\n"), done.stderr
    kept, there = (state / EVENING).read_bytes(), tmp_path / "there"
    there.mkdir()
    subprocess.run(["mount", device, there], check=True)
    try:
        assert (there / EVENING).read_bytes() == kept
        assert [path.stat()[4:6] for path in (there, there / EVENING)] == [(1234, 1235)] * 2
        assert there.stat().st_mode & 0o777 == 0o750
    finally:
        subprocess.run(["umount", there], check=True)
    uuid = subprocess.run(
        ["blkid", "-p", "-o", "value", "-s", "UUID", device], capture_output=True, text=True, check=True
    )
    (unit,) = (tmp_path / "units").glob("*.mount")
    assert f"What=/dev/disk/by-uuid/{uuid.stdout.strip()}\nWhere={state}\n" in unit.read_text()
    waits = tmp_path / "units" / "referee.service.d" / "evenings-partition.conf"
    assert waits.read_text() == f"[Unit]\nRequiresMountsFor={state}\n"


def test_what_holds_something_is_left_as_it_is(tmp_path: Path, state: Path, device: str) -> None:
    """A repeated call, a file, a formatted partition, no name: a sentence each, and status 2."""
    assert run(tmp_path, device).returncode == 0
    for words, said in (
        ((device,), "is not empty (ext4)"),
        ((str(state),), "is not a partition"),
        ((), "Name an empty partition"),
    ):
        done = run(tmp_path, *words)
        assert done.returncode == 2
        assert said in done.stderr


def test_without_its_tools_nothing_is_begun(tmp_path: Path, state: Path, device: str) -> None:
    """Without mkfs.ext4 the message says what to install, before the service is stopped or anything is written."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("id", "mountpoint", "blkid"):
        (tools / name).symlink_to(shutil.which(name) or name)
    places = {"REFEREE_STATE": str(state), "REFEREE_UNITS": str(tmp_path / "units"), "PATH": str(tools)}
    done = subprocess.run(["/bin/sh", SCRIPT, device], capture_output=True, text=True, check=False, env=places)
    assert (done.returncode, done.stderr) == (2, "mkfs.ext4 is missing: sudo apt install e2fsprogs\n")
    assert not (tmp_path / "units").exists()
