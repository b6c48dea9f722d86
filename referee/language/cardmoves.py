"""What is said of a move of cards: legal or not, and what the rule says by which it is so (core/cards/moves.py)."""

from __future__ import annotations

from referee.core.cards.moves import GROUNDS, RULES
from referee.language.words import Word

PLACE = "move"
MEANINGS = {
    rule: Word(f"move.{rule.replace(' ', '_')}", None, PLACE) for rule in (*RULES, *sorted({*GROUNDS} - {*RULES}))
}
"""A rule's name -> what it says, as the end of a sentence."""
LEGAL = Word("move.legal", None, PLACE)
ILLEGAL = Word("move.illegal", None, PLACE)
ANSWER = Word("move.answer", None, PLACE, answer="", rule="", move="")
