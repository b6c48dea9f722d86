"""`make deb-boot`: the package in a booted Debian 13 with systemd, a kernel's simulated pins and no network.

    python -m tests.packaging.booted [--keep DIR]

The kernel is the rig's (tests/rig/provision.sh), with one processor and no network card; the tree is Debian 13 with
systemd, made by mmdebstrap and kept in ~/.cache/referee-deb. What is done in it, and must be so, is guest.sh. Root on
Debian 12, x86-64; where that is not given it says so in a sentence and ends with 0.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from systemd.debian.__main__ import build
from systemd.debian.offline import KEYRING, SUITE, _mirror, bundle
from tests.rig.vm import PROJECT, Image, RigError, provision, run_script, shared_directory

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache" / "referee-deb"
OLD, NEW = "0.1.0+boot1", "0.1.0+boot2"
EPOCH_S = 1_750_000_000
DISK = "2G"
TIMEOUT_S = 900
INCLUDED = ("systemd-sysv", "udev", "kmod", "procps", "dbus")
LEFT_OUT = ("getty@tty1.service", "serial-getty@ttyS0.service", "console-getty.service", "apt-daily.timer",
            "apt-daily-upgrade.timer", "dpkg-db-backup.timer")  # fmt: skip
TOOLS = ("qemu-system-x86_64", "mmdebstrap", "mke2fs")


def lacking() -> str:
    """Why it cannot be done here; "" where it can."""
    if os.geteuid() != 0:
        return "making a root file system needs root; try: sudo make deb-boot"
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"{', '.join(missing)} not installed: make rig installs them, on Debian 12"
    return "" if KEYRING.exists() else f"Debian's archive keys are not here ({KEYRING}): make deb-tools"


def tree() -> Path:
    """Debian 13 with systemd, as a tar file."""
    kept = CACHE / f"{SUITE}-booted.tar"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        new = kept.with_suffix(".new.tar")
        source = f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main"
        words = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--include={','.join(INCLUDED)}"]
        left = [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("man", "locale")]
        subprocess.run([*words, "--aptopt=APT::Install-Recommends false", *left, SUITE, new, source], check=True)
        new.rename(kept)
    return kept


def disk(work: Path) -> Path:
    """An ext4 file system with that tree, and with what runs the host's script at the end of the boot."""
    root, image = work / "root", work / "disk.img"
    root.mkdir()
    subprocess.run(["tar", "-xf", tree(), "-C", root, "--exclude=./dev/*"], check=True)
    machine, units = PROJECT / "tests" / "rig" / "machine", root / "etc" / "systemd" / "system"
    (root / "usr/local/sbin").mkdir(parents=True, exist_ok=True)
    for name in ("rig-mounts", "rig-script"):
        shutil.copy(machine / name, root / "usr/local/sbin")
    for name in ("rig-mounts.service", "rig-script.service"):
        shutil.copy(machine / name, units)
    subprocess.run(["chroot", root, "systemctl", "--quiet", "enable", "rig-mounts", "rig-script"], check=True)
    for unit in LEFT_OUT:
        (units / unit).symlink_to("/dev/null")
    for folder in ("project", "share"):
        (root / folder).mkdir()
    (root / "etc/hostname").write_text("referee\n")
    (root / "etc/fstab").write_text("")
    (root / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    subprocess.run(["truncate", "-s", DISK, image], check=True)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-d", root, image], check=True)
    shutil.rmtree(root)
    return image


def play(keep: Path | None) -> None:
    """Boot it once, and say what the guest has told. RigError when something was not as it must be."""
    kernel = provision()
    with shared_directory() as share, tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        work = Path(name)
        (work / "apt").mkdir()
        (share / "bundle.tar").write_bytes(bundle("amd64", OLD, EPOCH_S, work / "apt"))
        (share / "old.deb").write_bytes(build(OLD, EPOCH_S))
        (share / "new.deb").write_bytes(build(NEW, EPOCH_S))
        image = Image(kernel.kernel, kernel.initrd, disk(work))
        try:
            for part in ("install", "off", "purge"):
                _boot(part, share, image)
        finally:
            told = share / "told"
            print(told.read_text() if told.exists() else "the guest has told nothing", end="")  # noqa: T201
            if keep:
                shutil.copytree(share, keep, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.tar", "*.deb"))


def _boot(part: str, share: Path, image: Image) -> None:
    """One boot of that disk; `off` ends with the machine switched off by the referee's word, not by the script."""
    script = f"exec bash /project/tests/packaging/booted/guest.sh {part}\n"
    try:
        run_script(script, share, systemd=True, cpus=1, timeout_s=TIMEOUT_S, image=image, disk=image.disk)
    except RigError:
        told = (share / "told").read_text().splitlines() if (share / "told").exists() else [""]
        if part != "off" or "off is asked for" not in told[-1]:
            raise
        print("switched off by the referee's word", flush=True)  # noqa: T201
    else:
        if part == "off":
            raise RigError("the machine did not switch itself off")


def main() -> int:
    """0: all was as it must be, or it cannot be tried here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="a folder for what the guest leaves")
    keep = parser.parse_args().keep
    if why := lacking():
        print(f"deb-boot: skipped: {why}")  # noqa: T201
        return 0
    try:
        play(keep)
    except RigError as error:
        print(f"deb-boot: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
