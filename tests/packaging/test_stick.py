"""Hostile sticks: no file outside is read or written, within the unit's time and memory limits."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.commands.backup import file_name
from referee.core.documents.chronicle import records
from referee.core.documents.record import to_document
from referee.storage.records.store import Records
from systemd.debian.contents import HERE, ROOT
from tests.core.evenings import played
from tests.packaging.sticks import build, everything, layouts

MOST_S = 15
MOST_BYTES = 64 << 20
SCRIPT = str(HERE / "stick")
LAYOUTS = layouts()
SOME = ("a part is a link to a file outside", "the folder is a link to a folder outside", "a match is a pipe")
RUN = """
import json, re, signal, sys
from referee.cli import main
for line in sys.stdin:
    signal.alarm(15)
    print(json.dumps(main(json.loads(line))))
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
"""Program that runs commands, one per line; it prints their statuses and the process's peak resident KiB."""


class House:
    """A match in a state directory and as a file, which a stick must not reach."""

    def __init__(self, root: Path) -> None:
        record = records(played(2, 7, 1), {})[0]
        assert record is not None
        self.state = root / "state"
        Records(self.state).add(record)
        Records(self.state).list()  # makes the index
        self.match = file_name(record)
        self.text = json.dumps(to_document(record), indent=1) + "\n"
        self.secret = self.state / "export.json"
        self.secret.write_text(self.text)
        self.before = everything(self.state)

    def check(self, stick: Path, status: int, name: str) -> None:
        """Check that it is unchanged, and that a backup with status 0 is one."""
        assert everything(self.state) == self.before, name
        if status == 0:
            copy = stick / "referee" / self.match
            assert not copy.is_symlink(), name
            assert copy.read_text() == self.text, name


def commands(lines: list[list[str]], *before: str) -> list[int]:
    """Run these commands in one process, within the allowed memory; return their statuses."""
    asked = "".join(json.dumps(line) + "\n" for line in lines).encode()
    done = subprocess.run([*before, sys.executable, "-c", RUN], input=asked, capture_output=True, cwd=ROOT, check=False)
    *statuses, peak = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert (done.returncode, len(statuses)) == (0, len(lines)), (lines[len(statuses) :][:1], done.stderr[-2000:])
    assert peak << 10 < MOST_BYTES
    return statuses


def test_no_layout_leads_out_of_a_folder(tmp_path: Path) -> None:
    """With every layout that the file system here can have."""
    house, there = House(tmp_path), tmp_path / "there"
    built = []
    for number, (name, layout) in enumerate(LAYOUTS.items()):
        stick = tmp_path / f"stick-{number}"
        stick.mkdir()
        if build(layout, stick, house.match, house.secret):
            built.append((name, stick))
    assert len(built) >= len(LAYOUTS) - 6  # devices need root
    imports = [["import", str(stick / "referee"), "--state", str(there)] for _, stick in built]
    assert set(commands(imports)) <= {1, 2}
    assert not there.exists()
    assert everything(house.state) == house.before
    backups = [["backup", str(stick / "referee"), "--state", str(house.state)] for _, stick in built]
    for (name, stick), status in zip(built, commands(backups), strict=True):
        house.check(stick, status, name)


@contextmanager
def image(kind: str, root: Path) -> Iterator[str]:
    """Make a loop device with an empty file system of that kind; skip if impossible."""
    maker = shutil.which(f"mkfs.{kind}")
    if os.geteuid() or maker is None or shutil.which("losetup") is None:
        pytest.skip(f"needs root, losetup and mkfs.{kind}")
    path = root / "stick.img"
    with path.open("wb") as file:
        file.truncate(48 << 20)
    subprocess.run([maker, *(("-q",) if kind == "ext4" else ()), str(path)], check=True, capture_output=True)
    try:
        command = ["losetup", "--find", "--show", str(path)]
        device = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no loop device: {error.stderr}")
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


@contextmanager
def mounted(device: str, place: Path) -> Iterator[Path]:
    """Mount the file system for the test itself; skip if the kernel does not support it."""
    place.mkdir(exist_ok=True)
    try:
        subprocess.run(["mount", device, str(place)], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"cannot be mounted here: {error.stderr}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("kind", ["ext4", "vfat", "exfat"])
def test_no_layout_leads_out_of_a_mounted_stick(kind: str, tmp_path: Path) -> None:
    """Mounted and unmounted by the script, copied without rights. STICKS=all tries every layout."""
    house, place, there = House(tmp_path), tmp_path / "mounted", tmp_path / "there"
    chosen = LAYOUTS if os.environ.get("STICKS") == "all" else SOME
    for name in chosen:
        with image(kind, tmp_path) as device:
            with mounted(device, there):
                shutil.rmtree(there / "lost+found", ignore_errors=True)
                if not build(LAYOUTS[name], there, house.match, house.secret):
                    continue
            status = hook(device, place, house.state)
            with mounted(device, there):
                house.check(there, status, name)
        assert not place.exists(), name


def hook(device: str, place: Path, state: Path) -> int:
    """Run the unit's program within its time and memory; 1: the stick was not used."""
    mount = subprocess.run(["sh", SCRIPT, "mount", device, str(place), "root"], timeout=MOST_S, check=False)
    if mount.returncode:
        return mount.returncode
    try:
        options = subprocess.run(["findmnt", "-no", "OPTIONS", str(place)], capture_output=True, text=True, check=True)
        assert {"nosuid", "nodev", "noexec", "nosymfollow"} <= set(options.stdout.strip().split(","))
        lines = [["backup", str(place / "referee"), "--state", str(state)]]
        return commands(lines, "setpriv", "--bounding-set=-all")[0]
    finally:
        subprocess.run(["sh", SCRIPT, "unmount", str(place)], timeout=MOST_S, check=True)


def test_another_file_system_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with image("ext2", tmp_path) as device:
        place = tmp_path / "mounted"
        assert subprocess.run(["sh", SCRIPT, "mount", device, str(place), "root"], check=False).returncode == 1
        assert "ext2" in capfd.readouterr().out
        assert not place.exists()
