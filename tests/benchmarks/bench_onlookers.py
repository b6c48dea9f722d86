"""How soon fifty clients see an event: `python -m tests.benchmarks onlookers`.

The table of `bench_page` with fifty pages open at once, as an evening has them: phones, scoreboards and walls. Each of
them notes when the message of a verdict has come. Counted from the verdict's deadline, the instant from which it can be
known: so the journal's row, the picture, the way to the page's process and the messages to all the others are in it.
Beside it the table's own viewer is timed with the fifty and without, as in `bench_page`.

The clients stand for machines of their own; here they run beside the page, in a process that is neither before it nor
behind it, and what they need for hearing each other's messages is in the figure.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Sequence
from statistics import median

from referee.core.units import MS
from tests.benchmarks.bench_latency import PLAYERS, Table, come_first
from tests.benchmarks.bench_page import CALLS, SETTLE_S, Timed, client, line, timed, with_page
from tests.benchmarks.crowd import CLIENTS
from tests.benchmarks.figures import Figure, at_most, quantile, spread_ms

SEEN_MS = 100.0
"""The 95th of 100 messages of a verdict, of all the clients' together."""
BESIDE_TIMES = 1.5


async def seen(
    table: Table, viewer: subprocess.Popen[bytes], crowd: subprocess.Popen[bytes]
) -> tuple[Timed, list[int]]:
    """The calls with everybody there: the viewer's instants, and each client's, ns after the verdict's deadline."""
    found, instants = Timed(), list[int]()
    assert viewer.stdout is not None
    assert crowd.stdout is not None
    for n in range(CALLS):
        call = await table.call(PLAYERS[n % len(PLAYERS)])
        own_ns = int(await asyncio.wait_for(asyncio.to_thread(viewer.stdout.readline), 10))
        found.panel.append(call.drawn_ns)
        found.page.append(own_ns - table.due_ns)
        for _ in range(CLIENTS):
            told_ns = int(await asyncio.wait_for(asyncio.to_thread(crowd.stdout.readline), 10))
            instants.append(told_ns - table.due_ns)
    return found, instants


async def measured() -> tuple[Timed, Timed, list[int]]:
    """The viewer without and with the fifty, and what these saw."""
    async with with_page() as (table, viewer, port):
        none = await timed(table, viewer, CALLS)
        with client("onlookers", port) as crowd:
            await asyncio.sleep(SETTLE_S)
            found, instants = await seen(table, viewer, crowd)
    return none, found, instants


def figures(none: Timed, found: Timed, instants: Sequence[int]) -> list[Figure]:
    """What is promised of fifty."""
    line("onlookers", none, found)
    print(f"onlookers, each of {CLIENTS} in {CALLS} verdicts: {spread_ms(instants)}", flush=True)
    due = f"beside {CLIENTS} onlookers (median)"
    return [
        at_most(f"verdict due to {CLIENTS} onlookers (p95)", quantile(instants, 0.95) / MS, SEEN_MS, "ms"),
        at_most(
            f"verdict due to panel, {due}", median(found.panel) / median(none.panel), BESIDE_TIMES, "x", "no client"
        ),
        at_most(f"verdict due to page, {due}", median(found.page) / median(none.page), BESIDE_TIMES, "x", "no client"),
    ]


def main() -> list[Figure]:
    """One evening with everybody looking."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    print(come_first())
    try:
        return figures(*asyncio.run(measured()))
    finally:
        os.sched_setscheduler(0, *before)
