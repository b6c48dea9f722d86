"""The knob's lists: few lines a level, a way back, and nothing dangerous near a push."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.core.messages import Msg, msg
from referee.core.model.events import Undone
from referee.core.model.menu import MOST_LINES, Back
from referee.core.model.registry import presets
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import CountScreen, LobbyScreen, MenuScreen, NameScreen, StandingsScreen
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.evenings import counted
from tests.core.lists import MOST_PUSHES, enders, levels, top
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")
TWELVE = tuple(map(str, range(1, 13)))


def check_lists(state: State) -> int:
    """Check every list that can be opened from here; return the number of lists."""
    found = 0
    for path, menu in levels(state, top(state)):
        texts = all_en([line.text for line in menu.items])
        assert len(texts) <= MOST_LINES, texts
        assert len(path) <= MOST_PUSHES, [en(line.text) for line in path]
        assert not path or isinstance(menu.items[-1].action, Back), texts
        start = next(n for n, line in enumerate(menu.items) if not line.action.upsets)
        assert not enders(menu.items[max(start - 1, 0) : start + 2]), texts
        found += 1
    return found


@pytest.mark.parametrize(("preset", "stations"), [*((preset, THREE) for preset in presets()), ("nna", TWELVE)])
def test_every_line_is_three_pushes_away_in_a_list_of_eight(preset: str, stations: tuple[str, ...]) -> None:
    table = Sitting(Setup(preset, stations=(*stations, "13"))).tap(*stations)
    assert check_lists(table.engine.state) > 5
    check_lists(table.choose("Start").wait(BREATH_NS).engine.state)
    table.tap(*stations).wait(8 * S)
    assert table.phase == "PLAYING"
    table.press(KNOB, ns=400 * MS)
    if table.phase == "PLAYING":
        table.choose("Time out")
    assert table.phase == "TIMEOUT"
    assert check_lists(table.engine.state) > 5


def counting() -> Sitting:
    """Return a count in which 2 has tapped twice instead of once."""
    return Sitting(Setup(stations=THREE)).counting("1", *THREE).taps("2", 2)


def digit(table: Sitting) -> str | None:
    return table.screen(CountScreen).cells[1].fields[0]


TASKS: dict[str, tuple[Callable[[], Sitting], list[Callable[[Sitting], object]], Callable[[Sitting], bool]]] = {
    "start": (lambda: Sitting().tap(*THREE), [Sitting.push, Sitting.push], lambda table: table.phase == "READY"),
    "take back a wrong tap in the count": (
        counting,
        [Sitting.push, lambda table: table.turn(2), Sitting.push],
        lambda table: digit(table) == "1",
    ),
    "time out": (
        lambda: Sitting().playing(*THREE),
        [lambda table: table.press(KNOB, ns=400 * MS)],
        lambda table: table.phase == "TIMEOUT",
    ),
    "who leads": (
        lambda: counted(Sitting(Setup(stations=THREE)).playing(*THREE), "1", 20, "2", "3").wait(9 * S),
        [lambda table: table.turn(1)],
        lambda table: isinstance(table.view.screen, StandingsScreen),
    ),
    "leave": (
        lambda: Sitting().tap(*THREE),
        [lambda table: table.press("3", ns=2100 * MS)],
        lambda table: [seat.name for seat in table.screen(LobbyScreen).seats][2] is None,
    ),
    "new name": (
        Sitting,
        [lambda table: table.tap("1"), lambda table: table.turn(-1), Sitting.push],
        lambda table: isinstance(table.view.screen, NameScreen),
    ),
}
"""What an eight-year-old does: where, by which actions, and what is then seen."""


@pytest.mark.parametrize("task", TASKS)
def test_a_child_s_task_takes_four_actions_at_most(task: str) -> None:
    begin, actions, done = TASKS[task]
    table = begin()
    assert len(actions) <= 4
    assert not done(table)
    for action in actions:
        action(table)
    assert done(table)


def test_a_tap_taken_back_too_late_changes_nothing() -> None:
    table = counting().push().turn(2).hold("2").push()
    assert digit(table) == "2"


def test_only_a_tap_of_an_open_field_is_taken_back() -> None:
    table = counting().choose("2 Blue -1").choose("2 Blue -1")
    assert digit(table) == "0"
    table.hold("2").push()
    assert not any(line.endswith("-1") for line in all_en(table.screen(MenuScreen).items))


def test_back_goes_up_one_level_to_the_line_that_led_down() -> None:
    table = Sitting().tap(*THREE).choose("Deal and cards")
    titles = ["Deal and cards", "More rules", "House rules"]
    for title, line in zip(titles, [*titles[:2], "House rules"], strict=True):
        assert en(table.screen(MenuScreen).title) == title
        table.choose("Back")
        assert en(table.screen(MenuScreen).items[table.screen(MenuScreen).cursor]) == line
    table.choose("Back")
    assert not isinstance(table.view.screen, MenuScreen)


def test_a_value_leaves_the_level_open_and_back_goes_up_from_there() -> None:
    table = Sitting().tap(*THREE).choose("Penalty").turn(1).push()
    assert en(table.screen(MenuScreen).title) == "Score and winner"
    assert en(table.choose("Back").screen(MenuScreen).title) == "More rules"


def test_back_in_a_time_out_leads_to_the_time_out() -> None:
    table = Sitting().playing(*THREE).press(KNOB, ns=400 * MS).choose("Sound, language").choose("Back")
    assert en(table.screen(MenuScreen).title) == "More"
    table.choose("Back")
    assert (en(table.screen(MenuScreen).title), table.screen(MenuScreen).big) == ("TIME OUT", True)


def test_an_undo_that_drops_the_hand_asks_again() -> None:
    table = Sitting().playing(*THREE).press(KNOB, ns=400 * MS).choose("Undo: start")
    assert en(table.screen(MenuScreen).title) == "LOSE THIS HAND?"
    assert table.push().phase == "TIMEOUT"
    assert not table.decisions(Undone)
    table.choose("Undo: start").choose("Undo: start")
    assert (len(table.decisions(Undone)), table.phase) == (1, "LOBBY")


def test_an_undo_within_the_hand_asks_nothing_and_can_be_redone_in_its_list() -> None:
    table = Sitting().playing(*THREE).press("1").wait(S).choose("False call").wait(BREATH_NS).tap("1").wait(5 * S)
    table.press(KNOB, ns=400 * MS).choose("Undo: ").wait(BREATH_NS)
    assert (len(table.decisions(Undone)), table.phase) == (1, "COUNTING")


def test_more_than_seven_players_go_on_under_more() -> None:
    table = Sitting(Setup(stations=TWELVE)).seated(*TWELVE).wait(BREATH_NS).choose("Players").choose("Name")
    assert len(table.screen(MenuScreen).items) == MOST_LINES
    assert all_en(table.screen(MenuScreen).items)[-2:] == ("More", "Back")
    screen = table.choose("12").screen(MenuScreen)
    assert (en(screen.items[screen.cursor])[:2], screen.value is None) == ("12", False)


def test_a_list_is_headed_by_what_it_is_for() -> None:
    lobby = Sitting().tap(*THREE).wait(BREATH_NS)
    assert lobby.push().screen(MenuScreen).title == msg("title.next_match")
    table = Sitting().seated(*THREE)
    assert table.push().screen(MenuScreen).title == msg("title.next_hand")
    called = Sitting().playing(*THREE).press("1").wait(1200 * MS)
    assert called.push().screen(MenuScreen).title == msg("title.what_wrong")


def test_the_lobby_offers_no_start_that_it_would_refuse() -> None:
    table = Sitting()
    for station, offered in (("1", False), ("2", True)):
        table.wait(BREATH_NS).tap(station).wait(6 * S)
        keys = [line.key for line in table.push().screen(MenuScreen).items if isinstance(line, Msg)]
        assert (keys[0] == "item.start") == offered
        table.choose("Back")


def test_undo_is_not_next_to_a_start_without_somebody() -> None:
    table = Sitting().seated(*THREE).wait(BREATH_NS).tap("1", "2")
    keys = [line.key for line in table.push().screen(MenuScreen).items if isinstance(line, Msg)]
    assert keys.index("item.start_without") - keys.index("item.undo") > 1
