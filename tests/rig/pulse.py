"""Measure in the guest whether this machine was stalled.

A real-time program on each CPU (machine/pulse.c) records when it was woken too late and when its work took longer than
usual. No program in the machine can delay it, so these delays come from the host.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

NOTES = Path("/run/pulse")  # in memory

Stall = tuple[int, int, int, int]
"""CPU, from, until (ns of CLOCK_MONOTONIC), and ns lost in between."""


class Pulse:
    """Measures from now on."""

    def __init__(self, notes: Path = NOTES) -> None:
        notes.unlink(missing_ok=True)
        notes.touch()
        self._notes = notes
        self._beats = [subprocess.Popen(["pulse", str(cpu), str(notes)]) for cpu in range(os.cpu_count() or 1)]

    def close(self) -> None:
        """Stop measuring."""
        for beat in self._beats:
            beat.kill()
            beat.wait()

    def stalls(self) -> list[Stall]:
        """Return the stalls so far.

        Raises RuntimeError if the measurement has ended: nothing could be excused.
        """
        if dead := [beat for beat in self._beats if beat.poll() not in (None, -9)]:
            raise RuntimeError(f"the pulse ended with status {dead[0].returncode}")
        rows = self._notes.read_text().splitlines()
        return [(cpu, begun, ended, lost) for cpu, begun, ended, lost in (map(int, row.split()) for row in rows)]
