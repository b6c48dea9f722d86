"""USB sticks with newer versions, signed with a key of the test's own: one crashes, one hangs, one is good."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from systemd.debian import archive, contents, offline
from systemd.release.__main__ import seal

STICKS = {
    "crash": ("0.1.1", b"#!/bin/sh\necho a fault\nexit 1\n"),
    "hang": ("0.1.2", b"#!/bin/sh\nexec sleep 1000\n"),
    "good": ("0.1.3", None),
}
"""Each stick's version, and its program in place of ours."""
STICK = "64M"


def new_key(work: Path) -> Path:
    """Return a new private key, which each package that is made from now on trusts."""
    key, contents.SIGNERS = work / "key", work / "allowed_signers"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    contents.SIGNERS.write_text(f"release {key.with_suffix('.pub').read_text()}")
    return key


def sticks(work: Path, key: Path, epoch_s: int) -> dict[str, Path]:
    """Return the sticks' images by their names."""
    return {name: _stick(work / f"{name}.img", *what, key, epoch_s) for name, what in STICKS.items()}


def _stick(image: Path, version: str, program: bytes | None, key: Path, epoch_s: int) -> Path:
    files = contents.contents(version, epoch_s)
    if program:
        files["/usr/bin/referee"] = archive.Member(program, archive.EXECUTABLE)
    package = archive.deb(contents.control(version, files), files, epoch_s)
    name = f"{contents.NAME}-{version}-all"
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / f"{name}.tar"
        found = offline.repository({f"{contents.NAME}_{version}_all.deb": package}, Path(folder))
        found["install"] = (offline.HERE / "install").read_bytes()
        bundle.write_bytes(offline._tar(found, name, epoch_s))
        seal(bundle, key)
        subprocess.run(["truncate", "-s", STICK, image], check=True)
        subprocess.run(["mkfs.vfat", "-n", "STICK", image], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["mmd", "-i", image, "::referee"], check=True)
        subprocess.run(["mcopy", "-i", image, bundle, "::referee/"], check=True)
    return image
