"""Child processes of the device, restarted whenever they end.

Theory of operation. A thread of the device starts the child and sends it messages over a socket. A second thread reads
the lines that the child sends back. Methods for other threads only put messages into a mailbox, so they never wait for
the child. Each end of a child is logged, and the child is restarted after a pause that grows from failure to failure.
"""

from __future__ import annotations

import abc
import contextlib
import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

LOG = logging.getLogger("referee")
PAUSES_S = (0.5, 2.0, 10.0, 60.0)
"""Pauses in s before a child that has ended is restarted; the last one repeats."""
WELL_S = 60.0
"""Time in s that a child must have run for the next restart to use the first pause again."""
END_S = 3.0
"""Time in s that a child gets to end by itself."""


class Child:
    """A running child process, the socket to it, and the thread that reads from it."""

    def __init__(
        self,
        module: str,
        heard: Callable[[bytes], object],
        ended: Callable[[], object],
        line_bytes: int,
        sockets: Sequence[socket.socket] = (),
    ) -> None:
        """Start `python -m MODULE LINE SOCKET ...`.

        The arguments are the numbers of inherited sockets. heard: called with each line from the child; lines longer
        than 2 * `line_bytes` come in parts. ended: called when the child has ended. Both run on the thread that reads.
        Raises OSError if the child cannot start.
        """
        self.gone = False
        self.rest = b""
        """The bytes for which `send_now` found no room. The next `send` sends them first."""
        self._given_up = False
        self._heard, self._ended, self._line_bytes = heard, ended, line_bytes
        self._line, theirs = socket.socketpair()
        numbers = [theirs.fileno(), *(one.fileno() for one in sockets)]
        command = [sys.executable, "-m", module, *map(str, numbers)]
        try:
            with theirs:  # its own process group: the device handles Ctrl-C and ends it in good order
                # the child imports from the same paths as its parent
                found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, pass_fds=numbers, process_group=0, env=found
                )
        except BaseException:
            self._line.close()
            raise
        self._thread = threading.Thread(target=self._listen, name="child's lines", daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> None:
        """Send bytes. Raises OSError if the child is gone."""
        data, self.rest = self.rest + data, b""
        self._line.sendall(data)

    def send_now(self, data: bytes) -> bool:
        """Send bytes without waiting. Return False if none were sent; keep the others in `rest`."""
        if self.rest:
            return False
        try:
            self.rest = data[self._line.send(data, socket.MSG_DONTWAIT) :]
        except OSError:  # the socket is full, or the child is gone
            return False
        return True

    def give_up(self) -> None:
        """Kill the child, which hangs. It would not notice that the socket is closed."""
        self._given_up = True
        self.process.kill()

    def end(self) -> str:
        """End the child if it still runs; return its exit status as text."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._thread.join(END_S)
        self._line.close()
        return "it no longer answered" if self._given_up else f"status {self.process.returncode}"

    def _listen(self) -> None:
        # poll, because a thread in recv also wakes up whenever the child reads from its end
        readable, rest = select.poll(), b""
        readable.register(self._line, select.POLLIN)
        try:
            with contextlib.suppress(OSError):
                while readable.poll() and (data := self._line.recv(self._line_bytes)):
                    *lines, rest = (rest + data).split(b"\n")
                    for line in lines:
                        self._heard(line)
                    if len(rest) > self._line_bytes:
                        self._heard(rest)
                        rest = b""
        finally:
            self.gone = True
            self._ended()


class KeptChild(abc.ABC):
    """A child that is restarted whenever it ends, until `stop` is called.

    A subclass implements `_serve`, which runs one child, and starts `_thread`. `_news` guards what its threads share.
    """

    def __init__(self, name: str) -> None:
        """`name`: for the log, such as "page"."""
        self._name = name
        self._news = threading.Condition()
        self._ending = False
        self._child: Child | None = None
        self._thread = threading.Thread(target=self._keep, name=name, daemon=True)

    def stop(self) -> None:
        """End the child. May be called twice."""
        with self._news:
            self._ending = True
            self._news.notify_all()
        self._thread.join(2 * END_S)

    @property
    def pid(self) -> int | None:
        """Return the child's process ID, None before the first child."""
        return self._child.process.pid if self._child is not None else None

    @abc.abstractmethod
    def _serve(self) -> str:
        """Run one child from start to end; return how it ended."""

    def _keep(self) -> None:
        """Start a new child whenever the last one has ended, until `stop` is called."""
        failed = 0
        while True:
            begun_s = time.monotonic()
            why = self._serve()
            if self._ending:
                return
            failed = 0 if time.monotonic() - begun_s > WELL_S else failed
            pause_s = PAUSES_S[min(failed, len(PAUSES_S) - 1)]
            failed += 1
            LOG.warning(
                "the %s has ended (%s); the table goes on, and the %s comes back in %g s",
                self._name,
                why,
                self._name,
                pause_s,
            )
            with self._news:
                self._news.wait_for(lambda: self._ending, pause_s)

    def _notify(self) -> None:
        with self._news:
            self._news.notify_all()
