"""The match so far as outputs show it: each hand with what it brought, the totals after it, its calls."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from referee.core.model.labels import team_label, team_lines
from referee.core.model.phase import Phase
from referee.core.model.registry import game_of
from referee.core.model.table import Table
from referee.core.model.view import GivenPoints, HandLine, MatchSheet, PhotoScreen
from referee.core.phases.adjusting import reason_text
from referee.core.phases.verdict import Judged, judged_in, photo_of
from referee.core.values import SameObjects, replace


def sheet(table: Table) -> MatchSheet | None:
    """The table's match; None before there are teams. Every view asks for it, so it is kept for the same table."""
    return _sheet(SameObjects((table,))) if table.teams else None


@lru_cache(maxsize=4)
def _sheet(of: SameObjects[Table]) -> MatchSheet:
    (table,) = of
    game = game_of(table)
    preset, target = game.title(table)
    ids = [team.id for team in table.teams]
    stages = [replace(table, hands=table.hands[:count]) for count in range(len(table.hands) + 1)]
    totals = [{place.team: place.total for place in game.standings(stage)} for stage in stages]
    leaders = [tuple(ids.index(p.team) for p in game.standings(stage) if p.place == 1) for stage in stages]
    booked = [game.booked_hand(table, hand) for hand in range(len(table.hands))]
    return MatchSheet(
        preset=preset,
        target=target,
        teams=tuple(team_label(table, team) for team in table.teams),
        lines=team_lines(table),
        start=tuple(totals[0][team] for team in ids),
        hands=tuple(
            HandLine(
                end=hand.end,
                callers=tuple(ids.index(team) for team in hand.callers),
                scores=tuple(
                    totals[at + 1][team] - totals[at][team] - _adjustments_after(table, at + 1, team)
                    if team in hand.played
                    else None
                    for team in ids
                ),
                totals=tuple(totals[at + 1][team] for team in ids),
                leaders=leaders[at + 1],
                corrected=tuple(ids.index(team) for team in hand.corrected),
                calls=_photos(table, at),
                given=_points_given(table, at + 1, ids),
                reasons=tuple(reason_text(why) for hand, why in table.corrections if hand == at + 1),
            )
            for at, hand in enumerate(booked)
        ),
        calls=_photos(table, len(table.hands)),
        given=_points_given(table, 0, ids),
        winners=tuple(ids.index(team) for team in game.winners(table)),
    )


def _adjustments_after(table: Table, after: int, team: str) -> Fraction:
    """What the table gave a team by its own will after so many hands."""
    return sum((one.points for one in table.adjustments if (one.after, one.team) == (after, team)), Fraction(0))


def _points_given(table: Table, after: int, ids: list[str]) -> tuple[GivenPoints, ...]:
    found = (one for one in table.adjustments if one.after == after)
    return tuple(GivenPoints(ids.index(one.team), one.points, reason_text(one.reason)) for one in found)


def _photos(table: Table, hand: int) -> tuple[PhotoScreen, ...]:
    return tuple(photo_of(table, call.verdict, call.evidence) for call in table.calls if call.hand == hand)


def open_call(table: Table, phase: Phase) -> PhotoScreen | None:
    """The photo finish of the call that is being judged or counted."""
    judged = judged_in(phase)
    return _photo(SameObjects((table,)), SameObjects((judged,))) if judged is not None else None


@lru_cache(maxsize=4)
def _photo(at: SameObjects[Table], of: SameObjects[Judged]) -> PhotoScreen | None:
    (table,), (judged,) = at, of
    return photo_of(table, judged.verdict, judged.evidence) if judged.verdict is not None else None
