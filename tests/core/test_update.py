"""A newer version is offered in the lobby only, and a held knob installs it."""

from __future__ import annotations

from referee.core.match.engine import Engine
from referee.core.model.events import Linked, PhoneSat, PhoneStarted
from referee.core.model.view import LobbyScreen
from referee.core.phases.update import KINDS, OfferScreen, Said, UpdateScreen
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.sitting import Sitting


def hear(table: Sitting, version: str) -> Sitting:
    """Report a newer version, as the device does; "" if it could not be installed."""
    table.engine.intake([Linked(table.now_ns, f"update:{version}", bool(version))], table.now_ns)
    table._collect()
    return table


def offered() -> Sitting:
    return hear(Sitting().tap("1").wait(6 * S), "0.2.0")


def test_a_held_knob_installs_it() -> None:
    table = offered()
    assert (table.phase, table.screen(OfferScreen).version) == ("OFFER", "0.2.0")
    table.press("knob", ns=700 * MS)
    assert table.phase == "OFFER"
    table.press("knob", ns=900 * MS)
    assert (table.phase, table.screen(UpdateScreen).version) == ("UPDATE", "0.2.0")
    assert table.tap("1", "2").hold("3").turn(2).push().wait(20 * S).phase == "UPDATE"
    assert hear(table, "0.3.0").phase == "LOBBY"


def test_a_turn_a_tap_or_a_phone_returns_to_the_lobby() -> None:
    assert offered().wait(600 * S).phase == "OFFER"
    assert offered().turn(1).phase == "LOBBY"
    table = offered().tap("2")
    for fact in (PhoneSat(table.now_ns, "phone-1", "3", "Max"), PhoneStarted(table.now_ns, "phone-1")):
        hear(table.wait(6 * S), "0.2.0").engine.intake([replace(fact, at_ns=table.now_ns)], table.now_ns)
        table._collect()
    assert table.phase == "READY"
    table = offered().tap("2")
    assert (table.phase, table.screen(LobbyScreen).teams) == ("LOBBY", 2)
    assert Engine.restored(table.rows).state == table.engine.state


def test_it_is_not_offered_while_the_knob_is_used_or_a_match_is_played() -> None:
    assert hear(Sitting().tap("1"), "0.2.0").phase == "LOBBY"  # the knob names the player
    assert hear(Sitting().tap("1").wait(6 * S).push(), "0.2.0").phase == "LOBBY"
    assert hear(Sitting().tap("1", "2").choose("Start"), "0.2.0").phase == "READY"


def test_another_file_replaces_the_offer() -> None:
    assert hear(offered(), "0.3.0").screen(OfferScreen).version == "0.3.0"
    assert hear(offered(), "").phase == "LOBBY"
    assert hear(Sitting(), "").phase == "LOBBY"


def test_the_lobby_is_back_after_the_restart_or_when_it_fails() -> None:
    table = offered().press("knob", ns=900 * MS)
    table.power_cut(away_s=20)
    assert (table.phase, table.view.toast) == ("LOBBY", None)
    assert next(seat.name for seat in table.screen(LobbyScreen).seats) == "Red"
    assert hear(offered().press("knob", ns=900 * MS), "").phase == "LOBBY"
    assert offered().press("knob", ns=900 * MS).wait(1501 * S).phase == "LOBBY"
    assert offered().power_cut().phase == "LOBBY"


def test_what_the_update_program_says_is_an_offer_or_a_note() -> None:
    offer = Said("offer", "0.2.0-verylong", "boot", 1)
    assert (offer.offered, offer.note) == ("0.2.0-very", None)
    for kind in KINDS:
        said = replace(offer, kind=kind)
        assert said.offered == ""
        assert said.note is not None
