"""One thread for all lines to pods: it sleeps until bytes come somewhere, a link wants calling, or somebody orders.

Theory of operation. A thread for each line would do, and did; at 400 reports a second of four pods most of its cost was
waking up, once a line. Lines that are flooded are read at the same instants (`Moderation`), so one thread wakes once
for all of them. Nothing in it waits for one line: reading and writing do not block, what a line has no room for is
kept, and giving a line back, for which a driver may take its time, is a thread of its own. What one line raises ends
that one. A line that has no file descriptor to sleep on gets a thread of its own, which looks twenty times a second.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable, Sequence

from referee.core.units import S
from referee.drivers.pods.port import NOTHING, Port

LOG = logging.getLogger("referee")
FAR_NS = 2**63
"""An instant later than any that comes, ns."""


class LineThread:
    """Serves ports from `serve` on until they end; its thread starts with the first one."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """`clock`: CLOCK_MONOTONIC, ns."""
        self._clock = clock
        self._ports: list[Port] = []  # the thread's own
        self._new: list[Port] = []
        self._gate = threading.Lock()
        self._wake_read, self._wake_write = os.pipe()
        self._woken = False
        self._closing = False
        self._thread: threading.Thread | None = None

    def serve(self, port: Port) -> None:
        """Talk over its line. Never blocks; from any thread."""
        if port.descriptor == NOTHING:
            threading.Thread(target=_alone, args=(port,), name=f"pod {port.url}", daemon=True).start()
            return
        with self._gate:
            self._new.append(port)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pods' lines", daemon=True)
                self._thread.start()
        self.wake()

    def wake(self) -> None:
        """Have it look at its ports; from any thread."""
        with self._gate:
            if not self._woken and not self._closing:
                self._woken = True
                os.write(self._wake_write, b"!")

    def close(self) -> None:
        """End the thread, and the ports that it still serves."""
        with self._gate:
            self._closing, thread = True, self._thread
            os.write(self._wake_write, b"!")
        if thread is not None:
            thread.join()
        os.close(self._wake_read)
        os.close(self._wake_write)

    # -- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing:
            try:
                self._turn()
            except Exception as exc:  # no single port's: they all end, and whoever looks for lines opens them again
                LOG.exception("the pods' lines")
                self._end_all(str(exc) or type(exc).__name__)
        self._take_new()
        self._end_all("")

    def _end_all(self, why: str) -> None:
        for port in list(self._ports):
            self._end(port, why)

    def _turn(self) -> None:
        """Sleep until there is something to do, and do it."""
        self._take_new()
        readable, writable = self._wait()
        if self._wake_read in readable:
            with self._gate:
                os.read(self._wake_read, 64)
                self._woken = False
        now_ns = self._clock()
        for port in list(self._ports):
            if port.descriptor in readable:
                self._run_step(port, port.read_ready)
            elif 0 < port.held_ns <= now_ns:
                self._run_step(port, port.read)
            elif port.ordered or port.descriptor in writable or port.due_ns <= now_ns:
                self._run_step(port, port.step)

    def _take_new(self) -> None:
        with self._gate:
            new, self._new = self._new, []
        self._ports += new
        for port in new:
            port.wake = self.wake
            self._run_step(port, port.begin)

    def _wait(self) -> tuple[Sequence[int], Sequence[int]]:
        """Until something can be read or written, or the first port is due: what can be. A line that is held is not
        waited for; when it is held no longer, it is read without another look whether there is something."""
        reading, writing, until_ns = [self._wake_read], list[int](), FAR_NS
        for port in self._ports:
            held_ns = port.held_ns
            until_ns = min(until_ns, port.due_ns, held_ns or FAR_NS)
            if not held_ns:
                reading.append(port.descriptor)
            if port.full:
                writing.append(port.descriptor)
        seconds = max(until_ns - self._clock(), 0) / S if until_ns < FAR_NS else None
        readable, writable, _ = select.select(reading, writing, [], seconds)
        return readable, writable

    def _run_step(self, port: Port, step: Callable[[], object]) -> None:
        """A line torn out shows as many an error in pyserial; a mistake of ours ends it, too, and no other line."""
        try:
            step()
        except Exception as exc:
            self._end(port, str(exc) or type(exc).__name__)
        else:
            if port.closing:
                self._end(port, "")

    def _end(self, port: Port, why: str) -> None:
        self._ports.remove(port)
        threading.Thread(target=port.end, args=(why,), name=f"end of pod {port.url}", daemon=True).start()


def _alone(port: Port) -> None:
    """Looks at one port until it closes or fails, and says why it ended; a thread of its own."""
    why = ""
    try:
        port.begin()
        while not port.closing:
            port.look()
    except Exception as exc:
        why = str(exc) or type(exc).__name__
    port.end(why)
