"""A match in the words that all games share, and what each game says of its cards."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.documents.match import account
from referee.core.model.account import score_text
from referee.core.model.registry import game_named, presets
from referee.core.model.table import Setup, Table


@pytest.mark.parametrize(
    ("score", "text"), [(7, "7"), (7.0, "7"), (-2.5, "-2½"), (0.5, "½"), (-0.5, "-½"), (1 / 3, "0.33"), (-5, "-5")]
)
def test_a_score_is_written_with_its_half(score: float, text: str) -> None:
    """As tables of people have it."""
    assert score_text(score) == text


def match(*counts: tuple[int, int], preset: str, **options: Any) -> dict[str, Any]:
    """Hands that A calls, by the foundation cards of A and B."""
    hands = [{"end": "call", "callers": ["A"], "counts": {"A": [a, 0], "B": [b, 0]}} for a, b in counts]
    return {"preset": preset, "options": options, "teams": ["A", "B"], "hands": hands}


def test_a_settlement_and_a_tie_break_are_sentences() -> None:
    """Who gets what, who plays again; and nothing of it where there is nothing."""
    settled = account(match((39, 20), (39, 20), (39, 1), preset="pagat"))
    assert (settled.winners, settled.remarks) == (("A",), ("A gets 76", "B pays 76"))
    tied = account(match((39, 39), (39, 39), (39, 39), preset="nna", tiebreak="hand"))
    assert (tied.winners, tied.ahead) == ((), "A tie-break hand for A and B.")
    assert account(match(preset="nna")).ahead == "Not over yet."
    assert account({"preset": "snap", "players": ["A", "B"], "hands": []}).ahead == "Not over yet."


def test_each_game_says_how_many_cards_it_deals() -> None:
    """The pack, and what a player has to get rid of or to hold."""
    known = presets()
    assert known["nna"].cards("nna", {"jokers": 2}) == (54, 13)
    assert known["dutch-blitz"].cards("dutch-blitz", {}) == (40, 10)
    assert known["31"].cards("31", {}) == (52, 3)


def test_only_races_have_beats() -> None:
    """And only beats can be pressed into."""
    assert (game_named("nna").counts_down, game_named("31").counts_down) == (True, False)
    assert game_named("31").start_noted(Table(Setup("31"), ())) is False
