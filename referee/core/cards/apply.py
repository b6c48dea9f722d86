"""The effect of a legal move on a position.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.core.cards.idle import cycles_of, done_together
from referee.core.cards.pack import JOKER, Pile, with_owner
from referee.core.cards.position import PLAYED, RESERVE, TABLE, WASTE, Position, Tableau
from referee.core.cards.rules import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TURN, TURN_OVER, CardMove
from referee.core.values import replace


def apply_move(position: Position, move: CardMove) -> Position:
    """Return the position after this move, which must be legal, because it is not checked."""
    if move.team == TABLE:
        return done_together(position, move.kind)
    return _CHANGES[move.kind](position, move)


# -- taking and laying cards ------------------------------------------------------------------------------------------


def _take_cards(tableau: Tableau, source: int, count: int) -> tuple[Tableau, Pile]:
    """Take the top `count` cards of a place (reserve, waste or work pile).

    A hidden card below is turned up. Returns the tableau (a team's piles) and the cards.
    """
    reserve, piles, waste, down = tableau.reserve, tableau.piles, tableau.waste, tableau.down
    if source == RESERVE:
        cards, reserve = reserve[-1:], reserve[:-1]
    elif source == WASTE:
        cards, waste = waste[-1:], waste[:-1]
    else:
        cards, left = piles[source][-count:], piles[source][:-count]
        piles = _put(piles, source, left)
        if down and down[source] == len(left) > 0:
            down = (*down[:source], down[source] - 1, *down[source + 1 :])
    return Tableau(reserve, piles, tableau.stock, waste, down), cards


def _put(piles: tuple[Pile, ...], number: int, pile: Pile) -> tuple[Pile, ...]:
    return (*piles[:number], pile, *piles[number + 1 :])


def _silent(pile: Pile) -> Pile:
    """Return the pile. If its top card is a joker, undo the joker's announcement as a card.

    Call this when that top card moves to a work pile or is covered. The joker can then be any card again.
    """
    return (*pile[:-1], JOKER) if pile and pile[-1] & JOKER else pile


def _with(position: Position, team: int, tableau: Tableau) -> tuple[Tableau, ...]:
    tableaux = position.tableaux
    return (*tableaux[:team], tableau, *tableaux[team + 1 :])


def _after_play(position: Position, team: int, tableau: Tableau, foundations: tuple[Pile, ...]) -> Position:
    return Position(position.rules, position.teams, _with(position, team, tableau), foundations, PLAYED)


# -- each kind --------------------------------------------------------------------------------------------------------


def _play(position: Position, move: CardMove) -> Position:
    tableau = position.tableaux[move.team]
    laid: Pile = ()
    for source in (move.source, *move.more):
        tableau, cards = _take_cards(tableau, source, 1)
        laid += (with_owner(cards[0], move.team),)
    old = position.foundations
    pile = laid if move.target == len(old) else old[move.target] + laid
    return _after_play(position, move.team, tableau, _put(old, move.target, pile))


def _build(position: Position, move: CardMove) -> Position:
    tableau, cards = _take_cards(position.tableaux[move.team], move.source, move.count)
    pile = _silent(tableau.piles[move.target]) + _silent(cards)
    return _river(position, move, tableau, pile)


def _slide(position: Position, move: CardMove) -> Position:
    tableau, cards = _take_cards(position.tableaux[move.team], move.source, 1)
    return _river(position, move, tableau, _silent(cards) + tableau.piles[move.target])


def _river(position: Position, move: CardMove, tableau: Tableau, pile: Pile) -> Position:
    piles = _put(tableau.piles, move.target, pile)
    tableau = Tableau(tableau.reserve, piles, tableau.stock, tableau.waste, tableau.down)
    return _after_play(position, move.team, tableau, position.foundations)


def _announce(position: Position, move: CardMove) -> Position:
    tableau = position.tableaux[move.team]
    joker = (JOKER | move.card,)
    if move.source == RESERVE:
        announced = replace(tableau, reserve=tableau.reserve[:-1] + joker)
    elif move.source == WASTE:
        announced = replace(tableau, waste=tableau.waste[:-1] + joker)
    else:
        pile = tableau.piles[move.source][:-1] + joker
        announced = replace(tableau, piles=_put(tableau.piles, move.source, pile))
    return replace(position, tableaux=_with(position, move.team, announced))


def _turn(position: Position, move: CardMove) -> Position:
    old, rules = position.tableaux[move.team], position.rules
    group = old.stock[: rules.turn]
    waste = _silent(old.waste) + (group[::-1] if rules.turn_reversed else group)
    tableau = Tableau(old.reserve, old.piles, old.stock[rules.turn :], waste, old.down, old.cycles)
    return replace(position, tableaux=_with(position, move.team, tableau))


def _turn_over(position: Position, move: CardMove) -> Position:
    old, cycles = position.tableaux[move.team], cycles_of(position)
    tableau = Tableau(old.reserve, old.piles, _silent(old.waste), (), old.down, old.cycles + 1)
    more = (*cycles[: move.team], cycles[move.team] + 1, *cycles[move.team + 1 :])
    return replace(position, tableaux=_with(position, move.team, tableau), lull=replace(position.lull, cycles=more))


def _sink(position: Position, move: CardMove) -> Position:
    tableau = position.tableaux[move.team]
    stock = tableau.stock[1:] + tableau.stock[:1]
    return replace(position, tableaux=_with(position, move.team, replace(tableau, stock=stock, cycles=0)))


def _call(position: Position, move: CardMove) -> Position:
    return replace(position, end="call", caller=move.team)


_CHANGES: Mapping[str, Callable[[Position, CardMove], Position]] = {
    PLAY: _play,
    BUILD: _build,
    SLIDE: _slide,
    ANNOUNCE: _announce,
    TURN: _turn,
    TURN_OVER: _turn_over,
    SINK: _sink,
    CALL: _call,
}
