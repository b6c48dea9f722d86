"""The rulebook's search: questions in people's own words, in every language, with the topics that answer them.

`questions/` holds them, a line each: language (empty: not given), question, preset, topics ("-": no topic answers it).
`known.tsv` came first; `fresh.tsv` was written by people who had not seen the search, before it was made; the weights
and words of the search were then fitted to it and to `more.tsv`, which is harder. `heldout.tsv` shows what an unseen
question meets: do not fit anything to it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from referee.core.model.registry import presets, rulebook
from referee.language.display import display_text
from referee.language.rules.search import NEAREST, find
from referee.language.words import LANGUAGES, speaking

HERE = Path(__file__).parent / "questions"
BOOKS = tuple(preset for preset, game in presets().items() if game.RULEBOOK)


def answered(name: str, language: str | None = None) -> Counter[str]:
    """How many of a file's questions (of one language) are answered right, wrong or not at all."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return Counter(_outcome(*row) for row in rows if language in (None, row[0]))


def _outcome(language: str, question: str, preset: str, wanted: str) -> str:
    found = find(rulebook(preset, {}), question, language or None).topics
    if found:
        return "right" if found[0].topic in wanted.split(",") else "wrong"
    return "right" if wanted == "-" else "none"


def test_known_questions_are_answered() -> None:
    outcome = answered("known.tsv")
    assert outcome["right"] >= 0.96 * outcome.total()
    assert outcome["wrong"] <= 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_fresh_questions_are_answered_and_nonsense_is_not(language: str) -> None:
    outcome = answered("fresh.tsv", language)
    assert outcome["right"] >= 0.9 * outcome.total()
    assert answered("fresh.tsv")["wrong"] <= 0.04 * 120


def test_hard_questions_are_mostly_answered() -> None:
    outcome = answered("more.tsv")
    assert outcome["right"] >= 0.85 * outcome.total()
    assert outcome["wrong"] <= 0.06 * outcome.total()


def test_unseen_questions_are_mostly_answered() -> None:
    outcome = answered("heldout.tsv")
    assert outcome["right"] >= 0.65 * outcome.total()
    assert outcome["wrong"] <= 0.15 * outcome.total()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_topic_is_found_by_its_title_and_name(language: str) -> None:
    for preset in BOOKS:
        answers = rulebook(preset, {})
        for answer in answers:
            with speaking(language):
                title = display_text(answer.title)
            assert find(answers, title, language).topics == (answer,)
            named = find(answers, answer.topic)
            assert (named.language, named.topics) == ("en", (answer,))


def test_language_is_guessed_by_the_best_score() -> None:
    nna = rulebook("nna", {})
    assert find(nna, "darf ich einen halben Stapel bewegen?").language == "de"
    assert find(nna, "mezza pila").language == "it"
    assert find(nna, "burn").language == "en"
    assert find(nna, "burn", "it").language == "it"


@pytest.mark.parametrize("question", ["xylophone", "?", "", "can you do the", "can my dog play", "\0" * 5000])
def test_nonsense_finds_nothing_and_offers_the_nearest(question: str) -> None:
    found = find(rulebook("nna", {}), question, "en")
    assert found.topics == ()
    assert len(found.nearest) == NEAREST


def test_mistyped_word_and_compound_are_found() -> None:
    assert find(rulebook("nna", {}), "fumbel", "en").topics[0].topic == "fumble"
    assert find(rulebook("nna", {}), "Nertsablagestapel", "de").nearest[0].topic in ("turning", "short_stock")
    assert find((), "burn") == find((), "burn", "en")
