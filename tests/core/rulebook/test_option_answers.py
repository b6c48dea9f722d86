"""The rulebook says the current value of every option under every preset, also a default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import permutations

import pytest

from referee.core.messages import Msg
from referee.core.model.options import RuleError
from referee.core.model.registry import game_named, presets, rulebook
from referee.core.model.table import Setup
from referee.language.rules.options import meaning
from referee.language.rules.search import find
from referee.language.words import LANGUAGES, speaking

BOOKS = tuple(preset for preset, game in presets().items() if game.RULEBOOK)


def sentences(preset: str, options: Mapping[str, object]) -> frozenset[Msg]:
    """Return all sentences of the preset's rulebook with these options. Raises RuleError."""
    return frozenset(page.text for told in rulebook(preset, options) for page in told.pages)


def choices(preset: str) -> Iterator[tuple[str, dict[object, frozenset[Msg]]]]:
    """Yield each option that has an effect in the preset: its name, and value -> sentences, the usual value first."""
    game = game_named(preset)
    idle = game.idle(Setup(preset=preset))
    for setting in game.settings:
        if setting.name not in idle:
            own = presets()[preset].preset_values(preset)[setting.name][0]
            books = {own: sentences(preset, {})}
            for value in {value for value, _ in setting.choices} - {own}:
                with suppress(RuleError):
                    books[value] = sentences(preset, {setting.name: value})
            yield setting.name, books


@pytest.mark.parametrize("preset", BOOKS)
def test_each_value_of_an_option_has_a_sentence_of_its_own(preset: str) -> None:
    for name, books in choices(preset):
        for value, other in permutations(books, 2):
            assert books[value] - books[other], (name, value, other)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", BOOKS)
def test_an_option_s_question_is_answered_with_its_value(preset: str, language: str) -> None:
    book = rulebook(preset, {})
    game = presets()[preset]
    for name, books in choices(preset):
        usual, *others = books.values()
        if not others:
            continue
        telling = usual - frozenset.intersection(*others)
        with speaking(language):
            option = next(option for option in game.OPTIONS if option.name == name)
            found = find(book, meaning(game, option), language)
        shown = {page.text for answer in (*found.topics, *found.nearest) for page in answer.pages}
        assert telling & shown, name
