"""Both ends of a pod's line in one process and in simulated time: the firmware's pure modules and the host's link.

The line delays, loses, doubles and corrupts as a test sets it. Instants are ns of the host's clock; the pod's has
another zero and is `ppm` parts per million too fast.
"""

from __future__ import annotations

import builtins
import sys
import types
from array import array
from collections import deque
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from referee.core.pods.link import Link, News
from referee.core.units import MS, S

FIRMWARE = Path(__file__).parent.parent.parent / "firmware"
HZ = 125_000_000
CYCLES = 7
STEP_NS = 500_000
"""Interval at which a side reads, about a turn of MicroPython."""


def firmware(name: str) -> Any:
    """Load a pure module of the firmware.

    Code that MicroPython compiles natively runs as plain Python.
    """
    if "micropython" not in sys.modules:
        plain = types.ModuleType("micropython")
        vars(plain).update(viper=lambda function: function, const=lambda value: value)
        sys.modules["micropython"] = plain
        vars(builtins).update(ptr8=None, ptr32=None)  # used in annotations only
        sys.path.append(str(FIRMWARE))
    return import_module(name)


@dataclass
class FakeBoard:
    """The interface of board.py, in simulated time."""

    ppm: int = 0
    ident: bytes = bytes.fromhex("e66141040b2c3f2a")
    boot: bytes = bytes((1, 0, 0, 0))
    mhz: int = 125
    contacts: int = 8
    sync: bool = True
    common_err_ns: int = 2_000
    own_err_ns: int = 200
    shift: int = 0
    host_ns: int = 0
    zero_ns: int = -5 * S
    begun_ns: int = 0
    inbox: bytes = b""
    sent: list[bytes] = field(default_factory=list)
    takes: bool = True  # the line has room
    lit: int = 0
    lamp: int = 0
    failed: int = 0
    prompted: bool = False
    lost: int = 0
    queue: list[int] = field(default_factory=list)
    wire: list[int] = field(default_factory=list)
    words: array[int] = field(default_factory=lambda: array("I"))
    rises: bytes = b""
    raw: bytes = b""
    first_us: int = 0
    had: int = -1

    def own_ns(self, host_ns: int) -> int:
        """Return the pod's clock at an instant of the host's."""
        since = host_ns - self.zero_ns
        return since + since * self.ppm // 1_000_000

    def ticks_us(self) -> int:
        return self.own_ns(self.host_ns) // 1_000 % (1 << 30)

    def start(self) -> tuple[int, int, int]:
        self.begun_ns = self.own_ns(self.host_ns) // 1_000 * 1_000
        return self.ticks_us(), 0, 0

    def word(self, host_ns: int, level: int) -> int:
        """Return the state machine's word for that level of the pins."""
        ticks = (self.own_ns(host_ns) - self.begun_ns) * HZ // (CYCLES * S)
        return level << 24 | (0xFFFFFFFF - ticks) & 0xFFFFFF

    def feed(self) -> None: ...

    def wait(self, ms: int) -> None: ...

    def fetch(self) -> int:
        self.words, self.queue = array("I", self.queue), []
        return len(self.words)

    def pulses(self) -> int:
        self.rises, self.wire = array("I", self.wire).tobytes(), []
        return len(self.rises) // 4

    def read(self) -> int:
        end = self.inbox.find(b"\x7e") + 1 or len(self.inbox)
        self.raw, self.inbox = self.inbox[:end], self.inbox[end:]
        self.first_us = self.ticks_us()
        return len(self.raw)

    def send(self, out: bytes, length: int, ordinal: int) -> None:
        self.sent.append(bytes(out[:length]))

    def flush(self) -> bool:
        return self.takes

    def acknowledge(self, ordinal: int) -> None:
        self.had = ordinal

    def lamps(self, mask: int) -> None:
        self.lit = mask

    def light(self, on: int) -> None:
        self.lamp = on

    def selftest(self) -> int:
        return self.failed

    def prompt(self) -> None:
        self.prompted = True


class Ends:
    """A pod and a link with a line between them."""

    def __init__(self, ppm: int = 0, delay_ns: int = 300_000, began_ns: int = 1 * S) -> None:
        self.now_ns = began_ns
        self.board = FakeBoard(ppm=ppm, host_ns=began_ns)
        self.delay_ns = delay_ns
        self.link = Link(began_ns)
        self.news: list[News] = []
        self.arrived_ns: list[int] = []
        self.faults: deque[str] = deque()
        """Fates of the next frames to the host: "ok", "lost", "double", "spoilt", "cut"."""
        self.torn = False
        self._to_host: deque[tuple[int, bytes]] = deque()
        self._to_pod: deque[tuple[int, bytes]] = deque()
        self.anew(boot=1)
        self.link.open_line(self.now_ns)

    def anew(self, boot: int) -> None:
        """Start the pod with that boot number."""
        self.board.boot = boot.to_bytes(4, "little")
        self.board.host_ns = self.now_ns
        self.pod = firmware("pod").Pod(self.board, *self.board.start())

    def change(self, mask: int, at_ns: int | None = None) -> int:
        """Close exactly these contacts (bits) from that instant on, which has just passed.

        Return it.
        """
        at = self.now_ns if at_ns is None else at_ns
        self.board.queue.append(self.board.word(at, ~mask & 0xFF))
        return at

    def run(self, ns: int) -> None:
        """Run both ends for `ns`."""
        end = self.now_ns + ns
        while self.now_ns < end:
            self.now_ns += STEP_NS
            self._step()

    def _step(self) -> None:
        now, board = self.now_ns, self.board
        board.host_ns = now
        board.inbox += self._due(self._to_pod)
        self.pod.turn()
        for frame in board.sent:
            self._to_host += [(now + self.delay_ns, data) for data in self._faulty(frame) if not self.torn]
        board.sent.clear()
        data = self._due(self._to_host)
        if data:
            self._told(self.link.receive(data, now))
        self._told(self.link.tick(now))
        out = self.link.outgoing()
        if out and not self.torn:
            self._to_pod.append((now + self.delay_ns, out))

    def _told(self, news: list[News]) -> None:
        self.news += news
        self.arrived_ns += [self.now_ns] * len(news)

    def _due(self, line: deque[tuple[int, bytes]]) -> bytes:
        data = b""
        while line and line[0][0] <= self.now_ns:
            data += line.popleft()[1]
        return data

    def _faulty(self, frame: bytes) -> list[bytes]:
        fault = self.faults.popleft() if self.faults else "ok"
        middle = len(frame) // 2
        return {
            "ok": [frame],
            "lost": [],
            "double": [frame, frame],
            "spoilt": [frame[:middle] + bytes((frame[middle] ^ 0x10,)) + frame[middle + 1 :]],
            "cut": [frame[:middle]],
            "noise": [b"\x7e\x02noise", frame],
        }[fault]


FAULTS = ("ok", "lost", "double", "spoilt", "cut", "noise")
PAUSE = 20 * MS
