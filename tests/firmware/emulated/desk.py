"""An emulated pod, the host's end of its line, and the arbiter, all in simulated time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

import pytest

from referee.core.pods.link import Link, News, Old, Seen, Up
from referee.core.presses.arbiter import CallRules, Verdict, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, S
from referee.drivers.pods import install as pods_install
from tests.firmware.emulated.pico import CONTACT, Line, Pico

WAKE_NS = 60 * US
"""Delay from the packet to the thread that reads it."""
REST_NS, AWAKE_NS = 840 * MS, 15 * MS
"""Parts of a long time: the processor is stopped for the first and runs for the second, repeatedly.

The counter wraps in 940 ms, and the watchdog fires after 8 s.
"""
PPM = 37
"""How much faster the pod's clock is than the host's, in parts per million."""
BOOT_NS = 10 * S
"""A pod that is not there by then has not started."""


class Simulated:
    """A Pico's time in place of the `time` of a module that waits for it."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def monotonic(self) -> float:
        return self._line.pico.now_ns / S

    def sleep(self, seconds: float) -> None:
        self._line.run(round(seconds * S))


@contextmanager
def installer(pico: Pico) -> Iterator[Line]:
    """Connect the module of `referee pod install` to that Pico and its time; yield the line."""
    line = Line(pico)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pods_install, "open_line", lambda name: line)
        patch.setattr(pods_install, "time", Simulated(line))
        yield line


def installed(image: Path, flash: Path) -> Path:
    """Install the program on that image by `referee pod install`; write the flash to the file."""
    with Pico(image) as pico, installer(pico):
        pico.run(600 * MS)
        pods_install.install("the emulated Pico", restart=False)
        pico.ask(save=str(flash))
    return flash


class Desk:
    """An emulated pod with its host; a context manager.

    `news` and `arrived_ns` grow together; `packets` counts the packets that the host has fetched.
    """

    def __init__(self, flash: Path, **options: object) -> None:
        self.pico = Pico(flash, **({"ppm": PPM} | options))
        self.link = Link(0)
        self.news: list[News] = []
        self.arrived_ns: list[int] = []
        self.reads = True
        self._heard_ns = 0
        self.spoil: Callable[[bytes], bytes] = bytes  # faults of the line to the host
        self.moved: dict[int, list[tuple[int, bool]]] = {}
        """Contact (0 is the first) -> (ns, closed) as moved."""

    def __enter__(self) -> Self:
        self.pico.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pico.__exit__(kind, exc, trace)

    @property
    def now_ns(self) -> int:
        return self.pico.now_ns

    def meet(self, settle_ns: int = 1 * S) -> None:
        """Wait until the pod is up and its clock is known from some exchanges."""
        ups, began_ns = sum(isinstance(item, Up) for item in self.news), self.now_ns
        self.link.open_line(self.now_ns)
        while sum(isinstance(item, Up) for item in self.news) == ups:
            assert self.now_ns < began_ns + BOOT_NS, "the pod does not start"
            self.run(50 * MS)
        self.run(settle_ns)

    def run(self, ns: int) -> None:
        """Run both ends for `ns`."""
        end_ns = self.now_ns + ns
        while self.now_ns < end_ns:
            self._note(self.link.tick(self.now_ns), self.now_ns)
            asked: dict[str, Any] = {"run": max(min(end_ns, self.link.due_ns), self.now_ns + 1), "stop": self.reads}
            out = self.link.outgoing()
            if out:
                asked["send"] = out.hex()
            self.ask(**asked)

    def ask(self, **question: object) -> None:
        """Send the Pico a question; the host receives what comes meanwhile."""
        for at_ns, data in self.pico.ask(**question):
            heard_ns = max(at_ns + WAKE_NS, self._heard_ns)
            self._heard_ns = heard_ns
            self._note(self.link.receive(self.spoil(data), heard_ns), heard_ns)

    def rest(self, ns: int) -> None:
        """Let a long time pass, of which the processor runs a fiftieth.

        Clocks, state machines and USB run on.
        """
        end_ns = self.now_ns + ns
        while self.now_ns + REST_NS + AWAKE_NS < end_ns:
            self.ask(stand=REST_NS)
            self.run(AWAKE_NS)
        self.run(max(end_ns - self.now_ns, 0))

    def alone(self, ns: int, **question: object) -> None:
        """Run for `ns` without a host; what comes is lost."""
        self.pico.run(ns, **question)

    def rest_alone(self, ns: int) -> None:
        """Let a long time pass as in `rest`, without a host."""
        for _ in range(ns // (REST_NS + AWAKE_NS)):
            self.pico.ask(stand=REST_NS)
            self.pico.run(AWAKE_NS)
        self.pico.run(ns % (REST_NS + AWAKE_NS))

    def _note(self, news: Sequence[News], at_ns: int) -> None:
        self.news += news
        self.arrived_ns += [at_ns] * len(news)

    # -- contacts --------------------------------------------------------------------------------------------------

    def move(self, contact: int, moves: Iterable[tuple[int, bool]]) -> None:
        """Schedule moves (ns, closed)."""
        steps = sorted(moves)
        known = self.moved.setdefault(contact, [])
        assert not known or not steps or known[-1][0] < steps[0][0], "moves are told in their order"
        known.extend(steps)
        self.pico.ask(pins=[[ns, CONTACT + contact, 0 if closed else 1] for ns, closed in steps])

    def volley(
        self, dice: Random, edges: int, players: int = 8, within_ns: int = 4 * MS, bounce_ns: int = 4 * MS
    ) -> dict[int, int]:
        """Let all press within that time, each with `edges` edges of bounce within bounce_ns, and hold.

        They let go together, 150 ms after the first, and bounce once more. Return when each pressed.
        """
        begin = self.now_ns + 5 * MS
        pressed = {contact: begin + dice.randrange(within_ns) for contact in range(players)}
        for contact, at in pressed.items():
            self.move(contact, bounce(dice, at, edges | 1, True, bounce_ns))
            released = begin + 150 * MS + dice.randrange(within_ns)
            self.move(contact, bounce(dice, released, edges | 1, False, bounce_ns))
        return pressed

    # -- rows received -------------------------------------------------------------------------------------------------

    def rows(self, since_ns: int = 0) -> list[Edge]:
        """Return the host's edge rows in order of arrival; contact 1 is station 1."""
        return [
            Edge(str(item.contact + 1), item.closed, item.t_ns, item.err_ns, arrived_ns, item.clock, item.rel_err_ns)
            for item, arrived_ns in zip(self.news, self.arrived_ns, strict=True)
            if isinstance(item, Seen) and arrived_ns >= since_ns
        ]

    def verdicts(self, since_ns: int, rules: CallRules) -> tuple[Verdict, ...]:
        """Return the arbiter's verdicts on the rows since then."""
        return arbitrate(self.rows(since_ns), rules)

    def changes(self, since_ns: int = 0) -> list[Edge]:
        """Return the rows at which a contact changed; the others repeat a level.

        After a restart some seconds after its last message, a pod reports its contacts as found: this is their level
        before its first rows, whatever its earlier rows said.
        """
        closed = 0
        changed = []
        rows = iter(self.rows())
        for item, arrived_ns in zip(self.news, self.arrived_ns, strict=True):
            if isinstance(item, Up | Old):
                closed = item.closed
            elif isinstance(item, Seen):
                row = next(rows)
                if bool(closed >> item.contact & 1) is not item.closed:
                    closed ^= 1 << item.contact
                    if arrived_ns >= since_ns:
                        changed.append(row)
        return changed

    def matched(self, since_ns: int = 0) -> list[tuple[Edge, int]]:
        """Return every change with its move; there must be one for each, in order."""
        pairs: list[tuple[Edge, int]] = []
        changes = self.changes(since_ns)
        for contact, steps in self.moved.items():
            rows = [row for row in changes if row.station == str(contact + 1)]
            moves = steps[bisect_left(steps, (since_ns, False)) :]
            assert [row.closed for row in rows] == [closed for _, closed in moves], f"contact {contact + 1}"
            pairs += zip(rows, (ns for ns, _ in moves), strict=True)
        return pairs

    def outside(self, since_ns: int = 0) -> list[tuple[Edge, int]]:
        """Return the changes outside their bound, and those whose distance from another of their clock is."""
        pairs = self.matched(since_ns)
        wrong = [(row, ns) for row, ns in pairs if abs(row.t_ns - ns) > row.err_ns]
        for clock in {row.clock for row, _ in pairs}:
            own = [(row, ns, row.t_ns - ns, row.rel_err_ns or 0) for row, ns in pairs if row.clock == clock]
            low = max(off - rel for _, _, off, rel in own)
            wrong += [(row, ns) for row, ns, off, rel in own if off + rel < low]
        return wrong

    def stray(self, since_ns: int = 0) -> list[Edge]:
        """Return changes without a move to that level within their bound, where changes were lost."""
        lone = []
        for row in self.changes(since_ns):
            moves = [ns for ns, closed in self.moved.get(int(row.station) - 1, []) if closed is row.closed]
            at = bisect_left(moves, row.t_ns - row.err_ns)
            if at == len(moves) or moves[at] > row.t_ns + row.err_ns:
                lone.append(row)
        return lone


def bounce(dice: Random, at_ns: int, edges: int, closed: bool, within_ns: int = 4 * MS) -> list[tuple[int, bool]]:
    """Return an odd number of edges that ends at that level, at least 2 us apart."""
    rest = sorted(dice.sample(range(1, within_ns // (2 * US)), edges - 1))
    times = [at_ns, *(at_ns + 2 * US * step for step in rest)]
    return [(ns, closed is (n % 2 == 0)) for n, ns in enumerate(times)]
