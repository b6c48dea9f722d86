"""Many players press at once, and every contact bounces: who called must be right, as soon as if none had bounced."""

from __future__ import annotations

import os
from random import Random

import pytest

from referee.core.arbiter import Law
from referee.core.units import MS, US
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


TRIES = 100 if os.environ.get("POD_FULL") else 1


def test_eight_players_within_4_ms_are_all_named_however_much_they_bounce(desk: Desk) -> None:
    """50 edges each: within a tie window of 20 ms all are callers, and in photo mode those that can have been first;
    their first rows are there within 20 ms, and no stamp is outside its bound."""
    for seed in range(TRIES):
        begun_ns = desk.now_ns
        pressed = desk.volley(Random(seed), edges=50)
        desk.run(800 * MS)
        first = {row.station: row for row in reversed(desk.rows(begun_ns))}
        assert max(first[str(n + 1)].arrived_ns - ns for n, ns in pressed.items()) <= 20 * MS
        [tie, *_] = desk.verdicts(begun_ns, Law())
        assert sorted(tie.callers) == list("12345678")
        [photo, *_] = desk.verdicts(begun_ns, Law(tie_ns=0))
        earliest = min(pressed, key=lambda n: pressed[n])
        assert photo.grey or photo.callers == (str(earliest + 1),)
        assert desk.outside(begun_ns) == []
        assert desk.pico.state["missed"] == 0


@pytest.mark.skipif(not os.environ.get("POD_FULL"), reason="takes minutes: `make pod-emulated`")
def test_two_buttons_a_microsecond_apart_are_never_grey(desk: Desk) -> None:
    """On one pod, in photo mode, with answers between them: the one that was first is the caller, 200 times."""
    dice = Random(2)
    for _ in range(200):
        begun_ns = desk.now_ns
        one, other = dice.sample(range(8), 2)
        at = begun_ns + dice.randrange(5, 900) * MS
        for contact, ns in ((one, at), (other, at + 1 * US)):
            desk.move(contact, [(ns, True), (ns + 60 * MS, False)])
        desk.run(1100 * MS)
        [photo] = desk.verdicts(begun_ns, Law(tie_ns=0))
        assert not photo.grey
        assert photo.callers == (str(one + 1),)
