"""A pod that lies: its frames go through the shipped `Link` and the `Engine`."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from referee.core.match.engine import Engine
from referee.core.model.events import Fact, Linked
from referee.core.model.table import Setup
from referee.core.pods import wire
from referee.core.pods.link import Link, Seen
from referee.core.presses.arbiter import AGE_NS
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.drivers.pods.lines import rows_of
from tests.adversary.promise import Log, is_broken
from tests.core.sitting import BREATH_NS, Sitting

HONEST, LIAR = "1", "2"
HONEST_ERR_NS = 300_000
MHZ = 125
BEFORE_NS, AFTER_NS = 400 * MS, 700 * MS
AFTER_MS = (121, 122, 125, 150, 200, 300, 390, 420)
BACK_MS = (0, 1, 5, 40, 99, 101, 121, 150, 300, 1_000, 5_000, 15_000)


@dataclass(frozen=True)
class Sent:
    """One frame of the pod: when it is sent after the honest press, and how far back it claims to be.

    kind: "closed", "open", "beat", "answer" (to the open question), "hello" (it starts again), "again" (the report
    before, once more). gap: earlier changes were lost.
    """

    after_ms: int
    back_ms: int = 0
    kind: str = "closed"
    gap: bool = False


@dataclass(frozen=True)
class Strategy:
    """What a lying pod sends in a call.

    err_us: the error that it declares. lag_ms: how late presses of this table may arrive.
    """

    sent: tuple[Sent, ...]
    err_us: int = 2
    lag_ms: int = 400


def grid() -> Iterator[Strategy]:
    """Yield claim × arrival × what it said before × declared error × the table's lag."""
    before = ((), (Sent(-300, 0, "beat"),), (Sent(0, 0, "beat"), Sent(60, 0, "beat")), (Sent(-1, 0, "open"),))
    for after_ms, back_ms, said, err_us, lag_ms in product(AFTER_MS, BACK_MS, before, (2, 30_000), (30, 400)):
        yield Strategy((*said, Sent(after_ms, back_ms)), err_us, lag_ms)


def drawn(dice: Random) -> Strategy:
    """Draw a strategy."""
    times = sorted(dice.choice((*AFTER_MS, *AFTER_MS, -9, -1, 0, 2, 40, 119)) for _ in range(dice.randrange(1, 7)))
    kinds = ("closed", "closed", "open", "beat", "answer", "hello", "again")
    sent = tuple(Sent(ms, dice.choice(BACK_MS), dice.choice(kinds), dice.random() < 0.2) for ms in times)
    return Strategy(sent, dice.choice((0, 2, 300, 30_000, 65_000)), dice.choice((30, 400)))


class Liar:
    """A pod that sends any frames; its clock is 5 s behind the host's."""

    def __init__(self, now_ns: int, err_us: int) -> None:
        self.now_ns, self.link = now_ns, Link(now_ns)
        self._err_ns, self._number, self._ordinal, self._last = min(err_us * 1_000, 65_535), 0, 0, b""
        self._boot = 1
        self.link.open_line(now_ns)
        list(self.hear(self._hello()))
        for _ in range(10):
            self.now_ns += 25 * MS
            list(self.hear(self._answer()))

    def _ticks(self, back_ns: int = 0) -> int:
        return max(self.now_ns + 5 * S - back_ns, 0) * MHZ // (1_000 * wire.TICK_CYCLES)

    def _frame(self, kind: int, payload: bytes) -> bytes:
        self._ordinal = (self._ordinal + 1) % 256
        return wire.make_frame(kind, payload + bytes((self._ordinal,)))

    def _hello(self) -> bytes:
        ticks = self._ticks().to_bytes(7, "little")
        values = wire.VERSION, 0, self._boot, b"\1" * 8, b"\0\1\0", 8, 0, MHZ, self._err_ns, 200, self._number, ticks
        return self._frame(wire.HELLO, wire._HELLO.pack(*values))

    def _answer(self) -> bytes:
        self.link.tick(self.now_ns)
        for kind, payload in wire.Decoder().feed(self.link.outgoing()):
            if kind == wire.SYNC:
                ticks = self._ticks().to_bytes(7, "little")
                return self._frame(wire.ANSWER, payload + ticks + ticks)
        return b""

    def _beat(self, back_ns: int) -> bytes:
        ticks = self._ticks(back_ns).to_bytes(7, "little")
        return self._frame(wire.BEAT, wire._BEAT.pack(ticks, self._number, 0, 0, 0, 0, 0))

    def _report(self, sent: Sent) -> bytes:
        ticks = self._ticks(sent.back_ms * MS)
        flags = (sent.kind == "closed") << 27 | sent.gap << 28
        words = struct.pack("<HII", self._number, ticks >> 24, ticks & 0xFFFFFF | flags)
        self._number = (self._number + 1) % wire.ROUND
        return words

    def say(self, sent: Sent, now_ns: int) -> Iterable[Fact]:
        """Send a frame at that time; return the rows that the host makes of it."""
        self.now_ns = now_ns
        if sent.kind in ("closed", "open"):
            self._last = self._report(sent)
        if sent.kind == "hello":
            self._boot += 1
        return self.hear(self._framed(sent))

    def _framed(self, sent: Sent) -> bytes:
        if sent.kind == "beat":
            return self._beat(sent.back_ms * MS)
        if sent.kind in ("answer", "hello"):
            return self._answer() if sent.kind == "answer" else self._hello()
        return self._frame(wire.REPORT, self._last)

    def hear(self, frame: bytes) -> Iterable[Fact]:
        for news in self.link.receive(frame, self.now_ns):
            if isinstance(news, Seen) and not news.contact:
                yield from rows_of(news, LIAR, self.now_ns)


@cache
def race(lag_ms: int, age_ns: int | None) -> tuple[Engine, int]:
    """Return a table in a race, and its time: seat 1 is wired, seat 2 is on the pod."""
    setup = Setup(stations=(HONEST, LIAR), remote=(LIAR,), latency_ns=lag_ms * MS, age_ns=age_ns)
    sitting = Sitting(setup)
    sitting.engine.intake([Linked(sitting.now_ns, "pod:1", True, (LIAR,))], sitting.now_ns)
    sitting.seated(HONEST, LIAR).wait(BREATH_NS).tap(HONEST, LIAR).wait(8 * S)
    assert sitting.phase == "PLAYING"
    sitting.engine.take()
    return sitting.engine, sitting.now_ns


def breaks(strategy: Strategy, age_ns: int | None = AGE_NS) -> bool:
    """Play a call; return whether the strategy breaks the promise."""
    engine, now_ns = race(strategy.lag_ms, age_ns)
    press_ns, liar = now_ns + BEFORE_NS, Liar(now_ns, strategy.err_us)
    honest = [Edge(HONEST, closed, press_ns + ms * MS, HONEST_ERR_NS) for closed, ms in ((True, 0), (False, 80))]
    log: Log = [(edge.t_ns, [edge]) for edge in honest]
    for sent in strategy.sent:
        at_ns = press_ns + sent.after_ms * MS
        log.append((at_ns, list(liar.say(sent, at_ns))))
    log.sort(key=lambda taken: taken[0])
    log.append((press_ns + AFTER_NS, []))
    return is_broken(copy(engine), log, HONEST, LIAR)


def holes(strategies: Iterable[Strategy], seed: int = 1, age_ns: int | None = AGE_NS) -> list[Strategy]:
    """Play these strategies; return those that break the promise."""
    return [strategy for strategy in strategies if breaks(strategy, age_ns)]
