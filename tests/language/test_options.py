"""Options, their sources and presets in every language: in English as the games say them, in the others translated."""

from __future__ import annotations

import pytest

from referee.core.model.registry import all_documents, game_named, preset_name, presets
from referee.language.catalogue import ENGLISH, LANGUAGES
from referee.language.options import ABOUTS, SOURCES, about, allowed_values, is_names, meaning, preset_about, source
from referee.language.words import speaking

PROPER = {"pagat", "NNA, pagat, Reeves", "NNA, pagat, Reeves, Keeling"}
"""Names of sources, which are the same in every language; those with a capital alone have no word at all."""


def test_in_english_it_is_what_the_games_say() -> None:
    """Word for word: what an option does and allows, who says so, what a preset is."""
    with speaking(ENGLISH):
        for game in all_documents():
            for option in game.options():
                assert meaning(game, option) == option.meaning
                assert allowed_values(option) == option.allowed
                assert source(option.sources) == option.sources
            for name in game.TITLES:
                assert preset_about(game, name) == about(game, name)
                for _, said in game.preset_values(name).values():
                    assert source(said) == said


NAMES = {
    "nna": "NNA Nertz",
    "nna150": "NNA 150",
    "pagat": "Nerts",
    "pagat25": "Nerts +25",
    "reeves": "Reeves' Nerts",
    "racing-demon": "Racing Demon",
    "dutch-blitz": "Dutch Blitz",
    "ligretto": "Ligretto",
    "solitaire-frenzy": "Solitaire Frenzy",
    "31": "31",
    "ride-the-bus": "Ride the Bus",
    "31-quebec": "31 Quebec",
    "snap": "Snap",
    "slapjack": "Slapjack",
    "ratscrew": "Egyptian Ratscrew",
    "halli-galli": "Halli Galli",
    "spoons": "Spoons",
    "pig": "Pig",
    "irish-snap": "Irish Snap",
}
"""What people call each preset, in every language; a new one need not stand here."""


def test_every_preset_has_the_name_that_people_call_it_by() -> None:
    """On the display, in commands, in the settings file; what it is stands behind its colon, in words."""
    assert {preset: preset_name(preset) for preset in NAMES} == NAMES
    assert all(about(presets()[preset], preset) for preset in NAMES)


def test_every_game_has_the_name_that_lists_and_other_programs_call_it_by() -> None:
    """In `referee presets --json`, and in a file for another program."""
    found = {preset: (presets()[preset].NAME, presets()[preset].FAMILY) for preset in ("nna", "31", "snap", "spoons")}
    assert found == {
        "nna": ("nertz", "Nertz"),
        "31": ("31", "31"),
        "snap": ("Slap", "Slap"),
        "spoons": ("Last one", "Last one"),
    }


def test_a_source_that_is_a_name_alone_is_one_that_the_games_have() -> None:
    """It is the same in every language, so no catalogue would miss a mistake in it."""
    said = {text for preset in NAMES for _, text in presets()[preset].preset_values(preset).values()}
    said |= {option.sources for game in all_documents() for option in game.options()}
    assert {text for text in said if is_names(text)} <= {"NNA", "Keeling", "Reeves"}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_elsewhere_every_sentence_is_another_one(language: str) -> None:
    """But for what has no word except names: nothing was left in English by mistake."""
    with speaking(language):
        same = {text for words in (SOURCES, ABOUTS) for text, word in words.items() if word() == text}
    assert same <= PROPER


def test_every_value_that_is_a_word_is_said_in_its_option_s_line() -> None:
    """By a word of the catalogues: what has none stands in every language as it is typed ("Ende: lives")."""
    typed = []
    for preset, game in presets().items():
        lines = {line.name: dict(line.choices) for line in game_named(preset).settings}
        for option in game.options():
            values = (game.preset_values(preset)[option.name][0], *getattr(option, "choices", ()))
            words = [value for value in values if isinstance(value, str | bool) and not str(value).isdigit()]
            typed += [(preset, option.name, value) for value in words if value not in lines[option.name]]
    assert typed == []


def test_what_nobody_has_translated_is_said_as_it_is() -> None:
    """A source that a table gave itself."""
    with speaking("de"):
        assert source("this table") == "this table"
