"""Whether this machine stood still, measured by itself: in the guest, beside the people at the table.

A program of real-time priority on each CPU (machine/pulse.c) notes when it was woken too late, and when its work took
longer than it does as a rule. Nothing that runs in the machine can hold it up, so that is the host's doing.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

NOTES = Path("/run/pulse")  # in memory

Stall = tuple[int, int, int, int]
"""CPU, from, until (ns of CLOCK_MONOTONIC), and how many ns in between were lost."""


class Pulse:
    """Beats from now on."""

    def __init__(self, notes: Path = NOTES) -> None:
        notes.unlink(missing_ok=True)
        notes.touch()
        self._notes = notes
        self._beats = [subprocess.Popen(["pulse", str(cpu), str(notes)]) for cpu in range(os.cpu_count() or 1)]

    def close(self) -> None:
        """No more beats."""
        for beat in self._beats:
            beat.kill()
            beat.wait()

    def stalls(self) -> list[Stall]:
        """What was noted so far. Raises RuntimeError where nothing measures any more: nothing could be excused."""
        if dead := [beat for beat in self._beats if beat.poll() not in (None, -9)]:
            raise RuntimeError(f"the pulse ended with status {dead[0].returncode}")
        rows = self._notes.read_text().splitlines()
        return [(cpu, begun, ended, lost) for cpu, begun, ended, lost in (map(int, row.split()) for row in rows)]
