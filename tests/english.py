"""Core messages in English, so that a test compares display texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import overload

from referee.core.messages import Part
from referee.language.display import SHORT, display_text
from referee.language.words import ENGLISH, ROUND, catalogue


@overload
def en(said: None) -> None: ...
@overload
def en(said: Part) -> str: ...
@overload
def en(said: Part | None) -> str | None: ...
def en(said: Part | None) -> str | None:
    """Return the English text on the display; None stays None.

    >>> from referee.core.messages import msg
    >>> en(msg("toast.let_go", seat=3)), en(None)
    ('LET GO 3', None)
    """
    return None if said is None else display_text(said)


def all_en(said: Iterable[Part]) -> tuple[str, ...]:
    """Return the English texts of several messages."""
    return tuple(map(en, said))


def keys_at(place: str) -> set[str]:
    """Return the messages that the core gives at a place of the display."""
    return {key for where, key in catalogue(ENGLISH).keys if where == place and not key.endswith((SHORT, ROUND))}


def is_names(text: str) -> bool:
    """Return whether a text has only names: capitalised words that every language writes alike.

    >>> is_names("Reeves"), is_names("NNA, Keeling"), is_names("NNA option")
    (True, True, False)
    """
    return all(re.fullmatch(r"[A-Z]\S*", part) for part in text.split(", "))
