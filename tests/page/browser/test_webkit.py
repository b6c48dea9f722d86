"""A phone and the scores in WebKit: `make browser`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page.browser.test_phones import NAME, plays, running, shown_code
from tests.page.browser.webkit import programs, webkit

pytestmark = pytest.mark.skipif(None in programs(), reason="WebKit is not installed (`make browser-tools` installs it)")


async def test_a_phone_sits_down_and_counts_and_the_scores_follow(tmp_path: Path) -> None:
    async with running(tmp_path) as (address, table), webkit() as browser:
        code = await shown_code(table)
        phone = await browser.window()
        await phone.open(f"{address}/J/{code}")
        await phone.until("!document.getElementById('sit').hidden")
        await phone.type("#name", NAME)
        await phone.tap(".chair[data-seat='2']", "#sit .main")
        await table.has(lambda face: face["seats"][1][0] == NAME)
        scores = await browser.window()
        await scores.open(f"{address}/scores")
        await plays(table)
        await phone.until("document.querySelectorAll('#teams button').length == 2")
        await phone.tap("#teams button:nth-child(2)")
        await phone.until("document.getElementById('field-0').disabled === false")
        await phone.tap("#field-0", "[data-key='4']", "#field-1", "[data-key='2']", "[data-key='8']", "#keys .main")
        await table.has(lambda face: face["count"]["cells"][1]["numbers"] == [4, 28])
        await phone.tap("#teams button:nth-child(1)")
        await phone.until("document.getElementById('field-0').disabled")
        await phone.tap("#field-1", "[data-key='1']", "[data-key='2']", "#keys .main")
        await table.until("Hand 2")
        await scores.until("document.getElementById('totals').textContent.includes('20')")  # 28 less twice 4
        await scores.until("document.querySelector('#sheet svg') !== null")
