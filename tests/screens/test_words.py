"""Words fit their places, in every language, and say everything that the core puts into a view."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import core
from referee.core.games.nertz import scoring
from referee.core.match.past import LABELS
from referee.core.model.registry import game_named, presets
from referee.core.phases.settings import DEVICE
from referee.core.values import replace
from referee.screens import catalogue, draw, render, said, words
from referee.screens.catalogue import LANGUAGES
from referee.screens.catalogue import catalogue as catalogue_of
from referee.screens.samples import samples
from referee.screens.words import Word
from tests.screens import catalogues

OTHERS = [language for language in LANGUAGES if language != words.ENGLISH]
SAMPLES = samples()


@pytest.mark.parametrize("module", [said, catalogue])
def test_examples_in_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_too_long_a_word_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="'TOO LONG A WORD' has more than 8 characters"):
        Word("TOO LONG A WORD", words.LARGE)


# -- catalogues ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_is_in_step_with_the_code_and_everything_fits(language: str) -> None:
    """Otherwise: python -m tests.screens.catalogues --update"""
    entries = catalogues.kept(language)
    assert catalogues.problems(entries) == []
    assert catalogue.po_path(language).read_text(encoding="utf-8") == catalogues.to_po(entries)


@pytest.mark.parametrize("language", OTHERS)
def test_everything_is_translated(language: str) -> None:
    entries = catalogues.kept(language)
    assert [key for key in catalogues.messages() if not entries.get(key)] == []


def test_too_long_a_translation_stops_the_extraction(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = catalogues.kept("de") | {("8", "DEAL"): "AUSTEILEN", ("12", "HAND {hand}"): "RUNDE {runde}"}
    monkeypatch.setattr(catalogues, "kept", lambda language: entries)
    wrong = [
        "'RUNDE {runde}' has other values than 'HAND {hand}'",
        "'AUSTEILEN' for 'DEAL' has 9 characters, 8 at most",
    ]
    assert catalogues.problems(entries) == wrong
    before = catalogue.po_path("de").read_bytes()
    assert f"de: {wrong[1]}" in catalogues.update()
    assert catalogue.po_path("de").read_bytes() == before


BIG_WORDS = {
    "READY": ("ACHTUNG", "PRONTI"),
    "SET": ("FERTIG", "ATTENTI"),
    "GO!": ("LOS!", "VIA!"),
    "DEAL": ("GEBEN", "CARTE"),
    "WAIT": ("WARTEN", "ASPETTA"),
    "TIE": ("GLEICH", "PARI"),
    "STUCK": ("PATT", "STALLO"),
    "BURN": ("BRENNEN", "BRUCIA"),
    "TIME OUT": ("AUSZEIT", "PAUSA"),
    "CALL NOW": ("RUFEN!", "CHIAMA!"),
    "LET GO": ("HAND WEG", "LASCIA!"),
}


@pytest.mark.parametrize("english", BIG_WORDS)
def test_big_words_are_the_agreed_ones(english: str) -> None:
    contexts = [context for context, message in catalogues.messages() if message == english and int(context) <= 16]
    context = min(contexts, key=int)
    assert tuple(catalogue_of(language).pgettext(context, english) for language in ("de", "it")) == BIG_WORDS[english]


# -- the core's texts ----------------------------------------------------------------------------------------------

PLACES = {"toast": said.TOASTS, "_hint": said.HINTS, "ask": said.QUESTIONS, "FieldSpec": said.FIELDS}
ARGUMENT = {"toast": 1, "_hint": 1, "ask": 1, "FieldSpec": 0}


def texts(node: ast.expr) -> Iterator[str]:
    """What the expression can say, with "1" for every value in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "1" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "upper":
        yield from (text.upper() for text in texts(node.func.value))


def core_texts() -> Iterator[tuple[str, said.FieldPath]]:
    """The core's texts, with the place where each is shown."""
    for path in Path(core.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in PLACES and len(node.args) > ARGUMENT[name]:
                yield from ((text, PLACES[name]) for text in texts(node.args[ARGUMENT[name]]))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and node.name.endswith("_text"):
                found = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
                yield from ((text, said.ITEMS) for value in found for text in texts(value))


def test_every_text_of_the_core_has_a_template() -> None:
    """A new toast, hint, question or menu line wants a line in referee/screens/said.py."""
    found = list(core_texts())
    assert len(found) > 25
    assert [text for text, place in found if said.find(text, place) is None] == []
    assert [text for text in LABELS.values() if said.find(text, said.WHAT) is None] == []


SETTINGS = {setting.name: setting for preset in presets() for setting in (*DEVICE, *game_named(preset).settings)}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_and_each_of_its_values_has_a_template(name: str) -> None:
    """As a line of the knob's list; a value that is a word has one of its own."""
    for _, shown in SETTINGS[name].choices:
        assert said.find(f"{SETTINGS[name].text}: {shown}", said.ITEMS), name
        assert not shown.isalpha() or name == "language" or said.find(shown, said.CHOICES), shown


@pytest.mark.parametrize("rule", list(scoring._WORDS))
def test_every_refusal_has_a_template_of_its_own(rule: str) -> None:
    text = scoring.Miscount(rule, (45, 13), 52).short
    found = said.find(text, said.REFUSALS)
    assert found is not None
    assert found.word(**found.values) == text


def test_values_stay_and_what_was_undone_is_translated() -> None:
    with words.speaking("de"):
        assert said.said("2 BEN CAN PLAY", said.TOASTS) == "2 BEN KANN LEGEN"
        assert said.said("UNDONE: VERDICT", said.TOASTS) == "STORNIERT: URTEIL"
        assert said.said("Redo: end of hand", said.ITEMS) == "Wieder: Rundenende"
        assert said.said("3 Anna", said.ITEMS) == "3 Anna"
    assert said.said("2 BEN CAN PLAY", said.TOASTS) == "2 BEN CAN PLAY"


# -- pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("language", OTHERS)
def test_no_english_word_stays_on_a_screen(name: str, language: str) -> None:
    """Every text of the English picture that is a message reads differently, unless both languages have it so."""
    view = replace(SAMPLES[name], banner="NOT SAVED")
    shown = {mark.text for mark in render(view, language=language).marks}
    same = {m for (_, m), text in catalogues.kept(language).items() if text == m}
    english = {message for _, message in catalogues.messages()} - same - set(catalogues.kept(language).values())
    assert not shown & english


def test_the_language_is_the_picture_s_alone() -> None:
    before = draw(SAMPLES["ready"])
    assert draw(SAMPLES["ready"], language="de").tobytes() != before.tobytes()
    assert draw(SAMPLES["ready"]).tobytes() == before.tobytes()


def test_an_unknown_language_is_a_mistake() -> None:
    with pytest.raises(FileNotFoundError):
        draw(SAMPLES["ready"], language="xx")
