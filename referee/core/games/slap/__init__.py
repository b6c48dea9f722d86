"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): a claim that all answer once, judged in play.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.core.model.registry import Documents
    from referee.core.model.transitions import Game


def documents() -> Documents:
    """Slap's documents: presets, options, scores."""
    from referee.core.games.slap.play import GAME

    return GAME


def game() -> Game:
    """Slap's play."""
    from referee.core.games.slap.play import GAME

    return GAME
