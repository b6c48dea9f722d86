"""The history behind decisions: how hands were played, and earlier states to undo and redo.

States share common parts, so keeping one per decision is cheap (20 kB). At most 2 × `KEPT` are kept, so that a long
evening does not use up memory. Edges between a decision and its `Undone` stay in the journal but have no effect: undo
restores the old state with the present contact levels, clock and boot.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import DECISIONS, Began, Cue, Decision, Played, Redone, Rematched, Undone
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.registry import game_of
from referee.core.model.state import Phase, Play, Remembered, State, Step, inner_of, play_of, shift_instants
from referee.core.model.table import HandStory
from referee.core.model.transitions import TAKEN_BACK, MenuPlace, Row, Transition
from referee.core.phases.armed import head_starts
from referee.core.phases.common import BACK, decide, open_list, stay, toast
from referee.core.phases.counting import Counting, reopened
from referee.core.phases.pause import TimeOut
from referee.core.phases.verdict import Judged
from referee.core.presses.arbiter import Verdict
from referee.core.units import S
from referee.core.values import replace

KEPT = 50
"""Minimum number of decisions that can be undone, about twenty hands.

At most twice as many are kept.
"""
LABELS: dict[type, str] = {kind: f"undo.{kind.undo}" for kind in DECISIONS if kind not in (Undone, Redone)}
"""Every decision that can be undone -> the text key of its name.

A game's move has its own key. Importing this module fails if a decision has no `undo` (events.py).
"""


def _keep_stories(state: State, before: State, event: Decision) -> State:
    """Return the state after a decision, with the match's id and one `HandStory` per hand.

    A new hand's story comes from the phase in which it was counted. A corrected hand keeps its story.
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
        played = game_of(table).booked_hand(table, len(table.hands) - 1).played
        starts = tuple(head_starts(before.table, played).items())
        counted_s = 0 if state.clock_s is None else state.clock_s + state.now_ns // S
        stories = (*stories, HandStory(state.seq, played_ns or None, verdict, starts, counted_s))
    return replace(state, table=replace(table, stories=stories))


def _story(phase: Phase) -> tuple[int | None, Verdict | None]:
    """Return the play time in ns of the hand that ended in this phase, and its call's verdict.

    The time is None if the game measures none. The verdict is None without a call. Play time ends with the call's first
    press. That press and the last start of play have times of the same boot, so they can be compared.
    """
    last = phase.inner if isinstance(phase, Counting) else phase
    if isinstance(last, Judged) and last.verdict is not None:
        return last.play.clock_ns(last.verdict.presses[0].counts_ns), last.verdict
    play = None if last is None else play_of(last) or last
    return (getattr(play, "played_ns", None) if isinstance(play, Play) else None), None  # only some plays are timed


def remember(state: State, before: State, event: Decision) -> State:
    """Return `state` so that this decision can be undone and no decision can be redone."""
    state = _keep_stories(state, before, event)
    label = f"undo.{event.move.replace(' ', '_')}" if isinstance(event, Played) else LABELS[type(event)]
    return replace(state, undo=_cut_chain(Remembered(state.seq, label, replace(before, redo=None))), redo=None)


def _cut_chain(last: Remembered) -> Remembered:
    """Return the decisions that can be undone. If there are too many, drop the oldest."""
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
    """Undo the last decision and everything that followed from it.

    `sure`: the question was confirmed.
    """

    upsets: ClassVar[bool] = True
    sure: bool = False


class Redo(MenuAction):
    """Restore the decision that was undone last."""

    upsets: ClassVar[bool] = True


def _undo_text(state: State, phase: Phase) -> Msg | None:
    """Return the menu text "Undo ..."; None if there is nothing to undo.

    The lobby does not offer Undo, because there the buttons take back what they did.
    """
    return msg("item.undo", what=msg(state.undo.label)) if state.undo and phase.undoes else None


def _redo_text(state: State, phase: Phase) -> Msg | None:
    """Return the menu text "Redo ..."; None if there is nothing to redo.

    A timeout that offers Undo has no line for Redo: a push on Undo opens a list with both.
    """
    return None if isinstance(phase, TimeOut) and _undo_text(state, phase) else _redo_line(state)


def _redo_line(state: State) -> Msg | None:
    return msg("item.redo", what=msg(state.redo.label)) if state.redo else None


def in_hand(phase: Phase) -> bool:
    """Return whether a hand runs or is paused in this phase.

    If this phase covers another one (`inner_of`), the covered phase does not count.
    """
    return isinstance(phase, Play) or play_of(phase) is not None


def _drops_hand(state: State, then: State) -> bool:
    """Return whether the present hand is lost if the table returns to the state `then`."""
    same = len(then.table.hands) == len(state.table.hands) and _has_hand(then.phase)
    return _has_hand(state.phase) and not same


def _has_hand(phase: Phase | None) -> bool:
    return phase is not None and (in_hand(phase) or _has_hand(inner_of(phase)))


def undo(state: State, phase: Phase, action: Undo) -> Step:
    """Undo the last decision. If the present hand would be lost, ask for a second push."""
    last, again = state.undo, _redo_line(state) if isinstance(phase, TimeOut) else None
    if last is None:
        return stay(state)
    drops = _drops_hand(state, last.state)
    if action.sure or not (drops or again):
        return decide(state, Undone(state.now_ns, last.seq))
    text = msg("item.undo", what=msg(last.label))
    lines = (MenuLine(Undo(sure=True), text), *([MenuLine(Redo(), again)] if again else ()), BACK)
    return stay(open_list(state, lines, msg("title.drop_hand") if drops else None))


def redo(state: State, phase: Phase, action: Redo) -> Step:
    return decide(state, Redone(state.now_ns, state.redo.seq)) if state.redo else stay(state)


def on_undone(state: State, phase: Phase, event: Undone) -> Step:
    """Return to the state before the decision. If that state is play, pause it (TIMEOUT)."""
    last = state.undo
    if last is None or last.seq != event.seq:
        return stay(state)
    back = bring_forward(last.state, state)
    again = Remembered(last.seq, last.label, replace(state, redo=None))
    back = replace(back, undo=last.state.undo, redo=again)
    if event.recounts:
        back = reopened(back, last.state.phase, event.recounts)
    return Step(toast(back, msg("toast.undone", what=msg(last.label))), (Cue("refused", state.now_ns, cancels=True),))


def on_redone(state: State, phase: Phase, event: Redone) -> Step:
    """Restore the match as it was when the decision was undone."""
    last = state.redo
    if last is None or last.seq != event.seq:
        return stay(state)
    back = bring_forward(last.state, state)
    return Step(
        toast(back, msg("toast.redone", what=msg(last.label))), (Cue("all_counted", state.now_ns, cancels=True),)
    )


def bring_forward(then: State, now: State) -> State:
    """Return the old state `then` with clock, contacts and links of `now`. Pause a hand in play."""
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
        clock_s=now.clock_s,
        offered=now.offered,
        offered_game=now.offered_game,
        offered_options=now.offered_options,
        phones=now.phones,
        revoked=now.revoked,
        holds=(),
        winks=(),
        blinked_at_ns=None,
        menu=None,
        phase=phase,
    )


def landing(then: State, now_ns: int) -> Phase:
    """Return the phase that the table enters when it returns to the state `then`.

    If the state is in play, the phase is a pause. If its phase asks the players something, it asks them again.
    """
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
"""The rows of undo and redo. They belong to the class `Phase`, so every phase has them."""
