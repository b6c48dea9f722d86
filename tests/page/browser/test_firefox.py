"""A phone as a button in Firefox: `make browser`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.page.browser.firefox import find, firefox
from tests.page.browser.test_phones import NAME, running, shown_code

pytestmark = pytest.mark.skipif(find() is None, reason="Firefox is not installed (`make browser-tools` installs it)")


async def test_a_phone_joins_is_ready_and_calls(tmp_path: Path) -> None:
    async with running(tmp_path) as (address, table), firefox() as phone:
        code = await shown_code(table)
        await phone.size(360, 640)
        await phone.open(f"{address}/J/{code}")
        await phone.until("!document.getElementById('sit').hidden")
        await phone.type("#name", NAME)
        for button in (".chair[data-seat='2']", "#sit .main"):
            await phone.press(button, 0.6)  # Firefox makes no click of so long a touch
        await table.has(lambda face: face["seats"][1][0] == NAME)
        await table.press("knob", "1")
        await phone.tap("#be-button")
        await phone.until("/[0-9]/.test(document.getElementById('bound').textContent)")
        await table.choose("Start")
        await table.until("Hand 1")
        for shown in (True, False):  # a touch counts from about 20 ms before its stamp: not at the first light
            await table.has(lambda face, lit=shown: face["lamps"][1] == [lit, "slow"])  # type: ignore[misc]
        await phone.tap("#press")
        await table.has(lambda face: face["lamps"][1][1] == "steady")
        await table.press("1")
        await phone.until("!document.getElementById('pause').hidden")
        await asyncio.sleep(0.3)  # a player turns a card first
        await phone.tap("#press")
        await phone.until("!document.getElementById('verdict').hidden")
        assert await phone.run("document.getElementById('verdict-names').textContent") == NAME
        assert await phone.run("document.getElementById('verdict-line').textContent") == "1st, the only call"
