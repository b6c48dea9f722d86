"""A total that people spell: the letters of a word that a player has, a lost hand each."""

from __future__ import annotations

from referee.core.messages import Msg, msg


def letters_sign(word: str, won: int, most: int) -> str:
    """The letters that a player has, and how many are missing; figures where the word is not so long.

    >>> letters_sign("SPOONS", 2, 5), letters_sign("PIG", 2, 4)
    ('SP---', '2/4')
    """
    return word[:won].ljust(most, "-") if most <= len(word) else f"{won}/{most}"


def letters_text(word: str, won: int, most: int) -> Msg:
    """Return the letters that a player has as a message, for speech and pages."""
    if not won:
        return msg("told.no_letter")
    if most > len(word):
        return msg("told.letters_of", number=won, most=most)
    return msg("told.spelled", letters=", ".join(word[:won]))
