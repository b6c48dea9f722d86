"""Deal shuffled packs, and rate moves of cards for simulated players.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.

Theory of operation. A move's value reflects common play: the reserve is to be emptied, cards on the foundations are
points, an empty work pile is worth keeping for the reserve. A move that gains nothing has the value 0 and is never
made, so no pile is moved back and forth, and every hand ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.cards.pack import Pile
from referee.core.cards.position import RESERVE, WASTE, Position, Tableau
from referee.core.cards.rules import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TURN, TURN_OVER, CardMove, CardRules
from referee.core.cards.sanity import PositionError, check_position


def deal(
    rules: CardRules, teams: Sequence[str], packs: Sequence[Pile], reserves: Sequence[int] | None = None
) -> Position:
    """Return the starting position. Raises PositionError for packs that are too small or wrong.

    packs: each team's shuffled pack; the first card is dealt first. reserves: each team's reserve size with its
    handicap; None: all have the rules' size.

    >>> start = deal(CardRules(), ("Red", "Blue"), [CardRules().pack] * 2)
    >>> [len(start.tableaux[0].reserve), len(start.tableaux[0].stock)]
    [13, 35]
    """
    sizes = [rules.reserve] * len(teams) if reserves is None else reserves
    dealt = tuple(_deal_tableau(rules, pack, size) for pack, size in zip(packs, sizes, strict=True))
    position = Position(rules, tuple(teams), dealt)
    check_position(position)
    return position


def _deal_tableau(rules: CardRules, pack: Pile, reserve: int) -> Tableau:
    river = sum(rules.dealt_to_piles)
    if len(pack) < river + reserve:
        raise PositionError(f"a pack of {len(pack)} cards is given, needed are {river + reserve} for this layout")
    first, second = (river, reserve) if rules.river_first else (reserve, river)
    parts = pack[:first], pack[first : first + second]
    in_river, in_reserve = parts if rules.river_first else parts[::-1]
    return Tableau(in_reserve, _laid_out(rules, in_river), pack[first + second :], (), _face_down(rules))


def _laid_out(rules: CardRules, cards: Pile) -> tuple[Pile, ...]:
    """Deal the work piles one card at a time, left to right.

    In Klondike each row starts one pile later.
    """
    piles: list[Pile] = [()] * rules.piles
    waiting = iter(cards)
    for row in range(max(rules.dealt_to_piles)):
        for pile in range(row, rules.piles):
            piles[pile] += (next(waiting),)
    return tuple(piles)


def _face_down(rules: CardRules) -> tuple[int, ...]:
    return tuple(range(rules.piles)) if rules.klondike else ()


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
