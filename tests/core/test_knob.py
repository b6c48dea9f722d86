"""The knob alone: it enters counts, and its lists close by themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.core.model.events import Decision, Resumed
from referee.core.model.table import Setup
from referee.core.model.view import CountScreen, MenuScreen
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

TWO = ("1", "2")


def counting() -> Sitting:
    """Return a count of two teams; 1 has called and counted 28."""
    table = Sitting(Setup(stations=("1", "2", "3"))).counting("1", *TWO)
    return table.count("1", 0, 28, caller=True)


def digits(table: Sitting) -> list[str | None]:
    """Return the digits of team 2's cell."""
    return list(table.screen(CountScreen).cells[1].fields)


def test_the_knob_counts_for_a_button_that_cannot() -> None:
    table = counting().choose("Count by knob")
    assert all_en(table.screen(MenuScreen).items) == ("1 Red", "2 Blue", "Back")
    table.choose("2 Blue")
    assert table.screen(CountScreen).knob
    table.turn(3).turn(-4)
    assert digits(table) == ["13", None, None]
    table.push().turn(2).push().turn(-1).push()
    assert table.phase == "READY"


def test_a_refused_count_stays_with_the_knob() -> None:
    table = counting().choose("Count by knob").choose("2 Blue").turn(13).push().turn(4).push().turn(5).push()
    cell = table.screen(CountScreen).cells[1]
    assert (en(cell.refusal), cell.cursor) == ("13+45? YOU HAVE 52", 0)
    table.turn(1).push().push().push()
    assert table.phase == "READY"


def test_the_knob_opens_a_finished_count_again() -> None:
    table = counting().push().count("2", 4, 10).choose("Count by knob").choose("2 Blue").wait(10 * S)
    assert digits(table) == ["4", "1", "0"]
    table.turn(-1).push().push().push()
    assert table.wait(4 * S).phase == "READY"


def test_the_team_s_own_hold_takes_the_pen_from_the_knob() -> None:
    table = counting().choose("Count by knob").choose("2 Blue").turn(2).tap("2")
    assert digits(table) == ["2", None, None]
    table.hold("2").tap("2").turn(5)
    assert digits(table) == ["3", None, None]
    assert isinstance(table.push().view.screen, MenuScreen)


# -- lists that the device opens -------------------------------------------------------------------------------------


def a_newcomer() -> Sitting:
    """Return READY with the list "4 JOINS?" after a press of a free button."""
    return Sitting().seated("1", "2", "3").wait(BREATH_NS).close("4")


def a_start() -> Sitting:
    """Return a device just after a restart in mid-hand: Go on, Void hand, Other table."""
    table = Sitting().playing("1", "2")
    at_ns = table.now_ns + 2 * S
    table.engine.intake([Resumed(at_ns, "boot-2", 2, (), True)], at_ns)
    return table.wait(2 * S)


def an_offer() -> Sitting:
    """Return the contest just offered for a grey verdict; "Verdict stands" is first."""
    table = Sitting().playing("1", "2", "3").edges(("1", True, 0), ("2", True, 20_300_000)).wait(200 * MS)
    return table.open("1", "2").until(table.engine.state.phase.until_at_ns)  # type: ignore[attr-defined]


@pytest.mark.parametrize("opened", [a_newcomer, a_start, an_offer])
def test_a_push_that_was_on_its_way_as_the_device_opens_a_list_chooses_nothing(opened: Callable[[], Sitting]) -> None:
    """The push was meant for the previous screen. From 0.7 s on a push is an answer."""
    table = opened()
    asked, before = table.screen(MenuScreen), (table.phase, len(table.rows))
    table.wait(400 * MS).press(KNOB, ns=20 * MS)
    assert table.screen(MenuScreen) == asked
    assert table.view.invert
    assert (table.phase, [row for _, row in table.rows[before[1] :] if isinstance(row, Decision)]) == (
        before[0],
        [],
    )
    table.wait(BREATH_NS).push()
    assert not isinstance(table.view.screen, MenuScreen)
