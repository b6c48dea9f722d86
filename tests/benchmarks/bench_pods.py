"""How many frames of pods the host can take: `python -m tests.benchmarks pods`.

A writer in a process of its own pushes a pod's reports through a pty, one change a frame; pyserial, the decoder, the
link and the clock's fit make rows of them. What is counted are rows at the sink, so that a lost frame counts as none.
Acknowledgements go back the whole time and are read.
"""

from __future__ import annotations

import multiprocessing
import os
import pty
import struct
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


def pod(master: int) -> None:
    """The other end: greets, answers, then sends every frame as fast as the line takes them."""
    decoder = podwire.Decoder()
    hello = struct.pack("<BBI8s3sBBIHQ", 1, 0, 7, bytes(8), b"\1\0\0", 8, 0, 2_000, 0, time.monotonic_ns())
    answers = 0
    while answers < 8:
        for kind, payload in decoder.feed(os.read(master, 4096)):
            if kind == podwire.ASK:
                os.write(master, framed(podwire.HELLO, hello))
            elif kind == podwire.SYNC:
                os.write(master, framed(podwire.ANSWER, payload + struct.pack("<Q", time.monotonic_ns())))
                answers += 1
    threading.Thread(target=_drain, args=(master,), daemon=True).start()
    for number in range(FRAMES):
        report = struct.pack("<HBBQ", number % podwire.ROUND, 0, (number + 1) % 2, time.monotonic_ns())
        frame = framed(podwire.REPORT, report)
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
