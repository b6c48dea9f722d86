"""Statistics of one person over the device's matches."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from referee.core.documents.summary import Share, Summary
from referee.core.names import fold
from referee.core.values import Value

Part = tuple[Share, bool]
"""What one player did in a match, and whether they won it."""


class Statistics(Value):
    """One person's results in all matches with a counted hand. A missing value is None.

    wins: alone or shared. calls: hands with a valid call of the person's team; `ties`: those shared with another team.
    mean_score: points per hand. quickest_call_ms: shortest play time until a call of the team. closest_call_ns: the
    smallest lead of a call of the team.
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


def total(player: str, parts: Iterable[Part]) -> Statistics:
    """Return one person's statistics over several matches."""
    found = list(parts)
    shares = [share for share, _ in found]
    hands = sum(share.hands for share in shares)
    score = sum(share.score for share in shares if isinstance(share.score, int))
    rest = sum((Fraction(share.score) for share in shares if isinstance(share.score, str)), Fraction(0))
    return Statistics(
        player=player,
        matches=len(found),
        wins=sum(won for _, won in found),
        hands=hands,
        calls=sum(share.calls for share in shares),
        ties=sum(share.ties for share in shares),
        mean_score=float((score + rest) / hands) if hands else None,
        best_hand=max((share.best for share in shares if share.best is not None), default=None),
        quickest_call_ms=min((share.quickest_ms for share in shares if share.quickest_ms is not None), default=None),
        closest_call_ns=min((share.closest_ns for share in shares if share.closest_ns is not None), default=None),
    )


def parts_of(match: Summary) -> dict[str, Part]:
    """Map each name, as spelled in this match, to the player's share and whether the player won.

    Empty before the first hand.
    """
    people = match.people
    return {name: (share, people[name] in match.winners) for name, share in match.shares.items()}


def statistics(player: str, matches: Iterable[Summary]) -> Statistics:
    """Return one person's statistics over these matches, for all spellings of the name."""
    parts = map(parts_of, matches)
    return total(player, [found[name] for found in parts for name in spellings_of(player, found)])


def distinct(names: Iterable[str]) -> list[str]:
    """Return these people alphabetically, with one spelling each.

    >>> distinct(["ben", "Anna", "anna", "Ben"])
    ['Anna', 'Ben']
    """
    return sorted({fold(name): name for name in sorted(set(names), reverse=True)}.values())


def spellings_of(player: str, names: Iterable[str]) -> list[str]:
    """Return the names that are this player's name in any spelling."""
    return [name for name in names if fold(name) == fold(player)]
