"""A word: one message at one place, with the most characters that it may have there and its widest values.

A word is called to be said in the language that is spoken, with its values: `HAND(hand=5)`. The limit counts the text
with the longest values that a match can produce, which stand beside it; whether every language keeps to it is seen when
the catalogues are checked (`python -m tests.language.catalogues`). A value named `count` chooses the plural form.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ClassVar, Self

from referee.core.names import back_name, has_letters
from referee.language.catalogue import ENGLISH, catalogue

DISPLAY, SPEECH = "display", "speech"
"""Places: the display's own words, and what a screen reader says. A text of the core has its kind's place, too."""

PAGE_ROWS, PAGE_COLUMNS = 4, 21
"""A page of the rulebook: so many rows of so many characters on the smaller display."""
ROUND = ".round"
"""Ends the key of a text for games whose hands are called rounds."""

_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)
_rounds: ContextVar[bool] = ContextVar("rounds", default=False)


@contextmanager
def speaking(language: str, *, rounds: bool = False) -> Iterator[None]:
    """Within it, words are in that language, and hands are called rounds if so. FileNotFoundError: no such language."""
    catalogue(language)
    tokens = _spoken.set(language), _rounds.set(rounds)
    try:
        yield
    finally:
        _spoken.reset(tokens[0])
        _rounds.reset(tokens[1])


def current_language() -> str:
    """The code of the language in which texts are made at present."""
    return _spoken.get()


def reader_name(name: str, seat: int = 0) -> str:
    """A team's name in the language that is spoken: what the program has called a pack, in its words; others as given.

    seat: its number, which stands before a name that not every font can draw.

    >>> with speaking("de"):
    ...     reader_name("Red"), reader_name("Anna"), reader_name("Rosso & Anna")
    ('Rot', 'Anna', 'Rot & Anna')
    >>> reader_name("Anna", 2), reader_name("🎉", 3)
    ('Anna', '3 🎉')
    """
    shown = " & ".join(back_name(part, _spoken.get()) for part in name.split(" & "))
    return shown if has_letters(name) or not seat else f"{seat} {shown}"


class Longest:
    """A widest value: whichever text of that place is the longest, in the language that is looked at."""

    def __init__(self, place: str) -> None:
        self.place = place


class Word:
    """One message at one place. limit: in characters; None: as long as it needs."""

    every: ClassVar[list[Word]] = []
    rows: ClassVar[int | None] = None
    """How many rows of a page it may fill; None: it is one line."""

    def __init__(self, key: str, limit: int | None, place: str = DISPLAY, **widest: object) -> None:
        """widest: each value's longest; a Word stands for its own text, `Longest` for a whole place's."""
        self.key, self.limit, self.place, self.widest = key, limit, place, widest
        self._at = self._of_rounds = (place, key)
        self.every.append(self)

    def or_round(self) -> Self:
        """The same, with another text where hands are called rounds."""
        Word(f"{self.key}{ROUND}", self.limit, self.place, **self.widest)
        self._of_rounds = (self.place, f"{self.key}{ROUND}")
        return self

    def __call__(self, **values: object) -> str:
        at = self._of_rounds if _rounds.get() else self._at
        return catalogue(_spoken.get()).text(at, values.get("count")).format(**values)


def sentence(key: str, *values: str) -> Word:
    """A word of the screen reader's, with the names of its values."""
    return Word(key, None, SPEECH, **dict.fromkeys(values, ""))


def wrap_rows(text: str, columns: int = PAGE_COLUMNS) -> list[str]:
    """A text as rows of a page, cut between words and behind hyphens."""
    return textwrap.wrap(text, columns)
