"""The pages' live connections to the table in a real browser: `make browser`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page.browser.chromium import chromium
from tests.page.browser.test_phones import running

KEPT = """
    window.kept = [];
    window.WebSocket = class extends WebSocket {
        constructor(...given) { super(...given); kept.push(this); }
    };
"""
"""Run before the page's own script: records each connection that it opens."""
RETURNS = "for (let times = 0; times < 3; times++) dispatchEvent(new Event('online'))"
"""The network is reported back three times at once: all connections but the last are dropped while opening."""


@pytest.mark.parametrize("path", ["/join", "/scores", "/table"])
async def test_a_line_dropped_on_its_way_is_closed_and_nothing_is_complained_of(path: str, tmp_path: Path) -> None:
    """A phone paired by its link drops its first connection like this."""
    async with running(tmp_path) as (address, _), chromium() as tab:
        for domain in ("Page", "Runtime", "Log"):
            await tab.ask(f"{domain}.enable")
        await tab.ask("Page.addScriptToEvaluateOnNewDocument", source=KEPT)
        await tab.ask("Page.navigate", url=address + path)
        await tab.until("window.kept?.map(line => line.readyState).join() === '1'")
        await tab.run(RETURNS)
        await tab.until("kept.map(line => line.readyState).join() === '3,3,3,1'")
        complaints = [trouble for trouble in tab.troubles() if "Cross-Origin-Opener" not in trouble]
        assert complaints == []


def sight(hidden: bool) -> str:
    """Hide or show the page, as a phone that falls asleep and wakes does."""
    return (
        f"Object.defineProperty(document, 'hidden', {{ value: {str(hidden).lower()}, configurable: true }});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )


IMPATIENT = "window.setTimeout = (wait => (act, ms) => wait(act, ms > 40_000 ? 20 : ms))(setTimeout);"
"""Run before the page's own script: shortens its waits that are longer than the table's heartbeat."""


@pytest.mark.parametrize(("path", "asleep"), [("/join", 3), ("/scores", 3), ("/wall", 3), ("/table", 1)])
async def test_page_opens_another_line_when_it_wakes_or_hears_nothing(path: str, asleep: int, tmp_path: Path) -> None:
    """`asleep`: the state of a hidden page's connection. The table keeps it, for its sounds."""
    async with running(tmp_path) as (address, _), chromium() as tab:
        for domain in ("Page", "Runtime", "Log"):
            await tab.ask(f"{domain}.enable")
        await tab.ask("Page.addScriptToEvaluateOnNewDocument", source=KEPT)
        await tab.ask("Page.navigate", url=address + path)
        await tab.until("window.kept?.map(line => line.readyState).join() === '1'")
        await tab.run(sight(hidden=True))
        await tab.until(f"kept.map(line => line.readyState).join() === '{asleep}'")
        await tab.run(sight(hidden=False))
        await tab.until("kept.map(line => line.readyState).join() === '3,1'")
        await tab.ask("Page.addScriptToEvaluateOnNewDocument", source=IMPATIENT)
        await tab.ask("Page.reload")
        await tab.until("window.kept?.length >= 2 && kept[0].readyState === 3")
