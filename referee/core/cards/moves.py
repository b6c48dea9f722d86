"""Moves as values, and the reasons why a move is illegal.

A move is a plain description, independent of a position. Only `apply` checks whether it is legal there.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.values import Value

TURN, TURN_OVER = "turn", "turn over"
PLAY, BUILD, SLIDE, ANNOUNCE = "play", "build", "slide", "announce"
CALL, SINK = "call", "sink"
BURN_STOCK, BURN_RESERVE, ROTATE, REDEAL = "burn stock", "burn reserve", "rotate", "redeal"
END, ABANDON = "end", "abandon"
TOGETHER = (BURN_STOCK, BURN_RESERVE, ROTATE, REDEAL, END, ABANDON)
"""Moves of the whole table."""
ENDS = ("call", "stuck", "abandoned")
"""How a hand ends: by a call, at a stuck table, or abandoned."""


class CardMove(Value):
    """One move of one team, or of the whole table (`team` TABLE).

    kind, with the fields that it needs:
    "turn" (stock cards onto the waste), "turn over" (the waste becomes the new stock),
    "play" (the card of `source`, then those of `more`, onto the foundation `target`; one beyond the last: a new one),
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


RULES: Mapping[str, str] = {
    "over": "the hand has ended",
    "place": "there is no such place or move at this table",
    "available": "only the reserve's top, the waste's top and a work pile's face-up cards may be taken",
    "foundation": "a foundation begins with an ace and goes up one by one, as the foundation rule says",
    "one at a time": "cards go to a foundation one at a time, since stacking is not agreed",
    "work pile": "work piles go down one by one in alternating colours",
    "row": "nothing is built on the cards of the row",
    "ace": "no ace is built in the River, it must go to the foundations",
    "withholding": "an available ace, or a reserve card that fits a foundation, must be played first",
    "river transfer": "a card is slid under a whole work pile, while there is an empty place, where this is agreed",
    "announcement": "a joker is announced as a card that fits a foundation before it is played there",
    "turn": "stock cards are turned while there are any, and only then is the waste turned over",
    "call": "a call needs an empty reserve",
    "idle": "this is done when nobody can call and every team has gone through its stock without a play",
    "way out": "the table has agreed on another way out when nobody can move",
    "in the air": "a card of that place is on its way or lies on a wrong one, and must land or come back first",
    "fumble": "the team is still putting fumbled cards in order",
    "instant": "what happens at a table is told in the order of time",
}
"""The rules that can make a move illegal, by name."""


GROUNDS: Mapping[str, str] = {
    "foundation": RULES["foundation"],
    "stacking": "several available cards in order go to a foundation together, since stacking is agreed",
    "work pile": RULES["work pile"],
    "empty place": "an empty place takes the reserve's top, the waste's top or cards of a work pile",
    "river transfer": RULES["river transfer"],
    "announcement": RULES["announcement"],
    "turn": RULES["turn"],
    "call": RULES["call"],
    "way out": "nobody can call, nobody has played for a round through the stock, and the table has agreed on it",
    "own stock": "a team that is stuck alone may put its top stock card to the bottom",
}
"""The rules that permit a legal move, by name."""


class IllegalMoveError(ValueError):
    """A move that the rules forbid. `rule` is one of RULES; the position is unchanged."""

    def __init__(self, rule: str, move: CardMove, text: str) -> None:
        """Store the rule and the move. `text`: the move in writing."""
        super().__init__(f"{text}: {RULES[rule]}")
        self.rule = rule
        self.move = move
