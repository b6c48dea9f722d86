"""Nertz and its cousins: one set of verbs, many sets of numbers.

options.py says what can be set, rules.py which presets there are, scoring.py what a hand and a match come to,
document.py reads a match document of the family, and play.py is the family at the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.core.model.paper import Documents
    from referee.core.model.transitions import Game


def documents() -> Documents:
    """What the family brings on paper; imports none of its play."""
    from referee.core.games.nertz.document import DOCUMENTS

    return DOCUMENTS


def game() -> Game:
    """What the family brings to the table: rows, phases, count."""
    from referee.core.games.nertz.play import GAME

    return GAME
