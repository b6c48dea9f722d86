"""The best of all legal moves of a team: legal.py and manner.py at once.

Theory of operation. The readable core lists all legal moves and takes the best; this looks for the best at once, in the
same order, so that of equals the same one is the first. A move that can never be best (a play to the second of two
foundations, a pile moved onto nothing) is not made up at all.
"""

from __future__ import annotations

from typing import Any

from referee.core.cards.pack import FACE, JOKER, RANK
from referee.simulate.fast.cards import fits, follows, look_of, taker, top_of, want_of
from referee.simulate.fast.machine import compile_inner
from referee.simulate.fast.records import (
    ANNOUNCE,
    BUILD,
    BY_REDEAL,
    CALL,
    NO_FOUNDATION,
    NONE,
    PLAY,
    RESERVE,
    RIVER,
    SINK,
    SLIDE,
    STOCK,
    TURN,
    TURN_OVER,
    WASTE,
)
from referee.simulate.manner import (
    ANNOUNCE_WORTH,
    CALL_WORTH,
    EMPTIES,
    FROM_RESERVE,
    MAKES_ROOM,
    ONTO_CARDS,
    ONTO_NOTHING,
    PLAY_WORTH,
    SINK_WORTH,
    TURN_WORTH,
    UNCOVERS,
    UNDER,
    WASTE_ONTO,
    WASTE_UNDER,
)


@compile_inner
def choose(table: Any, side: Any, attentive: bool) -> None:
    """The best move of the side into its plan; its kind is NONE where nothing gains anything."""
    plan, rules = side.plan, table.rules
    plan.gain, plan.kind = 0, NONE
    if not side.piles[RESERVE].size:
        offer(plan, CALL_WORTH, CALL, 0, 0, 1, 0)
        return
    obliged = obligations(table, side) if rules.withholding else 0
    if attentive:
        plays(table, side, obliged)
        if plan.gain < PLAY_WORTH:
            builds(table, side)
            if rules.river_transfer:
                slides(rules, side)
            if rules.jokers:
                announcements(rules, side)
    if not obliged and plan.kind == NONE:
        of_the_stock(rules, side)


@compile_inner
def offer(plan: Any, gain: int, kind: int, source: int, target: int, count: int, card: int) -> None:
    """The move, if it is worth more than the best one before it."""
    if gain > plan.gain:
        plan.gain, plan.kind, plan.source, plan.target = gain, kind, source, target
        plan.count, plan.card, plan.begins, plan.further = count, card, 0, 0


@compile_inner
def obligations(table: Any, side: Any) -> int:
    """A bit for each place whose card must go to the foundations."""
    obliged = 0
    for place in range(RIVER + table.rules.piles):
        if side.piles[place].size:
            card = top_of(side.piles[place])
            is_ace = not card & JOKER and (card & RANK) == 1
            if is_ace or (place == RESERVE and not card & JOKER and taker(table, card) != NO_FOUNDATION):
                obliged |= 1 << place
    return obliged


# -- onto the foundations ---------------------------------------------------------------------------------------------


@compile_inner
def plays(table: Any, side: Any, obliged: int) -> None:
    for place in range(RIVER + table.rules.piles):
        if side.piles[place].size and (not obliged or obliged >> place & 1):
            target = taker(table, top_of(side.piles[place]))
            if target != NO_FOUNDATION:
                offer(side.plan, PLAY_WORTH + added_worth(side, place), PLAY, place, target, 1, 0)
    if table.rules.stacking:
        for place in range(RIVER + table.rules.piles):
            if side.piles[place].size:
                target = taker(table, top_of(side.piles[place]))
                if target != NO_FOUNDATION:
                    stacks(table, side, place, target, obliged)


@compile_inner
def added_worth(side: Any, place: int) -> int:
    """What a play is worth beyond others by taking the card of that place."""
    if place == RESERVE:
        return FROM_RESERVE
    return EMPTIES if place >= RIVER and side.piles[place].size == 1 else 0


@compile_inner
def stacks(table: Any, side: Any, lowest: int, target: int, obliged: int) -> None:
    """Every stack that begins with the card of that place; in the order in which legal.py has them."""
    chain, tried, depth = table.chain, table.tried, 1
    chain[0], tried[1] = lowest, 0
    while depth:
        place = tried[depth]
        if place == RIVER + table.rules.piles:
            depth -= 1
            continue
        tried[depth] += 1
        if continues_stack(table, side, depth, place):
            chain[depth] = place
            offer_stack(table, side, depth, target, obliged)
            depth += 1
            tried[depth] = 0


@compile_inner
def continues_stack(table: Any, side: Any, depth: int, place: int) -> bool:
    """Whether the card of that place may lie on the last one of the chain, and is not in it."""
    if not side.piles[place].size:
        return False
    for each in range(depth):
        if table.chain[each] == place:
            return False
    under = top_of(side.piles[table.chain[depth - 1]])
    return follows(table.rules, under, top_of(side.piles[place]))


@compile_inner
def offer_stack(table: Any, side: Any, depth: int, target: int, obliged: int) -> None:
    """The cards of the chain, `depth` of them on the lowest one."""
    plan, chain = side.plan, table.chain
    gain, places = PLAY_WORTH + depth, 0
    for each in range(depth + 1):
        gain += added_worth(side, chain[each])
        places |= 1 << chain[each]
    if gain > plan.gain and (not obliged or places & obliged):
        offer(plan, gain, PLAY, chain[0], target, 1, 0)
        plan.further = depth
        for each in range(depth):
            plan.more[each] = chain[each + 1]


# -- in the River -----------------------------------------------------------------------------------------------------


@compile_inner
def builds(table: Any, side: Any) -> None:
    rules, wants = table.rules, table.wants
    for target in range(RIVER, RIVER + rules.piles):
        wants[target] = want_of(rules, side.piles[target], side.piles[target].hidden)
    for source in range(RIVER + rules.piles):
        pile = side.piles[source]
        if not pile.size:
            continue
        lowest = pile.hidden if source >= RIVER else pile.size - 1
        look, length = look_of(pile, lowest), pile.size - lowest
        for target in range(RIVER, RIVER + rules.piles):
            if target != source and fits(rules, wants[target], look, length):
                offer(side.plan, worth_of_build(side, source, target), BUILD, source, target, length, 0)


@compile_inner
def worth_of_build(side: Any, source: int, target: int) -> int:
    if not side.piles[target].size:
        return ONTO_NOTHING if source == RESERVE else 0
    if source == RESERVE:
        return ONTO_CARDS
    if source == WASTE:
        return WASTE_ONTO
    return UNCOVERS if side.piles[source].hidden else MAKES_ROOM


@compile_inner
def slides(rules: Any, side: Any) -> None:
    empty = False
    for pile in range(RIVER, RIVER + rules.piles):
        empty = empty or not side.piles[pile].size
    if not empty:
        return
    for target in range(RIVER, RIVER + rules.piles):
        pile = side.piles[target]
        if not pile.size or pile.hidden:
            continue
        look = look_of(pile, 0)
        for source in range(RIVER):
            card = side.piles[source]
            if card.size and fits(rules, want_of(rules, card, card.size - 1), look, pile.size):
                offer(side.plan, UNDER if source == RESERVE else WASTE_UNDER, SLIDE, source, target, 1, 0)


@compile_inner
def announcements(rules: Any, side: Any) -> None:
    """A joker as the first ace, which a foundation always takes; one that has been announced so is played instead."""
    for place in range(RIVER + rules.piles):
        if side.piles[place].size:
            card = top_of(side.piles[place])
            if card & JOKER and (card & FACE) != 1:
                offer(side.plan, ANNOUNCE_WORTH, ANNOUNCE, place, 0, 1, 1)


@compile_inner
def of_the_stock(rules: Any, side: Any) -> None:
    if side.piles[STOCK].size:
        offer(side.plan, TURN_WORTH, TURN, 0, 0, 1, 0)
        if rules.stuck == BY_REDEAL and side.own_cycles:
            offer(side.plan, SINK_WORTH, SINK, 0, 0, 1, 0)
    elif side.piles[WASTE].size:
        offer(side.plan, TURN_WORTH, TURN_OVER, 0, 0, 1, 0)
