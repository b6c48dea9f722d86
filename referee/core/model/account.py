"""A match by player name, in terms that all games share: scores, totals, ranks, remarks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from referee.core.values import Value, field

Number = int | float


class Account(Value):
    """The scores and standings of a match, by player name.

    hands: for each hand, the score of each player. totals, ranks: tied players share a rank (1, 1, 3). winners: empty
    before the end. shown: by player, a text that replaces the total (in 31, "county" for a player without lives).
    ahead: while there is no winner, a sentence on how the match goes on. remarks: further sentences to show.
    """

    hands: tuple[Mapping[str, Number], ...]
    totals: Mapping[str, Number]
    ranks: Mapping[str, int]
    winners: tuple[str, ...]
    shown: Mapping[str, str] = field(default_factory=dict)
    ahead: str = "Not over yet."
    remarks: tuple[str, ...] = ()


def score_text(score: Number | Fraction) -> str:
    """Format a score for display: halves with a ½ sign, other fractions with two decimals.

    >>> score_text(-2.5), score_text(0.5), score_text(7.0), score_text(1 / 3)
    ('-2½', '½', '7', '0.33')
    """
    if score == int(score):
        return str(int(score))
    whole, half = divmod(abs(float(score)), 1)
    sign = "-" if score < 0 else ""
    return f"{sign}{int(whole) or ''}½" if half == 0.5 else f"{float(score):.2f}"
