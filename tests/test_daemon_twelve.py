"""Twelve at one table, through the whole device: eight buttons on wires, four on simulated pods, the journal's file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from referee import daemon
from referee.app import simulated
from referee.app.simulated import Fingers
from referee.config import parse
from referee.core.match.engine import Engine
from referee.core.model.events import Ruled
from referee.core.model.table import SEATS
from referee.core.model.view import Lamp, LobbyScreen, OverScreen, VerdictScreen, View
from referee.core.presses.signals import KNOB
from tests.device_case import PATIENCE_S, Watcher, at, tape_of

SNAP = {"table": {"preset": "snap", "seats": 12, "agreement": False}, "rules": {"target": 1}}
TOUCH_S = 0.06
"""How long a finger stays down, and then up: a contact that closes sooner after it opened is a bounce."""
AGAIN_S = 10.0
"""Longer than a busy machine takes from a tap to its lamp."""


def joined(count: int, view: View) -> bool:
    """Whether so many sit in the lobby."""
    return isinstance(view.screen, LobbyScreen) and view.screen.teams == count


class Onlooker(Watcher):
    """Sees the lamps, too."""

    asked: tuple[str, ...] = ()
    """Whose lamp asks for a tap."""

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """They change without the picture, as an answer begins to count."""
        self.asked = tuple(lamp.station for lamp in lamps if lamp.pattern in ("slow", "double"))
        self._changed.set()


class TwelveHands:
    """Fingers on every button, which look at display and lamps as people do."""

    def __init__(self, fingers: Fingers, watcher: Onlooker) -> None:
        self._fingers, self._watcher, self.until = fingers, watcher, watcher.until

    async def tap(self, name: str) -> None:
        """A tap or a push as long as a finger makes it."""
        for down in (True, False):
            self._fingers.contact(name, down)
            await asyncio.sleep(TOUCH_S)

    async def answer(self, until: Callable[[View], bool]) -> None:
        """Whoever is asked taps, one after the other, until that is seen."""
        watcher = self._watcher
        while not until(await self.until(lambda view: until(view) or watcher.asked)):
            await self.tap(station := watcher.asked[-1])
            with suppress(TimeoutError):  # a tap that came too early is not heard: people tap again
                async with asyncio.timeout(AGAIN_S):
                    await self.until(partial(self._answered, until, station))

    def _answered(self, until: Callable[[View], bool], station: str, view: View) -> bool:
        return until(view) or station not in self._watcher.asked

    async def match(self) -> OverScreen:
        """All sit down, the knob starts, 12 claims the first pair of cards, and the table says that it was right."""
        for count, station in enumerate(SEATS, 1):
            await self.tap(station)
            await self.until(partial(joined, count))
        await self.tap(KNOB)
        await self.until(lambda view: at("Start: 12 teams", view))
        await self.tap(KNOB)
        await self.answer(lambda view: view.phase == "PLAYING")
        await self.tap("12")
        shown = (await self.until(lambda view: isinstance(view.screen, VerdictScreen))).screen
        assert isinstance(shown, VerdictScreen)
        assert [caller.numbers for caller in shown.callers] == [(12,)]
        await self.answer(lambda view: view.phase == "OVER")
        over = (await self.until(lambda view: isinstance(view.screen, OverScreen))).screen
        assert isinstance(over, OverScreen)
        return over


def test_twelve_play_a_match_through_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every button joins, starts and is asked; a claim on a pod's button is named; the journal gives the match back."""
    made: list[Fingers] = []

    def noted(*args: object) -> Fingers:
        made.append(Fingers(*args))  # type: ignore[arg-type]
        return made[-1]

    async def evening() -> OverScreen:
        loop, opened = asyncio.get_running_loop(), asyncio.Event()
        options = daemon.Options(
            parse(SNAP),
            tmp_path,
            simulate=True,
            listen="127.0.0.1:0",
            say=lambda text: loop.call_soon_threadsafe(opened.set) and None,
        )
        running, watcher = daemon._Device(options), Onlooker()
        running._outputs.parts.append(watcher)
        task = asyncio.create_task(running.run())
        try:
            await asyncio.wait_for(opened.wait(), PATIENCE_S)
            return await TwelveHands(made[0], watcher).match()
        finally:
            running._stopping.set()
            assert await asyncio.wait_for(task, PATIENCE_S) == 0

    monkeypatch.setattr(simulated, "Fingers", noted)
    over = asyncio.run(evening())
    assert [winner.numbers for winner in over.winners] == [(12,)]
    assert {line.label.numbers for line in over.lines} == {(number,) for number in range(1, 13)}
    rows = tape_of(tmp_path).rows
    assert [event.verdict.callers for _, event in rows if isinstance(event, Ruled)] == [("12",)]
    back = Engine.restored(rows)
    assert back.state.phase.name == "OVER"
    assert len(back.state.table.hands) == 1
