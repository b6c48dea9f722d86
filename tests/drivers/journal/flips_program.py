"""A hurt journal opened by the program itself: `referee run` until it is ready, then told to stop, then looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from referee.drivers.journal.file import connect_to_read
from referee.drivers.journal.lines import lines
from referee.drivers.journal.writer import JournalRow
from tests.benchmarks.process import PATIENCE_S, ROOT, notified
from tests.drivers.journal import flips

SPOKEN = "referee.drivers.journal.writer: "
"""How the journal's sentences begin in the program's log."""


def by_the_program(there: Path, rows: list[JournalRow]) -> str:
    """What comes of it: as `flips.in_process`, and it must get ready and end well."""
    with (there / "told").open("w+") as told, notified(there) as way:
        command = [sys.executable, "-m", "referee", "run", "--simulate", "--state", str(there)]
        environ = {**os.environ, "NOTIFY_SOCKET": str(there / "notify")}
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0"], cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=told
        )
        try:
            while not way.recv(4096).startswith(b"READY=1"):
                pass
            process.terminate()
            status = process.wait(PATIENCE_S)
        except (TimeoutError, subprocess.TimeoutExpired):
            return "WRONG: it does not get ready, or does not end"
        finally:
            process.kill()
            process.wait()
        told.seek(0)
        log = told.read()
    if status or "Traceback" in log:
        return f"WRONG: status {status}: {log[-500:]}"
    note = "; ".join(line.removeprefix(SPOKEN) for line in log.splitlines() if line.startswith(SPOKEN))
    with closing(connect_to_read(there / "journal.db")) as db:
        found = [(line.seq, line.event, line.trouble) for line in lines(db)]
    own = [(seq, event) for seq, event, _ in found if event is not None]
    return flips.judged(rows, own, [seq for seq, _, trouble in found if trouble], note)
