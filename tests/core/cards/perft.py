"""How many ways there are to play so many moves from a deal: `python -m tests.core.cards.perft` writes perft.json.

The numbers are made by the second model (simple.py) and held against the first by test_perft.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random

from referee.core.cards.position import Lull, Position
from referee.core.cards.rules import CardRules
from referee.core.values import replace
from tests.core.cards.simple import HOUSE, Simple, done, legal, thinkable
from tests.core.cards.tables import shuffled, simple_of

GOLDENS = Path(__file__).with_name("perft.json")
DEPTH = 4
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

_SEEDS = {"river transfer": 6}
"""A deal in which something can be slid."""


def start(name: str) -> Position:
    """Two teams at the deal of that name; some have an empty place, and some have looked for a play already."""
    position = shuffled(RULES[name], 2, Random(_SEEDS.get(name, len(name))))
    if name == "river transfer":
        sides = [
            replace(side, piles=(side.piles[0], ()), stock=side.stock + side.piles[1]) for side in position.tableaux
        ]
        return replace(position, tableaux=tuple(sides))
    looked = RULES[name].highest == 2
    return replace(position, lull=Lull((2, 2), 2, 2)) if looked else position


def counted(table: Simple, depth: int) -> int:
    """Sequences of so many legal moves of anybody, by the second model."""
    if not depth:
        return 1
    moves = [m for team in (0, 1, HOUSE) for m in thinkable(table, team) if legal(table, m)]
    return len(moves) if depth == 1 else sum(counted(done(table, move), depth - 1) for move in moves)


def main() -> None:
    """Write the numbers anew."""
    found = {name: [counted(simple_of(start(name)), n) for n in range(1, DEPTH + 1)] for name in RULES}
    GOLDENS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
