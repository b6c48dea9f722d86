"""The daemon's child processes: a lost one is named and comes back, and the table goes on meanwhile."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.config import parse
from referee.core.model.view import LobbyScreen, View
from referee.device import daemon
from referee.protocol import processes
from referee.storage.evenings.folder import evenings_in
from tests.core.sitting import Sitting
from tests.device.device_case import PATIENCE_S, device, eight, kept
from tests.device.test_children import STOPS, is_gone, script

PAGE, LINK = "referee.page.child", "referee.mqtt.child"
NO_BROKER = parse({"mqtt": {"url": "mqtt://127.0.0.1:9", "name": "t1"}})
"""Nothing listens on that port, so the link tries again and again."""


def pid_of(module: str) -> int | None:
    """Return the ID of this process's child that runs a module."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command, status = (path / "cmdline").read_bytes(), (path / "status").read_text()
        except OSError:
            continue
        if module.encode() in command.split(b"\0") and f"\nPPid:\t{os.getpid()}\n" in status:
            return int(path.name)
    return None


async def until(wanted: Callable[[], object]) -> None:
    """Wait until something has happened."""
    async with asyncio.timeout(PATIENCE_S):
        while not wanted():
            await asyncio.sleep(0.01)


def stop(pid: int) -> None:
    """Stop a process, as `kill -STOP` does."""
    os.kill(pid, signal.SIGSTOP)


def kill(pid: int) -> None:
    """Kill a process, as the kernel does if memory runs out."""
    os.kill(pid, signal.SIGKILL)


def seated(number: int) -> Callable[[View], object]:
    """Return a function that tells whether somebody has joined at that seat."""
    return lambda view: isinstance(view.screen, LobbyScreen) and view.screen.seats[number - 1].name


@pytest.mark.parametrize("fault", [stop, kill])
@pytest.mark.parametrize(("module", "name"), [(PAGE, "page"), (LINK, "MQTT link")])
async def test_a_lost_child_is_named_and_comes_back(
    module: str,
    name: str,
    fault: Callable[[int], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The table takes presses meanwhile."""
    monkeypatch.setattr(daemon, "LOOK_S", 0.05)
    async with device(tmp_path, monkeypatch, config=NO_BROKER, listen="127.0.0.1:0") as (watcher, pins):
        await until(lambda: pid_of(module))
        lost = pid_of(module)
        assert lost is not None
        fault(lost)
        pins.press("1")
        await watcher.until(seated(1))
        await until(lambda: any(f"the {name} has ended" in said for said in caplog.messages))
        pins.press("2")
        await watcher.until(seated(2))
        await until(lambda: pid_of(module) not in (None, lost))
        await until(lambda: f"the {name} is back" in caplog.messages)


def two_evenings(state: Path) -> None:
    """Write an evening in the lobby, and an old one that is not compressed."""
    kept(state, Sitting(eight()))
    [current] = evenings_in(state).iterdir()
    shutil.copy(current, current.with_name("2000-01-01_0000.jsonl"))


@pytest.mark.parametrize("look_s", [0.01, PATIENCE_S])
async def test_stopped_compression_is_named_and_does_not_delay_the_end(
    look_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    two_evenings(tmp_path)
    program = script(tmp_path / "python", STOPS)
    monkeypatch.setattr(processes, "LOOK_S", look_s)
    monkeypatch.setattr(sys, "executable", str(program))
    async with device(tmp_path, monkeypatch) as (watcher, pins):
        await until((tmp_path / "python.pid").exists)
        pins.press("1")
        await watcher.until(seated(1))
        if look_s < PATIENCE_S:
            await until(lambda: any("not compressed (it was stopped)" in said for said in caplog.messages))
    assert is_gone(program)


async def test_failed_compression_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    two_evenings(tmp_path)
    monkeypatch.setattr(sys, "executable", str(script(tmp_path / "python", "echo no space >&2; exit 1")))
    async with device(tmp_path, monkeypatch):
        await until(lambda: any("not compressed (no space)" in said for said in caplog.messages))
