"""Measure what a broker costs a table: `python -m tests.benchmarks mqtt`. It needs mosquitto and paho-mqtt.

Calls at a table with a publisher and a broker, and without, in turns. Then an idle table: how often the child that
talks to the broker, and the device's threads for it, wake up.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from referee.device.children.mqtt import Publisher
from tests.benchmarks.bench_latency import calls, come_first
from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import Child
from tests.mqtt.broker import MOSQUITTO, mosquitto
from tests.mqtt.test_publisher import a_view

ROUNDS, CALLS = 8, 12
MOST_RATIO = 1.1
SPAN_S = 30.0
SETTLE_S = 5.0
MOST_WAKES_PER_S = 1.0


def main() -> list[Figure]:
    """Measure latency and idle wake-ups."""
    if MOSQUITTO is None:
        print("not measured: needs mosquitto\n")
        return []
    come_first()
    with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as broker:
        publisher = Publisher(broker.settings(Path(name)), lambda: None)
        try:
            publisher.show(a_view())
            time.sleep(SETTLE_S)
            return [*_latency(publisher), _idle(publisher)]
        finally:
            publisher.stop()
            shutil.rmtree(name, ignore_errors=True)


def _latency(publisher: Publisher) -> list[Figure]:
    found: dict[bool, dict[str, list[int]]] = {True: {}, False: {}}
    for turn in range(2 * ROUNDS):
        attached = turn % 2 == 0
        for call in asyncio.run(calls(CALLS, None, [publisher] if attached else [])):
            found[attached].setdefault("stop tone", []).append(call.tone_ns)
            found[attached].setdefault("verdict", []).append(call.drawn_ns)
    ratios = {what: median(spent) / median(found[False][what]) for what, spent in found[True].items()}
    return [
        at_most(f"call to {what} with a broker", ratio, MOST_RATIO, "x", "without") for what, ratio in ratios.items()
    ]


def _idle(publisher: Publisher) -> Figure:
    assert publisher.pid is not None
    child, own = Child(publisher.pid), Child(os.getpid())
    before = [sum(one.switches().values()) for one in (child, own)]
    time.sleep(SPAN_S)
    after = [sum(one.switches().values()) for one in (child, own)]
    wakes = sum(after) - sum(before)
    return at_most("idle: wake-ups of the publisher and its child", wakes / SPAN_S, MOST_WAKES_PER_S, "/s")
