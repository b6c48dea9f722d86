"""Phones at the table: the pairing code, seats, names, counts and refusals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.match.engine import Engine
from referee.core.model.events import Joined, Left, Linked, Named, PhoneCounted, PhoneSat
from referee.core.model.table import Setup
from referee.core.model.view import (
    CardScreen,
    CountScreen,
    LobbyScreen,
    MenuScreen,
    OverScreen,
    PhoneLine,
    PhonesScreen,
)
from referee.core.phases.phones import PHONES_NS, phone_at, refusal, seat_of, worth_of
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.games.thirtyone.table import Thirtyone
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_trouble import over
from tests.english import all_en, en

PAGE = "http://referee.local:8080/"
FOUR = ("1", "2", "3", "4")


def table_of(preset: str = "nna", **options: object) -> Sitting:
    """Return an empty table with a served page."""
    table = Sitting(Setup(preset, options=tuple(options.items()), stations=FOUR))
    return fed(table, Linked(table.now_ns, f"page:{PAGE}", True))


def fed(table: Sitting, *facts: Linked | PhoneSat | PhoneCounted) -> Sitting:
    """Feed the facts, in order, now."""
    table.engine.intake(list(facts), table.now_ns)
    table._collect()
    return table


def sits(table: Sitting, phone: str, station: str, name: str) -> str:
    """Take the seat by that phone. Return the reason for a refusal, or ""."""
    asked = PhoneSat(table.now_ns, phone, station, name)
    why = refusal(table.engine.state, asked)
    before = table.engine.state
    fed(table, asked)
    if why is not None:
        assert (table.engine.state.table, table.engine.state.phones) == (before.table, before.phones)
    return en(why) or ""


def counts(table: Sitting, phone: str, team: str, *numbers: int) -> str:
    """Enter the team's count by that phone. Return the reason for a refusal, or ""."""
    asked = PhoneCounted(table.now_ns, phone, team, numbers)
    why = refusal(table.engine.state, asked)
    before = table.engine.state.phase
    fed(table, asked)
    if why is not None:
        assert table.engine.state.phase == before
    return en(why) or ""


def names(table: Sitting) -> list[str | None]:
    return [seat.name for seat in table.engine.state.table.seats]


def replayed(table: Sitting) -> Sitting:
    """Check that the journal restores the same state, in both ways."""
    assert Engine.restored(table.chapter).state == table.engine.state
    assert Engine.derived(table.chapter).state == table.engine.state
    return table


# -- the code at the knob ------------------------------------------------------------------------------------------


def test_the_code_is_shown_by_the_knob_until_a_push_or_two_minutes() -> None:
    table = table_of().choose("Phones")
    assert (table.screen(PhonesScreen).address, table.screen(PhonesScreen).code) == (PAGE, "")
    table.tap("2").turn(3).wait(PHONES_NS - 10 * S)
    assert isinstance(table.view.screen, PhonesScreen)
    assert [seat.name for seat in table.screen(PhonesScreen).seats] == [None, "Blue", None, None]
    assert isinstance(table.wait(10 * S).view.screen, LobbyScreen)
    assert isinstance(table.choose("Phones").push().view.screen, LobbyScreen)


def test_the_end_of_a_match_offers_its_card_where_there_is_a_page() -> None:
    table = over()
    table.push()
    assert "Card to scan" not in all_en(table.screen(MenuScreen).items)
    table.choose("Back")
    fed(table, Linked(table.now_ns, f"page:{PAGE} http://10.0.0.5:8080/", True)).choose("Card to scan")
    assert table.screen(CardScreen).link == f"{PAGE}history/last"
    assert isinstance(table.push().view.screen, OverScreen)
    fed(table, Linked(table.now_ns, f"page:{PAGE}", False)).push()
    assert "Phones" not in all_en(table.screen(MenuScreen).items)


# -- seats and names -----------------------------------------------------------------------------------------------


def test_a_phone_takes_a_seat_under_a_name() -> None:
    table = table_of()
    assert sits(table, "phone-1", "3", " <script>alert(1)</script> ") == ""
    assert table.decisions(Joined) == [Joined(table.now_ns, "3", "<script>alert(1)</script>")]
    assert [fact.phone for fact in table.decisions(PhoneSat)] == ["phone-1"]
    assert table.view.phones == (PhoneLine("phone-1", 3),)
    replayed(table)


def test_worth_of_a_count_changes_nothing() -> None:
    table = Sitting()
    entered = PhoneCounted(table.now_ns, "phone-1", "2", (4, 28))
    assert worth_of(table.engine.state, entered) is None
    table.counting("1", "1", "2")
    before = table.engine.state
    for numbers, points in (((4, 28), 20), ((13, 45), None), ((1, 2, 3), None)):
        assert worth_of(before, replace(entered, numbers=numbers)) == points
    assert table.engine.state is before


def test_worth_of_a_caller_includes_the_bonus() -> None:
    table = table_of("pagat25").counting("1", "1", "2")
    caller = PhoneCounted(table.now_ns, "phone-1", "1", (0, 12))
    assert worth_of(table.engine.state, caller) == 12 + 25


def test_forgotten_phone_speaks_for_nobody() -> None:
    table = table_of()
    sits(table, "phone-1", "1", "Anna")
    sits(table, "phone-2", "2", "Ben")
    fed(table, Linked(table.now_ns, "phone:phone-2", False))
    assert (names(table)[:2], table.view.phones) == (["Anna", "Ben"], (PhoneLine("phone-1", 1),))
    assert sits(table, "phone-3", "2", "Ben") == ""
    assert table.view.phones[1:] == (PhoneLine("phone-3", 2),)
    replayed(table)


def test_a_turn_of_the_knob_leaves_a_name_alone_that_a_phone_has_given() -> None:
    table = table_of()
    assert sits(table, "phone-1", "1", "José") == ""
    table.turn(1).turn(-1)
    assert names(table) == ["José", None, None, None]
    table.tap("2")
    for name in ("Zoë", "Zoë", "Ğülşen"):
        assert sits(table, "phone-2", "2", name) == ""
        table.turn(1).turn(-1)
        assert names(table)[1] == name
    table.tap("3").turn(-1).push().turn(3)
    assert sits(table, "phone-3", "3", "Pia") == ""
    table.turn(1)
    assert names(table)[2] == "Pia"
    table.tap("4").turn(1)
    assert [fact.station for fact in table.decisions(Named)][-1] == "4"
    replayed(table)


def test_two_phones_never_fight_for_a_seat_silently() -> None:
    table = table_of()
    assert sits(table, "phone-1", "2", "Ben") == ""
    assert sits(table, "phone-2", "2", "Max") == "2 IS Ben'S"
    assert sits(table, "phone-1", "4", "Ben") == ""
    assert (table.decisions(Left)[0].station, names(table)) == ("2", [None, None, None, "Ben"])
    assert sits(table, "phone-2", "2", "Max") == ""
    assert (seat_of(table.engine.state, "phone-1"), phone_at(table.engine.state, "2")) == ("4", "phone-2")
    replayed(table)


def test_in_a_match_a_phone_renames_its_own_seat_and_takes_no_other() -> None:
    table = table_of()
    sits(table, "phone-1", "1", "Anna")
    table.seated("2").wait(BREATH_NS)
    assert sits(table, "phone-1", "1", "Anne") == ""
    assert sits(table, "phone-1", "2", "Anne") == "YOU SIT AT 1"
    assert sits(table, "phone-2", "4", "Lea") == "PRESS BUTTON 4"
    assert sits(table, "phone-2", "9", "Lea") == "NAMES: BETWEEN HANDS"
    assert names(table) == ["Anne", "Blue", None, None]
    table.playing("1", "2")
    assert sits(table, "phone-1", "1", "Anna") == "NAMES: BETWEEN HANDS"
    replayed(table)


def test_an_undo_and_a_power_cut_leave_the_phones_as_they_are() -> None:
    table = table_of()
    sits(table, "phone-1", "1", "Anna")
    table.seated("2").wait(BREATH_NS).choose("Undo: start").wait(1 * S)
    assert (table.phase, table.view.phones) == ("LOBBY", (PhoneLine("phone-1", 1),))
    assert table.power_cut().view.phones == (PhoneLine("phone-1", 1),)
    assert table.reopened().power_cut().view.phones == (PhoneLine("phone-1", 1),)


def test_the_table_forgets_every_phone_by_a_second_push() -> None:
    table = table_of()
    sits(table, "phone-1", "1", "Anna")
    table.choose("Device").choose("Forget phones")
    assert (en(table.screen(MenuScreen).title), table.view.revoked) == ("FORGET PHONES?", 0)
    table.choose("Forget all")
    assert (en(table.view.toast), table.view.phones, names(table)[0]) == ("PHONES FORGOTTEN", (), "Anna")
    assert table.view.revoked > 0
    assert sits(table, "phone-2", "1", "Max") == ""
    replayed(table)


# -- counts --------------------------------------------------------------------------------------------------------


def test_a_phone_writes_beside_the_buttons_and_the_last_writer_is_shown() -> None:
    table = table_of().counting("1", "1", "2").taps("2", 3)
    assert table.screen(CountScreen).cells[1].pen == "2"
    assert counts(table, "phone-2", "2", 5, 17) == ""
    cell = table.screen(CountScreen).cells[1]
    assert (cell.done, cell.fields, cell.pen) == (True, ("5", "1", "7"), "phone-2")
    table.hold("2")
    assert (table.screen(CountScreen).cells[1].pen, table.screen(CountScreen).cells[1].done) == ("2", True)
    table.hold("2").tap("2")
    assert table.screen(CountScreen).cells[1].fields[0] == "6"
    replayed(table)


@pytest.mark.parametrize(
    ("team", "numbers", "sentence"),
    [
        ("2", (13, 45), "13+45? YOU HAVE 52"),
        ("2", (4, 60), "60 > 59"),
        ("2", (-1, 9), "-1 < 0"),
        ("1", (1, 9), "1 > 0"),
        ("2", (4,), "2 NUMBERS NEEDED"),
        ("3", (4, 9), "NOTHING TO COUNT"),
    ],
)
def test_an_impossible_count_is_refused_by_the_same_sentence(team: str, numbers: Sequence[int], sentence: str) -> None:
    table = table_of().counting("1", "1", "2")
    assert counts(table, "phone-2", team, *numbers) == sentence


@given(st.integers(-5, 20), st.integers(-5, 80))
def test_whatever_a_phone_says_is_a_possible_count_or_changes_nothing(left: int, lake: int) -> None:
    table = table_of().counting("1", "1", "2")
    if counts(table, "phone-2", "2", left, lake) == "":
        fields = table.screen(CountScreen).cells[1].fields
        assert [int(sign or "") for sign in fields] == [left, *divmod(lake, 10)]
        assert 0 <= left <= 13
        assert 0 <= lake + left <= 52


def test_thirty_one_s_values_are_counted_by_phone_too() -> None:
    setup = Setup("31", options=(("three_of_a_kind", "30.5"),), stations=FOUR)
    table = Thirtyone(setup).seated("1", "2").dealt().knocks().done(1).rested()
    assert worth_of(table.engine.state, PhoneCounted(table.now_ns, "phone-1", "1", (30, 0))) is None  # it costs lives
    assert counts(table, "phone-1", "1", 21, 1) == counts(table, "phone-1", "1", 20, 1) == "ONLY 30½ HAS A HALF"
    assert counts(table, "phone-1", "1", 40, 0) == "40 > 39"
    assert counts(table, "phone-1", "1", 30, 1) == ""
    assert table.screen(CountScreen).cells[0].fields == ("3", "0", "½")


@pytest.mark.parametrize("preset", ["nna", "spoons"])
def test_a_press_beside_the_code_in_a_time_out_says_that_nobody_can_call(preset: str) -> None:
    table = table_of(preset).playing("1", "2").press(KNOB, ns=400 * MS).choose("Phones").press("2")
    assert isinstance(table.view.screen, PhonesScreen)
    assert en(table.view.toast) == "TIME OUT: NO CALLS"


def test_a_name_that_can_be_none_is_refused() -> None:
    table = table_of()
    for name in ("", "   ", "x" * 65, "a\u202eb", "a\nb"):
        assert sits(table, "phone-1", "1", name) == "1 TO 64 LETTERS"
    assert sits(table, "phone-1", "1", "x" * 64) == ""
