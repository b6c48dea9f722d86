"""Deal shuffled packs to the starting position.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.cards.pack import Pile
from referee.core.cards.position import Position, Tableau
from referee.core.cards.rules import CardRules
from referee.core.cards.sanity import PositionError, check_position


def deal(
    rules: CardRules, teams: Sequence[str], packs: Sequence[Pile], reserves: Sequence[int] | None = None
) -> Position:
    """Return the starting position. Raises PositionError for packs that are too small or wrong.

    packs: each team's shuffled pack; the first card is dealt first. reserves: each team's reserve size with its
    handicap; None: all have the rules' size.

    >>> start = deal(CardRules(), ("Red", "Blue"), [CardRules().pack] * 2)
    >>> [len(start.tableaux[0].reserve), len(start.tableaux[0].stock)]
    [13, 35]
    """
    sizes = [rules.reserve] * len(teams) if reserves is None else reserves
    dealt = tuple(_deal_tableau(rules, pack, size) for pack, size in zip(packs, sizes, strict=True))
    position = Position(rules, tuple(teams), dealt)
    check_position(position)
    return position


def _deal_tableau(rules: CardRules, pack: Pile, reserve: int) -> Tableau:
    river = sum(rules.dealt_to_piles)
    if len(pack) < river + reserve:
        raise PositionError(f"a pack of {len(pack)} cards is given, needed are {river + reserve} for this layout")
    first, second = (river, reserve) if rules.river_first else (reserve, river)
    parts = pack[:first], pack[first : first + second]
    in_river, in_reserve = parts if rules.river_first else parts[::-1]
    return Tableau(in_reserve, _laid_out(rules, in_river), pack[first + second :], (), _face_down(rules))


def _laid_out(rules: CardRules, cards: Pile) -> tuple[Pile, ...]:
    """Deal the work piles one card at a time, left to right.

    In Klondike each row starts one pile later.
    """
    piles: list[Pile] = [()] * rules.piles
    waiting = iter(cards)
    for row in range(max(rules.dealt_to_piles)):
        for pile in range(row, rules.piles):
            piles[pile] += (next(waiting),)
    return tuple(piles)


def _face_down(rules: CardRules) -> tuple[int, ...]:
    return tuple(range(rules.piles)) if rules.klondike else ()
