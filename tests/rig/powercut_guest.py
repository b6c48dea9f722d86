"""Run the daemon with bots in the guest, and write the number of its durable rows to the journal's disk.

    python3 -m tests.rig.powercut_guest FOLDER DEVICE OFFSET SECONDS

The number of the last durable row is written to a sector behind the file system: in the disk's record of writes it
follows the flush that made the row durable and precedes all later writes. Ends after SECONDS as a stopped service does;
the power cuts are made later in the record.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from referee.device import simulated
from referee.storage.evenings import writer
from tests.rig.blocklog import SECTOR, told_sector


class Teller:
    """Writes a number to one sector, and returns when the disk has taken it."""

    def __init__(self, device: str, offset: int) -> None:
        self._fd, self._offset = os.open(device, os.O_WRONLY | os.O_DIRECT), offset
        self._page = mmap.mmap(-1, mmap.PAGESIZE)  # O_DIRECT needs aligned memory

    def tell(self, number: int) -> None:
        """Write that this row and all before it are durable."""
        self._page[:SECTOR] = told_sector(number)
        os.pwritev(self._fd, [memoryview(self._page)[:SECTOR]], self._offset)


def telling(teller: Teller) -> None:
    """Let every journal opened from now on report to the disk before the table."""
    begin = writer.Journal.__init__

    def told(
        self: writer.Journal, *given: object, report: Callable[[int], None] | None = None, **named: object
    ) -> None:
        def durable(seq: int) -> None:
            teller.tell(seq)
            if report is not None:
                report(seq)

        begin(self, *given, report=durable, **named)  # type: ignore[arg-type]

    writer.Journal.__init__ = told  # type: ignore[assignment,method-assign]


def watched() -> None:
    """Open the table's page from the beginning: bots begin only with a visitor."""
    begin = simulated.Fingers.__init__

    def seen(self: simulated.Fingers, *given: object, **named: object) -> None:
        begin(self, *given, **named)  # type: ignore[arg-type]
        self.count = 1

    simulated.Fingers.__init__ = seen  # type: ignore[method-assign]


def main(folder: Path, device: str, offset: int, seconds: float) -> int:
    """Play for `seconds`."""
    from referee.cli import main as referee

    telling(Teller(device, offset))
    watched()
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGTERM)).start()
    return referee(["run", "--simulate", "--bots", "8", "--state", str(folder), "--listen", "127.0.0.1:8080"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
