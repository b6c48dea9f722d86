"""The truth of a hand of three cards: one pack, a stock, a discard pile, and how people play them.

A hand is worth the best sum within one suit (RULES.md 11). A turn takes the top discard when it helps enough, else a
card from the stock, and throws away what is worth least.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
SUITS = "CDHS"
WORTH = {"A": 11, "J": 10, "Q": 10, "K": 10}
BEST = 31
WORTH_TAKING = 3
"""A discard is taken when it makes the hand better by this much; the stock is as good on average."""
KNOCKS_FROM = (22, 29)
"""From which value on somebody knocks; drawn anew for each hand."""

CardName = tuple[str, str]


def worth(cards: Iterable[CardName]) -> int:
    """The best sum within one suit.

    >>> worth([("A", "H"), ("K", "H"), ("4", "C")])
    21
    """
    sums = dict.fromkeys(SUITS, 0)
    for rank, suit in cards:
        sums[suit] += WORTH.get(rank) or int(rank)
    return max(sums.values())


class Deal:
    """A hand in progress: `cards` by seat number."""

    def __init__(self, rng: Random, seats: Iterable[int]) -> None:
        self._rng = rng
        self._stock: list[CardName] = [(rank, suit) for suit in SUITS for rank in RANKS]
        rng.shuffle(self._stock)
        self.cards = {seat: [self._stock.pop() for _ in range(3)] for seat in sorted(seats)}
        self._discards = [self._stock.pop()]
        self._knocks_from = {seat: rng.randint(*KNOCKS_FROM) for seat in self.cards}

    def value(self, seat: int) -> int:
        """What the seat's cards are worth."""
        return worth(self.cards[seat])

    def knocks(self, seat: int, minimum: int) -> bool:
        """Whether somebody with these cards would knock."""
        return self.value(seat) >= max(self._knocks_from[seat], minimum)

    def exchange(self, seat: int) -> None:
        """One turn: a card is taken, another one thrown away."""
        cards = self.cards[seat]
        taken = _without_worst([*cards, self._discards[-1]])
        if worth(taken) >= worth(cards) + WORTH_TAKING and self._discards[-1] in taken:
            fourth = self._discards.pop()
        else:
            fourth = self._drawn()
        kept = _without_worst([*cards, fourth])
        self._discards += [card for card in (*cards, fourth) if card not in kept]
        self.cards[seat] = kept

    def _drawn(self) -> CardName:
        """A card from the stock; when it has run out, the discards under the top are shuffled into a new one."""
        if not self._stock:
            self._stock, self._discards = self._discards[:-1], self._discards[-1:]
            self._rng.shuffle(self._stock)
        return self._stock.pop()


def _without_worst(four: list[CardName]) -> list[CardName]:
    """The three of them that are worth most; of several, those whose cards are high."""
    threes = [four[:i] + four[i + 1 :] for i in range(len(four))]
    return max(threes, key=lambda cards: (worth(cards), sum(worth([card]) for card in cards)))
