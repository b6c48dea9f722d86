"""Options, their sources and presets in every language."""

from __future__ import annotations

import pytest

from referee.core.messages import msg
from referee.core.model.registry import all_documents, all_games, game_named, presets
from referee.core.phases.settings import DEVICE
from referee.language.display import display_text
from referee.language.rules.options import about, allowed_values, meaning, preset_about, source
from referee.language.words import ENGLISH, LANGUAGES, speaking
from tests.english import is_names
from tests.language.catalogues import kept

SAME = {"pagat", "NNA, pagat, Reeves", "NNA, pagat, Reeves, Keeling"}
"""Sources that are the same in every language."""


def test_english_texts_are_what_the_games_say() -> None:
    for game in all_documents():
        for option in game.OPTIONS:
            assert meaning(game, option) == option.meaning
            assert allowed_values(option) == option.allowed
            assert source(option.sources) == option.sources
        for name in game.TITLES:
            assert preset_about(game, name) == about(game, name)
            for _, said in game.preset_values(name).values():
                assert source(said) == said


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_source_and_preset_is_translated(language: str) -> None:
    english, other = kept(ENGLISH), kept(language)
    places = ("option", "source", "preset")
    same = {form for key in english if key[0] in places for form in english[key] if form in other[key]}
    assert {text for text in same if not is_names(text)} <= SAME
    with speaking(language):
        for game in all_documents():
            said = {option.sources for option in game.OPTIONS}
            said |= {text for name in game.TITLES for _, text in game.preset_values(name).values()}
            untranslated = {text for text in said if text and source(text) == text}
            assert {text for text in untranslated if not is_names(text)} <= SAME


def test_every_value_that_is_a_word_has_a_text_in_its_option_s_line() -> None:
    typed = []
    for preset, game in presets().items():
        lines = {line.name: dict(line.choices) for line in game_named(preset).settings}
        for option in game.OPTIONS:
            values = (game.preset_values(preset)[option.name][0], *getattr(option, "choices", ()))
            words = [value for value in values if isinstance(value, str | bool) and not str(value).isdigit()]
            typed += [(preset, option.name, value) for value in words if value not in lines[option.name]]
    assert typed == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_fits_its_line_with_each_choice(language: str) -> None:
    with speaking(language):
        for setting in (*DEVICE, *(setting for game in all_games() for setting in game.settings)):
            for _, choice in setting.choices:
                assert len(display_text(msg(setting.line, choice=choice))) <= 19


def test_a_source_without_a_translation_is_said_as_it_is() -> None:
    with speaking("de"):
        assert source("this table") == "this table"
