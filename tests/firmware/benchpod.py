"""A pod on a bench for tests: the firmware on MicroPython itself (in node), with a pty as its USB line."""

from __future__ import annotations

import contextlib
import os
import pty
import queue
import shutil
import subprocess
import threading
import tty
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

HERE = Path(__file__).parent
FIRMWARE = HERE.parent.parent / "firmware"
MODULES = HERE / "node_modules"
LOWEST, HIGHEST = MODULES / "micropython-lowest", MODULES / "micropython-highest"
"""MicroPython itself in node, for the lowest and highest version accepted.

The nearest ones available: 223 changes after 1.22.0, and 1.29.
"""
PATIENCE_S = 20.0


def missing() -> str:
    """Return why no pod can run on a bench here, or ""."""
    if shutil.which("node") is None:
        return "node is not installed: `make firmware-check` says what the firmware's tests need"
    if not (LOWEST.is_dir() and HIGHEST.is_dir()):
        return "MicroPython is not installed for node: `make firmware-check` does so"
    return ""


needs_node = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
each_micropython = pytest.mark.parametrize("micropython", [LOWEST, HIGHEST], ids=["lowest", "highest"])


def run_on(micropython: Path, script: str, folder: Path = FIRMWARE) -> str:
    """Return the script's output on that MicroPython, with the modules of that folder."""
    # With background compiler threads node does not always end: 50 of 3,000 runs hung after their last line
    # (nodejs/node issue 54918), none of 1,800 without.
    command = ["node", "--single-threaded", str(HERE / "run.mjs"), str(micropython), str(folder)]
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class BenchPod:
    """A pod whose contacts a test moves. Use as a context manager."""

    def __init__(self, ident: str = "e66141040b2c3f2a", ppm: int = 37, micropython: Path = HIGHEST) -> None:
        self.ident = ident
        self._ppm, self._micropython = ppm, micropython
        self.lamps = 0
        self._answers: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._shown = threading.Condition()

    def __enter__(self) -> Self:
        master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.line = os.ttyname(self._slave)
        paths = [HERE / "pod.mjs", self._micropython, FIRMWARE, HERE / "bench.py"]
        self._node = subprocess.Popen(
            ["node", *map(str, paths), self.ident, str(self._ppm), str(master)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[master],
            text=True,
        )
        os.close(master)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._answers.get(timeout=PATIENCE_S) == 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        with contextlib.suppress(OSError):
            self._node.stdin.close()
        self._node.terminate()
        self._node.wait()
        self._reader.join()
        self._node.stdout.close()
        os.close(self._slave)

    def _read(self) -> None:
        assert self._node.stdout is not None
        for text in self._node.stdout:
            name, *rest = text.split()
            with self._shown:
                if name == "lamps":
                    self.lamps = int(rest[0])
                else:
                    self._answers.put(int(rest[0]) if rest else 0)
                self._shown.notify_all()

    def tell(self, *words: object) -> None:
        """Send one of pod.mjs's commands that has no answer."""
        assert self._node.stdin is not None
        self._node.stdin.write(" ".join(map(str, words)) + "\n")
        self._node.stdin.flush()

    def ask(self, *words: object) -> int:
        """Send a command and return its answer."""
        self.tell(*words)
        return self._answers.get(timeout=PATIENCE_S)

    def closed(self, *contacts: int) -> int:
        """Close exactly these contacts (0 is the first).

        Return the instant in ns of CLOCK_MONOTONIC.
        """
        return self.ask("closed", sum(1 << n for n in contacts))

    def train(self, *steps: tuple[int, int]) -> int:
        """Make changes (us after the first, closed contacts as bits) that have just happened.

        Return the first instant.
        """
        return self.ask("train", *(f"{us}:{mask}" for us, mask in steps))

    def until_lit(self, mask: int) -> None:
        """Wait for exactly these lamps."""
        with self._shown:
            assert self._shown.wait_for(lambda: self.lamps == mask, PATIENCE_S), f"{self.lamps:b}, not {mask:b}"
