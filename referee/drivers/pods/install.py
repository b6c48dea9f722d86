"""Install the pod's program on a Pico that runs MicroPython, over its serial line.

Theory of operation. MicroPython's raw prompt takes a piece of program, runs it, and answers with its output and its
error. Every file is written under a temporary name, piece by piece. When all files are there and their checksums match,
they are renamed, `main.py` last. If the plug is pulled in between, the Pico runs its old program or stays at its
prompt, but never runs half a program.
"""

from __future__ import annotations

import time
from binascii import b2a_base64, crc32
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from referee.core.pods import wire as podwire
from referee.core.reading import quoted_value
from referee.drivers.pods.port import open_line

_HERE = Path(__file__).resolve().parents[2]
PLACES = (_HERE.parent / "firmware", _HERE / "firmware")
"""The source tree's firmware, then the copy in the wheel."""
FILES = ("frames.py", "hot.py", "ticks.py", "reports.py", "pod.py", "board.py", "main.py")
"""The program's files, in the order in which they are renamed."""
OLDEST = {"RP2040": (1, 22), "RP2350": (1, 24)}
"""Chip -> (major, minor) of the first MicroPython for it with `rp2.DMA`, which the pod's program needs."""
NEWEST = (1, 29)
"""(major, minor) of the last tested MicroPython.

A later one may buffer less for the host (board.py, FIFO).
"""
WHO = """import sys
version, board = sys.implementation[1], getattr(sys.implementation, '_machine', '')
print('%d.%d' % version[:2], sys.platform, board, sep='|')"""
PIECE = 384
PATIENCE_S, REACH_S = 5.0, 1.5
NEW = ".new"


class InstallError(ValueError):
    """The program cannot be installed."""


def program() -> dict[str, bytes]:
    """Return the files of the pod's program by name. Raises InstallError if they are missing."""
    for place in PLACES:
        if all((place / name).is_file() for name in FILES):
            return {name: (place / name).read_bytes() for name in FILES}
    raise InstallError("the pod's program is missing from this installation; install the package again")


def install(line: str, say: Callable[[str], object] = lambda text: None, *, restart: bool = True) -> str:
    """Install the pod's program on a Pico. Return the Pico's MicroPython version.

    `line`: the Pico's serial line. `say`: called with the name and size of each file before it is sent. `restart`:
    whether to restart the Pico after the installation. Raises InstallError and OSError.
    """
    files = program()
    with open_line(line) as opened:
        prompt = Prompt(opened, line)
        prompt.reach()
        version = _check_fit(prompt, line)
        for name, data in files.items():
            say(f"{name}, {len(data)} bytes")
            prompt.put(name + NEW, data)
        for name, data in files.items():
            _check(prompt, name, data, line)
        for name in files:
            prompt.run(f"os.rename({name + NEW!r}, {name!r})")
        if restart:
            prompt.leave()
    return version


def _check_fit(prompt: Prompt, line: str) -> str:
    """Check that the device is a Pico with a suitable MicroPython, and return the version."""
    version, platform, board, *_ = *prompt.run(WHO).strip().split("|"), "", ""
    if platform != "rp2":
        raise InstallError(f"{line} runs MicroPython on {platform or 'something'}; a pod is an RP2040 or RP2350 (rp2)")
    oldest = OLDEST.get(board.rpartition(" ")[2])
    if oldest is None:
        raise InstallError(f"{line} is {quoted_value(board)}; a pod is a Pico with an RP2040 or RP2350 (ARM)")
    major, minor = (int(part) for part in version.split("."))
    if not oldest <= (major, minor) <= NEWEST:
        allowed = f"{oldest[0]}.{oldest[1]} to {NEWEST[0]}.{NEWEST[1]}"
        raise InstallError(f"{line} runs MicroPython {version}; allowed is {allowed}")
    return version


def _check(prompt: Prompt, name: str, data: bytes, line: str) -> None:
    there = prompt.run(f"import binascii\nprint(binascii.crc32(open({name + NEW!r}, 'rb').read()))")
    if there.strip() != str(crc32(data)):
        raise InstallError(f"{line} stored {name} with errors; try again with another cable")


class Prompt:
    """MicroPython's raw prompt (its protocol for programs) on an open serial line."""

    def __init__(self, line: Any, name: str) -> None:
        self._line, self._name = line, name
        self._line.timeout = 0.05
        self._data = b""

    def reach(self) -> None:
        """Interrupt the running program and reach the prompt. Raises InstallError if none appears."""
        self._line.write(podwire.ask() + podwire.prompt())
        for _ in range(3):
            time.sleep(0.1)
            self._line.write(b"\r\x03\x03\r\x02\r\x01")
            try:
                self._until(b"raw REPL; CTRL-B to exit\r\n>", REACH_S)
            except InstallError:
                continue
            return
        raise InstallError(
            f"{self._name} shows no MicroPython prompt; allowed is a Pico with MicroPython on it: hold its BOOTSEL "
            "while plugging it in, and drop MicroPython's UF2 on the drive that appears"
        )

    def put(self, name: str, data: bytes) -> None:
        """Write a file to the Pico, piece by piece."""
        self.run(f"import os, binascii\nf = open({name!r}, 'wb')")
        for piece in _pieces(data):
            self.run(f"f.write(binascii.a2b_base64({b2a_base64(piece, newline=False)!r}))")
        self.run("f.close()")

    def run(self, source: str) -> str:
        """Run Python code on the Pico and return its output. Raises InstallError with its error."""
        self._line.write(source.encode() + b"\x04")
        self._until(b"OK", PATIENCE_S)
        printed = self._until(b"\x04", PATIENCE_S)
        error = self._until(b"\x04", PATIENCE_S)
        self._until(b">", PATIENCE_S)
        if error.strip():
            raise InstallError(f"{self._name} says {error.decode('utf-8', 'replace').strip().splitlines()[-1]}")
        return printed.decode("utf-8", "replace")

    def leave(self) -> None:
        """Restart the Pico with the new program. This ends the serial connection."""
        self._line.write(b"import machine, time\ntime.sleep_ms(100)\nmachine.reset()\x04")
        time.sleep(0.3)

    def _until(self, mark: bytes, patience_s: float) -> bytes:
        end = time.monotonic() + patience_s
        while mark not in self._data:
            if time.monotonic() > end:
                raise InstallError(f"{self._name} has stopped answering")
            self._data += self._line.read(max(self._line.in_waiting, 1))
        before, _, self._data = self._data.partition(mark)
        return before


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[at : at + PIECE] for at in range(0, len(data), PIECE))
