"""The display's words in every language: the agreed ones, and no English left on a German or Italian screen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import core
from referee.core.games.nertz import scoring
from referee.core.match.past import LABELS
from referee.core.model.registry import game_named, presets
from referee.core.phases.settings import DEVICE
from referee.core.values import replace
from referee.language import said
from referee.language.catalogue import LANGUAGES
from referee.language.catalogue import catalogue as catalogue_of
from referee.language.words import speaking
from referee.screens import draw, render
from referee.screens.samples import samples
from tests.language import catalogues

OTHERS = LANGUAGES[1:]
SAMPLES = samples()


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
    texts = catalogues.kept("en")
    keys = [
        key for key, forms in texts.items() if forms[0] == english and key[0] in ("display", "title", "beat", "phase")
    ]
    assert BIG_WORDS[english] in {tuple(catalogue_of(language).text(key) for language in OTHERS) for key in keys}


# -- the core's texts ----------------------------------------------------------------------------------------------

PLACES = {"toast": "toast", "_hint": "hint", "ask": "ask", "FieldSpec": "field"}
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


def core_texts() -> Iterator[tuple[str, str]]:
    """The core's texts, with the place where each is shown."""
    for path in Path(core.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in PLACES and len(node.args) > ARGUMENT[name]:
                yield from ((text, PLACES[name]) for text in texts(node.args[ARGUMENT[name]]))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and node.name.endswith("_text"):
                found = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
                yield from ((text, "item") for value in found for text in texts(value))


def test_every_text_of_the_core_has_a_template() -> None:
    """A new toast, hint, question or menu line wants a line in referee/language/told.py."""
    found = list(core_texts())
    assert len(found) > 25
    assert [text for text, place in found if said.message_of(text, place) is None] == []
    assert [text for text in LABELS.values() if said.message_of(text, "undo") is None] == []


SETTINGS = {setting.name: setting for preset in presets() for setting in (*DEVICE, *game_named(preset).settings)}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_and_each_of_its_values_has_a_template(name: str) -> None:
    """As a line of the knob's list; a value that is a word has one of its own."""
    for _, shown in SETTINGS[name].choices:
        assert said.message_of(f"{SETTINGS[name].text}: {shown}", "item"), name
        assert not shown.isalpha() or name == "language" or said.message_of(shown, "choice"), shown


@pytest.mark.parametrize("rule", list(scoring._WORDS))
def test_every_refusal_has_a_template_of_its_own(rule: str) -> None:
    text = scoring.Miscount(rule, (45, 13), 52).short
    assert said.message_of(text, "refusal") is not None
    assert said.said(text, "refusal") == text


def test_values_stay_and_what_was_undone_is_translated() -> None:
    with speaking("de"):
        assert said.said("2 BEN CAN PLAY", "toast") == "2 BEN KANN LEGEN"
        assert said.said("UNDONE: VERDICT", "toast") == "STORNIERT: URTEIL"
        assert said.said("Redo: end of hand", "item") == "Wieder: Rundenende"
        assert said.said("3 Anna", "item") == "3 Anna"
    assert said.said("2 BEN CAN PLAY", "toast") == "2 BEN CAN PLAY"


# -- pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("language", OTHERS)
def test_no_english_word_stays_on_a_screen(name: str, language: str) -> None:
    """Every text of the English picture that is a message reads differently, unless both languages have it so."""
    view = replace(SAMPLES[name], banner="NOT SAVED")
    shown = {mark.text for mark in render(view, language=language).marks}
    english, own = catalogues.kept("en"), catalogues.kept(language)
    foreign = {text for key, forms in english.items() for text in forms if own[key] != forms}
    assert not shown & (foreign - {text for forms in own.values() for text in forms})


def test_the_language_is_the_picture_s_alone() -> None:
    before = draw(SAMPLES["ready"])
    assert draw(SAMPLES["ready"], language="de").tobytes() != before.tobytes()
    assert draw(SAMPLES["ready"]).tobytes() == before.tobytes()


def test_an_unknown_language_is_a_mistake() -> None:
    with pytest.raises(FileNotFoundError):
        draw(SAMPLES["ready"], language="xx")
