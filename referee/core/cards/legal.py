"""Generate all legal moves of a team, or of the whole table.

check.py decides whether a given move is allowed; this module finds the allowed moves from the cards. Tests compare the
two. Moves come in a fixed order: to the foundations, onto work piles, under them, a joker's announcements, the stock,
the call.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from referee.core.cards.fitting import OPEN, fits, follows, look_of, slides_under, starts, want_of
from referee.core.cards.idle import together
from referee.core.cards.pack import COLOUR, FACE, JOKER, LOOK, RANK
from referee.core.cards.position import RESERVE, TABLE, Available, Position, Tableau, available
from referee.core.cards.rules import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TURN, TURN_OVER, CardMove, CardRules


def legal_moves(position: Position, team: int) -> tuple[CardMove, ...]:
    """Return every legal move of a team (its number, or TABLE for joint moves).

    There are none after the hand's end.
    """
    if position.end:
        return ()
    if team == TABLE:
        return together(position)
    rules, tableau = position.rules, position.tableaux[team]
    ready = available(tableau)
    moves = _plays(position, team, ready)
    if rules.stacking:
        moves += [stack for play in moves for stack in _with_more_cards(rules, play, dict(ready))]
    obliged = obliged_places(position, ready) if rules.withholding else ()
    moves += _builds(rules, team, tableau, ready)
    if rules.river_transfer and () in tableau.piles:
        moves += _slides(rules, team, tableau, ready)
    if obliged:
        moves = [move for move in moves if keeps_obligation(move, obliged)]
    if rules.jokers:
        moves += _announcements(position, team, ready)
    if not obliged:
        moves += _of_the_stock(rules, team, tableau)
    if not tableau.reserve:
        moves.append(CardMove(team, CALL))
    return tuple(moves)


# -- to the foundations -----------------------------------------------------------------------------------------------


def _plays(position: Position, team: int, ready: Sequence[Available]) -> list[CardMove]:
    takers, bits = _takers(position), _KEYS[position.rules.follow]
    moves = []
    for source, card in ready:
        if card & RANK == 1:
            moves.append(CardMove(team, PLAY, source, len(position.foundations)))
        elif card & RANK:
            moves += [CardMove(team, PLAY, source, target) for target in takers.get(card & bits, ())]
    return moves


def _takers(position: Position) -> Mapping[int, list[int]]:
    """Return card -> numbers of the foundations that take this card next.

    The card has only the bits that the rule on foundations compares, e.g. rank and colour.
    """
    bits = _KEYS[position.rules.follow]
    turned = COLOUR if bits == LOOK else 0
    takers: dict[int, list[int]] = {}
    for number, pile in enumerate(position.foundations):
        takers.setdefault((pile[-1] ^ turned) + 1 & bits, []).append(number)
    return takers


_KEYS = {"suit": FACE, "colour": LOOK, "any": RANK}


def _with_more_cards(rules: CardRules, play: CardMove, ready: Mapping[int, int]) -> Iterator[CardMove]:
    """Yield every play that adds one or more available cards to this play (stacking).

    Each added card fits on the card before. ready: place -> its available card.
    """
    used = (play.source, *play.more)
    for source, card in ready.items():
        if source not in used and follows(rules, ready[used[-1]], card):
            longer = CardMove(play.team, PLAY, play.source, play.target, more=(*play.more, source))
            yield longer
            yield from _with_more_cards(rules, longer, ready)


def takes(position: Position, card: int) -> bool:
    """Return whether the card fits a foundation or begins a new one."""
    return starts(card) or any(follows(position.rules, pile[-1], card) for pile in position.foundations)


# -- withholding ------------------------------------------------------------------------------------------------------


def obliged_places(position: Position, ready: Sequence[Available]) -> tuple[int, ...]:
    """Return the places whose card must be played, under the rule against withholding.

    These are aces, and the reserve's top card if it fits a foundation.

    A joker may be withheld: no source requires it to be played.
    """
    return tuple(
        source
        for source, card in ready
        if not card & JOKER and (starts(card) or (source == RESERVE and takes(position, card)))
    )


def keeps_obligation(move: CardMove, obliged: Sequence[int]) -> bool:
    """Return whether the move plays a card that must be played.

    A reserve card that must be played may go to a work pile instead.
    """
    if move.kind == PLAY:
        return any(source in obliged for source in (move.source, *move.more))
    return move.source == RESERVE and RESERVE in obliged


# -- the River --------------------------------------------------------------------------------------------------------


def _builds(rules: CardRules, team: int, tableau: Tableau, ready: Sequence[Available]) -> list[CardMove]:
    shown = (
        [pile[tableau.hidden_count(number) :] for number, pile in enumerate(tableau.piles)]
        if tableau.down
        else tableau.piles
    )
    wants = [want_of(rules, cards) for cards in shown]
    takers: dict[int, list[int]] = {}
    for target, want in enumerate(wants):
        takers.setdefault(min(want, OPEN), []).append(target)
    moves = []
    for source, card in ready:
        cards = shown[source] if source >= 0 else (card,)
        for length in range(1, len(cards) + 1):
            head = cards[-length]
            look = look_of(cards[-length:]) if head & JOKER else head & LOOK
            likely = (*takers.get(look, ()), *takers.get(OPEN, ())) if look else range(len(wants))
            moves += [
                CardMove(team, BUILD, source, target, length)
                for target in sorted(likely)
                if target != source and fits(rules, wants[target], look, length)
            ]
    return moves


def _slides(rules: CardRules, team: int, tableau: Tableau, ready: Sequence[Available]) -> list[CardMove]:
    return [
        CardMove(team, SLIDE, source, target)
        for target, pile in enumerate(tableau.piles)
        if pile and not tableau.hidden_count(target)
        for source, card in ready
        if source != target and slides_under(rules, pile, card)
    ]


# -- work piles and other moves ---------------------------------------------------------------------------------------


def _announcements(position: Position, team: int, ready: Sequence[Available]) -> list[CardMove]:
    faces = [card for card in position.rules.pack if not card & JOKER and takes(position, card)]
    return [
        CardMove(team, ANNOUNCE, source, card=face)
        for source, card in ready
        if card & JOKER
        for face in faces
        if card & FACE != face
    ]


def _of_the_stock(rules: CardRules, team: int, tableau: Tableau) -> list[CardMove]:
    if not tableau.stock:
        return [CardMove(team, TURN_OVER)] if tableau.waste else []
    sink = [CardMove(team, SINK)] if may_sink(rules, tableau) else []
    return [CardMove(team, TURN), *sink]


def may_sink(rules: CardRules, tableau: Tableau) -> bool:
    """Return whether a team that cannot play may put its top stock card to the bottom (Reeves)."""
    return rules.stuck == "redeal-stock" and bool(tableau.stock) and tableau.cycles > 0
