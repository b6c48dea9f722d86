"""A phone joins and counts at a running table, in a real browser: `make browser`."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse

from tests.page.browser.axe import AXE, LOOKS, SIZES, judged
from tests.page.browser.chromium import Tab, chromium

SHOTS = os.environ.get("SHOTS", "")
"""Folder for screenshots; empty: none are taken."""
NAME = "Zoë <script>"
PATIENCE_S = 60.0
"""Maximum seconds of a wait, counted from the first look, since lamps blink all the time."""


def own_address() -> str:
    """Return this machine's address by number, which a phone would open."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


class Table:
    """The simulated table's buttons and knob, used over its own page's connection."""

    def __init__(self, line: ClientWebSocketResponse) -> None:
        self.face: dict[str, Any] = {}
        self._line = line
        self._news = asyncio.Event()
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for message in self._line:
            self.face |= message.json().get("table", {})
            self._news.set()

    async def until(self, wanted: str) -> None:
        """Wait until the display says so, in words."""
        await self.has(lambda face: bool(re.search(wanted, face.get("words", ""))))

    async def has(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until the page's data are as wanted; raise AssertionError with the display's text."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not wanted(self.face):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"the display says: {self.face.get('words')}") from None

    async def press(self, *contacts: str, seconds: float = 0.1) -> None:
        """Press each button for so many seconds."""
        for contact in contacts:
            for closed in (True, False):
                await self._line.send_json({"contact": contact, "closed": closed})
                await asyncio.sleep(seconds if closed else 0.1)

    async def choose(self, *lines: str) -> None:
        """Open the knob's list, turn to that line, and push; then so in each list that this opens."""
        await self.press("knob")
        await self.until("Turn the knob to choose")
        for line in lines:
            while not re.search(line, self.face["words"]):
                before = self.face["words"]
                await self._line.send_json({"turn": 1})
                await self.until(f"^(?!{re.escape(before)}$)")
            await self.press("knob")


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[str, Table]]:
    """Run `referee run --simulate`, open to the network; yield a phone's address and the table."""
    command = (sys.executable, "-m", "referee", "run", "--simulate", "--state", str(folder), "--listen", "0.0.0.0:0")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=None)
    assert process.stdout is not None
    try:
        said = b""
        while b"The table is open" not in said:
            said = await asyncio.wait_for(process.stdout.readline(), 30)
        port = int(said.strip().rstrip(b"/").rpartition(b":")[2])
        async with (
            ClientSession(headers={"Origin": f"http://localhost:{port}"}) as session,
            session.ws_connect(f"http://localhost:{port}/live") as line,
        ):
            yield f"http://{own_address()}:{port}", Table(line)
    finally:
        process.terminate()
        await process.wait()


async def tap(tab: Tab, selector: str) -> None:
    """Tap the middle of an element."""
    x, y = await tab.middle(selector)
    await tab.mouse("mousePressed", x, y, button="left", clickCount=1)
    await tab.mouse("mouseReleased", x, y, button="left", clickCount=1)


async def shown_code(table: Table) -> str:
    """Return the code that the display shows after a choice at the knob."""
    await table.until("Tap|tap")
    await table.choose("Phones")
    await table.until("The code is")
    found = re.search(r"The code is (.*?)\.", table.face["words"])
    assert found is not None
    return found[1].replace(" ", "")


async def pairs(tab: Tab, address: str, code: str) -> None:
    """Open the code's link; the page asks for a name and a seat."""
    for domain in ("Page", "Runtime", "Log"):
        await tab.ask(f"{domain}.enable")
    await tab.ask("Page.navigate", url=f"{address}/J/{code}")
    await tab.until("document.readyState === 'complete' && !document.getElementById('sit').hidden")
    assert await tab.run("location.pathname") == "/join"


async def sits(tab: Tab, table: Table) -> None:
    """Take seat 2 with the phone under a name that must appear as text everywhere."""
    await tap(tab, "#name")
    await tab.ask("Input.insertText", text=NAME)
    await tap(tab, ".chair[data-seat='2']")
    await tap(tab, "#sit .main")
    await tab.until("document.querySelector(\".chair[data-seat='2'] span\").textContent.includes('Zoë')")
    await table.has(lambda face: face["seats"][1][0] == NAME)
    assert await tab.run("document.getElementById('sit-down').textContent") == "Save name and button"
    assert await tab.run("document.getElementById('who').textContent") == "Phone 1 · host · Button 2"
    assert (await tab.run("document.getElementById('now').textContent")).startswith(f"Lobby · {NAME}")
    for place in ("#now", ".chair[data-seat='2']"):  # in any script, the text behind the name keeps its place
        assert await tab.run(f'document.querySelector("{place} bdi").textContent') == NAME


async def plays(table: Table) -> None:
    """Play from the lobby to the call of seat 1 in the first hand."""
    await table.press("knob", "1")
    await table.until("1 ")
    await table.choose("Start")
    await table.until("Hand 1")
    await asyncio.sleep(1)  # an answer counts from 0.7 s after its question
    await table.press("1", "2")
    await table.has(lambda face: face["asks"] == "playing")
    await asyncio.sleep(0.6)
    await table.press("1")


async def hold(tab: Tab, selector: str, seconds: float) -> None:
    """Hold the middle of an element for so long."""
    x, y = await tab.middle(selector)
    await tab.mouse("mousePressed", x, y, button="left", clickCount=1)
    await asyncio.sleep(seconds)
    await tab.mouse("mouseReleased", x, y, button="left", clickCount=1)


async def enters(tab: Tab, *numbers: tuple[str, str]) -> None:
    """Enter each number with the page's keys into the named field, and send it."""
    for field, digits in numbers:
        await tap(tab, f"#{field}")
        for key in digits:
            await tap(tab, f"[data-key='{key}']")
    await tap(tab, "#keys .main")


async def test_a_phone_scans_sits_down_counts_votes_and_corrects(tmp_path: Path) -> None:
    """From the code's link to a sealed count, a vote and points given by the table.

    The name is text everywhere. A newly paired phone is not asleep; one that loses its network is shown as asleep until
    it is back. axe-core, if installed, finds no problem in any colour scheme.
    """
    wrong: dict[str, list[str]] = {}
    async with running(tmp_path) as (address, table), chromium() as tab:

        async def judge(phase: str) -> None:
            for size, (width, height, phone) in SIZES.items():
                await tab.size(width, height, phone=phone)
                for look in LOOKS:
                    await tab.prefer(prefers_color_scheme=look)
                    if AXE.exists() and (found := await judged(tab)):
                        wrong[f"{phase} {size} {look}"] = found
                    if SHOTS:
                        await tab.picture(Path(SHOTS) / f"paired-{phase}-{size}-{look}.png", whole=True)
            await tab.size(390, 844, ratio=2, phone=True)

        code = await shown_code(table)
        await tab.size(390, 844, ratio=2, phone=True)
        await pairs(tab, address, code)
        await judge("seat")
        await sits(tab, table)
        await plays(table)
        await tab.until(
            "!document.getElementById('count').hidden && document.querySelectorAll('#fields input').length == 2"
        )
        await tab.until("document.querySelectorAll('#teams button').length == 2")
        await tab.run("kept = [...document.getElementById('teams').children]")
        assert table.face["asleep"] == []
        assert await tab.run("document.getElementById('told').textContent") == ""  # "saved" was about the seat
        await judge("count")
        await tab.ask("Network.enable")
        for offline in (True, False):
            conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            await tab.ask("Network.emulateNetworkConditions", offline=offline, **conditions)
            await table.has(lambda face, told=offline: ("phone is asleep" in face["words"]) == told)  # type: ignore[misc]
        await tap(tab, "#teams button:nth-child(2)")
        await tab.until("document.getElementById('field-0').disabled === false")
        await enters(tab, ("field-0", "4"), ("field-1", "99"))
        await tab.until("document.getElementById('told').textContent.includes('99')")
        await judge("refused")
        await enters(tab, ("field-1", "28"))
        await tab.until("document.getElementById('state').textContent.includes('counted')")
        await table.has(lambda face: face["count"]["cells"][1]["numbers"] == [4, 28])
        await judge("counted")
        await table.choose("False call")
        await tab.until("!document.getElementById('vote').hidden")
        filled = "getComputedStyle(document.getElementById('{}')).backgroundColor"
        yes, no = filled.format("vote-yes"), filled.format("vote-no")
        assert await tab.run(f"{yes} === {no}")  # no answer is selected yet
        await judge("vote")
        await asyncio.sleep(1)
        await tap(tab, "#vote-no")
        await tab.until("document.getElementById('vote-no').getAttribute('aria-pressed') === 'true'")
        assert await tab.run(f"{yes} !== {no}")
        await judge("voted")
        await table.press("1", seconds=1)
        await table.has(lambda face: face["asks"] == "counting")
        assert await tab.run("kept.every(button => button.isConnected)")  # a tap never loses its button
        await tap(tab, "#teams button:nth-child(1)")
        await tab.until("document.getElementById('field-0').disabled")
        await enters(tab, ("field-1", "12"))
        await table.until("Hand 2")
        for form in ("fix", "give", "book"):
            await tab.run(f"document.getElementById('{form}').open = true")
        await tab.until("document.querySelectorAll('#fix-fields input').length == 2")
        await tab.until("document.querySelectorAll('#give-team option').length == 2")
        await tab.until("document.querySelectorAll('#phones li').length == 1")
        await judge("forms")
        await tab.run("document.getElementById('give-team').value = '2'")
        await tab.run("document.getElementById('give-points').value = '5'")
        await tap(tab, "#giving .main")
        await table.has(lambda face: "25" in map(str, face["seats"][1]))  # 28 less twice 4, and 5
        usual = ("409", "Cross-Origin-Opener", "ERR_INTERNET_DISCONNECTED")
        assert [trouble for trouble in tab.troubles() if not any(one in trouble for one in usual)] == []
    assert wrong == {}


async def test_a_phone_is_its_player_s_button_from_the_lobby_to_the_call(tmp_path: Path) -> None:
    """It joins, is ready, calls first, and the table says how sure it is of the phone's clock.

    It says what the table says, and vibrates for the caller.
    """
    wrong: dict[str, list[str]] = {}
    async with running(tmp_path) as (address, table), chromium() as tab:

        async def judge(phase: str) -> None:
            for look in LOOKS:
                await tab.prefer(prefers_color_scheme=look)
                if AXE.exists() and (found := await judged(tab)):
                    wrong[f"{phase} {look}"] = found
                if SHOTS:
                    await tab.picture(Path(SHOTS) / f"button-{phase}-{look}.png", whole=True)

        code = await shown_code(table)
        await tab.size(360, 640, ratio=2, phone=True)
        await pairs(tab, address, code)
        await sits(tab, table)
        await table.press("knob", "1")
        await tab.run("document.getElementById('invite').open = true")
        await tab.until("document.getElementById('qr-code').textContent.length === 6")
        await judge("invite")
        spoken = await tab.run(
            "fetch('/api/set', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
            "body: JSON.stringify({setting: 'voice', value: 'all'})}).then(answer => answer.status)"
        )
        assert spoken == 200
        await tab.run("heard = []; speechSynthesis.speak = said => heard.push(said.text)")
        await tab.run("shaken = []; navigator.vibrate = pattern => shaken.push(String(pattern))")
        await tap(tab, "#voice")
        await tab.until("heard.includes('This phone speaks.')")
        await tap(tab, "#be-button")
        await tab.until(
            "!document.getElementById('seat').hidden && /[0-9]/.test(document.getElementById('bound').textContent)"
        )
        await table.choose("Start")
        await table.until("Hand 1")
        await asyncio.sleep(1)
        await tap(tab, "#press")
        await table.has(lambda face: face["lamps"][1][1] == "steady")
        await tab.until("document.getElementById('press').classList.contains('lit')")
        await judge("ready")
        await table.press("1")
        await table.has(lambda face: face["asks"] == "playing")
        await tap(tab, "#pause")  # a palm
        await tab.until("document.getElementById('seat-told').textContent === 'Hold longer'")
        assert table.face["asks"] == "playing"
        await hold(tab, "#pause", 0.5)
        await table.has(lambda face: face["asks"] == "timeout")
        await judge("pause")
        await asyncio.sleep(1)
        await hold(tab, "#pause", 0.5)
        await table.has(lambda face: face["asks"] == "playing")
        await asyncio.sleep(0.6)
        await tap(tab, "#press")
        await tab.until("!document.getElementById('verdict').hidden")
        assert await tab.run("document.getElementById('verdict-names').textContent") == NAME
        assert await tab.run("document.getElementById('verdict-line').textContent") == "1st, the only call"
        assert await tab.run("shaken.filter(pattern => pattern.includes(',')).length") == 1
        await tab.until("heard.some(said => said.startsWith('Nertz! Zoë'))")
        await judge("verdict")
        assert "Zoë" in table.face["words"]
        await tab.until("document.getElementById('seat').hidden && !document.getElementById('count').hidden")
        await tap(tab, "#field-1")
        for key, seconds in (("2", 0.05), ("8", 0.8)):  # each touch is one tap
            await tab.touch("touchStart", await tab.middle(f"[data-key='{key}']"))
            await asyncio.sleep(seconds)
            await tab.touch("touchEnd")
        await tab.until("document.getElementById('worth').textContent === '28 points'")
        await judge("count")
        bottom = "document.querySelector('#keys .main').getBoundingClientRect().bottom <= innerHeight"
        assert await tab.run(f"scrollTo(0, 0), {bottom}")
        await tap(tab, "#keys .main")
        await asyncio.sleep(1)  # a press right after the call would not count yet
        await table.press("1", seconds=1)
        await table.press("1", seconds=1)
        await table.press("1", seconds=1)
        await table.until("Hand 2")
        await tab.until("document.getElementById('seat-more').textContent.startsWith('1st · 28 points')")
        await judge("rank")
        await hold(tab, "#no-button", 0.5)
        await tab.until("document.getElementById('seat').hidden && !document.getElementById('be-button').hidden")
    assert wrong == {}


async def test_phone_that_presses_second_sees_its_margin_and_renews_a_clock_that_slept(tmp_path: Path) -> None:
    async with running(tmp_path) as (address, table), chromium() as tab:
        code = await shown_code(table)
        await tab.size(820, 1180, ratio=2, phone=True)  # a tablet
        await pairs(tab, address, code)
        await sits(tab, table)
        await table.press("knob", "1")
        await tap(tab, "#be-button")
        await tab.until("/[0-9]/.test(document.getElementById('bound').textContent)")  # its clock is known
        await tab.run("shaken = []; navigator.vibrate = pattern => shaken.push(String(pattern))")
        await tab.run(
            "sent = []; send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) {"
            "sent.push(text); return send.call(this, text); }"
        )
        await tab.until("sent.some(text => text.includes('clock'))")
        assert not await tab.run("sent.some(text => text.includes('step'))")  # the table knows it already
        await tab.run("now = Date.now; Date.now = () => now.call(Date) + 10000")
        await tab.until("sent.some(text => 0 < JSON.parse(text).step && JSON.parse(text).step < 2)")
        await table.choose("Start")
        await table.until("Hand 1")
        await asyncio.sleep(1)
        await tap(tab, "#press")
        await table.press("1")
        await table.has(lambda face: face["asks"] == "playing")
        await asyncio.sleep(0.6)
        await table.press("1")
        await tap(tab, "#press")
        await tab.until("/^2nd, 0.[0-9]+ s after Red$/.test(document.getElementById('verdict-line').textContent)")
        for look in LOOKS:
            await tab.prefer(prefers_color_scheme=look)
            assert not AXE.exists() or await judged(tab) == []
            if SHOTS:
                await tab.picture(Path(SHOTS) / f"button-second-{look}.png", whole=True)
        assert await tab.run("shaken.filter(pattern => pattern.includes(',')).length") == 0


async def test_touch_without_a_link_is_late_evidence_after_the_page_was_loaded_again(tmp_path: Path) -> None:
    """The tab shows the browser's own error page in between."""
    async with running(tmp_path) as (address, table), chromium() as tab:
        code = await shown_code(table)
        await tab.size(360, 640, ratio=2, phone=True)
        await pairs(tab, address, code)
        await sits(tab, table)
        await table.press("knob", "1")
        await tap(tab, "#be-button")
        await tab.until("/[0-9]/.test(document.getElementById('bound').textContent)")
        await table.choose("Start")
        await table.until("Hand 1")
        await asyncio.sleep(1)
        await tap(tab, "#press")
        await table.press("1")
        await table.has(lambda face: face["asks"] == "playing")
        await asyncio.sleep(0.6)
        await tab.ask("Network.enable")
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        await tab.ask("Network.emulateNetworkConditions", offline=True, **conditions)
        await tab.until("document.getElementById('told').textContent !== ''")  # no link
        await tap(tab, "#press")
        await table.press("1")
        await table.until("Red")
        await tab.ask("Page.reload")
        await tab.until("document.readyState === 'complete' && !document.getElementById('press')")
        await tab.ask("Network.emulateNetworkConditions", offline=False, **conditions)
        await tab.ask("Page.navigate", url=f"{address}/join")
        await table.until("The press of Zoë.* came late")
        await tab.until("sessionStorage.getItem('touches') === '{\"schema\":1,\"touches\":[]}'")  # confirmed


async def test_hits_with_a_wired_button_measure_a_phone_s_touch_delay(tmp_path: Path) -> None:
    """In the button test; the phone counts the hits and keeps its range."""
    async with running(tmp_path) as (address, table), chromium() as tab:
        code = await shown_code(table)
        await tab.size(360, 640, ratio=2, phone=True)
        await pairs(tab, address, code)
        await sits(tab, table)
        await table.press("knob", "1")
        await tap(tab, "#be-button")
        await tab.until("/[0-9]/.test(document.getElementById('bound').textContent)")
        await table.choose("More", "The device", "Check the buttons")
        said = "document.getElementById('seat-ask').textContent"
        await tab.until(f"{said} === 'Press your button once'")
        await asyncio.sleep(1)
        await tap(tab, "#press")
        await tab.until(f"{said}.endsWith('hit both with one fist: 0 of 10')")
        if SHOTS:
            await tab.picture(Path(SHOTS) / "fist-alone.png")
        for hit in range(1, 11):
            await asyncio.sleep(0.4)
            pressed = asyncio.ensure_future(table.press("1"))
            await asyncio.sleep(0.02)  # a real screen is later than a button
            await hold(tab, "#press", 0.1)
            await pressed
            await tab.until(f"{said}.includes('{hit} of 10') || {said}.startsWith('Measured')")
        if SHOTS:
            await tab.picture(Path(SHOTS) / "fist-kept.png")
        assert '"touch_ns":[' in (tmp_path / "phones.json").read_text()
