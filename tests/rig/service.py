"""The real service in the guest: its systemd state, its rows, and its death."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from referee.core.match.engine import JournalRow
from referee.drivers.systemd import boot_id
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.evenings.rows import read_tape

UNIT = "referee.service"
EVENINGS = evenings_in(Path("/var/lib/referee"))


def systemctl(*words: str) -> str:
    return subprocess.run(["systemctl", *words], capture_output=True, text=True, check=True).stdout.strip()


def property_of(name: str) -> str:
    return systemctl("show", UNIT, "--property", name, "--value")


class Service:
    """One table's daemon, which may die and come back."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._read = self._last = 0  # bytes read of that file; the last row's number
        self._process = 0
        self.boot = boot_id()
        self.is_back()

    def news(self) -> list[JournalRow]:
        """Return the rows written since the last call."""
        latest = find_latest(EVENINGS, read=False)
        if latest.path != self._path:
            self._path, self._read, self._last = latest.path, 0, 0
        tape = read_tape(latest.data[self._read :])
        found = [row for row in tape.rows if row[0] > self._last]
        self._read += tape.size
        self._last = found[-1][0] if found else self._last
        return found

    def die(self, away_s: int) -> int:
        """Kill the daemon with kill -9; return when it died.

        The wall clock advances by at least `away_s` before it is back.
        """
        os.kill(self._process, signal.SIGKILL)
        died_ns = time.monotonic_ns()
        time.clock_settime(time.CLOCK_REALTIME, time.time() + away_s)
        return died_ns

    def is_back(self) -> None:
        """Remember the process of the restarted daemon for the next death."""
        self._process = int(property_of("MainPID"))
