"""A table in a test: presses, holds and turns through the Engine, in simulated time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from referee.core.match.engine import Engine
from referee.core.messages import Msg
from referee.core.model.events import Cue, Event, Opened, Resumed, Turned
from referee.core.model.table import Setup
from referee.core.model.view import Screen, View
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.core.values import Value, replace
from referee.language.display import is_known
from tests.core.lists import way_to
from tests.english import en

ERR_NS = 300_000
TAP_NS = 100 * MS
HOLD_NS = 900 * MS
BREATH_NS = 900 * MS
"""Longer than the guard, so that a new question accepts answers after it."""
PLAIN = frozenset({int, str, bool, type(None)})
"""Types that contain no message. Most values of a view have them."""
T = TypeVar("T")


def messages_in(value: object) -> Iterator[Msg]:
    """Yield the messages anywhere in a value of the core."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Msg):
            yield one
            waiting += [part for _, part in one.values]
        elif isinstance(one, tuple):
            waiting += [part for part in one if part.__class__ not in PLAIN]
        elif isinstance(one, Value):
            waiting += [part for name in one.__struct_fields__ if (part := getattr(one, name)).__class__ not in PLAIN]


@dataclass
class Sitting:
    """People at a table with these stations."""

    setup: Setup = field(default_factory=lambda: Setup(stations=("1", "2", "3", "4")))
    now_ns: int = 1 * S
    rows: list[tuple[int, Event]] = field(default_factory=list)
    cues: list[Cue] = field(default_factory=list)
    astray: list[str] = field(default_factory=list)
    _looked: tuple[object, int] = (None, 0)
    may_set_aside: bool = False
    """Whether the Engine may skip an event that raises. By default such an event fails the test."""

    def __post_init__(self) -> None:
        self.engine = Engine(Opened(self.now_ns, "boot-1", self.setup.document()))
        self._collect()

    # -- actions ---------------------------------------------------------------------------------------------------

    def wait(self, ns: int) -> Self:
        self._look_until(self.now_ns + ns)
        self.now_ns += ns
        self.engine.intake([], self.now_ns)
        self._collect()
        return self

    def until(self, at_ns: int) -> Self:
        return self.wait(max(at_ns - self.now_ns, 0))

    def edges(self, *rows: tuple[str, bool, int]) -> Self:
        """Take rows (station, closed, ns from now), in order, and move time to the last one."""
        facts = [Edge(s, closed, self.now_ns + at, ERR_NS) for s, closed, at in rows]
        self.now_ns = max(fact.t_ns for fact in facts)
        self.engine.intake(facts, self.now_ns)
        self._collect()
        return self

    def close(self, *stations: str) -> Self:
        """Press these buttons now and keep them down."""
        return self.edges(*((s, True, 0) for s in stations)).wait(2 * MS)

    def open(self, *stations: str) -> Self:
        """Release these buttons and wait until the gesture is over."""
        return self.edges(*((s, False, 0) for s in stations)).wait(50 * MS)

    def press(self, *stations: str, ns: int = TAP_NS) -> Self:
        """Press these buttons together for `ns`."""
        return self.close(*stations).wait(ns).open(*stations)

    def tap(self, *stations: str) -> Self:
        """Tap each button once, one after the other."""
        for station in stations:
            self.press(station)
        return self

    def taps(self, station: str, times: int) -> Self:
        """Tap the same button so many times."""
        return self.tap(*(station,) * times)

    def hold(self, *stations: str) -> Self:
        """Hold each button once, one after the other."""
        for station in stations:
            self.press(station, ns=HOLD_NS)
        return self

    def push(self) -> Self:
        return self.press(KNOB)

    def turn(self, steps: int) -> Self:
        self.engine.intake([Turned(self.now_ns, steps)], self.now_ns)
        self._collect()
        return self

    def choose(self, text: str) -> Self:
        """Open the knob's list if necessary, go to the line that begins with `text` at any level, and push.

        A list that the device has opened stays for a moment first, so that it accepts the push.
        """
        if not hasattr(self.view.screen, "items"):
            self.push()
        menu = self.engine.state.menu
        if menu is not None and menu.asked_at_ns is not None:
            self.until(menu.asked_at_ns + BREATH_NS)
        for line in way_to(self.engine.state, text):
            items = self.view.screen.items  # type: ignore[attr-defined]
            index = next(i for i, one in enumerate(items) if en(one).startswith(line))
            self.turn(index - self.view.screen.cursor).push()  # type: ignore[attr-defined]
        return self

    def power_cut(self, at_ns: int = 5 * S, away_s: int | None = 720, closed: tuple[str, ...] = ()) -> Self:
        """Restart the device from its journal, in a new boot whose clock begins at `at_ns`."""
        self.engine = Engine.restored(self.chapter)
        self.now_ns = at_ns
        boot = f"boot-{2 + len(self.decisions(Resumed))}"
        self.engine.intake([Resumed(at_ns, boot, away_s, closed)], at_ns)
        self._collect()
        return self

    def reopened(self, *, renamed: bool = False) -> Self:
        """Begin another evening with the same table."""
        self.engine.reopen(renamed=renamed)
        self._collect()
        return self

    # -- longer sequences ------------------------------------------------------------------------------------------

    def seated(self, *stations: str) -> Self:
        """Let these join, and begin the match."""
        self.tap(*stations)
        return self.choose("Start").wait(BREATH_NS)

    def playing(self, *stations: str) -> Self:
        """Play from the lobby, or from READY, until cards move."""
        if self.phase == "LOBBY":
            self.seated(*stations)
        if self.phase == "AGREEMENT":
            self.wait(BREATH_NS).tap(*stations)
        self.wait(BREATH_NS).tap(*stations)
        return self.until(self.engine.state.phase.armed_at_ns).wait(600 * MS)  # type: ignore[attr-defined]

    def counting(self, caller: str, *stations: str) -> Self:
        """Play a hand up to its count, called by one."""
        return self.playing(*stations).press(caller).wait(5 * S).wait(BREATH_NS)

    def count(self, station: str, left: int, lake: int, *, caller: bool = False) -> Self:
        """Enter one count by taps and holds."""
        self.taps(station, 0 if caller else left).hold(station)
        return self.taps(station, lake // 10).hold(station).taps(station, lake % 10).hold(station)

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.engine.state.phase.name

    @property
    def view(self) -> View:
        return self.engine.view(self.now_ns)

    def screen(self, kind: type[T]) -> T:
        """Return the screen, which must be of that kind."""
        shown: Screen = self.view.screen
        assert isinstance(shown, kind), f"{kind.__name__} expected, {shown} shown"
        return shown

    @property
    def lit(self) -> str:
        """Return the lamps' patterns, by station."""
        return " ".join(lamp.pattern for lamp in self.view.lamps)

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the stations whose lamp asks for a tap, or will when an answer counts."""
        lamps = self.engine.view(self.now_ns + BREATH_NS).lamps
        return tuple(lamp.station for lamp in lamps if lamp.pattern in ("slow", "double"))

    def heard(self) -> list[str]:
        """Return the cues since the last call."""
        names = [cue.name for cue in self.cues]
        self.cues.clear()
        return names

    def decisions(self, kind: type[Any]) -> list[Any]:
        """Return all decisions (or other events) of one kind so far."""
        return [event for _, event in self.rows if isinstance(event, kind)]

    @property
    def chapter(self) -> list[tuple[int, Event]]:
        """Return the rows that the journal would restore: those since it began."""
        first = max(index for index, (_, event) in enumerate(self.rows) if isinstance(event, Opened))
        return self.rows[first:]

    def _look_until(self, until_ns: int) -> None:
        """Check that the view stays the same for as long as it says: at its start and its end."""
        state, looked_until_ns = self._looked
        if state is self.engine.state and until_ns <= looked_until_ns:
            return
        shown = self._understood(self.engine.view(max(self.now_ns, self.engine.state.now_ns)))  # edges arrive late
        ends = [end for end in (shown.changes_at_ns, self.engine.deadline_ns) if end is not None]
        end_ns = min(ends, default=until_ns)
        if end_ns - 1 > shown.now_ns:
            assert replace(self.engine.view(end_ns - 1), now_ns=shown.now_ns) == shown
        if end_ns == shown.changes_at_ns != self.engine.deadline_ns:
            after = self.engine.view(end_ns)
            assert after.changes_at_ns is None or after.changes_at_ns > end_ns
            assert replace(after, now_ns=shown.now_ns, changes_at_ns=end_ns) != shown
        self._looked = self.engine.state, end_ns

    def _understood(self, shown: View) -> View:
        """Check that every message has a text, and return the view."""
        unknown = {message.key for message in messages_in(shown) if not is_known(message.key)}
        assert not unknown, unknown
        return shown

    def _collect(self) -> None:
        out = self.engine.take()
        self.rows += out.rows
        self.cues += out.cues
        self.astray += out.astray
        assert self.may_set_aside or not out.aside, out.aside
