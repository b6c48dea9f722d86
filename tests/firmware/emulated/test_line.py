"""Faults of the line: no reader, a closed port, a pulled cable, corrupt bytes.

No press is lost.
"""

from __future__ import annotations

from random import Random

import pytest

from referee.core.pods.link import Silent, Up
from referee.core.presses.arbiter import CallRules
from referee.core.units import MS, S
from tests.firmware.emulated.desk import Desk
from tests.firmware.emulated.pico import FULL, long, needs_pico

pytestmark = needs_pico
SEEDS = range(10 if FULL else 1)


def ups(desk: Desk, since_ns: int) -> list[bool]:
    """Return for each start of the pod whether it had restarted."""
    told = zip(desk.news, desk.arrived_ns, strict=True)
    return [item.restarted for item, at_ns in told if isinstance(item, Up) and at_ns >= since_ns]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_host_that_does_not_read_blocks_nothing(desk: Desk, seed: int) -> None:
    """The pod's buffer is full for seconds; everything comes when the host reads again."""
    begun_ns, restarts = desk.now_ns, desk.pico.state["restarts"]
    desk.ask(hold=True)
    desk.volley(Random(seed), edges=21)
    desk.run(1500 * MS)
    for mask in (0b101, 0b1010_0000, 0):
        desk.link.light(mask)
        desk.run(20 * MS)
        assert desk.pico.state["lamps"] == mask
    desk.run(700 * MS)
    desk.ask(hold=False)
    desk.run(700 * MS)
    assert desk.outside(begun_ns) == []
    assert desk.pico.state["restarts"] == restarts
    assert desk.pico.state["missed"] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_what_happens_while_the_port_is_closed_comes_when_it_opens(desk: Desk, seed: int) -> None:
    begun_ns = desk.now_ns
    desk.link.light(0xFF)
    desk.run(20 * MS)
    assert desk.pico.state["lamps"] == 0xFF
    desk.volley(Random(seed), edges=21)
    desk.run(8 * MS)
    desk.alone(400 * MS, dtr=False)
    desk.rest_alone(4 * S)
    assert desk.pico.state["lamps"] == 0
    assert not desk.pico.state["light"]
    desk.link.light(0)
    desk.ask(dtr=True)
    desk.meet()
    assert ups(desk, begun_ns) == [False]
    assert desk.outside(begun_ns) == []


@long
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pod_with_power_of_its_own_keeps_all_while_its_cable_is_out(desk: Desk, seed: int) -> None:
    begun_ns = desk.now_ns
    desk.volley(Random(seed), edges=21)
    desk.run(8 * MS)
    desk.ask(cable=False)
    desk.run(400 * MS)
    desk.rest(4 * S)
    assert isinstance(desk.news[-1], Silent)
    desk.ask(cable=True)
    desk.meet()
    assert ups(desk, begun_ns) == [False]
    assert desk.outside(begun_ns) == []


@long
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pod_that_loses_its_power_in_mid_volley_forgets_and_says_so(fresh: Desk, seed: int) -> None:
    """Rows that came are true, and the verdict is grey rather than wrong.

    A contact found in another state has changed in between. Afterwards a new clock is as exact as the old one.
    """
    desk, dice = fresh, Random(seed)
    begun_ns = desk.now_ns
    pressed = desk.volley(dice, edges=21)
    desk.run(dice.randrange(5, 14) * MS)
    desk.ask(power={"off_ns": dice.randrange(1, 400) * MS})
    desk.meet()
    assert ups(desk, begun_ns) == [True]
    assert desk.stray(begun_ns) == []
    earliest = min(pressed, key=lambda n: pressed[n])
    for photo in desk.verdicts(begun_ns, CallRules(tie_ns=0))[:1]:
        assert photo.grey or photo.callers == (str(earliest + 1),)
    begun_ns = desk.now_ns
    desk.volley(dice, edges=21)
    desk.run(400 * MS)
    assert desk.outside(begun_ns) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_garbage_in_both_directions_loses_nothing(desk: Desk, seed: int) -> None:
    """Noise with flags, escapes and Ctrl-C to the pod.

    Packets cut, dropped and flipped on their way back.
    """
    dice, begun_ns = Random(seed), desk.now_ns

    def spoil(data: bytes) -> bytes:
        fate = dice.random() if data else 1.0  # no bytes to corrupt
        if fate < 0.05:
            return b""
        if fate < 0.10:
            return data[: dice.randrange(len(data))]
        if fate < 0.20:
            at = dice.randrange(len(data))
            return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]
        return dice.randbytes(dice.randrange(40)) + data if fate < 0.25 else data

    desk.spoil = spoil
    for _ in range(3):
        desk.volley(dice, edges=9)
        for _ in range(20):
            noise = dice.randbytes(dice.randrange(300)) + bytes(dice.choices(b"\x7e\x7d\x03\x04AB", k=20))
            desk.ask(send=noise.hex())
            desk.run(20 * MS)
    desk.run(1500 * MS)
    desk.spoil = bytes
    desk.run(500 * MS)
    assert desk.outside(begun_ns) == []
