"""After a restart the list asks whether the last match goes on."""

from __future__ import annotations

import pytest

from referee.core.model.events import Resumed
from referee.core.model.view import LobbyScreen, MenuScreen
from referee.core.units import S
from tests.core.sitting import Sitting
from tests.english import all_en


def asked(table: Sitting, *, asks: bool = True) -> Sitting:
    """Return the table 60 s after a restart that took 2 s."""
    at_ns = table.now_ns + 2 * S
    table.engine.intake([Resumed(at_ns, "boot-2", 2, (), asks)], at_ns)
    table.now_ns = at_ns
    table.wait(60 * S)
    return table


def lines(table: Sitting) -> tuple[str, ...]:
    screen = table.engine.view(table.now_ns).screen
    assert isinstance(screen, MenuScreen), screen
    return all_en(screen.items)


def test_in_mid_hand_the_hand_goes_on_or_others_sit_down() -> None:
    table = asked(Sitting().playing("1", "2"))
    assert lines(table) == ("Go on", "Undo: start", "Void hand", "Other table", "Back")
    table.turn(3)
    table.push()
    screen = table.engine.view(table.now_ns).screen
    assert isinstance(screen, LobbyScreen)
    assert not any(seat.name for seat in screen.seats)


def test_between_hands_the_lobby_asks() -> None:
    table = asked(Sitting().seated("1", "2"))
    assert table.engine.state.phase.name == "LOBBY"
    assert {"Other table"} < set(lines(table))


@pytest.mark.parametrize("table", [Sitting().seated("1", "2"), Sitting().playing("1", "2")])
def test_a_tap_at_the_list_says_that_the_knob_answers(table: Sitting) -> None:
    asked(table)
    assert table.engine.view(table.now_ns).toast is None
    toast = table.press("1").engine.view(table.now_ns).toast
    assert toast is not None
    assert toast.key == "toast.knob_asked"


@pytest.mark.parametrize("asks", [True, False])
def test_a_lobby_in_which_somebody_sits_asks_and_an_empty_one_does_not(asks: bool) -> None:
    table = Sitting()
    table.tap("1")
    assert isinstance(asked(table, asks=asks).engine.view(table.now_ns).screen, MenuScreen) is asks
    assert isinstance(asked(Sitting(), asks=asks).engine.view(table.now_ns).screen, LobbyScreen)
