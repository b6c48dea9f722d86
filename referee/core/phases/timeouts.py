"""Recorded timeouts: which team took one and why; or tidying, a pause charged to no team.

    TIME OUT ─ Whose? ─► 2 Ben ─► collision, dropped cards, other ─► TimeOutNoted
             ─ Tidy ─► TimeOutNoted "tidy": the pause is called TIDY

Source: NNA (docs/rules.md 5). A timeout is allowed only after an accident that stops two teams or more, never as a
tactic; so the table shows which team takes many.
"""

from __future__ import annotations

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import TimeOutNoted
from referee.core.model.labels import label_of, said
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.state import State, Step
from referee.core.model.table import Table, TimeOutTaken
from referee.core.model.transitions import Row, Transition
from referee.core.phases.common import BACK, decide, open_list, stay, toast, within
from referee.core.phases.pause import TimeOut
from referee.core.values import replace

REASONS = ("collision", "dropped", "other")
TIDY = "tidy"


def why_text(why: str) -> Part:
    """Return the reason as display text: translated if in `REASONS`, otherwise unchanged."""
    return msg(f"why.{why}") if why in REASONS else why


class TidyUp(MenuAction):
    """Record the pause as a break to straighten the foundations, charged to no team."""


class WhoseTimeOut(MenuAction):
    """Record `team` and the reason `why` of this timeout.

    Without `team`, list the teams; without `why`, list the reasons.
    """

    team: str = ""
    why: str = ""


def counted_for(table: Table, team: str) -> int:
    """Return the number of timeouts recorded for the team in this match."""
    return sum(one.team == team for one in table.timeouts)


def _whose_text(state: State, phase: TimeOut) -> Msg | None:
    return None if phase.tidy else msg("item.whose")


def _tidy_text(state: State, phase: TimeOut) -> Msg | None:
    return None if phase.noted else msg("item.tidy")


def whose(state: State, phase: TimeOut, action: WhoseTimeOut) -> Step:
    """List the teams; after a choice, list the reasons; after the second choice, record both."""
    if action.why:
        return _put_on_record(state, phase, action.team, action.why)
    if action.team:
        reasons = (MenuLine(replace(action, why=why), why_text(why)) for why in REASONS)
        return stay(open_list(state, (*reasons, BACK), said("title.why", label_of(state.table, action.team))))
    lines = (MenuLine(WhoseTimeOut(team), _line(state.table, team)) for team in phase.playing)
    return stay(open_list(state, (*lines, BACK)))


def _line(table: Table, team: str) -> Msg:
    return said("item.timeouts", label_of(table, team), number=counted_for(table, team))


def tidy(state: State, phase: TimeOut, action: TidyUp) -> Step:
    return _put_on_record(state, phase, "", TIDY)


def _put_on_record(state: State, phase: TimeOut, team: str, why: str) -> Step:
    table = state.table
    number = len(table.timeouts) + (not phase.noted)
    return decide(state, TimeOutNoted(state.now_ns, len(table.hands) + 1, team, why, number))


def on_noted(state: State, phase: TimeOut, event: TimeOutNoted) -> Step:
    """Store the timeout. A second entry in the same pause replaces the first."""
    before = state.table.timeouts[: event.number - 1]
    timeouts = (*before, TimeOutTaken(event.hand, event.team, event.why))
    state = replace(state, table=replace(state.table, timeouts=timeouts))
    if event.team:
        times = counted_for(state.table, event.team)
        state = toast(state, said("toast.time_out_of", label_of(state.table, event.team), number=times))
    return within(state, replace(phase, noted=True, tidy=event.why == TIDY))


_WHOSE = Row(TimeOut, WhoseTimeOut, whose, (), "the knob: whose time out it is", _whose_text)
SHARED_ROWS: tuple[Transition, ...] = (_WHOSE, Row(TimeOut, TimeOutNoted, on_noted, (), "a time out is on record"))
TIDIED: tuple[Transition, ...] = (
    Row(TimeOut, TidyUp, tidy, (), "the knob: foundations are straightened", _tidy_text),
    _WHOSE,
)
"""Rows for games in which foundations may need straightening: "Tidy" and "Whose?".

In the menu they come after the game's own lines.
"""
