"""What this device's records say of one person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from referee.core.documents.record import Record
from referee.core.names import fold
from referee.core.values import Json, Value


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


def part(record: Record, player: str) -> list[Json]:
    """What one match says of one of its people, as JSON values; `total` adds these up.

    Matches and wins (0 or 1), hands, calls, ties, the sum of scores as text, the best hand, the quickest call in ms,
    the closest in ns; None where there is none.
    """
    if not record.hands:
        return [0, 0, 0, 0, 0, "0", None, None, None]
    team = record.people[player]
    told = list(zip(record.hands, record.ended_by, strict=True))
    scores: list[Json] = [hand.scores[team] for hand, _ in told if team in hand.scores]
    called = [(hand, callers) for hand, callers in told if team in callers]
    alone = [hand.verdict for hand, callers in called if callers == (team,)]
    leads = [verdict.gap_ns for verdict in alone if verdict and verdict.first == team]
    return [
        1,
        int(team in record.winners),
        len(scores),
        len(called),
        len(called) - len(alone),
        str(sum(map(Fraction, scores), Fraction(0))),
        max(scores, default=None),
        min((hand.played_ms for hand, _ in called if hand.played_ms is not None), default=None),
        min((lead for lead in leads if lead is not None), default=None),
    ]


def total(player: str, parts: Iterable[Sequence[Json]]) -> Statistics:
    """What several matches say of one person, from the `part` of each."""
    matches, wins, hands, calls, ties, sums, best, quickest, closest = zip(
        *([0, 0, 0, 0, 0, "0", None, None, None], *parts), strict=True
    )
    score = sum(map(Fraction, sums), Fraction(0))
    return Statistics(
        player=player,
        matches=sum(matches),
        wins=sum(wins),
        hands=sum(hands),
        calls=sum(calls),
        ties=sum(ties),
        mean_score=float(score / sum(hands)) if sum(hands) else None,
        best_hand=max((hand for hand in best if hand is not None), default=None),
        quickest_call_ms=min((ms for ms in quickest if ms is not None), default=None),
        closest_call_ns=min((ns for ns in closest if ns is not None), default=None),
    )


def people(records_: Iterable[Record]) -> list[str]:
    """Everybody who sat in one of these matches, by the alphabet; in the first of their spellings."""
    return distinct(name for record in records_ for name in record.people)


def distinct(names: Iterable[str]) -> list[str]:
    """These people, by the alphabet; of several spellings of one name the first.

    >>> distinct(["ben", "Anna", "anna", "Ben"])
    ['Anna', 'Ben']
    """
    return sorted({fold(name): name for name in sorted(names, reverse=True)}.values())


def spellings_of(player: str, names: Iterable[str]) -> list[str]:
    """Which of these names are that player's."""
    return [name for name in names if fold(name) == fold(player)]


def statistics(player: str, records_: Iterable[Record]) -> Statistics:
    """What these matches say of one person."""
    return total(player, [part(record, name) for record in records_ for name in spellings_of(player, record.people)])
