"""Teach us: what newcomers do in each part of a hand, under their table's rules.

Source: docs/rules.md 1 to 8, as rules.py, dialect.py and cards.py implement it. Every line must be true under every
option. When to press comes as the second line, so that newcomers see it early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from referee.core.games.nertz.dialect import PILES, Dialect
from referee.core.games.nertz.rules import NertzRules
from referee.core.messages import Msg, msg

if TYPE_CHECKING:
    from referee.core.cards.rules import CardRules

UP = {"suit": "teach.up_suit", "colour": "teach.up_altern", "any": "teach.up_any"}
"""Which card may follow on a foundation -> the line that explains it."""
THEN = {
    "burn": ("teach.one_pile", "teach.then_burn"),
    "rotate": ("teach.then_waste", "teach.then_rotate"),
    "redeal-stock": ("teach.then_redeal",),
    "abandon": ("teach.then_abandon",),
    "score": ("teach.then_score",),
}
"""Option `stuck` -> the lines about what follows if no player found a move."""


def lesson(rules: NertzRules, dialect: Dialect, part: str, teams: int, people: int = 0) -> tuple[Msg, ...]:
    """Return the lines that explain a part of a hand to newcomers.

    part: "deal", "play", "count" or "stuck". people: number of players; 0: one player per team.
    """
    from referee.core.games.nertz.cards import card_rules

    return tuple(_PARTS[part](rules, dialect, card_rules(rules, teams, people)))


def _deal(rules: NertzRules, dialect: Dialect, cards: CardRules) -> Iterable[Msg]:
    """Yield the lines on dealing: pack, piles in the order of dealing, stock, and when to tap."""
    dealt = sum(cards.dealt_to_piles)
    row = msg("teach.klondike") if cards.klondike else msg("teach.row", cards=cards.piles, row=dialect.row)
    top = "teach.pile_open" if cards.open_reserve else "teach.pile_top"
    reserve = (msg("teach.pile", pile=dialect.pile, cards=rules.reserve), msg(top, pile=dialect.pile))
    yield msg("teach.pack", cards=rules.pack)
    yield from (row, *reserve) if cards.river_first else (*reserve, row)
    yield msg("teach.stock", stock=dialect.stock, cards=rules.pack - rules.reserve - dealt)
    yield msg("teach.tap_ready" if rules.start_by == "all" else "teach.tap_start")
    yield msg("teach.hands_off")


def _play(rules: NertzRules, dialect: Dialect, cards: CardRules) -> Iterable[Msg]:
    """Yield the lines on play: when to press, which card fits where, then house rules."""
    low = "ones" if rules.boxed else "aces"
    yield msg("teach.at_once")
    yield msg("teach.may_press", pile=dialect.pile, call=dialect.call)
    yield msg(f"teach.{low}_must" if rules.withholding else f"teach.{low}")
    yield msg("teach.up_colour" if rules.boxed and cards.follow == "suit" else UP[cards.follow])
    if rules.building:
        yield msg("teach.down", row=dialect.row)
        yield msg("teach.pairs" if rules.boxed else "teach.red_black")
    else:
        yield msg("teach.no_building", row=dialect.row)
    yield msg("teach.may_fill")
    yield msg("teach.turn", stock=dialect.stock, cards=rules.turn)
    if rules.jokers:
        yield msg("teach.jokers")
    if rules.stacking:
        yield msg("teach.stacking")
    if rules.false_points:
        yield msg("teach.false_points", points=rules.false_points)
    if rules.false_call == "zero":
        yield msg("teach.false_zero")
    yield msg("teach.nobody")


def _count(rules: NertzRules, dialect: Dialect, cards: CardRules) -> Iterable[Msg]:
    """Yield the lines on counting: when to count, which numbers to enter, how, and their points."""
    yield msg("teach.count_first")
    yield msg("teach.left", left=msg("field.left"), pile=dialect.pile)
    yield msg("teach.lake", lake=msg(dialect.lake))
    yield msg("teach.enter")
    yield msg("teach.points", points=rules.penalty)
    if rules.bonus:
        yield msg("teach.bonus", points=rules.bonus)
    if rules.king_bonus:
        yield msg("teach.kings", points=rules.king_bonus)


def _stuck_lesson(rules: NertzRules, dialect: Dialect, cards: CardRules) -> Iterable[Msg]:
    """Yield the lines on a stuck hand: how teams search their stocks, and what follows.

    During the search no player plays a card.
    """
    yield msg("teach.lay_nothing", stock=dialect.stock)
    for line in THEN[rules.stuck]:
        if line != "teach.then_waste" or dialect.rotated == PILES["rotate"]:
            yield msg(line, stock=dialect.stock)


_PARTS: dict[str, Callable[[NertzRules, Dialect, CardRules], Iterable[Msg]]] = {
    "deal": _deal,
    "play": _play,
    "count": _count,
    "stuck": _stuck_lesson,
}
