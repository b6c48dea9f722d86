"""Many players press at once with bouncing contacts: the verdict is right, and as early as without bounces."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from referee.core.presses.arbiter import CallRules
from referee.core.presses.signals import DRAIN_NS
from referee.core.units import MS, US
from tests.firmware.emulated.desk import Desk, bounce
from tests.firmware.emulated.pico import FULL, needs_pico

pytestmark = needs_pico

SETTLED_NS = CallRules().latency_ns + DRAIN_NS
"""The arbiter takes a bouncing contact as settled this long after its press."""
BUSY_NS = 5 * MS
"""By how much a busy machine has delayed the emulator's line; 0.9 ms was seen."""


@pytest.mark.parametrize("seed", range(100 if FULL else 1))
@pytest.mark.parametrize(
    ("within_ns", "bounce_ns", "last_ns"),
    [(4 * MS, 4 * MS, SETTLED_NS + BUSY_NS), (1 * MS, 3 * MS, SETTLED_NS + 30 * MS)],
)
def test_eight_bouncing_players_are_all_named(
    desk: Desk, seed: int, within_ns: int, bounce_ns: int, last_ns: int
) -> None:
    """50 edges each: within a tie window of 20 ms all are callers, in photo mode those that can have been first.

    Their first rows come within 20 ms, the others within `last_ns`: before their contact is settled without them,
    except in the denser volley, whose last rows can wait for an exchange of clocks. None is lost, and no stamp is
    outside its bound.
    """
    begun_ns = desk.now_ns
    pressed = desk.volley(Random(seed), edges=50, within_ns=within_ns, bounce_ns=bounce_ns)
    desk.run(420 * MS)
    first = {row.station: row for row in reversed(desk.rows(begun_ns))}
    assert max(first[str(n + 1)].arrived_ns - ns for n, ns in pressed.items()) <= 20 * MS
    assert max(row.arrived_ns - row.t_ns for row in desk.rows(begun_ns)) <= last_ns
    [tie] = desk.verdicts(begun_ns, CallRules())
    assert sorted(tie.callers) == list("12345678")
    assert not tie.grey
    [photo] = desk.verdicts(begun_ns, CallRules(tie_ns=0))
    earliest = min(pressed, key=lambda n: pressed[n])
    assert photo.grey or photo.callers == (str(earliest + 1),)
    assert desk.outside(begun_ns) == []
    assert desk.pico.state["missed"] == 0


def test_two_buttons_of_a_pod_that_has_just_been_plugged_in_are_never_grey(flash: Path) -> None:
    """From the first exchange on, with another button released and bouncing between one pair and the next."""
    with Desk(flash) as fresh:
        fresh.meet(settle_ns=0)
        for turn in range(40 if FULL else 8):
            one, other, third = (turn % 8, (turn + 1) % 8, (turn + 2) % 8)
            begun_ns, at = fresh.now_ns, fresh.now_ns + 5 * MS
            for contact, ns in ((one, at), (other, at + 1 * US)):
                fresh.move(contact, [(ns, True), (ns + 60 * MS, False)])
            fresh.move(third, bounce(Random(turn), at + 20 * MS, 9, True))
            fresh.move(third, bounce(Random(turn), at + 150 * MS, 9, False))
            fresh.run(250 * MS)
            [photo] = fresh.verdicts(begun_ns, CallRules(tie_ns=0))
            assert (photo.callers, photo.grey) == ((str(one + 1),), False)
            assert fresh.outside(begun_ns) == []


@pytest.mark.parametrize("seed", range(200 if FULL else 3))
def test_two_buttons_a_microsecond_apart_are_never_grey(desk: Desk, seed: int) -> None:
    """On one pod, in photo mode, with an answer of its clock between their rows: the first one is the caller."""
    dice = Random(seed)
    one, other = dice.sample(range(8), 2)
    begun_ns, at = desk.now_ns, desk.now_ns + dice.randrange(2, 12) * MS
    for contact, ns in ((one, at), (other, at + 1 * US)):
        desk.move(contact, [(ns, True), (ns + 60 * MS, False)])
    desk.run(at - begun_ns)
    exchanges = desk.link.quality(desk.now_ns).exchanges
    while desk.now_ns < at + 70 * MS:
        desk.link.due_ns = desk.now_ns
        desk.run(3 * MS)
    desk.run(130 * MS)
    [photo] = desk.verdicts(begun_ns, CallRules(tie_ns=0))
    assert desk.link.quality(desk.now_ns).exchanges > exchanges
    assert not photo.grey
    assert photo.callers == (str(one + 1),)
    assert desk.outside(begun_ns) == []
