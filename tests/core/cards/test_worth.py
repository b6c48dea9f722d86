"""The value of a move of cards."""

from __future__ import annotations

from referee.core.cards.deal import worth
from referee.core.cards.rules import CardMove
from tests.core.cards.tables import tableau


def test_reserve_card_goes_first_and_nothing_goes_to_and_fro() -> None:
    """To a foundation, then onto cards, then into an empty place.

    A pile moves only as a whole, to make room.
    """
    side = tableau("7C 5H", "6S 5D / 7H / 8S / ", "2C", "6C")
    moves = (
        CardMove(0, "call"),
        CardMove(0, "play", -1, 0),
        CardMove(0, "play", -2, 0),
        CardMove(0, "announce", -1),
        CardMove(0, "build", -1, 0),
        CardMove(0, "slide", -1, 1),
        CardMove(0, "build", 1, 2),
        CardMove(0, "build", -1, 3),
        CardMove(0, "build", -2, 1),
        CardMove(0, "slide", -2, 1),
        CardMove(0, "sink"),
        CardMove(0, "turn"),
    )
    values = [worth(side, move) for move in moves]
    assert values == sorted(values, reverse=True)
    assert min(values) > 0
    idle = (
        CardMove(0, "build", 0, 2),
        CardMove(0, "build", 1, 3),
        CardMove(0, "slide", 1, 2),
        CardMove(0, "build", -2, 3),
    )
    assert [worth(side, move) for move in idle] == [0, 0, 0, 0]
