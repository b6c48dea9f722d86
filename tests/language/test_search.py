"""The rulebook's search: people's own questions, in every language, with the topics that answer them.

`questions/` has them, one per line: language (empty: not given), question, preset, topics ("-": no topic answers it).
The phrases of the catalogues contain questions of `known.tsv`, `fresh.tsv` and `more.tsv`. The weights and the
threshold of the search were chosen with `heldout.tsv` and `spoken.tsv`. `unseen.tsv` was written before that and
measured once, afterwards: do not fit anything to it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from referee.core.model.registry import rulebook
from referee.language.display import display_text
from referee.language.rules.search import NEAREST, find
from referee.language.words import LANGUAGES, speaking

HERE = Path(__file__).parent / "questions"


def answered(name: str, language: str | None = None) -> Counter[str]:
    """Count a file's questions (of one language) that are answered right or wrong, and those with a right offer."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    outcome: Counter[str] = Counter()
    for row in rows:
        if language in (None, row[0]):
            outcome += Counter(_outcome(*row)) + Counter(all=1)
    return outcome


def _outcome(language: str, question: str, preset: str, wanted: str) -> tuple[str, ...]:
    found = find(rulebook(preset, {}), question, language or None)
    sure = [answer.topic for answer in found.topics]
    shown = {*sure, *(answer.topic for answer in found.nearest)}
    if wanted == "-":
        return ("wrong",) if sure else ("right", "offered")
    right = set(wanted.split(","))
    offered = () if right.isdisjoint(shown) else ("offered",)
    return (*(("right" if sure[0] in right else "wrong",) if sure else ()), *offered)


@pytest.mark.parametrize(
    ("name", "language", "right", "offered", "wrong"),
    [
        ("known.tsv", None, 0.95, 0.99, 0.02),
        *(("fresh.tsv", language, 0.9, 0.97, 0.05) for language in LANGUAGES),
        ("more.tsv", None, 0.86, 0.96, 0.03),
        ("heldout.tsv", None, 0.85, 0.96, 0.04),
        ("spoken.tsv", None, 0.92, 0.97, 0.03),
        ("unseen.tsv", None, 0.83, 0.94, 0.07),
    ],
)
def test_most_questions_are_answered_and_few_wrongly(
    name: str, language: str | None, right: float, offered: float, wrong: float
) -> None:
    outcome = answered(name, language)
    assert outcome["right"] >= right * outcome["all"]
    assert outcome["offered"] >= offered * outcome["all"]
    assert outcome["wrong"] <= wrong * outcome["all"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_topic_is_found_by_its_title_and_name(language: str) -> None:
    for preset in ("nna", "31"):
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


def test_answer_comes_with_its_neighbours() -> None:
    found = find(rulebook("nna", {}), "half a pile", "en")
    assert [answer.topic for answer in found.topics] == ["part"]
    assert len({answer.topic for answer in (*found.topics, *found.nearest)}) == 1 + NEAREST


@pytest.mark.parametrize("name", ["Torino", "Trieste", "Parma", "Köln", "Wien", "Dover"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_name_similar_to_a_word_of_the_rules_is_no_answer(name: str, language: str) -> None:
    assert find(rulebook("nna", {}), name, language).topics == ()


def test_mistyped_word_and_compound_are_found() -> None:
    mistyped = find(rulebook("nna", {}), "fumbel", "en")
    assert (*mistyped.topics, *mistyped.nearest)[0].topic == "fumble"
    compound = find(rulebook("nna", {}), "Nertsablagestapel", "de")
    assert (*compound.topics, *compound.nearest)[0].topic in ("turning", "short_stock")
    assert find((), "burn") == find((), "burn", "en")
