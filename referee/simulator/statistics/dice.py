"""Random numbers of a simulated hand: the generator splitmix64.

Hands can be played in any order: a hand's first state depends only on the seed and the hand's number.

Theory of operation (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): the state goes up
by a constant, and a function (the finaliser) turns it into a number.
"""

from __future__ import annotations

from collections.abc import MutableSequence

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
