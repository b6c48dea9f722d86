"""Play one hand by the rules of `core/cards`, with all players moving at the same time.

Theory of operation. Each player looks, chooses a move, and is then busy for a while; the player who is ready first is
next. A chosen play arrives later. If its place is taken by then, the card came second and returns. The rule against
withholding applies when a team looks, not while its card is on the way. When no one can play, the table does together
what its rules say.

If the table may decide which of two cards stays (`same_place`), the first stays; if both stay, the second must land
within APART_US of the first. A player who was about to press at the call would have called second.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.cards.apply import apply_move
from referee.core.cards.check import unfit
from referee.core.cards.deal import deal, worth
from referee.core.cards.fitting import follows
from referee.core.cards.idle import cycles_of
from referee.core.cards.legal import legal_moves
from referee.core.cards.pack import Pile
from referee.core.cards.position import TABLE, CardCount, Position, available, counts
from referee.core.cards.rules import ABANDON, BURN_RESERVE, CALL, END, PLAY, SINK, TURN, TURN_OVER, CardMove, CardRules
from referee.core.values import Value, replace
from referee.simulator.statistics.profiles import (
    AGREE_MS,
    APART_US,
    CALL_MS,
    CARRY_MS,
    GLANCE_MS,
    REGRET_MS,
    ROUNDS,
    THINK_MS,
    TURN_MS,
    WAYS_OUT,
    Habit,
    HandDice,
    Span,
)

OF_THE_STOCK = (TURN, TURN_OVER, SINK)
OVERLOOKED_BY_NOBODY = (CALL, *OF_THE_STOCK)


class SimulatedHand(Value):
    """The result of a hand.

    end: one of `ENDS`. caller: the number of the team that called; TABLE if none did. length_us: time until the call,
    or until all players ended the hand. ways_out: how often all players acted together because no one could play;
    ending the hand counts too. beaten: number of cards that another card beat to a foundation, so that they returned.
    second_us: time from the call until another team would have called; -1 if none would. counts: by team.
    """

    end: str
    caller: int
    length_us: int
    ways_out: int
    beaten: int
    second_us: int
    counts: tuple[CardCount, ...]


class Plan(Value):
    """A move that a player is making. The card leaves its place at `leaves_us`.

    new: the card begins a foundation.
    """

    move: CardMove
    leaves_us: int
    new: bool = False


def play_hand(rules: CardRules, habits: Sequence[Habit], seed: int, hand: int) -> SimulatedHand:
    """Play hand number `hand` of a simulation. `habits`: one for each team."""
    return HandAtPlay(rules, habits, HandDice(seed, hand)).play()


def choose(position: Position, team: int, attentive: bool = True) -> CardMove | None:
    """Return the best move of a player who does not plan ahead; of equal moves, the first.

    None if no move is an improvement. attentive: if False, the player notices only turns of the stock and calls.
    """
    side = position.tableaux[team]
    best, most = None, 0
    for move in legal_moves(position, team):
        gain = worth(side, move) if attentive or move.kind in OVERLOOKED_BY_NOBODY else 0
        if gain > most:
            best, most = move, gain
    return best


class HandAtPlay:
    """A hand in progress: the position, and each team's planned move with its time."""

    def __init__(self, rules: CardRules, habits: Sequence[Habit], dice: HandDice) -> None:
        self._dice, self._habits = dice, habits
        self._position = deal(rules, [str(n) for n in range(len(habits))], [self._shuffled_pack(rules) for _ in habits])
        self._now_us = 0
        self._plans: list[Plan | None] = [None] * len(habits)
        self._ready_us = [self._within(team, THINK_MS) for team in range(len(habits))]
        self._covered: dict[int, tuple[int, int]] = {}  # foundation -> when its last card came, and on which card
        self._ways_out = self._beaten = 0
        self._second_us = -1

    def _shuffled_pack(self, rules: CardRules) -> Pile:
        cards = list(rules.pack)
        self._dice.shuffle(cards)
        return tuple(cards)

    def _within(self, team: int, span: Span) -> int:
        """Draw a time in µs from that range (in ms), at that team's pace."""
        pace = self._habits[team].pace
        return self._dice.within((span[0] * pace * 10, span[1] * pace * 10))

    def play(self) -> SimulatedHand:
        """Make all teams' moves in order of time, until the hand has ended. Return the result."""
        while not self._position.end:
            team = min(range(len(self._plans)), key=self._ready_us.__getitem__)
            self._now_us = self._ready_us[team]
            plan = self._plans[team]
            quiet = self._look(team) if plan is None else self._do(team, plan)
            if quiet and self._is_idle():
                self._take_way_out()
        end, caller, found = self._position.end, self._position.caller, counts(self._position)
        return SimulatedHand(end, caller, self._now_us, self._ways_out, self._beaten, self._second_us, found)

    # -- one player: both return whether it is possible that no one can play now --------------------------------------

    def _look(self, team: int) -> bool:
        attention = self._habits[team].attention
        attentive = attention == 100 or self._dice.below(100) < attention
        move = choose(self._position, team, attentive)
        if move is None:
            self._ready_us[team] = self._now_us + self._within(team, THINK_MS)
            return True
        leaves_us = self._now_us
        if move.kind not in OVERLOOKED_BY_NOBODY:
            leaves_us += self._within(team, THINK_MS)
        span = TURN_MS if move.kind in OF_THE_STOCK else CALL_MS if move.kind == CALL else CARRY_MS
        self._ready_us[team] = leaves_us + self._within(team, span)
        new = move.kind == PLAY and move.target == len(self._position.foundations)
        self._plans[team] = Plan(move, leaves_us, new)
        return False

    def _do(self, team: int, plan: Plan) -> bool:
        self._plans[team] = None
        if plan.move.kind == CALL:
            self._call(plan.move)
            return False
        done = self._land(plan) if plan.move.kind == PLAY else self._make(plan.move)
        self._ready_us[team] = self._now_us + self._within(team, GLANCE_MS if done else REGRET_MS)
        return plan.move.kind == TURN_OVER

    def _make(self, move: CardMove) -> bool:
        self._position = apply_move(self._position, move)
        return True

    def _land(self, plan: Plan) -> bool:
        """Put a card on its foundation if it fits. Return whether it stays there."""
        lake = self._position.foundations
        move = replace(plan.move, target=len(lake)) if plan.new else plan.move
        if unfit(self._position, move) is not None:
            if not self._came_together(move):
                self._beaten += 1
                return False
        elif not plan.new:
            self._covered[move.target] = (self._now_us, lake[move.target][-1])
        return self._make(move)

    def _came_together(self, move: CardMove) -> bool:
        """Return whether a card may stay although another team's card took its place just before.

        The rules must allow this, the cards must come within APART_US, and it must be a single card that fits.
        """
        rules = self._position.rules
        came_us, below = self._covered.get(move.target, (-APART_US, 0))
        if rules.same_place != "both" or move.more or self._now_us - came_us >= APART_US:
            return False
        card = dict(available(self._position.tableaux[move.team]))[move.source]
        return follows(rules, below, card)

    def _call(self, move: CardMove) -> None:
        """End the hand by this call. Cards in the air land or return, as the rules say.

        Record when another team would have called.
        """
        called_us = self._now_us
        others = [(at, plan) for at, plan in zip(self._ready_us, self._plans, strict=True) if plan]
        self._second_us = min((at - called_us for at, plan in others if plan.move.kind == CALL), default=-1)
        for at, plan in sorted(others, key=lambda other: other[0]):
            if plan.move.kind == PLAY and plan.leaves_us <= called_us and self._position.rules.in_flight_lands:
                self._now_us = at
                self._land(plan)
        self._now_us = called_us
        self._make(move)

    # -- all together -------------------------------------------------------------------------------------------------

    def _is_idle(self) -> bool:
        """Return whether no player can play, as far as the players know.

        They know it if no player plans a play and all have turned their whole stock since the last play.
        """
        if any(plan and plan.move.kind not in OF_THE_STOCK for plan in self._plans):
            return False
        position = self._position
        cycles = zip(position.tableaux, cycles_of(position), strict=True)
        return position.lull.burns > 0 or all(n >= ROUNDS or not (side.stock or side.waste) for side, n in cycles)

    def _take_way_out(self) -> None:
        ways = {move.kind: move for move in legal_moves(self._position, TABLE)}
        if not ways:
            return
        tired = self._position.lull.burns >= WAYS_OUT.get(self._position.rules.stuck, 0)
        wanted = (END, ABANDON) if tired else (BURN_RESERVE,)
        move = next((ways[kind] for kind in wanted if kind in ways), next(iter(ways.values())))
        self._now_us += self._dice.within((AGREE_MS[0] * 1000, AGREE_MS[1] * 1000))
        self._make(move)
        self._ways_out += 1
        for team in range(len(self._plans)):
            self._plans[team] = None
            self._ready_us[team] = self._now_us + self._within(team, THINK_MS)
