"""A whole hand of the fast core: readable.py and idle.py, move for move.

Theory of operation. Every function is named like the one of readable.py that it repeats, and each draw of the dice
comes in the same order, so the same hand comes out: tests/simulate/fast/test_hands.py, over presets and options.
"""

from __future__ import annotations

from typing import Any

from referee.core.cards.idle import SEARCHES, STOCK_BURNS
from referee.simulate.fast.cards import (
    build,
    follows,
    gather,
    lay,
    log,
    log_more,
    note_play,
    put_under,
    sink,
    take,
    top_of,
    top_to_bottom,
    turn,
    turn_over,
)
from referee.simulate.fast.choice import choose
from referee.simulate.fast.deal import below, deal, first_state, within
from referee.simulate.fast.machine import compile_inner
from referee.simulate.fast.records import (
    ABANDON,
    ABANDONED,
    ANNOUNCE,
    BUILD,
    BURN_RESERVE,
    BURN_STOCK,
    BY_ABANDON,
    BY_BURNING,
    BY_ROTATION,
    CALL,
    CALLED,
    END,
    NO_FOUNDATION,
    NOBODY,
    NONE,
    PLAY,
    REDEAL,
    RESERVE,
    ROTATE,
    SINK,
    STOCK,
    STUCK,
    TRIES,
    TURN,
    TURN_OVER,
    WASTE,
)
from referee.simulate.manner import (
    AGREE_MS,
    APART_US,
    CALL_MS,
    CARRY_MS,
    GLANCE_MS,
    REGRET_MS,
    ROUNDS,
    THINK_MS,
    TURN_MS,
)

# -- all together: idle.py, and its part of readable.py ---------------------------------------------------------------


@compile_inner
def has_cycled(side: Any, rounds: int) -> bool:
    return side.cycles >= rounds or not (side.piles[STOCK].size or side.piles[WASTE].size)


@compile_inner
def is_idle(table: Any) -> bool:
    """What readable.py and idle.py ask for, together."""
    rules = table.rules
    rounds = 1 if table.burns else max(ROUNDS, SEARCHES if rules.stuck == BY_BURNING else 1)
    for team in range(rules.teams):
        side = table.sides[team]
        if side.plan.kind > SINK or not side.piles[RESERVE].size or not has_cycled(side, rounds):
            return False
    return True


@compile_inner
def way_out(table: Any) -> int:
    stuck = table.rules.stuck
    if stuck == BY_ABANDON:
        return ABANDON
    if table.burns >= TRIES[stuck]:
        return END
    if stuck == BY_BURNING:
        return BURN_RESERVE if table.stock_burns >= STOCK_BURNS else BURN_STOCK
    return ROTATE if stuck == BY_ROTATION else REDEAL


@compile_inner
def take_way_out(table: Any) -> None:
    kind = way_out(table)
    table.now_us += AGREE_MS[0] * 1000 + below(table, (AGREE_MS[1] - AGREE_MS[0]) * 1000 + 1)
    if kind in (END, ABANDON):
        table.ended = STUCK if kind == END else ABANDONED
    else:
        change_order(table, kind)
    log(table, NOBODY, kind, 0, 0, 1, 0)
    table.ways_out += 1
    for team in range(table.rules.teams):
        side = table.sides[team]
        side.plan.kind = NONE
        side.ready_us = table.now_us + within(table, side, THINK_MS)


@compile_inner
def change_order(table: Any, kind: int) -> None:
    """Every team burns a card, or begins its stock anew."""
    for team in range(table.rules.teams):
        side = table.sides[team]
        if kind == BURN_RESERVE:
            top_to_bottom(side.piles[RESERVE])
        else:
            gather(side)
            if kind != REDEAL:
                top_to_bottom(side.piles[STOCK])
        side.cycles = 0
    table.burns += 1
    table.stock_burns = table.stock_burns + 1 if kind == BURN_STOCK else 0


# -- one player -------------------------------------------------------------------------------------------------------


@compile_inner
def look(table: Any, side: Any) -> None:
    plan = side.plan
    choose(table, side, side.attention == 100 or below(table, 100) < side.attention)
    side.leaves_us = side.ready_us = table.now_us
    if plan.kind == NONE:
        side.ready_us += within(table, side, THINK_MS)
        return
    if SINK < plan.kind < CALL:
        side.leaves_us += within(table, side, THINK_MS)
    span = TURN_MS if plan.kind <= SINK else CALL_MS if plan.kind == CALL else CARRY_MS
    side.ready_us = side.leaves_us + within(table, side, span)
    plan.begins = plan.kind == PLAY and plan.target == table.begun


@compile_inner
def do(table: Any, team: int) -> None:
    side = table.sides[team]
    plan, kind, done = side.plan, side.plan.kind, True
    plan.kind = NONE
    if kind == CALL:
        call(table, team)
        return
    if kind == PLAY:
        done = land(table, team)
    else:
        make(table, side, kind)
        log(table, team, kind, plan.source, plan.target, plan.count, plan.card)
    side.ready_us = table.now_us + within(table, side, GLANCE_MS if done else REGRET_MS)


@compile_inner
def make(table: Any, side: Any, kind: int) -> None:
    """The planned move, which is of that kind and neither a play nor a call."""
    plan = side.plan
    if kind == TURN:
        turn(table.rules, side)
    elif kind == TURN_OVER:
        turn_over(side)
    elif kind == SINK:
        sink(side)
    elif kind == ANNOUNCE:
        pile = side.piles[plan.source]
        pile.cards[pile.size - 1] = top_of(pile) | plan.card
    else:
        if kind == BUILD:
            build(side, plan.source, plan.target, plan.count)
        else:
            put_under(side.piles[plan.target], take(side.piles[plan.source], 1))
        note_play(table, side)


@compile_inner
def land(table: Any, team: int) -> bool:
    side = table.sides[team]
    plan = side.plan
    target = table.begun if plan.begins else plan.target
    if not plan.begins:
        foundation, card = table.lake[target], top_of(side.piles[plan.source])
        if follows(table.rules, foundation.top, card):
            foundation.came_us, foundation.beneath = table.now_us, foundation.top
        elif not came_together(table, plan, foundation, card):
            table.beaten += 1
            return False
    lay(table, side, plan.source, target)
    for each in range(plan.further):
        lay(table, side, plan.more[each], target)
    note_play(table, side)
    log(table, team, PLAY, plan.source, target, 1, 0)
    log_more(table, plan)
    return True


@compile_inner
def came_together(table: Any, plan: Any, foundation: Any, card: int) -> bool:
    if not table.rules.both or plan.further or table.now_us - foundation.came_us >= APART_US:
        return False
    return follows(table.rules, foundation.beneath, card)


@compile_inner
def call(table: Any, caller: int) -> None:
    called_us = table.now_us
    for team in range(table.rules.teams):
        side = table.sides[team]
        if side.plan.kind == CALL and (table.second_us < 0 or side.ready_us - called_us < table.second_us):
            table.second_us = side.ready_us - called_us
    if table.rules.in_flight_lands:
        land_in_flight(table, called_us)
    table.now_us, table.ended, table.caller = called_us, CALLED, caller
    log(table, caller, CALL, 0, 0, 1, 0)


@compile_inner
def land_in_flight(table: Any, called_us: int) -> None:
    """What has left its place by then lands, in the order of arrival."""
    first = 0
    while first != NOBODY:
        first = NOBODY
        for team in range(table.rules.teams):
            side = table.sides[team]
            in_flight = side.plan.kind == PLAY and side.leaves_us <= called_us
            if in_flight and (first == NOBODY or side.ready_us < table.sides[first].ready_us):
                first = team
        if first != NOBODY:
            table.now_us = table.sides[first].ready_us
            land(table, first)
            table.sides[first].plan.kind = NONE


# -- from deal to end -------------------------------------------------------------------------------------------------


@compile_inner
def begin(table: Any, seed: int, hand: int) -> None:
    """A hand is dealt, and everybody looks for a first move."""
    table.dice = first_state(seed, hand)
    table.ended = table.caller = table.second_us = -1
    table.burns = table.stock_burns = table.ways_out = table.beaten = table.moves = table.begun = 0
    table.first_with[:] = NO_FOUNDATION
    for team in range(table.rules.teams):
        side = table.sides[team]
        side.own_cycles = side.cycles = side.lake = side.kings = 0
        side.plan.kind = NONE
        deal(table, side)
    for team in range(table.rules.teams):
        table.sides[team].ready_us = within(table, table.sides[team], THINK_MS)


@compile_inner
def next_ready(table: Any) -> int:
    first, soonest = 0, table.sides[0].ready_us
    for team in range(1, table.rules.teams):
        if table.sides[team].ready_us < soonest:
            first, soonest = team, table.sides[team].ready_us
    return first


@compile_inner
def play(table: Any, seed: int, hand: int) -> None:
    """One hand, until it has ended."""
    begin(table, seed, hand)
    while table.ended < 0:
        team = next_ready(table)
        side = table.sides[team]
        table.now_us, kind = side.ready_us, side.plan.kind
        if kind == NONE:
            look(table, side)
            quiet = side.plan.kind == NONE
        else:
            do(table, team)
            quiet = kind == TURN_OVER
        if quiet and is_idle(table):
            take_way_out(table)
