"""Points by the table's will: a team, so many more or less, and why. Undone like any decision.

    Fix counts ─ push ─► Give points ─► 3 Max: ◄-5 ─► penalty, illegal play ... ─► PointsGiven

They stand behind the hand that is looked at, in a row of their own: no hand's score changes by them.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.messages import Part, msg
from referee.core.model.events import PointsGiven
from referee.core.model.labels import label_of
from referee.core.model.registry import counted_game
from referee.core.model.state import Adjustment, MenuLine, Phase, State, Step, Table, UnderWay
from referee.core.model.transitions import ASKED, Row, Transition
from referee.core.phases.common import BACK, MENU_NS, decide, opened, returned, stay
from referee.core.phases.fixing import CORRECTIONS, Fixing, GivePoints, ask_if_over, over_at, rebooked
from referee.core.phases.over import Over
from referee.core.values import replace

REASONS = ("penalty", "illegal_play", "miscount", "agreed")
"""What a table gives or takes points for; a document may say it in words of its own."""
MOST_POINTS = 50
"""So many at a time, either way; more by giving twice."""


def reason_text(reason: str) -> Part:
    """A reason as people read it: one of ours in their language, another as it is written."""
    return msg(f"reason.{reason}") if reason in (*REASONS, *CORRECTIONS) else reason


def points_text(points: Fraction) -> str:
    """So many more or less, with the sign.

    >>> points_text(Fraction(-5)), points_text(Fraction(5, 2))
    ('-5', '+2½')
    """
    sign, size = "-" if points < 0 else "+", abs(points)
    return f"{sign}{size if size.denominator == 1 else f'{int(size) or str()}½'}"


def give(state: State, phase: Fixing, action: GivePoints) -> Step:
    """Which team, how many, what for? What is not said is asked by a list."""
    if action.reason:
        given = PointsGiven(state.now_ns, phase.hand + 1, action.team, Fraction(action.points), action.reason)
        return decide(state, given)
    waiting = replace(state, phase=replace(phase, closes_at_ns=state.now_ns + MENU_NS))
    if action.points:
        lines = (MenuLine(replace(action, reason=reason), reason_text(reason)) for reason in REASONS)
        who = label_of(state.table, action.team)
        title = msg("title.points", seat=who.numbers[0], name=who.name, points=points_text(Fraction(action.points)))
        return stay(opened(waiting, (*lines, BACK), title))
    teams = tuple(team.id for team in state.table.teams)
    lines = (MenuLine(GivePoints(team), _line(state.table, team)) for team in teams)
    if not action.team:
        return stay(opened(waiting, (*lines, BACK)))
    values = tuple(_value(action.team, points) for points in range(-MOST_POINTS, MOST_POINTS + 1))
    at = teams.index(action.team)
    return stay(opened(waiting, (*lines, BACK), cursor=at, values=values, value=MOST_POINTS))


def _line(table: Table, team: str) -> Part:
    who = label_of(table, team)
    return msg("item.points", seat=who.numbers[0], name=who.name, choice=0)


def _value(team: str, points: int) -> MenuLine:
    """What the line is turned to; none at all leads back to the teams."""
    return MenuLine(
        GivePoints(team, points) if points else GivePoints(), points_text(Fraction(points)) if points else "0"
    )


def on_given(state: State, phase: Phase, event: PointsGiven) -> Step:
    """They count from now on. Should the match have ended earlier by them, the table is asked."""
    before = over_at(state.table)
    given = Adjustment(event.after, event.team, event.points, event.reason)
    table = counted_game(state.table).adjusted(state.table, given)
    back = returned(state, phase, phase.inner) if isinstance(phase, Fixing) else phase
    return ask_if_over(rebooked(state, table, back, event.at_ns), before)


ROWS: tuple[Transition, ...] = (
    Row(Fixing, GivePoints, give, (), "the knob: points by the table's will"),
    Row(Fixing, PointsGiven, on_given, (ASKED,), "points are given or taken"),
    Row(UnderWay, PointsGiven, on_given, (), "points are given or taken"),
    Row(Over, PointsGiven, on_given, ("READY",), "points are given or taken"),
)
