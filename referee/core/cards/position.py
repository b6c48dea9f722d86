"""All cards of a table at an instant, the rules that move them, and what players can see of them.

Theory of operation. A `Position` is immutable: a move makes a new one (apply.py). Teams are numbers from 0. Their cards
mix only on the foundations, where each card carries its owner (pack.py). Cards in the air or on a wrong foundation are
not there yet (flights.py): such a card still counts at its source. A position includes how long no card has been
played, because what the table may do when no team can play depends on it (idle.py).
"""

from __future__ import annotations

from collections.abc import Callable

from referee.core.cards.pack import RANK, Pile, owner_of
from referee.core.cards.rules import CardRules
from referee.core.values import Value, replace

TABLE = -1
"""The team number of moves that the whole table makes."""
RESERVE, WASTE = -1, -2
"""Places from which a card comes: reserve, waste; a work pile is its number from 0."""


class Tableau(Value):
    """The cards in front of one team.

    reserve: the pile to get rid of. piles: the work piles. stock: the cards that the team still turns. waste: the cards
    that it has turned. Piles have their top card last; `stock` has the next card to turn first.
    down: how many cards of each work pile are face down, below the others; () if the rules have none. cycles: how often
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
        """Return all cards of the team, in no particular order."""
        return self.reserve + self.stock + self.waste + tuple(card for pile in self.piles for card in pile)


Available = tuple[int, int]
"""A place, and the single card that can be taken from it."""


def available(tableau: Tableau) -> list[Available]:
    """Return the cards that can go to a foundation.

    These are the top cards of the reserve, the waste and every work pile.
    """
    ready = [(number, pile[-1]) for number, pile in enumerate(tableau.piles) if pile]
    if tableau.waste:
        ready.insert(0, (WASTE, tableau.waste[-1]))
    if tableau.reserve:
        ready.insert(0, (RESERVE, tableau.reserve[-1]))
    return ready


class Lull(Value):
    """What teams have done since a card was last played. A play sets all fields to zero.

    cycles: how often each team has turned its waste over since the last play or burn; () if no team has. burns: the
    number of joint moves, such as burns, since the last play. stock_burns: the number of burns of stock cards since the
    last play or the last burn of a reserve card.
    """

    cycles: tuple[int, ...] = ()
    burns: int = 0
    stock_burns: int = 0


PLAYED = Lull()
"""The value of `lull` directly after a play."""


class Position(Value):
    """All cards of a table. `foundations` are in the order in which they were begun.

    end: "" during play, else how the hand ended ("call", "stuck", "abandoned"). caller: the number of the team whose
    call ended it; TABLE if none did.
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


class CardGame(Value):
    """How to play a preset card by card, with a given number of teams.

    target: the score that ends a match; None if there is none. score: a function that returns a team's score. It gets
    how the hand ended (one of moves.ENDS), whether the team's call ended it, and the team's count.
    """

    rules: CardRules
    target: int | None
    score: Callable[[str, bool, CardCount], int | float]


BACK = 0
"""A face-down card."""


def with_backs(position: Position) -> Position:
    """Return the position with backs for all hidden cards.

    Hidden are stocks, hidden reserve cards and Klondike's face-down cards. Waste cards stay open, because all players
    have seen them. `legal_moves` gives the same result as for the whole position, because no rule depends on hidden
    cards.
    """
    return replace(position, tableaux=tuple(_open_side(position.rules, side) for side in position.tableaux))


def _open_side(rules: CardRules, side: Tableau) -> Tableau:
    reserve = side.reserve if rules.open_reserve else _backs(side.reserve, len(side.reserve) - 1)
    piles = tuple(_backs(pile, side.hidden_count(number)) for number, pile in enumerate(side.piles))
    return replace(side, reserve=reserve, piles=piles, stock=_backs(side.stock, len(side.stock)))


def _backs(pile: Pile, count: int) -> Pile:
    """Return the pile with its lowest `count` cards face down."""
    return (BACK,) * count + pile[max(count, 0) :]
