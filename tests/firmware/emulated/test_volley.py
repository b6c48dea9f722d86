"""Many players press at once, and every contact bounces: who called must be right, as soon as if none had bounced."""

from __future__ import annotations

from random import Random

import pytest

from referee.core.arbiter import Law
from referee.core.units import MS, S
from tests.firmware.emulated.desk import Desk
from tests.firmware.emulated.pico import needs_pico

pytestmark = needs_pico


def test_a_press_is_stamped_within_its_bound(desk: Desk) -> None:
    """One contact, one bounce: every change comes, with an instant that was true."""
    begun_ns = desk.now_ns
    desk.volley(Random(1), edges=3, players=1)
    desk.run(400 * MS)
    assert [row.closed for row in desk.changes(begun_ns)] == [True, False, True, False, True, False]
    assert desk.outside(begun_ns) == []
    assert desk.pico.state["missed"] == 0


@pytest.mark.xfail(strict=True, reason="a bounce costs the pod 0.8 ms, and comes before another player's first edge")
def test_eight_players_within_4_ms_are_all_named_however_much_they_bounce(desk: Desk) -> None:
    """Within a tie window of 20 ms all eight are callers, and their first rows are there within 20 ms."""
    begun_ns = desk.now_ns
    pressed = desk.volley(Random(21), edges=21)
    desk.run(1 * S)
    first = {row.station: row for row in reversed(desk.rows(begun_ns))}
    [verdict] = desk.verdicts(begun_ns, Law())
    assert sorted(verdict.callers) == list("12345678")
    assert max(first[str(n + 1)].arrived_ns - ns for n, ns in pressed.items()) <= 20 * MS
