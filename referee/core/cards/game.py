"""A game card by card, for simulations: card rules, target, and score of a count."""

from __future__ import annotations

from collections.abc import Callable

from referee.core.cards.position import CardCount
from referee.core.cards.rules import CardRules
from referee.core.values import Value


class CardGame(Value):
    """A preset with its options, for a given number of teams.

    target: the score that ends a match; None if there is none. score: returns a team's score in a hand by its end
    (moves.ENDS), whether the team's call ended it, and the team's count.
    """

    rules: CardRules
    target: int | None
    score: Callable[[str, bool, CardCount], int | float]
