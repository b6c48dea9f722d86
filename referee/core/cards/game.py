"""The interface of a game for simulations: card rules, target, and score of a count."""

from __future__ import annotations

from typing import Protocol

from referee.core.cards.position import CardCount
from referee.core.cards.rules import CardRules


class CardGame(Protocol):
    """A preset with its options, for a given number of teams."""

    @property
    def rules(self) -> CardRules:
        """The card rules at this table."""

    @property
    def target(self) -> int | None:
        """The score that ends a match; None if there is none."""

    def score(self, end: str, called: bool, count: CardCount) -> int | float:
        """Return a team's score in a hand with this end (moves.ENDS).

        `called`: its call ended the hand.
        """
