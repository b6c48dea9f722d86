"""Speech: toast and banner, and the plural of points."""

from __future__ import annotations

import re

import pytest

from referee.core.messages import Label, msg
from referee.core.model.view import StopScreen, View
from referee.core.values import replace
from referee.language import say
from referee.language.speech import speech_of
from referee.language.words import LANGUAGES, speaking
from tests.screens.goldens import spoken
from tests.screens.samples import samples

RAW = re.compile(r"None|Fraction|Label|Msg|\{|\}|  |\b\d[A-Z][a-z]\b|^\W|[+-]\d|\b\d+ (?:Anna|Ben|Max|Lea)\b")
"""Program words, empty places, the display's short labels, signs, a number before a name."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_speech_of_samples_has_no_short_forms(language: str) -> None:
    for name, view in samples().items():
        text = spoken(view, language)
        assert text.endswith((".", "!", "?")), (name, text)
        assert not RAW.search(text), (name, text)


def test_toast_and_banner_are_said_too() -> None:
    toast, banner = msg("toast.undone", what=msg("undo.verdict")), msg("toast.not_saved")
    view = View(0, 0, "", StopScreen(), (), toast=toast, banner=banner)
    assert speech_of(view).endswith("Undone: the verdict. The match is not being saved at the moment.")
    assert "Rückgängig gemacht: das Urteil." in speech_of(replace(view, language="de"))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["plus 1 point,", "minus 5 points,", "minus 1 point", "plus 2.5 points", "pays Ben at 2: 1 point."]),
        ("de", ["plus 1 Punkt,", "minus 5 Punkte,", "minus 1 Punkt", "plus 2,5 Punkte", "zahlt an Ben an 2: 1 Punkt."]),
        ("it", ["più 1 punto,", "meno 5 punti,", "meno 1 punto", "più 2,5 punti", "paga a Ben al 2: 1 punto."]),
    ],
)
def test_one_point_is_not_several(language: str, said: list[str]) -> None:
    """Given, taken, divided or paid: the plural form depends on the figure, with any sign."""
    anna, ben = Label((1,), "Anna"), Label((2,), "Ben")
    told = [
        *(msg("note.points", who=anna, points=points, reason=msg("reason.agreed")) for points in ("+1", "-5")),
        *(msg("item.points", seat=1, name="Anna", choice=points) for points in ("-1", "+2½")),
        msg("note.pays", who=anna, to=ben, points="1"),
    ]
    with speaking(language):
        spoken_now = [say.message_speech(one) for one in told]
    assert all(part in text for part, text in zip(said, spoken_now, strict=True)), spoken_now
