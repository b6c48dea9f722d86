"""The rules of a game card by card, for simulations."""

from __future__ import annotations

from collections.abc import Callable

from referee.core.cards.position import CardCount
from referee.core.cards.rules import CardRules
from referee.core.values import Value


class CardGame(Value):
    """How to play a preset card by card, with a given number of teams.

    target: the score that ends a match; None if there is none. score: a function that returns a team's score. It gets
    how the hand ended (one of moves.ENDS), whether the team's call ended it, and the team's count.
    """

    rules: CardRules
    target: int | None
    score: Callable[[str, bool, CardCount], int | float]
