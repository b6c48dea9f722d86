"""`make run` as a newcomer uses it: the real program in its own process, and a person at its page."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.heard import heard
from tests.page.browser.chromium import Tab

ROOT = Path(__file__).parent.parent.parent.parent
OPEN = "The table is open: "
TAP_S, HOLD_S, BREATH_S = 0.08, 1.0, 0.8
"""Seconds of a person's tap and hold; the pause is longer than the guard before a question takes answers."""

LINE = re.compile(r"(?:^|[.?] )(?P<line>[^.?]*)[.?] Line (?P<at>\d+) of (?P<last>\d+)\.")
"""Text of the list's cursor line in the display's description in words."""


@asynccontextmanager
async def run(state: Path, *options: str) -> AsyncIterator[str]:
    """Run `make run ARGS=...` and yield the address that it prints.

    At the end it receives Ctrl-C and must exit with 0.
    """
    command = [sys.executable, "-m", "referee", "run", "--simulate", "--state", str(state), "--listen", "127.0.0.1:0"]
    with heard(signal.SIGINT):
        process = await asyncio.create_subprocess_exec(
            *command, *options, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
        assert line.startswith(OPEN), line + (await process.stderr.read()).decode()
        yield line.removeprefix(OPEN).strip()
        process.send_signal(signal.SIGINT)
        _, said = await asyncio.wait_for(process.communicate(), 30)
        assert (process.returncode, said.decode()) == (0, "")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class Visitor:
    """A person at the page. Each wait looks only at what the page shows."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab

    async def until(self, script: str, seconds: float = 30) -> None:
        """Wait until something is shown; `table` is what the page knows."""
        try:
            await asyncio.wait_for(self._look(script), seconds)
        except TimeoutError:
            raise AssertionError(f"never {script}; {await self.words()!r}, bots {await self.bots()}") from None

    async def _look(self, script: str) -> None:
        while not await self.tab.run(script):
            await asyncio.sleep(0.05)

    async def words(self) -> str:
        """Return the display in words."""
        return str(await self.tab.run("table.words"))

    async def says(self, *parts: str, seconds: float = 30) -> None:
        """Wait until the display says all of these."""
        await self.until(" && ".join(f"table.words.includes({part!r})" for part in parts), seconds)

    async def phase(self, *names: str, seconds: float = 30) -> None:
        """Wait for a phase."""
        await self.until(f"{list(names)!r}.includes(table.phase)", seconds)

    async def bots(self) -> list[int]:
        """Return the seats that are labelled as bots'."""
        found = await self.tab.run("seats.map((s, n) => s.dataset.bot ? n + 1 : 0).filter(n => n)")
        return [int(number) for number in found]

    async def tap(self, *numbers: int) -> None:
        """Tap each button in turn, once the new question accepts answers."""
        await asyncio.sleep(BREATH_S)
        for number in numbers:
            await self._key(str(number), f"Digit{number}", TAP_S)
            await asyncio.sleep(BREATH_S / 2)

    async def hold(self, number: int) -> None:
        """Hold a button for long enough."""
        await self._key(str(number), f"Digit{number}", HOLD_S)
        await asyncio.sleep(BREATH_S / 2)

    async def push(self) -> None:
        """Push the knob."""
        await self._key("Enter", "Enter", TAP_S)
        await asyncio.sleep(BREATH_S / 2)

    async def choose(self, beginning: str) -> None:
        """Open the knob's list if needed, turn to the line that begins so, and push."""
        if await self._line() is None:
            await self.push()
            await self.says(" Line 1 of ")
        for key in ("ArrowRight", "ArrowLeft"):
            while True:
                line = await self._line()
                if line is not None and line.startswith(beginning):
                    return await self.push()
                if not await self._turn(key):
                    break
        raise AssertionError(f"no line {beginning}; {await self.words()}")

    async def _turn(self, key: str) -> bool:
        """Turn the knob by a step in the open list and wait for the display.

        Return False at the end of the list or without one.
        """
        found = LINE.search(await self.words())
        if found is None:
            return False
        at, last = int(found["at"]), int(found["last"])
        there = at + 1 if key == "ArrowRight" else at - 1
        if not 1 <= there <= last:
            return False
        await self._key(key, key, TAP_S)
        await self.says(f" Line {there} of ")
        return True

    async def _line(self) -> str | None:
        """Return the line at the cursor of the open list."""
        found = LINE.search(await self.words())
        return found["line"] if found else None

    async def _key(self, key: str, code: str, seconds: float) -> None:
        await self.tab.key("keyDown", key, code)
        await asyncio.sleep(seconds)
        await self.tab.key("keyUp", key, code)
