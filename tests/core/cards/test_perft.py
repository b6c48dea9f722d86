"""The number of move sequences from small deals; a change of any rule changes the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from referee.core.cards.apply import apply_move
from referee.core.cards.legal import legal_moves
from referee.core.cards.position import Lull, Position
from referee.core.cards.rules import CardRules
from referee.core.values import replace
from tests.core.cards.tables import everyone, shuffled

_SMALL = CardRules(highest=4, reserve=2, piles=2)

RULES: Mapping[str, CardRules] = {
    "plain": _SMALL,
    "three piles, single cards": replace(_SMALL, piles=3, turn=1),
    "reversed": replace(_SMALL, turn_reversed=True),
    "withholding": replace(_SMALL, withholding=True),
    "stacking": replace(_SMALL, stacking=True, follow="any", highest=3, reserve=3),
    "river transfer": replace(_SMALL, river_transfer=True, reserve=1, turn=1),
    "other colour": replace(_SMALL, follow="colour"),
    "any suit": replace(_SMALL, follow="any"),
    "row": replace(_SMALL, building=False, piles=3, letters="rybg", reserve=5),
    "klondike": replace(_SMALL, klondike=True, piles=3, turn=1),
    "jokers": replace(_SMALL, jokers=2, highest=3, reserve=1),
    "burn": replace(_SMALL, stuck="burn", highest=2, reserve=2),
    "rotate": replace(_SMALL, stuck="rotate", highest=2, reserve=2),
    "redeal": replace(_SMALL, stuck="redeal-stock", highest=2, reserve=2),
}


WANTED = {
    "plain": [4, 19, 102, 592],
    "three piles, single cards": [8, 75, 770, 8348],
    "reversed": [3, 10, 39, 161],
    "withholding": [4, 15, 64, 295],
    "stacking": [6, 45, 389, 3779],
    "river transfer": [8, 65, 506, 3872],
    "other colour": [5, 30, 205, 1547],
    "any suit": [3, 9, 30, 106],
    "row": [3, 12, 54, 266],
    "klondike": [6, 41, 304, 2371],
    "jokers": [16, 264, 4439, 75835],
    "burn": [9, 67, 566, 5188],
    "rotate": [9, 65, 530, 4672],
    "redeal": [9, 65, 529, 4659],
}
"""Sequences of 1, 2, 3 and 4 moves; an independent model counted the same."""

_SEEDS = {"river transfer": 6}
"""A deal in which a card can be slid."""


def start(name: str) -> Position:
    """Return two teams at the deal of that name.

    Some have an empty place, some have already looked for a play.
    """
    position = shuffled(RULES[name], 2, Random(_SEEDS.get(name, len(name))))
    if name == "river transfer":
        sides = [
            replace(side, piles=(side.piles[0], ()), stock=side.stock + side.piles[1]) for side in position.tableaux
        ]
        return replace(position, tableaux=tuple(sides))
    looked = RULES[name].highest == 2
    return replace(position, lull=Lull((2, 2), 2, 2)) if looked else position


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves of any team."""
    moves = [move for team in everyone(position) for move in legal_moves(position, team)]
    return len(moves) if depth == 1 else sum(perft(apply_move(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize("name", RULES)
def test_number_of_ways_to_play(name: str) -> None:
    assert [perft(start(name), depth) for depth in range(1, 5)] == WANTED[name]
