"""31 (Scat, Ride the Bus, Quebec): turns, a knock, and lives, places in a bus or points.

rules.py says what can be set and which presets there are, scoring.py what cards are worth and what a hand costs,
document.py reads a match document, and play.py is the game at the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.core.model.paper import Documents
    from referee.core.model.transitions import Game


def documents() -> Documents:
    """What the game brings on paper; imports none of its play."""
    from referee.core.games.thirtyone.document import DOCUMENTS

    return DOCUMENTS


def game() -> Game:
    """What the game brings to the table: rows, phases, count."""
    from referee.core.games.thirtyone.play import GAME

    return GAME
