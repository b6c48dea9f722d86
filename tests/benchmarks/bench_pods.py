"""Measure the rate of pod frames that the host can take, and the cost of pods: `python -m tests.benchmarks pods`.

A writer in its own process sends a pod's reports through a pty, one change per frame; pyserial, the decoder, the link
and the clock's fit make rows of them. Rows are counted at the sink, so a lost frame does not count. Acknowledgements go
back the whole time and are read.

Then four pods: at rest, with a beat twice a second and an answer to each question, the wake-ups of all threads here;
and with 100 reports per second each, the share of a core, compared with threads that only read and answer each report.
Only this process's processor time counts, not that of the far ends. A report is followed by a beat as from the whole
firmware: with a contact that changes every 10 ms, the emulated Pico sends a report of one change 2.8 ms and a beat 6 ms
after each change.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pty
import select
import threading
import time
import tty
from statistics import median
from typing import NamedTuple

from referee.core.pods import wire as podwire
from referee.core.pods.wire import make_frame
from referee.core.presses.signals import Edge
from referee.drivers.pods import port
from referee.drivers.pods.lines import PodRow, Pods
from tests.benchmarks.figures import Figure, at_least, at_most
from tests.benchmarks.process import Child

FRAMES = 60_000
WANTED = 10_000
WARM_S = 20.0
PODS = 4
SPANS, SPAN_S = 8, 2.5
REPORTS_A_SECOND = 400
MOST_WAKE_UPS, MOST_PERCENT = 25, 3
BEAT_S = 0.5
MARK_S = 0.0032
"""Seconds from a report to the beat after it."""


def now() -> bytes:
    """Return ticks of 125 MHz over seven."""
    return (time.monotonic_ns() * 125 // 7_000).to_bytes(7, "little")


def report_of(number: int, contact: int = 0) -> bytes:
    """Return a report of one change."""
    stamp = now()
    turn = int.from_bytes(stamp[3:], "little")
    head = podwire._HEAD.pack(number % podwire.ROUND, turn)
    return head + podwire._ITEM.pack(stamp[:3], contact + 8 * ((number + 1) % 2)) + b"\0"


def pod(master: int) -> None:
    """Run the other end: greet, answer, then send frames as fast as the line takes them."""
    decoder = podwire.Decoder()
    hello = podwire._HELLO.pack(podwire.VERSION, 0, 7, bytes(8), b"\2\0\0", 8, 0, 125, 2_000, 200, 0, now()) + b"\0"
    answers = 0
    while answers < 8:
        for kind, payload in decoder.feed(os.read(master, 4096)):
            if kind == podwire.ASK:
                os.write(master, make_frame(podwire.HELLO, hello))
            elif kind == podwire.SYNC:
                os.write(master, make_frame(podwire.ANSWER, payload + 2 * now() + b"\0"))
                answers += 1
    threading.Thread(target=_drain, args=(master,), daemon=True).start()
    for number in range(FRAMES):
        frame = make_frame(podwire.REPORT, report_of(number))
        while frame:  # a pty takes only part of a frame if it is full
            frame = frame[os.write(master, frame) :]


def _drain(master: int) -> None:
    try:
        while os.read(master, 4096):
            pass
    except OSError:
        return


def rate() -> float:
    """Return rows per second, from the first one to the last."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    port.LINE_HZ = 1 << 30  # measure the program, not the limit of a line
    stamps: list[float] = []
    count, done = 0, threading.Event()

    def took(rows: list[PodRow]) -> None:
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


# -- four pods -----------------------------------------------------------------------------------------------------


class Far:
    """The far end of one pod's line."""

    def __init__(self, master: int, number: int) -> None:
        self.master, self.decoder, self.reports = master, podwire.Decoder(), 0
        ident = number.to_bytes(8, "big")
        head = podwire._HELLO.pack(podwire.VERSION, 0, 7, ident, b"\2\0\0", 8, 0, 125, 2_000, 200, 0, now())
        self.hello = make_frame(podwire.HELLO, head + b"\0")

    def hear(self) -> None:
        """Answer the host's questions."""
        for kind, payload in self.decoder.feed(os.read(self.master, 4096)):
            if kind == podwire.ASK:
                os.write(self.master, self.hello)
            elif kind == podwire.SYNC:
                os.write(self.master, make_frame(podwire.ANSWER, payload + 2 * now() + b"\0"))

    def beat(self) -> None:
        """Send a beat."""
        behind = podwire._BEAT.pack(now(), self.reports % podwire.ROUND, self.reports % 2, 0, 0, 0, 0)
        os.write(self.master, make_frame(podwire.BEAT, behind + b"\0"))

    def report(self) -> None:
        """Report one change."""
        os.write(self.master, make_frame(podwire.REPORT, report_of(self.reports)))
        self.reports += 1


def far_ends(masters: list[int], reports_a_second: int) -> None:
    """Run four pods, with beats and reports spread over the second; a beat follows each report."""
    ends = [Far(master, number) for number, master in enumerate(masters)]
    begun, beats, reports, marks = time.monotonic(), 0, 0, 0
    pause_s, first_s = BEAT_S / len(ends), WARM_S / 4
    while True:
        passed, due_s = time.monotonic() - begun, [beats * pause_s]
        while passed >= beats * pause_s:
            ends[beats % len(ends)].beat()
            beats += 1
        if reports_a_second:
            while passed - first_s >= reports / reports_a_second:
                ends[reports % len(ends)].report()
                reports += 1
            while marks < reports and passed - first_s - MARK_S >= marks / reports_a_second:
                ends[marks % len(ends)].beat()
                marks += 1
            due_s += [reports / reports_a_second + first_s, marks / reports_a_second + first_s + MARK_S]
        for master in select.select(masters, [], [], max(min(due_s) - passed, 0))[0]:
            ends[masters.index(master)].hear()


class Bare:
    """Replaces `Pods`; reads and answers without making rows."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = [os.open(line, os.O_RDWR | os.O_NOCTTY) for line in lines]
        self._closing = False

    def start(self) -> None:
        for line in self._lines:
            os.write(line, podwire.ask())
            threading.Thread(target=self._talk, args=(line,), daemon=True).start()

    def _talk(self, line: int) -> None:
        answer = podwire.ack(7, 0, 0)
        while not self._closing:
            if select.select([line], [], [], 1)[0]:
                with contextlib.suppress(OSError):  # the far end has gone first
                    os.read(line, 4096)
                    os.write(line, answer)

    def close(self) -> None:
        self._closing = True


class Load(NamedTuple):
    """Wake-ups per second; the share of a core in percent, in the median span and in the calmest; rows per second."""

    woken: float
    percent: float
    calm_percent: float
    rows: int


def load(reports_a_second: int, *, bare: bool = False) -> Load:
    """Measure this process with four pods.

    Other load increases the cost, so the calmest span counts.
    """
    pairs, rows = [pty.openpty() for _ in range(PODS)], [0]
    for _, slave in pairs:
        tty.setraw(slave)

    def took(found: list[PodRow]) -> None:
        rows[0] += sum(isinstance(row, Edge) for row in found)

    masters = [master for master, _ in pairs]
    far = multiprocessing.get_context("fork").Process(target=far_ends, args=(masters, reports_a_second), daemon=True)
    far.start()
    stations = {number.to_bytes(8, "big").hex(): (str(number + 1),) for number in range(PODS)}
    lines = [os.ttyname(slave) for _, slave in pairs]
    pods: Pods | Bare = Bare(lines)
    if not bare:
        pods = Pods(stations, took, lines=lines, find=lambda: (), report=lambda text: None)  # type: ignore[arg-type]
    pods.start()
    time.sleep(WARM_S / 2)
    here, spent_s = Child(os.getpid()), list[float]()
    slept, counted = sum(here.switches().values()), rows[0]
    for _ in range(SPANS):
        cpu_s = time.process_time()
        time.sleep(SPAN_S)
        spent_s.append(time.process_time() - cpu_s)
    woken, counted = sum(here.switches().values()) - slept, rows[0] - counted
    pods.close()
    far.terminate()
    far.join()
    for end in (end for pair in pairs for end in pair):
        os.close(end)
    whole_s = SPANS * SPAN_S
    return Load(woken / whole_s, median(spent_s) / SPAN_S * 100, min(spent_s) / SPAN_S * 100, round(counted / whole_s))


def main() -> list[Figure]:
    """Return the figures for `make bench`. With two cores the writer has one of them."""
    idle, busy, bare = load(0), load(REPORTS_A_SECOND), load(REPORTS_A_SECOND, bare=True)
    for what, took in (("at rest", idle), (f"{REPORTS_A_SECOND} reports a second", busy), ("only read", bare)):
        print(f"{what}: {took.percent:.2f} % of a core, {took.calm_percent:.2f} % in the calmest of {SPANS} spans")
    print(f"({busy.rows} rows a second, for the beats behind the reports repeat levels)")
    return [
        at_most("four pods at rest: wake-ups", idle.woken, MOST_WAKE_UPS, "a second"),
        at_most(f"{REPORTS_A_SECOND} reports of pods a second, CPU", busy.calm_percent, MOST_PERCENT, "% of a core"),
        at_least("frames of pods from a pty", rate(), WANTED, "a second"),
    ]


if __name__ == "__main__":
    print(main())
