"""Whether the page's process still answers: a question that goes along with what it is told anyway.

Theory of operation. No timer and no message of its own: a question (`Ping`) joins the next picture or sound when the
last one is some time ago, and the page's loop answers it. Somebody who is awake anyway looks now and then (`hangs`).
So a table at which nothing happens is not woken, and a page that hangs meanwhile is found when something is to be shown
or when a visitor waits to be let in (`knocking`): then it is asked out of turn.

A machine that stood still has not answered either. It is given another look before anything is done.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable, Iterable
from threading import Lock

from referee.web.wire import Ping

EVERY_S = 10.0
"""No question sooner after the last answer."""
HANGS_S = 60.0
"""A page that has not answered for so long never will. Wide: it steps behind the referee, and a small board that is
busy starts it in tens of seconds."""
_LINE = b'{"beat": '
_WAITING = struct.Struct("=24xI")
"""Of `struct tcp_info` of a socket that listens, tcpi_unacked: how many connections nobody has accepted yet."""


class Heartbeat:
    """One process's answers. May be asked by any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: seconds."""
        self._clock = clock
        self._lock = Lock()
        self._number = 0
        self._asked_s: float | None = None
        self._next_s = clock()
        self._looked = False

    def question(self) -> Ping | None:
        """What to ask along with something else now; None while an answer is awaited, and soon after one."""
        with self._lock:
            now_s = self._clock()
            if self._asked_s is not None or now_s < self._next_s:
                return None
            self._number, self._asked_s, self._looked = self._number + 1, now_s, False
            return Ping(self._number)

    def take_answer(self, line: bytes) -> bool:
        """Whether that line of the process is an answer; one to another question is none."""
        if not line.startswith(_LINE):
            return False
        with self._lock:
            if line == answer(Ping(self._number)):
                self._asked_s, self._next_s = None, self._clock() + EVERY_S
        return True

    def hangs(self) -> bool:
        """Look: True when it has owed an answer for too long, and did so at the look before."""
        with self._lock:
            late = self._asked_s is not None and self._clock() - self._asked_s > HANGS_S
            hangs, self._looked = late and self._looked, late
            return hangs


def answer(asked: Ping) -> bytes:
    """What the page's process says to it.

    >>> answer(Ping(3))
    b'{"beat": 3}\\n'
    """
    return json.dumps({"beat": asked.number}).encode() + b"\n"


def knocking(listeners: Iterable[socket.socket]) -> bool:
    """Whether a visitor waits to be let in; the page lets everybody in at once, and closes whom it has no place for."""
    return any(_waiting(listener) for listener in listeners)


def _waiting(listener: socket.socket) -> int:
    try:
        told = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size)
        return int(_WAITING.unpack(told)[0])
    except (OSError, AttributeError, struct.error):  # no Linux, or no TCP: then pictures alone bring the question
        return 0
