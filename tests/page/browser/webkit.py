"""Drive WebKitGTK, the nearest relative of an iPhone's browser, by Debian's WebKitWebDriver on its own display.

Each page is a window: a page behind another one would be asleep.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from referee.device.children.page import bind_sockets

MINI_BROWSERS = ("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/lib/*/webkitgtk-6.*/MiniBrowser")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's number in WebDriver's JSON."""
PATIENCE_S = 90.0


class Driver:
    """A WebDriver session; one window at a time is in front."""

    def __init__(self, http: ClientSession, address: str) -> None:
        self._http, self._address = http, address
        self.turn = asyncio.Lock()

    async def ask(self, path: str, **body: object) -> Any:
        async with self._http.post(self._address + path, json=body) as answer:
            value = (await answer.json(content_type=None))["value"]
            if answer.status != 200:
                raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
            return value

    async def begin(self, program: str) -> None:
        options = {"webkitgtk:browserOptions": {"binary": program, "args": ["--automation"]}}
        made = await self.ask("/session", capabilities={"alwaysMatch": options})
        self._address += f"/session/{made['sessionId']}"
        await self.ask("/timeouts", script=60_000, pageLoad=60_000, implicit=0)

    async def window(self) -> Guest:
        """Open another page, with the cookies of the others."""
        return Guest(self, (await self.ask("/window/new", type="window"))["handle"])


class Guest:
    """One page as a person sees it."""

    def __init__(self, driver: Driver, handle: str) -> None:
        self._driver, self._handle = driver, handle

    async def _ask(self, path: str, **body: object) -> Any:
        async with self._driver.turn:
            await self._driver.ask("/window", handle=self._handle)
            return await self._driver.ask(path, **body)

    async def open(self, address: str) -> None:
        """Open an address and wait until it has loaded."""
        await self._ask("/url", url=address)

    async def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        return await self._ask("/execute/sync", script=f"return ({script})", args=[])

    async def until(self, script: str) -> None:
        """Wait until an expression is true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not await self.run(f"Boolean({script})"):
                    await asyncio.sleep(0.1)
        except TimeoutError:
            shown = await self.run("document.body.innerText")
            raise AssertionError(f"{script} is not true; the page says: {shown}") from None

    async def press(self, selector: str, seconds: float = 0.1) -> None:
        """Press the middle of an element for so many seconds with the mouse; WebKitGTK's driver has no fingers."""
        x, y = await self.run(
            "(b => [b.x + b.width / 2, b.y + b.height / 2])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": round(seconds * 1000)},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "hand", "parameters": {"pointerType": "mouse"}, "actions": moves}
        await self._ask("/actions", actions=[pointer])

    async def tap(self, *selectors: str) -> None:
        """Tap the middle of each element."""
        for selector in selectors:
            await self._ask(f"/element/{await self._element(selector)}/click")

    async def type(self, selector: str, text: str) -> None:
        """Type at the end of a field."""
        await self._ask(f"/element/{await self._element(selector)}/value", text=text)

    async def _element(self, selector: str) -> str:
        return str((await self._ask("/element", using="css selector", value=selector))[ELEMENT])


def programs() -> list[str | None]:
    """Return the driver, the browser and the display server.

    None for each that is not installed.
    """
    found = (str(path) for pattern in MINI_BROWSERS for path in sorted(Path("/").glob(pattern[1:])))
    return [shutil.which("WebKitWebDriver"), next(found, None), shutil.which("Xvfb")]


@contextlib.asynccontextmanager
async def webkit() -> AsyncIterator[Driver]:
    """Start a fresh browser; end it afterwards."""
    driver, browser, screen = programs()
    assert driver is not None
    assert browser is not None
    assert screen is not None
    [probe] = bind_sockets("127.0.0.1", 0)
    port = probe.getsockname()[1]
    probe.close()
    display, shown_by = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        async with contextlib.AsyncExitStack() as running:
            show = (screen, "-displayfd", str(shown_by), "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
            await running.enter_async_context(_process(*show, pass_fds=[shown_by]))
            os.close(shown_by)
            with os.fdopen(display, "rb") as told:  # closing it before the end of its line would end Xvfb
                number = (await asyncio.to_thread(told.readline)).decode().strip()
            environ = {
                **os.environ,
                "DISPLAY": f":{number}",
                "GDK_BACKEND": "x11",
                "HOME": home,
                "XDG_RUNTIME_DIR": home,
                "LIBGL_ALWAYS_SOFTWARE": "1",
                "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
                "NO_AT_BRIDGE": "1",
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            }
            command = (driver, "--host=127.0.0.1", f"--port={port}")
            await running.enter_async_context(_process(*command, env=environ))
            http = await running.enter_async_context(ClientSession())
            address = f"http://127.0.0.1:{port}"
            await _listens(http, address)
            session = Driver(http, address)
            await session.begin(browser)
            yield session


async def _listens(http: ClientSession, address: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(OSError):
                async with http.get(f"{address}/status"):
                    return
            await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def _process(*command: str, **more: Any) -> AsyncIterator[None]:
    """Start a program; end it and all its children afterwards."""
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, start_new_session=True, stdout=quiet, stderr=quiet, **more)
    try:
        yield
    finally:
        for number in (15, 9):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 5)
