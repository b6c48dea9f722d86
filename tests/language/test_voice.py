"""What is said aloud at a table, and what is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.core.model.table import Setup
from referee.core.units import S
from referee.core.values import replace
from referee.language.voice import Utterance, Voice
from referee.language.words import LANGUAGES
from tests.core.sitting import Sitting
from tests.screens.samples import samples

WORDS = 12
"""Most words of an utterance, with names of one word."""


class Heard:
    """A table with a voice: the words since the last question."""

    def __init__(self, level: str, *stations: str) -> None:
        self.sitting = Sitting(Setup(stations=stations, voice=level))
        self.voice = Voice()

    def said(self) -> str | None:
        found = self.voice.hear(self.sitting.view)
        return None if found is None else found.words


@pytest.mark.parametrize("language", LANGUAGES)
def test_utterances_are_short(language: str) -> None:
    def said() -> Iterator[tuple[str, str]]:
        for name, view in samples().items():
            if found := Voice().hear(replace(view, language=language, voice="all")):
                yield name, found.words

    assert {name: words for name, words in said() if len(words.split()) > WORDS} == {}


def test_a_hand_is_spoken_from_ready_to_the_lead() -> None:
    table = Heard("all", "1", "2")
    table.sitting.seated("1", "2").wait(1 * S).tap("1", "2").wait(1 * S)
    assert table.said() == "Ready."
    table.sitting.wait(1 * S)
    assert table.said() == "Set."
    table.sitting.wait(1 * S)
    assert table.said() == ""  # GO is a tone, and cards move
    table.sitting.wait(2 * S)
    assert table.said() is None
    table.sitting.press("1").wait(200_000_000)
    assert table.said() == "Nertz! Red."
    table.sitting.wait(6 * S).count("1", 0, 28, caller=True)
    assert table.said() == "Red: 0, 28."
    table.sitting.count("2", 3, 15).wait(1 * S)
    assert table.said() == "Red leads by 19 points."
    assert table.said() is None


def test_a_later_press_continues_the_verdict() -> None:
    table = Heard("verdicts", "1", "2")
    table.sitting.playing("1", "2")
    table.said()
    table.sitting.press("1").wait(150_000_000)
    assert table.voice.hear(table.sitting.view) == Utterance("Nertz! Red.")
    table.sitting.press("2")
    found = table.voice.hear(table.sitting.view)
    assert found is not None
    assert found.follows
    assert found.words.startswith("Blue 0.")


def test_verdicts_alone_leave_the_rest_unsaid() -> None:
    table = Heard("verdicts", "1", "2")
    table.sitting.seated("1", "2").wait(1 * S).tap("1", "2").wait(1 * S)
    assert table.said() is None
    table.sitting.wait(4 * S)
    table.sitting.press("1").wait(200_000_000)
    assert table.said() == "Nertz! Red."


def test_a_look_at_the_photo_finish_repeats_nothing() -> None:
    table = Heard("all", "1", "2")
    table.sitting.playing("1", "2").press("1").wait(200_000_000)
    assert table.said() == "Nertz! Red."
    table.sitting.turn(1)
    assert table.said() is None
    table.sitting.turn(-1)
    assert table.said() is None


@pytest.mark.parametrize(("level", "words"), [("verdicts", "Blue, go!"), ("all", "Blue, go!")])
def test_the_own_go_of_a_head_start_is_spoken(level: str, words: str) -> None:
    table = Heard(level, "1", "2")
    table.sitting.seated("1", "2").choose("Players").choose("Start later").choose("2").turn(1).push()
    table.sitting.playing("1", "2")
    table.said()
    table.sitting.wait(3 * S)
    assert table.said() is None
    table.sitting.wait(2 * S)
    assert table.said() == words
    assert table.said() is None
