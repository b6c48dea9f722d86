"""The dice of a simulated hand: a generator of 64-bit numbers that every core can write for itself.

Theory of operation. It is splitmix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): the
state goes up by a constant, and a finaliser makes a number of it. A hand's first state depends on the seed and the
hand's number alone, so that any hand can be played by itself, by anybody, in any order.
"""

from __future__ import annotations

from collections.abc import MutableSequence

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
"""What the state goes up by: 2^64 divided by the golden ratio, odd."""
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""By which the finaliser of SplitMix64 multiplies, first and then (Steele, Lea and Flood 2014)."""
MOST_SEED = 10**18 - 1


def mix(number: int) -> int:
    """The finaliser: 64 bits to 64 bits, no two to the same.

    >>> hex(mix(STEP))
    '0xe220a8397b1dcdaf'
    """
    number = (number ^ number >> 30) * FIRST & MASK
    number = (number ^ number >> 27) * SECOND & MASK
    return number ^ number >> 31


def first_state(seed: int, hand: int) -> int:
    """The state before a hand's first number."""
    return mix(mix(seed + STEP & MASK) + hand * STEP & MASK)


class HandDice:
    """The dice of one hand: the same for the same seed and number, whatever was thrown before."""

    def __init__(self, seed: int, hand: int) -> None:
        self._state = first_state(seed, hand)

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1; limit is at most 2^32."""
        self._state = self._state + STEP & MASK
        return (mix(self._state) >> 32) * limit >> 32

    def within(self, span: tuple[int, int]) -> int:
        """A number from the first to the second, both included."""
        least, most = span
        return least + self.below(most - least + 1)

    def shuffle(self, cards: MutableSequence[int]) -> None:
        """Every order is as likely as any other, but for the 2^32 that a number is made from."""
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
