"""How simulated players play: the values of moves, speed, attention.

Theory of operation. Players do not plan ahead: they make the legal move that is worth most; of equal ones, the first. A
move's value reflects common play: the reserve is to be emptied, cards on the foundations are points, an empty work pile
is worth keeping for the reserve. Moves that gain nothing are never made, so every hand ends. Players have no memory,
and know only open cards.

Every time below is our assumption, chosen so that hands come out as those of real tables (figures.py).
"""

from __future__ import annotations

from referee.core.cards.moves import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TURN, TURN_OVER, CardMove
from referee.core.cards.position import RESERVE, WASTE, Tableau
from referee.core.values import Value

Span = tuple[int, int]
"""Shortest and longest time, ms."""
THINK_MS: Span = (300, 800)
"""Time from seeing a card's place to reaching for the card."""
CARRY_MS: Span = (350, 600)
"""Time in which a player carries a card to its place."""
TURN_MS: Span = (450, 800)
"""Time for turning stock cards, or the waste over."""
CALL_MS: Span = (250, 900)
"""Time from laying down the last reserve card to the press of the button."""
GLANCE_MS: Span = (80, 200)
"""Time until a player looks at the cards again after a move."""
REGRET_MS: Span = (150, 400)
"""The same, after a card that came second and returned."""
AGREE_MS: Span = (3000, 8000)
"""Time until a table where no one can play has agreed on what to do."""
APART_US = 30_000
"""Two cards that land closer in time than this look as if they landed at once."""
SECOND_CALL_US = 200_000
"""A second call this soon after the first would have been made as well."""

CALL_WORTH = 1000
PLAY_WORTH, FROM_RESERVE, EMPTIES = 60, 30, 5
"""Value of a play; what a reserve card adds, and each work pile that it empties.

Of several cards played at once, each further one adds one.
"""
ANNOUNCE_WORTH = 55
"""Value of announcing a joker. It is lower than a play's, and the joker is played next."""
ONTO_CARDS, ONTO_NOTHING, UNDER = 50, 40, 48
"""Value of moving a reserve card to a work pile: onto cards, into an empty place, under it.

Under a pile only while another place is empty.
"""
MAKES_ROOM, UNCOVERS = 45, 30
"""Value of moving a whole work pile onto another, or all its open cards off a hidden one."""
WASTE_UNDER, WASTE_ONTO = 18, 20
SINK_WORTH, TURN_WORTH = 2, 1

WAYS_OUT = {"burn": 12, "rotate": 4, "redeal-stock": 1}
"""Option `stuck` -> number of joint moves before the table ends the hand; missing: never."""
ROUNDS = 2
"""How often each team turns its waste over before no one can play, as the table sees it.

The first time may have begun before the last play.
"""


class Habit(Value):
    """A player's pace, in percent of the times above, and the percentage of attentive looks."""

    pace: int = 100
    attention: int = 100


COMPANIES = {
    "even": (Habit(),),
    "mixed": (Habit(85, 98), Habit(95, 94), Habit(107, 89), Habit(120, 84)),
}
"""Name -> the habits of a table's players, repeated if there are more seats."""


def worth(side: Tableau, move: CardMove) -> int:
    """Return the value of a legal move for the team with this tableau; 0 if it gains nothing."""
    if move.kind == PLAY:
        places = (move.source, *move.more)
        emptied = sum(place >= 0 and len(side.piles[place]) == 1 for place in places)
        return PLAY_WORTH + FROM_RESERVE * (RESERVE in places) + EMPTIES * emptied + len(move.more)
    if move.kind in (BUILD, SLIDE):
        return _in_the_river(side, move)
    return _OTHERS[move.kind]


_OTHERS = {CALL: CALL_WORTH, ANNOUNCE: ANNOUNCE_WORTH, SINK: SINK_WORTH, TURN: TURN_WORTH, TURN_OVER: TURN_WORTH}


def _in_the_river(side: Tableau, move: CardMove) -> int:
    if move.kind == SLIDE:
        return {RESERVE: UNDER, WASTE: WASTE_UNDER}.get(move.source, 0)
    if not side.piles[move.target]:
        return ONTO_NOTHING if move.source == RESERVE else 0
    if move.source < 0:
        return ONTO_CARDS if move.source == RESERVE else WASTE_ONTO
    hidden, length = side.hidden_count(move.source), len(side.piles[move.source])
    if move.count < length - hidden or not side.reserve:
        return 0
    return UNCOVERS if hidden else MAKES_ROOM
