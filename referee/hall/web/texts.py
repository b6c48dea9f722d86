"""Texts of the hall's pages."""

from __future__ import annotations

from referee.hall.access import ROLES
from referee.language.words import text_at


def hall_text(key: str, **values: object) -> str:
    """Return a text of the hall's pages.

    >>> hall_text("round", number=3)
    'Round 3'
    """
    return text_at("hall", key, **values)


def table_title(name: str) -> str:
    """Return a table's title: "Table 3" for the name "3"; other names are unchanged."""
    return hall_text("table", name=name) if name.isdigit() else name


def login_title(name: str) -> str:
    """Return the name of a person who may log in; the first director has only the role's name."""
    return hall_text("role.director") if name == ROLES[-1] else name
