"""Short labels for seats, teams and clocks on the display."""

from __future__ import annotations

import pytest

from referee.core.messages import Label
from referee.core.model.labels import (
    LOOSE_NS,
    clock_banner,
    coarse_ns,
    everyone,
    label_of,
    labels,
    menu_line,
    number,
    numbers_text,
    seat_label,
    seat_line,
    team_lines,
)
from referee.core.model.table import Seat, Setup, Table, Team
from referee.core.model.view import ClockLine
from referee.core.phases.lobby import seat_cells
from referee.core.units import MS
from tests.core.evenings import counted
from tests.core.sitting import Sitting
from tests.english import en


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([1, 2, 3, 4, 6, 8], "1-4,6,8"),
        ([5, 4, 3], "3-5"),
        ([7, 8], "7,8"),
        ([], ""),
        ([8, 1, 2, 4, 5, 7], "1,2,4,5,7,8"),
    ],
)
def test_seat_numbers_take_little_room(numbers: list[int], text: str) -> None:
    assert numbers_text(numbers) == text


def test_a_seat_s_number_is_the_one_on_its_cap() -> None:
    setup = Setup(stations=("1", "2", "6"))
    table = Table(setup, tuple(Seat(station) for station in setup.stations))
    assert [number(table, station) for station in setup.stations] == [1, 2, 6]
    other = Setup(stations=("north", "south"))
    assert number(Table(other, ()), "south") == 2


@pytest.mark.parametrize(("language", "called"), [("en", "Green"), ("de", "Grün"), ("it", "Verde")])
def test_a_pack_is_called_in_the_table_s_language_and_people_as_they_said(language: str, called: str) -> None:
    """The program's own names are stored once and shown in each language."""
    setup = Setup(stations=("1", "2", "3"), language=language)
    seats = (Seat("1", "Rosa"), Seat("2", "Green"), Seat("3"))
    table = Table(setup, seats)
    assert [seat_label(table, station).name for station in setup.stations] == ["Rosa", called, called]
    assert [cell.name for cell in seat_cells(table)] == ["Rosa", called, None]


def test_a_clock_is_told_in_steps_and_never_better_than_it_is() -> None:
    """Steps of 0.1 ms, rounded up."""
    assert [coarse_ns(ns) for ns in (1, 100_000, 100_001)] == [100_000, 100_000, 200_000]


def test_a_loose_clock_is_told_to_the_table() -> None:
    good, away = ClockLine("a", (1,), LOOSE_NS), ClockLine("b", (2,), None)
    knob, loose = ClockLine("c", (), 80 * MS), ClockLine("d", (5, 6), LOOSE_NS + 1)
    assert clock_banner([good, away, knob]) is None
    assert en(clock_banner([good, loose])) == "CLOCK 5,6 ±6 MS"
    assert en(clock_banner([loose, ClockLine("e", (7, 8), 12 * MS)])) == "CLOCK 7,8 ±12 MS"


def test_a_pair_is_called_by_its_first_seat_and_stands_so_in_a_list() -> None:
    setup = Setup(stations=("1", "2", "3"))
    seats = (Seat("1", "Anna", "3"), Seat("2", "Ben"), Seat("3", "Cleo", "1"))
    table = Table(setup, seats, (Team("1", ("1", "3")), Team("2", ("2",))))
    assert label_of(table, "1") == Label((1, 3), "Anna")
    assert labels(table, ("3", "2")) == (Label((3,), "Cleo"), Label((2,), "Ben"))
    assert everyone(table) == ("1", "3", "2")
    assert (en(menu_line(table, "1")), en(seat_line(table, "3"))) == ("1 Anna", "3 Cleo")


def test_teams_stand_in_seat_order_or_the_best_first() -> None:
    table = counted(Sitting().playing("1", "2", "3"), "2", 20, "1", "3").engine.state.table
    seated, ranked = team_lines(table), team_lines(table, ranked=True)
    assert [line.label.numbers for line in seated] == [(1,), (2,), (3,)]
    assert [line.place for line in ranked] == sorted(line.place for line in seated)
    assert seated != ranked
    assert {line.label for line in seated} == {line.label for line in ranked}
