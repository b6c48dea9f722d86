"""One thread for the edges of all lines.

Theory of operation. An epoll holds the descriptors of all lines and an eventfd. The thread blocks in it without a
time-out, so nothing happens while nothing happens. When a line becomes readable it takes the lock, asks the epoll
once more for everything that is readable *now*, reads all of that, merges it in order of time and hands it over as
one batch, all under the lock.

`drain` is the same step on the caller's own thread. That is the whole handshake: reading and handing over are one
critical section, so when `drain` has had the lock, whatever the thread had read before is delivered, and whatever was
readable at the call has been read by `drain` itself. Neither can overtake the other, and batches never interleave.

What may take long (gpiozero's callbacks: user code) is not done under the lock. `after` runs on the thread, outside
it; who leaves such work after a drain wakes the thread by the eventfd.

What fails is tried again, and no edge that has been read is lost by it. While a delivery fails nothing more is read:
the kernel's buffers hold what comes, and their numbers tell what they drop, should it last.

Order. Stamps of different lines are not in order across descriptors, nor across two batches: a line's interrupt
thread may put an older event into its buffer after a younger one of another line was read. A batch is in order; who
needs more must wait out the interrupt latency and drain (the referee does, before each deadline).
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from referee.drivers.gpiod.edges import RawEdge, in_order
from referee.drivers.gpiod.line import GpioLine

_log = logging.getLogger(__name__)
FAILED_S = 0.1
"""After a step that failed: too short for anybody to notice, and long enough not to spin."""


class EdgePump:
    """Reads lines and hands over batches. Every method may be called from any thread."""

    def __init__(self, deliver: Callable[[Sequence[RawEdge]], None], after: Callable[[], float | None]) -> None:
        """`deliver` takes each batch over, under the lock; if it cannot pass it on it raises, and is called with an
        empty one to try again before anything more is read. `after` runs on the thread after it, outside the lock, and
        says in how many seconds it wants to be called again (None: not before the next edge)."""
        self.lock = threading.RLock()
        """Held while reading and delivering; who changes a line that is in the pump holds it too."""
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
        """Read this line from now on. It must be claimed. Twice is once."""
        with self.lock:
            if self._closed or line.fd in self._lines:
                return
            self._lines[line.fd] = line
            self._epoll.register(line.fd, select.EPOLLIN)
            self._start()

    def remove(self, line: GpioLine) -> None:
        """Do not read this line any more; what is still in its buffer is dropped. Call before it is released."""
        with self.lock:
            if line.claimed and self._lines.pop(line.fd, None) is not None:
                self._epoll.unregister(line.fd)
                line.read()

    def drain(self) -> int:
        """Read every line by a read begun now and deliver what was there, on this thread; how many edges it was.

        Called from within a delivery it does nothing, since its caller is inside that very step. What fails is raised,
        and tried again by the thread.
        """
        try:
            return self._step()
        except Exception:
            self.wake()
            raise

    def wake(self) -> None:
        """Make the thread run `after` at once, though no edge has come."""
        with self.lock:
            if not self._closed:
                os.eventfd_write(self._wake_fd, 1)

    def close(self) -> None:
        """End the thread and give the descriptors back. The lines stay whose they are. May be called twice."""
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
        timeout_s: float | None = None
        while True:
            self._epoll.poll(timeout_s)
            self._calm()
            if self._closed:  # looked at after calming, set before waking: a close is never slept through
                return
            timeout_s = self._one()

    def _one(self) -> float | None:
        """A step and what comes after it. Without this thread every button is dead, so nothing ends it."""
        try:
            self._step()
            wanted_s = self._after()
        except Exception as exc:
            self._log_failure(exc)
            time.sleep(FAILED_S)  # the edges that could not be read are there still
            return FAILED_S
        if self._failing:
            _log.warning("reading the pins is back")
        self._failing = False
        return wanted_s

    def _log_failure(self, exc: Exception) -> None:
        """Once, until a step succeeds again; with its traceback unless the system is to blame."""
        if not self._failing:
            trace = None if isinstance(exc, OSError) else exc
            _log.warning("reading the pins lost: %s", str(exc) or type(exc).__name__, exc_info=trace)
        self._failing = True

    def _calm(self) -> None:
        with suppress(BlockingIOError):  # raised where a line woke the thread
            os.eventfd_read(self._wake_fd)

    def _step(self) -> int:
        with self.lock:
            if self._delivering or self._closed:
                return 0
            if self._undelivered:
                self._hand_over([])
            for fd, _ in self._epoll.poll(0):
                if fd in self._lines:
                    self._kept += self._read(fd)  # kept: reading the next line may fail
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
        except OSError as exc:  # the chip was unplugged: without this the thread would spin on the dead descriptor
            _log.warning("GPIO%d lost: %s", line.gpio, exc)
            del self._lines[fd]
            self._epoll.unregister(fd)
            return []
