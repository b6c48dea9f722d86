"""A whole device in this process, with mock pins and outputs that can be watched or stuck."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.config import Config
from referee.core.messages import Msg
from referee.core.model.events import Cue, Ruled
from referee.core.model.table import Setup
from referee.core.model.view import (
    MenuScreen,
    View,
)
from referee.core.units import MS
from referee.device import assembly, daemon
from referee.device.guard import Output, OutputPlan
from referee.drivers.pins.pinmap import profile
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal
from tests.core.sitting import Sitting
from tests.device.test_live import Room
from tests.drivers.oled.fake import FakeSerial
from tests.english import all_en, en

WIRING = profile("full8")

PATIENCE_S = 60.0
"""Seconds that a test waits for an expected event on a busy machine."""


class Watcher:
    """An output that lets a test wait for a picture."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self._changed = asyncio.Event()

    def show(self, view: View) -> None:
        self.views.append(view)
        self._changed.set()

    def lamps(self, lamps: Sequence[Any]) -> None:
        """Ignore lamps."""

    def sound(self, cue: Cue) -> None:
        """Ignore sounds."""

    async def until(self, wanted: Callable[[View], object]) -> View:
        """Wait for the first picture, including the present one, for which `wanted` is true."""
        async with asyncio.timeout(PATIENCE_S):
            while not (self.views and wanted(self.views[-1])):
                self._changed.clear()
                await self._changed.wait()
        return self.views[-1]


class StuckFactory(GpiodMockFactory):
    """Mock pins of which some are held down before they are claimed."""

    def __init__(self, *stations: str) -> None:
        super().__init__(revision=assembly.SIMULATED_BOARD)
        self.down = {WIRING.stations()[station].gpio for station in stations}

    def watch(self, *args: Any, **kwargs: Any) -> Any:
        """Start watching, but keep the level of closed contacts against the pull."""
        watch = super().watch(*args, **kwargs)
        for gpio in self.down & set(watch.pins):
            watch.pins[gpio]._change_state(False)
        return watch

    def press(self, station: str, ns: int = 50 * MS) -> None:
        """Report a clean press that has just ended."""
        now, gpio = time.monotonic_ns(), WIRING.stations()[station].gpio
        self.edge(gpio, now - ns, 0)
        self.edge(gpio, now, 1)


def part(output: Output, name: str = "watcher") -> OutputPlan:
    """Return a factory that gives this output under that name."""
    return OutputPlan(name, Msg(f"toast.no_{name}"), lambda: (output, lambda: None))


@asynccontextmanager
async def device(
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    factory: StuckFactory | None = None,
    config: Config | None = None,
    parts: Sequence[OutputPlan] = (),
    listen: str = "",
) -> AsyncIterator[tuple[Watcher, StuckFactory]]:
    """Run a device, with a page if it listens; stop it at the end and check that it stops."""
    watcher, pins = Watcher(), factory or StuckFactory()
    monkeypatch.setattr("referee.storage.wallclock.is_kept", lambda: True)
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(assembly, "outputs", lambda *args: [*parts, part(watcher)])
    running = daemon._Device(daemon.Options(config or Config(), state, listen=listen))
    task = asyncio.create_task(running.run())
    try:
        yield watcher, pins
    finally:
        running._stopping.set()
        assert await asyncio.wait_for(task, PATIENCE_S) == 0


def tape_of(state: Path) -> Tape:
    """Return the current evening in that state directory."""
    return find_latest(evenings_in(state)).tape


def kept(state: Path, table: Sitting, *, wall: float | None = None) -> None:
    """Write a journal of that table to `state` as a power cut would leave it."""
    journal = Journal(state, boot="boot-1", wall=time.time if wall is None else lambda: wall)
    journal.append(table.rows)
    assert journal.close()


def eight() -> Setup:
    """Return the table of the default configuration."""
    return Config().setup(tuple(WIRING.stations()))


def verdicts(room: Room) -> list[Ruled]:
    """Return the verdicts so far."""
    return [event for _, event in room.journal.rows if isinstance(event, Ruled)]


def screen_of(serial: FakeSerial) -> bytes:
    """Return the picture on the display."""
    return serial.memory.picture().tobytes()


def has(line: str, view: View) -> bool:
    """Return whether a list with that line is on the screen."""
    return isinstance(view.screen, MenuScreen) and line in all_en(view.screen.items)


def at(line: str, view: View) -> bool:
    """Return whether the list's cursor is at that line."""
    return isinstance(view.screen, MenuScreen) and en(view.screen.items[view.screen.cursor]) == line
