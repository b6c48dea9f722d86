"""The whole device as on the Pi except its pins, with trouble in one part at a time."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.config import ConfigError, parse
from referee.core.model.events import Opened
from referee.core.model.view import (
    LobbyScreen,
)
from referee.device import assembly, daemon
from tests.device.device_case import WIRING, StuckFactory, device, tape_of
from tests.english import en

# -- buttons -------------------------------------------------------------------------------------------------------


async def test_a_button_down_at_start_neither_joins_nor_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with device(tmp_path, monkeypatch, StuckFactory("3")) as (watcher, pins):
        shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
        assert isinstance(shown.screen, LobbyScreen)
        assert en(shown.screen.hint) == "3: LET GO"
        pins.press("1")
        await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.screen.seats[0].name)
        assert isinstance(watcher.views[-1].screen, LobbyScreen)
        assert watcher.views[-1].screen.seats[2].name is None
    [opened] = [event for _, event in tape_of(tmp_path).rows if isinstance(event, Opened)]
    assert opened.closed == ("3",)


def test_a_button_let_go_while_the_device_composes_itself_is_known_to_be_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows between the first reading of the levels and the first step are kept, so no button seems held."""

    class Hasty(StuckFactory):
        def press(self, station: str, ns: int = 0) -> None:
            self.edge(WIRING.stations()[station].gpio, time.monotonic_ns(), 1)

    async def sit() -> None:
        pins = Hasty("3")
        engine = daemon._Device._engine

        def slowly(self: Any, closed: tuple[str, ...]) -> Any:
            pins.press("3")
            return engine(self, closed)

        monkeypatch.setattr(daemon._Device, "_engine", slowly)
        async with device(tmp_path, monkeypatch, pins) as (watcher, _):
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.screen.hint is None)

    asyncio.run(sit())


def test_a_seat_without_pin_and_pod_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight seats are wired and one is on a pod; the tenth has no button."""
    factory = GpiodMockFactory()
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: factory)
    config = parse({"table": {"seats": 10}, "pods": {"contacts": {"3f2a": ["9"]}}})
    with pytest.raises(ConfigError) as refused:
        daemon.serve(daemon.Options(config, tmp_path))
    assert str(refused.value).endswith(
        "option 'seats' in section [table] is 10, but no pin of [pins], no pod of [pods.contacts] and no key of "
        "[keys.buttons] has the button 10"
    )
