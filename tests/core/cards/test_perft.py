"""The numbers of ways to play some moves from small deals are those of the second model."""

from __future__ import annotations

import json

import pytest

from referee.core.cards.apply import apply_move
from referee.core.cards.legal import legal_moves
from referee.core.cards.position import Position
from tests.core.cards.perft import DEPTH, GOLDENS, RULES, counted, start
from tests.core.cards.tables import everyone, simple_of

WANTED = json.loads(GOLDENS.read_text(encoding="utf-8"))


def perft(position: Position, depth: int) -> int:
    """Sequences of so many legal moves of anybody."""
    moves = [move for team in everyone(position) for move in legal_moves(position, team)]
    return len(moves) if depth == 1 else sum(perft(apply_move(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize("name", RULES)
def test_there_are_as_many_ways_to_play_as_the_second_model_counts(name: str) -> None:
    """To every depth that is written down; the written numbers are still the second model's."""
    assert [perft(start(name), depth) for depth in range(1, DEPTH + 1)] == WANTED[name]
    assert [counted(simple_of(start(name)), depth) for depth in (1, 2)] == WANTED[name][:2]


def test_every_deal_is_written_down() -> None:
    """And no other."""
    assert WANTED.keys() == RULES.keys()
