"""One thread that reads the edges of all lines.

Theory of operation. An epoll holds the descriptors of all lines and an eventfd. The thread blocks in it without a
timeout, so it uses no CPU without events. When a line becomes readable, the thread takes the lock, asks the epoll again
which lines are readable *now*, reads them all, merges their edges in time order and passes them on as one batch, all
under the lock.

`drain` does the same step on the caller's thread. Reading and passing on are one critical section: once `drain` has the
lock, everything that the thread had read is delivered, and `drain` itself reads everything that was readable at the
call. Neither can overtake the other, and batches never interleave.

Slow work (gpiozero's callbacks, which are user code) is not done under the lock. `after` runs on the thread, outside
the lock. A drain that leaves such work wakes the thread through the eventfd.

Failed steps are retried, and edges that were read are not lost. While a delivery fails, no more edges are read: the
kernel's buffers hold new ones, and the sequence numbers show what they drop.

Order. Timestamps of different lines are not in order across descriptors, nor across two batches: a line's interrupt
thread may buffer an older event after a younger one of another line was read. A batch is in order. For more, wait for
the interrupt latency and drain.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from gpiozero_gpiod.edges import RawEdge, in_order
from gpiozero_gpiod.line import GpioLine

_log = logging.getLogger(__name__)
FAILED_S = 0.1
"""Pause after a failed step, in s: too short to notice, long enough not to load the CPU."""


class EdgePump:
    """Reads the lines' edges, and passes them on in batches. All methods are thread-safe."""

    def __init__(self, deliver: Callable[[Sequence[RawEdge]], None], after: Callable[[], object]) -> None:
        """`deliver`: called with each batch, under the lock.

        `after`: called afterwards on the pump's thread, without the lock. If `deliver` raises, it
        must keep the batch. It is then called again, with an empty batch, before more edges are read.
        """
        self.lock = threading.RLock()
        """Held while reading and delivering. Hold it to change a line that is in the pump."""
        self._deliver = deliver
        self._after = after
        self._lines: dict[int, GpioLine] = {}
        self._epoll = select.epoll()
        self._wake_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._wake_fd, select.EPOLLIN)
        self._thread: threading.Thread | None = None
        self._kept: list[RawEdge] = []
        self._delivering = self._undelivered = self._closed = False
        self._failing = False

    def add(self, line: GpioLine) -> None:
        """Start reading a claimed line. Adding it twice has no effect."""
        with self.lock:
            if self._closed or line.fd in self._lines:
                return
            self._lines[line.fd] = line
            self._epoll.register(line.fd, select.EPOLLIN)
            self._start()

    def remove(self, line: GpioLine) -> None:
        """Stop reading a line and drop its buffered edges. Call before the line is released."""
        with self.lock:
            if line.claimed and self._lines.pop(line.fd, None) is not None:
                self._epoll.unregister(line.fd)
                line.read()

    def drain(self) -> int:
        """Read every line now, deliver the edges on this thread, and return their number.

        Do nothing while `deliver` runs. If `deliver` raises, raise its error; the pump's thread then retries.
        """
        try:
            return self._step()
        except Exception:
            self.wake()
            raise

    def wake(self) -> None:
        """Make the thread run `after` now, without an edge."""
        with self.lock:
            if not self._closed:
                os.eventfd_write(self._wake_fd, 1)

    def close(self) -> None:
        """End the thread and close its descriptors, but not the lines. May be called twice."""
        with self.lock:
            if self._closed:
                return
            self._closed = True
            self._lines.clear()
            os.eventfd_write(self._wake_fd, 1)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._epoll.close()
        os.close(self._wake_fd)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="gpiod-edges", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            self._epoll.poll()
            self._calm()
            if self._closed:  # a close sets this before waking, so checking after clearing misses none
                return
            self._one()

    def _one(self) -> None:
        """Read and deliver the edges once, and call `after`.

        Errors do not end the thread, because all buttons depend on the thread.
        """
        try:
            self._step()
            self._after()
        except Exception as exc:
            self._note_failure(exc)
            time.sleep(FAILED_S)  # unread edges are still in the kernel's buffers
            self.wake()
        else:
            if self._failing:
                _log.warning("reading the pins is back")
            self._failing = False

    def _note_failure(self, exc: Exception) -> None:
        """Log the first failure, with a traceback if it is a bug."""
        if not self._failing:
            ours = None if isinstance(exc, OSError) else exc
            _log.warning("reading the pins lost: %s", str(exc) or type(exc).__name__, exc_info=ours)
        self._failing = True

    def _calm(self) -> None:
        with suppress(BlockingIOError):  # raised if a line woke the thread
            os.eventfd_read(self._wake_fd)

    def _step(self) -> int:
        with self.lock:
            if self._delivering or self._closed:
                return 0
            if self._undelivered:
                self._hand_over([])
            for fd, _ in self._epoll.poll(0):
                if fd in self._lines:
                    self._kept += self._read(fd)  # stored, because reading the next line may fail
            batch, self._kept = in_order(self._kept), []
            if batch:
                self._hand_over(batch)
            return len(batch)

    def _hand_over(self, batch: list[RawEdge]) -> None:
        self._delivering = self._undelivered = True
        try:
            self._deliver(batch)
            self._undelivered = False
        finally:
            self._delivering = False

    def _read(self, fd: int) -> list[RawEdge]:
        line = self._lines[fd]
        try:
            return line.read()
        except OSError as exc:  # the chip was unplugged: without its removal the thread would loop without pause
            _log.warning("GPIO%d lost: %s", line.gpio, exc)
            del self._lines[fd]
            self._epoll.unregister(fd)
            return []
