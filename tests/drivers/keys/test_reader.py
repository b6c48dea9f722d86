"""Events of a keyboard become edge rows with a stated error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import pytest

from referee.core.model.events import Turned
from referee.core.presses.signals import Edge
from referee.drivers.keys.nodes import Reader
from tests.drivers.keys.fake import ENTER, MS, A, B, PipeKeyboard

DELAY = 18 * MS
NOW = 5_000 * MS


@pytest.fixture
def keyboard() -> Iterator[PipeKeyboard]:
    device = PipeKeyboard()
    yield device
    device.close()


def reader(keyboard: PipeKeyboard) -> Reader:
    """Open the keyboard a second ago, and read it now."""
    times = chain([NOW - 1_000 * MS], repeat(NOW))
    return Reader(keyboard, {A: "1", B: "2", ENTER: "knob-right"}, "keys event3", DELAY, lambda: next(times))


def test_key_was_pressed_at_most_the_delay_before_its_stamp(keyboard: PipeKeyboard) -> None:
    reading = reader(keyboard)
    keyboard.report(NOW - 3 * MS, (A, 1))
    assert reading.read() == [Edge("1", True, NOW - 12 * MS, 9 * MS, NOW, "keys event3")]


def test_only_keys_of_stations_count_and_repeats_do_not(keyboard: PipeKeyboard) -> None:
    reading = reader(keyboard)
    keyboard.report(NOW - 9 * MS, (A, 1), (99, 1))
    keyboard.report(NOW - 6 * MS, (A, 2))
    keyboard.report(NOW - 3 * MS, (A, 0), (B, 1))
    assert [(row.station, row.closed) for row in reading.read() if isinstance(row, Edge)] == [
        ("1", True),
        ("1", False),
        ("2", True),
    ]


def test_key_can_turn_the_knob(keyboard: PipeKeyboard) -> None:
    reading = reader(keyboard)
    keyboard.report(NOW, (ENTER, 1))
    keyboard.report(NOW, (ENTER, 0))
    assert reading.read() == [Turned(NOW, 1)]


def test_lost_events_become_changes_at_any_time_since_the_last_report(keyboard: PipeKeyboard) -> None:
    reading = reader(keyboard)
    keyboard.report(NOW - 100 * MS, (A, 1))
    keyboard.events(NOW - 50 * MS, (0, 3, 0), (1, B, 0))
    keyboard.held = {B}
    keyboard.events(NOW - 50 * MS, (0, 0, 0), *((1, A, 1), (0, 0, 0)) * 50)  # older than the levels
    _, opened, closed = reading.read()
    assert isinstance(opened, Edge)
    assert isinstance(closed, Edge)
    assert (opened.station, opened.closed, closed.station, closed.closed) == ("1", False, "2", True)
    for row in (opened, closed):
        assert (row.t_ns - row.err_ns, row.t_ns + row.err_ns) == (NOW - 100 * MS - DELAY, NOW)
    assert reading.read() == []


def test_rows_after_a_loss_are_sure_again_and_in_order(keyboard: PipeKeyboard) -> None:
    reading = reader(keyboard)
    keyboard.held = {A}
    keyboard.events(NOW, (0, 3, 0), (0, 0, 0))
    [wide] = reading.read()
    keyboard.report(NOW, (A, 0))
    [sure] = reading.read()
    assert isinstance(wide, Edge)
    assert isinstance(sure, Edge)
    assert wide.t_ns <= sure.t_ns
    assert sure.err_ns == DELAY // 2


def test_key_down_at_the_start_is_a_level_and_no_press() -> None:
    keyboard = PipeKeyboard(A)
    reading = reader(keyboard)
    assert reading.closed == ("1",)
    assert reading.read() == []
    keyboard.close()


def test_end_of_the_device_is_an_error(keyboard: PipeKeyboard) -> None:
    reading = reader(keyboard)
    keyboard.unplug()
    with pytest.raises(OSError, match="ended"):
        reading.read()
