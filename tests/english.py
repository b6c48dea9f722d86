"""What the core's messages say in English, so that a test reads as the display does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

from referee.core.messages import Part
from referee.language.told import display_text


@overload
def en(said: None) -> None: ...
@overload
def en(said: Part) -> str: ...
@overload
def en(said: Part | None) -> str | None: ...
def en(said: Part | None) -> str | None:
    """The English text on the display; None stays None.

    >>> from referee.core.messages import msg
    >>> en(msg("toast.let_go", seat=3)), en(None)
    ('LET GO 3', None)
    """
    return None if said is None else display_text(said)


def all_en(said: Iterable[Part]) -> tuple[str, ...]:
    """The same of several."""
    return tuple(map(en, said))
