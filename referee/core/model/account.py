"""A match in the words that all games share: what each hand brought, totals, places, and what else there is to say."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.values import Value, field

Number = int | float


class Account(Value):
    """A match by the names of those who play it.

    hands: what each hand brought, by those who played it. ranks share a place (1, 1, 3). winners: none before the end.
    shown: what people read instead of a total ("county"). ahead: what comes next, if nobody has won.
    remarks: other sentences for people.
    """

    hands: tuple[Mapping[str, Number], ...]
    totals: Mapping[str, Number]
    ranks: Mapping[str, int]
    winners: tuple[str, ...]
    shown: Mapping[str, str] = field(default_factory=dict)
    ahead: str = "Not over yet."
    remarks: tuple[str, ...] = ()


def score_text(score: Number) -> str:
    """A score as a table shows it: halves with their sign, other parts with two decimals.

    >>> score_text(-2.5), score_text(0.5), score_text(7.0), score_text(1 / 3)
    ('-2½', '½', '7', '0.33')
    """
    if score == int(score):
        return str(int(score))
    whole, half = divmod(abs(score), 1)
    sign = "-" if score < 0 else ""
    return f"{sign}{int(whole) or ''}½" if half == 0.5 else f"{score:.2f}"
