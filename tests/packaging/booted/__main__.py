"""Test the package in a booted Debian 13 with systemd, simulated pins and no network: `make deb-boot`.

    python -m tests.packaging.booted [--keep DIR]

The kernel is the rig's (tests/rig/provision.sh), with one processor and no network card; the tree is Debian 13 with
systemd, made by mmdebstrap and kept in ~/.cache/referee-deb. guest.sh has the actions and checks inside; actions of a
person at the machine (plug a stick in, hold the power button, pull the plug) are done here. Needs root on Debian 12,
x86-64; elsewhere it prints a sentence and exits with 0.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.cli import main as cli
from referee.core.phases.device import UNPLUG_S, OffScreen
from systemd.debian.__main__ import build
from systemd.debian.offline import KEYRING, SUITE, _mirror, bundle
from tests.commands.house import journaled
from tests.core.evenings import played
from tests.rig.oled import parse_log, pictures
from tests.rig.table import picture
from tests.rig.vm import PROJECT, Image, RigError, provision, run_script, shared_directory

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache" / "referee-deb"
OLD, NEW = "0.1.0+boot1", "0.1.0+boot2"
EPOCH_S = 1_750_000_000
DISK = "2G"
TIMEOUT_S = 1800
INCLUDED = ("systemd-sysv", "udev", "kmod", "procps", "dbus", "e2fsprogs")
LEFT_OUT = ("getty@tty1.service", "serial-getty@ttyS0.service", "console-getty.service", "apt-daily.timer",
            "apt-daily-upgrade.timer", "dpkg-db-backup.timer")  # fmt: skip
TOOLS = ("qemu-system-x86_64", "mmdebstrap", "mke2fs", "mkfs.vfat", "mmd")
ENDS = """\
[Service]
ExecStopPost=
ExecStopPost=/bin/sh -c '[ -e /run/power-button ] || systemctl poweroff --force'
"""
"""The script's end switches off at once, except during a shutdown in progress, which must be an orderly one."""
PARTITION, STICK = "64M", "32M"
MODULES = ("overlay", "xhci_pci", "usb_storage", "sd_mod", "vfat", "nls_cp437", "nls_ascii", "button", "evdev")
PARTS = {"install": "", "off": "off is asked for", "storage": "the power button is held", "readonly": "", "purge": ""}
"""Each boot, and the line of the guest after which the machine goes off by other means than the script's end."""
ASKED: dict[str, dict[str, object]] = {
    "stick": {"execute": "device_add", "arguments": {"driver": "usb-storage", "bus": "usb.0", "drive": "stick"}},
    "power": {"execute": "system_powerdown"},
}
"""Requests of the guest to a person, in the emulator's words."""


def lacking() -> str:
    """Return why it cannot run here, or ""."""
    if os.geteuid() != 0:
        return "making a root file system needs root; try: sudo make deb-boot"
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"{', '.join(missing)} not installed: make rig and make deb-tools install them, on Debian 12"
    return "" if KEYRING.exists() else f"Debian's archive keys are not here ({KEYRING}): make deb-tools"


def tree() -> Path:
    """Return Debian 13 with systemd as a tar file."""
    kept = CACHE / f"{SUITE}-{'-'.join(INCLUDED)}.tar"
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
    """Make an ext4 file system with that tree, and a unit that runs the host's script at the end of the boot."""
    root, image = work / "root", work / "disk.img"
    root.mkdir()
    subprocess.run(["tar", "-xf", tree(), "-C", root, "--exclude=./dev/*"], check=True)
    machine, units = PROJECT / "tests" / "rig" / "machine", root / "etc" / "systemd" / "system"
    (root / "usr/local/sbin").mkdir(parents=True, exist_ok=True)
    for name in ("rig-mounts", "rig-script"):
        shutil.copy(machine / name, root / "usr/local/sbin")
    for name in ("rig-mounts.service", "rig-script.service"):
        shutil.copy(machine / name, units)
    (units / "rig-script.service.d").mkdir()
    (units / "rig-script.service.d" / "guest.conf").write_text(ENDS)
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
    """Boot it once for each part, and print the guest's output.

    Raises RigError on a failure.
    """
    kernel = provision()
    with shared_directory() as share, tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        work = Path(name)
        (work / "apt").mkdir()
        (share / "bundle.tar").write_bytes(bundle("amd64", OLD, EPOCH_S, work / "apt"))
        (share / "old.deb").write_bytes(build(OLD, EPOCH_S))
        (share / "new.deb").write_bytes(build(NEW, EPOCH_S))
        image, plugged = Image(kernel.kernel, kernel.initrd, disk(work)), beside(work, share)
        try:
            for part, ends in PARTS.items():
                _boot(part, ends, share, image, plugged)
            last_look(share)
        finally:
            told = share / "told"
            print(told.read_text() if told.exists() else "the guest has told nothing", end="")  # noqa: T201
            if keep:
                left = shutil.ignore_patterns("*.tar", "*.deb", "monitor")
                shutil.copytree(share, keep, dirs_exist_ok=True, ignore=left)


def beside(work: Path, share: Path) -> list[str]:
    """Return the emulator's words for an empty partition, an unplugged stick, and its monitor."""
    (share / "matches").mkdir()
    with tempfile.TemporaryDirectory() as state:
        journaled(Path(state) / "house", played())
        if cli(["backup", str(share / "matches"), "--state", str(Path(state) / "house")]):
            raise RigError("no matches could be written for the guest")
    partition, stick = work / "partition.img", work / "stick.img"
    for path, size in ((partition, PARTITION), (stick, STICK)):
        subprocess.run(["truncate", "-s", size, path], check=True)
    subprocess.run(["mkfs.vfat", "-n", "STICK", stick], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["mmd", "-i", stick, "::referee"], check=True)
    drives = [f"driver=file,node-name={node},filename={path}" for node, path in (("own", partition), ("stick", stick))]
    return [
        *(word for drive in drives for word in ("-blockdev", drive)),
        *("-device", "virtio-blk-pci,drive=own,addr=0x10", "-device", "qemu-xhci,id=usb"),
        *("-qmp", f"unix:{share / 'monitor'},server=on,wait=off"),
    ]


@contextmanager
def person(share: Path) -> Iterator[None]:
    """Do what the guest requests in /share/asked."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.2):
            if (share / "asked").exists():
                monitor(share / "monitor", ASKED[(share / "asked").read_text().strip()])
                (share / "asked").unlink()

    looks = threading.Thread(target=look, name="person", daemon=True)
    looks.start()
    try:
        yield
    finally:
        ended.set()
        looks.join()


def monitor(way: Path, command: dict[str, object]) -> None:
    """Send one command to the emulator; raise RigError if it is refused."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(way))
        talk = line.makefile("rw", encoding="ascii")
        talk.readline()  # its greeting
        for one in ({"execute": "qmp_capabilities"}, command):
            talk.write(json.dumps(one) + "\n")
            talk.flush()
            while "return" not in (answer := json.loads(talk.readline())):
                if "error" in answer:
                    raise RigError(f"the emulator refuses {one}: {answer['error']}")


def _boot(part: str, ends: str, share: Path, image: Image, plugged: list[str]) -> None:
    """Boot that disk once; with `ends` the machine is switched off after that line, not by the script's end."""
    script = f"exec bash /project/tests/packaging/booted/guest.sh {part}\n"
    words = f"rig.modules={','.join(MODULES)} rig.root={'overlay' if part == 'readonly' else 'plain'}"
    pulled = share / "pulled" if part == "readonly" else None
    try:
        with person(share):
            run_script(script, share, systemd=True, cpus=1, timeout_s=TIMEOUT_S, image=image, disk=image.disk,
                       kernel_words=words, more=plugged, plug=pulled)  # fmt: skip
    except RigError:
        told = (share / "told").read_text().splitlines() if (share / "told").exists() else [""]
        if not ends or ends not in told[-1]:
            raise
        print(f"switched off: {part}", flush=True)  # noqa: T201
    else:
        if ends and pulled is None:
            raise RigError(f"{part}: the machine did not switch itself off")


def last_look(share: Path) -> None:
    """Check the last picture and sound after the power button.

    Raise RigError if they are not the shutdown's.
    """
    shown = [frame for _, frame in pictures(parse_log((share / "panel.log").read_bytes()))]
    if picture(OffScreen(UNPLUG_S)) not in shown:
        last = shown[-1] if shown else "nothing at all"
        raise RigError(f"the power button: the display did not say when the plug may be pulled, but\n{last}")
    if "enabled=1" not in (share / "sounded.txt").read_text():
        raise RigError("the power button: nothing was heard")
    print("the power button: the display said when the plug may be pulled, with a sound")  # noqa: T201


def main() -> int:
    """Return 0 if all was right, or if it cannot run here."""
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
