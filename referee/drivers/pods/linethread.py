"""One thread for all lines to pods. It sleeps until there is data, a timeout or an order.

Theory of operation. An earlier version had a thread per line. At 400 reports a second from four pods, most of its CPU
time was wake-ups, one per line. Lines with very many reports are read at the same times (`Moderation`), so one thread
wakes once for all of them. It never waits for a single line: reads and writes do not block, data that a line cannot
take is kept, and lines are closed on separate threads, because a driver may take long. An exception ends only its line.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable, Sequence

from referee.core.units import S
from referee.drivers.pods.port import Port

LOG = logging.getLogger("referee")
FAR_NS = 2**63
"""A time later than all others, in ns."""


class LineThread:
    """A thread that reads and writes the serial lines of all ports, until the ports end.

    The first call of `serve` starts it.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._ports: list[Port] = []  # used by the thread only
        self._new: list[Port] = []
        self._gate = threading.Lock()
        self._wake_read, self._wake_write = os.pipe()
        self._woken = False
        self._closing = False
        self._thread: threading.Thread | None = None

    def serve(self, port: Port) -> None:
        """Hand a port to the thread, which then serves the port's line. Never blocks; thread-safe."""
        with self._gate:
            self._new.append(port)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pods' lines", daemon=True)
                self._thread.start()
        self.wake()

    def wake(self) -> None:
        """Make the thread check its ports now. Thread-safe."""
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
            except Exception as exc:  # the error is not one port's: end all ports; the watcher opens the lines again
                LOG.exception("the pods' lines")
                self._end_all(str(exc) or type(exc).__name__)
        self._take_new()
        self._end_all("")

    def _end_all(self, why: str) -> None:
        for port in list(self._ports):
            self._end(port, why)

    def _turn(self) -> None:
        """Wait until a port has something to do, and make it do that."""
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
        """Wait until a line is readable or writable, or a port is due. Return the ready lines.

        The result is (readable lines, writable lines). While a line is in a pause (see `Moderation`), new data on it
        does not end the wait. When the pause is over, the wait ends even if there is no data.
        """
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
        """Call a method of a port. If it raises, only this port ends.

        All exceptions are caught, because unplugging a line can raise many kinds.
        """
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
