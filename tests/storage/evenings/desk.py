"""A journal under test, its rows, and ways to damage it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.core.model.events import Began, Joined, Opened, Ruled, Sealed, Tick
from referee.core.presses.arbiter import CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal, JournalRow
from tests.storage.evenings.memory import SaveStatus, status_of

PATIENCE_S = 20.0
"""Seconds that a test waits for a certain event; only a broken journal exceeds it."""

OPENED = Opened(5, "boot-1", {"preset": "nna"})

CALLED = CalledPress("1", "1", 50, 2)

EVENING: list[JournalRow] = [
    (1, OPENED),
    (2, Edge("1", True, 10, 3, 12)),
    (3, Joined(13, "1", "Ada")),
    (4, Edge("1", False, 20, 9, 21, "ab12:1", 4)),
    (5, Edge("knob", True, 30)),
    (6, Began(31)),
    (7, Tick(40)),
    (8, Ruled(60, Verdict("clear", False, ("1",), "1", 20, 99, (CALLED,), ((CALLED, True),), ()))),
    (9, Sealed(70, (("1", (28, 0)), ("2", (15, 4))))),
]


class Desk:
    """A journal under test, its reports, and a disk that stalls or fails at its commits on demand."""

    def __init__(self, state: Path, **options: Any) -> None:
        self.reports: list[int] = []
        self.commits = 0
        self.fault: Exception | None = None
        self.trick: Callable[[], object] | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.at_gate = threading.Event()
        self._told = threading.Condition()
        self.journal = Journal(state, "boot-1", report=self._report, hook=self._hook, **options)

    def _report(self, seq: int) -> None:
        with self._told:
            self.reports.append(seq)
            self._told.notify_all()

    def _hook(self) -> None:
        self.commits += 1
        self.at_gate.set()
        assert self.gate.wait(PATIENCE_S)
        if self.trick is not None:
            self.trick()
        if self.fault is not None:
            raise self.fault

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a report after which the condition holds; the time limit restarts at each report."""
        with self._told:
            while not condition():
                assert self._told.wait(PATIENCE_S), status_of(self.journal)

    def until_durable(self, seq: int) -> None:
        self.until(lambda: self.journal.durable_seq == seq and status_of(self.journal).kind == "ok")

    def until_failing(self) -> SaveStatus:
        self.until(lambda: status_of(self.journal).kind == "failing")
        return status_of(self.journal)


def filled(state: Path, rows: list[JournalRow] = EVENING) -> None:
    """Write a journal with these rows and close it."""
    journal = Journal(state, "boot-1")
    journal.append(rows)
    assert journal.close()


def kept(state: Path) -> Tape:
    """Return the rows of the newest evening's file."""
    return find_latest(evenings_in(state)).tape


CHILD = """
import sys, threading
from pathlib import Path
from referee.core.model.events import Opened, Tick
from referee.core.presses.signals import Edge
from referee.storage.evenings.writer import Journal

room = threading.Semaphore(0)

def report(seq):
    sys.stdout.write(f"{seq}\\n")
    sys.stdout.flush()
    room.release()

journal = Journal(Path(sys.argv[1]), "boot-1", report=report)
rows = journal.take_recovered().rows
seq = rows[-1][0] + 1 if rows else 1
if seq == 1:
    journal.append([(1, Opened(0, "boot-1", {}))])
    seq = 2
while True:
    for _ in range(5):
        journal.append([(seq, Edge("1", True, seq)), (seq + 1, Tick(seq + 1)), (seq + 2, Edge("1", False, seq + 2))])
        seq += 3
    assert room.acquire(timeout=20)
"""


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start another process with this code, connected by pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def kill(process: subprocess.Popen[str]) -> list[str]:
    """Kill the process by SIGKILL; return its remaining output."""
    process.send_signal(signal.SIGKILL)
    rest = process.communicate()[0]
    assert process.returncode == -signal.SIGKILL
    return [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
