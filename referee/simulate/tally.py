"""What many hands add up to: counts alone, so that a million hands take no more memory than ten thousand.

Tallies of different hands can be added in any order, and the sum is the same; so it does not matter who played which.
Matches are played within blocks of BLOCK hands that follow each other, from 0 to the target; the last one of a block,
which is not finished, counts for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache

from referee.core.cards.game import CardGame
from referee.core.cards.moves import ENDS
from referee.core.cards.position import CardCount
from referee.simulate.manner import SECOND_CALL_US
from referee.simulate.readable import SimulatedHand

BLOCK = 100
"""Hands in which matches are played one after the other; whoever plays hands plays whole blocks."""
Score = int | float
Scored = tuple[int, bool, int, int, Score]
"""Player's number from 0, whether this was the caller, cards on the foundations, reserve cards left, score."""


class HandTally:
    """How often things happened in the hands that were added.

    ends: by number in ENDS. stuck: hands in which the table took a way out together. seconds: lengths, whole seconds.
    best: calls whose caller had the best score, alone or with others. second_calls: calls with another one within
    SECOND_CALL_US. scored: how often each player came to that. matches: hands that a match took to its target.
    """

    def __init__(self) -> None:
        self.hands = self.stuck = self.ways_out = self.beaten = self.best = self.second_calls = 0
        self.ends: Counter[int] = Counter()
        self.seconds: Counter[int] = Counter()
        self.scored: Counter[Scored] = Counter()
        self.matches: Counter[int] = Counter()

    def add(self, other: HandTally) -> None:
        """Count the other tally's hands with this one's."""
        for name, value in vars(other).items():
            if isinstance(value, Counter):
                getattr(self, name).update(value)
            else:
                setattr(self, name, getattr(self, name) + value)


def tally_of_block(game: CardGame, hands: Iterable[SimulatedHand]) -> HandTally:
    """The tally of one block of hands, in their order."""
    tally, score = HandTally(), _scores(game)
    totals: list[Score] = []
    played = 0
    for hand in hands:
        scores = [score((hand.end, team == hand.caller, count)) for team, count in enumerate(hand.counts)]
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
    for team, (lake, left, _) in enumerate(hand.counts):
        tally.scored[team, team == hand.caller, lake, left, scores[team]] += 1


Asked = tuple[int, bool, tuple[int, int, int]]


@lru_cache(maxsize=1)
def _scores(game: CardGame) -> Callable[[Asked], Score]:
    """The game's answer, asked once for each thing that happens in any block: there are some thousands of them."""
    known: dict[Asked, Score] = {}

    def score(asked: Asked) -> Score:
        if asked not in known:
            end, called, count = asked
            known[asked] = game.score(ENDS[end], called, CardCount(*count))
        return known[asked]

    return score
