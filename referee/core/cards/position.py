"""All cards of a table at an instant, and their count.

Theory of operation. A `Position` is frozen: a move makes a new one (apply.py). Teams are numbers from 0. Their cards
mix only on the foundations, where each card carries its owner (pack.py). Cards in the air or on a wrong foundation are
not there yet (flights.py): such a card still counts at its source. A position includes how long nothing has been
played, because the ways out of a stuck table depend on it (idle.py).
"""

from __future__ import annotations

from referee.core.cards.pack import RANK, Pile, owner_of
from referee.core.cards.rules import CardRules
from referee.core.values import Value

TABLE = -1
"""The team number of joint moves."""
RESERVE, WASTE = -1, -2
"""Places that a card comes from; a work pile is its number from 0."""


class Tableau(Value):
    """The cards of one team.

    Piles have their top card last; `stock` has the next card to turn first.
    down: how many cards of each work pile are face down, under the others; () if the rules have none. cycles: how often
    the waste has been turned over since the team's own last play.
    """

    reserve: Pile
    piles: tuple[Pile, ...]
    stock: Pile
    waste: Pile = ()
    down: tuple[int, ...] = ()
    cycles: int = 0

    def hidden_count(self, pile: int) -> int:
        """Return the number of face-down cards of this work pile."""
        return self.down[pile] if self.down else 0

    @property
    def cards(self) -> Pile:
        """All its cards, unordered."""
        return self.reserve + self.stock + self.waste + tuple(card for pile in self.piles for card in pile)


Available = tuple[int, int]
"""A place, and the card that can be taken from it alone."""


def available(tableau: Tableau) -> list[Available]:
    """Return the cards that can go to a foundation.

    The tops of the reserve, the waste and every work pile.
    """
    ready = [(number, pile[-1]) for number, pile in enumerate(tableau.piles) if pile]
    if tableau.waste:
        ready.insert(0, (WASTE, tableau.waste[-1]))
    if tableau.reserve:
        ready.insert(0, (RESERVE, tableau.reserve[-1]))
    return ready


class Lull(Value):
    """How long no card has been played: all zero after any play.

    cycles: how often each team has turned its waste over since then, or since the last burn; () for never. burns: burns
    and other ways out since then. stock_burns: burns of stock cards since then or since the last burnt reserve card.
    """

    cycles: tuple[int, ...] = ()
    burns: int = 0
    stock_burns: int = 0


PLAYED = Lull()
"""The lull directly after a play."""


class Position(Value):
    """All cards of a table. `foundations` are in the order in which they were begun.

    end: "" during play, else how the hand ended ("call", "stuck", "abandoned"). caller: the number of the team whose
    call ended it, or TABLE.
    """

    rules: CardRules
    teams: tuple[str, ...]
    tableaux: tuple[Tableau, ...]
    foundations: tuple[Pile, ...] = ()
    lull: Lull = PLAYED
    end: str = ""
    caller: int = TABLE


class CardCount(Value):
    """A team's count.

    Cards on the foundations, cards left in the reserve, and kings on the foundations.
    """

    lake: int
    left: int
    kings: int


def counts(position: Position) -> tuple[CardCount, ...]:
    """Return each team's count, in team order."""
    lake, kings = [0] * len(position.teams), [0] * len(position.teams)
    for pile in position.foundations:
        for card in pile:
            lake[owner_of(card)] += 1
            kings[owner_of(card)] += card & RANK == 13
    left = (len(tableau.reserve) for tableau in position.tableaux)
    return tuple(map(CardCount, lake, left, kings))
