"""FIXING: enter the count of a past hand again.

Turn: another hand, newest first. A team's own button, or the knob's list: that team's count. Push: save.

    READY, OVER, TIMEOUT ... ─ Fix counts ─► FIXING ─ push ─► Corrected ─► the phase that waited
                                                                              │ would an earlier hand have ended it?
                                                                              ▼
                                                                    OVER AT HAND 7?  push: end; else play on

The fields are those of the count: tap = +1, hold = next. A first tap or hold only opens the team's count. After 60 s
without input it closes; "Fix counts" then goes on with the unsaved changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Closed, Corrected, Cue, Resumed, Turned
from referee.core.model.labels import Shown, Times, answer_lamps
from referee.core.model.menu import Back, MenuAction, MenuLine
from referee.core.model.phase import BetweenHands, Due, Held, KnobPushed, Phase, Resting, Tapped, UnderWay, fresh
from referee.core.model.registry import adjusts, counted_game, fields_of, game_of
from referee.core.model.state import Count, State, Step
from referee.core.model.table import Table, UnsavedFix, seats_of
from referee.core.model.transitions import ASKED, CountedGame, MenuPlace, Past, Row, Transition
from referee.core.model.view import WITH_A_HINT, CountCell, Screen
from referee.core.phases.common import (
    ARGUE_NS,
    BACK,
    at_the_knob,
    decide,
    open_list,
    return_to,
    stay,
    to,
    toast,
    wink,
    within,
)
from referee.core.phases.counting import (
    CountByKnob,
    cell,
    count_lines,
    finished,
    next_field,
    raise_field,
    values_of,
    with_count,
)
from referee.core.phases.over import Over, go_on
from referee.core.phases.pause import TimeOut
from referee.core.phases.power_back import on_resumed, on_resumed_between
from referee.core.phases.ready import Ready, with_players
from referee.core.presses.signals import Contact
from referee.core.units import S
from referee.core.values import replace

CORRECTIONS = ("miscount", "mistyped", "found", "agreed")
"""Reasons for a correction that a phone can give."""


class FixScreen(Screen):
    """The counts of a past hand, one cell for each team.

    changed: whether a count differs from the recorded one. Then a push saves; otherwise a turn shows another hand.
    """

    hand: int
    field_names: tuple[Msg, ...]
    cells: tuple[CountCell, ...]
    changed: bool = False

    def is_paged(self) -> bool:
        return len(self.cells) > WITH_A_HINT


class Fixing(Phase, tag="fixing"):
    """The counts of a past hand are being corrected: by the teams' buttons, or by the knob.

    knob: the team whose count the knob corrects. hand: the index of the past hand, from 0. callers: its callers.
    counts: its recorded counts with the changes so far. inner: the phase that continues after the correction.
    """

    name: ClassVar[str] = "FIXING"
    argued: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    faults: ClassVar[bool] = True
    hand: int = 0
    callers: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    knob: str | None = None
    closes_at_ns: int = 0
    inner: Phase = Phase(0)

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.closes_at_ns

    def under_undo(self, now_ns: int) -> Phase:
        return self.inner.after_waiting(self.asked_at_ns, now_ns)

    def after_cut(self) -> Phase:
        return self.inner.after_cut()

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table, wrong = state.table, changed_teams(state.table, self)
        past = _past(table, self.hand).table  # under the rules by which the hand was counted
        fields = {count.team: fields_of(past, count.team, self.callers) for count in self.counts}
        cells = (cell(past, count, fields[count.team], self.callers, self.counts) for count in self.counts)
        marked = (replace(c, done=c.done and count.team in wrong) for c, count in zip(cells, self.counts, strict=True))
        names = tuple(spec.name for spec in fields[self.counts[0].team])
        return FixScreen(self.hand + 1, names, tuple(marked), bool(wrong))

    def lamps(self, state: State) -> Shown:
        return answer_lamps(seats_of(state.table, tuple(c.team for c in self.counts)), (), self.asked_at_ns)


class FixCounts(MenuAction):
    """Enter the count of a past hand again."""


class GivePoints(MenuAction):
    """Give points to a team for a reason. Lists ask for missing values (`phases/adjusting.py`)."""

    team: str = ""
    points: int = 0
    reason: str = ""


class EndAt(MenuAction):
    """End the match after hand number `hand` (from 1), after which the rules now end it.

    `sure`: the question whether to drop the later hands was confirmed.
    """

    upsets: ClassVar[bool] = True
    hand: int
    sure: bool = False


# -- choice of the hand --------------------------------------------------------------------------------------------


def _hands(table: Table) -> Iterator[int]:
    """Return the indices of the hands whose counts can be entered again, newest first."""
    game = game_of(table)
    return (hand for hand in range(len(table.hands) - 1, -1, -1) if game.past(table, hand) is not None)


def _text(state: State, phase: Phase) -> Msg | None:
    return msg("item.fix_counts") if any_counted(state.table) else None


def any_counted(table: Table) -> bool:
    """Return whether the count of any hand can be entered again."""
    return next(_hands(table), None) is not None


def fix(state: State, phase: Phase, action: FixCounts) -> Step:
    """Let all teams correct their counts of the newest hand, or go on with a correction that has closed unsaved."""
    hand, unsaved = state.table.unsaved_fix or (next(_hands(state.table)), ())
    fixing, values = _at(state, phase, hand), dict(unsaved)
    counts = tuple(replace(count, values=values.get(count.team, count.values)) for count in fixing.counts)
    return to(_keeping(state, None), replace(fixing, counts=counts), Cue("asked", state.now_ns))


def _at(state: State, inner: Phase, hand: int) -> Fixing:
    past = _past(state.table, hand)
    counts = tuple(Count(team, values, (True,) * len(values), None) for team, values in past.counts)
    return Fixing(state.now_ns, hand, past.callers, counts, None, state.now_ns + ARGUE_NS, inner)


def _past(table: Table, hand: int) -> Past:
    past = game_of(table).past(table, hand)
    assert past is not None
    return past


def changed_teams(table: Table, phase: Fixing) -> tuple[str, ...]:
    """Return the teams whose values differ from the recorded ones."""
    sealed = dict(_past(table, phase.hand).counts)
    return tuple(count.team for count in phase.counts if count.values != sealed[count.team])


# -- taps, holds, turns --------------------------------------------------------------------------------------------


def _count_at(state: State, phase: Fixing, station: str, t_ns: int) -> Count | None:
    team = state.table.team_of(station)
    return next((c for c in phase.counts if team is not None and c.team == team.id and fresh(phase, t_ns)), None)


def _with(state: State, phase: Fixing, count: Count) -> Fixing:
    return replace(phase, counts=with_count(phase.counts, count), closes_at_ns=state.now_ns + ARGUE_NS)


def on_tapped(state: State, phase: Fixing, tapped: Tapped) -> Step:
    """Open the team's count, or add one to the open field."""
    count = _count_at(state, phase, tapped.station, tapped.t_ns)
    if count is None:
        return stay(state)
    count = replace(count, cursor=0) if count.cursor is None else _raise_field(state, phase, count, 1)
    return within(wink(state, tapped.station, 1), _with(state, phase, replace(count, refusal=None)))


def _raise_field(state: State, phase: Fixing, count: Count, steps: int) -> Count:
    return raise_field(_past(state.table, phase.hand).table, count, phase.callers, steps)


def on_held(state: State, phase: Fixing, held: Held) -> Step:
    """Go to the next field; after the last one, finish the count. Reopen a finished count."""
    count = _count_at(state, phase, held.station, held.t_ns)
    if count is None or held.long:
        return stay(state)
    return _next_field(wink(state, held.station, 2), phase, count)


def _next_field(state: State, phase: Fixing, count: Count) -> Step:
    return _take(state, phase, next_field(_past(state.table, phase.hand).table, count, phase.callers, phase.counts))


def _take(state: State, phase: Fixing, count: Count) -> Step:
    done = count.cursor is None and phase.knob == count.team
    refused = [Cue("refused", state.now_ns)] if count.refusal else []
    return within(state, _with(state, replace(phase, knob=None if done else phase.knob), count), *refused)


def on_turned(state: State, phase: Fixing, event: Turned) -> Step:
    """Change the field that the knob enters. If no count is open or changed, go to another hand."""
    mine = next((c for c in phase.counts if c.team == phase.knob), None)
    if mine is not None:
        return within(state, _with(state, phase, _raise_field(state, phase, mine, event.steps)))
    if changed_teams(state.table, phase) or any(c.cursor is not None for c in phase.counts):
        return stay(state)
    hands = list(_hands(state.table))
    at = min(max(hands.index(phase.hand) + event.steps, 0), len(hands) - 1)
    return within(state, replace(_at(state, phase.inner, hands[at]), asked_at_ns=phase.asked_at_ns))


# -- the knob ------------------------------------------------------------------------------------------------------


def on_pushed(state: State, phase: Fixing, pushed: KnobPushed) -> Step:
    """Go to the next field of the knob's count.

    If the knob enters no count, save the changes; if there are none, list the teams.
    """
    mine = next((c for c in phase.counts if c.team == phase.knob), None)
    if mine is not None:
        return _next_field(state, phase, mine)
    if changed_teams(state.table, phase):
        return _save(state, phase)
    waiting = replace(state, phase=replace(phase, closes_at_ns=state.now_ns + ARGUE_NS))
    points = (MenuLine(GivePoints(), msg("item.give_points")),) if adjusts(state.table) else ()
    lines = (*count_lines(state.table, phase.counts), *points, BACK)
    return stay(open_list(waiting, lines, msg("item.count_by_knob")))


def _save(state: State, phase: Fixing) -> Step:
    past = _past(state.table, phase.hand).table
    for count in (finished(past, count, phase.callers, phase.counts) for count in phase.counts):
        if count.refusal:
            return _take(state, phase, count)
    return decide(state, Corrected(state.now_ns, phase.hand + 1, values_of(phase.counts)))


def by_knob(state: State, phase: Fixing, action: CountByKnob) -> Step:
    count = next(c for c in phase.counts if c.team == action.team)
    return within(state, _with(state, replace(phase, knob=action.team), replace(count, cursor=0, refusal=None)))


def leave(state: State, phase: Fixing, action: Back) -> Step:
    return to(state, return_to(state, phase, phase.inner))


def _keeping(state: State, unsaved: UnsavedFix | None) -> State:
    return replace(state, table=replace(state.table, unsaved_fix=unsaved))


def on_due(state: State, phase: Fixing, due: Due) -> Step:
    """Leave after 60 s without input, with a message. Keep unsaved changes for the next "Fix counts"."""
    if at_the_knob(state):
        return within(state, replace(phase, closes_at_ns=state.now_ns + S))
    unsaved = (phase.hand, values_of(phase.counts)) if changed_teams(state.table, phase) else None
    state = toast(_keeping(state, unsaved), msg("toast.not_saved_yet" if unsaved else "toast.list_closed"))
    return replace(leave(state, phase, Back()), cues=(Cue("refused", state.now_ns),))


# -- decisions -----------------------------------------------------------------------------------------------------


def on_corrected(state: State, phase: Phase, event: Corrected) -> Step:
    """Store the correction.

    The match may now end after another hand than before: then ask whether to end it there.
    """
    before = over_at(state.table)
    table = counted_game(state.table).with_correction(state.table, event.hand - 1, event.counts)
    table = replace(table, unsaved_fix=None)
    if event.reason:
        table = replace(table, corrections=(*table.corrections, (event.hand, event.reason)))
    back = return_to(state, phase, phase.inner) if isinstance(phase, Fixing) else phase
    return ask_if_over(return_by_book(state, table, back, event.at_ns), before)


def return_by_book(state: State, table: Table, back: Phase, at_ns: int) -> Step:
    """Return to the phase `back` with the changed table. From OVER, the match may go on."""
    return go_on(state, table, at_ns) if isinstance(back, Over) else _back(state, table, back)


def ask_if_over(step: Step, before: int | None) -> Step:
    """Ask whether to end the match, if a change moved the hand after which the rules end it.

    before: the number of hands after which the rules ended the match before the change; None if they did not end it.
    """
    table, ended = step.state.table, over_at(step.state.table)
    settled = ended == before or (isinstance(step.state.phase, Over) and ended == len(table.hands))
    return step if ended is None or settled else replace(step, state=_asking(step.state, ended))


def _back(state: State, table: Table, back: Phase) -> Step:
    step = to(replace(state, table=table), back, Cue("all_counted", state.now_ns))
    if not isinstance(back, Ready):
        return step
    table = game_of(table).undealt(table)
    return replace(step, state=replace(step.state, table=table, phase=with_players(back, table)))


def over_at(table: Table) -> int | None:
    """Return the number of hands after which the rules ended the match, or None."""
    game = game_of(table)
    hands = range(1, len(table.hands) + 1)
    return next((n for n in hands if game.winners(replace(table, hands=table.hands[:n], ended=False))), None)


def _asking(state: State, hand: int) -> State:
    return open_list(state, _end_lines(EndAt(hand)), msg("title.over_at", hand=hand), asked=True)


def _end_lines(end: EndAt) -> tuple[MenuLine, ...]:
    return MenuLine(Back(), msg("item.play_on")), MenuLine(end, msg("item.end_match"))


def end_at(state: State, phase: Phase, action: EndAt) -> Step:
    """End the match. If that drops later hands, a running one too, first say which ones, and ask."""
    running = isinstance(game_of(state.table), CountedGame) and not isinstance(phase, BetweenHands)
    last = len(state.table.hands) + running
    if action.sure or action.hand == last:
        return decide(state, Closed(state.now_ns, action.hand))
    title = msg("title.drop_hands", count=last - action.hand, first=action.hand + 1, last=last)
    return stay(open_list(state, _end_lines(replace(action, sure=True)), title))


def on_closed(state: State, phase: Phase, event: Closed) -> Step:
    """Drop the hands after hand number `event.hands` and end the match."""
    kept = tuple(one for one in state.table.adjustments if one.after <= event.hands)
    taken = tuple(one for one in state.table.timeouts if one.hand <= event.hands)
    why = tuple(one for one in state.table.corrections if one[0] <= event.hands)
    table = replace(state.table, hands=state.table.hands[: event.hands], adjustments=kept, timeouts=taken)
    table = replace(table, corrections=why, unsaved_fix=None)
    by_rules = game_of(table).winners(table)
    return go_on(state, table if by_rules else replace(table, ended=True), event.at_ns)


def on_resumed_below(state: State, phase: Fixing, event: Resumed) -> Step:
    """After a power cut, discard the unsaved correction and restore the phase that it covered."""
    inner = phase.after_cut()
    if isinstance(inner, BetweenHands):
        return on_resumed_between(state, inner, event)
    return on_resumed(state, inner, event)


_BELOW = ("AGREEMENT", "READY", "OVER", "LOBBY", "POWER_BACK")
SHARED_ROWS: tuple[Transition, ...] = (
    Row(Fixing, Resumed, on_resumed_below, _BELOW, "the power is back, nothing was saved"),
    Row(Fixing, Tapped, on_tapped, (), "tap: open, +1"),
    Row(Fixing, Held, on_held, (), "hold: next field, done, open again"),
    Row(Fixing, Turned, on_turned, (), "turn: another hand, the knob's value"),
    Row(Fixing, KnobPushed, on_pushed, (), "push: the knob's next field, save"),
    Row(Fixing, Due, on_due, (ASKED,), "60 s without anything"),
    Row(Fixing, Corrected, on_corrected, (ASKED,), "the book is right again"),
    Row(UnderWay, Corrected, on_corrected, (), "the book is right again"),
    Row(Over, Corrected, on_corrected, ("READY",), "the book is right again"),
    Row(Fixing, CountByKnob, by_knob, (), "the knob: it enters a team's count"),
    Row(Fixing, Back, leave, (ASKED,), "the knob: what was not saved stays as it was"),
    Row(Resting, FixCounts, fix, ("FIXING",), "the knob: a past hand's counts", _text, MenuPlace.COMMON),
    Row(TimeOut, FixCounts, fix, ("FIXING",), "the knob: a past hand's counts", _text, MenuPlace.MORE),
    Row(Resting, EndAt, end_at, (), "the knob: the match was over by then"),
    Row(UnderWay, Closed, on_closed, ("OVER",), "the match is ended"),
    Row(Over, Closed, on_closed, (), "the match had ended with an earlier hand"),
)
