"""A whole match of Nertz with four browsers as seats, over links that delay.

By hand: `make browser ARGS="-k four_browsers"`. TARGET=100 plays more hands. In network namespaces, under a LAN name:
`tests/page/browser/namespaces.sh make browser ARGS="-k four_browsers"`.

Each press is injected: no finger moves. Its true stamp is measured apart from the table, through the browser's own
driver, which reads the page's clock on this machine. The table takes a touch to be `TOUCH_NS` older than its stamp.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest

from referee.core.clocks.touch import TOUCH_NS
from referee.core.units import MS
from tests.page.browser import firefox as firefoxes
from tests.page.browser.axe import AXE, judged
from tests.page.browser.chromium import Tab, chromium
from tests.page.browser.firefox import firefox
from tests.page.browser.namespaces import NAME
from tests.page.browser.relay import Link, relay
from tests.page.browser.test_phones import SHOTS, Table, own_address, running, shown_code
from tests.page.browser.webkit import programs, webkit

pytestmark = pytest.mark.skipif(
    firefoxes.find() is None or None in programs(), reason="a browser is missing (`make browser-tools` installs them)"
)
TARGET = int(os.environ.get("TARGET", "40"))
W_NS = 20 * MS
STEP_NS = 1 * MS
"""The longest step of these browsers' clocks."""
GAPS_S = (0.0, 0.04, 0.12, 0.25)
"""Pauses between the two presses of a call, in turn, in seconds."""
NAMES = ("Anna", "Zoë", "Łukasz", "Mi")
RECORD = """(() => {
    const seen = window.seen = {presses: [], verdicts: []};
    document.getElementById('press').addEventListener('pointerdown', event => seen.presses.push(event.timeStamp), true);
    const verdict = document.getElementById('verdict');
    new MutationObserver(() => { if (!verdict.hidden) seen.verdicts.push(performance.now()); })
        .observe(verdict, {attributes: true, attributeFilter: ['hidden']});
    return 0;
})()"""


class Page(Protocol):
    """One page in a browser."""

    async def run(self, script: str) -> Any: ...
    async def until(self, script: str) -> None: ...
    async def tap(self, *selectors: str) -> None: ...
    async def press(self, selector: str, seconds: float = 0.1) -> None: ...
    async def type(self, selector: str, text: str) -> None: ...
    async def open(self, address: str) -> None: ...


class Touched:
    """A page in Chromium that is touched."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.run, self.until = tab.run, tab.until

    async def tap(self, *selectors: str) -> None:
        for selector in selectors:
            await self.press(selector)

    async def press(self, selector: str, seconds: float = 0.1) -> None:
        at = await self.tab.middle(selector)
        await self.tab.touch("touchStart", at)
        await asyncio.sleep(seconds)
        await self.tab.touch("touchEnd")

    async def type(self, selector: str, text: str) -> None:
        await self.tap(selector)
        await self.tab.ask("Input.insertText", text=text)

    async def open(self, address: str) -> None:
        for domain in ("Page", "Runtime", "Log"):
            await self.tab.ask(f"{domain}.enable")
        await self.tab.ask("Page.navigate", url=address)
        await self.until("document.readyState === 'complete'")


@dataclass
class Seat:
    """A player's phone. early_ns, late_ns: limits of what the page's clock reads less than the host's."""

    kind: str
    page: Page
    link: Link
    address: str
    number: int = 0
    early_ns: int = -(2**62)
    late_ns: int = 2**62
    waits_ms: list[float] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)

    @property
    def station(self) -> str:
        return str(self.number)

    async def compare_clocks(self, times: int = 10) -> None:
        """Narrow the limits by reading the page's clock through its driver."""
        for _ in range(times):
            before_ns = time.monotonic_ns()
            read_ns = round(await self.page.run("performance.now()") * MS)
            after_ns = time.monotonic_ns()
            self.early_ns = max(self.early_ns, before_ns - read_ns - STEP_NS)
            self.late_ns = min(self.late_ns, after_ns - read_ns + STEP_NS)

    def instant_ns(self, reading_ms: float) -> tuple[int, int]:
        """Return the first and last instant on the host's clock that a reading can mean."""
        read_ns = round(reading_ms * MS)
        return read_ns + self.early_ns - STEP_NS, read_ns + self.late_ns + STEP_NS

    async def shows(self, script: str) -> None:
        await self.page.until(f"(find => {script})(id => document.getElementById(id))")


@asynccontextmanager
async def four(address: str) -> AsyncIterator[list[Seat]]:
    """Open four browsers, each with a link of its own to the table."""
    table = urlsplit(address)
    assert table.hostname is not None
    assert table.port is not None
    listen = NAME or own_address()
    async with AsyncExitStack() as running_all:
        opened: list[tuple[str, Page]] = []
        for kind, size in (("Chromium phone", (360, 640)), ("Chromium tablet", (820, 1180))):
            tab = await running_all.enter_async_context(chromium())
            await tab.size(*size, ratio=2, phone=True)
            opened.append((kind, Touched(tab)))
        window = await running_all.enter_async_context(firefox())
        await window.size(390, 844)
        opened.append(("Firefox", window))
        driver = await running_all.enter_async_context(webkit())
        opened.append(("WebKitGTK", await driver.window()))
        seats = []
        for number, (kind, page) in enumerate(opened, 1):
            dice = Random(number)
            link = Link(lambda dice=dice: dice.uniform(0, 0.04))  # type: ignore[misc]
            port = await running_all.enter_async_context(relay(link, listen, table.hostname, table.port))
            seats.append(Seat(kind, page, link, f"http://{listen}:{port}", number))
        yield seats


async def judges(seats: Sequence[Seat], phase: str) -> None:
    """Check with axe-core that the pages in Chromium, a phone's and a tablet's, keep no one out."""
    for seat in seats:
        if isinstance(seat.page, Touched):
            if SHOTS:
                await seat.page.tab.picture(Path(SHOTS) / f"four-{phase}-{seat.number}.png")
            assert not AXE.exists() or await judged(seat.page.tab) == []


async def each(seats: Sequence[Seat], do: Callable[[Seat], Awaitable[object]]) -> None:
    await asyncio.gather(*(do(seat) for seat in seats))


async def joins(seat: Seat, code: str) -> None:
    """Scan the code, enter a name, take a seat, make the screen the button."""
    await seat.page.open(f"{seat.address}/J/{code}")
    await seat.shows("!find('sit').hidden")
    await seat.page.type("#name", NAMES[seat.number - 1])
    await seat.page.tap(f".chair[data-seat='{seat.number}']", "#sit .main")
    await seat.shows("!find('be-button').hidden")
    await seat.page.tap("#be-button")
    await seat.shows("!find('seat').hidden && /[0-9]/.test(find('bound').textContent)")
    await seat.page.run(RECORD)


async def answers(seat: Seat, table: Table, phase: str) -> None:
    """Tap until the table has taken the answer, as a person does."""
    await seat.shows("!find('seat').hidden")
    while table.face["asks"] == phase and table.face["lamps"][seat.number - 1][1] != "steady":
        if table.face["lamps"][seat.number - 1] == [True, "slow"]:
            await seat.page.tap("#press")
        await asyncio.sleep(0.4)


async def begins(seats: Sequence[Seat], table: Table) -> None:
    """All agree on the rules if they are asked, and are ready; play begins."""
    for phase in ("agreement", "ready"):
        await table.has(lambda face: face["asks"] in ("agreement", "ready"))
        if table.face["asks"] == phase:
            await each(seats, lambda seat, phase=phase: answers(seat, table, phase))  # type: ignore[misc]
    await each(seats, lambda seat: seat.shows("!find('pause').hidden"))
    await asyncio.sleep(0.5)  # nobody calls at once


async def calls(caller: Seat, second: Seat, gap_s: float) -> None:
    """Press both buttons, one after the other; wait for the verdict on both phones."""

    async def follows() -> None:
        await asyncio.sleep(gap_s)
        await second.page.press("#press")

    both = (caller, second)
    for seat in both:
        seat.bounds.append(await seat.page.run("document.getElementById('bound').textContent"))
        await seat.page.run("(seen.presses.length = seen.verdicts.length = 0)")
    await asyncio.gather(caller.page.press("#press"), follows())
    for seat in both:
        await seat.shows("seen.verdicts.length")


async def pressed_ns(seat: Seat) -> tuple[int, int]:
    """Return the limits of the press's stamp on the host's clock."""
    return seat.instant_ns(await seat.page.run("seen.presses[0]"))


async def measured(seat: Seat, ruled_ns: int) -> str:
    """Note how long the verdict took beyond the link's delay."""
    pressed_ms, shown_ms = await seat.page.run("seen.presses[0]"), await seat.page.run("seen.verdicts[0]")
    from_ns, to_ns = seat.instant_ns(pressed_ms)[0], seat.instant_ns(shown_ms)[1]
    up = seat.link.first(from_ns, to_table=True)
    down = seat.link.first(ruled_ns, to_table=False, containing=b'"called":')
    delay_ms = (up.delay_ns + down.delay_ns) / MS
    seat.waits_ms.append(shown_ms - pressed_ms - delay_ms)
    return (
        f"  {seat.kind}: shown {shown_ms - pressed_ms:.0f} ms after the press, {delay_ms:.0f} ms of them on the link;"
        f" decided after {(ruled_ns - from_ns) / MS:.0f} ms, sent {(down.arrived_ns - ruled_ns) / MS:.0f} ms later,"
        f" drawn in {(to_ns - down.left_ns) / MS:.0f} ms"
    )


def traced(seats: Sequence[Seat], caller: Seat, pressed_ms: float, ruled_ns: int) -> Iterator[str]:
    """Say when each message of a call went its way, in ms after the press's stamp."""
    zero_ns = sum(caller.instant_ns(pressed_ms)) // 2
    end_ns = ruled_ns + 300 * MS

    def ms(at_ns: int) -> str:
        return f"{(at_ns - zero_ns) / MS:.0f}"

    for seat in seats:
        steps = []
        for piece in seat.link.pieces:
            if not zero_ns <= piece.arrived_ns <= end_ns:
                continue
            way = f"{ms(piece.arrived_ns)}→{ms(piece.left_ns)}"
            for message in piece.messages:
                if "touch" in message:
                    late = f", handed over after {message['seen'] - message['at']:.0f}" if "seen" in message else ""
                    steps.append(f"touch {message['touch']:d} {way}{late}")
                elif "after" in message or (piece.to_table and "clock" in message):
                    due = (
                        f", wanted from {ms(sum(seat.instant_ns(message['after'])) // 2)}" if "after" in message else ""
                    )
                    at = f", at {ms(sum(seat.instant_ns(message['at'])) // 2)}" if "at" in message else ""
                    steps.append(f"{'answer' if piece.to_table else 'question'} {message['clock']} {way}{due}{at}")
                elif any((own or {}).get("verdict") for own in message.get("table", {}).get("own", {}).values()):
                    steps.append(f"verdict {way}")
        yield f"    {seat.kind}: " + "; ".join(steps)


async def counts(seat: Seat, callers: Sequence[Seat]) -> None:
    """Enter the own count: the caller has nothing left and the most cards in the middle."""
    await seat.shows("!find('count').hidden && document.querySelectorAll('#fields input').length == 2")
    mine = (
        (("field-1", str(10 + seat.number)),)
        if seat in callers
        else (("field-0", "3"), ("field-1", str(7 + seat.number)))
    )
    for name, digits in mine:
        await seat.page.tap(f"#{name}", *(f"[data-key='{key}']" for key in digits))
    await seat.page.tap("#keys .main")


async def votes(seats: Sequence[Seat], table: Table) -> None:
    """The host's phone proposes another target between two hands. The others vote against it."""
    await table.has(lambda face: face["asks"] == "ready")
    assert await asks(seats[0].page, "set", setting="target", value=TARGET + 1) == 200

    async def vote(seat: Seat) -> None:
        answer = "vote-yes" if seat is seats[0] else "vote-no"
        await seat.shows("!find('vote').hidden && !find('answers').hidden")
        while table.face["asks"] != "ready" and await seat.page.run(f"!document.getElementById('{answer}').hidden"):
            if await seat.page.run("document.getElementById('vote').hidden"):
                break
            with suppress(RuntimeError):  # the vote may be over meanwhile
                await seat.page.tap(f"#{answer}")
            await asyncio.sleep(0.4)

    await each(seats, vote)
    await table.has(lambda face: face["asks"] == "ready")


async def asks(page: Page, do: str, **body: object) -> int:
    """Send a request as the phone; return its status."""
    request = {"method": "POST", "headers": {"Content-Type": "application/json"}, "body": json.dumps(body)}
    # WebKit's driver waits for no promise
    await page.run(
        f"(window.status = 0, fetch('/api/{do}', {json.dumps(request)}).then(a => {{ status = a.status; }}), 0)"
    )
    await page.until("window.status != 0")
    return int(await page.run("Number(window.status)"))


def rows(folder: Path) -> tuple[list[list[Any]], list[dict[str, Any]]]:
    """Return the evening's edge rows that close, and its verdicts."""
    edges, verdicts = [], []
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line.strip().partition(" ")[2] or "{}")
            if row.get("edge", ["", False])[1]:
                edges.append(row["edge"])
            if row.get("event", {}).get("type") == "ruled":
                verdicts.append(row["event"])
    return edges, verdicts


def is_inside(stamp_ns: tuple[int, int], t_ns: int, err_ns: int) -> bool:
    """Return whether the row covers all touches that can have this stamp, within the limits of what was measured."""
    low_ns, high_ns = t_ns - err_ns + TOUCH_NS[1], t_ns + err_ns + TOUCH_NS[0]
    return max(low_ns, stamp_ns[0]) <= min(high_ns, stamp_ns[1])


def verdict_text(verdict: dict[str, Any], stamps: dict[str, tuple[int, int]]) -> str:
    first, second = stamps.values()
    gap_ms, known_ms = (sum(second) - sum(first)) / 2 / MS, (first[1] - first[0] + second[1] - second[0]) / 2 / MS
    sure = "grey" if verdict["grey"] else "sure"
    return f"{verdict['callers']} {sure}; pressed: {list(stamps)}, {gap_ms:.1f} ± {known_ms:.1f} ms apart"


def is_right(callers: list[str], stamps: dict[str, tuple[int, int]]) -> bool:
    """Return whether these are the callers for some instants within what was measured.

    A finger may have touched up to 20 ms earlier or later relative to another one: nothing moved here, so no such
    difference is known, and a stamp is taken for its touch.
    """
    sure = {station for station, own in stamps.items() if all(own[1] <= other[0] + W_NS for other in stamps.values())}
    possible = {
        station for station, own in stamps.items() if all(own[0] <= other[1] + W_NS for other in stamps.values())
    }
    return sure <= set(callers) <= possible


def p95(values: Sequence[float]) -> float:
    return sorted(values)[-(-len(values) * 95 // 100) - 1]


async def test_four_browsers_play_a_match_and_a_rematch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No verdict names a wrong caller, each touch lies within its bound, and verdicts come soon."""
    said: list[str] = []
    touches: list[tuple[Seat, tuple[int, int]]] = []
    async with running(tmp_path) as (address, table), four(address) as seats:
        code = await shown_code(table)
        for seat in seats:  # the first is the host
            await joins(seat, code)
        assert await asks(seats[0].page, "set", setting="target", value=TARGET) == 200
        await judges(seats, "lobby")
        await seats[0].page.press("#start", 0.6)
        await table.has(lambda face: face["asks"] in ("agreement", "ready"))

        async def plays(hand: int) -> None:
            await begins(seats, table)
            caller, second = seats[hand % 4], seats[(hand + 1 + hand // 4 % 3) % 4]
            gap_s = GAPS_S[hand % len(GAPS_S)]
            await each(seats, lambda seat: seat.compare_clocks())
            await calls(caller, second, gap_s)
            await each(seats, lambda seat: seat.compare_clocks(3))
            stamps = {seat.station: await pressed_ns(seat) for seat in (caller, second)}
            touches.extend((seat, stamps[seat.station]) for seat in (caller, second))
            if hand == 0:
                await judges(seats, "verdict")
            ruled = rows(tmp_path)[1][-1]
            verdict = ruled["verdict"]
            said.append(f"hand {hand + 1}: {verdict_text(verdict, stamps)}")
            said.append(await measured(caller, ruled["at_ns"]))
            pressed_ms = await caller.page.run("seen.presses[0]")
            said.extend(traced(seats, caller, pressed_ms, ruled["at_ns"]))
            with capsys.disabled():
                print(*said[-2 - len(seats) :], sep="\n", flush=True)  # noqa: T201
            if not verdict["grey"]:
                assert is_right(verdict["callers"], stamps)
            await table.has(lambda face: face["asks"] == "counting")
            callers = [seat for seat in seats if seat.station in verdict["callers"]]
            await each(seats, lambda seat: counts(seat, callers))
            await table.has(lambda face: face["asks"] != "counting")

        hand = 0
        while table.face["asks"] != "over":
            await plays(hand)
            hand += 1
            if hand == 1:
                await votes(seats, table)
        await each(seats, lambda seat: answers(seat, table, "over"))
        await plays(hand)
    edges, _ = rows(tmp_path)
    outside = []
    for seat, stamp_ns in touches:
        own = [edge for edge in edges if edge[0] == seat.station]
        row = min(own, key=lambda edge: abs(edge[2] + sum(TOUCH_NS) // 2 - sum(stamp_ns) // 2))
        if not is_inside(stamp_ns, row[2], row[3]):
            outside.append((seat.kind, stamp_ns, row))
    waits = [wait for seat in seats for wait in seat.waits_ms]
    for kind, these in [*((seat.kind, seat.waits_ms) for seat in seats if seat.waits_ms), ("all", waits)]:
        said.append(f"{kind}: {len(these)} presses, p50 {median(these):.0f} ms, p95 {p95(these):.0f} ms")
    said += [f"{seat.kind}: bounds {' '.join(seat.bounds)}" for seat in seats]
    said.append(f"{len(touches)} touches, {len(outside)} outside their bound")
    with capsys.disabled():
        print(*said[-10:], sep="\n")  # noqa: T201
    assert outside == []
