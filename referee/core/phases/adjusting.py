"""Points that the players give to a team or deduct by agreement: team, number, reason.

    Fix counts ─ push ─► Give points ─► 3 Max: ◄-5 ─► penalty, illegal play ... ─► PointsGiven

The line is in the list "Fix counts", or in games without counted hands (Slap) in the phase's own list. Only games whose
totals are points allow it: no published rule gives or takes single lives, places or letters (31, Last one).

The points count after the hand that is shown, as an entry of their own: no hand's score changes. They can be undone
like any decision.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import PointsGiven
from referee.core.model.labels import label_of, said
from referee.core.model.menu import MenuLine
from referee.core.model.registry import adjusts, game_of
from referee.core.model.state import Phase, Resting, State, Step, UnderWay
from referee.core.model.table import Adjustment, Table
from referee.core.model.transitions import ASKED, MenuPlace, Row, Transition
from referee.core.phases.common import ARGUE_NS, BACK, decide, open_list, return_to, stay
from referee.core.phases.fixing import (
    CORRECTIONS,
    Fixing,
    GivePoints,
    any_counted,
    ask_if_over,
    over_at,
    return_by_book,
)
from referee.core.phases.over import Over
from referee.core.values import replace

REASONS = ("penalty", "illegal_play", "miscount", "agreed")
"""Reasons for points that the knob offers. A match document may give any other text."""
MOST_POINTS = 50
"""Maximum points at a time, in either direction."""


def reason_text(reason: str) -> Part:
    """Return a reason as display text: translated if it is known, otherwise unchanged."""
    return msg(f"reason.{reason}") if reason in (*REASONS, *CORRECTIONS) else reason


def points_text(points: Fraction) -> str:
    """Return points with their sign.

    >>> points_text(Fraction(-5)), points_text(Fraction(5, 2))
    ('-5', '+2½')
    """
    sign, size = "-" if points < 0 else "+", abs(points)
    return f"{sign}{size if size.denominator == 1 else f'{int(size) or str()}½'}"


def points_notes(table: Table) -> tuple[Msg, ...]:
    """Return a note for each adjustment made after the last hand."""
    given = (one for one in table.adjustments if one.after == len(table.hands))
    return tuple(_note(table, one) for one in given)


def _note(table: Table, one: Adjustment) -> Msg:
    who, points = label_of(table, one.team), points_text(one.points)
    return msg("note.points", who=who, points=points, reason=reason_text(one.reason))


def give(state: State, phase: Fixing, action: GivePoints) -> Step:
    """Give points after the hand whose counts are shown."""
    waiting = replace(state, phase=replace(phase, closes_at_ns=state.now_ns + ARGUE_NS))
    return _give(waiting, action, phase.hand + 1)


def give_now(state: State, phase: Phase, action: GivePoints) -> Step:
    """Give points after the last hand, in a game without counted hands."""
    return _give(state, action, len(state.table.hands))


def _text(state: State, phase: Phase) -> Msg | None:
    """Return the menu line "Give points" for games without counted hands.

    In other games the list "Fix counts" has this line.
    """
    table = state.table
    here = adjusts(table) and table.hands and not any_counted(table)
    return msg("item.give_points") if here else None


def _give(state: State, action: GivePoints, after: int) -> Step:
    """Give the points. If the action has no team, number or reason yet, let the knob choose it."""
    if action.reason:
        return decide(state, PointsGiven(state.now_ns, after, action.team, Fraction(action.points), action.reason))
    if action.points:
        lines = (MenuLine(replace(action, reason=reason), reason_text(reason)) for reason in REASONS)
        title = said("title.points", label_of(state.table, action.team), points=points_text(Fraction(action.points)))
        return stay(open_list(state, (*lines, BACK), title))
    teams = tuple(team.id for team in state.table.teams)
    lines = (MenuLine(GivePoints(team), _line(state.table, team)) for team in teams)
    if not action.team:
        return stay(open_list(state, (*lines, BACK)))
    values = tuple(_value(action.team, points) for points in range(-MOST_POINTS, MOST_POINTS + 1))
    at = teams.index(action.team)
    return stay(open_list(state, (*lines, BACK), cursor=at, values=values, value=MOST_POINTS))


def _line(table: Table, team: str) -> Part:
    return said("item.points", label_of(table, team), choice=0)


def _value(team: str, points: int) -> MenuLine:
    """Return the menu line for this number of points. Zero leads back to the list of teams."""
    return MenuLine(GivePoints(team, points), points_text(Fraction(points))) if points else MenuLine(GivePoints(), "0")


def on_given(state: State, phase: Phase, event: PointsGiven) -> Step:
    """Store the points.

    If this changes after which hand the rules end the match, ask whether to end the match after that hand.
    """
    before = over_at(state.table)
    given = Adjustment(event.after, event.team, event.points, event.reason)
    table = game_of(state.table).with_adjustment(state.table, given)
    back = return_to(state, phase, phase.inner) if isinstance(phase, Fixing) else phase
    return ask_if_over(return_by_book(state, table, back, event.at_ns), before)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Fixing, GivePoints, give, (), "the knob: points by the table's will"),
    Row(Resting, GivePoints, give_now, (), "the knob: points by the table's will", _text, MenuPlace.MORE),
    Row(Fixing, PointsGiven, on_given, (ASKED,), "points are given or taken"),
    Row(UnderWay, PointsGiven, on_given, (), "points are given or taken"),
    Row(Over, PointsGiven, on_given, ("READY",), "points are given or taken"),
)
