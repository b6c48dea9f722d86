"""A store that is full for an hour, and an hour of play."""

from __future__ import annotations

from random import Random

from referee.core.presses.arbiter import CallRules
from referee.core.units import MS, S
from tests.firmware.emulated.desk import Desk
from tests.firmware.emulated.pico import FULL, long, needs_pico

pytestmark = needs_pico
HOUR_NS = 3600 * S if FULL else 20 * S
RULES = CallRules(tie_ns=0)
DIRTY = 1500
"""Changes of a dirty contact, more than its store and the window can hold."""


@long
def test_a_full_store_keeps_the_oldest_for_an_hour_and_says_what_it_dropped(fresh: Desk) -> None:
    """Without a host; the 32 bits of the stamper wrap fifteen times."""
    desk, dice = fresh, Random(1)
    begun_ns = desk.now_ns
    at = begun_ns + 10 * MS
    desk.move(0, [(at + 2 * n * MS, n % 2 == 0) for n in range(DIRTY)])
    desk.alone(2 * DIRTY * MS + 500 * MS, dtr=False)
    end_ns, step = desk.now_ns + HOUR_NS, HOUR_NS // 40
    for n in range(40):
        desk.move(0, [(desk.now_ns + dice.randrange(step // 4), True), (desk.now_ns + step // 2, False)])
        desk.move(1 + n % 7, [(desk.now_ns + 50 * MS, True), (desk.now_ns + 120 * MS, False)])
        desk.rest_alone(step)
    assert desk.now_ns >= end_ns - 1 * S
    desk.ask(dtr=True)
    desk.meet(3 * S)
    dirty = [row for row in desk.changes(begun_ns) if row.station == "1"]
    moves = desk.moved[0]
    assert desk.stray(begun_ns) == []
    assert len(dirty) >= 512
    for row, (ns, closed) in zip(dirty[:512], moves, strict=False):
        assert row.closed is closed
        assert abs(row.t_ns - ns) <= row.err_ns
    others = [row for row in desk.changes(begun_ns) if row.station != "1"]
    assert len(others) == 80
    assert desk.link.beat is not None
    assert desk.link.beat.lost >= len(moves) - len(dirty) > 0
    assert any(row.err_ns > 500 * MS for row in desk.rows(begun_ns) if row.station == "1")


def test_an_hour_of_play(desk: Desk) -> None:
    """Volleys of any number of players with any bounce, sometimes with a stopped processor.

    No stamp is outside its bound, no name is wrong, nothing restarts or overflows. If the processor stopped for
    longer than a row may be on its way, the late evidence names who came first and opens the contest.
    """
    dice, restarts = Random(7), desk.pico.state["restarts"]
    end_ns, volleys = desk.now_ns + HOUR_NS, 0
    while desk.now_ns < end_ns:
        begun_ns = desk.now_ns
        pressed = desk.volley(dice, edges=dice.choice([1, 9, 25, 50]), players=dice.randrange(1, 9))
        stood_ns = dice.randrange(1, 60) * MS if dice.random() < 0.3 else 0
        if stood_ns:
            desk.run(dice.randrange(4, 10) * MS)
            desk.ask(stand=stood_ns)
        desk.run(begun_ns + 430 * MS - desk.now_ns)
        assert desk.outside(begun_ns) == []
        [photo] = desk.verdicts(begun_ns, RULES)
        right = str(min(pressed, key=lambda n: pressed[n]) + 1)
        earlier = [called.station for called, first in photo.late if first]
        assert photo.grey or photo.callers == (right,) or (stood_ns > RULES.latency_ns / 2 and right in earlier)
        volleys += 1
        desk.rest(dice.randrange(1, 20) * S)
    assert volleys > HOUR_NS // (21 * S) - 1
    assert desk.pico.state["restarts"] == restarts
    assert desk.pico.state["missed"] == 0
