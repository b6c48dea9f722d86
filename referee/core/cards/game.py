"""What a simulation needs of a game: the rules of its cards, its target, and the score of a count."""

from __future__ import annotations

from typing import Protocol

from referee.core.cards.position import CardCount
from referee.core.cards.rules import CardRules


class CardGame(Protocol):
    """A preset with its options, at a table of so many teams."""

    @property
    def rules(self) -> CardRules:
        """The rules of the cards at this table."""

    @property
    def target(self) -> int | None:
        """The score that ends a match; None when nothing does."""

    def score(self, end: str, called: bool, count: CardCount) -> int | float:
        """What a team scores in a hand that ended so (moves.ENDS); `called`: by its call."""
