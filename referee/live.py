"""The live loop: rows in, Engine, journal, outputs. It owns the clock and the state; it knows no device by name.

Theory of operation. Sources hand rows to `feed` from their own threads. The loop then reads every live source once
more and acts only up to the *horizon*, the instant before that read by the sources' stated error: whatever happened by
then is in, so rows and deadlines are taken in the true order of time ("inputs before deadlines"). Rows beyond the
horizon wait their fraction of a millisecond.

Every row goes to the journal, and the outputs show the newest state that is durable; only an urgent sound and the
lamps that go with it do not wait. When the journal has not answered for 2 s the table goes on under a banner.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from referee.core.comeback import Aside
from referee.core.engine import Engine, JournalRow
from referee.core.events import Cue, Fact, Turned
from referee.core.labels import clock_banner
from referee.core.signals import Edge
from referee.core.state import State
from referee.core.units import MS, S
from referee.core.view import ClockLine, Lamp, View
from referee.core.viewer import view

TOGETHER_NS = 2 * MS
"""A press is decided within so long of its first edge. Both go into one transaction: a card may take 30 ms for each, a
call that is not written when the power goes is lost, and the verdict waits behind it."""
PATIENCE_NS = 2 * S
"""Outputs wait this long for the journal, then go on unsaved."""
NOT_SAVED = "NOT SAVED"
LOG = logging.getLogger("referee")
SEE_LOG = "JOURNAL: SEE THE LOG"
CHECK_TABLE = "CHECK WHERE YOU ARE"
READ_NS = 5 * S
"""A note stands for so long at least; then whoever touches something has read it. The log and the doctor keep it."""


class Output(Protocol):
    """Something that shows the match. None of these may block or raise."""

    def show(self, view: View) -> None:
        """The picture and everything else that waits for the journal."""

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """The lamps, which may be ahead of the picture at a call."""

    def sound(self, cue: Cue) -> None:
        """A sound, now or at its instant."""


class Keeper(Protocol):
    """What the loop needs of a journal."""

    @property
    def durable_seq(self) -> int:
        """Every row up to this number survives a power cut."""

    @property
    def headless(self) -> bool:
        """Whether what is kept lacks its beginning: another `Opened` is wanted."""

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Take rows over without blocking."""

    def set_aside(self, seq: int, reason: str) -> None:
        """Have the next start skip the row of this number."""


@dataclass(slots=True)
class _Pending:
    """A state that waits for its last row to be durable, since when, and its sounds."""

    seq: int
    state: State
    cues: tuple[Cue, ...]
    since_ns: int


class Live:
    """One table, live. All methods belong to the loop's thread except `feed` and `durable`."""

    def __init__(
        self,
        engine: Engine,
        journal: Keeper,
        output: Output,
        *,
        clock: Callable[[], int],
        drain: Callable[[], object],
        slack_ns: int,
        clocks: Callable[[], tuple[ClockLine, ...]] = tuple,
    ) -> None:
        """`drain`: read every live source by a read begun now. `slack_ns`: the widest stated error of these sources.
        `clocks`: those of sources with a clock of their own, as they are known now."""
        self.engine = engine
        self._journal = journal
        self._output = output
        self._clock = clock
        self._drain = drain
        self._slack_ns = slack_ns
        self._clocks = clocks
        self._inbox: deque[Fact] = deque()
        self._waiting: list[tuple[int, int, Fact]] = []
        self._order = itertools.count()
        self._pending: deque[_Pending] = deque()
        self._shown: State = engine.state
        self._ahead: State | None = None  # at a call the lamps run ahead of the journal
        self._last_view: View | None = None
        self._last_lamps: tuple[Lamp, ...] = ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._woken = threading.Event()
        self._handed_over = 0
        self._rows: list[JournalRow] = []  # and their sounds: the journal has yet to get them
        self._cues: list[Cue] = []
        self._aside: list[Aside] = []
        self._held_ns: int | None = None  # since when they wait for what decides about them
        self.unsaved = False
        self.steps = 0
        self.note: str | None = None
        self._noted_ns: int | None = None

    # -- from any thread -------------------------------------------------------------------------------------------

    def feed(self, facts: Iterable[Fact]) -> None:
        """Rows from a source, in its order of time."""
        self._inbox.extend(facts)
        if self._inbox:
            self._wake()

    def durable(self, seq: int) -> None:
        """The journal has everything up to `seq`, or has changed its mind about being able to write."""
        self._wake()

    def poke(self) -> None:
        """Something that is shown beside the match has changed."""
        self._wake()

    def _wake(self) -> None:
        loop = self._loop  # the loop's own thread may take it away at any moment
        if loop is not None and not self._woken.is_set():
            self._woken.set()
            loop.call_soon_threadsafe(self.step)

    # -- the loop --------------------------------------------------------------------------------------------------

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin: what the Engine has said so far goes out first."""
        self._loop = loop
        self.step()

    def show_again(self) -> None:
        """An output has joined: show everything anew."""
        self._last_view, self._last_lamps = None, ()
        self.step()

    def stop(self) -> None:
        """No more steps."""
        self._hand_over()
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()

    def step(self) -> None:
        """Take in what has happened up to the horizon, act, show, and arrange to be called again."""
        self.steps += 1
        horizon = self._clock() - self._slack_ns
        if self._inbox or (due := self.engine.deadline_ns) is None or due <= horizon or self._waiting:
            self._drain()
        self._woken.clear()  # only now: what the drain has fed is taken in below, and wakes nobody
        ripe = self._ripe(horizon)
        self._begin_anew(horizon, touched=bool(ripe))
        self.engine.intake(ripe, horizon)
        self._read(ripe)
        self._collect(horizon)
        self._settle()
        self._present()
        self._again()

    def _begin_anew(self, horizon: int, *, touched: bool) -> None:
        """The journal's file has been lost, or the first touch after a long evening: where we stand begins another."""
        if self._journal.headless:
            self.engine.reopen(lost=True)
            self._take()
            self._hand_over()  # or the next step would find it headless still
            self.tell(SEE_LOG)
        elif touched and self.engine.has_rested(horizon):
            self.engine.reopen(lost=False)

    def tell(self, note: str | None) -> None:
        """A note for the people at the table, told once."""
        self.note, self._noted_ns = note, None

    def _read(self, facts: Sequence[Fact]) -> None:
        """Somebody who has had the time to read the note touches something: it goes."""
        if self._noted_ns is None or self._clock() - self._noted_ns < READ_NS:
            return
        if any(isinstance(fact, Edge | Turned) for fact in facts):
            self.tell(None)

    def _ripe(self, horizon: int) -> list[Fact]:
        """The rows that arrived by the horizon, in that order; a wired one's arrival is when it happened."""
        while self._inbox:
            fact = self._inbox.popleft()
            arrived_ns = fact.arrived_ns if isinstance(fact, Edge) else fact.at_ns
            heapq.heappush(self._waiting, (arrived_ns, next(self._order), fact))
        ripe = []
        while self._waiting and self._waiting[0][0] <= horizon:
            ripe.append(heapq.heappop(self._waiting)[2])
        return ripe

    def _decides_soon(self, horizon: int) -> bool:
        """Whether a deadline that may decide about the newest rows is about to fall; told for no longer than that."""
        due = self.engine.deadline_ns
        if due is None or due > horizon + TOGETHER_NS:
            self._held_ns = None
            return False
        self._held_ns = horizon if self._held_ns is None else self._held_ns
        return horizon < self._held_ns + TOGETHER_NS

    def _collect(self, horizon: int) -> None:
        """New rows and sounds: what is urgent, or decided, goes on at once."""
        self._take()
        if any(cue.urgent for cue in self._cues) or not self._decides_soon(horizon):
            self._hand_over()

    def _take(self) -> None:
        out = self.engine.take()
        self._rows += out.rows
        self._cues += out.cues
        self._aside += out.aside

    def _hand_over(self) -> None:
        """New rows to the journal; what is urgent straight to the ear."""
        if not self._rows:
            return
        rows, cues = tuple(self._rows), tuple(self._cues)
        self._rows.clear()
        self._cues.clear()
        self._journal.append(rows)
        self._set_aside()
        self._handed_over = rows[-1][0]
        for cue in cues:
            if cue.urgent:
                self._output.sound(cue)
        later = tuple(cue for cue in cues if not cue.urgent)
        self._pending.append(_Pending(rows[-1][0], self.engine.state, later, self._clock()))
        if any(cue.urgent for cue in cues):
            self._ahead = self.engine.state
            self._light(self._ahead)

    def _set_aside(self) -> None:
        """What the core could not take: marked, so that the next start skips it, and said."""
        for aside in self._aside:
            LOG.error("event %d is set aside: %s", aside.seq, aside.reason)
            self._journal.set_aside(aside.seq, aside.reason)
            self.tell(SEE_LOG)
        self._aside.clear()

    def _settle(self) -> None:
        """Show what has become durable; after 2 s without an answer, show it all the same, and say so."""
        now = self._clock()
        durable = self._journal.durable_seq
        late = bool(self._pending) and now - self._pending[0].since_ns >= PATIENCE_NS
        if late:
            self.unsaved = True
        elif durable >= self._handed_over:
            self.unsaved = False
        while self._pending and (self._pending[0].seq <= durable or self.unsaved):
            done = self._pending.popleft()
            self._shown = done.state
            for cue in done.cues:
                self._output.sound(cue)

    def _light(self, state: State) -> None:
        lamps = view(state, self._clock()).lamps
        if lamps != self._last_lamps:
            self._last_lamps = lamps
            self._output.lamps(lamps)

    def _present(self) -> None:
        now = self._clock()
        seen = view(self._shown, now)
        clocks = self._clocks()
        if self.note is not None and self._noted_ns is None:
            self._noted_ns = now
        banner = NOT_SAVED if self.unsaved else seen.banner or clock_banner(clocks) or self.note
        shown = replace(seen, banner=banner, clocks=clocks)
        if self._ahead is not None and self._ahead.seq <= self._shown.seq:
            self._ahead = None
        if self._ahead is not None:
            self._light(self._ahead)
        elif shown.lamps != self._last_lamps:
            self._last_lamps = shown.lamps
            self._output.lamps(shown.lamps)
        if _picture(shown) != _picture(self._last_view):
            self._output.show(shown)
        self._last_view = shown

    def _again(self) -> None:
        if self._loop is None:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        when = [
            t + self._slack_ns for t in (self.engine.deadline_ns, *(w[0] for w in self._waiting[:1])) if t is not None
        ]
        if self._last_view is not None and self._last_view.changes_at_ns is not None:
            when.append(self._last_view.changes_at_ns)
        if self._pending:
            when.append(self._pending[0].since_ns + PATIENCE_NS)
        if when:
            self._timer = self._loop.call_later(max(min(when) - self._clock(), 0) / S, self.step)


def _picture(shown: View | None) -> object:
    """What of a view is on the display and the page, lamps and instants left out."""
    if shown is None:
        return None
    strip = (shown.banner, shown.toast, shown.clocks)
    return shown.screen, shown.phase, shown.invert, shown.dim, shown.go_ns, strip
