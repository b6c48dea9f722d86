"""Rows to presses: each rule at its limits, and the whole against the model."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.presses.signals import (
    FOREVER_NS,
    UNSTATED_NS,
    Contact,
    Doubted,
    Edge,
    Mode,
    Press,
    Pressed,
    Released,
    Signal,
    Spiked,
    accept_edge,
    behind_ns,
    next_ns,
    settle,
    standing,
)
from referee.core.units import MS, US
from referee.core.values import replace
from tests.core.presses import arbiter_model as model
from tests.core.presses.arbiter_rows import contact_rows, row

Level = tuple[str, float]


def rows_of(*levels: Level) -> list[Edge]:
    """Return rows of the station "red". The arrival equals the stamp."""
    return [row("red", level, ms) for level, ms in levels]


def fold(rows: Sequence[Edge], contact: Contact | None = None) -> tuple[Contact, list[Signal]]:
    """Return the contact and its signals after all rows and a long time."""
    contact = contact or Contact("red")
    heard: list[Signal] = []
    for order, edge in enumerate(rows):
        contact, signals = accept_edge(contact, edge, order)
        heard += signals
    contact, signals = settle(contact, FOREVER_NS)
    return contact, [*heard, *signals]


def told(*levels: Level) -> list[tuple[str, float]]:
    """Return the signals of these levels, in ms: "press", "spike" (start), "release" (opening)."""
    names = {Pressed: "press", Spiked: "spike", Released: "release"}
    return [(names[type(s)], _at(s) / MS) for s in fold(rows_of(*levels))[1]]


def _at(signal: Signal) -> int:
    return signal.press.t_ns if isinstance(signal, Pressed) else signal.t_ns


# -- rule 1: the first row -----------------------------------------------------------------------------------------


def test_a_press_is_the_burst_s_first_row_with_all_it_states() -> None:
    rows = [
        Edge("red", False, 0, 0, 0),
        Edge("red", False, 5 * MS, 7, 6 * MS),
        Edge("red", True, 6 * MS, 9, 8 * MS),
        Edge("red", True, 6 * MS + 10, 9, 9 * MS),
    ]
    assert fold(rows)[1] == [Pressed(Press("red", 0, 0, 0, 0, waited_ns=8 * MS), 7 * MS, True)]


def test_an_arrival_that_is_not_stated_is_the_stamp() -> None:
    assert (Edge("red", True, 5).arrived_ns, Edge("red", True, 5).err_ns) == (5, 0)
    assert Edge("red", True, -5).arrived_ns == -5
    assert Edge("red", True, 5, 9, -1).arrived_ns == -1


# -- rule 2: press or spike ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([("closed", 0), ("open", 1), ("closed", 5), ("open", 5.1)], [("press", 0), ("release", 5.1)]),
        ([("closed", 0), ("open", 0.999999)], [("spike", 0)]),
        ([("closed", 0), ("open", 0.4), ("closed", 5), ("open", 5.6)], [("press", 0), ("release", 5.6)]),
        ([("closed", 0), ("open", 0.4), ("closed", 5), ("open", 5.599999)], [("spike", 0)]),
        ([("open", 0), ("closed", 9)], [("press", 0)]),
        ([("open", 0), ("closed", 9.000001)], [("spike", 0), ("press", 9.000001)]),
        ([("closed", 0), ("open", 0.05)], [("spike", 0)]),
        ([("open", 0)], [("spike", 0)]),
        ([("closed", 3), ("open", 3), ("closed", 3), ("open", 3)], [("spike", 3)]),
    ],
    ids=[
        "1 ms is enough",
        "a nanosecond less is not",
        "closed time adds up",
        "to 1 ms and no less",
        "complete at the window's end",
        "a nanosecond after it: the next burst",
        "50 us",
        "open alone",
        "no length at all",
    ],
)
def test_closed_for_1_ms_in_all_within_10_ms(levels: list[Level], expected: list[Level]) -> None:
    """A press is 1 ms of closed time in [start, start + 10 ms)."""
    assert told(*levels) == expected


def test_a_press_is_certain_once_its_millisecond_is_complete() -> None:
    contact, _ = accept_edge(Contact("red"), row("red", "closed", 5), 3)
    assert settle(contact, 6 * MS - 1) == (contact, ())
    expected = Pressed(Press("red", 5 * MS, 0, 5 * MS, 3), 6 * MS, True)
    assert settle(contact, 6 * MS)[1] == (expected,)
    assert accept_edge(contact, row("red", "open", 90), 4)[1] == (expected,)


# -- rule 3: armed again -------------------------------------------------------------------------------------------


def test_a_contact_closed_at_start_up_arms_by_10_ms_open() -> None:
    found = standing("red", True, 0)
    assert (found.closed, found.down, next_ns(found)) == (True, False, None)
    assert fold(rows_of(("closed", 50), ("open", 60), ("closed", 69)), found)[1] == []
    assert [_at(s) for s in fold(rows_of(("open", 60), ("closed", 70)), found)[1]] == [70 * MS]
    assert standing("red", False, 7) == Contact("red", False, 7)


# -- gestures ------------------------------------------------------------------------------------------------------


def test_a_gesture_is_over_after_40_ms_open() -> None:
    """Exactly 40 ms. The time of the release is that of the opening."""
    contact, _ = settle(accept_edge(Contact("red"), row("red", "closed", 0), 0)[0], 500 * MS)
    assert contact.down
    assert contact.closed
    contact, _ = accept_edge(contact, row("red", "open", 500), 1)
    contact, nothing = settle(contact, 540 * MS - 1)
    assert (nothing, contact.down, next_ns(contact)) == ((), True, 540 * MS)
    contact, heard = settle(contact, 540 * MS)
    assert heard == (Released("red", 500 * MS, 540 * MS),)
    assert (contact.down, next_ns(contact)) == (False, None)


# -- the fold ------------------------------------------------------------------------------------------------------


def test_a_contact_that_chatters_stays_small() -> None:
    """5 kHz for a long time."""
    contact, sizes = Contact("red"), set()
    for order in range(20_000):
        contact, _ = accept_edge(contact, Edge("red", order % 2 == 0, order * 200 * US), order)
        if order % 1_000 == 999:
            sizes.add(len(pickle.dumps(contact)))
    assert max(sizes) - min(sizes) < 64
    assert contact.sum_ns <= 10 * MS


def test_a_source_that_is_late_is_waited_for_as_long_as_its_clock_may_be_off() -> None:
    """The lag counts from the true instant, up to the error after a clock's stamp.

    A kernel's stamp is never early. In a burst the host also waits for bounces behind the first row.
    """
    pod, kernel = Edge("red", True, 0, 3 * MS, 0, "pod", 400), Edge("red", True, 0, 3 * MS, 0)
    for edge, expected in ((pod, 33 * MS), (kernel, 30 * MS)):
        contact = Contact("red")
        assert behind_ns(contact, 30 * MS) == 30 * MS
        contact, _ = accept_edge(contact, edge, 0)
        assert (behind_ns(contact, 30 * MS), behind_ns(contact, 0)) == (expected + 30 * MS, 0)
        contact, _ = accept_edge(contact, replace(edge, closed=False, t_ns=5 * MS), 1)
        assert behind_ns(contact, 30 * MS) == expected
    contact, _ = accept_edge(contact, replace(pod, t_ns=6 * MS), 2)
    assert behind_ns(contact, 30 * MS) == 33 * MS
    contact, _ = settle(accept_edge(Contact("red"), replace(pod, closed=False), 0)[0], FOREVER_NS)
    assert behind_ns(contact, 30 * MS) == 33 * MS


@pytest.mark.parametrize("clock", [None, "pod"])
def test_a_row_from_before_what_was_told_is_doubted(clock: str | None) -> None:
    rel_err_ns = 400 if clock else None
    rows = [Edge("red", c, t, 1 * MS, 90 * MS, clock, rel_err_ns) for c, t in ((False, 0), (True, 4 * MS))]
    contact, (heard,) = settle(accept_edge(Contact("red"), rows[0], 0)[0], 30 * MS)
    assert heard == Spiked("red", 0)
    assert (contact.decided_ns, contact.doubted_ns) == (10 * MS, UNSTATED_NS)
    contact, told = accept_edge(contact, rows[1], 1)
    assert told == (Doubted("red", 4 * MS),)
    wide = Press("red", 4 * MS, 11 * MS, 90 * MS, 1, clock, 10 * MS + 400 if clock else None)
    assert (contact.start, contact.doubted_ns) == (wide, 4 * MS)
    contact, told = accept_edge(contact, replace(rows[0], t_ns=5 * MS), 2)
    assert told == (Pressed(wide, 5 * MS, True),)
    contact, told = settle(contact, 45 * MS)
    assert (told, contact.decided_ns) == ((Released("red", 5 * MS, 45 * MS),), 45 * MS)
    assert accept_edge(contact, replace(rows[1], t_ns=45 * MS), 3)[1] == ()
    assert accept_edge(contact, replace(rows[0], t_ns=20 * MS), 3)[1] == ()
    contact, told = accept_edge(contact, replace(rows[1], t_ns=45 * MS - 1), 3)
    assert (told, contact.doubted_ns) == ((Doubted("red", 45 * MS - 1),), 45 * MS - 1)
    contact, told = settle(accept_edge(contact, replace(rows[0], t_ns=60 * MS), 4)[0], FOREVER_NS)
    assert contact.doubted_ns == 45 * MS - 1


def test_a_row_from_before_a_press_was_told_is_doubted() -> None:
    """Closed for 0.3 ms and open again, but time alone had made it a press."""
    contact, told = settle(accept_edge(Contact("red"), row("red", "closed", 0), 0)[0], 61 * MS)
    assert told == (Pressed(Press("red", 0, 0, 0, 0), 1 * MS, True),)
    assert accept_edge(contact, row("red", "closed", 0.3), 1) == (contact, ())
    later, told = accept_edge(contact, row("red", "open", 0.3), 1)
    assert (told, later.doubted_ns, later.mode) == ((Doubted("red", 300 * US),), 300 * US, Mode.SPENT)
    assert accept_edge(contact, row("red", "open", 1), 1)[1] == ()


@given(contact_rows("red", 40))
@settings(max_examples=400, deadline=None)
def test_signals_are_the_model_s(rows: list[Edge]) -> None:
    heard = fold(rows)[1]
    numbered = list(enumerate(rows))
    bursts = list(model.bursts(numbered))
    fresh, releases = model.gestures(numbered)
    presses = [s for s in heard if isinstance(s, Pressed)]
    assert [(p.press.order, p.at_ns) for p in presses] == [(b.order, b.sure_ns) for b in bursts if b.is_press]
    assert [replace(p.press, waited_ns=0) for p in presses] == [
        Press("red", b.row.t_ns, b.row.err_ns, b.row.arrived_ns, b.order, b.row.clock, b.row.rel_err_ns)
        for b in bursts
        if b.is_press
    ]
    assert [p.press.known_at_ns for p in presses] == [b.known_at_ns for b in bursts if b.is_press]
    assert [s.t_ns for s in heard if isinstance(s, Spiked)] == [b.row.t_ns for b in bursts if not b.is_press]
    assert [p.fresh for p in presses] == fresh
    assert [(s.t_ns, s.at_ns) for s in heard if isinstance(s, Released)] == releases


@given(contact_rows("red", 25), st.lists(st.integers(0, 400 * MS), max_size=30))
@settings(max_examples=300, deadline=None)
def test_time_may_be_cut_anywhere(rows: list[Edge], cuts: list[int]) -> None:
    whole = fold(rows)
    contact, heard = Contact("red"), list[Signal]()
    for order, edge in enumerate(rows):
        for cut in sorted(c for c in cuts if c <= edge.t_ns):
            contact, signals = settle(contact, cut)
            heard += signals
        contact, signals = accept_edge(contact, edge, order)
        heard += signals
    contact, signals = settle(contact, FOREVER_NS)
    assert (contact, [*heard, *signals]) == whole


@given(contact_rows("red", 25))
@settings(max_examples=300, deadline=None)
def test_next_is_the_first_instant_that_tells_something(rows: list[Edge]) -> None:
    contact = Contact("red")
    for order, edge in enumerate(rows):
        contact, _ = accept_edge(contact, edge, order)
        due = next_ns(contact)
        if due is None:
            assert settle(contact, FOREVER_NS)[1] == ()
        else:
            assert settle(contact, due - 1)[1] == ()
            assert settle(contact, due)[1] != ()
