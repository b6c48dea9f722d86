"""Play each run of /share/plan.json to a listener in the guest, and write /share/NAME.json.

A run is {"name", "kind" (of listener), "bounce_s", "load" (busy loops at the same time), "together" (toggler and
interrupt threads on one CPU), "lines", "steps": [[at_us, line, level]]}. The result has the listener's record and
`writes`: [line, level, before_ns, after_ns], one for each step.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tests.rig.chip import Chip, Step, Toggler, make_chip

SHARE = Path("/share")
NOTED = Path("/run/noted.json")  # in memory: writing through 9p would take time from the machine
DRAIN_S = 0.5


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Run programs that use all available CPU time."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextmanager
def listener(run: dict[str, Any]) -> Iterator[None]:
    """Run a listener process, from "listening" to its record."""
    words = [run["kind"], str(NOTED), *map(str, run["lines"])]
    if run.get("bounce_s"):
        words.append(str(run["bounce_s"]))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.rig.listener", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    if process.stdout.readline().strip() != b"listening":
        raise RuntimeError(f"the {run['kind']} listener did not start")
    yield
    time.sleep(DRAIN_S)
    process.stdin.close()
    if process.wait():
        raise RuntimeError(f"the {run['kind']} listener failed")


def play(run: dict[str, Any], chip: Chip) -> dict[str, Any]:
    with Toggler(chip) as toggler, listener(run), busy_loops(run["load"]):
        if run.get("together"):
            toggler.keep_together()
        time.sleep(DRAIN_S)
        writes = toggler.play(Step(*step) for step in run["steps"])
    return {"writes": [astuple(write) for write in writes], **json.loads(NOTED.read_text())}


def main() -> None:
    # the toggler simulates fingers: the kernel must not limit it as a runaway program
    Path("/proc/sys/kernel/sched_rt_runtime_us").write_text("-1")
    chip = make_chip()
    for run in json.loads((SHARE / "plan.json").read_text()):
        started = time.monotonic()
        result = play(run, chip)
        (SHARE / f"{run['name']}.json").write_text(json.dumps(result))
        print(f"{run['name']}: {len(result['writes'])} writes in {time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    main()
