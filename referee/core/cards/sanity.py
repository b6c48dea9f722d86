"""Checks that a position is possible.

No card is missing, doubled or of another pack, and play can lead to each pile.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from itertools import pairwise

from referee.core.cards.fitting import follows, in_order
from referee.core.cards.pack import Pile, card_text, owner_of, plain, rank_of
from referee.core.cards.position import Position, Tableau
from referee.core.cards.rules import CardRules


class PositionError(ValueError):
    """Cards cannot lie like this on a table; the message is one sentence."""


def check_position(position: Position) -> None:
    """Raise PositionError for an impossible position.

    A position is impossible if a card is missing, doubled or of another pack, or if no play can lead to a pile.
    """
    _check_packs(position)
    for team, tableau in zip(position.teams, position.tableaux, strict=True):
        _check_tableau(position.rules, team, tableau)
    for number, pile in enumerate(position.foundations, 1):
        _check_foundation(position.rules, number, pile)


def _check_packs(position: Position) -> None:
    mine: list[list[int]] = [[plain(card) for card in tableau.cards] for tableau in position.tableaux]
    for pile in position.foundations:
        for card in pile:
            if owner_of(card) >= len(mine):
                raise PositionError(f"a card belongs to team {owner_of(card) + 1}, the number of teams is {len(mine)}")
            mine[owner_of(card)].append(plain(card))
    pack = sorted(position.rules.pack)
    for team, cards in zip(position.teams, mine, strict=True):
        if sorted(cards) != pack:
            raise PositionError(f"{team}: {_difference(position.rules, cards)}")


def _difference(rules: CardRules, cards: list[int]) -> str:
    """Describe the first card that is missing or doubled."""
    pack = rules.pack
    card = next(card for card in (*sorted(cards), *pack) if cards.count(card) != pack.count(card))
    there, due = _times(cards.count(card)), _times(pack.count(card))
    return f"{card_text(rules.letters, card)} is there {there}, and {due} in a pack"


def _times(count: int) -> str:
    return ("not", "once", "twice")[count] if count < 3 else f"{count} times"


def _check_tableau(rules: CardRules, team: str, tableau: Tableau) -> None:
    if len(tableau.piles) != rules.piles:
        raise PositionError(f"{team}: {len(tableau.piles)} work piles are given, allowed is {rules.piles}")
    counts = rules.piles if rules.klondike else 0
    if len(tableau.down) != counts:
        raise PositionError(f"{team}: {len(tableau.down)} counts of cards face down are given, allowed are {counts}")
    for number in range(rules.piles):
        _check_pile(rules, f"{team}: work pile {number + 1}", tableau.piles[number], tableau.hidden_count(number))


def _check_pile(rules: CardRules, where: str, pile: Pile, down: int) -> None:
    if not 0 <= down <= max(len(pile) - 1, 0):
        raise PositionError(f"{where}: {down} cards face down are given, allowed is less than {len(pile)}")
    if not rules.building and len(pile) - down > 1:
        raise PositionError(
            f"{where}: {len(pile) - down} cards face up are given, allowed is one, since nothing is built there"
        )
    if not in_order(rules, pile[down:]):
        raise PositionError(f"{where}: its cards do not go down one by one in alternating colours")


def _check_foundation(rules: CardRules, number: int, pile: Pile) -> None:
    if not pile or rank_of(pile[0]) != 1:
        raise PositionError(f"foundation {number}: it does not begin with an ace")
    for below, card in pairwise(pile):
        twice = rules.same_place == "both" and rank_of(below) == rank_of(card)
        if not twice and not follows(rules, below, card):
            raise PositionError(f"foundation {number}: {card_text(rules.letters, card)} may not follow its card below")
    if rank_of(pile[-1]) > rules.highest:
        raise PositionError(f"foundation {number}: {card_text(rules.letters, pile[-1])} is in no pack")
