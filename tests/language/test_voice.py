"""What is said aloud at a table, and what is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.core.model.table import Setup
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language.say import own_sentence
from referee.language.voice import Utterance, Voice
from referee.language.words import ENGLISH, LANGUAGES, catalogue
from tests.core.sitting import BREATH_NS, Sitting
from tests.screens.samples import samples

LOOK_NS = 20 * MS
WORDS = 12
"""Most words of a sentence, with names of one word."""


class Heard:
    """A table with a voice: the words since the last question.

    uttered: all utterances so far.
    """

    def __init__(self, level: str, *stations: str, preset: str = "nna") -> None:
        self.sitting = Sitting(Setup(preset, stations=stations, voice=level))
        self.voice = Voice()
        self.uttered: list[Utterance] = []

    def said(self) -> str | None:
        found = self.voice.hear(self.sitting.view)
        self.uttered += [found] if found else []
        return None if found is None else found.words

    def listen(self, ns: int) -> list[str]:
        """Wait, look every 20 ms, and return what was said."""
        before = len(self.uttered)
        for _ in range(ns // LOOK_NS):
            self.sitting.wait(LOOK_NS)
            self.said()
        return [utterance.words for utterance in self.uttered[before:]]

    def tap(self, station: str, ns: int) -> list[str]:
        """Hold the button for so long, and return what was said."""
        self.sitting.close(station)
        said = self.listen(ns)
        self.sitting.open(station)
        return said + self.listen(200 * MS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_short(language: str) -> None:
    def said() -> Iterator[tuple[str, str]]:
        for name, view in samples().items():
            if found := Voice().hear(replace(view, language=language, voice="all")):
                yield from ((name, sentence) for sentence in found.words.split(". "))

    assert {name: words for name, words in said() if len(words.split()) > WORDS} == {}


def test_a_hand_is_spoken_from_ready_to_the_lead() -> None:
    table = Heard("all", "1", "2")
    table.sitting.seated("1", "2").wait(1 * S).tap("1", "2").wait(1 * S)
    assert table.said() == "Ready."
    table.sitting.wait(1 * S)
    assert table.said() == "Set."
    table.sitting.wait(1 * S)
    assert table.said() is None  # GO is a tone, and cards move
    table.sitting.wait(2 * S)
    assert table.said() is None
    table.sitting.press("1").wait(200_000_000)
    assert table.said() == "Nertz! Red."
    table.sitting.wait(6 * S).count("1", 0, 28, caller=True)
    counted = table.said()
    assert counted is not None
    assert {"Red:", "0", "28"} <= set(counted.split())  # each number with its name
    assert len(counted.split()) > 3
    table.sitting.count("2", 3, 15).wait(1 * S)
    standings = table.said()
    assert standings is not None
    assert standings.endswith("Red leads by 19 points.")
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


def voiced(key: str) -> str:
    """Return an English text of the voice up to its first value."""
    return catalogue(ENGLISH).forms(("voice", key))[0].partition("{")[0]


def test_only_a_call_ends_the_words_before() -> None:
    table = Heard("all", "1", "2", "3")
    table.sitting.seated("1", "2", "3").tap("1", "2", "3")
    table.listen(6 * S)
    table.tap("1", 100 * MS)
    table.listen(8 * S)
    table.sitting.count("1", 0, 28, caller=True)
    table.listen(LOOK_NS)
    table.sitting.count("2", 3, 15)
    table.listen(LOOK_NS)
    table.sitting.count("3", 3, 15)
    table.listen(10 * S)
    assert [utterance.words for utterance in table.uttered if not utterance.follows] == [""]
    said = " ".join(utterance.words for utterance in table.uttered)
    assert all(f"{who}:" in said for who in ("Red", "Blue", "Green"))  # the last count ends the hand


@pytest.mark.parametrize(("held_ns", "asked"), [(100 * MS, False), (700 * MS, False), (1500 * MS, True)])
def test_a_tap_is_not_asked_to_let_go(held_ns: int, asked: bool) -> None:
    table = Heard("all", "1", "2")
    table.sitting.seated("1", "2").wait(1 * S).tap("1", "2").wait(1 * S).press("1").wait(1 * S)
    assert table.sitting.phase == "STOPPED"
    table.said()
    let_go = catalogue(ENGLISH).forms(("voice", "let_go"))[0].format(who="Red")
    assert (let_go in table.tap("1", held_ns)) == asked


@pytest.mark.parametrize("level", ["verdicts", "all"])
@pytest.mark.parametrize("admits", [True, False])
def test_the_result_of_a_vote_is_spoken(level: str, admits: bool) -> None:
    table = Heard(level, "1", "2")
    table.sitting.playing("1", "2").press("1").wait(1200 * MS)
    table.said()
    table.sitting.choose("False call").wait(BREATH_NS)
    table.said()
    if admits:
        table.sitting.tap("1")
    else:
        table.sitting.hold("1", "2")
    toast, said = table.sitting.view.toast, table.said()
    assert toast is not None
    assert said is not None
    assert said.startswith(own_sentence(toast, who="Red"))


def test_snap_asks_aloud_whether_it_was_right() -> None:
    table = Heard("verdicts", "1", "2", preset="snap")
    table.sitting.playing("1", "2").press("1").wait(200 * MS)
    said = table.said()
    assert said is not None
    assert said.endswith(voiced("right"))


def test_a_time_out_and_its_end_are_spoken() -> None:
    table = Heard("all", "1", "2")
    table.sitting.playing("1", "2")
    table.said()
    table.sitting.press(KNOB, ns=400 * MS)
    assert table.said() == voiced("time_out")
    table.sitting.choose("Go on")
    assert table.said() == voiced("going_on")


def test_the_first_press_of_spoons_is_followed_by_a_word() -> None:
    table = Heard("verdicts", "1", "2", "3", preset="spoons")
    table.sitting.playing("1", "2", "3")
    table.said()
    table.sitting.press("1").wait(100 * MS)
    assert table.said() == voiced("press")
    assert not table.uttered[-1].follows
    assert table.said() is None
