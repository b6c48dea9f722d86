"""The device as a whole, composed as on the Pi but for its pins: what it does when one of its parts is in trouble."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee import daemon
from referee.app import assembly
from referee.config import ConfigError, parse
from referee.core.model.events import Opened
from referee.core.model.view import (
    LobbyScreen,
)
from referee.core.presses.signals import Edge
from referee.core.units import MS
from referee.drivers.buttons import Buttons
from referee.drivers.gpiod.mock import RefereeMockFactory
from tests.app.test_live import SLACK_NS, Room
from tests.device_case import (
    WIRING,
    StuckFactory,
    device,
    tape_of,
    verdicts,
)
from tests.english import en

# -- buttons -------------------------------------------------------------------------------------------------------


async def test_a_button_down_at_start_neither_joins_nor_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The level found at start is journaled as such and named on the screen; others join meanwhile."""

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
    """Rows that come between the first look at the levels and the first step are kept: no button seems to stay down."""

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


class Wired(Room):
    """A live loop whose rows come through mock pins and Buttons, as the kernel would report them."""

    def __init__(self, *, by_hand: bool = False) -> None:
        self.pins = RefereeMockFactory(revision=assembly.SIMULATED_BOARD, clock=lambda: self.loop.now_ns, held=True)
        super().__init__(by_hand=by_hand)
        self.buttons = Buttons(self.pins, WIRING, self.live.feed, err_ns=SLACK_NS)
        self.buttons.start()

    def drain(self) -> None:
        """Rows by a read begun now."""
        if hasattr(self, "buttons"):
            self.buttons.drain()
        super().drain()

    def report(self, station: str, t_ns: int, closed: bool, gap_since_ns: int | None = None) -> None:
        """An event that lies in the kernel until the next read."""
        self.pins.edge(WIRING.stations()[station].gpio, t_ns, 0 if closed else 1, gap_since_ns)


@pytest.mark.parametrize("lost", [True, False])
def test_events_lost_by_overflow_make_the_verdict_grey(lost: bool) -> None:
    """The gap that the kernel's numbers show widens the press's error, from the pin to the verdict."""
    room = Wired()
    room.play()
    start = room.loop.now_ns
    room.report("2", start + 5 * MS, True)
    room.report("1", start + 30 * MS, True, start - 60 * MS if lost else None)
    room.loop.until(start + 31 * MS)
    room.drain()
    room.wait(300 * MS)
    [ruled] = verdicts(room)
    assert ruled.verdict.grey is lost
    assert ruled.verdict.callers == (("2", "1") if lost else ("2",))


def test_rows_that_come_late_and_out_of_order_reverse_nothing_and_are_kept() -> None:
    """A row of a moment that has been acted on arrives now: late evidence beside the verdict, in the journal too."""
    room = Room()
    room.play()
    start = room.loop.now_ns
    room.press("2", start)
    room.wait(200 * MS)
    room.live.feed([room_edge("1", False, start + 100 * MS), room_edge("1", True, start - 10 * MS)])
    room.wait(200 * MS)
    [ruled] = verdicts(room)
    assert ruled.verdict.callers == ("2",)
    phase: Any = room.live.engine.state.phase
    assert phase.name == "VERDICT"
    assert [(press.station, first) for press, first in phase.verdict.late] == [("1", True)]
    rows = [row for _, row in room.journal.rows if isinstance(row, Edge)]
    assert [(row.station, row.t_ns - start) for row in rows[-2:]] == [("1", -10 * MS), ("1", 100 * MS)]


def room_edge(station: str, closed: bool, t_ns: int) -> Edge:
    """A wired row."""
    return Edge(station, closed, t_ns, SLACK_NS)


def test_a_disk_that_stalls_for_300_ms_delays_the_verdict_and_not_the_stop() -> None:
    """Stop tone and lamps are there within 5 ms of the confirmed press; the verdict, the same, follows its row."""
    room = Room(by_hand=True)
    _settling(room, room.play)
    room.seen.heard.clear()
    start = room.loop.now_ns
    pictures = len(room.seen.views)
    room.live.feed([room_edge("1", True, start)])
    room.loop.until(start + 1 * MS + SLACK_NS + 5 * MS)
    assert room.seen.heard == ["call"]
    assert room.seen.lit[-1] == "**"
    room.live.feed([room_edge("2", True, start + 15 * MS)])
    room.loop.until(start + 300 * MS)
    assert room.seen.heard == ["call"]
    assert all(view.phase == "PLAYING" for view in room.seen.views[pictures:])
    room.journal.settle()
    room.wait(15 * MS)
    assert room.seen.heard == ["call", "verdict_tie"]
    assert room.seen.views[-1].phase == "VERDICT"
    assert room.seen.views[-1].banner is None


def _settling(room: Room, act: Callable[[], None]) -> None:
    """Do it with a disk that answers at once."""
    room.journal._by_hand = False
    act()
    room.journal._by_hand = True


def test_a_seat_without_pin_and_pod_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight are wired: of ten seats one hangs on a pod, the other has no button at all, and nobody can sit there."""
    factory = RefereeMockFactory()
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: factory)
    config = parse({"table": {"seats": 10}, "pods": {"contacts": {"3f2a": ["9"]}}})
    with pytest.raises(ConfigError) as refused:
        daemon.serve(daemon.Options(config, tmp_path))
    assert str(refused.value).endswith(
        "option 'seats' in section [table] is 10, but no pin of [pins] and no pod of [pods.contacts] has the button 10"
    )
