"""The rig's scripts without the rig: the same people and the same screens, at an Engine in this process.

A screen or a menu that has changed breaks a script; here that is found in a second, by the suite, and not in the
virtual machine. What only the machine can show (pins, the bus, the service) is left to it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from random import Random
from types import TracebackType

from referee.config import parse
from referee.core.engine import Engine
from referee.core.events import Opened
from referee.core.signals import KNOB, Edge
from referee.core.view import View
from referee.screens import draw
from tests.rig import table as real
from tests.rig.chip import CLOSED, Step, Write
from tests.rig.oled import Frame
from tests.rig.scenarios import CONFIG, GPIO_ERR_US

ERR_NS = GPIO_ERR_US * 1000
STATIONS = {line: str(seat) for seat, line in real.BUTTONS.items()} | {real.KNOB: KNOB}
RESOLUTION_NS = 10_000_000


class _Glass:
    """Stands where the display and the lamps' wires stand: it knows each view that there was."""

    def __init__(self, seen: real.Seen) -> None:
        self.lamps: list[tuple[int, tuple[int, ...]]] = []
        self._seen = seen
        self._frame: Frame | None = None

    def show(self, view: View) -> None:
        """The next view."""
        image = draw(View(0, 0, "", view.screen, (), invert=view.invert, toast=view.toast))
        packed, width = image.tobytes(), image.width // 8
        rows = (packed[at : at + width] for at in range(0, len(packed), width))
        frame = Frame(tuple(int.from_bytes(row, "big") for row in rows))
        if frame != self._frame:
            self._frame = frame
            self._seen.frames.append((view.now_ns, frame))
        lit = tuple(seat for seat, lamp in enumerate(view.lamps, 1) if lamp.lit)
        if not self.lamps or self.lamps[-1][1] != lit:
            self.lamps.append((view.now_ns, lit))

    def look(self) -> Frame | None:
        """What it shows now."""
        return self._frame

    def close(self) -> None:
        """Nothing to let go."""


class Rehearsal(real.Table):
    """A table at an Engine, in time that passes when somebody waits."""

    def __init__(self, *, seed: int = 1) -> None:
        self.seen = real.Seen()
        self._dice = Random(seed)
        self._met = 0
        self.display = self.wires = _Glass(self.seen)  # type: ignore[assignment]
        self._time_ns = 1_000_000_000
        setup = parse(tomllib.loads(CONFIG)).setup(tuple(STATIONS.values())[: len(real.BUTTONS)])
        self.engine = Engine(Opened(self._time_ns, "rehearsal", setup.document()))
        self._take([])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to let go."""

    def keep_together(self) -> None:
        """There are no threads to keep."""

    def _now_ns(self) -> int:
        return self._time_ns

    def _sleep(self, seconds: float) -> None:
        end_ns = self._time_ns + round(seconds * 1e9)
        while self._time_ns < end_ns:
            self._time_ns = min(self._time_ns + RESOLUTION_NS, end_ns)
            self._take([])

    def _toggle(self, steps: list[Step]) -> list[Write]:
        began_ns, writes = self._time_ns, []
        for step in steps:
            at_ns = began_ns + step.at_us * 1000
            self._sleep(max(at_ns - self._time_ns, 0) / 1e9)
            self._take([Edge(STATIONS[step.line], step.level == CLOSED, at_ns, ERR_NS)])
            writes.append(Write(step.line, step.level, at_ns, at_ns))
        return writes

    def _take(self, edges: Iterable[Edge]) -> None:
        self.engine.intake(tuple(edges), self._time_ns)
        self.engine.take()
        self.display.show(self.engine.view(self._time_ns))  # type: ignore[attr-defined]
