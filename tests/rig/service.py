"""The real service in the guest: what systemd says of it, what it has written, and its death."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

from referee.core.match.engine import JournalRow
from referee.drivers.journal.file import connect_to_read
from referee.drivers.journal.read import rows
from referee.drivers.systemd import boot_id

UNIT = "referee.service"
JOURNAL = Path("/var/lib/referee/journal.db")
_OPENED = "SELECT seq, base FROM milestone WHERE lower(kind) = 'opened' ORDER BY seq DESC LIMIT 1"


def systemctl(*words: str) -> str:
    return subprocess.run(["systemctl", *words], capture_output=True, text=True, check=True).stdout.strip()


def property_of(name: str) -> str:
    return systemctl("show", UNIT, "--property", name, "--value")


class Service:
    """One table's daemon, which may die and come back."""

    def __init__(self) -> None:
        self._next = self._base = 0  # the row on the disk that is to be read next; what the Engine's number lacks to it
        self._process = 0
        self.boot = boot_id()
        self.is_back()

    def news(self) -> list[JournalRow]:
        """What it has written since the last time somebody asked, as the Engine numbers it.

        The file is let go at once: a reader that held it open would keep alive what a death must leave behind.
        """
        with closing(connect_to_read(JOURNAL)) as db:
            if not self._next:
                self._next, self._base = db.execute(_OPENED).fetchone()
            found = list(rows(db, self._next))
        if found:
            self._next = found[-1][0] + self._base + 1
        return found

    def die(self, away_s: int) -> int:
        """kill -9, as a power cut would; the wall clock goes on by at least `away_s` until it is back. When it died."""
        os.kill(self._process, signal.SIGKILL)
        died_ns = time.monotonic_ns()
        time.clock_settime(time.CLOCK_REALTIME, time.time() + away_s)
        return died_ns

    def is_back(self) -> None:
        """It has started (again): remember whom the next death takes."""
        self._process = int(property_of("MainPID"))
