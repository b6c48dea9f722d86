"""Compare start, drawing and a call with another checkout: `AGAINST=PATH python -m tests.benchmarks against`.

PATH is an earlier commit's working tree (`git worktree add PATH COMMIT`). Both are measured in turns, each in separate
processes with this Python and its libraries. The figure is the least processor time of many rounds, since other load
can only increase it. A call is timed by the clock, with the median of all rounds: this checkout speaks each verdict, if
espeak-ng and aplay are installed, into ALSA's null device.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, at_least, spread_ms

HERE = Path(__file__).parents[2]
LEAST_SPEED = 0.95
ROUNDS = int(os.environ.get("ROUNDS", "25"))
START = """
import os, sys, tempfile, time
from referee.drivers.systemd import Notifier
from referee.cli import main
def ready(notifier, *told):
    print(time.process_time_ns(), flush=True)
    os._exit(0)
Notifier.ready = ready
with tempfile.TemporaryDirectory() as name:
    main(["run", "--simulate", "--bots", "0", "--state", name, "--listen", "127.0.0.1:0"])
"""
"""Program that prints the daemon's processor time in ns when it reports that it is ready."""
DRAWING = """
import json, time
from referee.screens import draw
try:
    from tests.screens.samples import samples
except ImportError:  # where they were before
    from referee.screens.samples import samples
best = {}
for name, view in samples().items():
    draw(view)
for _ in range(8):
    for name, view in samples().items():
        begun = time.process_time_ns()
        for _ in range(5):
            draw(view)
        best[name] = min(best.get(name, 1 << 60), (time.process_time_ns() - begun) // 5)
print(json.dumps(best))
"""
"""Program that prints the ns of each sample screen."""
CALL = """
import asyncio, json
from tests.benchmarks.bench_latency import calls, come_first
come_first()
try:
    from referee.device.assembly import VoiceOutput
    from referee.drivers.sound.speaker import PLAY, Speaker, can_speak
except ImportError:  # it has no voice
    further, options = [], {}
else:
    speaker = Speaker((*PLAY, "-D", "null")) if can_speak() else None
    further, options = ([VoiceOutput(speaker, speaker._clock)], {"voice": "all"}) if speaker else ([], {})
found = asyncio.run(calls(12, None, further, **options) if options else calls(12, None))
print(json.dumps({"stop tone": [call.tone_ns for call in found], "verdict": [call.drawn_ns for call in found]}))
"""
"""Program that prints the ns from press to stop tone, and from the verdict's deadline to its picture, of 12 calls."""


def said(program: str, checkout: Path) -> str:
    """Return the program's output in that checkout."""
    # With bytecode, as in every package: without it, the compiler would be measured.
    environ = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=checkout, env=environ, check=True, capture_output=True, text=True
    ).stdout


def main() -> list[Figure]:
    """Measure in turns; take the least of each."""
    if "AGAINST" not in os.environ:
        print("not measured: AGAINST names no other checkout\n")
        return []
    checkouts = (HERE, Path(os.environ["AGAINST"]).resolve())
    starts: dict[Path, list[int]] = {checkout: [] for checkout in checkouts}
    drawn: dict[Path, dict[str, int]] = {checkout: {} for checkout in checkouts}
    called: dict[Path, dict[str, list[int]]] = {checkout: {} for checkout in checkouts}
    for turn in range(ROUNDS):
        for checkout in checkouts[:: -1 if turn % 2 else 1]:
            starts[checkout].append(int(said(START, checkout)))
            least = drawn[checkout]
            for name, ns in json.loads(said(DRAWING, checkout)).items():
                least[name] = min(least.get(name, ns), ns)
            for what, spent in json.loads(said(CALL, checkout)).items():
                called[checkout].setdefault(what, []).extend(spent)
    ours, theirs = (drawn[checkout] for checkout in checkouts)
    both = sorted(ours.keys() & theirs.keys(), key=lambda name: theirs[name] / ours[name])
    for name in both:
        print(f"{theirs[name] / ours[name]:5.2f}  {ours[name] / 1000:6.0f} us  {theirs[name] / 1000:6.0f} us  {name}")
    here, there = (min(starts[checkout]) for checkout in checkouts)
    print(f"ready after {here / 1e6:.0f} ms of processor time, there after {there / 1e6:.0f} ms")
    all_here, all_there = (sum(drawn[checkout][name] for name in both) for checkout in checkouts)
    for what, spent in called[HERE].items():
        print(f"{what}: here {spread_ms(spent)}, there {spread_ms(called[checkouts[1]][what])}")
    faster = [(what, median(called[checkouts[1]][what]) / median(spent)) for what, spent in called[HERE].items()]
    return [
        *(at_least(f"call to {what}", ratio, LEAST_SPEED, "x", "the other checkout's speed") for what, ratio in faster),
        at_least("start to ready", there / here, LEAST_SPEED, "x", "the other checkout's speed"),
        at_least(f"drawing {len(both)} screens", all_there / all_here, LEAST_SPEED, "x", "the other checkout's speed"),
    ]


if __name__ == "__main__":
    main()
