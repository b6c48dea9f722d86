"""Check a single move: return the rule that it breaks.

legal.py works the other way: it lists all moves that are allowed.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from referee.core.cards.fitting import fits, follows, look_of, slides_under, starts, want_of
from referee.core.cards.idle import breach_of_idleness
from referee.core.cards.legal import keeps_obligation, may_sink, obliged_places, takes
from referee.core.cards.pack import FACE, JOKER, rank_of
from referee.core.cards.position import RESERVE, TABLE, WASTE, Position, Tableau, available
from referee.core.cards.rules import (
    ANNOUNCE,
    BUILD,
    CALL,
    PLAY,
    SINK,
    SLIDE,
    TOGETHER,
    TURN,
    TURN_OVER,
    CardMove,
    CardRules,
)

Breach = str | None
"""The name of the broken rule, None if there is none. The catalogues explain it."""


def breach(position: Position, move: CardMove, away: Collection[int] = ()) -> Breach:
    """Return the rule that forbids the move; None for a legal move.

    away: the team's places whose card is already on its way to a foundation. The rule on withholding ignores them.
    """
    if position.end:
        return "over"
    return unfit(position, move) or _withheld(position, move, away)


def unfit(position: Position, move: CardMove) -> Breach:
    """Return the rule that forbids the move, other than withholding and the hand's end."""
    if move.team == TABLE:
        return breach_of_idleness(position, move.kind) if move.kind in TOGETHER else "place"
    if not 0 <= move.team < len(position.teams) or move.kind not in _CHECKS:
        return "place"
    return _CHECKS[move.kind](position, move)


def allowed_by(position: Position, move: CardMove) -> str:
    """Return the name of the rule that allows this legal move."""
    if move.kind == PLAY:
        return "stacking" if move.more else "foundation"
    if move.kind == BUILD:
        return "work pile" if position.tableaux[move.team].piles[move.target] else "empty place"
    return _GROUNDS.get(move.kind, "way out")


_GROUNDS = {SLIDE: "river transfer", ANNOUNCE: "announcement", TURN: "turn", TURN_OVER: "turn", CALL: "call"}
_GROUNDS |= {SINK: "own stock"}


def _withheld(position: Position, move: CardMove, away: Collection[int]) -> Breach:
    if not position.rules.withholding or move.kind in (ANNOUNCE, CALL) or move.team == TABLE:
        return None
    ready = [place for place in available(position.tableaux[move.team]) if place[0] not in away]
    obliged = obliged_places(position, ready)
    moves_a_card = move.kind in (PLAY, BUILD, SLIDE)
    kept = not obliged or (moves_a_card and keeps_obligation(move, obliged))
    return None if kept else "withholding"


def _no_card(tableau: Tableau, *sources: int) -> Breach:
    """Return the rule that forbids taking a card from these places; None if all have a card."""
    for source in sources:
        if not WASTE <= source < len(tableau.piles):
            return "place"
        if source not in dict(available(tableau)):
            return "available"
    return None


def _card(tableau: Tableau, source: int) -> int:
    return dict(available(tableau))[source]


# -- each kind --------------------------------------------------------------------------------------------------------


def _play(position: Position, move: CardMove) -> Breach:
    tableau, sources = position.tableaux[move.team], (move.source, *move.more)
    if wrong := _no_card(tableau, *sources):
        return wrong
    if not 0 <= move.target <= len(position.foundations):
        return "place"
    if move.more and not position.rules.stacking:
        return "one at a time"
    if len(set(sources)) < len(sources):
        return "available"
    return _onto_foundation(position, move.target, [_card(tableau, source) for source in sources])


def _onto_foundation(position: Position, target: int, cards: list[int]) -> Breach:
    if any(card & JOKER and not card & FACE for card in cards):
        return "announcement"
    new = target == len(position.foundations)
    tops = cards[:-1] if new else [position.foundations[target][-1], *cards[:-1]]
    laid = cards[1:] if new else cards
    in_order = all(follows(position.rules, below, card) for below, card in zip(tops, laid, strict=True))
    return None if in_order and (not new or starts(cards[0])) else "foundation"


def _build(position: Position, move: CardMove) -> Breach:
    rules, tableau = position.rules, position.tableaux[move.team]
    if not 0 <= move.target < len(tableau.piles) or move.target == move.source:
        return "place"
    if wrong := _no_card(position.tableaux[move.team], move.source):
        return wrong
    pile = {RESERVE: tableau.reserve[-1:], WASTE: tableau.waste[-1:]}.get(move.source)
    shown = tableau.piles[move.source][tableau.hidden_count(move.source) :] if pile is None else pile
    if not 1 <= move.count <= len(shown):
        return "available"
    cards = shown[-move.count :]
    onto = tableau.piles[move.target][tableau.hidden_count(move.target) :]
    if fits(rules, want_of(rules, onto), look_of(cards), len(cards)):
        return None
    return _why_not_built(rules, onto, cards)


def _why_not_built(rules: CardRules, onto: tuple[int, ...], cards: tuple[int, ...]) -> str:
    if onto and not rules.building:
        return "row"
    return "ace" if rules.withholding and rank_of(cards[-1]) == 1 and not cards[-1] & JOKER else "work pile"


def _slide(position: Position, move: CardMove) -> Breach:
    rules, tableau = position.rules, position.tableaux[move.team]
    if not 0 <= move.target < len(tableau.piles) or move.target == move.source:
        return "place"
    if wrong := _no_card(position.tableaux[move.team], move.source):
        return wrong
    pile = tableau.piles[move.target]
    if not rules.river_transfer or () not in tableau.piles or not pile or tableau.hidden_count(move.target):
        return "river transfer"
    fitting = slides_under(rules, pile, _card(tableau, move.source))
    return None if fitting else "work pile"


def _announce(position: Position, move: CardMove) -> Breach:
    if wrong := _no_card(position.tableaux[move.team], move.source):
        return wrong
    card = _card(position.tableaux[move.team], move.source)
    known = not move.card & JOKER and move.card in position.rules.pack
    fine = card & JOKER and known and card & FACE != move.card and takes(position, move.card)
    return None if fine else "announcement"


def _turn(position: Position, move: CardMove) -> Breach:
    return None if position.tableaux[move.team].stock else "turn"


def _turn_over(position: Position, move: CardMove) -> Breach:
    tableau = position.tableaux[move.team]
    return "turn" if tableau.stock or not tableau.waste else None


def _sink(position: Position, move: CardMove) -> Breach:
    rules, tableau = position.rules, position.tableaux[move.team]
    if rules.stuck != "redeal-stock":
        return "way out"
    return None if may_sink(rules, tableau) else "idle"


def _call(position: Position, move: CardMove) -> Breach:
    return "call" if position.tableaux[move.team].reserve else None


_CHECKS: Mapping[str, Callable[[Position, CardMove], Breach]] = {
    PLAY: _play,
    BUILD: _build,
    SLIDE: _slide,
    ANNOUNCE: _announce,
    TURN: _turn,
    TURN_OVER: _turn_over,
    SINK: _sink,
    CALL: _call,
}
