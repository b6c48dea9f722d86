"""Drive a headless Chromium by its DevTools protocol over aiohttp.

Only what the page's tests need.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--autoplay-policy=user-gesture-required",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)


def find() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


PATIENCE_S = 120.0
"""Maximum seconds for the answer to a call: the page of past evenings starts a program, slow on a busy machine."""


PAGE_WENT = ("navigated or closed", "context was destroyed")
"""Answers of the browser to a wait on a page that was replaced."""


class Tab:
    """One open page. Unexpected events are kept in `heard`."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.heard: list[dict[str, Any]] = []
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            document = json.loads(message.data)
            if "id" in document:
                self._answers.pop(document["id"]).set_result(document)
            else:
                self.heard.append(document)

    async def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a DevTools method."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        document = await asyncio.wait_for(answer, PATIENCE_S)
        if "error" in document:
            raise RuntimeError(f"{method}: {document['error']['message']}")
        result: dict[str, Any] = document["result"]
        return result

    async def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until an expression is true, checking once per frame.

        Continue on the next page if this one goes.
        """
        look = f"new Promise(done => {{ const look = () => ({script}) ? done() : setTimeout(look, 10); look(); }})"
        while True:
            try:
                await self.run(look)
                return
            except RuntimeError as error:
                if not any(words in str(error) for words in PAGE_WENT):
                    raise

    async def open(self, address: str) -> None:
        """Open a page and wait for the first live picture."""
        for domain in ("Page", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")
        await self.ask("Page.navigate", url=address)
        await self.until("document.readyState === 'complete' && document.body.classList.contains('live')")

    async def size(self, width: int, height: int, *, ratio: float = 1, phone: bool = False) -> None:
        """Set the window's size in CSS pixels."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=phone
        )
        await self.ask("Emulation.setTouchEmulationEnabled", enabled=phone, maxTouchPoints=5)

    async def prefer(self, **features: str) -> None:
        """Set media features, e.g. prefers_color_scheme="dark"."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        await self.ask("Emulation.setEmulatedMedia", features=wanted)

    async def key(self, kind: str, key: str, code: str, *, repeat: bool = False) -> None:
        """kind: "keyDown" or "keyUp"."""
        await self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code, autoRepeat=repeat)

    async def mouse(self, kind: str, x: float, y: float, **more: object) -> None:
        """kind: "mousePressed", "mouseReleased", "mouseMoved", "mouseWheel"."""
        await self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    async def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """kind: "touchStart", "touchEnd" or "touchCancel"; points: those that touch afterwards."""
        await self.ask(
            "Input.dispatchTouchEvent",
            type=kind,
            touchPoints=[{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)],
        )

    async def middle(self, selector: str) -> tuple[float, float]:
        """Return the middle of an element in CSS pixels."""
        box = await self.run(
            f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); const b = e.getBoundingClientRect();"
            f"return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({json.dumps(selector)}))"
        )
        return box[0], box[1]

    async def picture(self, path: Path, *, whole: bool = False) -> None:
        """Take a screenshot."""
        shot = await self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        await asyncio.to_thread(path.write_bytes, base64.b64decode(shot["data"]))

    def troubles(self) -> list[str]:
        """Return the browser's complaints: exceptions, refused resources, failed loads."""
        return [
            json.dumps(event["params"])
            for event in self.heard
            if event["method"] == "Runtime.exceptionThrown"
            or (event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"))
        ]


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Tab]:
    """Start a fresh browser with one empty tab; end it afterwards."""
    program = find()
    assert program is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = await asyncio.create_subprocess_exec(
            program,
            *FLAGS,
            f"--user-data-dir={home}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            port = await asyncio.wait_for(_port(process), 30)
            async with ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    tabs = await answer.json()
                url = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
                async with session.ws_connect(url, max_msg_size=0) as socket:
                    yield Tab(socket)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _port(process: asyncio.subprocess.Process) -> int:
    """Return the port that the browser reports; discard the rest of its output."""
    assert process.stderr is not None
    async for line in process.stderr:
        if b"DevTools listening on" in line:
            return int(line.decode().rsplit(":", 1)[1].split("/")[0])
    raise RuntimeError("the browser ended before it listened")
