"""A Debian 13 without a service manager, made by mmdebstrap and entered by chroot. Needs root on Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from systemd.debian.offline import KEYRING, SUITE, _mirror

CACHE = Path.home() / ".cache" / "referee-deb"
needed = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mmdebstrap") is None or not KEYRING.exists(),
    reason="installing in a tree needs root, mmdebstrap and Debian's archive keys (`make deb-tools`)",
)


class Machine:
    """A tree in which commands run without a network."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, script: str, status: int = 0) -> str:
        """Run a shell script; return both output streams."""
        command = [
            "unshare",
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "chroot",
            str(self.root),
            "/bin/sh",
        ]
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [*command, "-c", f"mount -t proc proc /proc && cd /tmp && {script}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=clean,
        )  # fmt: skip
        assert done.returncode == status, done.stdout
        return done.stdout

    def path(self, place: str) -> Path:
        """Return a place in the tree."""
        return self.root / place.lstrip("/")


def machine(root: Path, *packages: str) -> Machine:
    """Make the smallest Debian 13 with apt and these packages in a new folder."""
    base = CACHE / f"{'-'.join((SUITE, *packages))}.tar"
    if not base.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        new = base.with_suffix(".new.tar")
        source = f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main"
        wanted = [f"--include={','.join(packages)}"] if packages else []
        command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", *wanted, SUITE, str(new), source]
        subprocess.run(command, check=True)
        new.rename(base)
    root.mkdir()
    subprocess.run(["tar", "-xf", base, "-C", root, "--exclude=./dev/*"], check=True)
    subprocess.run(["mknod", "-m", "666", root / "dev/null", "c", "1", "3"], check=True)
    subprocess.run(["mknod", "-m", "666", root / "dev/urandom", "c", "1", "9"], check=True)
    return Machine(root)
