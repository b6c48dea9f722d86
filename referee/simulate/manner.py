"""How simulated players play: what a move is worth to them, how long they take, what they overlook.

Theory of operation. Players are greedy: they make the legal move that is worth most, of several the first. A move's
worth is a number that any player would give: the reserve is to be emptied, cards on the foundations are points, an
empty work pile is worth keeping for the reserve. Moves that gain nothing are never made, so that every hand ends.
Players have no plan and no memory, and know only open cards.

Every span is an assumption of ours, chosen so that hands come out as those of real tables (figures.py).
"""

from __future__ import annotations

from referee.core.cards.moves import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TURN, TURN_OVER, CardMove
from referee.core.cards.position import RESERVE, WASTE, Tableau
from referee.core.values import Value

Span = tuple[int, int]
"""The shortest and the longest, ms."""
THINK_MS: Span = (300, 800)
"""From seeing a card's place to reaching for the card."""
CARRY_MS: Span = (350, 600)
"""How long a hand carries a card to its place."""
TURN_MS: Span = (450, 800)
"""Turning stock cards, or the waste over."""
CALL_MS: Span = (250, 900)
"""From the last reserve card's place to the button."""
GLANCE_MS: Span = (80, 200)
"""Until the eyes are at the cards again after something done."""
REGRET_MS: Span = (150, 400)
"""The same after a card that came second, and returned."""
AGREE_MS: Span = (3000, 8000)
"""Until a table that is idle has agreed on what to do."""
APART_US = 30_000
"""Two landings closer than this look like one."""
SECOND_CALL_US = 200_000
"""A call so soon after the first would have been made as well."""

CALL_WORTH = 1000
PLAY_WORTH, FROM_RESERVE, EMPTIES = 60, 30, 5
"""A play; more for a reserve card, and more for each work pile that it empties; a stack: one more for each card."""
ANNOUNCE_WORTH = 55
"""A joker is announced where nothing can be played at once, and played then."""
ONTO_CARDS, ONTO_NOTHING, UNDER = 50, 40, 48
"""A reserve card in the River: onto cards, into an empty place, under a pile while there is an empty place."""
MAKES_ROOM, UNCOVERS = 45, 30
"""A whole work pile onto another one; all that lies open of one, so that a hidden card is turned up."""
WASTE_UNDER, WASTE_ONTO = 18, 20
SINK_WORTH, TURN_WORTH = 2, 1

WAYS_OUT = {"burn": 12, "rotate": 4, "redeal-stock": 1}
"""How often a table tries its way out before it ends the hand, by option `stuck`; never where it is not named."""
ROUNDS = 2
"""Turn-overs of each team before a table takes itself for idle: some of the first may lie before the last play."""


class Habit(Value):
    """Somebody's pace, in percent of the spans above, and at how many looks of a hundred the cards are seen at all."""

    pace: int = 100
    attention: int = 100


COMPANIES = {
    "even": (Habit(),),
    "mixed": (Habit(85, 98), Habit(95, 94), Habit(107, 89), Habit(120, 84)),
}
"""Who sits there, by name; with more seats it begins again."""


def worth(side: Tableau, move: CardMove) -> int:
    """What a legal move is worth to the team with that tableau; 0 for one that gains nothing."""
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
