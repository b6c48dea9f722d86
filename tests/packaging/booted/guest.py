"""A Debian 13 with systemd as a disk for the emulator, on which the host's script runs at the end of the boot.

The trees are made by mmdebstrap and kept in ~/.cache/referee-deb. Needs root on Debian 12, x86-64.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from systemd.debian.offline import KEYRING, SUITE, _mirror
from tests.rig.vm import BOARDS, PROJECT, Image, provision

CACHE = Path.home() / ".cache" / "referee-deb"
LONGEST_NAME = 200
"""Longest list of packages that can be part of a file's name."""
DISK = "2G"
TIMEOUT_S = 3600
INCLUDED = ("systemd-sysv", "udev", "kmod", "procps", "dbus", "e2fsprogs")
LEFT_OUT = ("getty@tty1.service", "serial-getty@ttyS0.service", "serial-getty@ttyAMA0.service", "console-getty.service",
            "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer")  # fmt: skip
TOOLS = ("mmdebstrap", "mke2fs", "mkfs.vfat", "mmd", "mcopy", "ssh-keygen")
FOREIGN = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
"""It exists where this machine runs programs of arm64, as mmdebstrap needs."""
REGISTER = f"mount -t binfmt_misc binfmt_misc {FOREIGN.parent}; update-binfmts --enable qemu-aarch64"
ENDS = """\
[Service]
ExecStopPost=
ExecStopPost=/bin/sh -c '[ -e /run/power-button ] || systemctl poweroff --force'
"""
"""The script's end switches off at once, except during a shutdown in progress, which must be an orderly one."""
MODULES = ("overlay", "xhci_pci", "usb_storage", "sd_mod", "vfat", "nls_cp437", "nls_ascii", "button", "gpio_keys",
           "evdev")  # fmt: skip


def lacking(architecture: str) -> str:
    """Return why it cannot run here, or ""."""
    if os.geteuid() != 0:
        return "making a root file system needs root; try: sudo make deb-boot"
    tools = [BOARDS[architecture].emulator, *TOOLS]
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        return f"{', '.join(missing)} not installed: make deb-tools installs them, on Debian 12"
    if architecture == "arm64" and not FOREIGN.exists():
        return f"there is no {FOREIGN}: make deb-tools, or if they are installed {REGISTER}"
    return "" if KEYRING.exists() else f"Debian's archive keys are not here ({KEYRING}): make deb-tools"


def tree(architecture: str, packages: Sequence[str]) -> Path:
    """Return Debian 13 with systemd and these packages as a tar file."""
    included = (*INCLUDED, *packages)
    name = "-".join((architecture, *included))
    if len(name) > LONGEST_NAME:
        name = hashlib.sha256(name.encode()).hexdigest()
    kept = CACHE / f"{SUITE}-{name}.tar"
    if not kept.exists():
        print(f"making a Debian 13 for {architecture}: {' '.join(included)}", flush=True)  # noqa: T201
        CACHE.mkdir(parents=True, exist_ok=True)
        new = kept.with_suffix(".new.tar")
        source = f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main"
        words = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--architectures={architecture}"]
        words += [f"--include={','.join(included)}", "--aptopt=APT::Install-Recommends false"]
        words += [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("man", "locale")]
        subprocess.run([*words, SUITE, new, source], check=True)
        new.rename(kept)
    return kept


def machine(
    work: Path,
    architecture: str = "amd64",
    packages: Sequence[str] = (),
    furnish: Callable[[Path], None] = lambda root: None,
) -> Image:
    """Return the rig's kernel with a new disk of that tree. furnish: change its files."""
    kernel = provision(architecture)
    root, image = work / "root", work / "disk.img"
    root.mkdir()
    subprocess.run(["tar", "-xf", tree(architecture, packages), "-C", root, "--exclude=./dev/*"], check=True)
    scripts, units = PROJECT / "tests" / "rig" / "machine", root / "etc" / "systemd" / "system"
    (root / "usr/local/sbin").mkdir(parents=True, exist_ok=True)
    for name in ("rig-mounts", "rig-script"):
        shutil.copy(scripts / name, root / "usr/local/sbin")
    for name in ("rig-mounts.service", "rig-script.service"):
        shutil.copy(scripts / name, units)
    (units / "rig-script.service.d").mkdir()
    (units / "rig-script.service.d" / "guest.conf").write_text(ENDS)
    subprocess.run(["systemctl", "--quiet", f"--root={root}", "enable", "rig-mounts", "rig-script"], check=True)
    for unit in LEFT_OUT:
        (units / unit).symlink_to("/dev/null")
    for folder in ("project", "share"):
        (root / folder).mkdir()
    (root / "etc/hostname").write_text("referee\n")
    (root / "etc/fstab").write_text("")
    (root / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    furnish(root)
    subprocess.run(["truncate", "-s", DISK, image], check=True)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-d", root, image], check=True)
    shutil.rmtree(root)
    return Image(kernel.kernel, kernel.initrd, image, architecture)
