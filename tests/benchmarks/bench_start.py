"""Measure from process start to ready: `python -m tests.benchmarks start`.

The daemon sends READY=1 to its NOTIFY_SOCKET when the table is open; the page comes after that. The yardstick is a
Python that imports the three libraries that the daemon requires; for `--help` and `--version`, two of them. All are
measured in turns.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from resource import struct_rusage
from statistics import median

from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import daemon

MOST_TIME = 2.5
MOST_MEMORY = 2.0
MOST_SHORT = 1.0
YARDSTICK = "import gpiozero, luma.oled.device, msgspec"
SHORT_YARDSTICK = "import gpiozero, luma.oled.device"
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
    usage = used("-c", YARDSTICK)
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def used(*words: str) -> struct_rusage:
    """Return what a whole run of Python with these arguments uses."""
    quiet = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    pid = os.posix_spawn(sys.executable, [sys.executable, *words], os.environ, file_actions=[quiet])
    return os.wait4(pid, 0)[2]


def processor_s(*words: str) -> float:
    """Return the processor seconds of a whole run of Python with these arguments."""
    usage = used(*words)
    return usage.ru_utime + usage.ru_stime


def short_runs() -> tuple[float, float, float]:
    """Return the processor seconds of `--help`, of `--version`, and of their yardstick."""
    help_s, version_s = (processor_s("-m", "referee", option) for option in ("--help", "--version"))
    return help_s, version_s, processor_s("-c", SHORT_YARDSTICK)


def main() -> list[Figure]:
    """Measure in turns; return medians."""
    with tempfile.TemporaryDirectory() as name:
        start(Path(name))
        imports()
        rounds = [(start(Path(name)), imports(), short_runs()) for _ in range(ROUNDS)]
    ours, theirs, short = zip(*rounds, strict=True)
    help_s, version_s, base_short_s = (median(column) for column in zip(*short, strict=True))
    seconds, base_s = median(s for s, _ in ours), median(s for s, _ in theirs)
    mib, base_mib = median(m for _, m in ours), median(m for _, m in theirs)
    print(
        f"ready after {seconds * 1000:.0f} ms, {mib:.1f} MiB; the imports: {base_s * 1000:.0f} ms, {base_mib:.1f} MiB"
    )
    return [
        at_most("start to ready", seconds / base_s, MOST_TIME, "x", "the three imports"),
        at_most("memory when ready", mib / base_mib, MOST_MEMORY, "x", "the three imports"),
        at_most("processor time of --help", help_s / base_short_s, MOST_SHORT, "x", "two of the imports"),
        at_most("processor time of --version", version_s / base_short_s, MOST_SHORT, "x", "two of the imports"),
    ]


if __name__ == "__main__":
    main()
