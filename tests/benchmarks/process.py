"""The real daemon as a child process at a simulated table, watched from outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Child:
    """A running daemon."""

    pid: int

    def status(self, key: str) -> int:
        """Return a number of /proc/PID/status, e.g. VmHWM in KiB."""
        return _field(Path(f"/proc/{self.pid}/status"), key)

    def switches(self) -> dict[str, int]:
        """Return how often each thread went to sleep by itself so far, by thread number and name."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return {f"{t.name} {_name(t)}": _field(t / "status", "voluntary_ctxt_switches") for t in sorted(tasks)}

    def children(self) -> list[Child]:
        """Return the processes that it has started and that still run."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return [Child(int(pid)) for task in tasks for pid in (task / "children").read_text().split()]

    def child(self, module: str) -> Child:
        """Return its child process that runs that module."""
        return next(child for child in self.children() if module in child.command())

    def descendants(self) -> list[Child]:
        """Return its children, their children and so on."""
        try:
            return [one for child in self.children() for one in (child, *child.descendants())]
        except OSError:  # it has ended meanwhile
            return []

    def command(self) -> list[str]:
        """Return the words of its command line."""
        return Path(f"/proc/{self.pid}/cmdline").read_text().split("\0")

    @property
    def program(self) -> str:
        """Return the Python module that it runs, else the name of its program."""
        words = self.command()
        return words[words.index("-m") + 1] if "-m" in words else Path(words[0]).name

    def descriptors(self) -> int:
        """Return the number of its open file descriptors."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def written(self) -> int:
        """Return the bytes that it has caused to be written to disks so far."""
        return _field(Path(f"/proc/{self.pid}/io"), "write_bytes")


def _name(task: Path) -> str:
    return (task / "comm").read_text().strip()


def _field(path: Path, key: str) -> int:
    lines = (line.split() for line in path.read_text().splitlines())
    return next(int(words[1]) for words in lines if words[0] == f"{key}:")


@contextmanager
def notified(folder: Path) -> Iterator[socket.socket]:
    """Make a socket like systemd's for NOTIFY_SOCKET in this folder."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as way:
        way.bind(str(folder / "notify"))
        way.settimeout(PATIENCE_S)
        yield way


@contextmanager
def daemon(
    folder: Path,
    module: str = "referee",
    environ: Mapping[str, str] | None = None,
    listen: str = "127.0.0.1:0",
    options: Sequence[str] = (),
) -> Iterator[tuple[Child, socket.socket]]:
    """Run `referee run --simulate` until ready, with its journal in `folder`.

    Yield it and its notify socket.
    """
    command = [sys.executable, "-m", module, "run", "--simulate", "--state", str(folder), "--listen", listen, *options]
    told = {"NOTIFY_SOCKET": str(folder / "notify"), **(environ or {})}
    quiet = subprocess.DEVNULL
    with notified(folder) as way:
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **told}, stdout=quiet, stderr=quiet)
        try:
            while not way.recv(4096).startswith(b"READY=1"):
                pass
            yield Child(process.pid), way
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
            (folder / "notify").unlink()
