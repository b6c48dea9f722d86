"""The totals of many hands. They are counts, so that memory does not grow with the hands.

Tallies can be added in any order, so it does not matter which process played which hands. Matches are played within
blocks of BLOCK hands in a row, from 0 to the target; a match that is not over at a block's end is not counted.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from referee.core.cards.position import CardGame
from referee.simulator.statistics.hand import SimulatedHand
from referee.simulator.statistics.profiles import SECOND_CALL_US

BLOCK = 100
"""Number of hands in which matches are played in a row. A process plays whole blocks."""
Score = int | float


class Scored(NamedTuple):
    """One player's result in one hand.

    player: number from 0; called: whether the player called; lake: cards on the foundations; left: reserve cards.
    """

    player: int
    called: bool
    lake: int
    left: int
    score: Score


class HandTally:
    """Statistics of many simulated hands.

    ends: how often hands ended in each way. stuck: hands in which all players acted together because no one could play.
    seconds: a hand's length in whole seconds -> number of hands. best: calls whose caller had the best score, alone or
    with others. second_calls: calls followed by another one within SECOND_CALL_US. matches: number of hands in a match
    -> number of matches.
    """

    def __init__(self) -> None:
        self.hands = self.stuck = self.ways_out = self.beaten = self.best = self.second_calls = 0
        self.ends: Counter[str] = Counter()
        self.seconds: Counter[int] = Counter()
        self.scored: Counter[Scored] = Counter()
        self.matches: Counter[int] = Counter()

    def add(self, other: HandTally) -> None:
        """Add the hands of the other tally to this tally."""
        for name, value in vars(other).items():
            if isinstance(value, Counter):
                getattr(self, name).update(value)
            else:
                setattr(self, name, getattr(self, name) + value)


def tally_of_block(game: CardGame, hands: Iterable[SimulatedHand]) -> HandTally:
    """Return the tally of one block of hands. `hands` must be in the order of their numbers."""
    tally = HandTally()
    totals: list[Score] = []
    played = 0
    for hand in hands:
        scores = [game.score(hand.end, team == hand.caller, count) for team, count in enumerate(hand.counts)]
        _note(tally, hand, scores)
        totals = [total + new for total, new in zip(totals, scores, strict=True)] if played else scores
        played += 1
        if game.target is not None and max(totals) >= game.target:
            tally.matches[played] += 1
            played = 0
    return tally


def _note(tally: HandTally, hand: SimulatedHand, scores: list[Score]) -> None:
    tally.hands += 1
    tally.ends[hand.end] += 1
    tally.stuck += hand.ways_out > 0
    tally.ways_out += hand.ways_out
    tally.beaten += hand.beaten
    tally.seconds[hand.length_us // 1_000_000] += 1
    tally.second_calls += 0 <= hand.second_us <= SECOND_CALL_US
    tally.best += hand.caller >= 0 and scores[hand.caller] == max(scores)
    for team, count in enumerate(hand.counts):
        tally.scored[Scored(team, team == hand.caller, count.lake, count.left, scores[team])] += 1
