"""How many frames of pods the host can take: `python -m tests.benchmarks pods`.

A writer in a process of its own pushes a pod's reports through a pty, one change a frame; pyserial, the decoder, the
link and the clock's fit make rows of them. What is counted are rows at the sink, so that a lost frame counts as none.
Acknowledgements go back the whole time and are read.
"""

from __future__ import annotations

import multiprocessing
import os
import pty
import threading
import time
import tty

from referee.core import podwire
from referee.core.podwire import framed
from referee.core.signals import Edge
from referee.drivers.pods import Pods, Row
from tests.benchmarks.figures import Figure, at_least

FRAMES = 60_000
WANTED = 10_000
WARM_S = 20.0


def now() -> bytes:
    """Ticks of 125 MHz over seven."""
    return (time.monotonic_ns() * 125 // 7_000).to_bytes(7, "little")


def report_of(number: int) -> bytes:
    """One change."""
    stamp = now()
    turn = int.from_bytes(stamp[3:], "little")
    head = podwire._HEAD.pack(number % podwire.ROUND, turn)
    return head + podwire._ITEM.pack(stamp[:3], 8 * ((number + 1) % 2)) + b"\0"


def pod(master: int) -> None:
    """The other end: greets, answers, then sends every frame as fast as the line takes them."""
    decoder = podwire.Decoder()
    hello = podwire._HELLO.pack(podwire.VERSION, 0, 7, bytes(8), b"\2\0\0", 8, 0, 125, 2_000, 200, 0, now()) + b"\0"
    answers = 0
    while answers < 8:
        for kind, payload in decoder.feed(os.read(master, 4096)):
            if kind == podwire.ASK:
                os.write(master, framed(podwire.HELLO, hello))
            elif kind == podwire.SYNC:
                os.write(master, framed(podwire.ANSWER, payload + 2 * now() + b"\0"))
                answers += 1
    threading.Thread(target=_drain, args=(master,), daemon=True).start()
    for number in range(FRAMES):
        frame = framed(podwire.REPORT, report_of(number))
        while frame:  # a pty takes what it has room for
            frame = frame[os.write(master, frame) :]


def _drain(master: int) -> None:
    try:
        while os.read(master, 4096):
            pass
    except OSError:
        return


def rate() -> float:
    """Rows a second, from the first one to the last."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    stamps: list[float] = []
    count, done = 0, threading.Event()

    def took(rows: list[Row]) -> None:
        nonlocal count
        stamps.append(time.perf_counter())
        count += sum(isinstance(row, Edge) for row in rows)
        if count >= FRAMES:
            done.set()

    writer = multiprocessing.get_context("fork").Process(target=pod, args=(master,), daemon=True)
    writer.start()
    pods = Pods({"0000": ("1",)}, took, lines=(os.ttyname(slave),), find=lambda: (), report=lambda text: None)  # type: ignore[arg-type]
    pods.start()
    assert done.wait(WARM_S + 10 * FRAMES / WANTED), f"{count} of {FRAMES} rows came"
    pods.close()
    writer.terminate()
    writer.join()
    os.close(master)
    os.close(slave)
    assert count == FRAMES
    first = next(stamp for stamp in stamps[1:])  # the first batch is the greeting
    return FRAMES / (stamps[-1] - first)


def main() -> list[Figure]:
    """For `make bench`. On a machine with two cores the writer has one of them."""
    return [at_least("frames of pods from a pty", rate(), WANTED, "a second")]


if __name__ == "__main__":
    print(main())
