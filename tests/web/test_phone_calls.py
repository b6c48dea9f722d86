"""Whole calls from wires, a pod and phones, over simulated links to the phones' buttons, the desk and the engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from referee.core.model.events import Linked
from referee.core.model.table import PHONE_LAG_NS, Setup
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting
from tests.web.phone_network import LINKS, BrowserClock, Link, Phone, SimulatedLoop, Table, Way, lan, simulated, until

WIRES, POD, PHONES = ("1", "2"), "3", ("4", "5", "6")
STATIONS = (*WIRES, POD, *PHONES)
W_NS = 20 * MS


def ready_sitting() -> Sitting:
    """Six players at READY; seat 3 is on a pod."""
    sitting = Sitting(Setup(stations=STATIONS, remote=(POD,), latency_ns=30 * MS))
    sitting.engine.intake([Linked(sitting.now_ns, "pod:1", True, (POD,))], sitting.now_ns)
    return sitting.seated(*STATIONS).wait(BREATH_NS)


async def race(loop: SimulatedLoop, folder: Path, dice: Random, links: Sequence[Link]) -> tuple[Table, list[Phone]]:
    """Start a hand: the phones have their button, everybody is ready, the cards move."""
    table = Table(loop, ready_sitting(), folder)
    phones = [table.phone(s, link, BrowserClock(dice)).open() for s, link in zip(PHONES, links, strict=True)]
    await until(loop, loop.now_ns() + 2 * S)
    assert set(table.state.table.phone_buttons) == {*PHONES}
    now_ns = loop.now_ns()
    for station in WIRES:
        table.wire(station, now_ns + 10 * MS)
    table.pod(POD, now_ns + 10 * MS, dice)
    for phone in phones:
        phone.touch(now_ns + 10 * MS)
    while table.state.phase.name != "PLAYING":
        await until(loop, loop.now_ns() + S)
        assert loop.now_ns() < now_ns + 30 * S, table.state.phase
    await until(loop, loop.now_ns() + 3 * S)
    table.verdicts()
    return table, phones


@pytest.mark.parametrize("seed", range(12))
def test_a_verdict_that_is_not_grey_is_right_over_any_link(seed: int, tmp_path: Path) -> None:
    dice = Random(seed)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [dice.choice(LINKS)(dice) for _ in PHONES])
        at_ns = loop.now_ns() + 100 * MS
        times = {station: at_ns + dice.randrange(120 * MS) for station in STATIONS}
        for station in WIRES:
            table.wire(station, times[station])
        table.pod(POD, times[POD], dice)
        for phone in phones:
            phone.touch(times[phone.station])
        await until(loop, at_ns + 2 * S)
        (ruled,) = table.verdicts()
        first_ns = min(times.values())
        if not ruled.verdict.grey:
            assert {*ruled.verdict.callers} == {s for s, t_ns in times.items() if t_ns <= first_ns + W_NS}
        assert ruled.at_ns <= first_ns + PHONE_LAG_NS + 200 * MS
        assert not any(phone.refused for phone in phones)

    simulated(story)


def test_a_call_is_decided_soon_where_the_links_are_quick(tmp_path: Path) -> None:
    dice = Random(1)

    async def story(loop: SimulatedLoop) -> None:
        table, _ = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        at_ns = loop.now_ns() + 100 * MS
        table.wire("1", at_ns)
        await until(loop, at_ns + 2 * S)
        (ruled,) = table.verdicts()
        assert ruled.at_ns - at_ns <= 220 * MS
        assert (ruled.verdict.callers, ruled.verdict.grey) == (("1",), False)

    simulated(story)


def test_a_phone_without_a_link_costs_the_whole_wait_and_nothing_else(tmp_path: Path) -> None:
    dice = Random(2)

    async def story(loop: SimulatedLoop) -> None:
        quick = [lan(dice) for _ in PHONES[1:]]
        table, phones = await race(loop, tmp_path, dice, [Link(Way(dice, MS), Way(dice, MS)), *quick])
        at_ns = loop.now_ns() + 100 * MS
        phones[0].link.back.down_until_ns = at_ns + 1500 * MS
        phones[0].touch(at_ns - 50 * MS)
        table.wire("1", at_ns)
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()
        assert ruled.at_ns - at_ns <= PHONE_LAG_NS + 70 * MS
        assert ruled.verdict.callers == ("1",)
        await until(loop, at_ns + 2 * S)
        ((late, would_be_first),) = table.state.phase.ruling.late  # type: ignore[attr-defined]
        assert (late.station, would_be_first) == (PHONES[0], True)

    simulated(story)
