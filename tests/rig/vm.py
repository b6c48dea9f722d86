"""The virtual machine of the rig, used from the host.

A run: make a shared directory, put a shell script into it, boot, wait for power-off, read the script's results. The
guest sees the project read-only at /project and the shared directory at /share. The disk forgets every change at
power-off unless a copy of it is passed in.

An emulator was seen to hang before its guest had begun. The guest's first program prints a line first
(machine/initramfs-init): without that line no program of the guest has run, so no fault is hidden, and the machine is
booted again. No disk has been written by then, even one that outlives the boot: the disk driver is loaded after that
line, and the firmware only reads.

The emulator never uses KVM: under a nested hypervisor this kernel hung with it, and a figure must not depend on whether
the builder's machine has it.

    python3 -m tests.rig.vm 'uname -a; cat /proc/modules'    run one command, print its output
    python3 -m tests.rig.vm --systemd 'systemctl --failed'     the same under systemd
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
PROVISION = PROJECT / "tests" / "rig" / "provision.sh"

CPUS = 2
BEFORE_OTHERS = (
    -15
)  # its nice value: other work of the host must not look like a fault; without the right it stays normal
MEMORY_MIB = 768
POLL_S = 0.05
FIRST_LINE = "rig: the guest's first program runs"  # printed by initramfs-init
FIRST_LINE_S = 120
"""Maximum seconds until the first line.

It comes after 5 to 6 s on a host with little or four times too much to do, and after 20 to 40 s on the latter where
the emulator has no higher priority.
"""
BOOTS = 3
SERIAL_LINES_SHOWN = 40


class RigError(Exception):
    """The rig itself failed: no boot, no end, or a failed script."""


class BusyError(RigError):
    """The host is so busy that the observations prove nothing."""


BUSY_STATUS = 75  # sysexits.h: a temporary failure, try again later


def give_up(error: RigError) -> int:
    """Print why there is no verdict and return the exit status."""
    print(f"rig: {error}", file=sys.stderr)
    return BUSY_STATUS if isinstance(error, BusyError) else 1


@dataclass(frozen=True)
class Image:
    """The files built by provision.sh."""

    kernel: Path
    initrd: Path
    disk: Path
    architecture: str = "amd64"


def provision(architecture: str = "amd64") -> Image:
    """Build the image, or find it in the cache. Only that of amd64 has a disk."""
    done = subprocess.run([PROVISION, architecture], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RigError(f"{PROVISION} ended with status {done.returncode}")
    directory = Path(done.stdout.strip())
    return Image(directory / "vmlinuz", directory / "initrd.gz", directory / "disk.img", architecture)


@dataclass(frozen=True)
class Board:
    """What the emulator needs to know of an architecture."""

    emulator: str
    words: Sequence[str]
    console: str


BOARDS = {
    "amd64": Board("qemu-system-x86_64", ("-cpu", "max", "-machine", "q35,hpet=off"), "ttyS0 tsc=reliable"),
    "arm64": Board("qemu-system-aarch64", ("-cpu", "cortex-a72", "-machine", "virt"), "ttyAMA0"),
}


class Machine:
    """One boot, in which the guest's first program runs.

    Leaving the block switches it off, as a pulled plug does. `share` must exist. With `disk` that file is written and
    outlives the boot; without, the image's own disk is used and its changes are forgotten.
    """

    def __init__(
        self,
        image: Image,
        share: Path,
        *,
        systemd: bool = False,
        cpus: int = CPUS,
        disk: Path | None = None,
        kernel_words: str = "",
        more: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """more: further words for the emulator."""
        self._clock = clock
        self.serial = share / "serial.log"
        self._command = [*_emulator(image, share, self.serial, systemd, cpus, disk, kernel_words), *more]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Machine:
        try:
            self._boot()
        except BaseException:
            self.cut_power()
            raise
        return self

    def _boot(self) -> None:
        """Wait until the guest's first line, or the emulator's end.

        Raise RigError after BOOTS hangs.
        """
        for number in range(1, BOOTS + 1):
            if not self._hangs():
                return
            self.cut_power()
            if self._begun:  # it began meanwhile: its further actions are not known
                raise RigError(f"the guest's first line came after {FIRST_LINE_S} s, as its power was cut")
            print(
                f"rig: boot {number} of {BOOTS}: no line of the guest within {FIRST_LINE_S} s; nothing in it has run, "
                "its power was cut",
                file=sys.stderr,
            )
        raise RigError(f"the emulator hangs: no line of the guest in {BOOTS} boots of {FIRST_LINE_S} s each")

    def _hangs(self) -> bool:
        """Switch it on; return whether its guest prints nothing for too long."""
        self.serial.unlink(missing_ok=True)  # another boot's
        give_up = self._clock() + FIRST_LINE_S
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
        self._session(BEFORE_OTHERS)
        while self.running and not self._begun:
            if self._clock() > give_up:
                return True
            time.sleep(POLL_S)
        return False

    @property
    def _begun(self) -> bool:
        """Return whether the guest's first program has run."""
        return FIRST_LINE in _text(self.serial)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut_power()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def cut_power(self) -> None:
        """Stop at once. The guest's memory is lost; data taken by its disk is kept."""
        if self._process is not None:
            self._session(0)
            self._process.kill()
            self._process.wait()

    def _session(self, nice: int) -> None:
        """Set the nice value of the emulator's session.

        Where the host shares its time among sessions first, a process's nice value counts only within its session;
        sched(7), "The autogroup feature".
        """
        assert self._process is not None
        with suppress(OSError):
            Path(f"/proc/{self._process.pid}/autogroup").write_text(str(nice))

    def wait(self, timeout_s: float, plug: Path | None = None) -> bool:
        """Wait until the guest has switched off or has made the file `plug`.

        Return whether it was the file.
        """
        give_up = self._clock() + timeout_s
        while self.running:
            if plug is not None and plug.exists():
                return True
            if self._clock() > give_up:
                raise RigError(f"the guest had not switched off after {timeout_s:g} s")
            time.sleep(POLL_S)
        return False


def _emulator(
    image: Image, share: Path, serial: Path, systemd: bool, cpus: int, disk: Path | None, kernel_words: str
) -> list[str]:
    board = BOARDS[image.architecture]
    words = f"console={board.console} rw quiet panic=-1 systemd.show_status=0 {kernel_words}"
    if not systemd:
        words += " init=/usr/local/sbin/rig-fast-init"
    drive = f"file={disk or image.disk},format=raw,if=virtio,cache=writeback"
    if disk is None:
        drive += ",snapshot=on"
    return [
        *("nice", "-n", str(BEFORE_OTHERS)),
        board.emulator,
        *("-accel", "tcg,thread=multi", *board.words),
        *("-smp", str(cpus), "-m", str(MEMORY_MIB)),
        *("-nodefaults", "-display", "none", "-monitor", "none", "-no-reboot", "-serial", f"file:{serial}"),
        *("-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", words),
        *("-drive", drive, "-device", "virtio-rng-pci"),
        *("-virtfs", f"local,path={PROJECT},mount_tag=project,security_model=none,readonly=on,multidevs=remap"),
        *("-virtfs", f"local,path={share},mount_tag=share,security_model=none"),
    ]


KEPT = "keep"
BULKY = ("disk.img", "*.whl")


@contextmanager
def shared_directory() -> Iterator[Path]:
    """Yield a new directory.

    Keep and name it if the block fails, and keep it after `keep_directory`.
    """
    path = Path(tempfile.mkdtemp(prefix="referee-rig-"))
    try:
        yield path
    except BaseException:
        print(f"rig: kept for inspection: {path}", file=sys.stderr)
        raise
    if not (path / KEPT).exists():
        shutil.rmtree(path)


def keep_directory(share: Path) -> None:
    """Keep the directory as evidence, without large files that can be made again."""
    for bulky in (file for pattern in BULKY for file in share.glob(pattern)):
        bulky.unlink()
    (share / KEPT).touch()


def run_script(
    script: str,
    share: Path,
    *,
    systemd: bool = False,
    cpus: int = CPUS,
    timeout_s: float = 120,
    image: Image | None = None,
    disk: Path | None = None,
    plug: Path | None = None,
    kernel_words: str = "",
    more: Sequence[str] = (),
) -> str | None:
    """Boot, run the shell script and return its output.

    Raises RigError if it failed or never ended. `timeout_s` counts from the guest's first line on; before it Machine
    has its own limits. Files that the script leaves in /share are in `share` afterwards. `plug`: when the guest makes
    this file, its power is cut and the result is None. For `disk`, `kernel_words` and `more` see Machine.
    """
    (share / "script").write_text(script)
    for left in ("status", "output"):
        (share / left).unlink(missing_ok=True)
    machine = Machine(
        image or provision(), share, systemd=systemd, cpus=cpus, disk=disk, kernel_words=kernel_words, more=more
    )
    try:
        with machine:
            if machine.wait(timeout_s, plug):
                return None
    except RigError as error:
        raise RigError(f"{error}\n{_last_words(share)}") from None
    return _output_of(share)


def _output_of(share: Path) -> str:
    status = share / "status"
    if not status.exists():
        raise RigError(f"the guest switched off before its script had ended\n{_last_words(share)}")
    if status.read_text().strip() != "0":
        raise RigError(f"the guest's script ended with status {status.read_text().strip()}\n{_last_words(share)}")
    return _text(share / "output")


def _last_words(share: Path) -> str:
    serial = _text(share / "serial.log").splitlines()[-SERIAL_LINES_SHOWN:]
    return "\n".join(["--- output", _text(share / "output"), "--- console", *serial])


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def read_json(path: Path) -> Any:
    """Read a document that the guest left."""
    return json.loads(path.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description="Run a shell command in the rig's virtual machine.")
    parser.add_argument("command")
    parser.add_argument("--systemd", action="store_true", help="boot systemd; without, the command is nearly alone")
    parser.add_argument(
        "--modules", default="", metavar="A,B", help="kernel modules of machine/modules-at-hand to load"
    )
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS")
    arguments = parser.parse_args()
    try:
        with shared_directory() as share:
            said = run_script(
                arguments.command,
                share,
                systemd=arguments.systemd,
                timeout_s=arguments.timeout,
                kernel_words=f"rig.modules={arguments.modules}" if arguments.modules else "",
            )
        print(said, end="")
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
