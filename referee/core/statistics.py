"""What the house's records say of one person."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from referee.core.record import Record
from referee.core.values import Value


class Statistics(Value):
    """One person in all matches with a counted hand. None where there is nothing to say.

    wins: alone or shared. calls: hands in which the own team's call stood, `ties` of them together with another.
    mean_score: points a hand. quickest_call_ms: play time up to an own call; closest_call_ns: the smallest lead of one.
    """

    player: str
    matches: int
    wins: int
    hands: int
    calls: int
    ties: int
    mean_score: float | None
    best_hand: float | None
    quickest_call_ms: int | None
    closest_call_ns: int | None


def people(records_: Iterable[Record]) -> list[str]:
    """Everybody who sat in one of these matches, by the alphabet."""
    return sorted({name for record in records_ for name in record.people})


def statistics(player: str, records_: Iterable[Record]) -> Statistics:
    """What these matches say of one person."""
    mine = [(record, record.people[player]) for record in records_ if record.hands and player in record.people]
    told = [(hand, callers, team) for r, team in mine for hand, callers in zip(r.hands, r.ended_by, strict=True)]
    scores: list[Any] = [hand.scores[team] for hand, _, team in told if team in hand.scores]
    called = [(hand, callers, team) for hand, callers, team in told if team in callers]
    alone = [(hand.verdict, team) for hand, callers, team in called if callers == (team,)]
    leads = [verdict.gap_ns for verdict, team in alone if verdict and verdict.first == team]
    return Statistics(
        player=player,
        matches=len(mine),
        wins=sum(team in record.winners for record, team in mine),
        hands=len(scores),
        calls=len(called),
        ties=len(called) - len(alone),
        mean_score=float(sum(map(Fraction, scores)) / len(scores)) if scores else None,
        best_hand=max(scores, default=None),
        quickest_call_ms=min((hand.played_ms for hand, _, _ in called if hand.played_ms is not None), default=None),
        closest_call_ns=min((lead for lead in leads if lead is not None), default=None),
    )
