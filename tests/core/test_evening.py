"""Another evening: the lobby offers to resume, to start a rematch, or to seat another table."""

from __future__ import annotations

import pytest

from referee.core.match.engine import Engine
from referee.core.model.events import Began, Cleared, Continued, Rematched
from referee.core.model.table import Setup
from referee.core.model.view import LobbyScreen, MenuScreen, ReadyScreen, StandingsScreen
from referee.core.units import MS, S
from tests.core.evenings import NAMES, counted, remembered
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")
NIGHT_S = 20 * 3600


def evening(lake: int = 20, **options: object) -> Sitting:
    """Return a table after a hand of three people and a night without power."""
    table = Sitting(Setup(options=tuple(options.items()), stations=("1", "2", "3", "4"), names=NAMES))
    counted(table.playing(*THREE), "1", lake, "2", "3").wait(BREATH_NS)
    return table.power_cut(away_s=NIGHT_S).wait(BREATH_NS)


def items(table: Sitting) -> tuple[str, ...]:
    return all_en(table.screen(MenuScreen).items)


def names(table: Sitting) -> list[str | None]:
    return [seat.name for seat in table.screen(LobbyScreen).seats]


def test_the_lobby_offers_to_go_on() -> None:
    table = evening()
    assert names(table) == ["Anna", "Ben", "Max", None]
    assert en(table.screen(LobbyScreen).hint) == "PUSH: GO ON"
    assert items(table.push())[:3] == ("Resume 20:10:10", "Rematch", "Other table")
    table.push()
    assert len(table.decisions(Continued)) == 1
    assert table.wait(5 * S).screen(ReadyScreen).hand == 2
    counted(table.playing(*THREE), "2", 30, "1", "3")
    (record,) = remembered(table)
    assert record is not None
    assert record.totals == {"Anna": 30, "Ben": 40, "Max": 20}
    assert Engine.restored(table.rows).state == table.engine.state


@pytest.mark.parametrize("away_s", [None, 3600])
def test_a_short_absence_asks_nothing(away_s: int | None) -> None:
    """Within an hour, or with an unreliable clock, READY returns."""
    table = Sitting(Setup(stations=("1", "2"))).playing("1", "2")
    assert counted(table, "1", 20, "2").power_cut(away_s=away_s).phase == "READY"


def test_a_rematch_with_the_same_people() -> None:
    table = evening().choose("Rematch")
    assert (len(table.decisions(Began)), len(table.decisions(Rematched))) == (1, 1)
    assert table.screen(ReadyScreen).hand == 1
    counted(table.playing(*THREE), "3", 30, "1", "2")
    first, second = remembered(table)
    assert first is not None
    assert second is not None
    assert (first.totals["Anna"], second.totals["Max"], len(second.hands)) == (20, 30, 1)
    table.choose("Undo: count").choose("Undo").choose("Undo: rematch").choose("Undo: rematch")
    assert items(table.push())[0] == "Resume 20:10:10"
    table.push().wait(5 * S)
    assert table.screen(ReadyScreen).hand == 2


def test_other_people_or_one_more() -> None:
    table = evening().tap("4").push()
    assert items(table)[:2] == ("Resume 20:10:10", "Start: 4 teams")
    table.push().wait(5 * S)
    assert [line.label.name for line in table.screen(ReadyScreen).lines] == ["Anna", "Ben", "Max"]
    table.wait(BREATH_NS).tap("4")
    assert items(table) == ("4 joins at 10", "Back")


def test_another_table() -> None:
    table = evening().choose("Other table")
    assert len(table.decisions(Cleared)) == 1
    assert names(table) == [None] * 4
    assert items(table.tap("3", "4").wait(6 * S).push())[0] == "Start: 2 teams"
    table.push()
    counted(table.wait(BREATH_NS).playing("3", "4"), "4", 30, "3")
    first, second = remembered(table)
    assert first is not None
    assert second is not None
    assert ([t.name for t in first.teams], [t.name for t in second.teams]) == (["Anna", "Ben", "Max"], ["Max", "Lea"])


def test_what_is_set_for_the_device_holds_for_the_resumed_match_and_rules_stay_its_own() -> None:
    table = evening().choose("Sound").choose("Volume").turn(-1).push().choose("Back")
    table.choose("House rules").choose("Target").turn(1).push().choose("Back").choose("Resume").wait(5 * S)
    assert (table.view.volume_percent, table.screen(ReadyScreen).target) == (50, 100)


def test_turning_brings_the_standings_back() -> None:
    table = evening().choose("Resume").wait(5 * S)
    assert isinstance(table.view.screen, ReadyScreen)
    assert isinstance(table.turn(1).view.screen, StandingsScreen)
    assert isinstance(table.turn(-1).wait(1 * MS).view.screen, ReadyScreen)
    table.turn(1).wait(5 * S)
    assert isinstance(table.view.screen, ReadyScreen)
    assert isinstance(Sitting(Setup(stations=("1", "2"))).seated("1", "2").turn(1).view.screen, ReadyScreen)


@pytest.mark.parametrize("counting", [False, True])
def test_power_back_asks_whether_the_hand_is_void(counting: bool) -> None:
    table = Sitting(Setup(stations=("1", "2"))).playing("1", "2")
    table = table.press("1").wait(6 * S) if counting else table
    table.power_cut().wait(BREATH_NS).choose("Void hand").wait(BREATH_NS).hold("1", "2")
    assert table.phase == "POWER_BACK"
    table.choose("Void hand").wait(BREATH_NS).tap("1", "2")
    assert (table.phase, table.screen(ReadyScreen).hand) == ("READY", 1)
    table.choose("Undo: void")
    assert table.phase == ("COUNTING" if counting else "TIMEOUT")
