"""Nertz and related games: the same actions with different numbers.

options.py defines the options, rules.py the presets, scoring.py the scores of hands and matches; document.py reads
the family's match documents, and play.py is the family at the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.core.model.paper import Documents
    from referee.core.model.transitions import Game


def documents() -> Documents:
    """Return the family on paper, without importing its play."""
    from referee.core.games.nertz.document import DOCUMENTS

    return DOCUMENTS


def game() -> Game:
    """Return the family at the table: rows, phases, count."""
    from referee.core.games.nertz.play import GAME

    return GAME
