"""The scoreboard and the wall in a real browser, and axe-core on every page: `make browser`.

`SHOTS=DIR` saves a picture of each page in each size, light and dark, for review.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.device.children.page import bind_sockets
from referee.page.app import serve
from referee.page.history_reader import PastFeed
from referee.page.site import Site
from tests.commands.house import journaled
from tests.page.browser.axe import LOOKS, SIZES, judged, needs_axe
from tests.page.browser.chromium import Tab, chromium
from tests.page.lines import served
from tests.page.preview import NAMES, Show
from tests.page.test_history import telling

SHOTS = os.environ.get("SHOTS", "")
LIVE = ("/scores", "/wall", "/table")
STILL = ("/", "/scores/2.1", "/join", "/rules", "/setup", "/setup/nna")
PAST = ("/history", "/history/1", "/history/1/1.1", "/evening/1", "/statistics")
"""Pages of an evening that was really played."""
PHASES = {
    "lobby": 0,
    "ready": 1,
    "starting": 2,
    "playing": 3,
    "called": 4,
    "verdict": 5,
    "counting": 6,
    "standings": 7,
    "over": 8,
}


@asynccontextmanager
async def scripted(seats: int = 4, past: Sequence[str] = ()) -> AsyncIterator[tuple[Tab, Show, str]]:
    """Serve the scripted table to guests; yield a fresh browser and the page's address.

    past: the source of past matches.
    """
    show = Show(seats, watch=True)
    async with served(show.feed, past=PastFeed(past)) as address, chromium() as tab:
        await tab.size(1280, 800)
        yield tab, show, address.rstrip("/")


async def opened(tab: Tab, address: str, path: str, query: str = "") -> None:
    """Open a page and wait until it is complete and live."""
    for area in ("Runtime", "Log", "Page"):
        await tab.ask(f"{area}.enable")
    await tab.ask("Page.navigate", url=address + path + query)
    live = "document.body.classList.contains('live')" if path in (*LIVE, "/") else "true"
    await tab.until(f"document.readyState === 'complete' && location.pathname === '{path}' && {live}")


@needs_axe
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", LOOKS)
async def test_nothing_keeps_anybody_out(size: str, look: str, tmp_path: Path) -> None:
    """axe-core finds no problem on any page, in any phase, in this size and colour scheme."""

    async with scripted(past=telling(journaled(tmp_path / "house"))) as (tab, show, address):
        width, height, phone = SIZES[size]
        await tab.size(width, height, phone=phone)
        await tab.prefer(prefers_color_scheme=look)
        wrong: dict[str, list[str]] = {}
        for path in LIVE + STILL + PAST:
            show.at = 3
            show.show()
            await opened(tab, address, path)
            for phase, at in PHASES.items() if path in LIVE else [("playing", 3)]:
                show.at = at
                show.show()
                await tab.run("new Promise(done => setTimeout(done, 60))")
                if found := await judged(tab):
                    wrong[f"{path} {phase}"] = found
                if SHOTS:
                    await asyncio.to_thread(Path(SHOTS).mkdir, parents=True, exist_ok=True)
                    name = f"{path.strip('/').replace('/', '-') or 'root'}-{size}-{look}-{phase}.png"
                    await tab.picture(Path(SHOTS) / name, whole=path != "/wall")
        for phase, at in PHASES.items() if SHOTS and size == "desktop" else ():
            show.at = at
            show.show()
            await tab.size(1920, 1080)
            await opened(tab, address, "/wall")
            await tab.picture(Path(SHOTS) / f"wall-television-{look}-{phase}.png")
        assert wrong == {}


async def test_the_scores_follow_the_table_and_a_verdict_shows_its_photo_finish() -> None:
    async with scripted() as (tab, show, address):
        show.at = 3
        show.show()
        await opened(tab, address, "/scores")
        await tab.until("document.getElementById('totals').textContent.includes('102')")
        await tab.run("document.querySelector('#sheet details').open = true")
        show.at = 5
        show.show()
        await tab.until("document.querySelector('#open svg') !== null")
        assert await tab.run("document.querySelector('#sheet details').open")
        assert "was first" in await tab.run("document.getElementById('said').textContent")
        await tab.run("document.querySelector('#open button').click()")
        await tab.until("document.querySelector('#open svg .cover') !== null")
        show.at = 3
        show.show()
        await tab.until("document.querySelector('#open svg') === null")
        assert tab.troubles() == []


LETTERING = """[...document.querySelectorAll('svg.chart')].flatMap(chart => {
  const sheet = chart.getBoundingClientRect();
  const boxes = [...chart.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
  const size = text => parseFloat(getComputedStyle(text).fontSize) * sheet.width / chart.viewBox.baseVal.width;
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
  return boxes.flatMap(([text, box], at) => [
    ...(size(text) < LEAST || size(text) > 20 ? [`${text.textContent}: ${size(text)} px`] : []),
    ...(box.left < sheet.left - 1 || box.right > sheet.right + 1 ? [`${text.textContent} is cut`] : []),
    ...boxes.slice(at + 1)
      .filter(beside => meet(box, beside[1])).map(beside => `${text.textContent}${beside[0].textContent}`),
  ]);
})"""
"""The lettering problems of a page's drawings: too small, too large, outside the sheet, overlapping."""


@pytest.mark.parametrize(("width", "least"), [(320, 10), (360, 11), (1280, 12)])
async def test_letters_of_drawings_can_be_read(
    width: int, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Curves, bars and photo finishes in German with a long name, at three screen widths."""
    monkeypatch.setattr("tests.page.preview.NAMES", ("Grandma Rosemarie", *NAMES[1:]))
    async with scripted(past=telling(journaled(tmp_path / "house"))) as (tab, show, address):
        await tab.size(width, 844, phone=width < 400)
        show.at = 5
        show.show()
        for path in ("/scores", "/scores/2.1", "/history/1", "/history/1/1.1", "/evening/1", "/statistics"):
            await opened(tab, address, path, "?language=de")
            assert await tab.run("document.querySelectorAll('svg.chart text').length") > 0
            assert await tab.run(LETTERING.replace("LEAST", str(least))) == [], path


@pytest.mark.parametrize("width", [320, 390])
async def test_long_names_and_notes_fit_a_phone(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page does not scroll sideways, a name wraps next to its mark, a note shows without moving its table."""
    monkeypatch.setattr("tests.page.preview.NAMES", ("Grandma Rosemarie", "Maximiliane", *NAMES[2:]))
    async with scripted() as (tab, show, address):
        show.at = 3
        show.show()
        await tab.size(width, 844, phone=True)
        await opened(tab, address, "/scores")
        assert await tab.run("document.documentElement.scrollWidth") == width
        assert await tab.run("document.querySelectorAll('#totals tbody th').length") == 4
        beside = await tab.run(
            "[...document.querySelectorAll('#totals tbody th')].every(th => { const mark = th.querySelector('.mark'),"
            "words = document.createRange(); words.selectNodeContents(th.childNodes[1]);"
            "return [...words.getClientRects()].every(r => r.left >= mark.getBoundingClientRect().right - 1); })"
        )
        assert beside
        notes = await tab.run(
            "[...document.querySelectorAll('.noted')].map(note => note.getBoundingClientRect().right <= innerWidth)"
        )
        assert notes
        assert all(notes)


@pytest.mark.parametrize("seats", [2, 8, 12])
async def test_the_wall_fits_its_television_in_letters_that_can_be_read_from_five_metres(seats: int) -> None:
    """Names and totals have at least 1/30 of the height, the chart's figures 1/54.

    Nothing is cut.
    """
    async with scripted(seats) as (tab, show, address):
        await tab.size(1920, 1080)
        for at in (3, 5):
            show.at = at
            show.show()
            await opened(tab, address, "/wall")
            assert await tab.run("document.documentElement.scrollHeight") <= 1080
            low = await tab.run(
                "Math.max(...[...document.querySelectorAll('#totals tr, #side svg')]"
                ".map(e => e.getBoundingClientRect().bottom))"
            )
            assert low <= 1080
            small = await tab.run(
                "Math.min(...[...document.querySelectorAll('#totals td, #totals tbody th, #now p')]"
                ".filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"
            )
            assert small >= 1080 / 30
            letters = await tab.run(
                "(svg => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
                "(document.querySelector('#side svg'))"
            )
            assert letters >= 1080 / 54


async def test_the_wall_keeps_its_place_while_the_server_is_away() -> None:
    """A note says that the connection is lost, and the page continues when the server is back."""
    show = Show(4, watch=True)
    show.at = 3
    show.show()
    sockets = bind_sockets("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    page = await serve(Site(show.feed), sockets)
    async with chromium() as tab:
        await tab.size(1920, 1080)
        await opened(tab, f"http://127.0.0.1:{port}", "/wall")
        before = await tab.run("document.getElementById('totals').textContent")
        await page.close()
        for listener in sockets:
            listener.close()
        await tab.until("document.getElementById('lost').textContent !== ''")
        assert await tab.run("document.getElementById('totals').textContent") == before
        show.at = 8
        show.show()
        again = bind_sockets("127.0.0.1", port)
        page = await serve(Site(show.feed), again)
        await tab.until("document.getElementById('now').textContent.includes('has won')")
        assert await tab.run("document.getElementById('lost').textContent") == ""
        await page.close()
        for listener in again:
            listener.close()
