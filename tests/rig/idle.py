"""An empty lobby for a minute: how often the daemon wakes up on a real kernel's pins, what it writes, what it draws.

Runs in the guest, beside the service. Leaves /share/idle.json.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from tests.rig.match import run
from tests.rig.people import lobby
from tests.rig.table import Table

SHARE = Path("/share")
UNIT = "referee.service"
SETTLE_S = 5  # what is begun at the start may end
WATCH_S = 60


def main_process() -> int:
    words = ["systemctl", "show", UNIT, "--property", "MainPID", "--value"]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def switches(process: int) -> int:
    """How often its threads have gone to sleep of their own accord: each is a wake-up."""
    rows = "".join((task / "status").read_text() for task in Path(f"/proc/{process}/task").iterdir())
    return sum(int(row.split()[1]) for row in rows.splitlines() if row.startswith("voluntary_ctxt_switches"))


def written(process: int) -> int:
    """Bytes that it sent towards a disk."""
    rows = Path(f"/proc/{process}/io").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("write_bytes"))


def watch(table: Table) -> None:
    """A minute of nothing."""
    table.expect(lobby(0))
    time.sleep(SETTLE_S)
    table.display.look()
    process, pictures = main_process(), len(table.seen.frames)
    before = switches(process), written(process)
    time.sleep(WATCH_S)
    after = switches(process), written(process)
    table.display.look()
    figures = {
        "switches_per_s": (after[0] - before[0]) / WATCH_S,
        "bytes_written": after[1] - before[1],
        "pictures": len(table.seen.frames) - pictures,
    }
    (SHARE / "idle.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    run(Table(), SHARE, watch)
