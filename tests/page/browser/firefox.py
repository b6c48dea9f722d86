"""Drive a headless Firefox by WebDriver BiDi over aiohttp."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse

NAMES = ("firefox-esr", "firefox")
PATIENCE_S = 90.0
PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}


def find() -> str | None:
    """Return the path of a Firefox, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Window:
    """One page as a person sees it."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reader = asyncio.ensure_future(self._read())
        self._page = ""

    async def _read(self) -> None:
        async for message in self._socket:
            document = json.loads(message.data)
            if document.get("id") in self._answers:
                self._answers.pop(document["id"]).set_result(document)

    async def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a method of WebDriver BiDi."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        document = await asyncio.wait_for(answer, PATIENCE_S)
        if document["type"] == "error":
            raise RuntimeError(f"{method}: {document['error']}: {document['message']}")
        result: dict[str, Any] = document["result"]
        return result

    async def begin(self) -> None:
        await self.ask("session.new", capabilities={})
        self._page = (await self.ask("browsingContext.getTree"))["contexts"][0]["context"]

    async def open(self, address: str) -> None:
        """Open an address and wait until it has loaded."""
        await self.ask("browsingContext.navigate", context=self._page, url=address, wait="complete")

    async def size(self, width: int, height: int) -> None:
        """Set the window's size in CSS pixels."""
        size = {"width": width, "height": height}
        await self.ask("browsingContext.setViewport", context=self._page, viewport=size)

    async def run(self, script: str) -> Any:
        """Return the value of an expression in the page, as JSON has it."""
        expression = f"(async () => JSON.stringify(await ({script})))()"
        target = {"context": self._page}
        answer = await self.ask("script.evaluate", expression=expression, target=target, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        text = answer["result"].get("value")
        return None if text is None else json.loads(text)

    async def until(self, script: str) -> None:
        """Wait until an expression is true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not await self.run(f"Boolean({script})"):
                    await asyncio.sleep(0.05)
        except TimeoutError:
            shown = await self.run("document.body.innerText")
            raise AssertionError(f"{script} is not true; the page says: {shown}") from None

    async def touch(self, x: float, y: float, seconds: float = 0.1) -> None:
        """Touch a place of the page for so many seconds."""
        finger = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": round(seconds * 1000)},
            {"type": "pointerUp", "button": 0},
        ]
        source = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": finger}
        await self.ask("input.performActions", context=self._page, actions=[source])

    async def press(self, selector: str, seconds: float = 0.1) -> None:
        """Touch the middle of an element for so many seconds."""
        x, y = await self.run(
            f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); const b = e.getBoundingClientRect();"
            f"return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({json.dumps(selector)}))"
        )
        await self.touch(x, y, seconds)

    async def tap(self, *selectors: str) -> None:
        """Tap the middle of each element."""
        for selector in selectors:
            await self.press(selector)

    async def type(self, selector: str, text: str) -> None:
        """Type into a field."""
        await self.tap(selector)
        keys = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        await self.ask(
            "input.performActions", context=self._page, actions=[{"type": "key", "id": "keys", "actions": keys}]
        )


@contextlib.asynccontextmanager
async def firefox() -> AsyncIterator[Window]:
    """Start a fresh browser with one empty window; end it afterwards."""
    program = find()
    assert program is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        await asyncio.to_thread((Path(home) / "user.js").write_text, "".join(lines))
        flags = ("--headless", "--no-remote", "--profile", home, "--remote-debugging-port=0", "about:blank")
        process = await asyncio.create_subprocess_exec(
            program, *flags, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        try:
            address = await asyncio.wait_for(_address(process), PATIENCE_S)
            async with ClientSession() as session, session.ws_connect(f"{address}/session", max_msg_size=0) as socket:
                window = Window(socket)
                await window.begin()
                yield window
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _address(process: asyncio.subprocess.Process) -> str:
    """Return the address at which the browser listens; discard the rest of its output."""
    assert process.stderr is not None
    async for line in process.stderr:
        if b"WebDriver BiDi listening on" in line:
            return line.decode().rsplit(" ", 1)[1].strip()
    raise RuntimeError("the browser ended before it listened")
