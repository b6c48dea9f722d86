"""The dice and the deal, as in dice.py and core/cards/deal.py: every function repeats the one of its name there."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.core.cards.pack import JOKER, SUITS, card_of
from referee.simulate import dice
from referee.simulate.fast.machine import compile_inner
from referee.simulate.fast.records import RESERVE, RIVER, STOCK, WASTE

STEP, FIRST, SECOND = np.uint64(dice.STEP), np.uint64(dice.FIRST), np.uint64(dice.SECOND)
_27, _30, _31, _32 = (np.uint64(bits) for bits in (27, 30, 31, 32))
card_number = compile_inner(card_of)

# -- dice.py ----------------------------------------------------------------------------------------------------------


@compile_inner
def mix(number: Any) -> Any:
    number = (number ^ (number >> _30)) * FIRST
    number = (number ^ (number >> _27)) * SECOND
    return number ^ (number >> _31)


@compile_inner
def first_state(seed: int, hand: int) -> Any:
    return mix(mix(np.uint64(seed) + STEP) + np.uint64(hand) * STEP)


@compile_inner
def below(table: Any, limit: int) -> Any:
    table.dice += STEP
    return np.int64(((mix(table.dice) >> _32) * np.uint64(limit)) >> _32)


@compile_inner
def within(table: Any, side: Any, span: tuple[int, int]) -> Any:
    """A while of that side's, µs; the span is in ms, and the pace in percent."""
    pace = side.pace * 10
    return span[0] * pace + below(table, (span[1] - span[0]) * pace + 1)


# -- deal.py ----------------------------------------------------------------------------------------------------------


@compile_inner
def shuffled_pack(table: Any) -> int:
    """The number of cards that `table.pack` has got."""
    pack, size = table.pack, 0
    for suit in range(SUITS):
        for rank in range(1, table.rules.highest + 1):
            pack[size] = card_number(rank, suit)
            size += 1
    for _ in range(table.rules.jokers):
        pack[size] = JOKER
        size += 1
    for last in range(size - 1, 0, -1):
        other = below(table, last + 1)
        pack[last], pack[other] = pack[other], pack[last]
    return size


@compile_inner
def deal(table: Any, side: Any) -> None:
    rules, pack = table.rules, table.pack
    size = shuffled_pack(table)
    river = rules.piles * (rules.piles + 1) // 2 if rules.klondike else rules.piles
    reserve, stock = side.piles[RESERVE], side.piles[STOCK]
    first = river if rules.river_first else 0
    for card in range(rules.reserve):
        reserve.cards[card] = pack[first + card]
    reserve.size = rules.reserve
    deal_river(table, side, 0 if rules.river_first else rules.reserve)
    stock.size = size - river - rules.reserve
    for card in range(stock.size):
        stock.cards[card] = pack[size - 1 - card]
    side.piles[WASTE].size = 0


@compile_inner
def deal_river(table: Any, side: Any, first: int) -> None:
    """From that card of the pack on."""
    rules = table.rules
    for pile in range(rules.piles):
        side.piles[RIVER + pile].hidden = pile if rules.klondike else 0
    for row in range(rules.piles if rules.klondike else 1):
        for pile in range(row, rules.piles):
            side.piles[RIVER + pile].cards[row] = table.pack[first]
            side.piles[RIVER + pile].size = row + 1
            first += 1
