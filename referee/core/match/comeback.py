"""Restore a table from its journal. Decisions are applied as recorded.

Theory of operation. Seats, teams, settings, verdicts and sealed (final) counts are decisions. A recorded decision is
applied even if today's rules would decide differently: in the current phase if that handles it, else in the phase in
which it was taken (`apply_decision`). Facts (presses, deadlines) are applied for the contacts and the phase; the
decisions that follow from them are only compared with the recorded ones.

While both agree, the result is the exact state in which the last run ended. From the first difference on, the phase is
in doubt until a recorded decision leads to another phase. If the rows end before that, the table returns to the last
certain phase, as after an undo: a race becomes a pause, and in a count every team is asked again.

A row that raises an error, now or in the last run, is skipped. Missing rows also put the phase in doubt; their content
is not guessed. If the row of a decision is missing at the very end, the decision is derived from its fact.

A push of the knob is recorded only as a press. Which menu line it chose depends on the release of the program that was
running. If that was another release, a push without a decision puts the phase in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache

from referee.core.match import past
from referee.core.match.advance import advance, hears, idle
from referee.core.match.aside import Aside, calm, left_out, one_line, pause, play_here
from referee.core.match.transition_table import rows
from referee.core.model.events import (
    Began,
    Cleared,
    Continued,
    Corrected,
    Decision,
    Event,
    Rematched,
    Resumed,
    Sealed,
    Tick,
)
from referee.core.model.registry import game_of, rules_in_force
from referee.core.model.state import BetweenHands, Phase, State, Step, inner_of, shift_instants
from referee.core.model.transitions import Game
from referee.core.phases.lobby import Lobby, lobby_again, teams_of
from referee.core.phases.over import Over
from referee.core.phases.power_back import PowerBack
from referee.core.phases.ready import Ready, ready
from referee.core.phases.start import Starting
from referee.core.presses.signals import KNOB
from referee.core.values import replace

Watch = Callable[[int, Event, State, State], object]
"""A function called with every applied event: its number, the states before and after it."""


class Comeback:
    """A match that is being restored from its rows.

    `state`: the current state; `due`: decisions that must follow from the last fact.
    """

    def __init__(
        self, state: State, skip: Collection[int] = (), watch: Watch | None = None, release: str = "", by: str = ""
    ) -> None:
        """Start with `state`, the beginning of the evening.

        skip: numbers of rows that an earlier run skipped. watch: called with each applied row. release: the running
        version of the program. by: the version that began the evening.
        """
        self.state = state
        self.due: list[Decision] = []
        self.aside: list[Aside] = []
        self._skip, self._watch, self._release, self._written_by = skip, watch, release, by
        self._sure: State | None = None  # the last state in which derived and recorded decisions agreed
        self._why = ""
        self._unled = ""  # a recorded decision that today's rules did not derive
        self._lost: list[str] = []  # missing or skipped rows, each as a part of a sentence

    def take(self, seq: int, event: Event) -> None:
        """Apply the next row."""
        if seq != self.state.seq + 1:
            self._miss(seq)
        before = self.state
        if seq in self._skip:
            self._leave_out(event)
            return
        try:
            self._decide(event) if isinstance(event, Decision) else self._fold(event)
        except Exception as error:
            self.aside.append(Aside(seq, f"{type(event).__name__}: {one_line(error)}"))
            if isinstance(event, Decision):
                self._lost.append(f"event {seq} does not count ({one_line(error)})")
            self._doubt(f"event {seq} cannot be taken ({one_line(error)})")
            self._leave_out(event)
        if self._watch:
            self._watch(seq, event, before, self.state)

    def _miss(self, seq: int) -> None:
        first = self.state.seq + 1
        missing = f"event {first} is" if first == seq - 1 else f"events {first} to {seq - 1} are"
        self._lost.append(f"{missing} missing")
        self._doubt(f"{missing} missing")
        self.due.clear()
        self.state = replace(self.state, seq=seq - 1)

    def final_state(self) -> State:
        """Return the state after the last row. If its phase is uncertain, use the last certain one.

        A row that is missing or contradicts the rules makes the phase uncertain, until a later decision settles it.
        """
        if self._sure is None:
            return self.state
        self.due.clear()
        state, was = replace(past.bring_forward(self._sure, self.state), trail=self.state.trail), self._sure.phase
        if isinstance(was, PowerBack):
            asking = replace(was, ready=frozenset())
            return replace(state, phase=shift_instants(asking, state.now_ns - was.asked_at_ns))
        return replace(state, phase=calm(state, state.phase)) if isinstance(state.phase, Starting) else state

    @property
    def sentence(self) -> str:
        """Return a sentence about missing rows and rows with an error; "" if there were none."""
        told, phase, every = "", self.final_state().phase.name, "everything else" if self._lost else "everything"
        if self._sure is not None:
            told = f"{self._why}: the table is back in {phase}, with {every} that was decided"
        elif self._unled:
            told = f"{self._unled}: the table is in {phase}, with {every} decided"
        return "; ".join(part for part in (told, *self._lost) if part and not told.startswith(f"{part}:"))

    def _leave_out(self, event: Event) -> None:
        if self.due and same(self.due[0], event):
            self.due.pop(0)
        self.state = left_out(self.state, event)

    def _fold(self, event: Event) -> None:
        before = self.state
        if self.due:
            self._doubt(f"before event {before.seq + 1} the rules now lead to {type(self.due[0]).__name__}")
        if type(event) is Resumed:
            before, self._written_by = self.final_state(), event.release
        step = advance(before, event)
        if type(event) is Tick and idle(before, step):
            self._doubt(f"at event {before.seq + 1} nothing is due by the rules of now")
        if self._written_by != self._release and not step.decisions and _knob_was_pushed(before, step.state):
            self._doubt(f"what was chosen at the knob before event {before.seq + 2} only another release knows")
        if type(event) is Resumed and self._sure is not None:
            self._sure = step.state
        self.state, self.due = step.state, list(step.decisions)

    def _decide(self, event: Decision) -> None:
        before, derived = self.state, bool(self.due) and same(self.due[0], event)
        alike = derived or (bool(self.due) and type(self.due[0]) is type(event))
        if not alike and not self._unled and not self._lost:
            self._unled = f"the rules now do not lead to {type(event).__name__}, event {before.seq + 1}"
        step = apply_decision(before, event)
        if (other := _not_held(step.state, event)) and not self._unled:
            self._unled = f"the match that began at event {before.seq + 1} cannot be played by its own rules ({other})"
        if derived or type(step.state.phase) is not type(before.phase):
            self._sure = None
        elif self._sure is not None:
            self._sure = apply_decision(replace(self._sure, seq=before.seq, now_ns=before.now_ns), event).state
        self.state, self.due = step.state, [*step.decisions, *(self.due[1:] if alike else ())]

    def _doubt(self, why: str) -> None:
        if self._sure is None:
            self._sure, self._why = self.state, why


def same(due: Event, event: Event) -> bool:
    """Return whether the recorded decision `event` is equal to the derived decision `due`.

    For a decision that begins a match, its rules are not compared.
    """
    if isinstance(due, Began | Rematched) and isinstance(event, type(due)):
        return replace(due, rules=event.rules) == event
    return due == event


def _not_held(state: State, event: Decision) -> str:
    """Return the rules of a recorded match that this release cannot apply; "" if none.

    event: a decision. The one that begins a match contains its rules; any other gives "".
    """
    if not isinstance(event, Began | Rematched):
        return ""
    now = dict(rules_in_force(state.table.setup))
    return ", ".join(f"{name} {value}" for name, value in event.rules if now.get(name) != value)


def _knob_was_pushed(before: State, after: State) -> bool:
    return any(hold.press.station == KNOB and hold not in before.holds for hold in after.holds)


# -- the phase of a decision -------------------------------------------------------------------------------------------


def apply_decision(state: State, event: Decision) -> Step:
    """Apply the decision in the current phase, or else in the phase in which it was taken.

    Raises the error of the last attempt if no phase can apply it.
    """
    trouble: Exception = LookupError(f"no phase hears {type(event).__name__}")
    for place in _places(state, event):
        if hears(place, type(event)):
            try:
                return _check_teams(advance(place, event), event)
            except Exception as error:
                trouble = error
    raise trouble


def _check_teams(step: Step, event: Decision) -> Step:
    """Return the step, unless the decision has counts of a team that does not exist.

    Then raise LookupError: the row that formed the team is missing.
    """
    counted = {team for team, _ in event.counts} if isinstance(event, Sealed | Corrected) else set()
    if unknown := counted - {team.id for team in step.state.table.teams}:
        raise LookupError(f"there is no team {', '.join(sorted(unknown))}")
    return step


def _places(state: State, event: Decision) -> Iterator[State]:
    """Yield copies of the state, each with one phase that may handle the decision.

    First comes the current phase, then the phases that it covers (`inner_of`), then the phases in which this kind of
    decision is usual.
    """
    yield state
    phase: Phase | None = state.phase
    while phase is not None and (phase := inner_of(phase)) is not None:
        yield replace(state, phase=phase)
    if _only_phase(game_of(state.table), type(event)) is Lobby:
        yield lobby_again(state, event.at_ns).state
    elif isinstance(event, Rematched | Cleared):
        yield replace(_in_match(state, event), phase=Over(event.at_ns))
    else:
        yield from _in_hand(_in_match(state, event), event)


@cache
def _only_phase(game: Game, kind: type[Decision]) -> type[Phase] | None:
    """Return the only phase of the game that handles this decision; None if several or none do."""
    hearing = {phase for phase, trigger in rows(game) if trigger is kind}
    return next(iter(hearing)) if len(hearing) == 1 else None


def _in_hand(state: State, event: Decision) -> Iterator[State]:
    """Yield copies of the state, one per phase that may handle the decision, likeliest first.

    In order: the phase that an undo led to, the game's own phases, a phase between hands, a pause.
    """
    yield replace(state, phase=past.landing(state, event.at_ns))
    told = tuple(team for team, _ in event.counts) if isinstance(event, Sealed) else ()
    own = game_of(state.table).taken_in(state, play_here(state, told), event)
    if own is not None:
        if isinstance(state.phase, PowerBack):
            yield replace(state, phase=replace(state.phase, inner=own))
        yield replace(state, phase=own)
    yield replace(state, phase=_between_hands(state, event))
    yield replace(state, phase=pause(state))


def _between_hands(state: State, event: Decision) -> Phase:
    """Return a new phase between hands: READY, or the only other one that handles this decision."""
    only = _only_phase(game_of(state.table), type(event))
    if only is None or only is Ready or not issubclass(only, BetweenHands):
        return ready(state, event.at_ns)
    return only(event.at_ns)


def _in_match(state: State, event: Decision) -> State:
    """Return the state in a match, so that a decision about a match can be applied.

    In the lobby, continue the match that the lobby keeps. If it keeps none, begin one if there are teams.
    """
    if not isinstance(state.phase, Lobby):
        return state
    if state.phase.kept is None and not teams_of(state.table):
        return state
    begins = Began(event.at_ns) if state.phase.kept is None else Continued(event.at_ns)
    return replace(advance(state, begins).state, seq=state.seq)
