"""A verdict in words: every output says the same of ties, of doubts, and of who pressed alone."""

from __future__ import annotations

import pytest

from referee.core.model.view import VerdictScreen, View
from referee.core.values import replace
from referee.language.called import equal_text, verdict_news
from referee.language.speech import speech_of
from referee.language.voice import Voice
from referee.language.words import LANGUAGES, sentence, speaking, word
from referee.screens import render
from tests.screens.samples import label, samples

ALONE = samples()["verdict-clear-alone"]
LATE = ((label(2), 400_000_000),)


def shown(view: View, language: str) -> str:
    return " ".join(mark.text for mark in render(view, (128, 64), language).marks)


def of(view: View, **changes: object) -> View:
    return replace(view, screen=replace(view.screen, **changes))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("others", [{}, {"late": LATE}, {"refuted": (label(3),)}, {"later": LATE}, {"by_vote": True}])
def test_nobody_else_is_said_only_of_a_press_alone(others: dict[str, object], language: str) -> None:
    view = replace(of(ALONE, **others), language=language)
    assert isinstance(view.screen, VerdictScreen)
    assert view.screen.is_alone == (not others)
    spoken = speech_of(view)
    with speaking(language):
        assert (sentence("verdict.alone") in spoken) == (not others)
        assert (sentence("verdict.alone") in verdict_news(view.screen)) == (not others)
        assert (word("alone") in shown(view, language)) == (not others)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["verdict-tie", "verdict-grey-tie", "verdict-grey-clear"])
def test_a_tie_and_a_doubt_are_one_sentence_with_both_names(name: str, language: str) -> None:
    view = replace(samples()[name], language=language, voice="all")
    screen = view.screen
    assert isinstance(screen, VerdictScreen)
    with speaking(language):
        text = equal_text(screen)
        said, joint = verdict_news(screen), word("or" if screen.grey else "and")
    said_aloud = Voice().hear(view)
    assert said_aloud is not None
    assert text in said
    assert text in speech_of(view)
    assert text.partition(":")[0] == said_aloud.words.partition(":")[0]
    for words in (text, said_aloud.words, shown(view, language)):
        assert "Anna" in words
        assert "Ben" in words
        assert f" {joint} " in words


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_head_start_does_not_count_down_for_screen_readers(language: str) -> None:
    playing = replace(samples()["playing-four"], language=language)
    assert len({speech_of(of(playing, later=(label(2),), later_s=seconds)) for seconds in range(1, 30)}) == 1
