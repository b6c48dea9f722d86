"""Child processes of the device, restarted whenever they end.

Theory of operation. A thread of the device starts the child and sends it messages over a socket. A second thread reads
the lines that the child sends back. Methods for other threads only put messages into a mailbox, so they never wait for
the child. Each end of a child is logged, and the child is restarted after a pause that grows from failure to failure.

The device looks at its children now and then (`look`). A stopped child is killed. So is one that hangs: a question is
sent with other messages when the last answer is some time ago, and the child's loop answers it. There is no timer. A
child that sends a line that is too long, or many invalid ones, is killed as well.
"""

from __future__ import annotations

import abc
import contextlib
import logging
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.protocol.processes import (
    confine,
    environment,
    is_stopped,
)

LOG = logging.getLogger("referee")
PAUSES_S = (0.5, 2.0, 10.0, 60.0)
"""Pauses in s before a child that has ended is restarted; the last one repeats."""
WELL_S = 60.0
"""Time in s that a child must have run for the next restart to use the first pause again."""
END_S = 3.0
"""Time in s that a child gets to end by itself."""
QUESTIONS = 6
"""Maximum number of questions within the time after which a child hangs. A table at rest is woken rarely."""
MOST_WRONG = 10
"""Number of invalid lines after which a child is killed."""
STEP_BACK = 10
"""By how much a child's nice value is above the referee's. It gives a lower priority."""
_BEAT = re.compile(rb'{"beat":(\d{1,18})}')


@dataclass(frozen=True)
class Program:
    """A child's program and its limits.

    name: for the log, such as "page". module: it runs by `python -m`. line_bytes: maximum bytes of a line from the
    child. memory_bytes: maximum bytes of its data. hangs_s: time in s without an answer after which it hangs.
    """

    name: str
    module: str
    line_bytes: int
    memory_bytes: int
    hangs_s: float


class Heartbeat:
    """Asks one process now and then for an answer, to notice if it hangs. Thread-safe.

    After the machine was suspended an answer is late as well, so only a second late check counts.
    """

    def __init__(self, hangs_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`hangs_s`: as in `Program`. `clock`: returns seconds."""
        self._hangs_s, self._clock = hangs_s, clock
        self._lock = threading.Lock()
        self._number = 0
        self._asked_s: float | None = None
        self._next_s = clock()
        self._looked = False

    @property
    def due(self) -> bool:
        """Return whether to ask now: no question is open, and the last answer is old enough."""
        return self._asked_s is None and self._clock() >= self._next_s

    def question(self) -> int | None:
        """Return the number of the question to send now, or None if none is due."""
        with self._lock:
            if not self.due:
                return None
            self._number, self._asked_s, self._looked = self._number + 1, self._clock(), False
            return self._number

    def note_answer(self, number: int) -> None:
        """Record the answer to the question of that number, unless a newer one was sent."""
        with self._lock:
            if number == self._number:
                self._asked_s, self._next_s = None, self._clock() + self._hangs_s / QUESTIONS

    def hangs(self) -> bool:
        """Return whether the answer is overdue, and already was at the last call of `hangs`."""
        with self._lock:
            late = self._asked_s is not None and self._clock() - self._asked_s > self._hangs_s
            hangs, self._looked = late and self._looked, late
            return hangs


class Child:
    """A running child process, the socket to it, and the thread that reads from it."""

    def __init__(self, program: Program, sockets: Sequence[socket.socket] = ()) -> None:
        """Start `python -m MODULE LINE SOCKET ...`, where the arguments are the numbers of inherited sockets.

        Raises OSError if the child cannot start.
        """
        self.gone = False
        self.rest = b""
        """The bytes for which `send_now` found no room. The next `send` sends them first."""
        self._why = ""
        self._line_bytes = program.line_bytes
        self._line, theirs = socket.socketpair()
        numbers = [theirs.fileno(), *(one.fileno() for one in sockets)]
        command = [sys.executable, "-m", program.module, *map(str, numbers)]
        try:
            with theirs:  # its own process group: the device handles Ctrl-C and ends it in good order
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, pass_fds=numbers, process_group=0, env=environment()
                )
        except BaseException:
            self._line.close()
            raise
        confine(self.process.pid, program.memory_bytes, STEP_BACK)

    def listen(self, heard: Callable[[bytes], object], ended: Callable[[], object]) -> None:
        """Start the thread that reads: call `heard` with each line, and `ended` when the child has ended."""
        self._thread = threading.Thread(target=self._listen, args=(heard, ended), name="child's lines", daemon=True)
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

    def give_up(self, why: str) -> None:
        """Kill the child and what it has started: it would not notice that the socket is closed."""
        self._why = self._why or why
        with contextlib.suppress(ProcessLookupError):
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> str:
        """End the child if it still runs; return why it has ended."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._thread.join(END_S)
        self._line.close()
        return self._why or f"status {self.process.returncode}"

    def _listen(self, heard: Callable[[bytes], object], ended: Callable[[], object]) -> None:
        # poll, because a thread in recv also wakes up whenever the child reads from its end
        readable, rest = select.poll(), b""
        readable.register(self._line, select.POLLIN)
        try:
            with contextlib.suppress(OSError):
                while not self._why and readable.poll() and (data := self._line.recv(self._line_bytes)):
                    *lines, rest = (rest + data).split(b"\n")
                    for line in lines:
                        if not self._why:
                            heard(line)
                    if len(rest) > self._line_bytes:
                        self.give_up(f"it sent a line of more than {self._line_bytes} bytes")
        finally:
            self.gone = True
            ended()


class KeptChild(abc.ABC):
    """A child that is restarted whenever it ends, until `stop` is called.

    A subclass implements the abstract methods and starts `_thread`. `_news` guards what its threads share.
    """

    def __init__(self, program: Program, sockets: Sequence[socket.socket] = ()) -> None:
        """`sockets`: the child inherits them."""
        self._program, self._sockets = program, sockets
        self._news = threading.Condition()
        self._ending = False
        self._asks = False  # whether to send a question without another message
        self._child: Child | None = None
        self._pulse = Heartbeat(program.hangs_s)
        self._wrong = 0
        self.lost = False
        """Whether the child has ended, and the next one has not answered yet."""
        self._thread = threading.Thread(target=self._keep, name=program.name, daemon=True)

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

    def look(self) -> None:
        """Kill the child if it is stopped or hangs; else ask it for an answer if one is due.

        Call `look` regularly.
        """
        child = self._child
        if child is None or child.gone:
            return
        if is_stopped(child.process.pid):
            child.give_up("it was stopped")
        elif self._pulse.hangs():
            child.give_up("it no longer answered")
        elif self._pulse.due and self._wants_answer():
            with self._news:
                self._asks = True
                self._news.notify_all()

    def _wants_answer(self) -> bool:
        """Return whether to ask the child even if there is no other message for it."""
        return True

    @abc.abstractmethod
    def _begin(self) -> None:
        """Prepare the messages for a new child. `_news` is locked."""

    @abc.abstractmethod
    def _feed(self, child: Child) -> None:
        """Send messages with `_send` until the child has ended or `stop` was called. May raise OSError."""

    @abc.abstractmethod
    def _hear(self, line: bytes) -> None:
        """Handle a line from the child. Raises ValueError if it is invalid."""

    @abc.abstractmethod
    def _ping(self, number: int) -> bytes:
        """Return the message that the child answers by `beat(number)`."""

    @abc.abstractmethod
    def _on_lost(self) -> None:
        """Handle a change of `lost`."""

    def _send(self, child: Child, data: bytes) -> None:
        """Send messages to the child, with a question if one is due. Raises OSError."""
        number = self._pulse.question()
        child.send(data if number is None else data + self._ping(number))

    def _serve(self) -> str:
        """Run one child from start to end; return how it ended."""
        with self._news:
            self._pulse, self._wrong, self._asks = Heartbeat(self._program.hangs_s), 0, False
            self._begin()
        try:
            self._child = child = Child(self._program, self._sockets)
        except OSError as exc:
            self._note(lost=True)
            return str(exc)
        child.listen(self._take, self._end)
        with contextlib.suppress(OSError):  # the child is gone; its exit status says more
            self._feed(child)
        return child.end()

    def _take(self, line: bytes) -> None:
        """Handle a line from the child, on the thread that reads."""
        if answer := _BEAT.fullmatch(line):
            self._pulse.note_answer(int(answer[1]))
            if self.lost:
                self._note(lost=False)
            return
        try:
            self._hear(line)
        except Exception as error:  # after any error the thread reads on
            LOG.warning("the %s has sent an invalid line: %s", self._program.name, error)
            self._wrong += 1
            if self._wrong >= MOST_WRONG and self._child is not None:
                self._child.give_up(f"it sent {self._wrong} invalid lines")

    def _end(self) -> None:
        self._note(lost=True)
        self._notify()

    def _note(self, *, lost: bool) -> None:
        self.lost = lost
        if not lost:
            LOG.warning("the %s is back", self._program.name)
        self._on_lost()

    def _keep(self) -> None:
        """Start a new child whenever the last one has ended, until `stop` is called."""
        failed, name = 0, self._program.name
        while True:
            begun_s = time.monotonic()
            why = self._serve()
            if self._ending:
                return
            failed = 0 if time.monotonic() - begun_s > WELL_S else failed
            pause_s = PAUSES_S[min(failed, len(PAUSES_S) - 1)]
            failed += 1
            LOG.warning(
                "the %s has ended (%s); the table goes on, and the %s comes back in %g s", name, why, name, pause_s
            )
            with self._news:
                self._news.wait_for(lambda: self._ending, pause_s)

    def _notify(self) -> None:
        with self._news:
            self._news.notify_all()
