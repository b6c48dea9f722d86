"""The cards of a game of 31: one pack, a stock, a discard pile, and how people play them.

Three cards are worth the best sum within one suit, or what the table's rules say of three of a kind and of three in a
row (docs/rules.md 10). In a turn a player takes the top discard if it helps enough, else a card from the stock, and
throws away the card that is worth least. A page user takes and throws in two steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from referee.core.values import Value

RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
SUITS = "CDHS"
WORTH = {"A": 11, "J": 10, "Q": 10, "K": 10}
BEST, HAND = 31, 3
WORTH_TAKING = 3
"""Minimum gain for which a discard is taken. On average the stock is as good."""
KNOCKS_FROM = (22, 29)
"""Range of the value from which a player knocks; drawn for each hand."""

CardName = tuple[str, str]
STOCK, DISCARDS = "stock", "discards"
"""The piles from which a card can be taken."""
DRAWN, UNDRAWN, TAKEN_BACK = "drawn", "undrawn", "taken back"
"""Why a card cannot be taken or thrown away.

One was already taken in this turn; none was taken; it was just taken from the discard pile.
"""


class TurnError(ValueError):
    """A player may not take or throw away this card now. The text is a reason, e.g. DRAWN."""


class HandRules(Value):
    """Values, in half points, of three cards of one rank or in a row.

    halves_of_a_kind: of three cards of one rank. halves_in_a_row: of three cards of one suit in a row, with the ace
    low. 0: such cards count as any others.
    """

    halves_of_a_kind: int = 0
    halves_in_a_row: int = 0


PLAIN = HandRules()


def worth(cards: Iterable[CardName]) -> int:
    """Return the highest sum of the values of cards of one suit.

    >>> worth([("A", "H"), ("K", "H"), ("4", "C")])
    21
    """
    sums = dict.fromkeys(SUITS, 0)
    for rank, suit in cards:
        sums[suit] += WORTH.get(rank) or int(rank)
    return max(sums.values())


def halves(rules: HandRules, cards: Sequence[CardName]) -> int:
    """Return the value of three cards, in half points.

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
    """The cards of one hand of 31: `cards` by seat number, the stock and the discard pile."""

    def __init__(self, rng: Random, seats: Iterable[int], rules: HandRules = PLAIN) -> None:
        self._rng = rng
        self._rules = rules
        self._stock: list[CardName] = [(rank, suit) for suit in SUITS for rank in RANKS]
        rng.shuffle(self._stock)
        self.cards = {seat: [self._stock.pop() for _ in range(HAND)] for seat in sorted(seats)}
        self._discards = [self._stock.pop()]
        self._bound: CardName | None = None
        """The card that may not be thrown away in this turn, if any."""
        self._knocks_from = {seat: rng.randint(*KNOCKS_FROM) for seat in self.cards}

    def halves(self, seat: int) -> int:
        """Return the value of the seat's cards, in half points."""
        return halves(self._rules, self.cards[seat])

    def knocks(self, seat: int, minimum: int) -> bool:
        """Return whether the player at this seat knocks. `minimum`: the least value for a knock."""
        return self.halves(seat) >= 2 * max(self._knocks_from[seat], minimum)

    def exchange(self, seat: int) -> None:
        """Take a turn for that seat: take a card and throw one away."""
        cards = self.cards[seat]
        taken = self._without_worst([*cards, self._discards[-1]])
        better = halves(self._rules, taken) - halves(self._rules, cards)
        fourth = self._discards.pop() if better >= 2 * WORTH_TAKING and self._discards[-1] in taken else self._draw()
        kept = self._without_worst([*cards, fourth])
        self._discards += [card for card in (*cards, fourth) if card not in kept]
        self.cards[seat] = kept

    @property
    def top(self) -> CardName | None:
        """Return the top card of the discard pile; None if a player has just taken the only one."""
        return self._discards[-1] if self._discards else None

    @property
    def stock(self) -> int:
        """Return the number of cards in the stock."""
        return len(self._stock)

    def has_drawn(self, seat: int) -> bool:
        """Return whether the seat has taken a card and not thrown one away yet."""
        return len(self.cards[seat]) > HAND

    def draw(self, seat: int, pile: str) -> None:
        """Take a card from the stock, or the top card of the discard pile.

        Raises TurnError if the seat has already taken one in this turn.
        """
        if self.has_drawn(seat):
            raise TurnError(DRAWN)
        if pile == DISCARDS:
            self._bound = self._discards.pop()
        self.cards[seat].append(self._bound if pile == DISCARDS else self._draw())  # type: ignore[arg-type]

    def throw(self, seat: int, place: int) -> None:
        """Throw away the seat's card number `place`, counted from 0.

        Raises TurnError if the seat has not taken a card, or has just taken this card from the discard pile; IndexError
        for a place that does not exist.
        """
        cards = self.cards[seat]
        if len(cards) == HAND:
            raise TurnError(UNDRAWN)
        if cards[place] == self._bound:
            raise TurnError(TAKEN_BACK)
        self._discards.append(cards.pop(place))
        self._bound = None

    def settle(self, seat: int) -> None:
        """End the turn. If the seat has four cards, throw away the least valuable one."""
        cards = self.cards[seat]
        if len(cards) > HAND:
            kept = self._without_worst(cards)
            places = [place for place, card in enumerate(cards) if card != self._bound]
            self.throw(seat, next((place for place in places if cards[place] not in kept), places[0]))

    def _draw(self) -> CardName:
        """Draw from the stock. If it is empty, first shuffle the discards below the top one into it."""
        if not self._stock:
            self._stock, self._discards = self._discards[:-1], self._discards[-1:]
            self._rng.shuffle(self._stock)
        return self._stock.pop()

    def _without_worst(self, four: list[CardName]) -> list[CardName]:
        """Return the best three of four cards.

        If several choices have the same value, return the one with the highest cards.
        """
        threes = [four[:i] + four[i + 1 :] for i in range(len(four))]
        return max(threes, key=lambda cards: (halves(self._rules, cards), sum(worth([card]) for card in cards)))
