"""31 (Scat, Ride the Bus, Quebec): turns, a knock, and lives, places in a bus or points.

rules.py defines the options and presets, scoring.py the values of cards and the results of hands; document.py reads
a match document, and play.py is the game at the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.core.model.paper import Documents
    from referee.core.model.transitions import Game


def documents() -> Documents:
    """Return the game on paper, without importing its play."""
    from referee.core.games.thirtyone.document import DOCUMENTS

    return DOCUMENTS


def game() -> Game:
    """Return the game at the table: rows, phases, count."""
    from referee.core.games.thirtyone.play import GAME

    return GAME
