"""Roles: the reserve of a pair, the sorting of cards, and moving to the next button."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.core.model.events import ReserveTaken, SeatsMoved
from referee.core.model.state import at_buttons
from referee.core.model.table import Setup
from referee.core.model.view import ReadyScreen
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language.speech import speech_of
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

PEOPLE = (("1", "Anna"), ("2", "Ben"), ("3", "Max"), ("4", "Lea"))


def table_of(seats: int = 3, *, pair: bool = False, **options: object) -> Sitting:
    """Return people at READY before the first hand. A pair is the first two."""
    stations = tuple(station for station, _ in PEOPLE[:seats])
    table = Sitting(Setup("nna", tuple(options.items()), stations, PEOPLE[:seats])).tap(*stations)
    if pair:
        table.press("1", "2", ns=900 * MS)
    return table.choose("Start").wait(BREATH_NS)


def notes(table: Sitting) -> tuple[str, ...]:
    return all_en(table.screen(ReadyScreen).notes)


def played(table: Sitting, caller: str, *lakes: tuple[str, int]) -> Sitting:
    """Play a hand that `caller` calls, with each team's Lake cards."""
    table.wait(BREATH_NS).tap(*(seat.station for seat in table.engine.state.table.seats if seat.name))
    table.until(table.engine.state.phase.armed_at_ns).wait(S)  # type: ignore[attr-defined]
    table.press(caller).wait(8 * S)
    for station, lake in lakes:
        table.count(station, 0 if station == caller else 2, lake, caller=station == caller)
    return table.wait(4 * S)


def totals(table: Sitting) -> dict[str, int]:
    return {line.label.name: int(line.total) for line in table.view.screen.lines}  # type: ignore[attr-defined]


def names(table: Sitting) -> tuple[str | None, ...]:
    return tuple(seat.name for seat in table.engine.state.table.seats)


# -- the reserve of a pair -----------------------------------------------------------------------------------------


def test_a_partners_hold_takes_the_reserve_and_the_others_takes_it_over() -> None:
    table = table_of(pair=True).hold("1")
    assert notes(table)[0] == "pile 1An, stock 2Be"
    assert "holds the Nertz pile, Ben" in speech_of(table.view)
    table.hold("2")
    assert notes(table)[0] == "pile 2Be, stock 1An"
    assert [event.station for event in table.decisions(ReserveTaken)] == ["1", "2"]
    table.choose("Undo: pile role").wait(S)
    assert notes(table)[0] == "pile 1An, stock 2Be"


def test_a_hold_says_ready_as_a_tap_does_and_a_hold_of_others_says_nothing_else() -> None:
    table = table_of(pair=True).hold("3")
    assert table.asked == ("1", "2")
    assert table.decisions(ReserveTaken) == []
    table.hold("1").hold("1")
    assert len(table.decisions(ReserveTaken)) == 1
    must = table_of(pair=True, pile_control="alternate").hold("2")
    assert notes(must)[0] == "pile 1An, stock 2Be"
    assert must.decisions(ReserveTaken) == []
    early = Sitting(Setup("nna", (), ("1", "2", "3"), PEOPLE[:3])).tap("1", "2", "3").press("1", "2", ns=900 * MS)
    assert early.choose("Start").hold("1").decisions(ReserveTaken) == []


# -- who sorts -----------------------------------------------------------------------------------------------------


def test_sorting_goes_round() -> None:
    table, sorters = table_of(), []
    for _ in range(4):
        sorters.append(notes(table)[-1])
        played(table, "1", ("1", 9), ("2", 5), ("3", 5)).wait(5 * S)
    assert sorters == ["1An sorts MIDDLE", "2Be sorts MIDDLE", "3Ma sorts MIDDLE", "1An sorts MIDDLE"]


# -- seats ---------------------------------------------------------------------------------------------------------


def moved() -> Sitting:
    """Return the table after a hand that Anna has won, and a yes to moving on."""
    table = played(table_of(target=200, rotate_seats=True), "1", ("1", 30), ("2", 20), ("3", 10)).wait(5 * S)
    assert "seats move on" in notes(table)
    table.choose("Seats move on").wait(BREATH_NS)
    assert en(table.view.screen.question) == "MOVE SEATS?"  # type: ignore[attr-defined]
    return table.tap("1", "2", "3").wait(BREATH_NS)


def test_all_move_to_the_next_button_with_name_and_score() -> None:
    table = moved()
    assert names(table) == ("Max", "Anna", "Ben")
    assert totals(table) == {"Anna": 30, "Ben": 16, "Max": 6}
    assert [(who.numbers, who.name) for who in table.screen(ReadyScreen).waiting] == [
        ((1,), "Max"),
        ((2,), "Anna"),
        ((3,), "Ben"),
    ]
    assert table.asked == ("1", "2", "3")
    assert "seats move on" not in notes(table)


def test_it_is_offered_once_a_hand_and_a_no_leaves_all_where_they_are() -> None:
    table = table_of(rotate_seats=True)
    assert "Seats move on" not in all_en(table.push().view.screen.items)  # type: ignore[attr-defined]
    table = moved()
    assert "Seats move on" not in all_en(table.push().view.screen.items)  # type: ignore[attr-defined]
    table.choose("Back")
    played(table, "2", ("1", 1), ("2", 4), ("3", 2)).wait(5 * S).choose("Seats move on").wait(BREATH_NS)
    assert table.tap("1", "2").hold("3").wait(S).phase == "READY"  # two of three are a majority, but all must agree
    assert en(table.view.toast) == "NOT ALL SAID YES"
    assert names(table) == ("Max", "Anna", "Ben")
    table.choose("Seats move on").wait(BREATH_NS).tap("1", "2").push()  # silence is no yes
    assert names(table) == ("Max", "Anna", "Ben")
    assert len(table.decisions(SeatsMoved)) == 1


@given(st.booleans(), st.permutations(("1", "2", "3", "4")))
def test_whoever_goes_back_to_the_old_button_finds_everything_as_it_was(pair: bool, to: list[str]) -> None:
    state = table_of(4, pair=pair).engine.state
    said = replace(state.table, holding=(("1", "2"),), agreed_by=("1", "4"), absent=frozenset({"3"}))
    state = replace(state, table=said, phones=(("1", "phone-1"), ("3", "phone-2")))
    moves = dict(zip(("1", "2", "3", "4"), to, strict=True))
    moved = at_buttons(state, moves)
    assert at_buttons(moved, {new: old for old, new in moves.items()}) == state
    partners = {"1": "2", "2": "1"} if pair else {}
    assert {seat.station: (seat.name, seat.partner) for seat in moved.table.seats if seat.name} == {
        moves[seat.station]: (seat.name, moves.get(partners.get(seat.station, ""))) for seat in state.table.seats
    }
    assert [{*team.stations} for team in moved.table.teams] == [
        {moves[station] for station in team.stations} for team in state.table.teams
    ]
    assert moved.table.holding == (("1", moves["2"]),)
    assert moved.table.agreed_by == (moves["1"], moves["4"])
    assert moved.table.absent == {moves["3"]}
    assert moved.phones == ((moves["1"], "phone-1"), (moves["3"], "phone-2"))
