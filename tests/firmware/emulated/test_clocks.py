"""Every counter that wraps: the stamper's 24 and 32 bits, the microseconds' 30 and 32.

Also stopped processors.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from referee.core.pods.link import Up
from referee.core.units import MS, US, S
from tests.firmware.emulated.desk import Desk
from tests.firmware.emulated.pico import FULL, long, needs_pico

pytestmark = needs_pico


def train(desk: Desk, dice: Random, ns: int) -> None:
    """Make changes of two contacts, some milliseconds apart, for `ns`."""
    end_ns = desk.now_ns + ns
    for contact in (0, 5):
        at, closed, steps = desk.now_ns + dice.randrange(1 * MS, 9 * MS), True, []
        while at < end_ns or not closed:
            steps.append((at, closed))
            at, closed = at + dice.randrange(4 * MS, 23 * MS), not closed
        desk.move(contact, steps)


@long
@pytest.mark.parametrize("stood_ms", [30, 400, 880] if FULL else [880])
def test_a_processor_that_stands_for_less_than_a_round_loses_nothing(desk: Desk, stood_ms: int) -> None:
    """The ring keeps the words, and the microseconds give the round of the counter."""
    begun_ns = desk.now_ns
    train(desk, Random(stood_ms), 3 * S)
    for _ in range(3):
        desk.ask(stand=stood_ms * MS)
        desk.run(60 * MS)
    desk.run(max(begun_ns + 3300 * MS - desk.now_ns, 0) + 300 * MS)
    assert desk.outside(begun_ns) == []


def test_a_processor_that_stands_for_longer_than_a_round_says_so(desk: Desk) -> None:
    """The round of the counter is unknown then: the bounds cover it."""
    begun_ns = desk.now_ns
    train(desk, Random(3), 2 * S)
    desk.ask(stand=1300 * MS)
    desk.run(1500 * MS)
    assert desk.stray(begun_ns) == []
    assert max(row.err_ns for row in desk.rows(begun_ns)) > 500 * MS


@long
@pytest.mark.parametrize("bits", [30, 31, 32] if FULL else [32])
def test_the_microseconds_come_round(flash: Path, bits: int) -> None:
    """MicroPython's 30 bits after 18 minutes, the counter's 32 after 71.6: from three seconds before, with changes."""
    with Desk(flash) as desk:
        desk.ask(power={"counter_ns": (1 << bits) * US - 3 * S})
        desk.meet()
        begun_ns = desk.now_ns
        train(desk, Random(bits), 2500 * MS)
        desk.run(2700 * MS)
        assert desk.now_ns > 3500 * MS
        assert desk.outside(begun_ns) == []
        train(desk, Random(bits + 1), 300 * MS)
        desk.rest(4 * S)
        assert desk.outside(begun_ns + 2700 * MS) == []


def test_a_program_that_hangs_is_started_anew(fresh: Desk) -> None:
    """By the watchdog, after eight seconds; afterwards presses are stamped again."""
    desk = fresh
    restarts, begun_ns = desk.pico.state["restarts"], desk.now_ns
    desk.ask(stand=7500 * MS)
    assert desk.pico.state["restarts"] == restarts
    desk.run(100 * MS)
    desk.ask(stand=8500 * MS)
    assert desk.pico.state["restarts"] == restarts + 1
    desk.meet()
    *before, last = [item.restarted for item in desk.news if isinstance(item, Up)]
    assert last
    assert not any(before)
    begun_ns = desk.now_ns
    desk.volley(Random(5), edges=9)
    desk.run(400 * MS)
    assert desk.outside(begun_ns) == []
