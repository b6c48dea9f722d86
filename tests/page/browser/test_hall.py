"""The hall's pages in a real browser: axe-core on each, the desk on a phone, live changes, the wall's turns.

`SHOTS=DIR` saves a picture of each page in each size, light and dark, for review.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.hall.web.house import PASSWORD, House, drawn, finished, house, opened, playing
from tests.page.browser.axe import LOOKS, judged, needs_axe
from tests.page.browser.chromium import Tab, chromium

SHOTS = os.environ.get("SHOTS", "")
SIZES = {"phone": (360, 640, True), "desktop": (1280, 800, False)}
TABLES = [f"table-{number}" for number in range(1, 9)]
FIRST = ("Anna", "Ben", "Max", "Lea", "Jo", "Pia", "Tom", "דנה")
NAMES = [f"{first} {last}" for first in FIRST for last in ("Huber", "Rossi", "van der Berg-Hollenstein")]
ALL = (
    "/",
    "/pairings",
    "/pairings?find=anna",
    "/standings",
    "/events",
    "/season",
    "/ratings",
    "/wall",
    "/overlay",
    "/login",
)


@asynccontextmanager
async def evening(folder: Path) -> AsyncIterator[tuple[House, Tab, str]]:
    """Serve a hall in its second round; yield it, a fresh browser and the hall's address."""
    async with house(folder, names=()) as hall, chromium() as tab:
        hall.event = opened(hall.store, NAMES)
        for seats in range(2):
            drawn(hall.store, hall.event, TABLES)
            last = hall.store.event(hall.event).rounds[-1]
            for one in last if not seats else last[:1]:
                finished(hall.store, hall.event, one.table)
        hall.live |= {name: playing(at, "Anna was first." if at % 2 else "") for at, name in enumerate(TABLES, 1)}
        hall.live[TABLES[-1]].online = False
        for name in TABLES:
            hall.store.see(name)
        hall.store.invite(TABLES[0])
        hall.store.note(TABLES[1], "match-1", "refused", "its record cannot be read: the key hands is missing")
        yield hall, tab, str(hall.client.make_url("")).rstrip("/")


async def show(tab: Tab, address: str, path: str) -> None:
    """Open a page, and wait until it is complete."""
    for area in ("Runtime", "Log", "Page"):
        await tab.ask(f"{area}.enable")
    await tab.ask("Page.navigate", url=address + path)
    await tab.until(f"document.readyState === 'complete' && location.href === '{address}{path}'")


async def log_in(tab: Tab, address: str) -> None:
    """Log in as the director, with the form."""
    await show(tab, address, "/login?back=%2Fdesk")
    await tab.run(
        f"document.querySelector('[name=name]').value = 'director';"
        f"document.querySelector('[name=password]').value = '{PASSWORD}';"
        "document.querySelector('main form button').click()"
    )
    await tab.until("location.pathname === '/desk' && document.readyState === 'complete'")


@needs_axe
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", LOOKS)
async def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(size: str, look: str, tmp_path: Path) -> None:
    async with evening(tmp_path) as (hall, tab, address):
        width, height, phone = SIZES[size]
        await tab.size(width, height, phone=phone)
        await tab.prefer(prefers_color_scheme=look, prefers_reduced_motion="reduce")
        await log_in(tab, address)
        wrong: dict[str, object] = {}
        for path in (*ALL, "/desk", f"/desk/{hall.event}", "/desk/open"):
            if path == "/desk/open":
                await show(tab, address, "/desk")
                await tab.run("document.querySelector('[name=rules]').click()")
                await tab.until("location.pathname === '/desk/open' && document.readyState === 'complete'")
            else:
                await show(tab, address, path)
            await tab.run("for (const one of document.querySelectorAll('details')) one.open = true")
            if found := await judged(tab):
                wrong[path] = found
            if await tab.run("document.documentElement.scrollWidth > innerWidth") and path != "/wall":
                wrong[f"{path} is too wide"] = await tab.run("document.documentElement.scrollWidth")
            if SHOTS:
                await asyncio.to_thread(Path(SHOTS).mkdir, parents=True, exist_ok=True)
                name = f"hall-{path.strip('/').replace('/', '-').replace('?', '-') or 'root'}-{size}-{look}.png"
                await tab.picture(Path(SHOTS) / name, whole=path != "/wall")
        assert wrong == {}


async def test_a_page_follows_the_tables(tmp_path: Path) -> None:
    async with evening(tmp_path) as (hall, tab, address):
        await show(tab, address, "/")
        await tab.until("document.body.classList.contains('live')")
        hall.live[TABLES[1]] = playing(33, "Lea was first.")
        await tab.until("document.getElementById('live').textContent.includes('Lea was first.')")
        assert await tab.run("document.getElementById('live').textContent.includes('Hand 33')")
        await show(tab, address, "/standings")
        await tab.until("document.body.classList.contains('live')")
        before = await tab.run("document.getElementById('standings').textContent")
        finished(hall.store, hall.event, hall.store.event(hall.event).open_tables(2)[0].table)
        await tab.until(f"document.getElementById('standings').textContent !== {before!r}")


async def test_the_wall_shows_each_section_and_each_page_of_it_in_turn(tmp_path: Path) -> None:
    async with evening(tmp_path) as (_, tab, address):
        await tab.size(1280, 720)
        await tab.prefer(prefers_reduced_motion="reduce")
        await tab.ask("Page.enable")
        hasten = "const slow = setInterval; window.setInterval = (run, ms) => slow(run, ms === 12000 ? 400 : ms)"
        await tab.ask("Page.addScriptToEvaluateOnNewDocument", source=hasten)
        await show(tab, address, "/wall")
        shown = "[...document.querySelectorAll('.turn')].filter(one => !one.hidden).map(one => one.ariaLabel).join()"
        for name in ("Who sits where", "Live tables", "Standings", "Who sits where"):
            await tab.until(f"{shown} === {name!r}")
            if SHOTS:
                await tab.picture(Path(SHOTS) / f"hall-wall-{name.split()[0]}.png")


async def test_a_director_draws_on_a_phone_without_a_script(tmp_path: Path) -> None:
    async with evening(tmp_path) as (hall, tab, address):
        for seats in hall.store.event(hall.event).open_tables(2):
            finished(hall.store, hall.event, seats.table)
        await tab.size(360, 640, phone=True)
        await log_in(tab, address)
        await show(tab, address, f"/desk/{hall.event}")
        assert await tab.run("document.scripts.length") == 0
        await tab.run(f"document.querySelector('[name=tables]').value = {chr(10).join(TABLES)!r}")
        x, y = await tab.middle("form[action$='/draw'] button.main")
        for kind in ("touchStart", "touchEnd"):
            await tab.touch(kind, *([(x, y)] if kind == "touchStart" else []))
        await tab.until("document.body?.textContent.includes('Round 3 drawn')")
        event = hall.store.event(hall.event)
        assert event.round == 3
        assert {seats.table for seats in event.rounds[2]} <= {*TABLES}  # a browser ends lines with CR LF
