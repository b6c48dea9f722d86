"""Keys of two keyboards as buttons: the real daemon, and the kernel's event structures in pipes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from referee.config import ConfigError, parse
from referee.core.model.view import LobbyScreen, MenuScreen, VerdictScreen
from referee.core.presses.signals import Edge
from referee.device import assembly
from referee.drivers.keys.nodes import Node
from tests.device.device_case import PATIENCE_S, Watcher, device, tape_of
from tests.device.test_daemon_pods import joined
from tests.drivers.keys.fake import ENTER, MS, A, B, PipeKeyboard, Plugged
from tests.english import en

needs_evdev = pytest.mark.skipif(find_spec("evdev") is None, reason="needs evdev: make keys")
PAD = Node("/dev/input/event3", "Number pad", "046d:c31c", "usb-1.2", codes=frozenset({A, ENTER}))
TWIN = Node("/dev/input/event4", "Number pad", "046d:c31c", "usb-1.3", codes=frozenset({A, ENTER}))
KEYS = {"046d:c31c@usb-1.2": {"30": "1", "28": "knob"}, "046d:c31c@usb-1.3": {"30": "2"}}
CONFIG = parse({"pins": {"profile": "none"}, "table": {"agreement": False}, "keys": {"buttons": KEYS}})


async def tap(pad: PipeKeyboard, code: int) -> None:
    """Press a key for 30 ms."""
    pad.report(time.monotonic_ns(), (code, 1))
    await asyncio.sleep(0.03)
    pad.report(time.monotonic_ns(), (code, 0))
    await asyncio.sleep(0.1)


async def started(watcher: Watcher, left: PipeKeyboard, right: PipeKeyboard) -> None:
    """Join, push the knob twice, and tap until the cards may move."""
    for number, pad in enumerate((left, right), start=1):
        await tap(pad, A)
        await joined(watcher, number)
    await tap(left, ENTER)
    await watcher.until(lambda view: isinstance(view.screen, MenuScreen))
    await tap(left, ENTER)
    await watcher.until(lambda view: view.phase == "READY")
    while (before := watcher.views[-1].phase) != "PLAYING":
        for pad in (left, right) if before in ("READY", "STOPPED") else ():
            await tap(pad, A)
        with contextlib.suppress(TimeoutError):  # a tap may have come too early to count
            async with asyncio.timeout(3):
                await watcher.until(lambda view, before=before: view.phase != before)  # type: ignore[misc]


@needs_evdev
def test_a_key_is_a_call_and_its_stamp_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugged = Plugged()
    left, right = plugged.plug(PAD), plugged.plug(TWIN)
    monkeypatch.setattr("referee.drivers.keys.keys.found_nodes", plugged.find)
    monkeypatch.setattr("referee.drivers.keys.keys.open_node", plugged.open)
    monkeypatch.setattr("referee.drivers.keys.keys.announcements", plugged.news)

    async def evening() -> None:
        async with device(tmp_path, monkeypatch, config=CONFIG) as (watcher, _):
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.banner is None)
            async with asyncio.timeout(PATIENCE_S):
                await started(watcher, left, right)
            await asyncio.sleep(0.3)  # both stamps are after GO
            now_ns = time.monotonic_ns()
            left.report(now_ns, (A, 1))
            right.report(now_ns - 45 * MS, (A, 1))
            shown = await watcher.until(lambda view: isinstance(view.screen, VerdictScreen))
            assert isinstance(shown.screen, VerdictScreen)
            assert [caller.numbers for caller in shown.screen.callers] == [(2,)]
            plugged.unplug(TWIN)
            await watcher.until(lambda view: view.banner is not None and "2" in en(view.banner))

    asyncio.run(evening())
    plugged.close()
    edge = next(event for _, event in tape_of(tmp_path).rows if isinstance(event, Edge))
    assert (edge.err_ns, edge.clock) == (9_500_000, "keys event3")


def test_without_the_library_the_settings_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evdev", None)
    with pytest.raises(ConfigError, match=r"^section \[keys.buttons\] needs the Python package evdev: "):
        assembly.keys(CONFIG, print, time.monotonic_ns)


@needs_evdev
def test_a_key_that_does_not_exist_is_a_mistake() -> None:
    config = parse({"keys": {"buttons": {"046d:c31c": {"KEY_ELEPHANT": "1"}}}})
    with pytest.raises(ConfigError, match="there is no key KEY_ELEPHANT"):
        assembly.keys(config, print, time.monotonic_ns)
    [keyboard] = parse({"keys": {"buttons": {"046d:c31c": {"KEY_A": "1", "48": "2"}}}}).keyboards
    assert keyboard.stations() == {A: "1", B: "2"}
