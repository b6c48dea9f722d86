"""All cards of a table at an instant, and what a count of them gives.

Theory of operation. A `Position` is frozen: a move makes another one (apply.py). Teams are numbers from 0 and their
cards never mix but on the foundations, where each card carries its owner (pack.py). What lies in the air or on a wrong
foundation is no part of a position (flights.py): such a card still lies where it came from.

How long nothing has been played is part of it, since the ways out of a stuck table depend on it (idle.py).
"""

from __future__ import annotations

from referee.core.cards.pack import RANK, Pile, owner_of
from referee.core.cards.rules import CardRules
from referee.core.values import Value

TABLE = -1
"""The team's number of what all do together."""
RESERVE, WASTE = -1, -2
"""Places that a card comes from; a work pile is its number from 0."""


class Tableau(Value):
    """What lies before one team. Piles have their top card last; `stock` has the card that is turned next first.

    down: how many cards of each work pile lie face down, under the others; () where none ever do. cycles: how often the
    waste has been turned over since the team's own last play.
    """

    reserve: Pile
    piles: tuple[Pile, ...]
    stock: Pile
    waste: Pile = ()
    down: tuple[int, ...] = ()
    cycles: int = 0

    def hidden_count(self, pile: int) -> int:
        """Cards of that work pile that lie face down."""
        return self.down[pile] if self.down else 0

    @property
    def cards(self) -> Pile:
        """Every card of it, without order."""
        return self.reserve + self.stock + self.waste + tuple(card for pile in self.piles for card in pile)


Available = tuple[int, int]
"""A place and the card that may be taken there alone."""


def available(tableau: Tableau) -> list[Available]:
    """The cards that may go to a foundation: the reserve's top, the waste's top, the last of every work pile."""
    ready = [(number, pile[-1]) for number, pile in enumerate(tableau.piles) if pile]
    if tableau.waste:
        ready.insert(0, (WASTE, tableau.waste[-1]))
    if tableau.reserve:
        ready.insert(0, (RESERVE, tableau.reserve[-1]))
    return ready


class Lull(Value):
    """How long no card has been played: all zero after any play.

    cycles: how often each team has turned its waste over since then, or since the last burn; () for never. burns: burns
    and other ways out since then. stock_burns: those of stock cards since then or since the last burnt reserve card.
    """

    cycles: tuple[int, ...] = ()
    burns: int = 0
    stock_burns: int = 0


PLAYED = Lull()
"""A card has just been played."""


class Position(Value):
    """All cards of a table. `foundations` as they were begun; end: "" while they play, else as a hand ends ("call",
    "stuck", "abandoned"); caller: the team's number whose call ended it, or TABLE.
    """

    rules: CardRules
    teams: tuple[str, ...]
    tableaux: tuple[Tableau, ...]
    foundations: tuple[Pile, ...] = ()
    lull: Lull = PLAYED
    end: str = ""
    caller: int = TABLE


class CardCount(Value):
    """What a team would count: its cards on the foundations, those left in the reserve, kings among the former."""

    lake: int
    left: int
    kings: int


def counts(position: Position) -> tuple[CardCount, ...]:
    """What each team would count, by its number."""
    lake, kings = [0] * len(position.teams), [0] * len(position.teams)
    for pile in position.foundations:
        for card in pile:
            lake[owner_of(card)] += 1
            kings[owner_of(card)] += card & RANK == 13
    left = (len(tableau.reserve) for tableau in position.tableaux)
    return tuple(map(CardCount, lake, left, kings))
