"""The rulebook's words: topics, what people look for, statements, sources; and finding a topic by people's words.

They are made from the games' topics, so a new statement is a line there and its entry in the catalogues. Nobody needs
this module until a rulebook is opened.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from referee.core.messages import Msg
from referee.core.model.registry import all_documents, topics_of
from referee.core.rulebook.book import RuleAnswer
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
    "minimum_knock": 30,
    "lives": 20,
    "gift": 5,
    "limit_s": 30,
    "levels": 2,
}
"""The longest value of each fact that a statement is said with."""
PILES = {"pile": 15, "stock": 10}
"""Places of what piles are called, with the most characters there."""
SHORTEST = 4
"""Fewer letters are not the beginning of another word."""
NEAREST = 3
"""So many topics are named where nothing was found."""


class Ruling(Word):
    """A word of the rulebook; it is read aloud as it is shown."""

    def __init__(self, place: str, key: str, limit: int | None = None, **widest: object) -> None:
        super().__init__(f"{place}.{key}", limit, place, **widest)
        self.spoken: Word = self


class PageWord(Ruling):
    """A sentence that has the display for itself: so many rows."""

    rows = PAGE_ROWS


def _topics() -> Iterator[Ruling]:
    for topic in (topic for game in all_documents() for topic in topics_of(game)):
        yield Ruling("topic", topic.name, 17)
        yield Ruling("find", topic.name)
        for key, values in {s.key: s.values for s in topic.statements}.items():
            yield PageWord("rule", key, None, **{name: WIDEST[name] for name in values})


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
LITTLE = Ruling("answer", "little")
"""Words of every question, which say nothing of what is asked: they count within a phrase alone."""
_WORDS: tuple[Ruling, ...] = (NOT_FOUND, LITTLE, *_piles(), *_sources(), *_topics())
RULINGS = {word.key: word for word in _WORDS}
"""Key of a topic, statement or source -> its word: all that the rulebook says."""


def sources_of(sources: Iterable[Msg]) -> str:
    """Who says so, as one text."""
    return ", ".join(map(display_text, sources))


# -- finding -------------------------------------------------------------------------------------------------------


def find_topics(answers: Sequence[RuleAnswer], words: str) -> tuple[RuleAnswer, ...]:
    """The topics that these words look for, in the language that is spoken; none when none does, several when several.

    Case, accents and umlauts do not count, and the beginning of a word is enough. A topic's name or title, or one of
    its phrases word for word, comes before single words, of which the rare ones count most and little ones (can, the)
    nothing.
    """
    wanted = fold_text(words)
    named = tuple(a for a in answers if wanted in (fold_text(a.topic.replace("_", " ")), *_phrases(a)))
    return named or _by_words(answers, wanted.split())


def _by_words(answers: Sequence[RuleAnswer], wanted: Sequence[str]) -> tuple[RuleAnswer, ...]:
    """The topics with most of the words; a whole phrase within what is asked counts a point a word."""
    phrases = {answer.topic: [phrase.split() for phrase in _phrases(answer)] for answer in answers}
    scores = {topic: sum(len(p) for p in own if _within(p, wanted)) * 1.0 for topic, own in phrases.items()}
    little = frozenset(map(fold_text, LITTLE().split(",")))
    for word in wanted:
        if word in little:
            continue
        hits = [topic for topic, own in phrases.items() if any(_same(word, other) for p in own for other in p)]
        for topic in hits:
            scores[topic] += 1 / len(hits)
    best = max(scores.values(), default=0)
    return tuple(answer for answer in answers if best and scores[answer.topic] == best)


def _within(phrase: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the phrase's words stand one after the other among the words."""
    starts = range(len(words) - len(phrase) + 1)
    return any(all(map(_same, phrase, words[start:])) for start in starts)


def nearest(answers: Sequence[RuleAnswer], words: str) -> tuple[RuleAnswer, ...]:
    """The topics whose words are most like these."""
    from difflib import SequenceMatcher  # only for who has mistyped a word

    wanted = fold_text(words)

    def alike(answer: RuleAnswer) -> float:
        return max(SequenceMatcher(None, wanted, phrase).ratio() for phrase in _phrases(answer))

    return tuple(sorted(answers, key=alike, reverse=True)[:NEAREST])


def _phrases(answer: RuleAnswer) -> tuple[str, ...]:
    """What a topic is called and what people look for it by, folded."""
    look = RULINGS[f"find.{answer.topic}"]()
    return tuple(fold_text(phrase) for phrase in (display_text(answer.title), *look.split(",")))


def _same(word: str, other: str) -> bool:
    """Whether one is the other, or its beginning where that is long enough to mean it."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= SHORTEST and long.startswith(short))


def fold_text(text: str) -> str:
    """A text as it is compared: small letters and digits alone, an umlaut as its vowel however it was typed.

    >>> fold_text("  Größe, GROESSE? "), fold_text("Può"), fold_text("two-at once")
    ('grosse grosse', 'puo', 'two at once')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    plain = plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())
