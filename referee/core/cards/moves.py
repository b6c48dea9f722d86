"""Moves as values, and the error for an illegal move.

A move is a plain description, independent of a position. check.py says whether it is legal there.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from referee.core.values import Value

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
