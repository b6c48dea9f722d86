"""Last one (Spoons, Pig, Irish Snap): all press, and whoever presses last loses the hand; judged in play.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.core.model.registry import Documents
    from referee.core.model.transitions import Game


def documents() -> Documents:
    """Last one's documents: presets, options, scores."""
    from referee.core.games.lastone.play import GAME

    return GAME


def game() -> Game:
    """Last one's play."""
    from referee.core.games.lastone.play import GAME

    return GAME
