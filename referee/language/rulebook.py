"""The rulebook's words: topics, what people look for, statements, sources.

They are made from the games' topics, so a new statement is a line there and its entry in the catalogues. Nobody needs
this module until a rulebook is opened.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from referee.core.messages import Msg
from referee.core.model.registry import all_documents, topics_of
from referee.language.told import display_text
from referee.language.words import PAGE_ROWS, Longest, Word

WIDEST: dict[str, object] = {
    "pile": Longest("pile"),
    "call": Longest("claim"),
    "stock": Longest("stock"),
    "tie_ms": "12.5",
    "points": 999,
    "bonus": 100,
    "penalty": 100,
    "king_bonus": 100,
    "target": 10_000,
    "reserve": 50,
    "most": 12,
    "river": 10,
    "minimum_knock": 30,
    "lives": 20,
    "gift": 5,
    "limit_s": 30,
    "levels": 2,
}
"""The longest value of each fact that a statement is said with."""
PILES = {"pile": 15, "stock": 10}
"""Places of what piles are called, with the most characters there."""


class Ruling(Word):
    """A word of the rulebook; it is read aloud as it is shown."""

    def __init__(self, place: str, key: str, limit: int | None = None, **widest: object) -> None:
        super().__init__(f"{place}.{key}", limit, place, **widest)
        self.spoken: Word = self


class PageWord(Ruling):
    """A sentence that has the display for itself: so many rows."""

    rows = PAGE_ROWS


def _topics() -> Iterator[Ruling]:
    """The words of every topic and statement, once each: several games may share one."""
    known = set[str]()
    for topic in (topic for game in all_documents() for topic in topics_of(game)):
        if topic.name not in known:
            yield Ruling("topic", topic.name, 17)
            yield Ruling("find", topic.name)
        for key, values in {s.key: s.values for s in topic.statements if f"rule.{s.key}" not in known}.items():
            yield PageWord("rule", key, None, **{name: WIDEST[name] for name in values})
        known |= {topic.name, *(f"rule.{s.key}" for s in topic.statements)}


def _sources() -> Iterator[Ruling]:
    statements = (s for game in all_documents() for topic in topics_of(game) for s in topic.statements)
    yield from (Ruling("source", name, 17) for name in sorted({name for s in statements for name in s.sources}))


def _piles() -> Iterator[Ruling]:
    """The games' own words for piles and stock, once each."""
    for word in dict.fromkeys(word for game in all_documents() for word in game.WORDS):
        place, _, name = word.partition(".")
        if place in PILES:
            yield Ruling(place, name, PILES[place])


NOT_FOUND = Ruling("answer", "none", None, words="", topics="")
LITTLE = Ruling("find", "little_words")
"""Words of every question, which say hardly anything of what is asked."""
SAME = Ruling("find", "synonyms")
"""Synonyms: words with spaces between, a group from the next one by a comma."""
OTHER = Ruling("find", "other_games")
"""Words of other games: a question with one of them is not about these rules, unless a topic has the word."""
_WORDS: tuple[Ruling, ...] = (NOT_FOUND, LITTLE, SAME, OTHER, *_piles(), *_sources(), *_topics())
RULINGS = {word.key: word for word in _WORDS}
"""Key of a topic, statement or source -> its word: all that the rulebook says."""


def sources_of(sources: Iterable[Msg]) -> str:
    """Who says so, as one text."""
    return ", ".join(map(display_text, sources))


def fold_text(text: str, language: str) -> str:
    """Return a text as it is compared: small letters and digits, without accents; in German ae is an ä.

    >>> fold_text("  Größe, GROESSE? ", "de"), fold_text("Può", "it"), fold_text("two-at once", "en")
    ('grosse grosse', 'puo', 'two at once')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    if language == "de":
        plain = plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())
