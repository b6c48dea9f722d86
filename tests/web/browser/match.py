"""A whole match in WebKit, by guests on another machine: `python -m tests.web.browser.match ...`.

It is begun in the guests' network by test_match.py: two phones, a scoreboard, a wall and an intruder, over the table's
own name; the guests lose their network and have it back, the server is stopped and started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import web

from referee.app.page import own_names
from tests.web.browser.networks import cut, known_names, mend, within
from tests.web.browser.test_phones import Table
from tests.web.browser.webkit import Browser, Guest, until, webkit

PORT = 8080
NAME = own_names()[0]
"""The table as mDNS tells of it."""
REBOUND, ELSEWHERE = "rebound.test", "elsewhere.test"
"""A name that is none of the table's and leads to its address; another site's."""
ZOE, BEN = "Zoë <script>", "Ben"
PHONE, DESKTOP, TELEVISION = (390, 844), (1280, 800), (1920, 1080)
LIMIT_S = 800.0
"""A machine that is busy with others plays it in ten minutes, a quiet one in two."""
GONE_S = 4.0
"""So long the guests have no network."""


class Message:
    """A line of the table's, as `Table` reads it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def json(self) -> Any:
        return json.loads(self._text)


class Relayed:
    """The table's own line, by a program on the table's machine."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def send_json(self, document: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(document).encode() + b"\n")
        await self._process.stdin.drain()

    async def __aiter__(self) -> AsyncIterator[Message]:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            yield Message(line.decode())


@contextlib.asynccontextmanager
async def table_at(network: str, state: Path) -> AsyncIterator[Table]:
    """`referee run --simulate` in the table's network, and its buttons."""
    run = ("-m", "referee", "run", "--simulate", "--state", str(state), "--listen", f"0.0.0.0:{PORT}")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*within(network, sys.executable, *run), stdout=pipe)
    assert process.stdout is not None
    line = None
    try:
        said = b""
        while b"The table is open" not in said:
            said = await asyncio.wait_for(process.stdout.readline(), 60)
            assert said, "the table has not opened"
        relay = within(network, sys.executable, "-m", "tests.web.browser.table_line", str(PORT))
        line = await asyncio.create_subprocess_exec(*relay, stdin=pipe, stdout=pipe, limit=2**20)
        table = Table(Relayed(line))  # type: ignore[arg-type]
        await table.has(lambda face: "words" in face)
        yield table
    finally:
        for one in (line, process):
            if one is not None and one.returncode is None:
                one.terminate()
                await one.wait()


class Evening:
    """The guests' pages, and pictures of them."""

    def __init__(self, browser: Browser, shots: str) -> None:
        self._browser, self._shots = browser, shots
        self.pages: dict[str, Guest] = {}

    async def visitor(self, who: str, size: tuple[int, int]) -> Guest:
        self.pages[who] = guest = await self._browser.visitor(*size)
        return guest

    async def shot(self, moment: str) -> None:
        """What everybody sees, where pictures are asked for."""
        for who, guest in self.pages.items() if self._shots else ():
            await guest.picture(Path(self._shots) / f"match-{moment}-{who}.png")


def at(path: str, name: str = NAME) -> str:
    """An address of the table's."""
    return f"http://{name}:{PORT}{path}"


async def code_of(table: Table) -> str:
    """The code that the knob shows."""
    await table.choose("Phones")
    await table.until("The code is")
    found = re.search(r"The code is (.*?)\.", table.face["words"])
    assert found is not None
    return found[1].replace(" ", "")


async def joins(phone: Guest, code: str, seat: int, name: str) -> None:
    """Scan, name, seat."""
    await phone.open(at(f"/J/{code}"))
    await until(phone, "!document.getElementById('sit').hidden")
    assert await phone.run("[location.hostname, location.pathname]") == [NAME.lower(), "/join"]
    await phone.type("#name", name)
    for tapped in (f".chair[data-seat='{seat}']", "#sit .main"):
        await phone.tap(tapped)
    await until(phone, f"document.querySelector(\".chair[data-seat='{seat}'] span\").textContent.includes({name!r})")


async def sets(host: Guest, option: str, value: str) -> None:
    """The host's phone sets an option of what is played."""
    await host.open(at("/setup"))
    field = f"form[data-setting='{option}'] input"
    await host.run(f"document.querySelector({json.dumps(field)}).value = ''")
    await host.type(field, value)
    await host.tap(f"form[data-setting='{option}'] button")
    await until(host, f"(document.getElementById('{option}') || document.body).textContent.includes(': {value} ')")
    await host.open(at("/join"))


async def counts(phone: Guest, *numbers: int | None) -> None:
    """The numbers in their fields, by the phone's own keys; None: the field is locked."""
    await until(phone, "!document.getElementById('count').hidden && document.querySelectorAll('#fields input').length")
    for field, number in enumerate(numbers):
        if number is not None:
            for tapped in (f"#field-{field}", *(f"[data-key='{digit}']" for digit in str(number))):
                await phone.tap(tapped)
    await phone.tap("#keys .main")


async def plays(table: Table, caller: str, hand: int) -> None:
    """Everybody is ready, and somebody calls."""
    await table.has(lambda face: face["asks"] == "ready" and f"Hand {hand}" in face["words"])
    await asyncio.sleep(1)
    await table.press("1", "2")
    await table.has(lambda face: face["asks"] == "playing")
    await asyncio.sleep(0.6)
    await table.press(caller)
    await table.has(lambda face: face["asks"] == "counting")


def say(moment: str) -> None:
    """Where the match is, for whoever waits."""
    print(moment, file=sys.stderr, flush=True)  # noqa: T201


async def match(browser: Browser, networks: tuple[str, str], state: Path, shots: str) -> None:
    """From two phones that are scanned to a winner."""
    network, guests = networks
    evening = Evening(browser, shots)
    async with contextlib.AsyncExitStack() as first:
        table = await first.enter_async_context(table_at(network, state))
        say("two phones join")
        one, other = await evening.visitor("phone", PHONE), await evening.visitor("phone2", PHONE)
        code = await code_of(table)
        await joins(one, code, 1, ZOE)
        await joins(other, code, 2, BEN)
        await table.press("knob")
        await table.has(lambda face: [seat[0] for seat in face["seats"][:2]] == [ZOE, BEN])
        say("a scoreboard, a wall, an intruder")
        board = await evening.visitor("scores", DESKTOP)
        await board.open(at("/scores"))
        wall = await board.beside()
        intruder = await board.beside()
        evening.pages |= {"wall": wall, "intruder": intruder}
        await wall.open(at("/wall"))
        await intruder.open(at("/join"))
        await two_at_one_seat(other)
        await sets(one, "target", "20")
        await table.until("^(?!House rules)")  # the display shows what was set, for a while
        await intrudes(intruder, other, table)
        await evening.shot("lobby")
        say("the match begins")
        await table.choose("Start")
        say("agreement")
        await table.has(lambda face: face["asks"] == "agreement")
        await asyncio.sleep(1)
        await table.press("1", "2")
        say("the first hand")
        await plays(table, "1", 1)
        for page in (board, wall):
            await until(page, f"document.body.innerText.includes({ZOE!r})")
        await until(board, "document.querySelector('#open svg, #sheet svg, #side svg') !== null")
        await evening.shot("counting")
        await refused(other)
        await counts(one, None, 12)
        await counts(other, 4, 10)
        await table.has(lambda face: "Hand 2" in face["words"] and face["asks"] == "ready")
        for page in (board, wall):
            await until(page, "document.getElementById('totals').textContent.includes('12')")
        say("the guests lose their network, and the table goes on")
        cut(guests)
        await plays(table, "2", 2)
        await asyncio.sleep(GONE_S)
        mend(guests)
        await until(one, "!document.getElementById('count').hidden")
        for page in (board, wall):
            await until(page, "document.getElementById('lost').textContent === '' && /2/.test(document.body.innerText)")
        await intrudes(intruder, other, table)
        await counts(one, 2, 9)
        await table.has(lambda face: face["count"]["cells"][0]["numbers"] == [2, 9])
        say("the server is stopped")
        await evening.shot("offline")
    for page in (board, wall):
        await until(page, "document.getElementById('lost').textContent !== ''")
    for phone in (one, other):
        await until(phone, "document.getElementById('told').classList.contains('wrong')")
    await evening.shot("stopped")
    async with table_at(network, state) as table:
        say("the server is back")
        await comes_back(table)
        for phone in (one, other):
            await until(phone, "!document.getElementById('count').hidden")
        for page in (board, wall):
            await until(page, "document.getElementById('lost').textContent === ''")
        await counts(other, None, 20)
        await table.has(lambda face: face["asks"] == "over")
        for page in (board, wall):
            await until(page, f"document.body.innerText.includes({BEN!r}) && /won/.test(document.body.innerText)")
        await evening.shot("over")
        await board.open(at("/history"))
        await until(board, f"document.body.innerText.includes({BEN!r})")
        await evening.shot("history")
        say("the match is over")


async def comes_back(table: Table) -> None:
    """After a stop: who is there taps until the count is asked for again."""
    for _ in range(20):
        if table.face["asks"] == "counting":
            return
        await asyncio.sleep(1)
        await table.press("1", "2")
    raise AssertionError(table.face["words"])


async def two_at_one_seat(phone: Guest) -> None:
    """The second phone asks for the first one's seat, and is told whose it is; it stays where it was."""
    await phone.tap(".chair[data-seat='1']")
    await phone.tap("#sit .main")
    await until(phone, f"document.getElementById('told').textContent.includes({ZOE!r})")
    await phone.tap(".chair[data-seat='2']")


async def refused(phone: Guest) -> None:
    """A count that cannot be is one sentence, and changes nothing."""
    await counts(phone, 4, 99)
    await until(phone, "document.getElementById('told').textContent.includes('99')")


def _fetched(path: str, body: object, more: str = "") -> str:
    """A write as a page's script makes it; its status."""
    sent = f"method: 'POST', headers: {{'Content-Type': 'application/json'}}, body: {json.dumps(json.dumps(body))}"
    return f"fetch({json.dumps(path)}, {{{sent}{more}}}).then(answer => answer.status)"


async def intrudes(intruder: Guest, paired: Guest, table: Table) -> None:
    """Somebody in the same network without a right: every way in is tried, and the table is as before."""
    before = _stands(table)
    say("an intruder: writes, codes, presses")
    tried = ", ".join([_fetched("/api/pair", {"code": "AAAAAA"})] * 12)
    tries = await intruder.run(f"Promise.all([{tried}])")  # at once: one after the other they may be slow enough
    assert {*tries} <= {401, 429}
    assert 429 in tries
    pressed = (
        "new Promise(done => {{ const line = new WebSocket(`ws://${{location.host}}/live`);"
        "line.onopen = () => line.send(JSON.stringify({what}));"
        "line.onmessage = event => {{ const told = JSON.parse(event.data); if (told.refused) done(told.refused); }};"
        "line.onclose = () => done('closed'); }})"
    )
    for what in ('{"contact": "1", "closed": true}', '{"turn": 1}', '{"contact": "knob", "closed": true}'):
        assert "only shows" in await intruder.run(pressed.format(what=what))
    say("an intruder: another name, another site")
    await rebinds(intruder)
    await foreign(await paired.beside())
    await asyncio.sleep(0.3)
    assert _stands(table) == before


def _stands(table: Table) -> list[object]:
    """What nobody without a right may change: phase, names and totals, whose phone speaks for whom, who is asked."""
    patterns = [pattern for _, pattern in table.face["lamps"]]
    return [*(table.face[name] for name in ("asks", "seats", "phones")), patterns]


async def rebinds(intruder: Guest) -> None:
    """Another name for the table's address is not answered."""
    await intruder.open(at("/", REBOUND))
    assert "not known by that name" in await intruder.run("document.body.innerText")
    await intruder.open(at("/join"))


async def foreign(page: Guest) -> None:
    """Another site's page in the browser of somebody who is paired: it can neither write nor look on."""

    async def empty(request: web.Request) -> web.Response:
        return web.Response(text="<!doctype html><title>another site</title>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/", empty)
    runner = web.AppRunner(app)
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", 0))
    await web.SockSite(runner, listener).start()
    try:
        await page.open(f"http://{ELSEWHERE}:{listener.getsockname()[1]}/")
        for kind in ("application/json", "text/plain"):
            sent = f"method: 'POST', mode: 'no-cors', credentials: 'include', headers: {{'Content-Type': '{kind}'}}"
            body = json.dumps(json.dumps({"seat": 2, "name": "Eve"}))
            told = await page.run(
                f"fetch({json.dumps(at('/api/seat'))}, {{{sent}, body: {body}}}).then(a => a.type, e => 'no')"
            )
            assert told in ("opaque", "no"), told
        line = json.dumps(f"ws://{NAME}:{PORT}/live")
        opened = f"new Promise(done => {{ const line = new WebSocket({line});"
        assert await page.run(f"{opened} line.onopen = () => done(1); line.onerror = () => done(0); }})") == 0
    finally:
        await runner.cleanup()


async def main(table: str, guests: str, folder: str) -> None:
    """In the guests' network."""
    there = Path(folder)
    known_names(there / "hosts", NAME, REBOUND)
    with (there / "hosts").open("a") as hosts:
        hosts.write(f"127.0.0.1 {ELSEWHERE}\n")
    async with webkit() as browser, asyncio.timeout(LIMIT_S):
        await match(browser, (table, guests), there / "state", os.environ.get("SHOTS", ""))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
