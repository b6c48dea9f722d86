"""The texts of the hall's pages by their keys."""

from __future__ import annotations

from referee.language.words import text_at


def hall_text(key: str, **values: object) -> str:
    """Return a text of the hall's pages.

    >>> hall_text("round", number=3)
    'Round 3'
    """
    return text_at("hall", key, **values)


def table_title(name: str) -> str:
    """Return what a table is called: "Table 3", or its name if that is more than a number."""
    return hall_text("table", name=name) if name.isdigit() else name
