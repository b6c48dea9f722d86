"""`referee run --simulate` in its own process: killed at any moment, it restores everything it had shown."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from referee.cli import main
from referee.config import Config
from referee.core.model.events import Joined, Resumed, Ruled, Sealed
from referee.core.units import S
from referee.device.daemon import _endings
from referee.drivers.pins.pinmap import profile
from referee.storage.evenings.writer import Journal, JournalRow
from tests.core.sitting import BREATH_NS, Sitting
from tests.device.device_case import tape_of
from tests.heard import heard

PATIENCE_S = 120.0
TOUCH_S = 0.03
"""Seconds of a tap, in real time."""


class Page:
    """A visitor's page: what the table shows, and presses of its buttons."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.shown: dict[str, Any] = {}
        self.heard: list[str] = []

    async def until(self, wanted: Callable[[Page], object]) -> None:
        """Read messages until `wanted` is true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not wanted(self):
                    message = json.loads((await self._socket.receive()).data)
                    self.shown |= message.get("table", {})
                    self.heard += [message["sound"]["name"]] if "sound" in message else []
        except TimeoutError:
            raise AssertionError(f"it never came, after {self.heard} the page shows {self.shown}") from None

    async def phase(self, *names: str) -> None:
        """Wait for one of these phases."""
        await self.until(lambda page: page.shown.get("phase") in names)

    async def touch(self, station: str, closed: bool) -> None:
        """Press or release a button."""
        await self._socket.send_json({"contact": station, "closed": closed})

    async def answer(self, *stations: str) -> None:
        """Tap each button once its lamp asks."""
        for station in stations:
            await self.until(lambda page, at=int(station) - 1: page.shown["lamps"][at][1] == "slow")  # type: ignore[misc]
            await self.tap(station)

    async def tap(self, station: str) -> None:
        """One tap."""
        await self.touch(station, True)
        await asyncio.sleep(TOUCH_S)
        await self.touch(station, False)


class Device:
    """`python -m referee run --simulate` on one state directory, started once or more."""

    def __init__(self, state: Path) -> None:
        self.state = state

    @asynccontextmanager
    async def running(self, end: signal.Signals) -> AsyncIterator[Page]:
        """Run the device until that signal.

        After a kill there is no status; an orderly end must give 0.
        """
        args = ("run", "--simulate", "--state", str(self.state), "--listen", "127.0.0.1:0")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "referee", *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        try:
            said = (await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)).decode()
            address = said.removeprefix("The table is open: ").strip().rstrip("/")
            async with (
                aiohttp.ClientSession(headers={"Origin": address}) as session,
                session.ws_connect(f"{address}/live") as socket,
            ):
                page = Page(socket)
                await page.until(lambda page: page.shown)
                yield page
                process.send_signal(end)
        except BaseException:
            process.kill()
            raise
        finally:
            _, complaints = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert process.returncode == (0 if end is signal.SIGTERM else -signal.SIGKILL)
        assert b"Traceback" not in complaints

    @property
    def rows(self) -> tuple[JournalRow, ...]:
        """Return the durable rows."""
        return tape_of(self.state).rows


Story = Callable[[Page], Awaitable[None]]


async def joins(page: Page) -> None:
    """Join; it is killed as soon as the player's name is on the screen."""
    await page.answer("1")
    await page.until(lambda page: page.shown["seats"][0][0])


async def rules(page: Page) -> None:
    """Go on and call up to the verdict; a page that is late shows the phase after it."""
    await page.answer("1", "2")
    await page.phase("Playing")
    await page.touch("2", True)
    await page.until(lambda page: "call" in page.heard or page.shown["phase"] != "Playing")
    await page.phase("Verdict", "Counting")


async def seals(page: Page) -> None:
    """Finish the count by a hold; it is killed as soon as the standings show the sealed count."""
    await page.answer("1", "2")
    await page.phase("Counting")
    await page.until(lambda page: page.shown["lamps"][0][1] == "slow")
    await page.touch("1", True)
    await page.phase("Ready")


def table(*, seated: bool = True) -> Sitting:
    """Return the device's own table."""
    sitting = Sitting(Config().setup(tuple(profile("full8").stations())))
    return sitting.playing("1", "2") if seated else sitting


def counted() -> Sitting:
    """Return a count that lacks only the last hold."""
    called = table().press("2").wait(5 * S).wait(BREATH_NS)
    called.count("2", 0, 21, caller=True).taps("1", 3).hold("1").taps("1", 1).hold("1")
    return called.taps("1", 2)


STORIES: list[tuple[Sitting, Story, str, int, int]] = [
    # table before, actions until the kill, phase afterwards, verdicts and sealed counts shown
    (table(seated=False), joins, "Lobby", 0, 0),
    (table(), rules, "Power back", 1, 0),
    (counted(), seals, "Ready", 1, 1),
]


async def _survives(state: Path, before: Sitting, story: Story, phase: str, ruled: int, sealed: int) -> None:
    journal = Journal(state, boot="an-earlier-boot")
    journal.append(before.rows)
    assert await asyncio.to_thread(journal.close)
    device = Device(state)
    async with device.running(signal.SIGKILL) as page:
        await story(page)
    durable = device.rows
    assert durable[: len(before.rows)] == tuple(before.rows)
    assert sum(isinstance(event, Ruled) for _, event in durable) >= ruled
    assert sum(isinstance(event, Sealed) for _, event in durable) >= sealed
    async with device.running(signal.SIGTERM) as page:
        await page.phase(phase)
        assert not page.shown["banner"]
    after = device.rows
    assert after[: len(durable)] == durable
    assert sum(isinstance(event, Resumed) for _, event in after) == 2
    if story is joins:
        assert [event.station for _, event in after if isinstance(event, Joined)] == ["1"]


async def test_killed_at_any_moment_it_comes_back_with_all_that_it_had_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every durable row is kept, play asks to go on, and a replay agrees."""
    states = [tmp_path / story.__name__ for _, story, *_ in STORIES]

    async with asyncio.TaskGroup() as group:
        for state, story in zip(states, STORIES, strict=True):
            group.create_task(_survives(state, *story))
    for state in states[1:]:
        (path,) = (state / "evenings").iterdir()
        assert main(["replay", str(path), "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["agrees"] is True
        assert report["gaps"] == []


def ended_by(number: signal.Signals, state: Path, said: str = "out", **pipes: Any) -> tuple[int, str, str]:
    """Send that signal to a device with an open table; return its status and later output.

    `said`: the stream that has its address, "out" or "err". A device that does not end is killed and fails the test.
    """
    command = [sys.executable, "-m", "referee", "run", "--simulate", "--state", str(state), "--listen", "127.0.0.1:0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | pipes
    with heard(number):
        process = subprocess.Popen(command, text=True, env=dict(os.environ), **pipes)
    with process:
        try:
            line = getattr(process, f"std{said}").readline()
            assert "The table is open: http://localhost:" in line
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE_S)
        except BaseException:
            process.kill()
            raise
    return process.returncode, out, err


def test_ctrl_c_is_an_orderly_end(tmp_path: Path) -> None:
    assert ended_by(signal.SIGINT, tmp_path) == (0, "", "")


def test_nohup_keeps_a_closed_terminal_from_ending_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals that the caller ignores stay ignored; the other signals still end the program."""
    monkeypatch.setattr(signal, "getsignal", {signal.SIGHUP: signal.SIG_IGN}.get)
    assert _endings() == (signal.SIGTERM, signal.SIGINT)


def test_a_full_disk_behind_standard_output_keeps_no_table_from_opening(tmp_path: Path) -> None:
    """A closed terminal ends it in order."""
    with Path("/dev/full").open("w") as full:
        status, _, complaints = ended_by(signal.SIGHUP, tmp_path, "err", stdout=full)
    assert (status, complaints) == (0, "")
