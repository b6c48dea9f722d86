"""What players can see of the cards: faces, and backs of hidden cards."""

from __future__ import annotations

from referee.core.cards.pack import Pile
from referee.core.cards.position import Position, Tableau
from referee.core.cards.rules import CardRules
from referee.core.values import replace

BACK = 0
"""A face-down card."""


def with_backs(position: Position) -> Position:
    """Return the position with backs for all hidden cards.

    Hidden are stocks, hidden reserve cards and Klondike's face-down cards. Waste cards stay open, because all players
    have seen them. `legal_moves` gives the same result as for the whole position, because no rule depends on hidden
    cards.
    """
    return replace(position, tableaux=tuple(_open_side(position.rules, side) for side in position.tableaux))


def _open_side(rules: CardRules, side: Tableau) -> Tableau:
    reserve = side.reserve if rules.open_reserve else _backs(side.reserve, len(side.reserve) - 1)
    piles = tuple(_backs(pile, side.hidden_count(number)) for number, pile in enumerate(side.piles))
    return replace(side, reserve=reserve, piles=piles, stock=_backs(side.stock, len(side.stock)))


def _backs(pile: Pile, count: int) -> Pile:
    """Return the pile with its lowest `count` cards face down."""
    return (BACK,) * count + pile[max(count, 0) :]
