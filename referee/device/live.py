"""The live loop: passes rows to the engine, and its results to journal and outputs.

It owns the clock and the state.

Theory of operation. Sources pass rows to `feed` from their own threads. The loop then reads every live source once more
and acts only up to the *horizon*: the time just before that read minus the sources' stated error. All rows up to the
horizon have then arrived, so rows and deadlines are processed in their true order ("inputs before deadlines"). Rows
beyond the horizon wait a fraction of a millisecond.

Every row goes to the journal. The outputs show the newest state that is durable (saved on disk); only urgent sounds and
their lamps do not wait. If the journal does not answer for 2 s, the match continues and a banner says so.

Each write costs the disk some blocks. Rows that change nothing visible (`_may_wait`) are therefore written with
the next row that does, or after `QUIET_NS`; the state without them looks the same. Two changes are shown before they
are durable: a tap that a power cut discards anyway (`Phase.after_cut`: all players are asked again whether they are
ready), and, for `ENTRY_NS`, a count that is being entered (`Phase.without_entries`), which is not final yet.

Each new state is rendered once before it is durable. If that fails, the event is skipped or the match moves to a phase
that can be shown, so the display shows an old picture for at most 2 s.

No error ends the loop. Each part of a step has its own guard: a failing picture does not keep rows from the journal,
and a failing journal does not keep calls from being judged. Facts that the journal cannot store are rejected. A step in
which the match itself fails is retried after a pause; the watchdog sees this through `stuck`.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.core.match.aside import Aside
from referee.core.match.engine import Engine, JournalRow
from referee.core.match.viewer import view
from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Fact, Tick, Turned
from referee.core.model.labels import clock_banner
from referee.core.model.lamps import DARK
from referee.core.model.state import State
from referee.core.model.view import ClockLine, Lamp, View
from referee.core.phases.device import UNPLUG_S, OffScreen
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import replace
from referee.device.floods import Floods
from referee.device.guard import Guards, Loop, Output, Timer

TOGETHER_NS = 2 * MS
"""Maximum time for which a press's first edge waits for its decision, in ns.

Both are then written at once. A card may take 30 ms per write. A call that is not written is lost when the power
fails, and the verdict waits for the write.
"""
QUIET_NS = 20 * S
"""How long rows without a visible effect (a release, a spike) may wait to be written, in ns."""
ENTRY_NS = 2 * S
"""How long an entered count may be shown before it is saved, in ns. It is final after 3 s."""
PATIENCE_NS = 2 * S
"""How long outputs wait for the journal before they show states that are not saved, in ns."""
NOT_SAVED = msg("toast.not_saved")
LOG = logging.getLogger("referee")
SEE_LOG = msg("toast.see_log")
CHECK_TABLE = msg("toast.check_table")
READ_NS = 5 * S
"""Minimum time in ns for which a note is shown. The next input after that removes it."""


SEE_REFEREE = msg("toast.see_referee")
"""The note on the display after a bug: the picture may be old."""
NO_BUTTONS = msg("toast.no_buttons")


class RowStore(Protocol):
    """The methods of the journal that `Live` uses."""

    @property
    def durable_seq(self) -> int:
        """Return the number of the last row that is saved."""

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Queue rows in order, to be saved. Does not block."""

    def set_aside(self, seq: int, reason: str) -> None:
        """Record that the next start of the program must skip this row."""


@dataclass(slots=True)
class _Pending:
    """A state that waits to be shown until the journal has saved all rows up to `seq`.

    cues: sounds to play when the state is shown. since_ns: since when the state waits.
    """

    seq: int
    state: State
    cues: tuple[Cue, ...]
    since_ns: int


class Live:
    """Runs the table: passes facts to the core, its events to the journal, its views to outputs.

    Call all methods on the loop's thread, except `feed`, `ask`, `now`, `durable` and `poke`.
    """

    def __init__(
        self,
        engine: Engine,
        journal: RowStore,
        output: Output,
        *,
        clock: Callable[[], int],
        drain: Callable[[], object],
        slack_ns: int,
        clocks: Callable[[], tuple[ClockLine, ...]] = tuple,
        guards: Guards | None = None,
        kept: Callable[[State], object] = lambda state: None,
    ) -> None:
        """`drain`: reads all wired (or simulated) buttons now. `slack_ns`: their stamps' error.

        `clocks`: returns how accurate pods' clocks are. `guards`: the guards of the whole device. `kept`: called
        with each saved state, in order.
        """
        self.engine = engine
        self._journal = journal
        self._output = output
        self._clock = clock
        self._drain = drain
        self._slack_ns = slack_ns
        self._clocks = clocks
        self._kept = kept
        self._inbox: deque[Fact] = deque()
        self._floods = Floods(clock)
        self._waiting: list[tuple[int, int, Fact]] = []
        self._order = itertools.count()
        self._asked: deque[tuple[Fact, Callable[[State], object]]] = deque()
        self._answers: deque[tuple[State, Callable[[State], object]]] = deque()
        self._dress: Callable[[View], View] = lambda seen: seen
        self._note_call: Callable[[State], object] = lambda state: None
        self._pending: deque[_Pending] = deque()
        self._unkept: list[State] = []  # shown; passed to `kept` once they are saved
        self._shown: State = engine.state
        self._ahead: State | None = None  # after a call, the state of the lamps, which do not wait for the journal
        self._last_view: View | None = None
        self._last_lamps: tuple[Lamp, ...] = ()
        self._loop: Loop | None = None
        self._timer: Timer | None = None
        self._woken = False
        self._handed_over = 0
        self._rows: list[JournalRow] = []  # rows and sounds that are not passed on yet
        self._cues: list[Cue] = []
        self._aside: list[Aside] = []
        self._astray = set[str]()
        self._held_ns: int | None = None  # since when they wait for a deadline that may decide about them
        self._quiet_ns: int | None = None  # since when they wait because they change nothing visible
        self._entry_ns: int | None = None  # since when a count is shown that is not saved
        self._look_again_ns: int | None = None  # when to check again whether the rows may wait
        self.unsaved = False
        self.steps = 0
        self.note: Msg | None = None
        self._noted_ns: int | None = None
        self._to_write: list[JournalRow] = []  # passed on, but not accepted by the journal yet
        self._guards = guards or Guards(LOG, clock)
        self._guards.changed = self.poke
        self._match = self._guards.guard("the match", SEE_REFEREE)
        self._picture = self._guards.guard("the picture", SEE_REFEREE)
        self._showing = self._guards.guard("what is shown", SEE_REFEREE)
        self._coming = self._guards.guard("the look ahead")
        self._lighting = self._guards.guard("the lamps of a call")
        self._keeping = self._guards.guard("the journal's queue", SEE_LOG)
        self._keeping_records = self._guards.guard("the records", SEE_LOG)
        self._opening = self._guards.guard("starting a new journal", SEE_LOG)
        self._source = self._guards.guard("the buttons", NO_BUTTONS)
        self._asking = self._guards.guard("the pods' clocks")
        self._answering = self._guards.guard("what a phone is told")

    # -- from any thread -------------------------------------------------------------------------------------------

    def feed(self, facts: Iterable[Fact]) -> None:
        """Take rows of a source, in time order. Rows over the source's rate limit are dropped."""
        self._inbox.extend(self._floods.admit(facts))
        if self._inbox:
            self._wake()

    def ask(self, fact: Fact, answer: Callable[[State], object]) -> None:
        """Take a fact. Call `answer` on the loop with the resulting state, once that state is shown."""
        self._asked.append((fact, answer))
        self.feed([fact])

    def now(self) -> State:
        """Return the state after the last event."""
        return self.engine.state

    def durable(self, seq: int) -> None:
        """React to a report of the journal: it has saved rows up to `seq`, failed, or works again."""
        self._wake()

    def poke(self) -> None:
        """Make a step soon. Call this if the view changes for a reason outside the match."""
        self._wake()

    def _wake(self) -> None:
        loop = self._loop  # the loop's own thread may clear it at any moment
        if loop is not None and not self._woken:
            self._woken = True
            loop.call_soon_threadsafe(self.step)

    # -- the loop --------------------------------------------------------------------------------------------------

    def start(self, loop: Loop) -> None:
        """Begin to work on this event loop: show the engine's first state."""
        self._loop = loop
        self.step()

    def dress(self, dress: Callable[[View], View], note_call: Callable[[State], object] = lambda state: None) -> None:
        """Set a function that adds the device's information to each view, such as the pairing code.

        `note_call`: called with the state when a call has opened, before the journal saves it.
        """
        self._dress, self._note_call = dress, note_call

    def show_again(self) -> None:
        """Show everything again, though nothing has changed. Call this after adding an output."""
        self._last_view, self._last_lamps = None, ()
        self.step()

    def farewell(self) -> None:
        """Show that the machine is shutting down: lamps off, a sound, and when to unplug it."""
        last, now = self._last_view, self._clock()
        if last is None:
            return
        dark = tuple(replace(lamp, lit=False, pattern=DARK.name) for lamp in last.lamps)
        self._output.lamps(dark)
        self._output.sound(Cue("hush", now, cancels=True))
        self._output.sound(Cue("fault", now))
        self._output.show(replace(last, now_ns=now, screen=OffScreen(UNPLUG_S), lamps=dark, invert=False, toast=None))

    def stop(self) -> None:
        """Pass all rows to the journal. After that, plan no more steps."""
        self._hand_over()
        if self._to_write:
            self._keeping(self._write, None)  # a last try, even during a pause
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()

    def step(self) -> None:
        """Process the rows up to the horizon, show the result, and plan the next step. Never raises."""
        self.steps += 1
        self._match(self._act, None)
        self._woken = False
        self._showing(self._show, None)
        self._again()

    def stuck(self, within_ns: int) -> bool:
        """Return whether the core has failed for longer than this, so that only a restart can help."""
        since_ns = self._match.since_ns
        return since_ns is not None and self._clock() - since_ns > within_ns

    def _act(self) -> None:
        horizon = self._clock() - self._slack_ns
        due = self.engine.deadline_ns
        if self._inbox or due is None or due <= horizon or self._waiting or self._source.lost:
            self._source(self._drain, None)
        self._inbox.extend(self._floods.back())
        self._woken = False  # only here: rows from the drain are read below and need no wake-up
        ripe = self._ripe(horizon)
        self._opening(lambda: self._begin_again(horizon, ripe), None)
        before = self.engine.state
        try:
            self.engine.intake(ripe, horizon)
        finally:
            self._read(ripe)
            self._note_asked(ripe)
            self._collect(horizon)  # first, because a sound must not wait for the rendering
            self._look_ahead(before)

    def _note_asked(self, taken: Sequence[Fact]) -> None:
        """Find the facts that came from `ask`. Each is answered once the present state is shown."""
        for fact in taken:
            found = next((one for one in self._asked if one[0] is fact), None)
            if found is not None:
                self._asked.remove(found)
                self._answers.append((self.engine.state, found[1]))

    def _begin_again(self, horizon: int, ripe: Sequence[Fact]) -> None:
        """Start a new evening with the same table if the evening is over (`Engine.has_rested`)."""
        if ripe and self.engine.has_rested(horizon, ripe):
            self.engine.reopen()

    def _look_ahead(self, before: State) -> None:
        """Try to make the new state's view. If that fails, replace the state (`Engine.take_back`)."""
        state, now = self.engine.state, self._clock()
        if state is before:
            since_ns = self._picture.since_ns
            if since_ns is None or now - since_ns < PATIENCE_NS or state is not self._shown:
                return
        if self._coming(lambda: view(state, now), None) is None:
            self._take_back(state, now)

    def _take_back(self, bad: State, now: int) -> None:
        self.engine.take_back("see the log", now)
        good = self.engine.state
        for waiting in self._pending:
            waiting.state = good if waiting.state is bad else waiting.state
        self._shown = good if self._shown is bad else self._shown
        self._ahead = good if self._ahead is bad else self._ahead
        self._take()
        self._hand_over()

    def tell(self, note: Msg | None) -> None:
        """Show this note on the display; None removes it."""
        self.note, self._noted_ns = note, None

    def _read(self, facts: Sequence[Fact]) -> None:
        """Remove the note from the display if it was shown for READ_NS and a player uses a control."""
        if self._noted_ns is None or self._clock() - self._noted_ns < READ_NS:
            return
        if any(isinstance(fact, Edge | Turned) for fact in facts):
            self.tell(None)

    def _ripe(self, horizon: int) -> list[Fact]:
        """Return the rows that arrived by the horizon, in order of arrival.

        The arrival of a wired contact's row is its stamp.
        """
        while self._inbox:
            fact = self._inbox.popleft()
            if not keepable(fact):
                LOG.error("a press or request is dropped, because the journal cannot store it: %s", fact)
                self.tell(SEE_LOG)  # the press had no effect
                continue
            arrived_ns = fact.arrived_ns if isinstance(fact, Edge) else fact.at_ns
            heapq.heappush(self._waiting, (arrived_ns, next(self._order), fact))
        ripe = []
        while self._waiting and self._waiting[0][0] <= horizon:
            ripe.append(heapq.heappop(self._waiting)[2])
        return ripe

    def _decides_soon(self, horizon: int) -> bool:
        """Return whether the core has a deadline within TOGETHER_NS, so that new rows may wait.

        The rows are then saved together with the core's decision at the deadline. They wait at most TOGETHER_NS.
        """
        due = self.engine.deadline_ns
        if due is None or due > horizon + TOGETHER_NS:
            self._held_ns = None
            return False
        self._held_ns = horizon if self._held_ns is None else self._held_ns
        return horizon < self._held_ns + TOGETHER_NS

    def _collect(self, horizon: int) -> None:
        """Take the engine's new rows and sounds. Pass them on now, unless they may wait."""
        self._take()
        self._look_again_ns = None
        urgent = self._to_write or any(cue.urgent for cue in self._cues)
        if urgent or not (self._decides_soon(horizon) or self._may_wait()):
            self._hand_over()

    def _may_wait(self) -> bool:
        """Return whether the new rows can be written later, because outputs do not depend on them."""
        silent = all(isinstance(event, Edge | Tick | Turned) for _, event in self._rows)
        if not self._rows or not silent or self._cues or self._aside or self._answers:
            return False
        now, state = self._clock(), self.engine.state
        before = self._pending[-1].state if self._pending else self._shown
        try:
            seen, known = view(state, now), view(before, now)
        except Exception:  # the error is reported when the view is shown
            return False
        self._quiet_ns = now if self._quiet_ns is None else self._quiet_ns
        if _shown_and_lit(seen) != _shown_and_lit(known):
            if self._pending or not _alike_but_for_answers(known, seen):
                return False
            if state.phase.after_cut() != before.phase.after_cut():
                if not _only_entered(before, state):
                    return False
                self._entry_ns = now if self._entry_ns is None else self._entry_ns
            self._shown = state
        elif state.phase.after_cut() != before.phase.after_cut():
            return False  # it changes what a restart restores, such as a hand's clock
        until_ns = self._quiet_ns + QUIET_NS
        until_ns = until_ns if self._entry_ns is None else min(until_ns, self._entry_ns + ENTRY_NS)
        self._look_again_ns = min(until_ns, seen.changes_at_ns or until_ns)
        return now < until_ns

    def _take(self) -> None:
        out = self.engine.take()
        self._rows += out.rows
        self._cues += out.cues
        self._aside += out.aside
        for note in out.notes:
            LOG.error("%s", note)
            self.tell(SEE_LOG)
        self._say_astray(out.astray)

    def _hand_over(self) -> None:
        """Pass new rows to the journal, play urgent sounds, and queue the state to be shown later."""
        rows, cues = tuple(self._rows), tuple(self._cues)
        self._quiet_ns = self._entry_ns = self._look_again_ns = None
        self._rows.clear()
        self._cues.clear()
        self._to_write += rows
        if self._to_write and self._keeping.due:
            self._keeping(self._write, None)
        if not rows:
            return
        self._handed_over = rows[-1][0]
        for cue in cues:
            if cue.urgent:
                self._output.sound(cue)
        later = tuple(cue for cue in cues if not cue.urgent)
        self._pending.append(_Pending(rows[-1][0], self.engine.state, later, self._clock()))
        if any(cue.urgent for cue in cues):
            self._ahead = state = self.engine.state
            self._answering(lambda: self._note_call(state), None)
            self._light(state)

    def _write(self) -> None:
        """Pass the waiting rows to the journal. Rows that it does not accept now are kept.

        If it refuses rows for good (ValueError), drop them and begin a new evening with the current table.
        """
        try:
            self._journal.append(tuple(self._to_write))
        except ValueError:
            self._to_write.clear()
            self.engine.reopen()
            self.tell(SEE_LOG)
            raise
        self._to_write.clear()
        self._set_aside()

    def _say_astray(self, sentences: Iterable[str]) -> None:
        """Log these sentences on errors in the transition table, except those logged before."""
        for sentence in sentences:
            if sentence not in self._astray:
                self._astray.add(sentence)
                LOG.error("the transition table: %s", sentence)

    def _set_aside(self) -> None:
        """Mark the events at which the core failed, so that the next start skips them."""
        for aside in self._aside:
            LOG.error("event %d is set aside: %s", aside.seq, aside.reason)
            self._journal.set_aside(aside.seq, aside.reason)
            self.tell(SEE_LOG)
        self._aside.clear()

    def _show(self) -> None:
        self._settle()
        self._present()

    def _settle(self) -> None:
        """Take the newest saved state as the one to show.

        If the journal has not answered for PATIENCE_NS, take the newest state of all.
        """
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
            if not self._unkept or self._unkept[-1].table is not done.state.table:
                self._unkept.append(done.state)
            for cue in done.cues:
                self._output.sound(cue)
        if not self.unsaved:
            for state in self._unkept:
                self._keeping_records(lambda state=state: self._kept(state), None)  # type: ignore[misc]
            self._unkept.clear()
        while self._answers and self._answers[0][0].seq <= self._shown.seq:
            state, answer = self._answers.popleft()
            self._answering(lambda answer=answer, state=state: answer(state), None)  # type: ignore[misc]

    def _light(self, state: State) -> None:
        seen = self._lighting(lambda: view(state, self._clock()), None)
        if seen is not None and seen.lamps != self._last_lamps:
            self._last_lamps = seen.lamps
            self._output.lamps(seen.lamps)

    def _present(self) -> None:
        now = self._clock()
        seen = self._picture(lambda: view(self._shown, now), None) or self._old_view(now)
        if seen is None:
            return
        nothing: tuple[ClockLine, ...] = ()
        clocks = self._asking(self._clocks, nothing)
        if self.note is not None and self._noted_ns is None:
            self._noted_ns = now
        banner = NOT_SAVED if self.unsaved else self._strip(seen, clocks)
        shown = self._dress(replace(seen, banner=banner, clocks=clocks))
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

    def _strip(self, seen: View, clocks: Sequence[ClockLine]) -> Msg | None:
        """Return the text of the banner.

        It is the first of these: the match's own banner, an inaccurate clock, a part that does not work, a note.
        """
        return seen.banner or clock_banner(clocks) or self._guards.word() or self.note

    def _old_view(self, now: int) -> View | None:
        """Return the last view that could be made, for use while the current one cannot be made.

        None if there is no view yet.
        """
        last = self._last_view
        return None if last is None else replace(last, now_ns=now, changes_at_ns=self._picture.next_ns, banner=None)

    def _again(self) -> None:
        if self._loop is None:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        when = [t for t in (*self._match_wants(), *self._outputs_want()) if t is not None]
        if when:
            self._timer = self._loop.call_later(max(min(when) - self._clock(), 0) / S, self.step)

    def _match_wants(self) -> Iterable[int | None]:
        """Return the times in ns at which the match needs a step; None counts as no time.

        While the core fails, return only the time at which to try the core again.
        """
        if self._match.lost:
            return (self._match.next_ns,)
        due, waiting = self.engine.deadline_ns, self._waiting[:1]
        stamps = (*(() if due is None else (due,)), *(arrived_ns for arrived_ns, _, _ in waiting))
        guards = self._source.next_ns, self._keeping.next_ns
        return (*(t + self._slack_ns for t in stamps), *guards, self._look_again_ns, self._floods.next_ns)

    def _outputs_want(self) -> Iterable[int | None]:
        if self._showing.lost:
            return (self._showing.next_ns,)
        changes_at_ns = None if self._last_view is None else self._last_view.changes_at_ns
        return (changes_at_ns, self._pending[0].since_ns + PATIENCE_NS if self._pending else None)


def keepable(fact: Fact) -> bool:
    """Return whether a journal can store the fact.

    Times must be 64-bit integers, and error bounds must not be negative.

    >>> keepable(Edge("1", True, 5, 3)), keepable(Edge("1", True, 5, 2**64 - 5000))
    (True, False)
    """
    if not isinstance(fact, Edge):
        return fact.at_ns in _INT64
    return fact.err_ns >= 0 and all(t_ns in _INT64 for t_ns in (fact.t_ns, fact.err_ns, fact.arrived_ns))


_INT64 = range(-(2**63), 2**63)


def _shown_and_lit(seen: View) -> object:
    """Return what people see of a view: its picture (see `_picture`) and its lamps."""
    return _picture(seen), seen.lamps


def _alike_but_for_answers(known: View, seen: View) -> bool:
    """Return whether two views show the same kind of screen.

    The screens' content, lamps and times may differ; all else is the same.
    """
    same = type(seen.screen) is type(known.screen)
    return same and _picture(replace(seen, screen=known.screen)) == _picture(known)


def _only_entered(before: State, state: State) -> bool:
    """Return whether the states' phases differ only in players' entries that are not final yet."""
    settled = state.phase.without_entries()
    return settled is not state.phase and settled == before.phase.without_entries()


def _picture(shown: View | None) -> object:
    """Return the part of a view that the display and the page show, without lamps and times."""
    if shown is None:
        return None
    strip = (shown.banner, shown.toast, shown.clocks)
    notes = tuple(line.note for line in shown.phones)
    return shown.screen, shown.phase, shown.invert, shown.dim, shown.go_ns, strip, notes
