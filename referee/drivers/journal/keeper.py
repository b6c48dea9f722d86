"""Has past matches kept and packed when one has ended: by a child process (`keeper_child.py`), so nobody waits for it.

Whatever goes wrong in the child costs what it had to do, is said once, and is tried again when the next match ends, at
the next start, and by `referee history`, which keeps what is not kept yet.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PAUSE_S = 3.0
"""The verdict's, the count's and the start's own work is over by then."""
LONGEST_S = 1800.0
"""A season of an earlier version, to be packed for the first time on a small board."""


class Keeper:
    """Its thread sleeps until `ask`. packed: to be called when evenings were packed; failed, damaged: with a sentence,
    once, for what could not be done and for what is not as it was written."""

    def __init__(
        self,
        journal: Path,
        packed: Callable[[], object],
        failed: Callable[[str], object],
        damaged: Callable[[str], object],
        *,
        pause_s: float = PAUSE_S,
        command: Sequence[str] = (sys.executable, "-m", "referee.drivers.journal.keeper_child"),
    ) -> None:
        """Begin; the first time is asked for at once, for what an earlier life did not come to."""
        self._command = [*command, str(journal)]
        self._packed, self._failed, self._damaged, self._pause_s = packed, failed, damaged, pause_s
        self._change = threading.Condition()
        self._asked, self._closing = True, False
        self._child: subprocess.Popen[str] | None = None
        self._said: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
        self._thread.start()

    def ask(self) -> None:
        """A match has ended, or an evening. Does not block."""
        with self._change:
            self._asked = True
            self._change.notify_all()

    def close(self) -> None:
        """End; a child is told to, and what it was at is done the next time."""
        with self._change:
            self._closing = True
            if self._child is not None:
                self._child.terminate()
            self._change.notify_all()
        self._thread.join(2.0)

    def _run(self) -> None:
        while self._wait():
            try:
                self._keep()
            except Exception as error:  # no match is worth the table
                self._say(f"past matches could not be kept: {error or type(error).__name__}", self._failed)

    def _wait(self) -> bool:
        """Until it is asked, and the pause after that is over. False: it is to end."""
        with self._change:
            self._change.wait_for(lambda: self._asked or self._closing)
            self._change.wait_for(lambda: self._closing, self._pause_s)
            self._asked = False
            return not self._closing

    def _keep(self) -> None:
        with self._change:
            if self._closing:
                return
            nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
            found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # the child finds what its parent has found
            # a group of its own: Ctrl-C is the device's, which ends it in good order
            self._child = subprocess.Popen(
                self._command, stdin=nothing, stdout=pipe, stderr=pipe, text=True, env=found, process_group=0
            )
        try:
            told, complaint = self._child.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.communicate()
            raise
        status = self._child.returncode
        if status == 0:
            self._take_news(json.loads(told))
        elif status != -signal.SIGTERM:
            last = (complaint.strip().splitlines() or [f"status {status}"])[-1]
            self._say(f"past matches could not be kept: {last}", self._failed)

    def _take_news(self, told: dict[str, Any]) -> None:
        if told["packed"]:
            self._packed()
        for sentence in told["wrong"]:
            self._say(sentence, self._damaged)

    def _say(self, sentence: str, to: Callable[[str], object]) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            to(sentence)
