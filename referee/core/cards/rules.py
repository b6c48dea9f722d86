"""The card rules of a table, and moves as values.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.

A move is a plain description, independent of a position. check.py says whether it is legal there.
"""

from __future__ import annotations

from referee.core.cards.pack import Pile, full_pack
from referee.core.values import Value


class CardRules(Value):
    """The card rules of one table (docs/rules.md 2, 3 and 6).

    highest: the last rank of a foundation, 1 to 13; a pack has ranks 1 to `highest` in four suits, and `jokers`.
    letters: the suits' letters; the first and the third have the same colour. reserve: number of cards dealt to the
    reserve. open_reserve: all reserve cards are visible, not only the top one. river_first: the work piles are dealt
    before the reserve.
    piles: number of work piles. klondike: the work piles are dealt as in Klondike: the first gets one card, each
    further one a card more, and only its last card is face up. building: cards may be laid on the cards of a work pile.
    turn: number of stock cards turned at a time. turn_reversed: the first card turned ends on top, not the last.
    follow: the next foundation card is one higher and of the same suit ("suit"), of the other colour ("colour"), or of
    any suit ("any"). in_flight_lands: a card in the air at the call still counts. same_place: if two cards land at
    once, the first stays, both stay, or the table decides ("first", "both", "table"). withholding: aces, and reserve
    cards that fit, must go to the foundations; so no ace is laid on a work pile.
    stacking: several available cards in order may be played at once. river_transfer: while the team has an empty place
    for a work pile, a card may be slid under a whole work pile. stuck: what follows if no player can move ("burn",
    "rotate", "redeal-stock", "abandon", "score").
    """

    highest: int = 13
    jokers: int = 0
    letters: str = "SHCD"
    reserve: int = 13
    open_reserve: bool = False
    river_first: bool = False
    piles: int = 4
    klondike: bool = False
    building: bool = True
    turn: int = 3
    turn_reversed: bool = False
    follow: str = "suit"
    in_flight_lands: bool = True
    same_place: str = "first"
    withholding: bool = False
    stacking: bool = False
    river_transfer: bool = False
    stuck: str = "rotate"

    @property
    def lowest_built(self) -> int:
        """Return the lowest rank allowed on work piles: no ace if aces must go to the foundations."""
        return 2 if self.withholding else 1

    @property
    def pack(self) -> Pile:
        """Return one team's cards, lowest suit and rank first."""
        return full_pack(self.highest, self.jokers)

    @property
    def dealt_to_piles(self) -> tuple[int, ...]:
        """Return the number of cards dealt to each work pile."""
        return tuple(range(1, self.piles + 1)) if self.klondike else (1,) * self.piles


TURN, TURN_OVER = "turn", "turn over"
PLAY, BUILD, SLIDE, ANNOUNCE = "play", "build", "slide", "announce"
CALL, SINK = "call", "sink"
BURN_STOCK, BURN_RESERVE, ROTATE, REDEAL = "burn stock", "burn reserve", "rotate", "redeal"
END, ABANDON = "end", "abandon"
TOGETHER = (BURN_STOCK, BURN_RESERVE, ROTATE, REDEAL, END, ABANDON)
"""Moves that the whole table makes together."""
ENDS = ("call", "stuck", "abandoned")
"""How a hand ends: by a call, because no team can play, or abandoned without a score."""


class CardMove(Value):
    """One move of one team, or of the whole table (`team` TABLE).

    kind, with the fields that it needs:
    "turn" (stock cards onto the waste), "turn over" (the waste becomes the new stock),
    "play" (the card of `source`, then one of each place in `more`, onto foundation `target`, counted from 0; if
    `target` equals the number of foundations, the card begins a new one),
    "build" (the last `count` cards of `source` onto the work pile `target`),
    "slide" (the card of `source` under the work pile `target`),
    "announce" (the joker of `source` becomes `card`), "call" (the reserve is empty),
    "sink" (the team's top stock card to the bottom of the stock);
    of the table: "burn stock", "burn reserve", "rotate", "redeal", "end", "abandon".
    """

    team: int
    kind: str
    source: int = 0
    target: int = 0
    count: int = 1
    more: tuple[int, ...] = ()
    card: int = 0


class IllegalMoveError(ValueError):
    """A move that the rules forbid. `rule`: the rule's name. The position is unchanged."""

    def __init__(self, rule: str, move: CardMove, text: str) -> None:
        """Store the rule and the move. `text`: the move in words."""
        super().__init__(f"{text}: illegal by the rule {rule!r}")
        self.rule = rule
        self.move = move
