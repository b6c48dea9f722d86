"""The truth of a hand of three cards: one pack, a stock, a discard pile, and how people play them.

A hand is worth the best sum within one suit, or what the table's rules say of three of a kind and of three in a row
(RULES.md 11). A turn takes the top discard when it helps enough, else a
card from the stock, and throws away what is worth least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from referee.core.values import Value

RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
SUITS = "CDHS"
WORTH = {"A": 11, "J": 10, "Q": 10, "K": 10}
BEST = 31
WORTH_TAKING = 3
"""A discard is taken when it makes the hand better by this much; the stock is as good on average."""
KNOCKS_FROM = (22, 29)
"""From which value on somebody knocks; drawn anew for each hand."""

CardName = tuple[str, str]


class HandRules(Value):
    """What a hand of three counts beside the best sum of a suit, in halves; 0: nothing.

    halves_of_a_kind: three cards of a rank. halves_in_a_row: three of a suit in a row, the ace below the two.
    """

    halves_of_a_kind: int = 0
    halves_in_a_row: int = 0


PLAIN = HandRules()


def worth(cards: Iterable[CardName]) -> int:
    """The best sum within one suit.

    >>> worth([("A", "H"), ("K", "H"), ("4", "C")])
    21
    """
    sums = dict.fromkeys(SUITS, 0)
    for rank, suit in cards:
        sums[suit] += WORTH.get(rank) or int(rank)
    return max(sums.values())


def halves(rules: HandRules, cards: Sequence[CardName]) -> int:
    """What three cards count, in halves.

    >>> halves(HandRules(halves_of_a_kind=61), [("5", "H"), ("5", "C"), ("5", "S")])
    61
    """
    most = 2 * worth(cards)
    if len({rank for rank, _ in cards}) == 1:
        most = max(most, rules.halves_of_a_kind)
    places = sorted(RANKS.index(rank) for rank, _ in cards)
    if len({suit for _, suit in cards}) == 1 and places == list(range(places[0], places[0] + len(cards))):
        most = max(most, rules.halves_in_a_row)
    return most


class Deal:
    """A hand in progress: `cards` by seat number."""

    def __init__(self, rng: Random, seats: Iterable[int], rules: HandRules = PLAIN) -> None:
        self._rng = rng
        self._rules = rules
        self._stock: list[CardName] = [(rank, suit) for suit in SUITS for rank in RANKS]
        rng.shuffle(self._stock)
        self.cards = {seat: [self._stock.pop() for _ in range(3)] for seat in sorted(seats)}
        self._discards = [self._stock.pop()]
        self._knocks_from = {seat: rng.randint(*KNOCKS_FROM) for seat in self.cards}

    def halves(self, seat: int) -> int:
        """What the seat's cards are worth, in halves."""
        return halves(self._rules, self.cards[seat])

    def knocks(self, seat: int, minimum: int) -> bool:
        """Whether somebody with these cards would knock."""
        return self.halves(seat) >= 2 * max(self._knocks_from[seat], minimum)

    def exchange(self, seat: int) -> None:
        """One turn: a card is taken, another one thrown away."""
        cards = self.cards[seat]
        taken = self._without_worst([*cards, self._discards[-1]])
        better = halves(self._rules, taken) - halves(self._rules, cards)
        fourth = self._discards.pop() if better >= 2 * WORTH_TAKING and self._discards[-1] in taken else self._drawn()
        kept = self._without_worst([*cards, fourth])
        self._discards += [card for card in (*cards, fourth) if card not in kept]
        self.cards[seat] = kept

    def _drawn(self) -> CardName:
        """A card from the stock; when it has run out, the discards under the top are shuffled into a new one."""
        if not self._stock:
            self._stock, self._discards = self._discards[:-1], self._discards[-1:]
            self._rng.shuffle(self._stock)
        return self._stock.pop()

    def _without_worst(self, four: list[CardName]) -> list[CardName]:
        """The three of them that are worth most; of several, those whose cards are high."""
        threes = [four[:i] + four[i + 1 :] for i in range(len(four))]
        return max(threes, key=lambda cards: (halves(self._rules, cards), sum(worth([card]) for card in cards)))
