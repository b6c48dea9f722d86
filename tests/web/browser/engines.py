"""Chromium, Firefox and WebKitGTK, driven alike: each by the protocol that it speaks itself.

    chromium    DevTools, by chromium.py
    firefox     WebDriver BiDi, which Firefox has built in
    webkit      WebDriver, by Debian's WebKitWebDriver and its MiniBrowser on a display of its own

A visitor is a browser's page with cookies of its own; `beside` opens another page with the same cookies. Each page
is a window, for a page behind another one is asleep.
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
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from aiohttp import ClientSession, ClientWebSocketResponse

from tests.web.browser import chromium
from tests.web.browser.chromium import FLAGS, Tab

START_S, ANSWER_S, PICTURE_S = 60.0, 60.0, 20.0
MINI_BROWSERS = ("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/lib/*/webkitgtk-6.*/MiniBrowser")
PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "dom.security.https_first": False,
    "media.autoplay.default": 0,
}


class Guest(Protocol):
    """One page of a browser, as a person has it before them."""

    async def open(self, address: str) -> None:
        """Go there, and wait until it has come."""
        ...

    async def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise's is waited for."""
        ...

    async def tap(self, selector: str) -> None:
        """A finger on the middle of an element."""
        ...

    async def type(self, selector: str, text: str) -> None:
        """Type at the end of what stands in a field."""
        ...

    async def picture(self, path: Path) -> None:
        """A picture of what is to be seen."""
        ...

    async def beside(self) -> Guest:
        """Another page with the same cookies."""
        ...


class Browser(Protocol):
    """A running browser."""

    async def visitor(self, width: int, height: int) -> Guest:
        """A page that knows nothing of the others."""
        ...


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


_MIDDLE = (
    "(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect();"
    "return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({selector}))"
)


async def _middle(guest: Guest, selector: str) -> tuple[float, float]:
    x, y = await guest.run(_MIDDLE.format(selector=json.dumps(selector)))
    return x, y


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


async def _said(process: asyncio.subprocess.Process, beginning: bytes) -> str:
    """What stands behind that beginning in what a program says on standard error; the rest is dropped."""
    assert process.stderr is not None
    heard = b""
    async for line in process.stderr:
        heard += line
        if beginning in line:
            return line.partition(beginning)[2].strip().decode()
    raise RuntimeError(f"the browser ended before it listened: {heard.decode(errors='replace')[-2000:]}")


# -- Chromium ----------------------------------------------------------------------------------------------------------


class _ChromiumGuest:
    def __init__(self, browser: _Chromium, tab: Tab, context: str, size: tuple[int, int]) -> None:
        self._browser, self._tab, self._context, self._size = browser, tab, context, size

    async def open(self, address: str) -> None:
        await self._tab.ask("Page.enable")
        await self._tab.ask("Page.navigate", url=address)
        await until(self, "document.readyState === 'complete'")

    async def run(self, script: str) -> Any:
        return await self._tab.run(script)

    async def tap(self, selector: str) -> None:
        x, y = await _middle(self, selector)
        for kind in ("mousePressed", "mouseReleased"):
            await self._tab.mouse(kind, x, y, button="left", clickCount=1)

    async def type(self, selector: str, text: str) -> None:
        await self.tap(selector)
        await self._tab.ask("Input.insertText", text=text)

    async def picture(self, path: Path) -> None:
        await self._tab.picture(path)

    async def beside(self) -> Guest:
        return await self._browser.window(self._context, self._size)


class _Chromium:
    def __init__(self, session: ClientSession, control: Tab, port: int) -> None:
        self._session, self._control, self._port = session, control, port

    async def visitor(self, width: int, height: int) -> Guest:
        made = await self._control.ask("Target.createBrowserContext")
        return await self.window(made["browserContextId"], (width, height))

    async def window(self, context: str, size: tuple[int, int]) -> _ChromiumGuest:
        asked = {"url": "about:blank", "browserContextId": context, "newWindow": True}
        made = await self._control.ask("Target.createTarget", **asked)
        address = f"ws://127.0.0.1:{self._port}/devtools/page/{made['targetId']}"
        tab = Tab(await self._session.ws_connect(address, max_msg_size=0))
        await tab.size(*size)
        return _ChromiumGuest(self, tab, context, size)


@contextlib.asynccontextmanager
async def _chromium() -> AsyncIterator[Browser]:
    program = chromium.find()
    assert program is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        command = (program, *FLAGS, f"--user-data-dir={home}", "about:blank")
        quiet, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        async with _process(*command, stdout=quiet, stderr=pipe) as process, ClientSession() as session:
            address = await asyncio.wait_for(_said(process, b"DevTools listening on "), START_S)
            async with session.ws_connect(address, max_msg_size=0) as line:
                yield _Chromium(session, Tab(line), int(address.rsplit(":", 1)[1].split("/")[0]))


# -- Firefox -----------------------------------------------------------------------------------------------------------


class _Firefox:
    """WebDriver BiDi: one line for all pages."""

    def __init__(self, line: ClientWebSocketResponse) -> None:
        self._line = line
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for message in self._line:
            document = json.loads(message.data)
            waiting = self._answers.pop(document.get("id"), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(document)

    async def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._line.send_json({"id": number, "method": method, "params": parameters})
        document = await asyncio.wait_for(answer, ANSWER_S)
        if document["type"] == "error":
            raise RuntimeError(f"{method}: {document['error']}: {document['message']}")
        result: dict[str, Any] = document["result"]
        return result

    async def visitor(self, width: int, height: int) -> Guest:
        made = await self.ask("browser.createUserContext")
        return await self.window(made["userContext"], (width, height))

    async def window(self, user: str, size: tuple[int, int]) -> _FirefoxGuest:
        made = await self.ask("browsingContext.create", type="window", userContext=user)
        viewport = {"width": size[0], "height": size[1]}
        await self.ask("browsingContext.setViewport", context=made["context"], viewport=viewport)
        return _FirefoxGuest(self, made["context"], user, size)


class _FirefoxGuest:
    def __init__(self, browser: _Firefox, context: str, user: str, size: tuple[int, int]) -> None:
        self._browser, self._context, self._user, self._size = browser, context, user, size

    async def open(self, address: str) -> None:
        await self._browser.ask("browsingContext.navigate", context=self._context, url=address, wait="complete")

    async def run(self, script: str) -> Any:
        text = f"(async () => JSON.stringify((await ({script})) ?? null))()"
        target = {"context": self._context}
        told = await self._browser.ask("script.evaluate", expression=text, target=target, awaitPromise=True)
        if told["type"] == "exception":
            raise RuntimeError(told["exceptionDetails"]["text"])
        return json.loads(told["result"]["value"])

    async def _act(self, kind: str, actions: list[dict[str, object]], **more: object) -> None:
        source = {"type": kind, "id": kind, "actions": actions, **more}
        await self._browser.ask("input.performActions", context=self._context, actions=[source])

    async def tap(self, selector: str) -> None:
        x, y = await _middle(self, selector)
        moves: list[dict[str, object]] = [
            {"type": "pointerMove", "x": int(x), "y": int(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        await self._act("pointer", moves, parameters={"pointerType": "mouse"})

    async def type(self, selector: str, text: str) -> None:
        await self.tap(selector)
        await self._act("key", [{"type": kind, "value": sign} for sign in text for kind in ("keyDown", "keyUp")])

    async def picture(self, path: Path) -> None:
        shot = await self._browser.ask("browsingContext.captureScreenshot", context=self._context)
        await asyncio.to_thread(path.write_bytes, base64.b64decode(shot["data"]))

    async def beside(self) -> Guest:
        return await self._browser.window(self._user, self._size)


@contextlib.asynccontextmanager
async def _firefox() -> AsyncIterator[Browser]:
    program = _firefox_program()
    assert program is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        (Path(home) / "user.js").write_text("".join(lines))
        command = (program, "--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0")
        quiet, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        environ = {**os.environ, "HOME": home, "MOZ_CRASHREPORTER_DISABLE": "1"}
        async with _process(*command, stdout=quiet, stderr=pipe, env=environ) as process, ClientSession() as session:
            address = await asyncio.wait_for(_said(process, b"WebDriver BiDi listening on "), START_S)
            drain = asyncio.ensure_future(_drained(process))
            async with session.ws_connect(f"{address}/session", max_msg_size=0) as line:
                browser = _Firefox(line)
                await browser.ask("session.new", capabilities={})
                yield browser
            drain.cancel()


async def _drained(process: asyncio.subprocess.Process) -> None:
    """What it says is read on, or it would stand still once the pipe is full."""
    assert process.stderr is not None
    while await process.stderr.read(4096):
        pass


def _firefox_program() -> str | None:
    return next((path for name in ("firefox-esr", "firefox") if (path := shutil.which(name))), None)


# -- WebKitGTK ---------------------------------------------------------------------------------------------------------

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""How WebDriver writes an element."""


class _WebKitSession:
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

    async def begun(self, program: str) -> _WebKitSession:
        options = {"webkitgtk:browserOptions": {"binary": program, "args": ["--automation"]}}
        made = await self.ask("POST", "/session", capabilities={"alwaysMatch": options})
        self._address += f"/session/{made['sessionId']}"
        return self

    async def window(self, size: tuple[int, int], handle: str = "") -> _WebKitGuest:
        async with self.turn:
            if not handle:
                handle = (await self.ask("POST", "/window/new", type="window"))["handle"]
            await self.ask("POST", "/window", handle=handle)
            with contextlib.suppress(RuntimeError):  # a display without a window manager may know no sizes
                await self.ask("POST", "/window/rect", width=size[0], height=size[1])
        return _WebKitGuest(self, handle, size)


class _WebKitGuest:
    def __init__(self, session: _WebKitSession, handle: str, size: tuple[int, int]) -> None:
        self._session, self._handle, self._size = session, handle, size

    @contextlib.asynccontextmanager
    async def _front(self) -> AsyncIterator[_WebKitSession]:
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

    async def _element(self, session: _WebKitSession, selector: str) -> str:
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


class _WebKit:
    def __init__(self, session: ClientSession, programs: contextlib.AsyncExitStack, environ: dict[str, str]) -> None:
        self._session, self._programs, self._environ = session, programs, environ
        self._ports = itertools.count(4701)

    async def visitor(self, width: int, height: int) -> Guest:
        driver, program = _webkit_programs()
        assert driver is not None
        assert program is not None
        port, quiet = next(self._ports), asyncio.subprocess.DEVNULL
        command = (driver, "--host=127.0.0.1", f"--port={port}")
        await self._programs.enter_async_context(_process(*command, stdout=quiet, stderr=quiet, env=self._environ))
        address = f"http://127.0.0.1:{port}"
        await self._listens(address)
        begun = await _WebKitSession(self._session, address).begun(program)
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
async def _webkit() -> AsyncIterator[Browser]:
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
            yield _WebKit(session, programs, environ)


def _webkit_programs() -> tuple[str | None, str | None]:
    """WebKitWebDriver, and the browser that it drives."""
    found = (str(path) for pattern in MINI_BROWSERS for path in sorted(Path("/").glob(pattern[1:])))
    return shutil.which("WebKitWebDriver"), shutil.which("MiniBrowser") or next(found, None)


# -- all ---------------------------------------------------------------------------------------------------------------

ENGINES: dict[str, Callable[[], AbstractAsyncContextManager[Browser]]] = {
    "chromium": _chromium,
    "firefox": _firefox,
    "webkit": _webkit,
}


def lacking(engine: str) -> str:
    """What is not installed of an engine; "" where it can be driven."""
    if engine == "chromium":
        return "" if chromium.find() else "Chromium"
    if engine == "firefox":
        return "" if _firefox_program() else "Firefox"
    programs = (*_webkit_programs(), shutil.which("Xvfb"))
    names = ("WebKitWebDriver", "MiniBrowser", "Xvfb")
    return ", ".join(name for name, path in zip(names, programs, strict=True) if path is None)
