"""Home by: the table says when it wants to be home, and READY says how many more hands fit.

    More ─► Home by: no ─► turn: 22:15, 22:30 ... ─► push

A hand takes the median time between two counts of this match. Without a wall clock that can be trusted, nothing of
this is offered. All times are seconds of the local wall clock.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median_low

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import HomeBySet
from referee.core.model.lamps import Times
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.state import BetweenHands, Phase, Resting, State, Step
from referee.core.model.table import Table
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.phases.common import BACK, decide, open_list, stay, within
from referee.core.units import S
from referee.core.values import replace

QUARTER_S = 15 * 60
CHOICES = 16
"""Number of quarter hours to choose from."""
BREAK_S = 60 * 60
"""A longer time between two counts (s) is a break, or another evening."""


class HomeBy(MenuAction):
    """Set the time at which the players want to be home (0: none).

    Without `by_s`, list the times.
    """

    by_s: int | None = None


def _text(state: State, phase: Phase) -> Msg | None:
    """Return the menu line that shows the chosen time; None if the wall clock is not trusted."""
    return None if state.clock_s is None else msg("item.home_by", choice=_time(state.table.home_by_s))


def home_by(state: State, phase: Phase, action: HomeBy) -> Step:
    """Let the knob choose the time; with a chosen time in the action, set it."""
    if action.by_s is not None:
        return decide(state, HomeBySet(state.now_ns, action.by_s))
    now_s = (state.clock_s or 0) + state.now_ns // S
    soonest = now_s // QUARTER_S + 2  # at least a quarter of an hour from now
    times = (0, *(QUARTER_S * (soonest + n) for n in range(CHOICES)))
    values = tuple(MenuLine(HomeBy(by_s), _time(by_s)) for by_s in times)
    at = times.index(state.table.home_by_s) if state.table.home_by_s in times else 0
    line = MenuLine(HomeBy(), msg("item.home_by", choice=_time(state.table.home_by_s)))
    return stay(open_list(state, (line, BACK), values=values, value=at))


def _time(by_s: int) -> Part:
    """Return a time of day, e.g. 22:15."""
    return f"{by_s // 3600 % 24}:{by_s // 60 % 60:02}" if by_s else msg("choice.no")


def on_home_by_set(state: State, phase: Phase, event: HomeBySet) -> Step:
    return within(replace(state, table=replace(state.table, home_by_s=event.by_s)), phase)


def home_notes(state: State, now_ns: int, times: Times) -> tuple[Msg, ...]:
    """Return READY's note on how many hands fit before `home_by_s`.

    Empty if the players have set no such time, if it is long past, or if the time of day is unknown.
    """
    table, clock_s = state.table, state.clock_s
    if not table.home_by_s or clock_s is None:
        return ()
    pace_s, time = pace(table), _time(table.home_by_s)
    left_ns = (table.home_by_s - clock_s) * S - now_ns
    if left_ns < -BREAK_S * S:
        return ()  # it was another evening's
    if pace_s is None:
        return (msg("note.home_by", time=time),)
    hands = max(left_ns // (pace_s * S), 0)
    if hands:
        times.append(now_ns + left_ns - hands * pace_s * S + 1)
    key = ("note.home_none", "note.home_last", "note.home_hands")[min(hands, 2)]
    return (msg(key, time=time, n=hands),)


def pace(table: Table) -> int | None:
    """Return how long a hand of this match takes, in s; None if that is not known yet."""
    counted_s = [story.counted_s for story in table.stories if story.counted_s]
    hands = [after - before for before, after in pairwise(counted_s) if 0 < after - before < BREAK_S]
    return median_low(hands) if hands else None


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Resting, HomeBySet, on_home_by_set, (), "when the table wants to be home"),
    Row(BetweenHands, HomeBy, home_by, (), "the knob: when the table wants to be home", _text, MenuPlace.MORE),
)
