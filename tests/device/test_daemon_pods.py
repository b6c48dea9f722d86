"""A table with buttons on pods: the real daemon and the real firmware, connected by a pty."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from referee.config import parse
from referee.core.model.events import Linked, Ruled
from referee.core.model.view import LobbyScreen, MenuScreen, VerdictScreen
from referee.core.pods.link import FIRST_EXCHANGES
from referee.core.presses.signals import Edge
from referee.device import assembly, daemon
from referee.drivers.pods.lines import Pods
from tests.device.device_case import Watcher, device, tape_of
from tests.english import en
from tests.firmware.benchpod import PATIENCE_S, BenchPod, needs_node

pods = assembly.pods
TAP = 30_000  # us
KNOB_CONTACT = 4


def tap(pod: BenchPod, contact: int) -> int:
    """Report a 30 ms press that has just ended."""
    return pod.train((0, 1 << contact), (TAP, 0))


async def joined(watcher: Watcher, count: int) -> None:
    """Wait until that many players have joined."""
    await watcher.until(
        lambda view: (
            isinstance(view.screen, LobbyScreen) and sum(s.name is not None for s in view.screen.seats) == count
        )
    )


def noted(made: list[Pods], pods: Pods | None) -> Pods:
    """Collect the daemon's pods, so that a test can query them."""
    assert pods is not None
    made.append(pods)
    return pods


async def fitted(made: list[Pods]) -> None:
    """Wait until the pod's clock is fitted well enough for presses of a tenth of a second ago."""
    async with asyncio.timeout(PATIENCE_S):
        while not made or made[0].status()[0].exchanges < FIRST_EXCHANGES:
            await asyncio.sleep(0.01)


async def start(watcher: Watcher, pod: BenchPod, *contacts: int) -> None:
    """Go from the lobby into play: two pushes of the knob on the pod, and a tap of each player.

    On a busy machine a picture is late: a tap meant for READY may find the beats running and stop them.
    """
    await asyncio.sleep(0.3)  # wait for the present train to end: the next one must begin after the pod's last stamp
    pod.train((0, 1 << KNOB_CONTACT), (TAP, 0), (5 * TAP, 1 << KNOB_CONTACT), (6 * TAP, 0))
    await watcher.until(lambda view: view.phase == "READY")
    async with asyncio.timeout(PATIENCE_S):
        while watcher.views[-1].phase != "PLAYING":
            for contact in contacts if watcher.views[-1].phase in ("READY", "STOPPED") else ():
                tap(pod, contact)
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.1)


@needs_node
def test_a_press_on_a_pod_is_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def evening(pod: BenchPod) -> int:
        pods_asked = {"contacts": {"3f2a": ["1", "2", "3", "4", "knob"]}, "lines": [pod.line]}
        config = parse({"pods": pods_asked, "table": {"agreement": False}})
        made: list[Pods] = []
        monkeypatch.setattr("referee.drivers.pods.lines.found_lines", lambda: ())
        monkeypatch.setattr(assembly, "pods", lambda *args: noted(made, pods(*args)))
        async with device(tmp_path, monkeypatch, config=config) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert en(shown.banner) in ("NO LINK 1-4", None)
            await watcher.until(lambda view: view.banner is None)
            await fitted(made)
            tap(pod, 0)
            await joined(watcher, 1)
            tap(pod, 1)
            await joined(watcher, 2)
            await start(watcher, pod, 0, 1)
            called = pod.closed(1)
            shown = await watcher.until(lambda view: isinstance(view.screen, VerdictScreen))
            assert isinstance(shown.screen, VerdictScreen)
            assert shown.screen.callers[0].numbers == (2,)
            told = await watcher.until(lambda view: view.clocks and view.clocks[0].bound_ns)
            assert [(clock.name, clock.numbers) for clock in told.clocks] == [("pod 3f2a", (1, 2, 3, 4))]
            return called

    with BenchPod() as pod:
        called = asyncio.run(evening(pod))
    events = [event for _, event in tape_of(tmp_path).rows]
    [ruled] = [event for event in events if isinstance(event, Ruled)]
    [press] = ruled.verdict.presses
    assert abs(press.t_ns - called) <= press.err_ns
    assert {event.up for event in events if isinstance(event, Linked)} == {True}  # a busy machine may greet it again
    assert all(event.arrived_ns >= event.t_ns for event in events if isinstance(event, Edge))


@needs_node
def test_a_laptop_is_a_referee_with_pods_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def evening(pod: BenchPod) -> None:
        contacts = ["1", "2", "", "", "knob", "knob-a", "knob-b"]
        config = parse({"pins": {"profile": "none"}, "pods": {"contacts": {"3f2a": contacts}, "lines": [pod.line]}})
        said: asyncio.Queue[str] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        options = daemon.Options(
            config, tmp_path, listen="127.0.0.1:0", say=lambda text: loop.call_soon_threadsafe(said.put_nowait, text)
        )
        running = daemon._Device(options)
        watcher = Watcher()
        running._outputs.parts.append(watcher)
        task = asyncio.create_task(running.run())
        try:
            assert "The table is open: http://" in await asyncio.wait_for(said.get(), PATIENCE_S)
            shown = await watcher.until(lambda view: view.banner is None)
            assert isinstance(shown.screen, LobbyScreen)
            assert [seat.number for seat in shown.screen.seats] == [1, 2]
            await fitted(made)
            for contact in (0, 1):
                tap(pod, contact)
            await joined(watcher, 2)
            await asyncio.to_thread(pod.until_lit, 0b11)
            tap(pod, KNOB_CONTACT)
            opened = await watcher.until(lambda view: isinstance(view.screen, MenuScreen))
            detent = ((0, 1 << 5), (200, 3 << 5), (400, 2 << 5), (600, 0))
            pod.train(*detent)
            turned = await watcher.until(lambda view: getattr(view.screen, "cursor", 0) == 1)
            assert isinstance(opened.screen, MenuScreen)
            assert isinstance(turned.screen, MenuScreen)
        finally:
            running._stopping.set()
            assert await asyncio.wait_for(task, PATIENCE_S) == 0

    made: list[Pods] = []
    monkeypatch.setattr("referee.drivers.pods.lines.found_lines", lambda: ())
    monkeypatch.setattr(assembly, "pods", lambda *args: noted(made, pods(*args)))
    with BenchPod() as pod:
        asyncio.run(evening(pod))
