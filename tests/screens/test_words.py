"""The display's words in every language: the agreed ones, and no English left on a German or Italian screen."""

from __future__ import annotations

import pytest

from referee.core.messages import msg
from referee.core.model.view import CallNowScreen, NameScreen, PowerBackScreen, ReadyScreen, Screen
from referee.core.values import replace
from referee.language.words import LANGUAGES, speaking, word
from referee.language.words import catalogue as catalogue_of
from referee.screens import draw, render
from referee.screens.fonts import font
from tests.language import catalogues
from tests.screens.samples import samples

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


# -- pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("language", OTHERS)
def test_no_english_word_stays_on_a_screen(name: str, language: str) -> None:
    """Every text of the English picture that is a message reads differently, unless both languages have it so."""
    view = replace(SAMPLES[name], banner=msg("toast.not_saved"))
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


DOES: dict[type[Screen], tuple[str, ...]] = {
    PowerBackScreen: ("go_on_needs", "tap_go_on"),
    CallNowScreen: ("press_calls",),
    NameScreen: ("name_takes", "name_ends"),
}
"""What says on a screen what a press does there."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name, view in SAMPLES.items() if type(view.screen) in DOES])
def test_what_a_press_does_is_read_from_a_chair(name: str, language: str) -> None:
    """It stands there, and is 12 pixels high or more, which is 5 mm on the display."""
    view = SAMPLES[name]
    with speaking(language):
        says = set(map(word, DOES[type(view.screen)]))
    heights = {
        font(mark.font).height
        for mark in render(view, language=language).marks
        if any(mark.text.endswith(said) for said in says)
    }
    assert heights, view
    assert min(heights) >= 12


@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name, view in SAMPLES.items() if isinstance(view.screen, ReadyScreen)])
def test_ready_says_what_the_named_ones_are_to_do(name: str, language: str, size: tuple[int, int]) -> None:
    """Whoever is waited for is asked to tap, few or many, with a banner or a lesson below, too."""
    view = SAMPLES[name]
    assert isinstance(view.screen, ReadyScreen)
    if not view.screen.waiting or view.screen.let_go:
        return
    with speaking(language):
        asks = set(map(word, ("waiting_for", "tap_when_ready", "still_to_tap")))
    lesson = (msg("teach.tap_ready"),)
    for shown in (view, replace(view, banner=msg("toast.see_log")), replace(view, lesson=lesson, lesson_line=0)):
        assert asks & {mark.text for mark in render(shown, size, language).marks}, shown
