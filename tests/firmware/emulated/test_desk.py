"""What the desk makes of the news of a line, without a Pico."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.core.pods.link import News, Old, Seen, Up
from referee.core.pods.wire import Hello
from referee.core.units import MS
from tests.firmware.emulated.desk import Desk


def hello(boot: int, closed: int) -> Hello:
    """A pod's, with these contacts (bits) closed."""
    return Hello(boot, "e66141040b2c3f2a", "2.0.0", 8, closed, 125, 2_112, 200, 0, 0, True, False)


def told(desk: Desk, *news: News) -> None:
    """The host has that, a millisecond apart."""
    for item in news:
        desk.news.append(item)
        desk.arrived_ns.append(len(desk.news) * MS)


@pytest.mark.parametrize(
    "between",
    [Up(hello(2, 0), True, 0), Old(3, 0)],
    ids=["started anew", "old reports dropped"],
)
def test_what_a_contact_was_is_what_the_pod_was_up_with(between: News) -> None:
    """Its last row before said closed; the press that comes after the pod has told otherwise is a change of its own."""
    desk = Desk(Path("no flash"))
    told(desk, Up(hello(1, 0), False, 0), Seen(5, True, 1, 1), between)
    begun_ns = len(desk.news) * MS + 1
    desk.moved[5] = [(begun_ns + 1, True), (begun_ns + 2, False)]
    told(desk, Seen(5, True, begun_ns + 1, 1), Seen(5, True, begun_ns + 1, 1), Seen(5, False, begun_ns + 2, 1))
    assert [row.closed for row in desk.changes(begun_ns)] == [True, False]
    assert desk.outside(begun_ns) == []


def test_a_contact_that_is_found_closed_changes_when_it_opens() -> None:
    """The pod was up with contact 1 closed, so a row that says closed repeats its level."""
    desk = Desk(Path("no flash"))
    told(desk, Up(hello(1, 1), False, 1), Seen(0, True, 1, 1), Seen(0, False, 2, 1))
    assert [row.closed for row in desk.changes()] == [False]
