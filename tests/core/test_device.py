"""The lobby's "Device" list: a test of every button, and the page's address."""

from __future__ import annotations

import pytest

from referee.core.match.engine import Engine
from referee.core.model.events import Left, Linked
from referee.core.model.table import Setup
from referee.core.model.view import LobbyScreen, MenuScreen, PhonesScreen, WifiScreen
from referee.core.phases.device import CheckScreen, OffScreen
from referee.core.units import S
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en


def lobby() -> Sitting:
    return Sitting(Setup(stations=("1", "2", "3"))).tap("1").wait(6 * S)


def pressed(table: Sitting) -> list[bool]:
    """Return the buttons that the display has ticked."""
    return [done for _, done in table.screen(CheckScreen).seats]


def test_every_button_blinks_until_it_has_been_pressed() -> None:
    table = lobby().choose("Device").choose("Check")
    assert (pressed(table), table.lit) == ([False] * 3, "slow slow slow")
    table.heard()
    table.tap("2", "2").turn(2).turn(-5)
    assert (pressed(table), table.screen(CheckScreen).turned) == ([False, True, False], -3)
    assert (table.lit, table.heard()) == ("slow steady slow", ["beat", "beat"])
    table.push()
    assert (table.phase, en(table.view.toast)) == ("LOBBY", None)
    assert [seat.name for seat in table.screen(LobbyScreen).seats] == ["Red", None, None]


def test_when_all_work_it_is_said() -> None:
    table = lobby().choose("Device").choose("Check").tap("1", "2", "3").wait(59 * S)
    assert pressed(table) == [True] * 3
    assert table.wait(2 * S).phase == "LOBBY"
    assert en(table.view.toast) == "ALL BUTTONS WORK"
    assert Engine.restored(table.rows).state == table.engine.state


def test_the_page_s_address_is_shown_while_there_is_one() -> None:
    table = lobby()
    assert all_en(table.choose("Device").screen(MenuScreen).items) == ("Check", "Off", "Back")
    table.choose("Back").engine.intake([Linked(table.now_ns, "page:http://192.168.178.123:8080", True)], table.now_ns)
    table.choose("Device").choose("Address")
    assert all_en(table.screen(MenuScreen).items) == ("192.168.178.123", "Port 8080")
    table.push().engine.intake([Linked(table.now_ns, "page:http://192.168.178.123:8080", False)], table.now_ns)
    assert all_en(table.choose("Device").screen(MenuScreen).items) == ("Check", "Off", "Back")


def test_a_push_opens_the_own_network_and_the_next_one_shows_how_phones_pair() -> None:
    table = lobby()
    table.engine.intake([Linked(table.now_ns, "page:http://10.42.0.1:8080", True)], table.now_ns)
    assert "Wi-Fi" not in all_en(table.choose("Device").screen(MenuScreen).items)
    table.choose("Back").engine.intake([Linked(table.now_ns, "wifi:", True)], table.now_ns)
    table.choose("Device").choose("Wi-Fi")
    assert all_en(table.screen(MenuScreen).items) == ("Own network", "Home network", "Off", "Back")
    assert table.choose("Own network").screen(WifiScreen) == WifiScreen("own")
    assert table.push().screen(PhonesScreen).address == "http://10.42.0.1:8080"
    assert table.push().screen(LobbyScreen)
    assert Engine.restored(table.rows).state == table.engine.state


@pytest.mark.parametrize(("line", "choice"), [("Home network", "home"), ("Off", "off"), ("Own network", "own")])
def test_after_a_choice_for_the_wi_fi_a_push_returns_to_the_lobby(line: str, choice: str) -> None:
    table = lobby()
    table.engine.intake([Linked(table.now_ns, "wifi:", True)], table.now_ns)
    assert table.choose("Device").choose("Wi-Fi").choose(line).screen(WifiScreen).choice == choice
    assert table.push().screen(LobbyScreen)
    table.engine.intake([Linked(table.now_ns, "wifi:", False)], table.now_ns)
    assert all_en(table.choose("Device").screen(MenuScreen).items) == ("Check", "Off", "Back")


def test_the_device_is_switched_off_by_a_second_push() -> None:
    table = lobby().choose("Device").choose("Off")
    menu = table.screen(MenuScreen)
    assert (en(menu.title), all_en(menu.items), table.phase) == ("SWITCH OFF?", ("Switch off", "Back"), "LOBBY")
    assert table.choose("Back").phase == "LOBBY"
    table.choose("Device").choose("Off").heard()
    assert table.push().phase == "LOBBY"
    table.choose("Switch off")
    assert table.screen(OffScreen).unplug_s == 15
    assert (table.phase, table.lit, table.heard()) == ("OFF", "dark dark dark", ["hush"])
    assert table.tap("1", "2").hold("3").turn(2).push().wait(2 * S).phase == "OFF"
    assert (table.lit, table.heard()) == ("dark dark dark", [])


def test_whoever_switches_it_on_again_finds_the_lobby_as_it_was() -> None:
    table = lobby().choose("Device").choose("Off").choose("Switch off")
    table.heard()
    table.power_cut(away_s=80_000)
    assert (table.phase, table.view.toast, table.heard()) == ("LOBBY", None, [])
    assert [seat.name for seat in table.screen(LobbyScreen).seats] == ["Red", None, None]
    assert table.tap("2").screen(LobbyScreen).teams == 2
    assert Engine.restored(table.rows).state == table.engine.state


def test_a_button_that_is_held_as_the_check_ends_makes_nobody_leave() -> None:
    table = Sitting().tap("1", "2").choose("Device").choose("Check").wait(BREATH_NS)
    assert table.close("1").push().phase == "LOBBY"
    assert not table.wait(4 * S).decisions(Left)
    table.open("1").press("1", ns=3 * S)
    assert [left.station for left in table.decisions(Left)] == ["1"]


def test_a_push_opens_no_list_once_the_device_is_off() -> None:
    table = Sitting().tap("1", "2").choose("Start").wait(BREATH_NS).choose("Undo").wait(BREATH_NS)
    table.choose("Device").choose("Off").choose("Switch off").wait(BREATH_NS).push()
    assert table.screen(OffScreen)


def test_after_a_power_cut_the_lobby_is_back() -> None:
    assert lobby().choose("Device").choose("Check").power_cut().phase == "LOBBY"


def test_own_network_has_a_link_that_phones_join_by() -> None:
    own = WifiScreen("own", name="Table 42", password="k7q4xm2p9r")
    assert own.link == "WIFI:T:WPA;S:Table 42;P:k7q4xm2p9r;;"
