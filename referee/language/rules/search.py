"""Find the rulebook's topic for a question in plain words, in any language of the device.

    question ─► fold, stem, synonyms ─► score of each topic ─► the best topic of the best language, if it is sure enough

A topic is found by its title, by the phrases that the catalogue has for it (place "find"), and by the sentences of
its answer. A word counts more if fewer topics have it, and if a topic has it more often (as in the search method
BM25). Two words that follow each other count like a word, and the phrase that fits the question best counts once more.
How sure the result is follows from the score, its share of the best possible score, its lead over the next topic, and
the share of words that no topic has. The weights are fitted by logistic regression to questions with known answers
(`tests/language/questions/`) and to phrases that were asked while the index lacked them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import log

from snowballstemmer import stemmer

from referee.core.rulebook import RuleAnswer
from referee.core.values import Value
from referee.language.display import display_text
from referee.language.words import ENGLISH, LANGUAGES, speaking, text_at

MOST_LETTERS = 200
"""Maximum letters of a question; further ones are ignored."""
NEAREST = 3
"""Number of similar topics that are offered, with or without an answer."""
TITLE, PHRASE, TEXT = 2.0, 1.0, 0.3
"""Weight of a word in a topic's title, in one of its phrases, and in its answer."""
SATURATION = 0.7
"""How fast further occurrences of a word add less: the lower, the faster (BM25's k1)."""
WEAK = 0.08
"""Weight of a function word (can, the), which says little about the question."""
UNKNOWN = 0.6
"""Weight of a word that occurs in no topic."""
LIKE = 0.75
"""Factor for a word that is only similar to a known one: mistyped, or a compound with it."""
SHORTEST_TYPO = 5
"""Minimum letters of a word that is found although it is mistyped."""
MOST_WORDS = 4
"""Number of a question's words that count for its best possible score."""
PAIR = 0.3
"""Factor for the weight of two words that follow each other."""
EXACT = 5.0
"""Score of a question that equals a phrase or a title of the topic."""
SURE = 3.8
"""How sure an answer must be at least; below it no topic is found."""
STEMMERS = {"en": "english", "de": "german", "it": "italian"}

Words = tuple[str, ...]
"""A text as word stems; each is replaced by the first of its synonyms."""


class Found(Value):
    """The result of a search. topics: the found topic, or none. nearest: the most similar other ones."""

    language: str
    topics: tuple[RuleAnswer, ...]
    nearest: tuple[RuleAnswer, ...]


def find(answers: Sequence[RuleAnswer], question: str, language: str | None = None) -> Found:
    """Find the topic that a question is about.

    Args:
        answers: the rulebook of the table.
        question: the typed text; the first `MOST_LETTERS` letters are read.
        language: the reader's, searched first. Without a sure answer, or for None, all languages are searched.
    """
    book, asked = tuple(answers), question[:MOST_LETTERS]
    rankings = {language: _ranking(book, asked, language)} if language else {}
    if not any(sure >= SURE for sure, _ in rankings.values()):
        rankings |= {each: _ranking(book, asked, each) for each in LANGUAGES}
    used = max(rankings, key=lambda each: rankings[each][0])
    sure, topics = rankings[used]
    found = sure >= SURE
    return Found(language or used, topics[:found], topics[found : found + NEAREST])


def _ranking(book: tuple[RuleAnswer, ...], question: str, language: str) -> tuple[float, tuple[RuleAnswer, ...]]:
    """Return all topics of the book, the best first, and how sure it is that the first answers the question.

    The question is read in this language.
    """
    with speaking(language):
        index, words = _index(book, language), _words(question, language)
    known = index.known(words)
    scores = index.scores(words, known)
    ranked = sorted(range(len(book)), key=scores.__getitem__, reverse=True)
    return index.sureness(words, known, [scores[i] for i in ranked[:2]]), tuple(book[i] for i in ranked)


class _Topic(Value):
    """The words by which a topic is found. `counts`: word, or pair of words -> its weighted number of occurrences."""

    counts: dict[str, float]
    titles: tuple[Words, ...]
    phrases: tuple[Words, ...]


class _Index:
    """The words of all topics of a rulebook in one language, and the weight of each word."""

    def __init__(self, topics: Sequence[_Topic], little: frozenset[str], other: frozenset[str]) -> None:
        """little: function words (can, the); other: words of other games and everyday subjects."""
        self._topics = topics
        having: Counter[str] = Counter()
        for topic in topics:
            having.update({word: min(1.0, count) for word, count in topic.counts.items()})
        rarest = log(1 + len(topics))
        self._rare = {word: log(1 + len(topics) / max(n, 0.5)) / rarest for word, n in having.items()}
        self._words = [word for word in self._rare if " " not in word]
        self._weights = self._rare | dict.fromkeys(little, WEAK)
        self._little, self._other = little, other - self._rare.keys()
        self._mistyped = {typo: word for word in self._words for typo in _mistyped(word)}
        phrases = [(i, phrase) for i, topic in enumerate(topics) for phrase in topic.phrases]
        self._whole = [(i, sum(map(self._weight, phrase))) for i, phrase in phrases]
        self._having = defaultdict(list)
        for number, word in ((number, word) for number, (_, phrase) in enumerate(phrases) for word in set(phrase)):
            self._having[word].append(number)

    def known(self, question: Words) -> dict[str, float]:
        """Return the question's words as the topics have them, each with a factor for its weight."""
        return dict(self._as_indexed(word) for word in dict.fromkeys(question))

    def scores(self, question: Words, known: Mapping[str, float]) -> list[float]:
        """Return, for each topic, how well the question fits it."""
        asked = {word: self._weight(word) * like for word, like in known.items()}
        telling = {word: weight for word, weight in asked.items() if word not in self._little}
        telling |= {pair: PAIR * self._rare[pair] for pair in map(" ".join, pairwise(question)) if pair in self._rare}
        return [
            sum(weight * _often(topic.counts.get(word, 0.0)) for word, weight in telling.items())
            + fit
            + EXACT * ((question in topic.phrases) + (question in topic.titles))
            for topic, fit in zip(self._topics, self._fits(asked), strict=True)
        ]

    def sureness(self, question: Words, known: Mapping[str, float], best: Sequence[float]) -> float:
        """Return how sure it is that the topic with the best score is the right one. best: the two best scores."""
        telling = [word for word in known if word not in self._little]
        if not telling or not self._other.isdisjoint(question) or not best or not best[0]:
            return 0.0
        score, next_best = (*best, 0.0)[:2]
        possible = 2 * sum(sorted(map(self._weight, known), reverse=True)[:MOST_WORDS])
        unknown = sum(word not in self._rare for word in telling) / len(telling)
        return 1.3 * score / possible + 0.8 * min(score, 5.0) + 2.9 * (1 - next_best / score) - 2.2 * unknown

    def _fits(self, asked: Mapping[str, float]) -> list[float]:
        """Return, for each topic, how well its best phrase fits the question.

        The result is c * c / p. c: weight of the words that both have. p: weight of the whole phrase.
        """
        common: Counter[int] = Counter()
        for word, weight in asked.items():
            for number in self._having.get(word, ()):
                common[number] += weight  # type: ignore[assignment]
        fits = [0.0] * len(self._topics)
        for number, weight in common.items():
            topic, whole = self._whole[number]
            fits[topic] = max(fits[topic], weight * weight / whole)
        return fits

    def _weight(self, word: str) -> float:
        return self._weights.get(word, UNKNOWN)

    def _as_indexed(self, word: str) -> tuple[str, float]:
        """Return `word` or a similar word that topics have, and a factor for its weight."""
        if word in self._weights or len(word) < 4:
            return word, 1.0
        near = [self._mistyped[typo] for typo in _mistyped(word) if typo in self._mistyped]
        parts = [w for w in self._words if 3 < len(w) < len(word) - 1 and (word.startswith(w) or word.endswith(w))]
        like = near[:1] or sorted(parts, key=len)[-1:]
        return (like[0], LIKE) if like else (word, 1.0)


def _mistyped(word: str) -> tuple[str, ...]:
    """Return a word and its forms with one letter less. Two words with a common form differ by one slip.

    The first letter must be right, and short words have no form: too many names are similar to them.

    >>> sorted({*_mistyped("fumble")} & {*_mistyped("fumbel")})
    ['fumbe', 'fumbl']
    """
    return (word, *(word[:i] + word[i + 1 :] for i in range(1, len(word)))) if len(word) >= SHORTEST_TYPO else ()


def _often(count: float) -> float:
    """Return the factor for a word that occurs `count` times in a topic.

    It is 0 for 0 and 1 for 1, and stays below 2.
    """
    return count * (1 + SATURATION) / (count + SATURATION)


@lru_cache(maxsize=32)
def _index(book: tuple[RuleAnswer, ...], language: str) -> _Index:
    """Return the index of all topics of a rulebook. Call this only within `speaking(language)`."""
    little, other = (frozenset(_words(_find(name), language)) for name in ("little_words", "other_games"))
    return _Index([_topic(answer, language) for answer in book], little, other)


def _topic(answer: RuleAnswer, language: str) -> _Topic:
    titles = [_words(display_text(answer.title), language)]
    if language == ENGLISH:
        titles.append(_words(answer.topic.replace("_", " "), language))
    phrases = [_words(phrase, language) for phrase in _find(answer.topic).split(",")]
    said = {word for page in answer.pages for word in _words(display_text(page.text), language)}
    counts: Counter[str] = Counter()
    for times, words in (
        *((TITLE, title) for title in titles),
        *((PHRASE, {*phrase, *map(" ".join, pairwise(phrase))}) for phrase in phrases),
        (TEXT, said),
    ):
        for word in words:
            counts[word] += times  # type: ignore[assignment]
    return _Topic(dict(counts), tuple(titles), (*titles, *dict.fromkeys(phrases)))


def _find(name: str) -> str:
    """Return the catalogue's text `find.{name}`: a topic's search phrases, or a list of words."""
    return text_at("find", f"find.{name}")


def _words(text: str, language: str) -> Words:
    same = _synonyms(language)
    return tuple(same.get(stem, stem) for stem in _stems(text, language))


@cache
def _synonyms(language: str) -> Mapping[str, str]:
    """Return stem -> first of its synonyms. Call this only within `speaking(language)`."""
    groups = [_stems(group, language) for group in _find("synonyms").split(",")]
    return {word: group[0] for group in groups for word in group[1:]}


def _stems(text: str, language: str) -> Words:
    return tuple(_stem(word, language) for word in fold_text(text, language).split())


@cache
def _stem(word: str, language: str) -> str:
    return str(stemmer(STEMMERS[language]).stemWord(word))


def fold_text(text: str, language: str) -> str:
    """Return a text in lower case without accents and punctuation.

    In German, "ae" becomes "a", as "ä" does.

    >>> fold_text("  Größe, GROESSE? ", "de"), fold_text("Può", "it"), fold_text("two-at once", "en")
    ('grosse grosse', 'puo', 'two at once')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    if language == "de":
        plain = plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())
