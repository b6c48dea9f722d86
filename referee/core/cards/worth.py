"""The value of a move of cards to simulated players.

Theory of operation. A move's value reflects common play: the reserve is to be emptied, cards on the foundations are
points, an empty work pile is worth keeping for the reserve. A move that gains nothing has the value 0 and is never
made, so no pile is moved back and forth, and every hand ends.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from referee.core.cards.moves import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TURN, TURN_OVER, CardMove
from referee.core.cards.position import RESERVE, WASTE, Tableau

CALL_WORTH = 1000
PLAY_WORTH, FROM_RESERVE, EMPTIES = 60, 30, 5
"""Value of a play; what a reserve card adds, and each work pile that it empties.

Of several cards played at once, each further one adds one.
"""
ANNOUNCE_WORTH = 55
"""Value of announcing a joker. It is lower than a play's, and the joker is played next."""
ONTO_CARDS, ONTO_NOTHING, UNDER = 50, 40, 48
"""Values of moving a reserve card onto a work pile, to an empty place, or under a work pile.

The last move is legal only while another place is empty.
"""
MAKES_ROOM, UNCOVERS = 45, 30
"""Value of moving a whole work pile onto another, or all its open cards off a hidden one."""
WASTE_UNDER, WASTE_ONTO = 18, 20
SINK_WORTH, TURN_WORTH = 2, 1


def worth(side: Tableau, move: CardMove) -> int:
    """Return how good simulated players find this legal move of `side`; 0: no gain."""
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
