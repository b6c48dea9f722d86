"""What a screen reader says: reviewed as it is spoken, in the table's language."""

from __future__ import annotations

import re

import pytest

from referee.core.messages import Label, msg
from referee.core.model.view import Screen, StopScreen, View
from referee.core.values import replace
from referee.language import say, speech
from referee.language.speech import speech_of
from referee.language.words import LANGUAGES, speaking
from tests.screens.goldens import spoken
from tests.screens.samples import samples

SAMPLES = samples()
RAW = re.compile(r"None|Fraction|Label|Msg|\{|\}|  |\.\.|\b\d[A-Z][a-z]\b|^\W|[+-]\d|\b\d+ (?:Anna|Ben|Max|Lea)\b")
"""What no speech has: a program's words, empty places, a display's short labels,
signs that a reader passes over, a number before a name."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SAMPLES)
def test_speech_is_whole_sentences(name: str, language: str) -> None:
    text = spoken(SAMPLES[name], language)
    assert text.endswith((".", "!", "?")), text
    assert not RAW.search(text), text


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_nothing_of_the_english_speech_stays(name: str, language: str) -> None:
    """No sentence is the same, unless it is nothing but names and numbers or a word that both languages have."""
    same = {"Nertz!", "Stop!", "NNA 150."}
    english, own = (set(re.split(r"(?<=[.!?]) ", spoken(SAMPLES[name], tongue))) for tongue in ("en", language))
    assert not [text for text in english & own - same if any(c.isalpha() for c in text)]


def test_every_screen_is_spoken() -> None:
    assert set(speech.SPEECH) == set(Screen.__subclasses__())
    assert {type(view.screen) for view in SAMPLES.values()} == set(Screen.__subclasses__())


def test_toast_and_banner_are_said_too() -> None:
    view = View(
        0, 0, "", StopScreen(), (), toast=msg("toast.undone", what=msg("undo.verdict")), banner=msg("toast.not_saved")
    )
    said = speech_of(view)
    assert said.endswith("the verdict. Undone: the verdict. The match is not being saved at the moment.")
    assert "Rückgängig gemacht: das Urteil." in speech_of(replace(view, language="de"))


def test_who_is_named_with_every_button_of_theirs() -> None:
    with speaking("de"):
        assert say.list_speech(["eins", "zwei", "drei"]) == "eins, zwei und drei"
    assert "Bennet at 2 and 6" in spoken(SAMPLES["verdict-clear-pair"], "en")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["plus 1 point,", "minus 5 points,", "minus 1 point", "plus 2.5 points", "pays Ben at 2: 1 point."]),
        ("de", ["plus 1 Punkt,", "minus 5 Punkte,", "minus 1 Punkt", "plus 2,5 Punkte", "zahlt an Ben an 2: 1 Punkt."]),
        ("it", ["più 1 punto,", "meno 5 punti,", "meno 1 punto", "più 2,5 punti", "paga a Ben al 2: 1 punto."]),
    ],
)
def test_one_point_is_not_several(language: str, said: list[str]) -> None:
    """Given, taken, divided or paid: the word goes by the figure, whatever its sign."""
    anna, ben = Label((1,), "Anna"), Label((2,), "Ben")
    told = [
        *(msg("note.points", who=anna, points=points, reason=msg("reason.agreed")) for points in ("+1", "-5")),
        *(msg("item.points", seat=1, name="Anna", choice=points) for points in ("-1", "+2½")),
        msg("note.pays", who=anna, to=ben, points="1"),
    ]
    with speaking(language):
        spoken_now = [say.message_speech(one) for one in told]
    assert all(part in text for part, text in zip(said, spoken_now, strict=True)), spoken_now
