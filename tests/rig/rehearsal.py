"""Rehearse the rig's scripts at an Engine in this process: the same people and screens.

A changed screen or menu breaks a script; the suite finds that here in a second, without the virtual machine. Pins, bus
and service are tested only in the machine.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from random import Random
from types import TracebackType

from referee.config import parse
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Fact, Opened, Resumed, Turned
from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.drivers.buttons import Quadrature
from tests.rig import table as real
from tests.rig.chip import CLOSED, OPEN, Step, Write
from tests.rig.oled import WIDTH, Frame
from tests.rig.pins import BUTTONS, ENCODER_A, SHIPPED_SEATS
from tests.rig.pins import KNOB as KNOB_LINE
from tests.rig.scenarios import CONFIG, GPIO_ERR_US

ERR_NS = GPIO_ERR_US * 1000
STATIONS = {line: str(seat) for seat, line in BUTTONS.items()} | {KNOB_LINE: KNOB}
OFF_NS = 6 * S  # time in which the rig's daemon comes back
SLOW_NS = 300 * MS  # delay until the rig's daemon's rows are seen


class _Glass:
    """Replaces the display and the lamps' wires: it has each view shown."""

    def __init__(self, seen: real.Seen) -> None:
        self.lamps: list[tuple[int, tuple[int, ...]]] = []
        self._seen = seen
        self._looks: object = None
        self._frame: Frame | None = None

    def show(self, view: View) -> None:
        """Add the next view."""
        looks = view.screen, view.invert, view.toast
        if looks != self._looks:
            self._looks = looks
            packed, width = real.drawn(*looks), WIDTH // 8
            rows = (packed[at : at + width] for at in range(0, len(packed), width))
            self._frame = Frame(tuple(int.from_bytes(row, "big") for row in rows))
            self._seen.frames.append((view.now_ns, self._frame))
        lit = tuple(seat for seat, lamp in enumerate(view.lamps, 1) if lamp.lit)
        if not self.lamps or self.lamps[-1][1] != lit:
            self.lamps.append((view.now_ns, lit))

    def look(self) -> Frame | None:
        """Return the present picture."""
        return self._frame

    def close(self) -> None:
        """Do nothing."""


class Rehearsal(real.Table):
    """A table at an Engine, in simulated time."""

    def __init__(self, *, seed: int = 1, setup: Setup | None = None) -> None:
        """`setup`: of the table, if it differs from that of the scenarios."""
        self.seen = real.Seen()
        self._dice = Random(seed)
        self._met = 0
        self.display = self.wires = _Glass(self.seen)  # type: ignore[assignment]
        self._time_ns = self.right_ns = 1_000_000_000
        self._quadrature = Quadrature(OPEN, OPEN)
        self.written: list[JournalRow] = []
        self._seen_at_ns: list[int] = []
        self._told = self._deaths = 0
        self.setup = setup or parse(tomllib.loads(CONFIG)).setup(tuple(map(str, range(1, SHIPPED_SEATS + 1))))
        self.engine = Engine(Opened(self._time_ns, "rehearsal", self.setup.document()))
        self._look()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""

    def keep_together(self) -> None:
        """Do nothing: there are no threads."""

    def now_ns(self) -> int:
        return self._time_ns

    def wait(self, seconds: float) -> None:
        """Let time pass without actions."""
        self._sleep(seconds)

    def _sleep(self, seconds: float) -> None:
        end_ns = self._time_ns + round(seconds * 1e9)
        while self._time_ns < end_ns:
            nexts = (self.engine.deadline_ns, self._view.changes_at_ns)
            self._time_ns = min([end_ns, *(at_ns for at_ns in nexts if at_ns is not None and at_ns > self._time_ns)])
            self._take()

    def toggle(self, steps: list[Step], *, on_time: bool = True) -> list[Write]:
        began_ns, writes = self._time_ns, []
        for step in steps:
            at_ns = began_ns + step.at_us * 1000
            self._sleep(max(at_ns - self._time_ns, 0) / 1e9)
            self._take(*self._fact(step, at_ns))
            writes.append(Write(step.line, step.level, at_ns, at_ns))
        return writes

    def _fact(self, step: Step, at_ns: int) -> Iterator[Fact]:
        if step.line in STATIONS:
            yield Edge(STATIONS[step.line], step.level == CLOSED, at_ns, ERR_NS)
        elif steps := self._quadrature.change(**{"a" if step.line == ENCODER_A else "b": step.level}):
            yield Turned(at_ns, steps)

    def _take(self, *facts: Fact) -> None:
        before = self.engine.state
        self.engine.intake(facts, self._time_ns)
        self.written += self.engine.take().rows
        self._seen_at_ns += [self._time_ns + SLOW_NS] * (len(self.written) - len(self._seen_at_ns))
        changes_at_ns = self._view.changes_at_ns
        if self.engine.state is not before or (changes_at_ns is not None and changes_at_ns <= self._time_ns):
            self._look()

    def _look(self) -> None:
        self._view = self.engine.view(self._time_ns)
        self.display.show(self._view)  # type: ignore[attr-defined]

    # -- the daemon, see service.Service -------------------------------------------------------------------------------

    @property
    def boot(self) -> str:
        return f"rehearsal {self._deaths}"

    def news(self) -> list[JournalRow]:
        """Return the Engine's rows since the last call."""
        begin, self._told = self._told, bisect_right(self._seen_at_ns, self._time_ns)
        return self.written[begin : self._told]

    def die(self, away_s: int) -> int:
        """Restart the Engine from its rows; as in the rig, every contact is open."""
        died_ns = self._time_ns
        self._deaths += 1
        self._time_ns += OFF_NS
        self.engine = Engine.restored(self.written)
        self._take(Resumed(self._time_ns, self.boot, away_s + OFF_NS // S))
        return died_ns

    def lose_power(self, away_s: int) -> None:
        """As `die`, and `news` afterwards returns all rows again."""
        self.die(away_s)
        self._told = 0

    def is_back(self) -> None:
        """Do nothing."""
