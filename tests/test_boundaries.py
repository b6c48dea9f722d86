"""Fault injection at each boundary of the device: the table goes on, and the fault is reported where needed."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.config import Config, parse
from referee.core.messages import msg
from referee.core.model.events import Cue
from referee.core.model.view import Lamp, LobbyScreen, View
from referee.core.units import S
from referee.device import assembly, daemon, guard, page, simulated
from referee.device.guard import OutputPlan
from tests.device.device_case import PATIENCE_S, StuckFactory, Watcher, device, part
from tests.english import en


class Broken:
    """An output that raises on each call."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def show(self, view: View) -> None:
        self._raise("show")

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        self._raise("lamps")

    def sound(self, cue: Cue) -> None:
        self._raise("sound")

    def _raise(self, what: str) -> None:
        self.asked.append(what)
        raise ArithmeticError(f"{what} failed")


async def joins(watcher: Watcher, pins: StuckFactory, station: str) -> None:
    """Let a player join: checks that pins, match, journal and pictures work."""
    await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
    pins.press(station)
    await watcher.until(
        lambda view: isinstance(view.screen, LobbyScreen) and view.screen.seats[int(station) - 1].name is not None
    )


def told(caplog: pytest.LogCaptureFixture, start: str) -> list[str]:
    return [line for record in caplog.records if (line := record.getMessage()).startswith(start)]


def unmakeable() -> Any:
    raise OSError("no such bus")


@pytest.mark.parametrize(
    ("name", "make"),
    [("lamps", lambda: (Broken(), lambda: None)), ("display", unmakeable), ("buzzer", lambda: 1 / 0)],
)
async def test_an_output_that_fails_or_cannot_even_be_made(
    name: str,
    make: Callable[[], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with device(tmp_path, monkeypatch, parts=[OutputPlan(name, msg("toast.no_lamps"), make)]) as (
        watcher,
        pins,
    ):
        await joins(watcher, pins, "1")
        await watcher.until(lambda view: view.banner == msg("toast.no_lamps"))
        await joins(watcher, pins, "2")
    assert len(told(caplog, f"{name} lost: ")) == 1


async def test_bots_that_stumble_are_said_and_others_sit_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sat: list[int] = []

    class Stumbling(simulated.BotOutput):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            sat.append(1)

        def show(self, view: View) -> None:
            if len(sat) == 2:
                raise KeyError("spades")
            super().show(view)

        def deliver(self) -> None:
            if len(sat) == 1:
                raise KeyError("hearts")
            super().deliver()

    monkeypatch.setattr(simulated, "BotOutput", Stumbling)
    monkeypatch.setattr(guard, "STEADY_S", 0.05)

    with caplog.at_level(logging.WARNING):
        watcher, pins = Watcher(), StuckFactory()
        monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
        monkeypatch.setattr(assembly, "outputs", lambda *args: [part(watcher)])
        options = daemon.Options(Config(), tmp_path, simulate=True, bots=2, listen="127.0.0.1:0")
        running = daemon._Device(options)
        task = asyncio.create_task(running.run())
        await watcher.until(lambda view: en(view.banner) == "NO BOTS")
        await joins(watcher, pins, "1")
        await watcher.until(lambda view: len(sat) == 3 and view.banner is None)
        running._stopping.set()
        assert await asyncio.wait_for(task, PATIENCE_S) == 0
    assert told(caplog, "bots") == ["bots lost: 'hearts'", "bots is back"]
    assert len(sat) == 3


async def test_a_mistake_in_something_that_the_loop_calls_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fault() -> None:
        raise ArithmeticError("a mistake")

    async with device(tmp_path, monkeypatch) as (watcher, pins):
        await joins(watcher, pins, "1")
        asyncio.get_running_loop().call_soon(fault)
        await joins(watcher, pins, "2")
    assert "a mistake" in caplog.text


async def test_a_thread_that_ends_by_a_mistake_is_said_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """If the table cannot work without the thread, the watchdog is no longer notified."""

    def fault() -> None:
        raise ArithmeticError("a mistake")

    made: list[Any] = []
    whole = daemon._Device

    def noted(*args: Any) -> Any:
        made.append(whole(*args))
        return made[-1]

    monkeypatch.setattr(daemon, "_Device", noted)

    hook = threading.excepthook
    async with device(tmp_path, monkeypatch) as (watcher, pins):
        await joins(watcher, pins, "1")
        running = made[0]
        assert running._makes_progress(10 * S)
        threading.Thread(target=fault, name="gpiod-edges").start()
        await watcher.until(lambda view: en(view.banner) == "PROGRAM FAULT")
        await joins(watcher, pins, "2")
        assert not running._makes_progress(10 * S)
    assert threading.excepthook is hook
    assert told(caplog, "the thread 'gpiod-edges' has ended")


async def test_a_wall_clock_that_says_nothing_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Rows are kept with the last known time."""

    def nothing() -> float:
        raise OSError("no clock")

    monkeypatch.setattr(daemon, "wall_s", nothing)
    async with device(tmp_path, monkeypatch) as (watcher, pins):
        await joins(watcher, pins, "1")
        assert watcher.views[-1].banner is None
    assert told(caplog, "the wall clock") == ["the wall clock lost: no clock"]


async def test_a_sync_wire_that_cannot_be_had_and_pods_that_cannot_be_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any) -> Any:
        raise RuntimeError("no serial lines on this machine")

    monkeypatch.setattr(assembly, "sync_wire", broken)
    monkeypatch.setattr(assembly, "pods", broken)
    config = parse({"pods": {"contacts": {"3f2a": ["8"]}}})

    async with device(tmp_path, monkeypatch, config=config) as (watcher, pins):
        await watcher.until(lambda view: en(view.banner) in ("NO LINK 8", "NO PODS"))
        await joins(watcher, pins, "1")
    assert len(told(caplog, "pods lost: ")) == 1
    assert len(told(caplog, "the sync wire lost: ")) == 1


async def test_what_cannot_be_closed_keeps_nothing_else_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Unclosable(StuckFactory):
        def close(self) -> None:
            raise OSError("will not")

    async with device(tmp_path, monkeypatch, Unclosable()) as (watcher, pins):
        await joins(watcher, pins, "1")
    assert told(caplog, "something could not be closed")


async def test_a_page_whose_address_is_taken_comes_once_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[int] = []
    whole = page.page

    async def taken(*args: Any) -> Any:
        tries.append(1)
        if len(tries) < 3:
            raise OSError("taken")
        return await whole(*args)

    monkeypatch.setattr(page, "page", taken)
    monkeypatch.setattr(daemon, "LOOK_S", 0.01)

    watcher, pins = Watcher(), StuckFactory()
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(assembly, "outputs", lambda *args: [part(watcher)])
    opened: list[str] = []
    running = daemon._Device(daemon.Options(Config(), tmp_path, listen="127.0.0.1:0", say=opened.append))
    task = asyncio.create_task(running.run())
    await joins(watcher, pins, "1")
    async with asyncio.timeout(PATIENCE_S):
        while not opened:
            await asyncio.sleep(0.01)
    running._stopping.set()
    assert await asyncio.wait_for(task, PATIENCE_S) == 0
    assert told(caplog, "web") == ["web lost: taken", "web is back"]
