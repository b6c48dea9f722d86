"""How simulated players play, and the random numbers of a hand: the generator splitmix64.

Hands can be played in any order: a hand's first state depends only on the seed and the hand's number.

Theory of operation (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): the state goes up
by a constant, and a function (the finaliser) turns it into a number.

Theory of operation. Players do not plan ahead: they make the legal move that is worth most (`core/cards/deal.py`); of
equal ones, the first. Players have no memory, and know only open cards.

Every time below is our assumption, chosen so that hands come out as those of real tables (figures.py).

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import MutableSequence

from referee.core.values import Value

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
"""Constant added to the state: 2^64 divided by the golden ratio, odd."""
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""The two factors of the finaliser."""


def mix(number: int) -> int:
    """Return the random number for a state of the generator.

    Different 64-bit states give different numbers.

    >>> hex(mix(STEP))
    '0xe220a8397b1dcdaf'
    """
    number = (number ^ number >> 30) * FIRST & MASK
    number = (number ^ number >> 27) * SECOND & MASK
    return number ^ number >> 31


class HandDice:
    """The random numbers of one hand. Seed and hand number determine them."""

    def __init__(self, seed: int, hand: int) -> None:
        self._state = mix(mix(seed + STEP & MASK) + hand * STEP & MASK)

    def below(self, limit: int) -> int:
        """Return a random number from 0 to limit - 1; limit is at most 2^32."""
        self._state = self._state + STEP & MASK
        return (mix(self._state) >> 32) * limit >> 32

    def within(self, span: tuple[int, int]) -> int:
        """Return a random number from the first to the second of `span`, both included."""
        least, most = span
        return least + self.below(most - least + 1)

    def shuffle(self, cards: MutableSequence[int]) -> None:
        """Shuffle the cards in place."""
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]


Span = tuple[int, int]
"""Shortest and longest time, ms."""
THINK_MS: Span = (300, 800)
"""Time from seeing a card's place to reaching for the card."""
CARRY_MS: Span = (350, 600)
"""Time in which a player carries a card to its place."""
TURN_MS: Span = (450, 800)
"""Time for turning stock cards, or the waste over."""
CALL_MS: Span = (250, 900)
"""Time from laying down the last reserve card to the press of the button."""
GLANCE_MS: Span = (80, 200)
"""Time until a player looks at the cards again after a move."""
REGRET_MS: Span = (150, 400)
"""Time until a player looks at the cards again after a card that came second and returned."""
AGREE_MS: Span = (3000, 8000)
"""Time until a table where no one can play has agreed on what to do."""
APART_US = 30_000
"""Two cards that land closer in time than this look as if they landed at once."""
SECOND_CALL_US = 200_000
"""Another team's call this soon after the first would have been made as well."""

WAYS_OUT = {"burn": 12, "rotate": 4, "redeal-stock": 1}
"""Option `stuck` -> number of joint moves before the table ends the hand; missing: never."""
ROUNDS = 2
"""How often each team turns its waste over before no one can play, as the table sees it.

The first time may have begun before the last play.
"""


class Habit(Value):
    """How one player plays.

    pace: how long the player needs, in percent of this module's times, e.g. THINK_MS. attention: percentage of looks at
    the cards in which the player notices all moves.
    """

    pace: int = 100
    attention: int = 100


COMPANIES = {
    "even": (Habit(),),
    "mixed": (Habit(85, 98), Habit(95, 94), Habit(107, 89), Habit(120, 84)),
}
"""Name -> the habits of a table's players, repeated if there are more seats."""
