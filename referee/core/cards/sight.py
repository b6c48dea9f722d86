"""What a person at the table sees of a position: faces that lie open, and backs."""

from __future__ import annotations

from referee.core.cards.pack import Pile
from referee.core.cards.position import Position, Tableau
from referee.core.cards.rules import CardRules
from referee.core.values import replace

BACK = 0
"""A card that lies face down."""


def with_backs(position: Position) -> Position:
    """The position with backs for all that lies face down: stocks, reserves under their top, Klondike's hidden cards.

    A waste's cards have all been seen, and stay what they are. `legal_moves` gives the same for it as for the whole
    position, since no rule asks for a card that nobody sees.
    """
    return replace(position, tableaux=tuple(_open_side(position.rules, side) for side in position.tableaux))


def _open_side(rules: CardRules, side: Tableau) -> Tableau:
    reserve = side.reserve if rules.open_reserve else _backs(side.reserve, len(side.reserve) - 1)
    piles = tuple(_backs(pile, side.hidden_count(number)) for number, pile in enumerate(side.piles))
    return replace(side, reserve=reserve, piles=piles, stock=_backs(side.stock, len(side.stock)))


def _backs(pile: Pile, count: int) -> Pile:
    """The pile with its lowest cards face down."""
    return (BACK,) * count + pile[max(count, 0) :]
