"""Tables for the tests: random rules and walks, positions by hand, and the oracle's tables."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

from referee.core.cards.apply import apply_move
from referee.core.cards.check import breach
from referee.core.cards.deal import deal
from referee.core.cards.legal import legal_moves
from referee.core.cards.notation import move_text
from referee.core.cards.pack import CARD, Pile, card_from_text, card_text, with_owner
from referee.core.cards.position import TABLE, Position, Tableau
from referee.core.cards.rules import CardMove, CardRules, IllegalMoveError
from tests.core.cards.simple import Side, Simple

NAMES = ("Red", "Blue", "Green", "Gold")
STUCK = ("burn", "rotate", "redeal-stock", "abandon", "score")
LETTERS = "SHCD"


@st.composite
def any_rules(draw: st.DrawFn) -> CardRules:
    """Draw rules with independent options. Packs have 16 cards or more, so that hands can end."""
    boxed = draw(st.booleans())
    highest = draw(st.integers(4, 10 if boxed else 13))
    klondike = draw(st.integers(0, 3)) == 0
    piles = 3 if klondike else draw(st.integers(1, 5))
    river = 6 if klondike else piles
    return CardRules(
        highest=highest,
        jokers=draw(st.sampled_from((0, 0, 2))),
        letters="rybg" if boxed else LETTERS,
        reserve=draw(st.integers(1, min(13, 4 * highest - river))),
        open_reserve=draw(st.booleans()),
        river_first=draw(st.booleans()),
        piles=piles,
        klondike=klondike,
        building=draw(st.integers(0, 4)) > 0,
        turn=draw(st.sampled_from((1, 3))),
        turn_reversed=draw(st.booleans()),
        follow=draw(st.sampled_from(("suit", "colour", "any"))),
        in_flight_lands=draw(st.booleans()),
        same_place=draw(st.sampled_from(("first", "both", "table"))),
        withholding=draw(st.booleans()),
        stacking=draw(st.booleans()),
        river_transfer=draw(st.booleans()),
        stuck=draw(st.sampled_from(STUCK)),
    )


def shuffled(rules: CardRules, teams: int, rng: Random) -> Position:
    """Return a deal of packs shuffled by `rng`."""
    packs = [tuple(rng.sample(rules.pack, len(rules.pack))) for _ in range(teams)]
    return deal(rules, NAMES[:teams], packs)


RULES = (
    *("over", "place", "available", "foundation", "one at a time", "work pile", "row", "ace", "withholding"),
    *("river transfer", "announcement", "turn", "call", "idle", "way out", "in the air", "fumble", "instant"),
)
"""The rules that can make a move illegal."""


def apply(position: Position, move: CardMove) -> Position:
    """Return the position after the move. Raises IllegalMoveError."""
    rule = breach(position, move)
    if rule is not None:
        raise IllegalMoveError(rule, move, move_text(position, move))
    return apply_move(position, move)


def everyone(position: Position) -> Iterator[int]:
    """Yield the teams' numbers and the table's."""
    yield from range(len(position.teams))
    yield TABLE


ENDS = ("call", "end", "abandon")


def walk(position: Position, rng: Random, steps: int) -> Iterator[tuple[CardMove, Position]]:
    """Yield random legal moves with their results.

    Some walks only turn stocks and end with an idle table.
    """
    quiet, patient = rng.randrange(4) == 0, rng.randrange(3) > 0
    for _ in range(steps):
        moves = [move for team in everyone(position) for move in legal_moves(position, team)]
        if patient:
            moves = [move for move in moves if move.kind not in ENDS] or moves
        if quiet:
            moves = [move for move in moves if move.kind not in ("play", "build", "slide")] or moves
        if not moves:
            return
        plays = [move for move in moves if move.kind == "play"]
        together = [move for move in moves if move.team == TABLE]
        move = rng.choice(together if together and rng.randrange(2) else plays if plays and rng.randrange(2) else moves)
        position = apply(position, move)
        yield move, position


# -- by hand -----------------------------------------------------------------------------------------------------------


def cards(text: str, letters: str = LETTERS) -> Pile:
    """Return cards by their names with spaces between, the top one last.

    >>> cards("7H *")
    (23, 64)
    """
    found = [card_from_text(letters, name) for name in text.split()]
    assert None not in found, text
    return tuple(card for card in found if card is not None)


def tableau(
    reserve: str = "", piles: str = "", stock: str = "", waste: str = "", letters: str = LETTERS, **more: Any
) -> Tableau:
    """Return a tableau by cards' names. Work piles are divided by "/", e.g. "7H 6S / / KD"."""
    laid = tuple(cards(pile, letters) for pile in piles.split("/"))
    return Tableau(cards(reserve, letters), laid, cards(stock, letters), cards(waste, letters), **more)


def foundation(text: str, owners: str = "", letters: str = LETTERS) -> Pile:
    """Return a foundation from card names.

    `owners` has a digit for each card; it defaults to all "0".
    """
    pile = cards(text, letters)
    numbers = map(int, owners or "0" * len(pile))
    return tuple(with_owner(card, team) for card, team in zip(pile, numbers, strict=True))


def table(rules: CardRules, *tableaux: Tableau, foundations: tuple[Pile, ...] = (), **more: Any) -> Position:
    """Return a table that holds only the given cards."""
    return Position(rules, NAMES[: len(tableaux)], tableaux, foundations, **more)


# -- for the oracle ---------------------------------------------------------------------------------------------------


def simple_of(position: Position) -> Simple:
    """Return the oracle's table with the same cards."""
    rules = position.rules

    def texts(pile: Pile) -> list[str]:
        return [card_text(rules.letters, card) for card in pile]

    sides = [
        Side(
            texts(side.reserve),
            [texts(pile) for pile in side.piles],
            list(side.down) or [0] * len(side.piles),
            texts(side.stock),
            texts(side.waste),
            side.cycles,
            position.lull.cycles[number] if position.lull.cycles else 0,
        )
        for number, side in enumerate(position.tableaux)
    ]
    lake = [card_text(rules.letters, pile[-1] & CARD) for pile in position.foundations]
    return Simple(rules, sides, lake, position.lull.burns, position.lull.stock_burns, position.end)
