"""The texts of the pages by their keys: `label` of live pages, `book` of pages to read."""

from __future__ import annotations

from referee.language.words import text_at


def label(key: str, **values: object) -> str:
    """Return a text of the table's, the scoreboard's or a phone's page.

    >>> label("board.hand", number=3)
    'Hand 3'
    """
    return text_at("page", key, **values)


def book(key: str, **values: object) -> str:
    """Return a text of the history, the rulebook or the setup.

    >>> book("match.number", number="A1")
    'Match A1'
    """
    return text_at("book", key, **values)
