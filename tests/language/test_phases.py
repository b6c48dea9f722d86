"""Display, page and screen reader say the same, in every language, in every phase of every game of the registry.

The phases are the transition table's, so a new one without an example fails here. Examples are the tapes' evenings and
the stories below, looked at after each gesture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from referee.core.match.transition_table import rows
from referee.core.model.registry import all_games, game_named, game_of, presets
from referee.core.model.state import Setup
from referee.core.model.transitions import CountedGame, Game
from referee.core.model.view import MenuScreen, View
from referee.core.phases.counting import Counting
from referee.core.phases.fixing import Fixing
from referee.core.phases.race import Race
from referee.core.units import S
from referee.core.values import replace
from referee.language.catalogue import LANGUAGES
from referee.language.speech import phase_name, speech_of
from referee.language.told import BY_KEY
from referee.language.words import DISPLAY, SPEECH, Word, speaking, spoken
from referee.screens import render
from referee.web.face import face_of
from referee.web.feed import Snapshot
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, Sitting
from tests.tapes.play import Play
from tests.tapes.tape import names, read

GAMES = all_games()
PEOPLE = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))
COUNTS = {Counting.name, Fixing.name}
"""Phases of games whose hands are counted; the shared rows have them everywhere."""

# -- the examples --------------------------------------------------------------------------------------------------


SEEN: dict[Game, dict[tuple[str, str], View]] = {game: {} for game in GAMES}
"""Game -> a view of each phase with each of its screens."""


def lobby(preset: str) -> Sitting:
    return Sitting(Setup(preset, (), ("1", "2", "3"), PEOPLE)).tap("1", "2", "3")


def device(preset: str) -> None:
    """The buttons are checked, and the device is switched off."""
    lobby(preset).choose("Device").choose("Check").press("1").push()
    lobby(preset).choose("Device").choose("Off").choose("Switch off")


def agreeing(preset: str) -> None:
    """All are asked what they play, and one has tapped."""
    Sitting(Setup(preset, (), ("1", "2", "3"), PEOPLE, agreement=True)).tap("1", "2", "3").seated().tap("1")


def interrupted(preset: str) -> None:
    """A pause in the hand, and a power cut."""
    table = lobby(preset).seated().tap("1", "2", "3").wait(6 * BREATH_NS)
    if isinstance(table.engine.state.phase, Race):
        table.close("knob").wait(BREATH_NS).open("knob")
    else:
        table.choose("Time out")
    table.power_cut().wait(BREATH_NS)


def without_race() -> None:
    """What the game of turns has of its own: a knock, values, a 31 that is declared."""
    counted = table_of_31(3).dealt().knocks().done().done().values({"1": 20, "2": 25, "3": 30})
    counted.wait(9 * S).choose("Fix counts")
    table = table_of_31(3).dealt().declares("1").wait(16 * S)
    table.wait(9 * S)
    table.choose("More").choose("End match").wait(BREATH_NS).tap("1", "2", "3")
    for _ in range(4):
        table.wait(20 * S)


@cache
def examples(game: Game) -> dict[tuple[str, str], View]:
    """A view of each phase with each of its screens: all that the tapes and the stories come by."""
    collect = Sitting._collect

    def watched(table: Sitting) -> None:
        collect(table)
        view = table.view
        SEEN[game_of(table.engine.state.table)].setdefault((table.phase, type(view.screen).__name__), view)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sitting, "_collect", watched)
        for name in names():
            Play(read(name)).run()
        for one in GAMES:
            preset = next(preset for preset in presets() if game_named(preset) is one)
            device(preset)
            agreeing(preset)
            interrupted(preset)
        without_race()
    return SEEN[game]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_every_phase_has_an_example(game: Game) -> None:
    phases = {phase.name for phase, _ in rows(game)} - (set() if isinstance(game, CountedGame) else COUNTS)
    assert phases - {phase for phase, _ in examples(game)} == set()


# -- what each of them says ----------------------------------------------------------------------------------------


def heard(say: Callable[[], Any], patch: pytest.MonkeyPatch) -> set[tuple[str, str, str, str]]:
    """The (language, place, key, text) of every word that is said there."""
    said, call = set(), Word.__call__

    def noted(word: Word, /, **values: object) -> str:
        text = call(word, **values)
        said.add((spoken(), word.place, word.key, text.casefold()))
        return text

    with patch.context() as now:
        now.setattr(Word, "__call__", noted)
        say()
    return said


def page_of(view: View) -> dict[str, Any]:
    """What the page's script is sent, and what other programs read."""
    snapshot = Snapshot(view, render(view, language=view.language).image.tobytes())
    return {**face_of(snapshot), "document": snapshot.document}


def turned(view: View) -> Iterator[View]:
    """The view, and of a list the view at each line to which the knob can be turned from it."""
    yield view
    if isinstance(view.screen, MenuScreen):
        for cursor in range(len(view.screen.items)):
            yield replace(view, screen=replace(view.screen, cursor=cursor))


every = pytest.mark.parametrize("language", LANGUAGES)
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)


@every
@each_game
def test_what_the_display_says_is_spoken_and_the_page_has_both(
    game: Game, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the table's language and no other; each message of the core that is written is also spoken.

    A list is written with the lines above and below the cursor; each of them is spoken when the knob comes to it.
    """
    for view in (replace(view, language=language) for view in examples(game).values()):
        written = heard(lambda view=view: render(view, language=language), monkeypatch)  # type: ignore[misc]
        read = heard(lambda view=view: [*map(speech_of, turned(view))], monkeypatch)  # type: ignore[misc]
        sentences = " ".join(map(speech_of, turned(view))).casefold()
        sent = heard(lambda view=view: page_of(view), monkeypatch)  # type: ignore[misc]
        assert {said[0] for said in written | read | sent} <= {language}
        of_the_core = {key for _, place, key, _ in written if place != DISPLAY and key in BY_KEY}
        spoken_keys = {key for _, place, key, text in read if place == SPEECH and text in sentences}
        assert of_the_core <= spoken_keys, view.screen
        page = page_of(view)
        with speaking(language, rounds=view.rounds):
            assert page["phase"] == phase_name(view.phase)
        assert page["language"] == page["document"]["language"] == language
        assert page["words"] == speech_of(view) != ""
