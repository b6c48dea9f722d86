"""WebKitGTK, driven by WebDriver: Debian's WebKitWebDriver and its MiniBrowser on a display of its own.

It is the nearest relative of an iPhone's browser. A visitor has cookies of its own; `beside` opens another page with
the same cookies. Each page is a window, for a page behind another one is asleep.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

PICTURE_S = 20.0
MINI_BROWSERS = ("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/lib/*/webkitgtk-6.*/MiniBrowser")
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""How WebDriver writes an element."""


class _Session:
    """One WebKitWebDriver with its MiniBrowser: the pages of one visitor, one at a time in front."""

    def __init__(self, session: ClientSession, address: str) -> None:
        self._session, self._address = session, address
        self.turn = asyncio.Lock()

    async def ask(self, method: str, path: str, **body: object) -> Any:
        sent = {"json": body} if method == "POST" else {}
        async with self._session.request(method, self._address + path, **sent) as answer:  # type: ignore[arg-type]
            value = (await answer.json(content_type=None))["value"]
            if answer.status != 200:
                raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
            return value

    async def begun(self, program: str) -> _Session:
        options = {"webkitgtk:browserOptions": {"binary": program, "args": ["--automation"]}}
        made = await self.ask("POST", "/session", capabilities={"alwaysMatch": options})
        self._address += f"/session/{made['sessionId']}"
        return self

    async def window(self, size: tuple[int, int], handle: str = "") -> Guest:
        async with self.turn:
            if not handle:
                handle = (await self.ask("POST", "/window/new", type="window"))["handle"]
            await self.ask("POST", "/window", handle=handle)
            with contextlib.suppress(RuntimeError):  # a display without a window manager may know no sizes
                await self.ask("POST", "/window/rect", width=size[0], height=size[1])
        return Guest(self, handle, size)


class Guest:
    """One page, as a person has it before them."""

    def __init__(self, session: _Session, handle: str, size: tuple[int, int]) -> None:
        self._session, self._handle, self._size = session, handle, size

    @contextlib.asynccontextmanager
    async def _front(self) -> AsyncIterator[_Session]:
        async with self._session.turn:
            await self._session.ask("POST", "/window", handle=self._handle)
            yield self._session

    async def open(self, address: str) -> None:
        async with self._front() as session:
            await session.ask("POST", "/url", url=address)

    async def run(self, script: str) -> Any:
        text = (
            "const done = arguments[arguments.length - 1];"
            f"(async () => JSON.stringify((await ({script})) ?? null))().then(done, e => done('!' + e))"
        )
        async with self._front() as session:
            told = await session.ask("POST", "/execute/async", script=text, args=[])
        if told.startswith("!"):
            raise RuntimeError(told)
        return json.loads(told)

    async def _element(self, session: _Session, selector: str) -> str:
        found = await session.ask("POST", "/element", using="css selector", value=selector)
        return str(found[_ELEMENT])

    async def tap(self, selector: str) -> None:
        async with self._front() as session:
            element = await self._element(session, selector)
            await session.ask("POST", f"/element/{element}/click")

    async def type(self, selector: str, text: str) -> None:
        async with self._front() as session:
            element = await self._element(session, selector)
            await session.ask("POST", f"/element/{element}/value", text=text)

    async def picture(self, path: Path) -> None:
        with contextlib.suppress(TimeoutError):  # WebKit draws no picture of a window that lies behind another one
            async with self._front() as session, asyncio.timeout(PICTURE_S):
                shot = await session.ask("GET", "/screenshot")
                await asyncio.to_thread(path.write_bytes, base64.b64decode(shot))

    async def beside(self) -> Guest:
        return await self._session.window(self._size)


class Browser:
    """A running browser: each visitor has a driver of its own."""

    def __init__(self, session: ClientSession, programs: contextlib.AsyncExitStack, environ: dict[str, str]) -> None:
        self._session, self._programs, self._environ = session, programs, environ
        self._ports = itertools.count(4701)

    async def visitor(self, width: int, height: int) -> Guest:
        driver, program = _programs()
        assert driver is not None
        assert program is not None
        port, quiet = next(self._ports), asyncio.subprocess.DEVNULL
        command = (driver, "--host=127.0.0.1", f"--port={port}")
        await self._programs.enter_async_context(_process(*command, stdout=quiet, stderr=quiet, env=self._environ))
        address = f"http://127.0.0.1:{port}"
        await self._listens(address)
        begun = await _Session(self._session, address).begun(program)
        await begun.ask("POST", "/timeouts", script=60_000, pageLoad=60_000, implicit=0)
        handle = await begun.ask("GET", "/window")
        return await begun.window((width, height), handle)

    async def _listens(self, address: str) -> None:
        for _ in range(200):
            with contextlib.suppress(OSError):
                async with self._session.get(f"{address}/status"):
                    return
            await asyncio.sleep(0.1)
        raise RuntimeError("WebKitWebDriver does not answer")


@contextlib.asynccontextmanager
async def webkit() -> AsyncIterator[Browser]:
    display, shown_by = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        quiet = asyncio.subprocess.DEVNULL
        screen = ("Xvfb", "-displayfd", str(shown_by), "-screen", "0", "2000x1400x24", "-nolisten", "tcp")
        async with contextlib.AsyncExitStack() as programs:
            await programs.enter_async_context(_process(*screen, stdout=quiet, stderr=quiet, pass_fds=[shown_by]))
            os.close(shown_by)
            with os.fdopen(display, "rb") as told:  # closed before its line has ended it would end Xvfb
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
            session = await programs.enter_async_context(ClientSession())
            yield Browser(session, programs, environ)


def _programs() -> tuple[str | None, str | None]:
    """WebKitWebDriver, and the browser that it drives."""
    found = (str(path) for pattern in MINI_BROWSERS for path in sorted(Path("/").glob(pattern[1:])))
    return shutil.which("WebKitWebDriver"), shutil.which("MiniBrowser") or next(found, None)


@contextlib.asynccontextmanager
async def _process(*command: str, **more: Any) -> AsyncIterator[asyncio.subprocess.Process]:
    """A program; ended with everything that it has begun."""
    process = await asyncio.create_subprocess_exec(*command, start_new_session=True, **more)
    try:
        yield process
    finally:
        for number in (15, 9):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 5)


async def until(guest: Guest, script: str, seconds: float = 60.0) -> None:
    """Wait for an expression to become true; AssertionError with what the page says instead."""
    end = asyncio.get_running_loop().time() + seconds
    while not await _now(guest, script):
        if asyncio.get_running_loop().time() > end:
            said = await _now(guest, "location.href + ' ' + document.body.innerText.slice(0, 600)")
            raise AssertionError(f"never: {script}; the page says: {said}")
        await asyncio.sleep(0.1)


async def _now(guest: Guest, script: str) -> Any:
    """The expression's value; None where the page is just going elsewhere, and there is nothing to ask."""
    with contextlib.suppress(RuntimeError):
        return await guest.run(script)
    return None


def lacking() -> str:
    """What is not installed; "" where WebKit can be driven."""
    programs = (*_programs(), shutil.which("Xvfb"))
    names = ("WebKitWebDriver", "MiniBrowser", "Xvfb")
    return ", ".join(name for name, path in zip(names, programs, strict=True) if path is None)
