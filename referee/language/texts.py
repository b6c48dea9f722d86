"""The texts of the pages by their keys: `label` for live pages, `book` for reading pages."""

from __future__ import annotations

from referee.language.words import catalogue, current_language, text_at


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


def script_texts(*beginnings: str) -> dict[str, str]:
    """Return key -> text for the page's texts whose keys begin with one of `beginnings`.

    The page's script fills in their {values}.
    """
    found = catalogue(current_language())
    return {
        key: found.text((place, key)) for place, key in found.keys if place == "page" and key.startswith(beginnings)
    }
