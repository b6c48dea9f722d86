"""The texts of the hall's pages by their keys."""

from __future__ import annotations

from referee.language.words import text_at


def hall_text(key: str, **values: object) -> str:
    """Return a text of the hall's pages.

    >>> hall_text("round", number=3)
    'Round 3'
    """
    return text_at("hall", key, **values)
