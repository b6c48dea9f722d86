"""A hold in READY's first seconds opens the sealed count of that team again, and changes nothing else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.record import to_document
from referee.core.match.advance import advance
from referee.core.match.engine import Engine
from referee.core.model.events import Sealed, Undone
from referee.core.model.view import CountScreen, StandingsScreen
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting

THREE = ("1", "2", "3")
SIZES = (14, 6, 10)
counts = st.tuples(st.integers(0, 13), st.integers(0, 3), st.integers(0, 9))
hands = st.tuples(counts.map(lambda count: (0, *count[1:])), counts, counts)
"""The three fields of each team; 1 calls."""


def enter(table: Sitting, station: str, old: tuple[int, ...], new: tuple[int, ...]) -> None:
    """Tap from the shown digits to the new ones; hold after each field."""
    for before, after, size in zip(old, new, SIZES, strict=True):
        table.taps(station, (after - before) % size).hold(station)


def sealed(hand: tuple[tuple[int, ...], ...]) -> Sitting:
    """Return READY after this count."""
    table = Sitting().counting("1", *THREE)
    for station, count in zip(THREE, hand, strict=True):
        enter(table, station, (0, 0, 0), count)
    return table


def told(table: Sitting) -> tuple[object, object]:
    """Return the totals and scores of each team, and the recorded match without its instants."""
    (record,) = records(table.rows, {})
    lines = [(line.label, line.total, line.delta, line.place) for line in table.screen(StandingsScreen).lines]
    return lines, to_document(record)["match"]


@settings(max_examples=25)
@given(hands, st.sampled_from(THREE), counts, st.integers(700, 3_900))
def test_a_reopened_count_changes_that_team_alone(
    hand: tuple[tuple[int, ...], ...], station: str, again: tuple[int, ...], after_ms: int
) -> None:
    again = (0, *again[1:]) if station == "1" else again
    place = THREE.index(station)
    corrected = (*hand[:place], again, *hand[place + 1 :])
    table = sealed(hand)
    first = told(table)
    table.wait(after_ms * MS).hold(station)
    cells = table.screen(CountScreen).cells
    assert [cell.cursor for cell in cells] == [0 if one == station else None for one in THREE]
    assert [tuple(int(field or 0) for field in cell.fields) for cell in cells] == list(hand)
    assert table.engine.state.table.hands == ()
    enter(table, station, hand[place], again)
    assert table.decisions(Sealed)[-1].counts == tuple(zip(THREE, corrected, strict=True))
    assert told(table) == told(sealed(corrected))
    assert (told(table) == first) == (corrected == hand)
    assert Engine.restored(table.rows).state == table.engine.state
    Engine.derived(table.rows)


def test_a_damaged_row_that_reopens_no_count_only_undoes() -> None:
    table = Sitting().playing("1", "2").press("1")
    undone = Undone(table.now_ns, table.engine.state.undo.seq, "1")  # type: ignore[union-attr]
    assert advance(table.engine.state, undone).state.phase.name == "TIMEOUT"


def test_a_second_power_cut_takes_no_time_from_the_verdict() -> None:
    table = Sitting().playing("1", "2").press("1").wait(1 * S).power_cut().wait(60 * S).power_cut()
    table.wait(BREATH_NS).tap("1", "2")
    assert table.phase == "VERDICT"
    assert table.wait(700 * MS).phase == "VERDICT"
    assert table.wait(2 * S).phase == "COUNTING"


@settings(max_examples=25)
@given(hands, st.lists(st.tuples(st.sampled_from(THREE), st.booleans()), max_size=4))
def test_later_taps_and_holds_leave_the_count_as_it_is(
    hand: tuple[tuple[int, ...], ...], presses: list[tuple[str, bool]]
) -> None:
    table = sealed(hand).wait(4 * S)
    before = table.engine.state.table.hands
    for station, hold in presses:
        table.hold(station) if hold else table.tap(station)
    assert (table.engine.state.table.hands, table.decisions(Undone)) == (before, [])
