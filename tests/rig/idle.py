"""Watch an empty lobby for a minute: wake-ups on a real kernel's pins, rows written, pictures drawn.

Runs in the guest, next to the service. Writes /share/idle.json.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from tests.benchmarks.process import Child
from tests.rig.match import run
from tests.rig.people import lobby
from tests.rig.table import Table

SHARE = Path("/share")
UNIT = "referee.service"
SETTLE_S = 5  # time for start-up work to end
WATCH_S = 60


def service() -> Child:
    words = ["systemctl", "show", UNIT, "--property", "MainPID", "--value"]
    return Child(int(subprocess.run(words, capture_output=True, text=True, check=True).stdout))


def watch(table: Table) -> None:
    """Measure a minute without events."""
    table.expect(lobby(0))
    time.sleep(SETTLE_S)
    table.display.look()
    daemon, pictures = service(), len(table.seen.frames)
    before = sum(daemon.switches().values()), daemon.written()
    time.sleep(WATCH_S)
    after = sum(daemon.switches().values()), daemon.written()
    table.display.look()
    figures = {
        "switches_per_s": (after[0] - before[0]) / WATCH_S,
        "bytes_written": after[1] - before[1],
        "pictures": len(table.seen.frames) - pictures,
    }
    (SHARE / "idle.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    run(Table(), SHARE, watch)
