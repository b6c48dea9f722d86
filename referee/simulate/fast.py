"""The fast core: the hands of readable.py in arrays of whole numbers, compiled by numba.

Theory of operation. This is readable.py and core/cards once more, for a machine: cards and their bits are those of
core/cards/pack.py, places those of position.py, and every function is named like the one there that it repeats. Where
those list all legal moves and take the best, this looks for the best at once: a move that can never be best (a play to
the second of two foundations, a pile moved onto nothing) is not made up at all. Each draw of the dice comes in the same
order, so the same hand comes out, move for move; tests/simulate/test_fast.py holds it, over presets and options.

Which of two piles of code is right is never decided here: a rule changes in core/cards first.

It is one file because numba keeps `play_all` with all that it calls, and compiles it anew when this file has changed: a
change in another one would not be noticed (numba's manual, "Limitations" of caching).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import njit

from referee.core.cards.idle import SEARCHES, STOCK_BURNS
from referee.core.cards.moves import (
    ABANDON,
    ANNOUNCE,
    BUILD,
    BURN_RESERVE,
    BURN_STOCK,
    CALL,
    END,
    ENDS,
    PLAY,
    REDEAL,
    ROTATE,
    SINK,
    SLIDE,
    TURN,
    TURN_OVER,
    CardMove,
)
from referee.core.cards.rules import CardRules
from referee.simulate import dice, manner
from referee.simulate.manner import APART_US, Habit
from referee.simulate.readable import SimulatedHand

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compile_inner(function: _Function) -> _Function:
    """The function for the machine, called by others of this module alone."""
    fast: _Function = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return fast


def compile_once(function: _Function) -> _Function:
    """The function with all that it calls; compiled once and kept beside the program or in the user's cache."""
    fast: _Function = njit(cache=True)(function)
    return fast


# -- numbers for names ------------------------------------------------------------------------------------------------

KINDS = (
    "",
    TURN,
    TURN_OVER,
    SINK,
    PLAY,
    BUILD,
    SLIDE,
    ANNOUNCE,
    CALL,
    BURN_STOCK,
    BURN_RESERVE,
    ROTATE,
    REDEAL,
    END,
    ABANDON,
)
"""Kinds of moves by their numbers; 0 is no move, and the first three after it are of the stock."""
NONE, _TURN, _TURN_OVER, _SINK, _PLAY, _BUILD, _SLIDE, _ANNOUNCE, _CALL = range(9)
_BURN_STOCK, _BURN_RESERVE, _ROTATE, _REDEAL, _END, _ABANDON = range(9, 15)
FOLLOWS = ("suit", "colour", "any")
STUCK = ("burn", "rotate", "redeal-stock", "abandon", "score")
_BURN, _BY_ROTATION, _BY_REDEAL, _BY_ABANDON, _BY_SCORE = range(5)
_CALLED, _STUCK, _ABANDONED = map(ENDS.index, ("call", "stuck", "abandoned"))
TRIES = tuple(manner.WAYS_OUT.get(stuck, 0) for stuck in STUCK)

FACE, RANK, COLOUR, LOOK, JOKER, OPEN = 63, 15, 16, 31, 64, 64
RESERVE, WASTE, TABLE = -1, -2, -1
MOST_CARDS, MOST_PLACES, MOST_FOUNDATIONS, MOST_PILES = 64, 16, 96, 10
"""Cards of a pack are at most 54, places that cards are taken from 12, foundations 6 for each of 12 teams."""
LOGGED = 8
"""Numbers that a move is logged as: at_us, team, kind, source, target, count, card, and `more` in 4 bits each."""
MOST_LOGGED = 100_000

STEP, FIRST, SECOND = np.uint64(dice.STEP), np.uint64(dice.FIRST), np.uint64(dice.SECOND)
_27, _30, _31, _32 = (np.uint64(bits) for bits in (27, 30, 31, 32))

THINK, CARRY, TURNING, CALLING = manner.THINK_MS, manner.CARRY_MS, manner.TURN_MS, manner.CALL_MS
GLANCE, REGRET, AGREE = manner.GLANCE_MS, manner.REGRET_MS, manner.AGREE_MS
CALL_WORTH, PLAY_WORTH, FROM_RESERVE, EMPTIES = (
    manner.CALL_WORTH,
    manner.PLAY_WORTH,
    manner.FROM_RESERVE,
    manner.EMPTIES,
)
ANNOUNCE_WORTH, ONTO_CARDS, ONTO_NOTHING, UNDER = (
    manner.ANNOUNCE_WORTH,
    manner.ONTO_CARDS,
    manner.ONTO_NOTHING,
    manner.UNDER,
)
MAKES_ROOM, UNCOVERS, WASTE_UNDER, WASTE_ONTO = (
    manner.MAKES_ROOM,
    manner.UNCOVERS,
    manner.WASTE_UNDER,
    manner.WASTE_ONTO,
)
SINK_WORTH, TURN_WORTH, ROUNDS = manner.SINK_WORTH, manner.TURN_WORTH, manner.ROUNDS


class Numbers(NamedTuple):
    """The rules (`CardRules`), as numbers; truth values are 0 and 1."""

    teams: int
    highest: int
    jokers: int
    reserve: int
    river_first: int
    piles: int
    klondike: int
    building: int
    turn: int
    turn_reversed: int
    follow: int
    lands: int
    both: int
    withholding: int
    stacking: int
    transfer: int
    stuck: int
    lowest: int


# Columns of `side`, a row a team. Piles of cards begin at their column, and their lengths stand at SIZE, HEIGHT.
RESERVED, WASTED, STOCKED = 0, 56, 112
PILED, HIGH = 168, 24
"""Where the first work pile begins, and how far the next one is: four hidden cards and a king's column are 17."""
SIZE = PILED + MOST_PILES * HIGH
_R, _W, _S = SIZE, SIZE + 1, SIZE + 2
"""How many cards the reserve, the waste and the stock have; the stock's first one is at STOCKED + FIRST_ONE."""
FIRST_ONE, OWN_CYCLES, CYCLES, LAKE, KINGS, READY_US, LEAVES_US, PACE, ATTENTION = range(SIZE + 3, SIZE + 12)
HEIGHT = SIZE + 12
DOWN = HEIGHT + MOST_PILES
PLAN = DOWN + MOST_PILES
KIND, SOURCE, TARGET, COUNT, CARD, MORE, NEW = range(7)
"""From PLAN on: a team's plan; cards beyond the first, and whether it begins a foundation."""
PLAN_MORE = PLAN + 7
WIDTH = PLAN_MORE + MOST_PLACES

# Places of `table`, which is everybody's.
NOW, FOUNDATIONS, BURNS, STOCK_BURNT, ENDED, CALLER, WAYS, BEATEN, MOVES, SECOND_CALL, LOGS, READY, STATE = range(13)
"""READY: how many places have a card that may be taken; STATE: of the dice."""
BEST, GAIN = 16, 23
"""The best move yet, as a plan; and what it is worth."""
BEST_MORE, PLACES, CARDS, CHAIN, TRIED = (24 + MOST_PLACES * number for number in range(5))
SPARE = TRIED + MOST_PLACES + 1
TOPS, CAME, BELOW = (SPARE + MOST_CARDS + MOST_FOUNDATIONS * number for number in range(3))
"""Foundations: the top card, when it came, and onto which one."""
LOG = BELOW + MOST_FOUNDATIONS


# -- dice.py ----------------------------------------------------------------------------------------------------------


@compile_inner
def mix(number: Any) -> Any:
    number = (number ^ (number >> _30)) * FIRST
    number = (number ^ (number >> _27)) * SECOND
    return number ^ (number >> _31)


@compile_inner
def below(side: Any, table: Any, limit: int) -> Any:
    state = np.uint64(table[STATE]) + STEP
    table[STATE] = np.int64(state)
    return np.int64(((mix(state) >> _32) * np.uint64(limit)) >> _32)


@compile_inner
def within(side: Any, table: Any, team: int, span: tuple[int, int]) -> Any:
    pace = side[team, PACE] * 10
    return span[0] * pace + below(side, table, (span[1] - span[0]) * pace + 1)


# -- deal.py ----------------------------------------------------------------------------------------------------------


@compile_inner
def deal(rules: Numbers, side: Any, table: Any, team: int) -> None:
    length = 0
    for suit in range(4):
        for rank in range(1, rules.highest + 1):
            table[SPARE + length] = rank | suit << 4
            length += 1
    for _ in range(rules.jokers):
        table[SPARE + length] = JOKER
        length += 1
    for last in range(length - 1, 0, -1):
        other = below(side, table, last + 1)
        table[SPARE + last], table[SPARE + other] = table[SPARE + other], table[SPARE + last]
    river = rules.piles * (rules.piles + 1) // 2 if rules.klondike else rules.piles
    in_river = 0 if rules.river_first else rules.reserve
    in_reserve = river if rules.river_first else 0
    for card in range(rules.reserve):
        side[team, RESERVED + card] = table[SPARE + in_reserve + card]
    for pile in range(rules.piles):
        side[team, HEIGHT + pile] = 0
        side[team, DOWN + pile] = pile if rules.klondike else 0
    for row in range(rules.piles if rules.klondike else 1):
        for pile in range(row, rules.piles):
            side[team, PILED + pile * HIGH + row] = table[SPARE + in_river]
            side[team, HEIGHT + pile] = row + 1
            in_river += 1
    dealt = river + rules.reserve
    for card in range(length - dealt):
        side[team, STOCKED + card] = table[SPARE + dealt + card]
    side[team, FIRST_ONE] = 0
    side[team, _R], side[team, _W], side[team, _S] = rules.reserve, 0, length - dealt


# -- fitting.py -------------------------------------------------------------------------------------------------------


@compile_inner
def follows(rules: Numbers, under: int, card: int) -> bool:
    if rules.follow == 0:
        return (card & FACE) == (under & FACE) + 1
    if (card & RANK) != (under & RANK) + 1:
        return False
    return rules.follow == 2 or ((card ^ under) & COLOUR) != 0


@compile_inner
def look_down(look: int, steps: int) -> int:
    return (look - steps) ^ (COLOUR if steps & 1 else 0)


@compile_inner
def look_of(side: Any, team: int, pile: int, lowest: int, height: int) -> int:
    """Of the cards from `lowest` on of the pile that begins at that column."""
    for card in range(lowest, height):
        if not side[team, pile + card] & JOKER:
            return look_down(side[team, pile + card] & LOOK, lowest - card)
    return 0


@compile_inner
def want_of(rules: Numbers, side: Any, team: int, pile: int, lowest: int, height: int) -> int:
    if lowest == height:
        return OPEN
    if not rules.building:
        return 0
    last = side[team, pile + height - 1]
    if last & JOKER:
        look = look_of(side, team, pile, lowest, height)
        if not look:
            return OPEN + height - lowest
        last = look_down(look, height - lowest - 1)
    return ((last & LOOK) - 1) ^ COLOUR if (last & RANK) > rules.lowest else 0


@compile_inner
def fits(rules: Numbers, want: int, look: int, length: int) -> bool:
    above = want - OPEN
    if not look:
        if above >= 0:
            return rules.lowest + above + length <= rules.highest + 1
        return (want & RANK) - length + 1 >= rules.lowest
    if (look & RANK) - length + 1 < rules.lowest:
        return False
    return look == want or (above >= 0 and (look & RANK) + above <= rules.highest)


# -- legal.py and manner.py: the best of all legal moves ---------------------------------------------------------------


@compile_inner
def offer(side: Any, table: Any, gain: int, kind: int, source: int, target: int, count: int, card: int) -> None:
    """The move, if it is worth more than the best one before it."""
    if gain > table[GAIN]:
        table[GAIN], table[BEST + KIND], table[BEST + SOURCE], table[BEST + TARGET], table[BEST + COUNT] = (
            gain,
            kind,
            source,
            target,
            count,
        )
        table[BEST + CARD], table[BEST + MORE], table[BEST + NEW] = card, 0, 0


@compile_inner
def available(rules: Numbers, side: Any, table: Any, team: int) -> None:
    ready = 0
    if side[team, _R]:
        table[PLACES + ready], table[CARDS + ready] = RESERVE, side[team, RESERVED + side[team, _R] - 1]
        ready += 1
    if side[team, _W]:
        table[PLACES + ready], table[CARDS + ready] = WASTE, side[team, WASTED + side[team, _W] - 1]
        ready += 1
    for pile in range(rules.piles):
        height = side[team, HEIGHT + pile]
        if height:
            table[PLACES + ready], table[CARDS + ready] = pile, side[team, PILED + pile * HIGH + height - 1]
            ready += 1
    table[READY] = ready


@compile_inner
def taker(rules: Numbers, side: Any, table: Any, card: int) -> Any:
    """The first foundation that takes the card, one beyond the last for an ace; -1 for none."""
    if (card & RANK) == 1:
        return table[FOUNDATIONS]
    if (card & RANK) == 0:
        return -1
    for number in range(table[FOUNDATIONS]):
        if follows(rules, table[TOPS + number], card):
            return number
    return -1


@compile_inner
def choose(rules: Numbers, side: Any, table: Any, team: int, attentive: bool) -> None:
    """The best move of the team into BEST; its kind is NONE where nothing gains anything."""
    table[GAIN] = table[BEST + KIND] = 0
    if not side[team, _R]:
        offer(side, table, CALL_WORTH, _CALL, 0, 0, 1, 0)
        return
    available(rules, side, table, team)
    obliged = 0  # a bit for each place that is ready
    if rules.withholding:
        for number in range(table[READY]):
            card = table[CARDS + number]
            if not card & JOKER and (
                (card & RANK) == 1 or (table[PLACES + number] == RESERVE and taker(rules, side, table, card) >= 0)
            ):
                obliged |= 1 << number
    if attentive:
        plays(rules, side, table, team, obliged)
        if table[GAIN] < PLAY_WORTH:
            builds(rules, side, table, team)
            if rules.transfer:
                slides(rules, side, table, team)
            if rules.jokers:
                announcements(side, table)
    if not obliged and not table[BEST + KIND]:
        of_the_stock(rules, side, table, team)


@compile_inner
def plays(rules: Numbers, side: Any, table: Any, team: int, obliged: int) -> None:
    for number in range(table[READY]):
        if obliged and not obliged >> number & 1:
            continue
        target = taker(rules, side, table, table[CARDS + number])
        if target >= 0:
            gain = PLAY_WORTH + added_worth(side, table, team, number)
            offer(side, table, gain, _PLAY, table[PLACES + number], target, 1, 0)
    if rules.stacking:
        for number in range(table[READY]):
            target = taker(rules, side, table, table[CARDS + number])
            if target >= 0:
                stacks(rules, side, table, team, number, target, obliged)


@compile_inner
def added_worth(side: Any, table: Any, team: int, number: int) -> Any:
    """What a play is worth beyond others by taking the card of that place."""
    place = table[PLACES + number]
    if place == RESERVE:
        return FROM_RESERVE
    return EMPTIES if place >= 0 and side[team, HEIGHT + place] == 1 else 0


@compile_inner
def stacks(rules: Numbers, side: Any, table: Any, team: int, number: int, target: int, obliged: int) -> None:
    """Every stack that begins with the card of that place; in the order in which legal.py has them."""
    depth = 1
    table[CHAIN + 0], table[TRIED + 1] = number, 0
    while depth:
        if table[TRIED + depth] == table[READY]:
            depth -= 1
            continue
        other = table[TRIED + depth]
        table[TRIED + depth] += 1
        if is_used(table, depth, other) or not follows(
            rules, table[CARDS + table[CHAIN + depth - 1]], table[CARDS + other]
        ):
            continue
        table[CHAIN + depth] = other
        gain, bits = PLAY_WORTH + depth, 0
        for each in range(depth + 1):
            gain += added_worth(side, table, team, table[CHAIN + each])
            bits |= 1 << table[CHAIN + each]
        if gain > table[GAIN] and (not obliged or bits & obliged):
            offer(side, table, gain, _PLAY, table[PLACES + number], target, 1, 0)
            table[BEST + MORE] = depth
            for each in range(depth):
                table[BEST_MORE + each] = table[PLACES + table[CHAIN + each + 1]]
        depth += 1
        table[TRIED + depth] = 0


@compile_inner
def is_used(table: Any, depth: int, number: int) -> bool:
    found = False
    for each in range(depth):
        found = found or table[CHAIN + each] == number
    return found


@compile_inner
def builds(rules: Numbers, side: Any, table: Any, team: int) -> None:
    for number in range(table[READY]):
        source, card = table[PLACES + number], table[CARDS + number]
        hidden, length = 0, 1
        look = 0 if card & JOKER else card & LOOK
        if source >= 0:
            hidden = side[team, DOWN + source]
            length = side[team, HEIGHT + source] - hidden
            look = look_of(side, team, PILED + source * HIGH, hidden, side[team, HEIGHT + source])
        for target in range(rules.piles):
            height = side[team, HEIGHT + target]
            if target == source or (not height and source != RESERVE):
                continue
            want = want_of(rules, side, team, PILED + target * HIGH, side[team, DOWN + target], height)
            if fits(rules, want, look, length):
                if source >= 0:
                    gain = UNCOVERS if hidden else MAKES_ROOM
                elif source == WASTE:
                    gain = WASTE_ONTO
                else:
                    gain = ONTO_CARDS if height else ONTO_NOTHING
                offer(side, table, gain, _BUILD, source, target, length, 0)


@compile_inner
def slides(rules: Numbers, side: Any, table: Any, team: int) -> None:
    empty = False
    for pile in range(rules.piles):
        empty = empty or not side[team, HEIGHT + pile]
    if not empty:
        return
    for target in range(rules.piles):
        height = side[team, HEIGHT + target]
        if not height or side[team, DOWN + target]:
            continue
        look = look_of(side, team, PILED + target * HIGH, 0, height)
        for number in range(table[READY]):
            source = table[PLACES + number]
            if source < 0:
                top = RESERVED + side[team, _R] if source == RESERVE else WASTED + side[team, _W]
                want = want_of(rules, side, team, top - 1, 0, 1)
                if fits(rules, want, look, height):
                    offer(side, table, UNDER if source == RESERVE else WASTE_UNDER, _SLIDE, source, target, 1, 0)


@compile_inner
def announcements(side: Any, table: Any) -> None:
    """A joker as the first ace, which a foundation always takes; one that has been announced so is played instead."""
    for number in range(table[READY]):
        if table[CARDS + number] & JOKER and (table[CARDS + number] & FACE) != 1:
            offer(side, table, ANNOUNCE_WORTH, _ANNOUNCE, table[PLACES + number], 0, 1, 1)


@compile_inner
def of_the_stock(rules: Numbers, side: Any, table: Any, team: int) -> None:
    if side[team, _S]:
        offer(side, table, TURN_WORTH, _TURN, 0, 0, 1, 0)
        if rules.stuck == _BY_REDEAL and side[team, OWN_CYCLES]:
            offer(side, table, SINK_WORTH, _SINK, 0, 0, 1, 0)
    elif side[team, _W]:
        offer(side, table, TURN_WORTH, _TURN_OVER, 0, 0, 1, 0)


# -- apply.py ---------------------------------------------------------------------------------------------------------


@compile_inner
def take(side: Any, table: Any, team: int, source: int, count: int) -> Any:
    """Take so many cards off; the lowest of them. The others still stand above it in the array."""
    if source == RESERVE:
        side[team, _R] -= 1
        return side[team, RESERVED + side[team, _R]]
    if source == WASTE:
        side[team, _W] -= 1
        return side[team, WASTED + side[team, _W]]
    left = side[team, HEIGHT + source] - count
    side[team, HEIGHT + source] = left
    if 0 < left == side[team, DOWN + source]:
        side[team, DOWN + source] -= 1
    return side[team, PILED + source * HIGH + left]


@compile_inner
def silent(side: Any, team: int, pile: int, height: int) -> None:
    """An announced joker on top that is about to be covered is any card again."""
    if height and side[team, pile + height - 1] & JOKER:
        side[team, pile + height - 1] = JOKER


@compile_inner
def note_play(side: Any, table: Any, team: int) -> None:
    side[team, OWN_CYCLES] = 0
    side[:, CYCLES] = 0
    table[BURNS] = table[STOCK_BURNT] = 0


@compile_inner
def lay(side: Any, table: Any, team: int, source: int, target: int) -> None:
    """Lay the team's top card of a pile onto that foundation, or begin a new one with it."""
    card = take(side, table, team, source, 1)
    if target == table[FOUNDATIONS]:
        table[FOUNDATIONS] += 1
        table[CAME + target], table[BELOW + target] = -APART_US, 0
    table[TOPS + target] = card & 127
    side[team, LAKE] += 1
    side[team, KINGS] += (card & RANK) == 13


@compile_inner
def build(side: Any, table: Any, team: int, source: int, target: int, count: int) -> None:
    onto, height = PILED + target * HIGH, side[team, HEIGHT + target]
    silent(side, team, onto, height)
    lowest = take(side, table, team, source, count)
    side[team, onto + height] = lowest
    if source >= 0:
        left = side[team, HEIGHT + source]
        for card in range(count):
            side[team, onto + height + card] = side[team, PILED + source * HIGH + left + card]
    side[team, HEIGHT + target] = height + count
    silent(side, team, onto, height + count)


@compile_inner
def slide(side: Any, table: Any, team: int, source: int, target: int) -> None:
    card = take(side, table, team, source, 1)
    pile, height = PILED + target * HIGH, side[team, HEIGHT + target]
    for each in range(height, 0, -1):
        side[team, pile + each] = side[team, pile + each - 1]
    side[team, pile + 0] = JOKER if card & JOKER else card
    side[team, HEIGHT + target] = height + 1


@compile_inner
def announce(side: Any, table: Any, team: int, source: int, card: int) -> None:
    if source == RESERVE:
        side[team, RESERVED + side[team, _R] - 1] = JOKER | card
    elif source == WASTE:
        side[team, WASTED + side[team, _W] - 1] = JOKER | card
    else:
        side[team, PILED + source * HIGH + side[team, HEIGHT + source] - 1] = JOKER | card


@compile_inner
def turn(rules: Numbers, side: Any, table: Any, team: int) -> None:
    start = side[team, _W]
    silent(side, team, WASTED, start)
    group = min(rules.turn, side[team, _S])
    for card in range(group):
        place = group - 1 - card if rules.turn_reversed else card
        side[team, WASTED + start + place] = side[team, STOCKED + side[team, FIRST_ONE] + card]
    side[team, FIRST_ONE] += group
    side[team, _S] -= group
    side[team, _W] += group


@compile_inner
def turn_over(side: Any, table: Any, team: int) -> None:
    silent(side, team, WASTED, side[team, _W])
    for card in range(side[team, _W]):
        side[team, STOCKED + card] = side[team, WASTED + card]
    side[team, FIRST_ONE], side[team, _S], side[team, _W] = 0, side[team, _W], 0
    side[team, OWN_CYCLES] += 1
    side[team, CYCLES] += 1


@compile_inner
def sink(side: Any, table: Any, team: int) -> None:
    first, size = side[team, FIRST_ONE], side[team, _S]
    top = side[team, STOCKED + first]
    for card in range(size - 1):
        side[team, STOCKED + card] = side[team, STOCKED + first + card + 1]
    side[team, STOCKED + size - 1] = top
    side[team, FIRST_ONE] = 0
    side[team, OWN_CYCLES] = 0


@compile_inner
def log(
    side: Any, table: Any, team: int, kind: int, source: int, target: int, count: int, card: int, more: int
) -> None:
    table[MOVES] += 1
    row = LOG + LOGGED * table[LOGS]
    if row + LOGGED <= table.shape[0]:
        table[row], table[row + 1], table[row + 2], table[row + 3] = table[NOW], team, kind, source
        table[row + 4], table[row + 5], table[row + 6], table[row + 7] = target, count, card, more
        table[LOGS] += 1


# -- idle.py ----------------------------------------------------------------------------------------------------------


@compile_inner
def gather(side: Any, table: Any, team: int, burn: int) -> None:
    """The waste, turned over, on the rest of the stock; `burn`: and the top card to the bottom."""
    gathered = 0
    for card in range(side[team, _W]):
        found = side[team, WASTED + card]
        table[SPARE + gathered] = JOKER if found & JOKER else found
        gathered += 1
    for card in range(side[team, _S]):
        table[SPARE + gathered] = side[team, STOCKED + side[team, FIRST_ONE] + card]
        gathered += 1
    for card in range(gathered):
        side[team, STOCKED + card] = table[SPARE + (card + burn) % gathered]
    side[team, FIRST_ONE], side[team, _S], side[team, _W] = 0, gathered, 0


@compile_inner
def burn_reserve(side: Any, table: Any, team: int) -> None:
    size = side[team, _R]
    if size:
        top = side[team, RESERVED + size - 1]
        for card in range(size - 1, 0, -1):
            side[team, RESERVED + card] = side[team, RESERVED + card - 1]
        side[team, RESERVED + 0] = JOKER if top & JOKER else top


@compile_inner
def has_cycled(side: Any, table: Any, team: int, rounds: int) -> bool:
    return side[team, CYCLES] >= rounds or not (side[team, _S] or side[team, _W])


@compile_inner
def is_idle(rules: Numbers, side: Any, table: Any) -> bool:
    """What readable.py and idle.py ask for, together."""
    rounds = SEARCHES if rules.stuck == _BURN and not table[BURNS] else 1
    for team in range(rules.teams):
        if side[team, PLAN + KIND] > _SINK or not side[team, _R] or not has_cycled(side, table, team, rounds):
            return False
        if not table[BURNS] and not has_cycled(side, table, team, ROUNDS):
            return False
    return True


@compile_inner
def way_out(rules: Numbers, side: Any, table: Any) -> int:
    if rules.stuck == _BY_ABANDON:
        return _ABANDON
    if table[BURNS] >= TRIES[rules.stuck]:
        return _END
    if rules.stuck == _BURN:
        return _BURN_RESERVE if table[STOCK_BURNT] >= STOCK_BURNS else _BURN_STOCK
    return _ROTATE if rules.stuck == _BY_ROTATION else _REDEAL


@compile_inner
def take_way_out(rules: Numbers, side: Any, table: Any) -> None:
    kind = way_out(rules, side, table)
    table[NOW] += AGREE[0] * 1000 + below(side, table, (AGREE[1] - AGREE[0]) * 1000 + 1)
    if kind == _END:
        table[ENDED] = _STUCK
    elif kind == _ABANDON:
        table[ENDED] = _ABANDONED
    else:
        for team in range(rules.teams):
            if kind == _BURN_RESERVE:
                burn_reserve(side, table, team)
            else:
                gather(side, table, team, 0 if kind == _REDEAL else 1)
            side[team, CYCLES] = 0
        table[BURNS] += 1
        table[STOCK_BURNT] = table[STOCK_BURNT] + 1 if kind == _BURN_STOCK else 0
    log(side, table, TABLE, kind, 0, 0, 1, 0, 0)
    table[WAYS] += 1
    for team in range(rules.teams):
        side[team, PLAN + KIND] = NONE
        side[team, READY_US] = table[NOW] + within(side, table, team, THINK)


# -- readable.py ------------------------------------------------------------------------------------------------------


@compile_inner
def look(rules: Numbers, side: Any, table: Any, team: int) -> None:
    attention, now = side[team, ATTENTION], table[NOW]
    attentive = attention == 100 or below(side, table, 100) < attention
    choose(rules, side, table, team, attentive)
    kind = table[BEST + KIND]
    if kind == NONE:
        side[team, READY_US] = now + within(side, table, team, THINK)
        return
    leaves = now
    if _SINK < kind < _CALL:
        leaves += within(side, table, team, THINK)
    span = TURNING if kind <= _SINK else CALLING if kind == _CALL else CARRY
    side[team, READY_US] = leaves + within(side, table, team, span)
    side[team, LEAVES_US] = leaves
    for column in range(NEW):
        side[team, PLAN + column] = table[BEST + column]
    side[team, PLAN + NEW] = kind == _PLAY and table[BEST + TARGET] == table[FOUNDATIONS]
    for each in range(table[BEST + MORE]):
        side[team, PLAN_MORE + each] = table[BEST_MORE + each]


@compile_inner
def do(rules: Numbers, side: Any, table: Any, team: int) -> None:
    kind, done = side[team, PLAN + KIND], True
    side[team, PLAN + KIND] = NONE
    if kind == _CALL:
        call(rules, side, table, team)
        return
    if kind == _PLAY:
        done = land(rules, side, table, team)
    else:
        if kind == _TURN:
            turn(rules, side, table, team)
        elif kind == _TURN_OVER:
            turn_over(side, table, team)
        elif kind == _SINK:
            sink(side, table, team)
        elif kind == _ANNOUNCE:
            announce(side, table, team, side[team, PLAN + SOURCE], side[team, PLAN + CARD])
        elif kind == _BUILD:
            build(side, table, team, side[team, PLAN + SOURCE], side[team, PLAN + TARGET], side[team, PLAN + COUNT])
            note_play(side, table, team)
        else:
            slide(side, table, team, side[team, PLAN + SOURCE], side[team, PLAN + TARGET])
            note_play(side, table, team)
        log(
            side,
            table,
            team,
            kind,
            side[team, PLAN + SOURCE],
            side[team, PLAN + TARGET],
            side[team, PLAN + COUNT],
            side[team, PLAN + CARD],
            0,
        )
    side[team, READY_US] = table[NOW] + within(side, table, team, GLANCE if done else REGRET)


@compile_inner
def land(rules: Numbers, side: Any, table: Any, team: int) -> bool:
    now = table[NOW]
    source, target = side[team, PLAN + SOURCE], side[team, PLAN + TARGET]
    if side[team, PLAN + NEW]:
        target = table[FOUNDATIONS]
    else:
        if source == RESERVE:
            card = side[team, RESERVED + side[team, _R] - 1]
        elif source == WASTE:
            card = side[team, WASTED + side[team, _W] - 1]
        else:
            card = side[team, PILED + source * HIGH + side[team, HEIGHT + source] - 1]
        if follows(rules, table[TOPS + target], card):
            table[CAME + target], table[BELOW + target] = now, table[TOPS + target]
        elif (
            not rules.both
            or side[team, PLAN + MORE]
            or now - table[CAME + target] >= APART_US
            or not follows(rules, table[BELOW + target], card)
        ):
            table[BEATEN] += 1
            return False
    lay(side, table, team, source, target)
    more = 0
    for each in range(side[team, PLAN + MORE]):
        lay(side, table, team, side[team, PLAN_MORE + each], target)
        more |= (side[team, PLAN_MORE + each] + 3) << (4 * each)
    note_play(side, table, team)
    log(side, table, team, _PLAY, source, target, 1, 0, more)
    return True


@compile_inner
def call(rules: Numbers, side: Any, table: Any, caller: int) -> None:
    called_us = table[NOW]
    for team in range(rules.teams):
        if side[team, PLAN + KIND] == _CALL:
            gap = side[team, READY_US] - called_us
            if table[SECOND_CALL] < 0 or gap < table[SECOND_CALL]:
                table[SECOND_CALL] = gap
    while rules.lands:
        first = -1
        for team in range(rules.teams):
            if (
                side[team, PLAN + KIND] == _PLAY
                and side[team, LEAVES_US] <= called_us
                and (first < 0 or side[team, READY_US] < side[first, READY_US])
            ):
                first = team
        if first < 0:
            break
        table[NOW] = side[first, READY_US]
        land(rules, side, table, first)
        side[first, PLAN + KIND] = NONE
    table[NOW], table[ENDED], table[CALLER] = called_us, _CALLED, caller
    log(side, table, caller, _CALL, 0, 0, 1, 0, 0)


@compile_inner
def play(rules: Numbers, side: Any, table: Any, seed: int, hand: int) -> None:
    """One hand, until it has ended."""
    table[:STATE] = 0
    table[ENDED] = table[CALLER] = table[SECOND_CALL] = -1
    table[STATE] = np.int64(mix(mix(np.uint64(seed) + STEP) + np.uint64(hand) * STEP))
    side[:, OWN_CYCLES] = 0
    side[:, CYCLES] = 0
    side[:, LAKE] = 0
    side[:, KINGS] = 0
    side[:, PLAN + KIND] = NONE
    for team in range(rules.teams):
        deal(rules, side, table, team)
    for team in range(rules.teams):
        side[team, READY_US] = within(side, table, team, THINK)
    while table[ENDED] < 0:
        team = 0
        for other in range(1, rules.teams):
            if side[other, READY_US] < side[team, READY_US]:
                team = other
        table[NOW] = side[team, READY_US]
        kind = side[team, PLAN + KIND]
        if kind == NONE:
            look(rules, side, table, team)
            quiet = side[team, PLAN + KIND] == NONE
        else:
            do(rules, side, table, team)
            quiet = kind == _TURN_OVER
        if quiet and is_idle(rules, side, table):
            take_way_out(rules, side, table)


@compile_once
def play_all(rules: Numbers, side: Any, table: Any, seed: int, first: int, rows: Any) -> None:
    """A row a hand: what `SimulatedHand` has, in its order."""
    for hand in range(rows.shape[0]):
        play(rules, side, table, seed, first + hand)
        row = rows[hand]
        row[0], row[1], row[2], row[3] = table[ENDED], table[CALLER], table[NOW], table[WAYS]
        row[4], row[5], row[6] = table[BEATEN], table[MOVES], table[SECOND_CALL]
        for team in range(rules.teams):
            row[7 + 3 * team], row[9 + 3 * team] = side[team, LAKE], side[team, KINGS]
            row[8 + 3 * team] = side[team, _R]


# -- for the others ---------------------------------------------------------------------------------------------------


def numbers_of(rules: CardRules, teams: int) -> Numbers:
    """The rules of the cards as the fast core reads them."""
    return Numbers(
        teams,
        rules.highest,
        rules.jokers,
        rules.reserve,
        int(rules.river_first),
        rules.piles,
        int(rules.klondike),
        int(rules.building),
        rules.turn,
        int(rules.turn_reversed),
        FOLLOWS.index(rules.follow),
        int(rules.in_flight_lands),
        int(rules.same_place == "both"),
        int(rules.withholding),
        int(rules.stacking),
        int(rules.river_transfer),
        STUCK.index(rules.stuck),
        rules.lowest_built,
    )


def arrays_of(habits: Sequence[Habit], logged: int) -> tuple[Any, Any]:
    """`side` and `table` for so many teams; `logged`: how many moves are noted at most."""
    side: Any = np.zeros((len(habits), WIDTH), np.int64)
    table: Any = np.zeros(LOG + LOGGED * logged, np.int64)
    for team, habit in enumerate(habits):
        side[team, PACE], side[team, ATTENTION] = habit.pace, habit.attention
    return side, table


def play_hands(rules: CardRules, habits: Sequence[Habit], seed: int, numbers: range) -> Iterator[SimulatedHand]:
    """The hands of these numbers, one after the other."""
    rows: Any = np.zeros((len(numbers), 7 + 3 * len(habits)), np.int64)
    side, table = arrays_of(habits, 0)
    play_all(numbers_of(rules, len(habits)), side, table, seed, numbers.start, rows)
    return map(_hand_of, rows.tolist())


def play_told(rules: CardRules, habits: Sequence[Habit], seed: int, hand: int) -> tuple[SimulatedHand, list[Any]]:
    """The hand of that number, and its moves with the instants at which they were made."""
    rows: Any = np.zeros((1, 7 + 3 * len(habits)), np.int64)
    side, table = arrays_of(habits, MOST_LOGGED)
    play_all(numbers_of(rules, len(habits)), side, table, seed, hand, rows)
    logged = table[LOG : LOG + LOGGED * table[LOGS]].reshape(-1, LOGGED).tolist()
    return _hand_of(rows.tolist()[0]), [(row[0], _move_of(row)) for row in logged]


def _hand_of(row: Sequence[int]) -> SimulatedHand:
    counts = tuple((row[n], row[n + 1], row[n + 2]) for n in range(7, len(row), 3))
    return SimulatedHand(row[0], row[1], row[2], row[3], row[4], row[5], row[6], counts)


def _move_of(row: Sequence[int]) -> CardMove:
    _, team, kind, source, target, count, card, packed = row
    more = []
    while packed:
        more.append((packed & 15) - 3)
        packed >>= 4
    return CardMove(team, KINDS[kind], source, target, count, tuple(more), card)
