"""What a decision leaves behind: the stories of its hands, and the state before it, for undo and redo.

States are values that share what they have in common, so keeping one a decision costs little (20 kB); and no more than
so many are kept (`KEPT`), or a long evening would grow with each hand. Edges between a decision
and its `Undone` stay journaled but answer nothing; only contact levels, the clock and the boot carry over.
"""

from __future__ import annotations

from typing import ClassVar, get_args

from referee.core.messages import Msg, msg
from referee.core.model.events import Began, Cue, Decision, Played, Redone, Rematched, Undone
from referee.core.model.menu import MenuAction
from referee.core.model.phase import Phase, Play, play_of, shift_instants
from referee.core.model.state import Remembered, State, Step
from referee.core.model.table import HandStory
from referee.core.model.transitions import TAKEN_BACK, MenuPlace, Row, Transition
from referee.core.phases.common import decide, stay, toast
from referee.core.phases.counting import Counting
from referee.core.phases.pause import TimeOut
from referee.core.phases.verdict import Judged
from referee.core.presses.arbiter import Verdict
from referee.core.values import replace

KEPT = 50
"""So many decisions can be undone at least: some twenty hands. Twice as many are kept at most."""
LABELS: dict[type, str] = {kind: f"undo.{kind.undo}" for kind in get_args(Decision) if kind not in (Undone, Redone)}
"""Every decision that can be undone, and the key of what people call it; a game's own move goes by its name.

A decision that does not say it (`undo` in events.py) fails here, at the import.
"""


def _keep_stories(state: State, before: State, event: Decision) -> State:
    """The state after a decision, with the match's id and as many stories as hands.

    A new hand gets its story from the phase in which it was counted; a corrected hand keeps the story at its place.
    """
    table = state.table
    if isinstance(event, Began | Rematched):
        id_ = f"{state.boot}-{event.at_ns}-{state.seq}"
        return replace(state, table=replace(table, match=id_, begun=state.seq, stories=()))
    if len(table.hands) == len(table.stories):
        return state
    stories = table.stories[: len(table.hands)]
    if len(stories) < len(table.hands):
        played_ns, verdict = _story(before.phase)
        stories = (*stories, HandStory(state.seq, played_ns or None, verdict))
    return replace(state, table=replace(table, stories=stories))


def _story(phase: Phase) -> tuple[int | None, Verdict | None]:
    """How long the hand was played that ended in that phase, and the verdict on its call; None where there was none.

    Play ends with the call's first press; presses and the clock of one stretch are times of the same boot.
    """
    last = phase.inner if isinstance(phase, Counting) else phase
    if isinstance(last, Judged) and last.verdict is not None:
        return last.play.clock_ns(min(press.t_ns for press in last.verdict.presses)), last.verdict
    play = None if last is None else play_of(last) or last
    return (getattr(play, "played_ns", None) if isinstance(play, Play) else None), None  # of a play that has a clock


def remember(state: State, before: State, event: Decision) -> State:
    """The state after a decision, able to step back over it; what could be redone is gone."""
    state = _keep_stories(state, before, event)
    label = f"undo.{event.move.replace(' ', '_')}" if isinstance(event, Played) else LABELS[type(event)]
    return replace(state, undo=_cut_chain(Remembered(state.seq, label, replace(before, redo=None))), redo=None)


def _cut_chain(last: Remembered) -> Remembered:
    """The chain of what can be undone, cut now and then where it has become too long."""
    chain = [last]
    while (older := chain[-1].state.undo) is not None:
        chain.append(older)
    if len(chain) <= 2 * KEPT:
        return last
    kept: Remembered | None = None
    for link in reversed(chain[:KEPT]):
        kept = replace(link, state=replace(link.state, undo=kept))
    return kept or last


class Undo(MenuAction):
    """Skip the last decision; what it led to is gone with it, and can be redone."""

    upsets: ClassVar[bool] = True


class Redo(MenuAction):
    """Let the decision hold again that was undone last."""

    upsets: ClassVar[bool] = True


def _undo_text(state: State, phase: Phase) -> Msg | None:
    """Where there is something to undo (a lobby's gestures undo themselves)."""
    return msg("item.undo", what=msg(state.undo.label)) if state.undo and phase.undoes else None


def _redo_text(state: State, phase: Phase) -> Msg | None:
    return msg("item.redo", what=msg(state.redo.label)) if state.redo else None


def undo(state: State, phase: Phase, action: Undo) -> Step:
    """The last decision is to be skipped."""
    return decide(state, Undone(state.now_ns, state.undo.seq)) if state.undo else stay(state)


def redo(state: State, phase: Phase, action: Redo) -> Step:
    """The decision undone last is to hold again."""
    return decide(state, Redone(state.now_ns, state.redo.seq)) if state.redo else stay(state)


def on_undone(state: State, phase: Phase, event: Undone) -> Step:
    """Back before the decision; where that is play, into TIMEOUT."""
    last = state.undo
    if last is None or last.seq != event.seq:
        return stay(state)
    back = bring_forward(last.state, state)
    again = Remembered(last.seq, last.label, replace(state, redo=None))
    back = replace(back, undo=last.state.undo, redo=again)
    return Step(toast(back, msg("toast.undone", what=msg(last.label))), (Cue("refused", state.now_ns, cancels=True),))


def on_redone(state: State, phase: Phase, event: Redone) -> Step:
    """The match as it was when the decision was undone."""
    last = state.redo
    if last is None or last.seq != event.seq:
        return stay(state)
    back = bring_forward(last.state, state)
    return Step(
        toast(back, msg("toast.redone", what=msg(last.label))), (Cue("all_counted", state.now_ns, cancels=True),)
    )


def bring_forward(then: State, now: State) -> State:
    """`then` with everything that belongs to the present; a race lands in a pause."""
    phase = landing(then, now.now_ns)
    return replace(
        then,
        now_ns=now.now_ns,
        seq=now.seq,
        boot=now.boot,
        rows=now.rows,
        touched_at_ns=now.touched_at_ns,
        contacts=now.contacts,
        away=now.away,
        phones=now.phones,
        revoked=now.revoked,
        holds=(),
        winks=(),
        blinked_at_ns=None,
        menu=None,
        phase=phase,
    )


def landing(then: State, now_ns: int) -> Phase:
    """The phase of `then` as one comes back to it: play in a pause, a count reopened, everybody asked anew."""
    phase = then.phase.under_undo(then.now_ns)
    play = phase.play_at_pause(then.now_ns)
    if play is not None:
        return TimeOut(now_ns, play.playing, play)
    return replace(shift_instants(phase, now_ns - then.now_ns).after_undo(), asked_at_ns=now_ns)


ROWS: tuple[Transition, ...] = (
    Row(Phase, Undo, undo, (), "the knob: undo", _undo_text, MenuPlace.PAST),
    Row(Phase, Redo, redo, (), "the knob: redo", _redo_text, MenuPlace.PAST),
    Row(Phase, Undone, on_undone, (TAKEN_BACK,), "the last decision does not hold"),
    Row(Phase, Redone, on_redone, (TAKEN_BACK,), "the decision undone last holds again"),
)
"""The rows of undo and redo: those of `Phase`, which every phase has."""
