"""The daemon with [mqtt]: the table's view goes out, the hall's seating comes in, and a lost broker is shown."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import msgspec
import pytest

from referee.config import parse
from referee.core.documents.delivery import GameRules, Seating, hall_topic
from referee.core.model.events import Offered
from referee.core.model.view import LobbyScreen, View
from referee.device import daemon
from tests.device.device_case import device, tape_of
from tests.device.test_daemon_children import LINK, pid_of
from tests.english import en
from tests.mqtt.broker import TABLE, hall, mosquitto


def coming(view: View) -> str:
    """Return the lobby's line about the next players."""
    line = view.screen.coming if isinstance(view.screen, LobbyScreen) else None
    return en(line) if line is not None else ""


def has_no_broker(view: View) -> bool:
    """Return whether the table says that it publishes nothing."""
    return view.banner is not None and en(view.banner) == "NO MQTT BROKER"


async def test_stopped_link_is_shown_until_it_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "LOOK_S", 0.05)
    with mosquitto(tmp_path) as broker, hall(broker) as far:
        config = parse({"mqtt": {"url": f"mqtt://127.0.0.1:{broker.port}", "name": TABLE}})
        async with device(tmp_path / "state", monkeypatch, config=config) as (watcher, _):
            await asyncio.to_thread(far.until, "view")
            pid = pid_of(LINK)
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            await watcher.until(has_no_broker)
            await asyncio.to_thread(far.until, "view")
            await watcher.until(lambda view: view.banner is None)


async def test_device_publishes_and_hears_who_plays_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with mosquitto(tmp_path) as broker, hall(broker) as far:
        config = parse({"mqtt": {"url": f"mqtt://127.0.0.1:{broker.port}", "name": TABLE}})
        async with device(tmp_path / "state", monkeypatch, config=config) as (watcher, _):
            shown = await asyncio.to_thread(far.until, "view")
            assert shown["phase"] == "LOBBY"
            rules = msgspec.json.encode(GameRules("nna", {"target": 50}))
            far.publish(hall_topic("referee", TABLE, "rules"), rules)
            seating = msgspec.json.encode(Seating("Friday", 1, (("Zoe",), ("Tom",)), "nna"))
            far.publish(hall_topic("referee", TABLE, "seating"), seating)
            await watcher.until(lambda view: coming(view) == "Next: Zoe Tom")
            broker.kill()
            await watcher.until(has_no_broker)
            broker.start()
            await watcher.until(lambda view: view.banner is None and coming(view) == "Next: Zoe Tom")
    (offer,) = [event for _, event in tape_of(tmp_path / "state").rows if isinstance(event, Offered)]
    assert (offer.game, offer.options) == ("nna", (("target", 50),))
