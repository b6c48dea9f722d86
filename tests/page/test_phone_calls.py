"""Whole calls from wires, a pod and phones, over simulated links to the phones' buttons, the desk and the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from referee.core.clocks.touch import TOUCH_NS
from referee.core.model.table import PHONE_LAG_NS
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import Json, replace
from referee.page.phone_button import CLOCKS, Button, Buttons
from referee.protocol.page import PhoneProof
from tests.core.sitting import Sitting
from tests.page.phone_network import (
    LINKS,
    PHONES,
    POD,
    STATIONS,
    WIRES,
    BrowserClock,
    Link,
    Phone,
    SimulatedLoop,
    Table,
    Way,
    lan,
    race,
    simulated,
    until,
    wifi,
)

W_NS = 20 * MS


@pytest.mark.parametrize("seed", range(12))
def test_a_verdict_that_is_not_grey_is_right_over_any_link(seed: int, tmp_path: Path) -> None:
    dice = Random(seed)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [dice.choice(LINKS)(dice) for _ in PHONES])
        at_ns = loop.now_ns() + 100 * MS
        times = {station: at_ns + dice.randrange(120 * MS) for station in STATIONS}
        for station in WIRES:
            table.wire(station, times[station])
        table.pod(POD, times[POD])
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


@pytest.mark.parametrize("seed", range(3))
def test_a_pods_press_goes_through_its_link(seed: int, tmp_path: Path) -> None:
    dice = Random(seed)

    async def story(loop: SimulatedLoop) -> None:
        table, _ = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        at_ns = loop.now_ns() + 100 * MS
        table.pod(POD, at_ns)
        await until(loop, at_ns + 2 * S)
        edges = [row for row in table.rows if isinstance(row, Edge) and row.station == POD]
        (ruled,) = table.verdicts()
        (press,) = ruled.verdict.presses
        assert ruled.verdict.callers == (POD,)
        assert abs(press.t_ns - at_ns) <= press.err_ns <= 1 * MS
        assert edges
        assert all(row.clock and row.clock.startswith("e66141040b2c3f2a:") for row in edges)

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


def test_a_touch_opens_a_call_with_its_first_message(tmp_path: Path) -> None:
    dice = Random(12)

    async def story(loop: SimulatedLoop) -> None:
        table, (phone, *_) = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        phone.asleep = True  # nothing else comes
        phone.say(touch=True, at=phone.clock.read_ms(loop.now_ns()))
        await until(loop, loop.now_ns() + 6 * MS)
        assert table.state.phase.name == "CALLED"

    simulated(story)


def test_a_browser_that_hands_touches_over_late_is_waited_for(tmp_path: Path) -> None:
    """After one such touch, the next one is within what the phone's proofs allow for."""
    dice = Random(3)

    async def story(loop: SimulatedLoop) -> None:
        table, (phone, *_) = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        playing, phone.handed_ns = table.state, (45 * MS, 48 * MS)
        phone.touch(loop.now_ns())
        await until(loop, loop.now_ns() + S)
        assert table.verdicts()[0].verdict.callers == (phone.station,)
        table.engine.state = replace(table.state, phase=playing.phase, undo=playing.undo)
        at_ns = loop.now_ns() + 100 * MS
        table.wire("1", at_ns)
        phone.touch(at_ns + 10 * MS)
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()
        assert ruled.verdict.grey
        assert {press.station for press in ruled.verdict.presses} == {"1", phone.station}

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


def test_a_call_that_opens_is_asked_about_at_once() -> None:
    async def story(loop: SimulatedLoop) -> None:
        asked: list[tuple[int, Mapping[str, Json]]] = []
        proofs: list[int] = []

        async def send(message: Mapping[str, Json]) -> None:
            asked.append((loop.now_ns(), message))

        def report(report: object) -> None:
            proofs.extend([report.until_ns] if isinstance(report, PhoneProof) else [])

        buttons = Buttons(report)
        button = Button("phone-1", buttons, send, lambda: "PLAYING", loop.now_ns)
        asking = asyncio.create_task(button.ask())
        await until(loop, 1030 * MS)
        button.hear({"clock": asked[-1][1]["clock"], "at": 5_030.0})  # the phone's clock is 4 s ahead
        buttons.prove(1050 * MS)
        await until(loop, 1031 * MS)
        at_ns, question = asked[-1]
        assert at_ns == 1030 * MS
        after = question["after"]
        assert isinstance(after, float)
        await until(loop, round((after - 4_000) * MS))
        button.hear({"clock": question["clock"], "at": after, "left": after})
        assert max(proofs) > 1050 * MS
        assert not any("after" in message for sent_ns, message in asked if sent_ns < at_ns)
        buttons.prove(1040 * MS)
        await until(loop, loop.now_ns() + MS)
        assert proofs[-1] == proofs[-2]  # it is known already: no need to ask
        asking.cancel()

    simulated(story)


# -- trouble ---------------------------------------------------------------------------------------------------------


async def lost_ns(loop: SimulatedLoop, table: Table) -> int:
    """Return after how long the table shows that a phone has no link."""
    since_ns = loop.now_ns()
    while not table.state.away:
        await until(loop, loop.now_ns() + 10 * MS)
        assert loop.now_ns() < since_ns + 5 * S
    return loop.now_ns() - since_ns


@pytest.mark.parametrize("in_lobby", [True, False])
def test_a_phone_that_sleeps_is_shown_within_two_seconds_and_keeps_its_seat(in_lobby: bool, tmp_path: Path) -> None:
    dice = Random(3)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [wifi(dice) for _ in PHONES])
        if in_lobby:
            calm = Sitting(table.state.table.setup).engine.state.phase
            table.engine.state = replace(table.state, phase=calm)
            await until(loop, loop.now_ns() + 3 * S)
        seats = table.state.phones
        for wait_ns in range(0, S, S // 5):
            await until(loop, loop.now_ns() + wait_ns)
            phones[0].asleep = True
            assert await lost_ns(loop, table) <= 2 * S
            assert PHONES[0] in table.state.away
            phones[0].asleep = False
            await until(loop, loop.now_ns() + 2 * S)
            back = table.now()
            assert not back.away
            assert back.phones == seats

    simulated(story)


def test_a_page_that_is_loaded_again_in_mid_hand_calls_as_before(tmp_path: Path) -> None:
    dice = Random(4)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        phones[0].close()
        assert await lost_ns(loop, table) <= 2 * S
        phones[0].clock = BrowserClock(dice)
        phones[0].open()
        await until(loop, loop.now_ns() + S)
        assert table.state.away == ()
        phones[0].touch(loop.now_ns())
        await until(loop, loop.now_ns() + S)
        (ruled,) = table.verdicts()
        assert ruled.verdict.callers == (PHONES[0],)

    simulated(story)


def test_two_tabs_of_a_phone_prove_nothing_and_are_lost_together(tmp_path: Path) -> None:
    """A proof of one tab says nothing about the touches of the other."""
    dice = Random(5)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        tab = replaced(phones[0], lan(dice)).open()
        await until(loop, loop.now_ns() + S)
        phones[0].asleep = True
        await until(loop, loop.now_ns() + 3 * S)
        assert table.state.away == ()
        at_ns = loop.now_ns() + 100 * MS
        table.wire("1", at_ns)
        tab.link.back.down_until_ns = at_ns + 250 * MS
        tab.touch(at_ns - 60 * MS)
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()  # waited for; too old to count as claimed
        assert (ruled.verdict.callers, ruled.verdict.grey) == (("1",), True)
        tab.asleep = True
        assert await lost_ns(loop, table) <= 2 * S

    simulated(story)


def replaced(phone: Phone, link: Link) -> Phone:
    """Return another tab of the same phone."""
    return Phone(phone.table, phone.name, phone.station, link, phone.clock)


def test_a_press_while_the_link_was_down_is_late_evidence(tmp_path: Path) -> None:
    """The page keeps it and sends it first on the new connection, before anything is known of its clock there."""
    dice = Random(6)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        phone = phones[0]
        phone.close()
        at_ns = loop.now_ns() + 200 * MS
        await until(loop, at_ns)
        kept = phone.clock.read_ms(at_ns)
        table.wire("1", at_ns + 100 * MS)
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()
        assert ruled.verdict.callers == ("1",)
        phone.open()
        for down in (True, True, False, False):
            phone.say(touch=down, at=kept)
            kept += 30
        await until(loop, loop.now_ns() + S)
        assert phone.refused == []
        ((late, would_be_first),) = table.state.phase.ruling.late  # type: ignore[attr-defined]
        assert (late.station, would_be_first) == (phone.station, True)

    simulated(story)


@pytest.mark.parametrize("seed", range(20))
def test_touch_from_before_a_page_was_loaded_again_is_only_late_evidence(seed: int, tmp_path: Path) -> None:
    """However early it was and whenever it comes, it is no call and makes no verdict wrong."""
    dice = Random(seed)

    async def story(loop: SimulatedLoop) -> None:
        table, (phone, *_) = await race(loop, tmp_path, dice, [dice.choice(LINKS)(dice) for _ in PHONES])
        phone.asleep = True  # the link is down
        at_ns = loop.now_ns() + dice.randrange(S)
        press_ns, back_ns = at_ns + dice.randrange(300 * MS), at_ns + dice.randrange(100 * MS, 2 * S)
        seen_ms = phone.clock.read_ms(at_ns + dice.randrange(*TOUCH_NS))
        table.wire("1", press_ns)
        await until(loop, back_ns)
        before = table.state.phase.name
        run, phone.asleep = phone.run, False
        phone.load_again().say(touch=True, at=seen_ms, id=1, run=run)
        await until(loop, max(press_ns, back_ns) + S)
        (ruled,) = table.verdicts()
        assert ruled.verdict.callers == ("1",)
        if before != "PLAYING":
            ((late, would_be_first),) = table.state.phase.ruling.late  # type: ignore[attr-defined]
            assert late.station == phone.station
            assert abs(late.t_ns - at_ns) <= late.err_ns < 250 * MS
            assert not would_be_first or at_ns < press_ns
        assert phone.refused == []

    simulated(story)


def test_touch_from_before_the_hand_is_no_evidence(tmp_path: Path) -> None:
    dice = Random(13)

    async def story(loop: SimulatedLoop) -> None:
        table, (phone, *_) = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        seen_ms, run = phone.clock.read_ms(loop.now_ns() - 20 * S), phone.run
        table.wire("1", loop.now_ns())
        await until(loop, loop.now_ns() + S)
        phone.load_again().say(touch=True, at=seen_ms, id=1, run=run)
        await until(loop, loop.now_ns() + S)
        assert phone.refused == []
        assert table.state.phase.ruling.late == ()  # type: ignore[attr-defined]

    simulated(story)


def test_touch_that_comes_again_counts_once(tmp_path: Path) -> None:
    """A page sends it again until a question has confirmed it; the next page may do so too."""
    dice = Random(14)

    async def story(loop: SimulatedLoop) -> None:
        table, (phone, *_) = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        seen_ms, run, rows = phone.clock.read_ms(loop.now_ns()), phone.run, table.state.rows
        phone.say(touch=True, at=seen_ms, id=7)
        await until(loop, loop.now_ns() + 5 * MS)
        phone.load_again().say(touch=True, at=seen_ms, id=7, run=run)
        await until(loop, loop.now_ns() + S)
        (ruled,) = table.verdicts()
        assert (ruled.verdict.callers, ruled.verdict.grey, ruled.verdict.late) == ((phone.station,), False, ())
        assert table.state.rows == rows + 3  # the touch, and its end with the connection
        assert {str(said["got"]) for said in phone.heard if "got" in said} == {"[7]"}

    simulated(story)


def test_touch_by_an_unknown_clock_is_refused(tmp_path: Path) -> None:
    """Also one that is too old, and one by a clock that several pages ago was the phone's."""
    dice = Random(15)

    async def story(loop: SimulatedLoop) -> None:
        table, (phone, *_) = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        table.wire("1", loop.now_ns())
        await until(loop, loop.now_ns() + S)
        seen_ms, run = phone.clock.read_ms(loop.now_ns()), phone.run
        phone.load_again().say(touch=True, at=seen_ms, id=1, run="x")
        phone.say(touch=True, at=seen_ms - 61_000, id=2, run=run)
        phone.say(touch=True, at=seen_ms + 61_000, id=3, run=run)
        for _ in range(CLOCKS):
            await until(loop, loop.now_ns() + S)
            phone.load_again()
        await until(loop, loop.now_ns() + S)
        phone.say(touch=True, at=seen_ms, id=4, run=run)
        await until(loop, loop.now_ns() + S)
        assert [said["got"] for said in phone.heard if "got" in said] == [[1, 2, 3], [4]]
        assert len(phone.refused) == 2

    simulated(story)


# -- messages that are no honest phone's ------------------------------------------------------------------------------


def test_a_touch_whose_beginning_is_refused_does_not_begin_later(tmp_path: Path) -> None:
    dice = Random(7)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        now_ms = phones[0].clock.read_ms(loop.now_ns())
        phones[0].say(touch=True, at=now_ms + 5_000)
        phones[0].say(touch=True, at=now_ms)
        await until(loop, loop.now_ns() + S)
        assert (len(phones[0].refused), table.verdicts()) == (1, [])
        phones[0].say(touch=False, at=now_ms)
        phones[0].touch(loop.now_ns())
        await until(loop, loop.now_ns() + S)
        assert len(table.verdicts()) == 1

    simulated(story)


@pytest.mark.parametrize("ahead_ms", [-20_000, -150, 90, 5_000])
def test_a_phone_that_lies_about_a_touch_wins_no_earlier_instant(ahead_ms: float, tmp_path: Path) -> None:
    """It is refused, or late, or no better than a touch of now."""
    dice = Random(8)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        at_ns = loop.now_ns() + 50 * MS
        table.wire("1", at_ns)
        await until(loop, at_ns + 95 * MS)  # the phones have been asked since the call
        lie = phones[0].clock.read_ms(loop.now_ns()) + ahead_ms
        for more in (0, 20):
            phones[0].say(touch=True, at=lie + more)
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()
        assert (ruled.verdict.callers, ruled.verdict.grey) == (("1",), False)

    simulated(story)


def test_a_clock_that_jumps_is_learnt_anew_and_never_proves_the_future(tmp_path: Path) -> None:
    dice = Random(9)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        for jump_ns in (10 * S, -10 * S, 300 * MS, -300 * MS):
            phones[0].clock.offset_ns += jump_ns
            forgotten = phones[0].forgotten
            await until(loop, loop.now_ns() + S)
            assert phones[0].forgotten > forgotten
            assert all(contact.known_ns <= loop.now_ns() for contact in table.state.contacts)
        phones[0].touch(at_ns := loop.now_ns())
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()
        (press,) = ruled.verdict.presses
        assert abs(press.t_ns - at_ns) <= press.err_ns

    simulated(story)


def test_sixty_four_phones_leave_the_call_to_those_with_a_seat(tmp_path: Path) -> None:
    dice = Random(10)

    async def story(loop: SimulatedLoop) -> None:
        table, phones = await race(loop, tmp_path, dice, [lan(dice) for _ in PHONES])
        guests = [table.guest(lan(dice), BrowserClock(dice)).open() for _ in range(64 - len(phones))]
        await until(loop, loop.now_ns() + S)
        at_ns = loop.now_ns() + 100 * MS
        for guest in guests:
            guest.touch(at_ns - 50 * MS)
        phones[1].touch(at_ns)
        await until(loop, at_ns + S)
        (ruled,) = table.verdicts()
        assert [press.station for press in ruled.verdict.presses] == [phones[1].station]
        assert ruled.at_ns - at_ns <= 250 * MS

    simulated(story)
