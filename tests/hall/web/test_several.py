"""Several halls behind one address, and pages while the database is away."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from referee.hall.model import Left
from tests.hall.brokers import free_port
from tests.hall.databases import Pair, new_database
from tests.hall.web.house import PASSWORD, Client, House, drawn, finished, house

PROXY = shutil.which("haproxy", path="/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin")
DOCUMENT = Path(__file__).parents[3] / "docs" / "halls.md"


async def status(client: Client, path: str) -> int:
    """Return the status of a page."""
    async with client.get(path) as answer:
        return answer.status


async def test_pages_wait_for_the_database(tmp_path: Path, pair: Pair) -> None:
    url = new_database(pair.url)
    async with house(tmp_path, url=url) as hall:
        drawn(hall.store, hall.event)
        await hall.log_in("director")
        async with hall.client.get("/changes?show=standings/&language=en&had=x") as line:
            await asyncio.wait_for(line.content.readuntil(b"\n\n"), 20)
            await asyncio.to_thread(pair.catch_up)
            pair.kill_primary()
            sentences = {await hall.text("/standings", 503, language) for language in ("en", "de", "it")}
            assert len(sentences) == 3
            async with hall.client.get("/standings") as answer:
                assert answer.headers["Retry-After"]
                assert answer.headers["Cache-Control"] == "no-store"
            assert (await hall.post(f"/desk/{hall.event}/leave", number="10", entry="1", reason="late"))[0] == 503
            path = hall.client.make_url("/changes?show=standings/&language=en&had=x")
            async with aiohttp.ClientSession() as onlooker, onlooker.get(path) as new:
                await asyncio.to_thread(pair.promote)
                while await status(hall.client, "/desk") != 200:
                    await asyncio.sleep(0.05)
                assert not [made for made in hall.store.decisions(hall.event) if isinstance(made, Left)]
                finished(hall.store, hall.event, "table-1")
                for one in (line, new):
                    while b"100" not in (message := await asyncio.wait_for(one.content.readuntil(b"\n\n"), 20)):
                        assert message


async def test_a_form_about_decisions_that_are_lost_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        page = await hall.text(f"/desk/{hall.event}")
        seen = re.findall(r'name="seen" value="([0-9a-f]{8})"', page)[0]
        status, page = await hall.decide("leave", entry="1", reason="late", seen="0" * 8)
        assert (status, "look at it again" in page) == (400, True)
        assert (await hall.decide("leave", entry="1", reason="late", seen=seen))[0] == 200


@pytest.mark.parametrize(("proxies", "last"), [(("127.0.0.1",), 403), ((), 429)])
async def test_login_attempts_count_for_the_client_that_the_proxy_names(
    tmp_path: Path, proxies: tuple[str, ...], last: int
) -> None:
    """Only a known proxy is believed."""
    async with house(tmp_path, proxies=proxies) as hall:
        own = str(hall.client.make_url("")).rstrip("/")

        async def status(client: str, password: str) -> int:
            fields, headers = {"name": "director", "password": password}, {"Origin": own, "X-Forwarded-For": client}
            async with hall.client.post("/login", data=fields, headers=headers) as answer:
                return answer.status

        assert [await status("10.0.0.1, 10.0.0.2", "wrong") for _ in range(6)] == [403] * 5 + [429]
        assert await status("10.0.0.3", "wrong") == last


async def test_health_says_whether_broker_and_database_answer(tmp_path: Path) -> None:
    trouble = [""]
    async with house(tmp_path, closed=True, trouble=lambda: trouble[0]) as hall:
        assert await hall.text("/healthz") == "ok\n"
        trouble[0] = "the broker is away"
        assert await hall.text("/healthz", 503) == "away\n"


@asynccontextmanager
async def proxy(folder: Path, halls: Sequence[House]) -> AsyncIterator[str]:
    """Run HAProxy with the configuration of the document, and yield its address."""
    port = free_port()
    text = DOCUMENT.read_text().partition("```haproxy\n")[2].partition("```")[0].replace("   ", "")
    text = text.replace("bind :80", f"bind 127.0.0.1:{port}").replace("hall.example", "127.0.0.1")
    for name, hall in zip(("hall-a:8090", "hall-b:8090"), halls, strict=True):
        assert name in text
        text = text.replace(name, f"127.0.0.1:{hall.client.port}")
    (folder / "haproxy.cfg").write_text(text)
    assert PROXY is not None
    process = await asyncio.create_subprocess_exec(PROXY, "-db", "-f", str(folder / "haproxy.cfg"))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        await process.wait()


@pytest.mark.skipif(PROXY is None, reason="HAProxy is not installed (make hall-tools)")
async def test_any_hall_behind_one_address_will_do(tmp_path: Path) -> None:
    troubles = ["", ""]
    async with (
        house(tmp_path, trouble=lambda: troubles[0]) as first,
        house(tmp_path, names=(), trouble=lambda: troubles[1]) as second,
        proxy(tmp_path, (first, second)) as address,
        aiohttp.ClientSession(address, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser,
    ):
        drawn(first.store, first.event)
        form = {"name": "director", "password": PASSWORD}
        while True:  # until it listens
            try:
                async with browser.post("/login", data=form, headers={"Origin": address}) as answer:
                    assert answer.status == 200
                    break
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.02)
        for _ in range(4):
            async with browser.get(f"/desk/{first.event}") as answer:
                assert answer.status == 200
        async with browser.get("/changes?show=standings/&language=en&had=x") as line:
            message = await line.content.readuntil(b"\n\n")
            stays, goes = (first, second) if second.listeners else (second, first)
            troubles[(first, second).index(goes)] = "killed"
            await goes.client.server.close()
            with contextlib.suppress(aiohttp.ClientError):
                while await line.content.readany():
                    pass
        had = message.partition(b"id: ")[2].partition(b"\n")[0].decode()
        path = "/changes?show=standings/&language=en"
        while (answer := await browser.get(path, headers={"Last-Event-ID": had})).status != 200:
            await asyncio.sleep(0.05)
        finished(stays.store, first.event, "table-1")
        message = await asyncio.wait_for(answer.content.readuntil(b"\n\n"), 20)
        assert b"100" in message
        answer.close()
        troubles[:] = ["away", "away"]  # then the halls' own sentence is better than the proxy's
        async with browser.get("/standings") as answer:
            assert answer.status == 200
