"""Measure wired players while a pod floods its line: `python -m tests.benchmarks floods`.

The device of the latency benchmark, with a pod on a pty. Calls of the wired players are timed with the pod at rest and
while it sends valid changes as fast as the line takes them, by turns in one run. The figures are the median from the
instant at which a verdict can fall to its picture, and the memory of the process before and after.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import pty
import tempfile
import threading
import tty
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median
from typing import Any

from referee.app.floods import Floods
from referee.app.live import Live
from referee.core.pods import wire as podwire
from referee.core.pods.wire import make_frame
from referee.core.units import MS
from referee.drivers.pods.lines import Pods
from tests.benchmarks.bench_latency import PLAYERS, Call, Table, come_first
from tests.benchmarks.bench_pods import Far, report_of
from tests.benchmarks.figures import Figure, at_most, spread_ms
from tests.benchmarks.process import Child

CALLS, TURNS = 10, 6
POD = ("5", "6", "7", "8")
MOST_MB, MOST_TIMES = 10.0, 1.2
WARM_S = 3.0


def flood(master: int, floods: Event) -> None:
    """Run the pod: at rest it answers.

    While `floods` is set it sends changes as fast as they are taken.
    """
    far = Far(master, 0)

    def hear() -> None:
        with contextlib.suppress(OSError):
            while True:
                far.hear()

    threading.Thread(target=hear, daemon=True).start()
    number = 0
    while True:
        if not floods.wait(0.5):
            far.reports = number
            far.beat()
            continue
        frame = make_frame(podwire.REPORT, report_of(number, number // 2 % len(POD)))
        number += 1
        while frame:
            frame = frame[os.write(master, frame) :]


class Device(Table):
    """One live loop per hand, and the budgets of one device."""

    _floods: Floods | None = None

    def _lively(self, *made: Any) -> Live:
        live = super()._lively(*made)
        self._floods = live._floods = self._floods or live._floods
        return live


@contextlib.contextmanager
def pod(table: Table) -> Iterator[Event]:
    """Connect a pod to that table; yield the switch for its flood."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    context = multiprocessing.get_context("fork")
    floods = context.Event()
    far = context.Process(target=flood, args=(master, floods), daemon=True)
    far.start()
    pods = Pods({"0000": POD}, table._fed, lines=(os.ttyname(slave),), find=lambda: (), report=print)
    pods.start()
    try:
        yield floods
    finally:
        pods.close()
        far.terminate()
        far.join()
        os.close(master)
        os.close(slave)


async def calls(table: Table, count: int) -> list[Call]:
    """Make `count` calls, by each player in turn."""
    return [await table.call(PLAYERS[n % len(PLAYERS)]) for n in range(count)]


async def measure() -> list[Figure]:
    """Measure in turns at rest and under the flood; return the memory taken by the flood too."""
    rest: list[Call] = []
    flooded: list[Call] = []
    me = Child(os.getpid())
    with tempfile.TemporaryDirectory() as folder:
        table = Device(Path(folder), None, players=PLAYERS)
        with pod(table) as floods:
            print(come_first())  # before the pod's process has started
            await asyncio.sleep(WARM_S)
            rest += await calls(table, CALLS)
            before_kb = me.status("VmRSS")
            for _ in range(TURNS):
                floods.set()
                flooded += await calls(table, CALLS)
                floods.clear()
                rest += await calls(table, CALLS)
            more_mb = (me.status("VmHWM") - before_kb) / 1024
        table.close()
    drawn = [[call.drawn_ns for call in found] for found in (rest, flooded)]
    print(f"verdict due to drawn, at rest: {spread_ms(drawn[0])}\nunder the flood: {spread_ms(drawn[1])}")
    times = median(drawn[1]) / median(drawn[0])
    against = f"at rest: {median(drawn[0]) / MS:.1f} ms"
    return [
        at_most("a wired verdict beside a flooding pod (median)", times, MOST_TIMES, "times", against),
        at_most("memory that the flood takes", more_mb, MOST_MB, "MB", f"{before_kb / 1024:.0f} MB before"),
    ]


def main() -> list[Figure]:
    """Return all figures."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        return asyncio.run(measure())
    finally:
        os.sched_setscheduler(0, *before)
