"""A table of the fast core as one record of whole numbers, and the numbers that stand for names.

Theory of operation. numba hands a record on as one pointer and reads its fields in place; an array, by contrast, is
handed on as nine values whose owner is counted at every call, which took a third of a hand. So a whole table is one
record: its rules, its dice, its foundations, a side for each team, and the moves that were made, for whoever asks.

Cards are the numbers of core/cards/pack.py, without owner. A place is the number of its pile in `side.piles`: the
reserve, the waste, and the River from there on; the stock is a pile as well. The last card of a pile is the one that is
taken next, of the stock the one that is turned next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from referee.core.cards import moves, position
from referee.core.cards.moves import ENDS
from referee.core.cards.rules import CardRules
from referee.simulate import manner
from referee.simulate.manner import Habit

# -- numbers for names ------------------------------------------------------------------------------------------------

KINDS = (
    "",
    moves.TURN,
    moves.TURN_OVER,
    moves.SINK,
    moves.PLAY,
    moves.BUILD,
    moves.SLIDE,
    moves.ANNOUNCE,
    moves.CALL,
    moves.BURN_STOCK,
    moves.BURN_RESERVE,
    moves.ROTATE,
    moves.REDEAL,
    moves.END,
    moves.ABANDON,
)
"""Kinds of moves by their numbers; 0 is no move, and the first three after it are of the stock."""
NONE, TURN, TURN_OVER, SINK, PLAY, BUILD, SLIDE, ANNOUNCE, CALL = range(9)
BURN_STOCK, BURN_RESERVE, ROTATE, REDEAL, END, ABANDON = range(9, 15)
CALLED, STUCK, ABANDONED = map(ENDS.index, ("call", "stuck", "abandoned"))
FOLLOWS = ("suit", "colour", "any")
BY_SUIT, BY_COLOUR, BY_RANK = range(3)
WAYS_OUT = ("burn", "rotate", "redeal-stock", "abandon", "score")
BY_BURNING, BY_ROTATION, BY_REDEAL, BY_ABANDON, BY_SCORE = range(5)
TRIES = tuple(manner.WAYS_OUT.get(way, 0) for way in WAYS_OUT)
NOBODY = -1

# -- piles ------------------------------------------------------------------------------------------------------------

MOST_CARDS, MOST_PILES, MOST_TEAMS = 56, 10, 12
"""Cards of a pack are at most 54."""
RESERVE, WASTE, RIVER = 0, 1, 2
STOCK = RIVER + MOST_PILES
PLACES = (position.RESERVE, position.WASTE, *range(MOST_PILES))
"""The places of core/cards/position.py by their numbers here."""
MOST_FOUNDATIONS = 6 * MOST_TEAMS
"""Four aces and two jokers of each team begin one."""
NO_FOUNDATION = MOST_FOUNDATIONS
FACES = 64
MOST_LOGGED = 50_000

_NUMBER, _SMALL, _CARD = np.int64, np.int16, np.int8


def _record(*fields: tuple[Any, ...]) -> Any:
    return np.dtype([*fields], align=True)


PILE = _record(("size", _NUMBER), ("hidden", _NUMBER), ("cards", _CARD, MOST_CARDS))
"""hidden: how many of the lowest cards lie face down."""
PLAN = _record(
    ("gain", _NUMBER),
    ("kind", _NUMBER),
    ("source", _NUMBER),
    ("target", _NUMBER),
    ("count", _NUMBER),
    ("card", _NUMBER),
    ("begins", _NUMBER),
    ("further", _NUMBER),
    ("more", _NUMBER, STOCK),
)
"""A move that is about to be made, and its worth. begins: it begins a foundation; further: length of `more`."""
SIDE = _record(
    ("piles", PILE, STOCK + 1),
    ("plan", PLAN),
    ("ready_us", _NUMBER),
    ("leaves_us", _NUMBER),
    ("pace", _NUMBER),
    ("attention", _NUMBER),
    ("own_cycles", _NUMBER),
    ("cycles", _NUMBER),
    ("lake", _NUMBER),
    ("kings", _NUMBER),
)
"""A team's cards, its plan, and when that is carried out. cycles: through its stock since anybody's last play;
own_cycles: since its own, or since it last put a card to the bottom. lake, kings: its cards there."""
FOUNDATION = _record(("top", _NUMBER), ("came_us", _NUMBER), ("beneath", _NUMBER))
"""Its last card, when that came, and onto which one."""
RULES = _record(
    *(
        (name, _NUMBER)
        for name in (
            "teams",
            "highest",
            "jokers",
            "reserve",
            "river_first",
            "piles",
            "klondike",
            "building",
            "turn",
            "turn_reversed",
            "follow",
            "in_flight_lands",
            "both",
            "withholding",
            "stacking",
            "river_transfer",
            "stuck",
            "lowest_built",
        )
    )
)
"""`CardRules` as numbers; truth values are 0 and 1, and `both` stands for that value of `same_place`."""
LOGGED = _record(
    ("at_us", _NUMBER),
    ("team", _SMALL),
    ("kind", _SMALL),
    ("source", _SMALL),
    ("target", _SMALL),
    ("count", _SMALL),
    ("card", _SMALL),
    ("further", _SMALL),
    ("more", _CARD, STOCK),
)
"""A move that was made, and when."""
TABLE = _record(
    ("rules", RULES),
    ("dice", np.uint64),
    ("now_us", _NUMBER),
    ("ended", _NUMBER),
    ("caller", _NUMBER),
    ("second_us", _NUMBER),
    ("burns", _NUMBER),
    ("stock_burns", _NUMBER),
    ("ways_out", _NUMBER),
    ("beaten", _NUMBER),
    ("moves", _NUMBER),
    ("begun", _NUMBER),
    ("first_with", _SMALL, FACES),
    ("lake", FOUNDATION, MOST_FOUNDATIONS),
    ("sides", SIDE, MOST_TEAMS),
    ("pack", _CARD, MOST_CARDS),
    ("wants", _NUMBER, STOCK),
    ("chain", _NUMBER, STOCK),
    ("tried", _NUMBER, STOCK + 1),
    ("logging", _NUMBER),
    ("log", LOGGED, MOST_LOGGED),
)
"""What readable.py knows of a hand. begun: foundations; first_with: the first of them whose last card is of that face,
NO_FOUNDATION for none. pack, wants, chain and tried are scratch. Memory of a log that is not kept is never touched."""


def table_for(rules: CardRules, habits: Sequence[Habit], logging: bool) -> Any:
    """An array of one table, before its first hand; `logging`: its moves are noted."""
    tables: Any = np.zeros(1, TABLE)
    table = tables[0]
    table["logging"] = logging
    for name, number in _numbers(rules, len(habits)).items():
        table["rules"][name] = number
    for side, habit in zip(table["sides"], habits, strict=False):
        side["pace"], side["attention"] = habit.pace, habit.attention
    return tables


def _numbers(rules: CardRules, teams: int) -> dict[str, int]:
    named = {
        "teams": teams,
        "follow": FOLLOWS.index(rules.follow),
        "both": rules.same_place == "both",
        "stuck": WAYS_OUT.index(rules.stuck),
    }
    return {name: int(named[name] if name in named else getattr(rules, name)) for name in RULES.names}
