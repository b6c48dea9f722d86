"""`referee hall` with a clock that can be set: the first argument is a file with its lead in s (8 bytes)."""

from __future__ import annotations

import asyncio
import logging
import mmap
import signal
import sys
import time
from pathlib import Path


def show_tasks(*_: object) -> None:
    """Print where a hall hangs."""
    for task in asyncio.all_tasks(asyncio.get_running_loop()):
        task.print_stack()


if __name__ == "__main__":
    with Path(sys.argv.pop(1)).open("rb") as file:
        lead = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
    signal.signal(signal.SIGUSR2, show_tasks)
    logging.Formatter.formatTime = lambda *_: f"{time.monotonic():.1f}"  # type: ignore[method-assign]
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    real = time.time
    time.time = lambda: real() + int.from_bytes(lead[:8], "little", signed=True)

    from referee.cli import main  # binds the clock

    sys.exit(main(["hall", *sys.argv[1:]]))
