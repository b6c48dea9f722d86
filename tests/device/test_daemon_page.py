"""The daemon and its page, and switching off at the knob."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from referee.cli import main
from referee.config import Config, parse
from referee.core.match.engine import Engine
from referee.core.model.events import Cue, Turned
from referee.core.model.view import LobbyScreen, MenuScreen, PowerBackScreen, View
from referee.core.phases.device import OffScreen
from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS
from referee.core.values import replace
from referee.device import assembly, daemon
from referee.device import page as page_module
from referee.device.assembly import DisplayOutput
from referee.drivers.oled.display import Display
from referee.drivers.oled.panel import OledPanel
from referee.drivers.systemd import UPDATE_NOTE, boot_id, release
from referee.screens import draw
from referee.storage import wallclock
from referee.storage.evenings.writer import Journal, JournalBusy
from tests.core.sitting import Sitting
from tests.device.device_case import (
    PATIENCE_S,
    WIRING,
    StuckFactory,
    Watcher,
    at,
    device,
    eight,
    has,
    kept,
    part,
    screen_of,
    tape_of,
)
from tests.device.test_live import Room
from tests.drivers.oled.fake import FakeSerial
from tests.english import all_en, en

# -- the page ------------------------------------------------------------------------------------------------------


def test_an_address_in_use_keeps_the_simulated_table_shut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["run", "--simulate", "--state", str(tmp_path), "--listen", listen]) == 2
    assert capsys.readouterr().err.startswith(f"referee: the page cannot listen on {listen}: ")


async def test_simulated_table_takes_the_next_free_port_and_a_second_one_is_told_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[str] = []
    monkeypatch.setattr(wallclock, "is_kept", lambda: False)
    with socket.create_server(("127.0.0.1", 0)) as taken, caplog.at_level(logging.WARNING):
        port = taken.getsockname()[1]
        monkeypatch.setattr(page_module, "PAGE", f"127.0.0.1:{port}")
        running = daemon._Device(daemon.Options(Config(), tmp_path, simulate=True, say=said.append))
        task = asyncio.create_task(running.run())
        async with asyncio.timeout(PATIENCE_S):
            while not said:
                await asyncio.sleep(0.01)
        (found,) = re.findall(r"http://localhost:(\d+)/", said[0])
        assert port < int(found) <= port + page_module.MORE_PORTS
        assert f"port {port} is in use" in caplog.text
        async with asyncio.timeout(PATIENCE_S):
            while f"localhost:{found}" not in _refusal(tmp_path):
                await asyncio.sleep(0.01)
        running._look_at_clock(running._live)
        async with asyncio.timeout(PATIENCE_S):
            while running._live.engine.state.clock_s is None:  # the computer's clock is trusted
                running._live.step()
                await asyncio.sleep(0.01)
        running._stopping.set()
        assert await asyncio.wait_for(task, PATIENCE_S) == 0
    Journal(tmp_path, boot_id()).close()


def _refusal(state: Path) -> str:
    with pytest.raises(JournalBusy) as caught:
        Journal(state, boot_id())
    return str(caught.value)


def test_without_pins_the_sentence_says_what_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "gpiozero_gpiod.factory", None)
    assert main(["run", "--state", str(tmp_path / "state")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("referee: there are no pins here (import of gpiozero_gpiod.factory halted")
    assert said.endswith("; `referee run --simulate` needs none\n")
    assert not (tmp_path / "state").exists()


# -- off at the knob -----------------------------------------------------------------------------------------------


async def switched_off(state: Path, monkeypatch: pytest.MonkeyPatch, *, simulate: bool) -> tuple[list[str], Watcher]:
    """Switch the device off by "More", "Device", "Off" and a second push.

    Return its output and last picture.
    """
    said: list[str] = []
    watcher, pins = Watcher(), StuckFactory()
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(assembly, "outputs", lambda *args: [part(watcher)])
    options = daemon.Options(Config(), state, simulate=simulate, listen="127.0.0.1:0", say=said.append)
    running = daemon._Device(options)
    task = asyncio.create_task(running.run())
    await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
    for line in ("More", "Device", "Off", "Switch off"):
        if not isinstance(watcher.views[-1].screen, MenuScreen):
            pushed(running)
        menu = (await watcher.until(partial(has, line))).screen
        assert isinstance(menu, MenuScreen)
        if all_en(menu.items).index(line) != menu.cursor:
            running._call_feed([Turned(time.monotonic_ns(), all_en(menu.items).index(line) - menu.cursor)])
            await watcher.until(partial(at, line))
        pushed(running)
    assert await asyncio.wait_for(task, PATIENCE_S) == 0
    return said, watcher


def pushed(running: daemon._Device) -> None:
    """Push the knob after it has rested for a while."""
    at = time.monotonic_ns() + 80 * MS
    running._call_feed([Edge(KNOB, True, at), Edge(KNOB, False, at + 30 * MS)])


def test_off_at_the_knob_closes_the_journal_and_leaves_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service leaves a file that switches the machine off, and exits with 0 so that it is not restarted."""
    run = tmp_path / "run"
    run.mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(run))
    said, watcher = asyncio.run(switched_off(tmp_path / "state", monkeypatch, simulate=False))
    assert (run / "off").exists()
    assert said[-1] == "Switched off at the knob."
    assert isinstance(watcher.views[-1].screen, OffScreen)
    assert not any(lamp.lit for lamp in watcher.views[-1].lamps)
    rows = Journal(tmp_path / "state", boot="boot-2").take_recovered().rows
    assert Engine.restored(rows, release=release()).state.phase.name == "OFF"


async def updated(state: Path, monkeypatch: pytest.MonkeyPatch, note: Path) -> None:
    """Hear of a newer version in the lobby, hold the knob, and hear that it could not be installed."""

    def say(kind: str, at: int) -> None:
        told = {"kind": kind, "version": "0.2.0", "boot": boot_id(), "at": at}
        (state / "update" / "says.json").write_text(json.dumps(told))

    (state / "update").mkdir(parents=True)
    say("offer", 1)
    watcher, pins = Watcher(), StuckFactory()
    monkeypatch.setattr(daemon, "LOOK_S", 0.05)
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(assembly, "outputs", lambda *args: [part(watcher)])
    running = daemon._Device(daemon.Options(Config(), state, listen="127.0.0.1:0", say=lambda sentence: None))
    task = asyncio.create_task(running.run())
    await watcher.until(lambda view: isinstance(view.screen, OfferScreen))
    assert not note.exists()
    running._call_feed([Edge(KNOB, True, time.monotonic_ns())])
    await watcher.until(lambda view: isinstance(view.screen, UpdateScreen))
    running._call_feed([Edge(KNOB, False, time.monotonic_ns())])
    say("space", 2)
    await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and en(view.banner) == "UPDATE: NO SPACE")
    running._stopping.set()
    assert await asyncio.wait_for(task, PATIENCE_S) == 0


def test_a_held_knob_leaves_the_note_that_installs_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    run.mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(run))
    asyncio.run(updated(tmp_path / "state", monkeypatch, run / UPDATE_NOTE))
    assert (run / UPDATE_NOTE).exists()
    assert not (run / "off").exists()


@pytest.mark.parametrize("down", [True, False])
def test_the_table_is_told_when_the_machine_goes_down(
    down: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In mid-hand it shows when to pull the plug, darkens the lamps, plays two low notes and keeps the hand.

    A stop of the service alone shows nothing, since it restarts within a second.
    """
    run, heard = tmp_path / "run", list[Cue]()
    run.mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(run))
    monkeypatch.setattr(daemon, "LAST_SOUND_S", 0)
    monkeypatch.setattr(Watcher, "sound", lambda self, cue: heard.append(cue))
    kept(tmp_path, Sitting(eight()).playing("1", "2"))

    async def sit() -> View:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            await watcher.until(lambda view: isinstance(view.screen, PowerBackScreen))
            heard.clear()
            if down:
                (run / "going-down").touch()
        return watcher.views[-1]

    last = asyncio.run(sit())
    assert isinstance(last.screen, OffScreen if down else PowerBackScreen)
    assert ([cue.name for cue in heard][-2:] == ["hush", "fault"]) is down
    assert not (down and any(lamp.lit for lamp in last.lamps))
    assert not (run / "off").exists()
    assert Engine.restored(tape_of(tmp_path).rows).state.phase.name == "POWER_BACK"


def test_off_at_a_simulated_table_ends_the_program_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    said, _ = asyncio.run(switched_off(tmp_path / "state", monkeypatch, simulate=True))
    assert said[-1].endswith("the machine itself stays on, the same command opens the table again.")
    assert not (tmp_path / "off").exists()


def test_the_last_picture_stays_on_the_panel_when_the_device_is_switched_off() -> None:
    """Any other end blanks it."""
    room = Room()
    for screen in (None, OffScreen(15)):
        serial = FakeSerial("ssd1309")
        output = DisplayOutput(Display(lambda serial=serial: OledPanel(serial, "ssd1309"), draw, logging.getLogger()))  # type: ignore[misc]
        seen = room.seen.views[-1]
        shown = seen if screen is None else replace(seen, screen=screen)
        output.show(shown)
        output.close()
        assert serial.memory.lit is (screen is not None)
    assert screen_of(serial) == draw(shown).tobytes()


def test_the_page_answers_under_the_machine_s_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Den.example.org")

    async def asked() -> tuple[str, list[int]]:
        config = parse({"web": {"names": ["den.fritz.box"]}})
        _, _, addresses, close, _ = await page_module.page("*:0", WIRING, None, time.monotonic_ns, config)
        port = addresses().rstrip("/").rpartition(":")[2]
        found = []
        for host in ("den.local", "den", "den.example.org", "Den.fritz.box", "127.0.0.1", "referee.local"):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            writer.write(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
            found.append(int((await reader.readline()).split()[1]))
            writer.close()
        await close()
        return addresses().replace(port, "PORT"), found

    told, found = asyncio.run(asked())
    assert "http://den.local:PORT/" in told.split()
    assert found == [200, 200, 200, 200, 200, 403]
