"""Checks whether the page's process still answers, by a question sent with other messages.

Theory of operation. There is no timer and no separate message: a question (`Ping`) is sent with the next snapshot or
sound when the last answer is some time ago, and the page's loop answers it. Code that runs for another reason checks
now and then (`hangs`). So an idle table is not woken, and a page that hangs meanwhile is found when there is something
to show, or when a visitor waits to be accepted (`knocking`), which triggers a question at once.

After the machine was suspended the answer is late as well, so only a second late check counts.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterable
from threading import Lock

from referee.web.wire import Ping

EVERY_S = 10.0
"""Minimum time in s between the last answer and the next question."""
HANGS_S = 60.0
"""Time in s without an answer after which a page counts as hanging.

It is long because the page has a low priority, and a busy small board takes tens of seconds to start it.
"""
_WAITING = struct.Struct("=24xI")
"""Reads tcpi_unacked from `struct tcp_info`: number of connections waiting to be accepted."""


class Heartbeat:
    """Asks one process now and then for an answer, to notice if it hangs. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: returns seconds."""
        self._clock = clock
        self._lock = Lock()
        self._number = 0
        self._asked_s: float | None = None
        self._next_s = clock()
        self._looked = False

    def question(self) -> Ping | None:
        """Return the `Ping` to send now, or None.

        None: the last `Ping` has no answer yet, or the answer is less than `EVERY_S` old.
        """
        with self._lock:
            now_s = self._clock()
            if self._asked_s is not None or now_s < self._next_s:
                return None
            self._number, self._asked_s, self._looked = self._number + 1, now_s, False
            return Ping(self._number)

    def note_answer(self, number: int) -> None:
        """Record the answer to the `Ping` of that number, unless a newer `Ping` was sent."""
        with self._lock:
            if number == self._number:
                self._asked_s, self._next_s = None, self._clock() + EVERY_S

    def hangs(self) -> bool:
        """Return whether the answer is overdue, and already was at the last call of `hangs`."""
        with self._lock:
            late = self._asked_s is not None and self._clock() - self._asked_s > HANGS_S
            hangs, self._looked = late and self._looked, late
            return hangs


def knocking(listeners: Iterable[socket.socket]) -> bool:
    """Return whether a client's connection waits to be accepted.

    A page's process that works accepts each connection at once, even if only to close it.
    """
    return any(_waiting(listener) for listener in listeners)


def _waiting(listener: socket.socket) -> int:
    try:
        told = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size)
        return int(_WAITING.unpack(told)[0])
    except (OSError, AttributeError, struct.error):  # no Linux, or no TCP: then only snapshots carry the question
        return 0
