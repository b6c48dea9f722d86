"""A line to a pod in simulated time: a flood is read in few goes, and nothing else comes later for it."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from itertools import pairwise
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from referee.core.pods import wire as podwire
from referee.core.pods.link import Link, News, Seen
from referee.core.pods.wire import make_frame
from referee.core.units import MS, S
from referee.drivers.pods.linethread import LineThread
from referee.drivers.pods.port import (
    BACKLOG,
    FLOOD_NS,
    LINE_BURST,
    LINE_HZ,
    MOST_BYTES,
    PAUSE_NS,
    Moderation,
    Port,
)

LINE = 10**6
"""A descriptor that nothing has."""
WAY_NS = 1 * MS
HELLO = podwire._HELLO.pack(podwire.VERSION, 0, 7, bytes(8), b"\2\0\0", 8, 0, 125, 2_000, 200, 0, bytes(7)) + b"\0"


def ticks(at_ns: int) -> bytes:
    """125 MHz over seven."""
    return (at_ns * 125 // 7_000).to_bytes(7, "little")


class Line:
    """A pod that reports one change at each of these instants, its line, and the kernel's part of it."""

    def __init__(self, changes_ns: Sequence[int], until_ns: int) -> None:
        self.now_ns, self.until_ns = S, until_ns
        self.reads: list[int] = []
        self.acks: list[int] = []
        self.seen: list[tuple[int, int]] = []
        self.exchanges: list[tuple[int, int]] = []
        """When each answer was there, and when it was read."""
        self._coming = [(at + WAY_NS, self._report(n, at)) for n, at in enumerate(changes_ns)]
        self._decoder = podwire.Decoder()
        self._answered: list[int] = []

    def talk(self) -> Line:
        """All of it, to the end."""
        port = Port("pod", self, Link(0), clock=lambda: self.now_ns, news=self._told, ended=lambda port, why: None)
        thread = LineThread(lambda: self.now_ns)
        with (
            patch.object(select, "select", self._select),
            patch.object(os, "read", self._read),
            patch.object(os, "write", self._write),
        ):
            thread._new.append(port)
            while self.now_ns < self.until_ns:
                thread._turn()
        thread.close()
        return self

    def close(self) -> None:
        """The line is given back."""

    def fileno(self) -> int:
        return LINE

    def _told(self, port: Port, now_ns: int, news: Sequence[News]) -> None:
        self.seen += [(item.t_ns, now_ns) for item in news if isinstance(item, Seen)]

    @staticmethod
    def _report(number: int, at_ns: int) -> bytes:
        stamp = ticks(at_ns)
        head = podwire._HEAD.pack(number % podwire.ROUND, int.from_bytes(stamp[3:], "little"))
        return make_frame(podwire.REPORT, head + podwire._ITEM.pack(stamp[:3], 8 * ((number + 1) % 2)) + b"\0")

    def _say(self, frame: bytes) -> None:
        self._coming = sorted([*self._coming, (self.now_ns + WAY_NS, frame)], key=lambda one: one[0])

    def _select(
        self, reading: list[int], writing: object, failing: object, seconds: float
    ) -> tuple[list[int], list[int], list[int]]:
        end_ns = self.now_ns + round(seconds * S)
        due = LINE in reading and bool(self._coming) and self._coming[0][0] <= end_ns
        self.now_ns = max(self.now_ns, self._coming[0][0]) if due else max(end_ns, self.now_ns + 1)
        return [LINE] if due else [], [], []

    def _read(self, descriptor: int, count: int) -> bytes:
        here = [frame for at, frame in self._coming if at <= self.now_ns]
        self._coming = self._coming[len(here) :]
        self.reads.append(self.now_ns)
        self.exchanges += [(at, self.now_ns) for at in self._answered if at <= self.now_ns]
        self._answered = [at for at in self._answered if at > self.now_ns]
        return b"".join(here)

    def _write(self, descriptor: int, data: bytes) -> int:
        for kind, payload in self._decoder.feed(data):
            if kind == podwire.ASK:
                self._say(make_frame(podwire.HELLO, HELLO))
            elif kind == podwire.SYNC:
                self._say(make_frame(podwire.ANSWER, payload + 2 * ticks(self.now_ns) + b"\0"))
                self._answered.append(self.now_ns + WAY_NS)
            elif kind == podwire.ACK:
                self.acks.append(self.now_ns)
        return len(data)


def test_a_flood_is_read_and_acknowledged_in_few_goes() -> None:
    """A change every 2 ms: each row is there, none more than the pause late, with a tenth of the reads."""
    changes = [5 * S + n * 2 * MS for n in range(1_000)]
    line = Line(changes, 8 * S).talk()
    flooded = [at for at in line.reads if changes[0] + FLOOD_NS + PAUSE_NS <= at < changes[-1]]
    assert len(line.seen) == 1_000
    assert len(flooded) <= 2 + (changes[-1] - changes[0] - FLOOD_NS) // PAUSE_NS * 11 // 10
    assert len([at for at in line.acks if at in flooded]) <= len(flooded)
    late = [told - change for change, (_, told) in zip(changes, line.seen, strict=True)]
    assert max(late) <= WAY_NS + PAUSE_NS


def test_what_comes_after_a_silence_is_read_at_once() -> None:
    """Also behind a flood; and so are the 50 edges of a call, however many buttons it has."""
    flood = [5 * S + n * 2 * MS for n in range(500)]
    call = [7 * S + n * 500_000 for n in range(400)]
    line = Line([*flood, *call], 9 * S).talk()
    assert [told - change for change, (_, told) in zip(call, line.seen[500:], strict=True)] == [WAY_NS] * 400


def test_an_exchange_of_stamps_is_not_held_up_by_a_flood() -> None:
    """Every answer is read the moment it is there: when it came is what the clock's fit is made of."""
    line = Line([5 * S + n * 3 * MS for n in range(3_000)], 15 * S).talk()
    during = [(at, read) for at, read in line.exchanges if at > 6 * S]
    assert len(during) >= 5
    assert all(at == read for at, read in during)


@given(st.lists(st.integers(1, 60 * MS), min_size=1, max_size=80), st.integers(0, 30 * MS))
def test_moderation_delays_by_its_pause_at_most_and_only_in_a_flood(gaps: list[int], pause_ns: int) -> None:
    """Whatever comes when: no longer than the pause, not in the first quarter of a second, never behind a silence."""
    moderation, now_ns = Moderation(pause_ns), 0
    reads: list[int] = []
    for gap in gaps:
        now_ns += gap
        if 0 < moderation.until_ns < now_ns:
            moderation.took(0, moderation.until_ns)  # nothing has come by then
        moderation.took(20, now_ns)
        reads.append(now_ns)
        close = [one for one, two in pairwise(reads) if two - one > 2 * pause_ns]
        since = next((two for one, two in reversed([*pairwise(reads)]) if one in close), reads[0])
        flooded = pause_ns > 0 and now_ns - since >= FLOOD_NS
        assert (moderation.until_ns > 0) is flooded
        assert not flooded or now_ns < moderation.until_ns <= now_ns + pause_ns
        assert not flooded or moderation.until_ns % pause_ns == 0  # where those of other lines are, too


def test_a_host_that_reads_late_takes_a_flood_for_no_silence() -> None:
    """Else it would read every report by itself for a quarter of a second, just when it has no time for it."""
    moderation, now_ns = Moderation(PAUSE_NS), 0
    while not moderation.until_ns:
        now_ns += PAUSE_NS
        moderation.took(20, now_ns)
    late_ns = moderation.until_ns + 2 * PAUSE_NS
    moderation.took(80, late_ns)
    assert late_ns < moderation.until_ns <= late_ns + PAUSE_NS
    moderation.took(0, moderation.until_ns)
    moderation.took(20, late_ns + 2 * PAUSE_NS + 1)
    assert moderation.until_ns == 0  # nothing had come: that was a silence


def test_whoever_is_behind_does_not_wait() -> None:
    """Half a kilobyte was waiting: the next read follows at once."""
    moderation = Moderation(PAUSE_NS)
    for at in range(1, 600 * MS, 5 * MS):
        moderation.took(20, at)
    assert moderation.until_ns > at
    moderation.took(BACKLOG, at + 5 * MS)
    assert moderation.until_ns == 0
    moderation.took(BACKLOG - 1, at + 10 * MS)
    assert moderation.until_ns > at + 10 * MS
    moderation.took(0, at + 15 * MS)  # there was nothing: whatever comes next is read at once
    assert moderation.until_ns == 0


def test_no_line_is_read_beyond_its_budget() -> None:
    """Whatever is written at the other end: so much at once and a second, also while an answer is awaited."""
    moderation, now_ns, read = Moderation(PAUSE_NS), 0, 0
    while now_ns < 10 * S:
        moderation.took(MOST_BYTES, now_ns)
        read += MOST_BYTES
        assert moderation.over is (moderation.until_ns > now_ns)
        now_ns = max(moderation.until_ns, now_ns + 1 * MS)
    assert read <= LINE_BURST + 10 * LINE_HZ + 2 * MOST_BYTES
    moderation.took(20, now_ns + 1 * S)
    assert not moderation.over
