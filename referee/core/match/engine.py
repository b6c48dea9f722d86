"""The Engine: one match, without input or output.

Rows and time go in; the view, sounds, journal rows and the next deadline come out. The daemon, `demo`, `replay` and
the tests use only this interface. The Engine numbers every event, appends each decision directly after its event, and
fires deadlines at their instants, in order between the rows.

No event may stop the table. An event that raises keeps its number and changes nothing else (`left_out`). `take` returns
its number and the reason, the journal marks it, and the next start skips it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import ClassVar

from referee.core.match.advance import advance, deadline, idle
from referee.core.match.aside import Aside, left_out, one_line, shows, without_deadline
from referee.core.match.comeback import Comeback, Watch, same
from referee.core.match.viewer import view
from referee.core.model.events import (
    Began,
    Continued,
    Cue,
    Decision,
    Event,
    Fact,
    Named,
    Opened,
    PhoneSat,
    Rematched,
    Resumed,
    Tick,
)
from referee.core.model.registry import can_play, game_of, presets, winners_at
from referee.core.model.state import State, Step
from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.core.phases.lobby import Lobby, new_state
from referee.core.phases.over import Over
from referee.core.phases.seating import kept_names
from referee.core.presses.signals import KNOB, Edge
from referee.core.stored import state_to_document
from referee.core.units import S
from referee.core.values import Json, Value, field, replace

JournalRow = tuple[int, Event]
LONG_FILE = 20_000
"""Number of rows after which a new evening (file) begins once a match is over.

At start-up a small board reads that many rows in 1 or 2 s.
"""
REST_NS = 3_600 * S
"""Time without input after which an evening ends.

From then on, the end of the last match cannot be undone.
"""
_BEGINNING = (Began, Rematched, Continued)


class EngineOutput(Value):
    """What the Engine produced since the last `take`: journal rows, sounds, skipped events.

    notes: sentences for the log about problems that moved the table to a phase without a deadline. No event was lost.
    astray: sentences for the log about transitions to a phase that their row does not list.
    """

    rows: list[JournalRow] = field(default_factory=list)
    cues: list[Cue] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    astray: list[str] = field(default_factory=list)


class DisagreementError(ValueError):
    """A replayed decision differs from the recorded one."""


class UndeclaredError(AssertionError):
    """A program error: a transition to an undeclared phase, or a deadline without effect."""


class Engine:
    """One table's match. All times are integer ns on the host's CLOCK_MONOTONIC."""

    strict: ClassVar[bool] = False
    """Whether an undeclared transition or a deadline without effect raises UndeclaredError.

    If False, both are logged and play continues.
    """
    sentence: str = ""
    """Which rows could not be followed when the match was restored; "" if there were none."""

    def __init__(self, opened: Opened, seq: int = 0) -> None:
        """Start a new match; `seq` is the last event number used in the journal."""
        setup, self.sentence = _playable(Setup.from_document(opened.setup))
        self.state: State = new_state(setup, opened.at_ns, opened.boot, opened.closed, seq, opened.known)
        self._through_ns = opened.at_ns - 1  # events and deadlines up to and including this time are processed
        self._out = EngineOutput()
        self._before, self._latest = self.state, list[JournalRow]()  # the last `intake`: the state before, its events
        self._opened, self._opened_seq = opened, seq + 1
        self._played = False  # whether a match was played this evening
        self._open(opened)

    @classmethod
    def restored(
        cls,
        rows: Iterable[JournalRow],
        skip: Collection[int] = (),
        release: str = "",
        watch: Watch | None = None,
    ) -> Engine:
        """Restore the match from its rows, with every decision as recorded (`comeback.py`).

        skip: numbers of rows that earlier runs skipped. release: the running program's version, as in `Opened`.
        watch: called with each event. The restored engine's `sentence` says which rows are missing or had an error. Its
        `take` returns the events skipped this time, and the decisions that follow from the last fact but were not saved
        before the power cut.

        Raises ValueError if the rows do not begin with `Opened`, KeyError if the table's game is unknown.
        """
        engine, rest = cls._begin(rows)
        if watch:
            watch(engine.state.seq, engine._opened, engine.state, engine.state)
        engine.fold(rest, skip, release, watch)
        game_of(engine.state.table)
        return engine

    @classmethod
    def derived(cls, rows: Iterable[JournalRow], skip: Collection[int] = ()) -> Engine:
        """Restore the match, but derive every decision again and compare: used by `referee replay`.

        Raises DisagreementError if a decision differs from the recorded one.
        """
        engine, rest = cls._begin(rows)
        engine.compare(rest, skip)
        return engine

    @classmethod
    def _begin(cls, rows: Iterable[JournalRow]) -> tuple[Engine, Iterator[JournalRow]]:
        rest = iter(rows)
        seq, first = next(rest, (0, None))
        if not isinstance(first, Opened):
            raise ValueError("a journal begins with the event Opened")
        engine = cls(first, seq - 1)
        engine.take()
        return engine, rest

    def fold(
        self,
        rows: Iterable[JournalRow],
        skip: Collection[int] = (),
        release: str = "",
        watch: Watch | None = None,
    ) -> None:
        """Apply recorded events, with every decision as recorded. Arguments: see `restored`.

        `take` returns the events that raised an error and were skipped.
        """
        back = Comeback(self.state, skip, watch, release, self._opened.release)
        self._opened = replace(self._opened, release=release)
        for seq, event in rows:
            back.take(seq, event)
            self._played = self._played or isinstance(event, _BEGINNING)
        self.state = back.final_state()
        self.sentence = "; ".join(filter(None, (self.sentence, back.sentence)))
        if not shows(self.state):
            self.state = without_deadline(self.state)
            self.sentence = f"event {self.state.seq} left what cannot be shown: back in {self.state.phase.name}"
        self._out.aside.extend(back.aside)
        for missing in back.due:  # the power failed between a fact and its decision
            before = self.state
            self._apply(missing)
            if watch:
                watch(before.seq + 1, missing, before, self.state)

    def compare(self, rows: Iterable[JournalRow], skip: Collection[int] = ()) -> None:
        """Apply recorded events, and compare each recorded decision with the one that facts lead to.

        Names chosen with the knob are not compared, because the offered names depend on the device's memory.
        Raises DisagreementError if a decision differs.
        """
        expected: list[Decision] = []
        for seq, event in rows:
            if seq in skip:
                expected = expected[1:] if expected and same(expected[0], event) else expected
                self.state = left_out(self.state, event)
                continue
            while expected and isinstance(expected[0], Named) and not isinstance(event, Named):
                expected.pop(0)
            if expected:
                due = expected.pop(0)
                if not same(due, event) and not _called_otherwise(due, event):
                    raise DisagreementError(f"event {seq}: the journal has {event}, but from its facts follows {due}")
            step = advance(self.state, event)
            if step.state.seq != seq:
                raise DisagreementError(f"event {seq} is out of order: expected was {step.state.seq}")
            self.state = step.state
            expected[:0] = step.decisions
        for missing in expected:  # the power failed between a fact and its decision
            self._apply(missing)

    @property
    def deadline_ns(self) -> int | None:
        """Return when to call `intake` at the latest; None if no deadline is set."""
        try:
            return deadline(self.state)
        except Exception as error:
            self._calm(f"the deadline after event {self.state.seq} cannot be told: {one_line(error)}")
            return deadline(self.state)

    def view(self, now_ns: int) -> View:
        """Return the view at `now_ns` for all outputs."""
        return view(self.state, now_ns)

    def intake(self, facts: Sequence[Fact], through_ns: int) -> None:
        """Apply facts in order of arrival, and fire every deadline up to `through_ns` in between.

        The caller promises that it has read every source up to `through_ns`. Rows are ordered by their arrival. If the
        Engine has already fired a deadline later than a row's arrival, the row counts as arriving after that deadline.
        """
        self._before, self._latest = self.state, []
        for fact in facts:
            arrival = fact.arrived_ns if isinstance(fact, Edge) else fact.at_ns
            if isinstance(fact, Resumed):
                self._apply(fact)
                self._through_ns = fact.at_ns - 1
                continue
            self._fire(arrival, inclusive=False)
            if isinstance(fact, Edge) and fact.arrived_ns <= self._through_ns:
                fact = replace(fact, arrived_ns=self._through_ns + 1)  # just after the last deadline that was acted on
            self._apply(fact)
        self._fire(through_ns, inclusive=True)
        self._through_ns = max(self._through_ns, through_ns)

    def take_back(self, reason: str, at_ns: int | None = None) -> None:
        """Replace the state, which outputs cannot draw, by one that they can draw.

        The last `intake` led to this state. at_ns: the instant for which states are drawn; None: each at its own time.

        Skip the event after which the state cannot be drawn. But keep a decision if another phase can be drawn after
        it: a verdict stays, and its count opens. Skip no event if the state before the `intake` could not be drawn
        either.
        """
        state = self._before
        for seq, event in self._latest:
            after = _after(state, event)
            if shows(state, at_ns) and not shows(after, at_ns):
                if isinstance(event, Decision) and shows(calm := without_deadline(after), at_ns):
                    after = calm
                    self._out.notes.append(
                        f"what {type(event).__name__}, event {seq}, led to cannot be shown: {reason}"
                    )
                else:
                    after = left_out(state, event)
                    self._out.aside.append(Aside(seq, f"{type(event).__name__} cannot be shown: {reason}"))
            state = after
        self.state = state
        if not shows(state, at_ns) and shows(without_deadline(state), at_ns):
            self._calm(f"{state.phase.name} cannot be shown: {reason}")
        elif (due := self.deadline_ns) is not None and due <= self._through_ns:
            self._calm(f"{state.phase.name} leads to what cannot be shown: {reason}")

    def _calm(self, why: str) -> None:
        self.state = without_deadline(self.state)
        self._out.notes.append(f"{why}; the table is in {self.state.phase.name}")

    def reopen(self, *, renamed: bool = False) -> None:
        """Begin another evening (file) with the table in its current state.

        renamed: give the current match a new id, because the record under the old id contains more hands.
        """
        state = replace(self.state, known=kept_names(self.state.known))
        if renamed:
            state = _rename_match(state)
        document = state_to_document(state)
        self._open(replace(self._opened, at_ns=state.now_ns, boot=state.boot, closed=(), state=document, known=()))

    def _open(self, opened: Opened) -> None:
        self._opened, self._opened_seq = opened, self.state.seq + 1
        self._apply(opened)
        table = self.state.table
        self._played = bool(table.match) and not isinstance(self.state.phase, Over)

    def has_rested(self, at_ns: int, facts: Sequence[Fact] = ()) -> bool:
        """Return whether the evening is over, so that a new one begins before these facts.

        It is not over while a match is being played or can be continued. Otherwise it is over an hour after the last
        input. In two cases it is over at once when a seat's button is pressed or a phone takes a seat: in a lobby that
        follows a match, and at the end of a match if the evening's file is long.
        """
        state, phase = self.state, self.state.phase
        if state.holds or state.menu or state.redo:
            return False
        rested, seat = at_ns - state.touched_at_ns >= REST_NS, any(map(_of_a_seat, facts))
        if isinstance(phase, Over):
            over = rested or (seat and state.seq - self._opened_seq > LONG_FILE)
        elif isinstance(phase, Lobby) and phase.kept is not None:
            over = bool(winners_at(phase.kept))  # the power was off for hours
        else:
            over = isinstance(phase, Lobby) and (rested or (seat and phase.again))
        return over and (self._played or kept_names(state.known) != state.known)

    def take(self) -> EngineOutput:
        """Return and clear what the Engine has produced since the last call."""
        output, self._out = self._out, EngineOutput()
        return output

    def _fire(self, until_ns: int, *, inclusive: bool) -> None:
        while (due := self.deadline_ns) is not None and (due < until_ns or (inclusive and due == until_ns)):
            before, tick = self.state, Tick(max(due, self.state.now_ns))
            self._apply(tick)
            if idle(before, Step(self.state)):  # otherwise it would fire again at once, without end
                if self.strict:
                    raise UndeclaredError(f"{before.phase.name}: its deadline changes nothing")
                self._set_aside(before, tick, "nothing comes of it")

    def _apply(self, event: Event) -> None:
        queue: list[Event] = [event]
        while queue:
            event = queue.pop(0)
            before = self.state
            self._number(before.seq + 1, event)
            try:
                step = advance(before, event)
            except Exception as error:
                self._set_aside(before, event, one_line(error))
                continue
            self.state = step.state
            self._out.cues.extend(step.cues)
            self._out.astray.extend(step.astray)
            if step.astray and self.strict:
                raise UndeclaredError("; ".join(step.astray))
            queue[:0] = step.decisions

    def _number(self, seq: int, event: Event) -> None:
        self._played = self._played or isinstance(event, _BEGINNING)
        self._out.rows.append((seq, event))
        self._latest.append((seq, event))

    def _set_aside(self, before: State, event: Event, why: str) -> None:
        self._out.aside.append(Aside(before.seq + 1, f"{type(event).__name__}: {why}"))
        self.state = replace(left_out(before, event), seq=max(self.state.seq, before.seq + 1))


def _rename_match(state: State) -> State:
    """Return the state with a new id for the match at the table or kept in the lobby."""
    id_, phase = f"{state.boot}-{state.now_ns}-{state.seq + 1}", state.phase
    if isinstance(phase, Lobby) and phase.kept is not None:
        return replace(state, phase=replace(phase, kept=replace(phase.kept, match=id_)))
    return replace(state, table=replace(state.table, match=id_)) if state.table.match else state


def _playable(setup: Setup) -> tuple[Setup, str]:
    """Return the setup without options that are not allowed, and a sentence about these options."""
    if setup.preset not in presets() or can_play(setup.preset, dict(setup.options)):
        return setup, ""
    options: dict[str, Json] = {}
    for name, value in setup.options:
        if can_play(setup.preset, options | {name: value}):
            options[name] = value
    strange = ", ".join(f"{name} {value}" for name, value in setup.options if name not in options)
    return replace(setup, options=tuple(options.items())), f"the game does not allow {strange}: left out"


def _called_otherwise(due: Decision, event: Event) -> bool:
    """Return whether both decisions are equal, but name the player of a seat differently."""
    return isinstance(due, Named) and isinstance(event, Named) and replace(due, name=event.name) == event


def _of_a_seat(fact: Fact) -> bool:
    """Return whether this fact is a press of a seat's button, or a phone that takes a seat."""
    return isinstance(fact, PhoneSat) or (isinstance(fact, Edge) and fact.closed and fact.station != KNOB)


def _after(state: State, event: Event) -> State:
    """Return the state after the event or, if it raises an error, after skipping it."""
    try:
        return advance(state, event).state
    except Exception:
        return left_out(state, event)
