"""The README's commands as a newcomer uses them, in a real browser, with an empty and a used state directory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.page.browser.chromium import chromium
from tests.page.browser.newcomer import Visitor, run


@asynccontextmanager
async def visit(state: Path, *options: str) -> AsyncIterator[Visitor]:
    """Run the program, open its page in a browser, and send Ctrl-C at the end."""
    async with run(state, *options) as address, chromium() as tab:
        await tab.size(1280, 800)
        await tab.open(address)
        yield Visitor(tab)
        assert tab.troubles() == []


async def two_play_a_hand(visitor: Visitor) -> None:
    """Let two people at buttons 1 and 2 join, start, get ready, call and count."""
    await visitor.tap(1, 2)
    await visitor.says("Red at 1 and Blue at 2")
    await visitor.choose("Start")
    await visitor.phase("Ready")
    await visitor.says("Red at 1 and Blue at 2: tap when you are ready")
    await visitor.tap(1, 2)
    await visitor.phase("Playing")
    await asyncio.sleep(0.5)
    await visitor.tap(1)
    await visitor.says("Nertz! Red at 1")
    await visitor.phase("Counting")
    await count(visitor, 1, 2)


async def count(visitor: Visitor, *numbers: int) -> None:
    """Enter a count of nothing left and nothing played: three holds each."""
    await asyncio.sleep(0.8)
    for number in numbers:
        for _ in range(3):
            await visitor.hold(number)
    await visitor.phase("Ready")


async def test_two_people_play_and_bots_that_come_later_ask_what_of_the_match(tmp_path: Path) -> None:
    async with visit(tmp_path) as visitor:
        await two_play_a_hand(visitor)
    async with visit(tmp_path, "--bots", "3") as visitor:
        await visitor.says("Go on with the match at 0 and 0. Line 1 of")
        assert await visitor.bots() == [2]
        await asyncio.sleep(14)
        await visitor.says("Go on with the match at 0 and 0. Line 1 of")
        await visitor.choose("Other people")
        await visitor.says("Nobody has sat down yet")
        assert await visitor.bots() == [2, 3, 4]


async def test_from_an_empty_directory_bots_sit_next_to_the_visitor(tmp_path: Path) -> None:
    async with visit(tmp_path, "--bots", "3") as visitor:
        assert await visitor.bots() == [2, 3, 4]
        await visitor.says("Nobody has sat down yet")
        await visitor.tap(3)
        await visitor.until("seats.filter(s => s.dataset.bot).length === 3 && !seats[1].dataset.bot")
        assert await visitor.bots() == [4, 5, 6]
        await visitor.says("Green at 3", "Gold at 4")
        await visitor.until("table.seats.filter(s => s[0]).length === 4")
        await visitor.choose("Start the match with 4 teams")
        await visitor.phase("Ready")
        await visitor.tap(3)
        await visitor.phase("Playing", seconds=90)
