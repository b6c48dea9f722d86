"""A simulated table in one thread: match, live loop, page's feed, bots and a visitor, in simulated time.

It uses no thread, file, socket or real clock.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from PIL.Image import Image

from referee.core.match.engine import Engine
from referee.core.model.events import Opened, Turned
from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.device.guard import Outputs
from referee.device.live import Live
from referee.device.page_output import PageOutput
from referee.device.simulated import BotOutput, Fingers
from referee.page.feed import Feed
from referee.page.simulated import Felt, Hands
from referee.protocol.gestures import Gesture, Touch, TurnKnob, apply
from referee.protocol.page import Sound
from referee.protocol.snapshot import Snapshot
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.contacts import SETTLE_NS, Move
from tests.storage.evenings.memory import MemoryJournal

ERR_NS = 300_000
SIZE = (128, 64)


@dataclass(eq=False)
class _Timer:
    call: Callable[[], object] | None

    def cancel(self) -> None:
        self.call = None


@dataclass
class Loop:
    """An event loop whose time passes only in `until`."""

    now_ns: int = 1 * S
    _queue: list[tuple[int, int, _Timer]] = field(default_factory=list)
    _order: count[int] = field(default_factory=count)

    def clock(self) -> int:
        return self.now_ns

    def call_soon_threadsafe(self, call: Callable[..., object], *arguments: Any) -> _Timer:
        return self.call_later(0, partial(call, *arguments))

    def call_later(self, delay_s: float, call: Callable[[], object]) -> _Timer:
        timer = _Timer(call)
        heapq.heappush(self._queue, (self.now_ns + round(delay_s * S), next(self._order), timer))
        return timer

    @property
    def planned(self) -> int:
        """Return the number of planned calls."""
        return sum(timer.call is not None for _, _, timer in self._queue)

    @property
    def due_ns(self) -> int | None:
        """Return the time of the next call; None if none is planned."""
        while self._queue and self._queue[0][2].call is None:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else None

    def until(self, at_ns: int) -> None:
        """Call everything that falls due up to `at_ns`."""
        while (due_ns := self.due_ns) is not None and due_ns <= at_ns:
            self.now_ns = max(self.now_ns, due_ns)
            call = heapq.heappop(self._queue)[2].call
            assert call is not None
            call()
        self.now_ns = max(self.now_ns, at_ns)


@dataclass
class Undelayed:
    """A virtual display that draws each view at once."""

    clock: Callable[[], int]
    draw: Callable[[View], Image]
    shown: Callable[[View, int], None]

    def show(self, frame: View) -> None:
        self.draw(frame)
        self.shown(frame, self.clock())

    def close(self) -> None:
        """Nothing waits."""


@dataclass
class Pages:
    """Passes the device's pictures and sounds to a feed in the same thread."""

    feed: Feed

    def publish(self, snapshot: Snapshot, *, blinks: bool) -> None:
        self.feed.publish(snapshot)

    def play(self, sound: Sound) -> None:
        self.feed.play(sound)


@dataclass
class Rows:
    """Contacts without pins: each change is a row."""

    feed: Callable[[Sequence[Any]], object]

    def touch(self, name: str, closed: bool, t_ns: int) -> None:
        self.feed([Edge(name, closed, t_ns, ERR_NS)])

    def turn(self, steps: int, t_ns: int) -> None:
        self.feed([Turned(t_ns, steps)])


class Host:
    """A table with `bots` bots, whose page a visitor has not opened yet."""

    def __init__(self, setup: Setup, bots: int, display: Callable[..., Any] | None = None) -> None:
        """`display`: creates the page's virtual display; None: one that draws at once."""
        self.loop = loop = Loop(1_000 * S)
        self.journal = MemoryJournal(report=self._durable)
        self.feed = Feed(setup.stations, clock=loop.clock)
        engine = Engine(Opened(loop.now_ns, "boot", setup.document()))
        self.page = PageOutput(Pages(self.feed), SIZE, display or partial(Undelayed, loop.clock))
        outputs = Outputs([self.page])
        self.live = Live(engine, self.journal, outputs, clock=loop.clock, drain=self._drain, slack_ns=ERR_NS)
        fingers = Fingers(Rows(self.live.feed), loop.clock)
        self.hands = Hands(partial(apply, fingers))
        told = self.feed.seat_bots, self.feed.lay
        self.bots = BotOutput(bots, fingers, self._act, loop, loop.clock, lambda: engine.state.table, *told)
        outputs.parts.append(self.bots)
        self.live.start(loop)

    def _durable(self, seq: int) -> None:
        self.live.durable(seq)

    def _drain(self) -> None:
        self.bots.deliver()

    def _act(self) -> None:
        self.bots.deliver()
        self.live.step()

    def close(self) -> None:
        self.bots.close()
        self.live.stop()
        self.page.close()


class Visitor:
    """A visitor at one seat, who sees what a page gets and presses what a page shows."""

    def __init__(self, host: Host, station: str, *, pace_percent: int = 35) -> None:
        self.host = host
        self._open = host.feed.subscribe()
        self.mailbox = self._open.__enter__()
        self.snapshot = self.mailbox.take().snapshot
        self.phases: list[str] = []
        self.sounds: list[str] = []
        self.felt: Felt | None = None
        """The cards on the page."""
        self.presses = 0
        self._moved_ns: dict[str, int] = {}
        self._mind = Bots([station], 7, pace_percent=pace_percent, quiet_ns=20 * S)
        self._mind.deal_by(lambda: cards_of(host.live.engine.state.table))
        host.hands.arrive(self)

    def play(self, until: Callable[[View], bool], most_ns: int) -> View:
        """Play until a picture on the page is the wanted one, and return it."""
        loop = self.host.loop
        end_ns = loop.now_ns + most_ns
        while not until(view := self.look()):
            assert loop.now_ns < end_ns, (view.phase, self.phases)
            due = [t for t in (loop.due_ns, self._mind.next_ns()) if t is not None]
            loop.until(max(min(due), loop.now_ns))
            for action in self._mind.moves(loop.now_ns):
                if isinstance(action, Move):
                    self._touch(action)
                else:
                    self.do(TurnKnob(action.detents))
        return view

    def look(self) -> View:
        """Return the newest view on the page."""
        letter = self.mailbox.take()
        self.sounds += [sound.name for sound in letter.sounds]
        self.felt = letter.felt or self.felt
        if letter.snapshot is not None:
            self.snapshot = letter.snapshot
        assert self.snapshot is not None
        view = self.snapshot.view
        if letter.snapshot is not None:
            if view.phase not in self.phases[-1:]:
                self.phases.append(view.phase)
            self._mind.look(view, self.host.loop.now_ns)
        return view

    def do(self, gesture: Gesture) -> None:
        """Make a gesture on the page."""
        self.host.hands.do(self, gesture)

    def _touch(self, move: Move) -> None:
        """Press or release a button on the page, which does not bounce."""
        if move.t_ns >= self._moved_ns.get(move.contact, 0) + SETTLE_NS + MS:
            self._moved_ns[move.contact] = move.t_ns
            self.presses += move.closed
            self.do(Touch(move.contact, move.closed))

    def leave(self) -> None:
        """Close the page."""
        self.host.hands.let_go(self)
        self._open.__exit__(None, None, None)
