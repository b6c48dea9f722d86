"""What lies on what, and every move: the cards of a table as records, as core/cards has them.

Every function is named like the one in fitting.py, apply.py or idle.py that it repeats. Which of the two is right is
never decided here: a rule changes in core/cards first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.core.cards.pack import COLOUR, FACE, JOKER, LOOK, RANK, SUITS
from referee.simulate.fast.deal import card_number
from referee.simulate.fast.machine import compile_inner
from referee.simulate.fast.records import BY_RANK, BY_SUIT, MOST_LOGGED, NO_FOUNDATION, STOCK, WASTE
from referee.simulate.manner import APART_US

OPEN = 64
KING = 13

# -- fitting.py -------------------------------------------------------------------------------------------------------


@compile_inner
def follows(rules: Any, under: int, card: int) -> bool:
    if rules.follow == BY_SUIT:
        return (card & FACE) == (under & FACE) + 1
    if (card & RANK) != (under & RANK) + 1:
        return False
    return rules.follow == BY_RANK or ((card ^ under) & COLOUR) != 0


@compile_inner
def look_down(look: int, steps: int) -> int:
    return (look - steps) ^ (COLOUR if steps & 1 else 0)


@compile_inner
def look_of(pile: Any, lowest: int) -> int:
    """Of the cards from `lowest` on."""
    for card in range(lowest, pile.size):
        if not pile.cards[card] & JOKER:
            return look_down(pile.cards[card] & LOOK, lowest - card)
    return 0


@compile_inner
def want_of(rules: Any, pile: Any, lowest: int) -> Any:
    """Of the cards from `lowest` on."""
    if lowest == pile.size:
        return OPEN
    if not rules.building:
        return 0
    last: Any = np.int64(top_of(pile))
    if last & JOKER:
        look = look_of(pile, lowest)
        if not look:
            return OPEN + pile.size - lowest
        last = look_down(look, pile.size - lowest - 1)
    return ((last & LOOK) - 1) ^ COLOUR if (last & RANK) > rules.lowest_built else 0


@compile_inner
def fits(rules: Any, want: int, look: int, length: int) -> Any:
    above = want - OPEN
    if not look:
        if above >= 0:
            return rules.lowest_built + above + length <= rules.highest + 1
        return (want & RANK) - length + 1 >= rules.lowest_built
    if (look & RANK) - length + 1 < rules.lowest_built:
        return False
    return look == want or (above >= 0 and (look & RANK) + above <= rules.highest)


# -- piles ------------------------------------------------------------------------------------------------------------


@compile_inner
def top_of(pile: Any) -> Any:
    return pile.cards[pile.size - 1]


@compile_inner
def take(pile: Any, count: int) -> Any:
    """Take so many cards off; the lowest of them. The others still stand above it in the array."""
    pile.size -= count
    if 0 < pile.size == pile.hidden:
        pile.hidden -= 1
    return pile.cards[pile.size]


@compile_inner
def silence(pile: Any) -> None:
    """An announced joker on top that is about to be covered is any card again."""
    if pile.size and top_of(pile) & JOKER:
        pile.cards[pile.size - 1] = JOKER


@compile_inner
def put_under(pile: Any, card: int) -> None:
    """Below all cards of the pile; a joker without its announcement."""
    for place in range(pile.size, 0, -1):
        pile.cards[place] = pile.cards[place - 1]
    pile.cards[0] = JOKER if card & JOKER else card
    pile.size += 1


@compile_inner
def top_to_bottom(pile: Any) -> None:
    if pile.size:
        put_under(pile, take(pile, 1))


@compile_inner
def gather(side: Any) -> None:
    """The waste, turned over, onto the rest of the stock."""
    waste, stock = side.piles[WASTE], side.piles[STOCK]
    while waste.size:
        silence(waste)
        stock.cards[stock.size] = take(waste, 1)
        stock.size += 1


# -- the Lake ---------------------------------------------------------------------------------------------------------


@compile_inner
def taker(table: Any, card: int) -> Any:
    """The first foundation that takes the card, one beyond the last for an ace; NO_FOUNDATION for none."""
    rank, follow = card & RANK, table.rules.follow
    if rank <= 1:
        return table.begun if rank else NO_FOUNDATION
    if follow == BY_SUIT:
        return np.int64(table.first_with[(card & FACE) - 1])
    first = np.int64(NO_FOUNDATION)
    for suit in range(SUITS):
        under = card_number(rank - 1, suit)
        if follow == BY_RANK or (under ^ card) & COLOUR:
            first = min(first, table.first_with[under])
    return first


@compile_inner
def cover(table: Any, target: int) -> None:
    """That foundation's last card is about to be covered: another one is then the first with such a card."""
    face = table.lake[target].top & FACE
    if table.first_with[face] != target:
        return
    table.first_with[face] = NO_FOUNDATION
    for other in range(target + 1, table.begun):
        if table.lake[other].top & FACE == face:
            table.first_with[face] = other
            return


@compile_inner
def lay(table: Any, side: Any, source: int, target: int) -> None:
    """Lay the side's top card of a pile onto that foundation, or begin a new one with it."""
    card = np.int64(take(side.piles[source], 1))
    foundation, face = table.lake[target], card & FACE
    if target == table.begun:
        table.begun += 1
        foundation.came_us, foundation.beneath = -APART_US, 0
    else:
        cover(table, target)
    foundation.top = card
    table.first_with[face] = min(target, table.first_with[face])
    side.lake += 1
    side.kings += (card & RANK) == KING


# -- apply.py ---------------------------------------------------------------------------------------------------------


@compile_inner
def note_play(table: Any, side: Any) -> None:
    side.own_cycles = 0
    for team in range(table.rules.teams):
        table.sides[team].cycles = 0
    table.burns = table.stock_burns = 0


@compile_inner
def build(side: Any, source: int, target: int, count: int) -> None:
    pile, onto = side.piles[source], side.piles[target]
    silence(onto)
    take(pile, count)
    for card in range(count):
        onto.cards[onto.size + card] = pile.cards[pile.size + card]
    onto.size += count
    silence(onto)


@compile_inner
def turn(rules: Any, side: Any) -> None:
    waste, stock = side.piles[WASTE], side.piles[STOCK]
    silence(waste)
    group = min(rules.turn, stock.size)
    for card in range(group):
        place = group - 1 - card if rules.turn_reversed else card
        waste.cards[waste.size + place] = stock.cards[stock.size - 1 - card]
    stock.size -= group
    waste.size += group


@compile_inner
def turn_over(side: Any) -> None:
    gather(side)
    side.own_cycles += 1
    side.cycles += 1


@compile_inner
def sink(side: Any) -> None:
    top_to_bottom(side.piles[STOCK])
    side.own_cycles = 0


@compile_inner
def log(table: Any, team: int, kind: int, source: int, target: int, count: int, card: int) -> None:
    """Note a move that has been made; who lays several cards adds them."""
    if table.logging and table.moves < MOST_LOGGED:
        row = table.log[table.moves]
        row.at_us, row.team, row.kind = table.now_us, team, kind
        row.source, row.target, row.count, row.card, row.further = source, target, count, card, 0
    table.moves += 1


@compile_inner
def log_more(table: Any, plan: Any) -> None:
    """The further cards of the move that has just been noted."""
    if table.logging and table.moves <= MOST_LOGGED:
        row = table.log[table.moves - 1]
        row.further = plan.further
        for each in range(plan.further):
            row.more[each] = plan.more[each]
