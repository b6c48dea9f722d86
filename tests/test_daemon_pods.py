"""A table whose buttons hang on pods: the real daemon, the real firmware, a pty between them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from referee import assembly
from referee.config import parse
from referee.core.events import Linked, Ruled
from referee.core.podlink import FIRST_EXCHANGES
from referee.core.signals import Edge
from referee.core.view import LobbyScreen, VerdictScreen
from referee.drivers.journal_read import recover
from referee.drivers.pods import Pods
from tests.firmware.benchpod import PATIENCE_S, BenchPod, needs_node
from tests.test_daemon import Watcher, device

pods = assembly.pods
TAP = 30_000  # us
KNOB_CONTACT = 4


def tap(pod: BenchPod, contact: int) -> int:
    """A press of 30 ms that has just ended."""
    return pod.train((0, 1 << contact), (TAP, 0))


async def joined(watcher: Watcher, count: int) -> None:
    """So many sit in the lobby."""
    await watcher.until(
        lambda view: (
            isinstance(view.screen, LobbyScreen) and sum(s.name is not None for s in view.screen.seats) == count
        )
    )


def noted(made: list[Pods], pods: Pods | None) -> Pods:
    """The daemon's own pods, so that a test can ask them."""
    assert pods is not None
    made.append(pods)
    return pods


async def fitted(made: list[Pods]) -> None:
    """The pod's clock is known well enough for presses of a tenth of a second ago."""
    async with asyncio.timeout(PATIENCE_S):
        while not made or made[0].status()[0].exchanges < FIRST_EXCHANGES:
            await asyncio.sleep(0.01)


async def start(watcher: Watcher, pod: BenchPod, *contacts: int) -> None:
    """From the lobby into play: two pushes of the knob, which hangs on the pod too, and everybody taps."""
    pod.train((0, 1 << KNOB_CONTACT), (TAP, 0), (5 * TAP, 1 << KNOB_CONTACT), (6 * TAP, 0))
    await watcher.until(lambda view: view.phase == "READY")
    while watcher.views[-1].phase == "READY":  # answers count from 0.7 s on; to be ready twice is to be ready
        for contact in contacts:
            tap(pod, contact)
        await asyncio.sleep(0.1)
    await watcher.until(lambda view: view.phase == "PLAYING")


@needs_node
def test_a_press_on_a_pod_is_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two players on a pod and nobody on a wire: joined, started, called, named, by the pod's own stamp."""

    async def evening(pod: BenchPod) -> int:
        config = parse({"pods": {"contacts": {"3f2a": ["1", "2", "3", "4", "knob"]}, "lines": [pod.line]}})
        made: list[Pods] = []
        monkeypatch.setattr("referee.drivers.pods.found_lines", lambda: ())
        monkeypatch.setattr(assembly, "pods", lambda *args: noted(made, pods(*args)))
        async with device(tmp_path, monkeypatch, config=config) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert shown.banner in ("NO LINK 1-4", None)
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
            [clock] = shown.clocks
            assert (clock.name, clock.numbers) == ("pod 3f2a", (1, 2, 3, 4))
            assert clock.bound_ns is not None
            return called

    with BenchPod() as pod:
        called = asyncio.run(evening(pod))
    events = [event for _, event in recover(tmp_path / "journal.db").rows]
    [ruled] = [event for event in events if isinstance(event, Ruled)]
    [press] = ruled.verdict.presses
    assert abs(press.t_ns - called) <= press.err_ns
    assert [event.up for event in events if isinstance(event, Linked)] == [True]
    assert all(event.arrived_ns >= event.t_ns for event in events if isinstance(event, Edge))
