"""The Engine without input or output: rows and now go in; the view, cues, journal rows and the next deadline come out.

The daemon, `demo`, `replay` and the tests drive this and nothing else. It numbers every event, appends each decision
right behind the event that led to it, and fires deadlines at their own instant, in order, between the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from referee.core.carried import carried
from referee.core.events import Cue, Decision, Event, Fact, Opened, Resumed, Tick
from referee.core.games.registry import game_of
from referee.core.match import advance, deadline
from referee.core.signals import Edge
from referee.core.state import Lobby, Over, Setup, State, new_state
from referee.core.units import S
from referee.core.values import dataclass
from referee.core.view import View
from referee.core.viewer import view

JournalRow = tuple[int, Event]
LONG_EVENING = 5_000
"""Rows after which a journal may begin anew: a third of an evening, and a second or two of a small board's start."""
REST_NS = 3_600 * S
"""Nobody has touched anything for so long: nobody will take back how the last match ended."""


@dataclass(frozen=True, slots=True)
class Output:
    """What has come of the input since the last `take`: journal rows in order, and sounds."""

    rows: tuple[JournalRow, ...]
    cues: tuple[Cue, ...]


def rests(state: State, at_ns: int) -> bool:
    """Whether no match is under way and nothing is left to take back: in the lobby, or an hour after the end."""
    phase = state.phase
    if isinstance(phase, Over):
        return at_ns - state.touched_at_ns >= REST_NS and not state.holds
    if not isinstance(phase, Lobby) or state.menu or state.redo or state.holds:
        return False
    return phase.kept is None or bool(game_of(phase.kept).winners(phase.kept))


class DisagreementError(ValueError):
    """A replayed decision differs from the journaled one."""


class Engine:
    """One table's match. All times are integer ns on the host's CLOCK_MONOTONIC."""

    def __init__(self, opened: Opened, seq: int = 0) -> None:
        """A fresh match; `seq` is the last number that the journal has given so far."""
        setup = Setup.from_document(opened.setup)
        self.state: State = new_state(setup, opened.at_ns, opened.boot, opened.closed, seq)
        self._through_ns = opened.at_ns - 1  # acted up to here, deadlines of this instant included
        self._rows: list[JournalRow] = []
        self._cues: list[Cue] = []
        self._opened, self._opened_seq = opened, seq + 1
        self._apply(opened)

    @classmethod
    def restored(cls, rows: Iterable[JournalRow]) -> Engine:
        """The match as its journal rows left it: a fold, every decision derived again and compared.

        A decision that the power cut off from its fact is derived and handed out by the next `take`.

        Raises DisagreementError when a decision differs, ValueError when the rows do not begin with `Opened`.
        """
        iterator = iter(rows)
        seq, first = next(iterator, (0, None))
        if not isinstance(first, Opened):
            raise ValueError("a journal begins with the event Opened")
        engine = cls(first, seq - 1)
        engine.take()
        engine.fold(iterator)
        return engine

    def fold(self, rows: Iterable[JournalRow]) -> None:
        """Apply journaled events; each decision must be the one that the facts before it lead to."""
        expected: list[Decision] = []
        for seq, event in rows:
            if expected:
                due = expected.pop(0)
                if due != event:
                    raise DisagreementError(f"event {seq}: the journal says {event}, the facts say {due}")
            step = advance(self.state, event)
            if step.state.seq != seq:
                raise DisagreementError(f"event {seq} is out of its place: {step.state.seq} was to come")
            self.state = step.state
            expected[:0] = step.decisions
        for missing in expected:  # the power went between a fact and its decision
            self._apply(missing)

    @property
    def deadline_ns(self) -> int | None:
        """When to call `intake` again even if nothing happens."""
        return deadline(self.state)

    def view(self, now_ns: int) -> View:
        """What every output shows at `now_ns`."""
        return view(self.state, now_ns)

    def intake(self, facts: Sequence[Fact], through_ns: int) -> None:
        """Facts in order of arrival, with every deadline up to `through_ns` fired at its place among them.

        `through_ns` promises that every live source has been read up to it. A row is given its place by its arrival;
        one that comes after the Engine has already acted past its stamp arrives then, and is late.
        """
        for fact in facts:
            arrival = fact.arrived_ns if isinstance(fact, Edge) else fact.at_ns
            if isinstance(fact, Resumed):
                self._apply(fact)
                self._through_ns = fact.at_ns - 1
                continue
            self._fire(arrival, inclusive=False)
            if isinstance(fact, Edge) and fact.arrived_ns <= self._through_ns:
                fact = replace(fact, arrived_ns=self._through_ns + 1)  # after every deadline that has been acted on
            self._apply(fact)
        self._fire(through_ns, inclusive=True)
        self._through_ns = max(self._through_ns, through_ns)

    def reopen(self, *, lost: bool) -> None:
        """The journal begins here anew, with the table as it stands.

        lost: what was before is not in this journal, and a match that is under way begins in the middle.
        """
        state = self.state
        kept = isinstance(state.phase, Lobby) and state.phase.kept is not None
        underway = lost and (kept or bool(state.table.teams))
        opened = replace(
            self._opened, at_ns=state.now_ns, boot=state.boot, closed=(), state=carried(state), underway=underway
        )
        self._opened, self._opened_seq = opened, state.seq + 1
        self._apply(opened)

    def has_rested(self, at_ns: int) -> bool:
        """Whether an evening is over and long: what is read at the next start had better begin after it."""
        return self.state.seq - self._opened_seq >= LONG_EVENING and rests(self.state, at_ns)

    def take(self) -> Output:
        """The rows and cues since the last call."""
        output = Output(tuple(self._rows), tuple(self._cues))
        self._rows.clear()
        self._cues.clear()
        return output

    def _fire(self, until_ns: int, *, inclusive: bool) -> None:
        while (due := self.deadline_ns) is not None and (due < until_ns or (inclusive and due == until_ns)):
            self._apply(Tick(max(due, self.state.now_ns)))

    def _apply(self, event: Event) -> None:
        queue: list[Event] = [event]
        while queue:
            event = queue.pop(0)
            step = advance(self.state, event)
            self.state = step.state
            self._rows.append((self.state.seq, event))
            self._cues += step.cues
            queue[:0] = step.decisions
