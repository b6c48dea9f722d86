"""Test the package in a booted Debian 13 with systemd, simulated pins and no network: `make deb-boot`.

    python -m tests.packaging.booted [amd64|arm64] [--only release|children|update|card] [--keep DIR]

`release`: installed from a release's folder, tortured, updated, removed; `children` and `update` have parts of it.
`card`: a blank card with the files of Raspberry Pi Imager. The kernel is the rig's (tests/rig/provision.sh), with one
processor and no network card. guest.sh has the actions and checks inside; actions of a person at the machine (plug a
stick in, hold the power button, pull the plug) are done here. Needs root on Debian 12, x86-64; elsewhere it prints a
sentence and exits with 0. An emulated arm64 needs an hour.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

from referee.cli import main as cli
from referee.core.phases.device import UNPLUG_S, OffScreen
from systemd.debian import archive, contents
from systemd.debian.__main__ import build
from systemd.debian.offline import card, files
from systemd.release.__main__ import sign, write
from tests.commands.house import journaled
from tests.core.evenings import played
from tests.packaging.booted.guest import MODULES, TIMEOUT_S, lacking, machine
from tests.packaging.booted.updates import STICKS, new_key, sticks
from tests.packaging.imager import NAMED, SEED, WIFI
from tests.rig.oled import parse_log, pictures
from tests.rig.table import picture
from tests.rig.vm import BOARDS, Image, Machine, RigError, run_script, shared_directory

HERE = Path(__file__).parent
OLD, NEW = "0.1.0+boot1", "0.1.0+boot2"
EPOCH_S = 1_750_000_000
PARTITION, STICK = "64M", "32M"
CLOUD = ("cloud-init", "netplan.io")
SCRIPT = "exec bash /project/tests/packaging/booted/guest.sh {}\n"
PARTS = {
    "install": "",
    "children": "",
    "torture": "",
    "off": "off is asked for",
    "cut": "",
    "update": "",
    "storage": "the power button is held",
    "readonly": "",
    "purge": "",
}
"""Each boot, and the line of the guest after which the machine goes off by other means than the script's end."""
ASKED: dict[str, dict[str, object]] = {"power": {"execute": "system_powerdown"}}
for plug in ("stick", *STICKS):
    ASKED[plug] = {"execute": "device_add", "arguments": {"driver": "usb-storage", "bus": "usb.0", "drive": plug}}
"""Requests of the guest to a person, in the emulator's words."""


def from_release(architecture: str, share: Path, work: Path, parts: Sequence[str] = tuple(PARTS)) -> None:
    """Boot it once for each part. Raises RigError on a failure."""
    archive.PRESET = 0  # the packages' content is what counts here
    key = new_key(work)
    write(share / "release", OLD, EPOCH_S, [architecture])
    sign(share / "release", key, contents.SIGNERS)
    (share / "old.deb").write_bytes(build(OLD, EPOCH_S))
    (share / "new.deb").write_bytes(build(NEW, EPOCH_S))
    image = machine(work, architecture)
    plugged = beside(work, share, sticks(work, key, EPOCH_S))
    for part in parts:
        _boot(part, PARTS[part], share, image, plugged)
        if part == "storage":
            last_look(share)


def updated(architecture: str, share: Path, work: Path) -> None:
    """Install it from a release's folder, then update it from sticks. Raises RigError on a failure."""
    from_release(architecture, share, work, ("install", "cut", "update"))


def children(architecture: str, share: Path, work: Path) -> None:
    """Install it from a release's folder, then end its child processes. Raises RigError on a failure."""
    from_release(architecture, share, work, ("install", "children"))


def blank_card(architecture: str, share: Path, work: Path) -> None:
    """Boot it twice, as a card of that architecture does by itself. Raises RigError on a failure."""
    (work / "apt").mkdir()
    image = machine(work, architecture, CLOUD, a_pi)
    first = work / "bootfs"
    first.mkdir()
    with zipfile.ZipFile(io.BytesIO(card(files(architecture, OLD, EPOCH_S, work / "apt")))) as archive:
        archive.extractall(first)
    wiring = re.search(r"^( +\[pins\]\n( +\S.*\n)+)", (first / "referee/README.txt").read_text("utf-8"), re.MULTILINE)
    assert wiring, "its text has no wiring"
    left = {"config.txt": "# the system's\n", "user-data": NAMED, "network-config": WIFI}
    left |= {"meta-data": "instance-id: rpi-imager-1790623015181\n", "referee/referee.toml": dedent(wiring[0])}
    for path, text in left.items():
        (first / path).write_text(text)
    partition = work / "bootfs.img"
    subprocess.run(["truncate", "-s", "512M", partition], check=True)
    subprocess.run(["mkfs.vfat", "-n", "bootfs", partition], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["mcopy", "-s", "-i", partition, *sorted(first.iterdir()), "::"], check=True)
    plugged = ["-drive", f"file={partition},format=raw,if=virtio"]
    words = f"rig.modules={','.join(MODULES)}"
    itself = Machine(image, share, systemd=True, cpus=1, disk=image.disk, more=plugged,
                     kernel_words=f"{words} systemd.mask=rig-script.service")  # fmt: skip
    with itself:
        itself.wait(TIMEOUT_S)
    print("the card has started the machine again by itself", flush=True)  # noqa: T201
    run_script(SCRIPT.format("card"), share, systemd=True, cpus=1, timeout_s=TIMEOUT_S, image=image, disk=image.disk,
               kernel_words=words, more=plugged)  # fmt: skip


def a_pi(root: Path) -> None:
    """Let that tree read its first partition as Raspberry Pi OS does, and have a Pi's pins."""
    (root / "etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg").write_text(SEED)
    (root / "boot/firmware").mkdir(exist_ok=True)
    (root / "etc/fstab").write_text("/dev/vdb /boot/firmware vfat defaults 0 2\n")
    units = root / "etc/systemd/system"
    (units / "cloud-init-local.service.d").mkdir()
    (units / "cloud-init-local.service.d/first.conf").write_text("[Unit]\nRequiresMountsFor=/boot/firmware\n")
    shutil.copy(HERE / "guest-pins.service", units)
    (units / "referee.service.d").mkdir()
    shutil.copy(HERE / "a-pi.conf", units / "referee.service.d")


def play(name: str, architecture: str, keep: Path | None) -> None:
    """Boot all of one suite, and print what the guest reports. Raises RigError on a failure."""
    with shared_directory() as share, tempfile.TemporaryDirectory(dir="/var/tmp") as work, reported(share / "told"):
        try:
            SUITES[name](architecture, share, Path(work))
        finally:
            if keep:
                left = shutil.ignore_patterns("release", "*.deb", "monitor")
                shutil.copytree(share, keep / name, dirs_exist_ok=True, ignore=left)


@contextmanager
def reported(told: Path) -> Iterator[None]:
    """Print each line of the guest as it comes."""
    ended, shown = threading.Event(), 0

    def show() -> None:
        nonlocal shown
        lines = told.read_text().splitlines(keepends=True) if told.exists() else []
        for line in lines[shown:]:
            print(line, end="", flush=True)  # noqa: T201
        shown = len(lines)

    def look() -> None:
        while not ended.wait(1):
            show()

    looks = threading.Thread(target=look, name="reporter", daemon=True)
    looks.start()
    try:
        yield
    finally:
        ended.set()
        looks.join()
        show()


SUITES = {"release": from_release, "children": children, "update": updated, "card": blank_card}
USUAL = ("release", "card")


def beside(work: Path, share: Path, updates: dict[str, Path]) -> list[str]:
    """Return the emulator's words for an empty partition, unplugged sticks, and its monitor."""
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
    places = {"own": partition, "stick": stick} | updates
    drives = [f"driver=file,node-name={node},filename={path}" for node, path in places.items()]
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
    words = f"rig.modules={','.join(MODULES)} rig.root={'overlay' if part == 'readonly' else 'plain'}"
    pulled = share / "pulled" if part in ("cut", "readonly") else None
    (share / "pulled").unlink(missing_ok=True)
    try:
        with person(share):
            run_script(SCRIPT.format(part), share, systemd=True, cpus=1, timeout_s=TIMEOUT_S, image=image,
                       disk=image.disk, kernel_words=words, more=plugged, plug=pulled)  # fmt: skip
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
    parser.add_argument("architecture", nargs="?", default="amd64", choices=BOARDS)
    parser.add_argument("--only", choices=SUITES, help="one of them")
    parser.add_argument("--keep", type=Path, help="a folder for what the guest leaves")
    asked = parser.parse_args()
    if why := lacking(asked.architecture):
        print(f"deb-boot: skipped: {why}")  # noqa: T201
        return 0
    try:
        for name in [asked.only] if asked.only else USUAL:
            play(name, asked.architecture, asked.keep)
    except RigError as error:
        print(f"deb-boot: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
