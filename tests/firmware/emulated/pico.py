"""An emulated Pico (pico.mjs), driven in simulated time, and its line, as pyserial would show it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from referee.core.units import MS, US
from tests.firmware.benchpod import FIRMWARE, MODULES

HERE = Path(__file__).parent
IMAGE = "POD_IMAGE"
"""The variable that names MicroPython's image for the Pico: a .uf2 from micropython.org, or a .bin."""
FULL = bool(os.environ.get("POD_FULL"))
"""Whether long tests run too."""
BESIDE = "*/samples/pico/micropython-*pico*"
"""Pattern of an image next to a checkout."""
CONTACT, LAMP, SYNC_WIRE = 2, 10, 18


def image() -> Path | None:
    """Return the image to run, or None."""
    named = os.environ.get(IMAGE)
    if named:
        return Path(named)
    return next(iter(sorted(HERE.parents[3].glob(BESIDE))), None)


def missing() -> str:
    """Return why no Pico can be emulated here, or ""."""
    if image() is None:
        return f"no MicroPython image for the Pico: {IMAGE}=PATH names one (a .uf2 from micropython.org will do)"
    if shutil.which("node") is None:
        return "node is not installed: `make pod-emulated` says what the emulated pod needs"
    if not (MODULES / "rp2040js").is_dir():
        return "the RP2040's emulator is not installed for node: `make pod-emulated` does so"
    return ""


long = pytest.mark.skipif(not FULL, reason="takes longer than a submission should: `make pod-emulated`")
needs_pico = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


class Pico:
    """One emulated Pico; a context manager.

    Times are ns of the host's clock; time passes only in `run`.
    """

    def __init__(self, flash: Path, **options: object) -> None:
        words = [f"image={flash}", *(f"{name}={value}" for name, value in options.items())]
        self._command = ["node", str(HERE / "pico.mjs"), *words]
        self.now_ns = 0
        self.state: dict[str, Any] = {}
        """The newest answer.

        Keys: connected, lamps (bits), light, missed (words without room), restarts, memory (digest, when asked for),
        cpu_ms (of this machine).
        """

    def __enter__(self) -> Self:
        self._node = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._node.terminate()
        self._node.communicate()

    def ask(self, **question: object) -> list[tuple[int, bytes]]:
        """Ask the emulator; return the packets that the host has fetched, each with its time.

        Question keys: run (until ns), stop (at the first bytes), send (hex), pins [[ns, gpio, level]], hold (it fetches
        nothing), dtr (its port is open), cable (False: pulled out, while the pod has other power), stand (ns, the
        processor), power (off_ns without any; counter_ns: its counter's reading afterwards), save (file, the flash),
        memory.
        """
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        self._node.stdin.write(json.dumps(question) + "\n")
        self._node.stdin.flush()
        self.state = json.loads(self._node.stdout.readline())
        self.now_ns = int(self.state["now"])
        return [(int(at), bytes.fromhex(data)) for at, data in self.state["sent"]]

    def run(self, ns: int, **question: object) -> list[tuple[int, bytes]]:
        """Run for `ns`."""
        return self.ask(run=self.now_ns + ns, **question)


class Line:
    """The line as pyserial shows it: reading lets simulated time pass."""

    timeout: float | None = 0.05

    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self._data = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: the Pico's owner ends it."""

    @property
    def in_waiting(self) -> int:
        return len(self._data)

    def write(self, data: bytes) -> int:
        self.run(100 * US, send=data.hex())
        return len(data)

    def read(self, size: int) -> bytes:
        if not self._data:
            self.run(10 * MS, stop=True)
        data, self._data = self._data[:size], self._data[size:]
        return data

    def run(self, ns: int, **question: object) -> None:
        """Run for `ns`; received bytes are kept for `read`."""
        self._data += b"".join(data for _, data in self.pico.run(ns, **question))


def files() -> dict[str, bytes]:
    """Return the present firmware."""
    return {path.name: path.read_bytes() for path in sorted(FIRMWARE.glob("*.py"))}
