"""The rulebook at the knob: a topic within two pushes, pages, no effect on the match."""

from __future__ import annotations

import pytest

from referee.core.match.engine import Engine
from referee.core.match.transition_table import lines, rows
from referee.core.model.registry import game_named, presets
from referee.core.model.state import Resting
from referee.core.model.table import Setup
from referee.core.model.transitions import CountedGame
from referee.core.model.view import LobbyScreen, MenuScreen, RuleScreen
from referee.core.phases.lobby import Lobby
from referee.core.phases.rulebook import ShowTopics
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.sitting import Sitting
from tests.english import all_en, en

BOOKS = tuple(preset for preset, game in presets().items() if game.RULEBOOK)


def lobby(preset: str = "nna", **options: object) -> Sitting:
    return Sitting(Setup(preset, options=tuple(options.items()), stations=("1", "2", "3")))


def paused(preset: str = "nna", **options: object) -> Sitting:
    return lobby(preset, **options).playing("1", "2").wait(30 * S).press(KNOB, ns=400 * MS)


def page(table: Sitting) -> str:
    return en(table.screen(RuleScreen).text)


def test_from_a_pause_an_answer_is_three_pushes_away() -> None:
    table = paused()
    stood = table.engine.state.phase
    before = len(table.rows)
    table.choose("Rulebook")
    assert all_en(table.screen(MenuScreen).items)[:2] == ("Stuck, stock", "The middle")
    table.push().push()
    assert page(table) == "All search their cards twice; nobody burns alone while others can play."
    screen = table.turn(1).screen(RuleScreen)
    assert (en(screen.title), screen.page, screen.pages, all_en(screen.sources)) == ("Nobody can move", 2, 7, ("NNA",))
    assert table.turn(-9).screen(RuleScreen).page == 1
    assert table.turn(99).screen(RuleScreen).page == 7
    menu = table.push().choose("Two cards").push().screen(MenuScreen)
    assert (en(menu.title), en(menu.items[menu.cursor])) == ("The middle", "Two cards at once")
    assert en(table.choose("Back").screen(MenuScreen).title) == "Rulebook"
    table.choose("Back")
    assert (table.phase, table.engine.state.phase) == ("TIMEOUT", stood)
    assert {type(event).__name__ for _, event in table.rows[before:]} <= {"Edge", "Tick", "Turned"}
    assert table.choose("Go on").wait(8 * S).phase == "PLAYING"


@pytest.mark.parametrize("preset", BOOKS)
def test_every_phase_in_which_people_wait_has_the_rulebook_in_its_list(preset: str) -> None:
    game = game_named(preset)
    waiting = {phase for phase, _ in rows(game) if issubclass(phase, (Resting, Lobby)) and phase.name}
    counted = {"COUNTING"} if isinstance(game, CountedGame) else set()
    assert {"READY", "TIMEOUT", "OVER", "LOBBY", *counted} <= {phase.name for phase in waiting}
    for phase in waiting:
        assert ShowTopics in {line.trigger for line in lines(game, phase) if line.text is not None}, phase.name


def test_a_page_stays_a_minute_and_its_list_goes_after_it() -> None:
    table = lobby().choose("Rulebook").choose("Handicap").wait(59 * S)
    assert page(table) == "None here."
    assert table.turn(1).wait(59 * S).screen(RuleScreen)
    assert table.wait(2 * S).screen(LobbyScreen)
    table.choose("Rulebook").choose("Handicap")
    assert Engine.restored(table.rows).state.phase == table.engine.state.phase
    assert table.power_cut().screen(LobbyScreen)
