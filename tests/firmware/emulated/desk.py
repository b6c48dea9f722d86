"""An emulated pod, our own end of its line, and the arbiter: all in simulated time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

import pytest

from referee.core.arbiter import Law, Verdict, arbitrate
from referee.core.podlink import Link, News, Seen, Up
from referee.core.signals import Edge
from referee.core.units import MS, US, S
from referee.drivers import pods_install
from tests.firmware.emulated.pico import CONTACT, Line, Pico

WAKE_NS = 60 * US
"""From the packet to the thread that reads it."""
BOOT_NS = 10 * S
"""A pod that is not there by then has not started."""


def installed(image: Path, flash: Path) -> Path:
    """The program put on that image by `referee pod install`'s own hand; the flash is written to the file."""
    with Pico(image) as pico, pytest.MonkeyPatch.context() as patch:
        pico.run(1500 * MS)
        patch.setattr(pods_install, "open_line", lambda line: Line(pico))
        patch.setattr(pods_install, "PATIENCE_S", 120.0)  # of a machine that may have much else to do
        pods_install.install("the emulated Pico", restart=False)
        pico.ask(save=str(flash))
    return flash


class Desk:
    """A context manager. `news` and `arrived_ns` grow side by side; `packets` counts what the host has fetched."""

    def __init__(self, flash: Path, **options: object) -> None:
        self.pico = Pico(flash, **options)
        self.link = Link(0)
        self.news: list[News] = []
        self.arrived_ns: list[int] = []
        self.reads = True
        self.spoil: Callable[[bytes], bytes] = bytes  # what the line does to bytes on their way to the host
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

    def meet(self, settle_ns: int = 4 * S) -> None:
        """Until the pod is up, and its clock known from some exchanges."""
        self.link.opened(self.now_ns)
        while not any(isinstance(item, Up) for item in self.news):
            assert self.now_ns < BOOT_NS, "the pod does not start"
            self.run(50 * MS)
        self.run(settle_ns)

    def run(self, ns: int) -> None:
        """Both ends for so long."""
        end_ns = self.now_ns + ns
        while self.now_ns < end_ns:
            self._note(self.link.tick(self.now_ns))
            asked: dict[str, Any] = {"run": max(min(end_ns, self.link.due_ns), self.now_ns + 1), "stop": self.reads}
            out = self.link.outgoing()
            if out:
                asked["send"] = out.hex()
            for at_ns, data in self.pico.ask(**asked):
                self._note(self.link.receive(self.spoil(data), max(at_ns + WAKE_NS, self.now_ns)))

    def _note(self, news: Sequence[News]) -> None:
        self.news += news
        self.arrived_ns += [self.now_ns] * len(news)

    # -- contacts --------------------------------------------------------------------------------------------------

    def move(self, contact: int, moves: Iterable[tuple[int, bool]]) -> None:
        """(ns, closed) to come."""
        steps = sorted(moves)
        self.moved.setdefault(contact, []).extend(steps)
        self.pico.ask(pins=[[ns, CONTACT + contact, 0 if closed else 1] for ns, closed in steps])

    def volley(self, dice: Random, edges: int, players: int = 8, within_ns: int = 4 * MS) -> dict[int, int]:
        """All press within that time, each with so many edges of bounce within 4 ms, and hold; when each pressed.

        They let go together, 150 ms after the first, and bounce once more.
        """
        begin = self.now_ns + 5 * MS
        pressed = {contact: begin + dice.randrange(within_ns) for contact in range(players)}
        for contact, at in pressed.items():
            self.move(contact, bounce(dice, at, edges | 1, True))
            self.move(contact, bounce(dice, begin + 150 * MS + dice.randrange(4 * MS), edges | 1, False))
        return pressed

    # -- what came -------------------------------------------------------------------------------------------------

    def rows(self, since_ns: int = 0) -> list[Edge]:
        """What the host has as edge rows, in order of arrival; contact 1 is station 1."""
        return [
            Edge(str(item.contact + 1), item.closed, item.t_ns, item.err_ns, arrived_ns, item.clock, item.rel_err_ns)
            for item, arrived_ns in zip(self.news, self.arrived_ns, strict=True)
            if isinstance(item, Seen) and arrived_ns >= since_ns
        ]

    def verdicts(self, since_ns: int, law: Law) -> tuple[Verdict, ...]:
        """The arbiter's, on what came since."""
        return arbitrate(self.rows(since_ns), law)

    def changes(self, since_ns: int = 0) -> list[Edge]:
        """The rows at which a contact was otherwise than before; the others repeat a level."""
        level: dict[str, bool] = {}
        changed = []
        for row in self.rows():
            if level.get(row.station, False) is not row.closed and row.arrived_ns >= since_ns:
                changed.append(row)
            level[row.station] = row.closed
        return changed

    def outside(self, since_ns: int = 0) -> list[tuple[Edge, int]]:
        """The changes that lie outside their bound: each with the instant of the nearest move to that level."""
        wrong = []
        for row in self.changes(since_ns):
            moves = [ns for ns, closed in self.moved.get(int(row.station) - 1, []) if closed is row.closed]
            nearest = min(moves, key=lambda ns: abs(ns - row.t_ns))
            if abs(nearest - row.t_ns) > row.err_ns:
                wrong.append((row, nearest))
        return wrong


def bounce(dice: Random, at_ns: int, edges: int, closed: bool, within_ns: int = 4 * MS) -> list[tuple[int, bool]]:
    """An odd number of edges that ends at that level, at least 2 us apart."""
    rest = sorted(dice.sample(range(1, within_ns // (2 * US)), edges - 1))
    times = [at_ns, *(at_ns + 2 * US * step for step in rest)]
    return [(ns, closed is (n % 2 == 0)) for n, ns in enumerate(times)]
