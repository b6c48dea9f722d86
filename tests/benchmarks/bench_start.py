"""Measure from process start to ready: `python -m tests.benchmarks start`.

The daemon sends READY=1 to its NOTIFY_SOCKET when the table is open; the page comes after that. The yardstick is a
Python that imports the three libraries that the daemon requires. Both are measured in turns.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import daemon

MOST_TIME = 2.5
MOST_MEMORY = 2.0
YARDSTICK = "import gpiozero, luma.oled.device, msgspec"
ROUNDS = 15


def start(folder: Path) -> tuple[float, float]:
    """Return the seconds until ready, and the peak resident MiB by then.

    The first start makes the journal.
    """
    begun = time.perf_counter()
    with daemon(folder) as (child, _):
        return time.perf_counter() - begun, child.status("VmHWM") / 1024


def imports() -> tuple[float, float]:
    """Return the same for the whole run of the yardstick."""
    begun = time.perf_counter()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", YARDSTICK], os.environ)
    usage = os.wait4(pid, 0)[2]
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def main() -> list[Figure]:
    """Measure in turns; return medians."""
    with tempfile.TemporaryDirectory() as name:
        start(Path(name))
        imports()
        rounds = [(start(Path(name)), imports()) for _ in range(ROUNDS)]
    ours, theirs = zip(*rounds, strict=True)
    seconds, base_s = median(s for s, _ in ours), median(s for s, _ in theirs)
    mib, base_mib = median(m for _, m in ours), median(m for _, m in theirs)
    print(
        f"ready after {seconds * 1000:.0f} ms, {mib:.1f} MiB; the imports: {base_s * 1000:.0f} ms, {base_mib:.1f} MiB"
    )
    return [
        at_most("start to ready", seconds / base_s, MOST_TIME, "x", "the three imports"),
        at_most("memory when ready", mib / base_mib, MOST_MEMORY, "x", "the three imports"),
    ]


if __name__ == "__main__":
    main()
