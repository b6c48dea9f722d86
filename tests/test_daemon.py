"""The device as a whole, composed as on the Pi but for its pins: what it does when one of its parts is in trouble."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

from referee import assembly, daemon
from referee import page as page_module
from referee.assembly import DisplayOutput, SoundOutput, panel
from referee.cli import main
from referee.commands.memory import remembered
from referee.config import Config, ConfigError, parse
from referee.core.match import engine
from referee.core.match.engine import Engine
from referee.core.messages import Msg
from referee.core.model.events import Cue, Opened, Resumed, Ruled, Turned
from referee.core.model.state import Setup
from referee.core.model.view import (
    Lamp,
    LobbyScreen,
    MenuScreen,
    OffScreen,
    PowerBackScreen,
    ReadyScreen,
    StandingsScreen,
    View,
)
from referee.core.phases.lobby import Lobby
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.core.values import replace
from referee.drivers.buttons import Buttons
from referee.drivers.gpiod.mock import RefereeMockFactory
from referee.drivers.journal.file import DamagedError, JournalFile
from referee.drivers.journal.memory import Recovered
from referee.drivers.journal.read import read_match, recover
from referee.drivers.journal.writer import Journal
from referee.drivers.lamps import FakeBus
from referee.drivers.oled.display import Display
from referee.drivers.oled.fake import FakeSerial
from referee.drivers.oled.panel import OledPanel
from referee.drivers.pi import vitals
from referee.drivers.pins.pinmap import profile
from referee.drivers.systemd import Notifier
from referee.drivers.wallclock import Away
from referee.guard import Output, OutputPlan, Outputs
from referee.live import NOT_SAVED, SEE_LOG
from referee.page import PageOutput
from referee.screens import draw
from referee.simulated import Fingers
from tests.core.changed import changed
from tests.core.evenings import counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.drivers.pi.trees import TREES, plant
from tests.english import all_en, en
from tests.test_live import SLACK_NS, Room

WIRING = profile("full8")
PATIENCE_S = 60.0
"""How long a test waits for what must come, on a busy machine."""


# -- a device in this process ----------------------------------------------------------------------------------------


class Watcher:
    """An output that lets a test wait for a picture."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self._changed = asyncio.Event()

    def show(self, view: View) -> None:
        self.views.append(view)
        self._changed.set()

    def lamps(self, lamps: Sequence[Any]) -> None:
        """Not looked at."""

    def sound(self, cue: Cue) -> None:
        """Not listened to."""

    async def until(self, wanted: Callable[[View], object]) -> View:
        """The first picture from now on, the present one included, that is as wanted."""
        async with asyncio.timeout(PATIENCE_S):
            while not (self.views and wanted(self.views[-1])):
                self._changed.clear()
                await self._changed.wait()
        return self.views[-1]


class StuckFactory(RefereeMockFactory):
    """Mock pins of which some are held down before anybody claims them."""

    def __init__(self, *stations: str) -> None:
        super().__init__(revision=assembly.SIMULATED_BOARD)
        self.down = {WIRING.stations()[station].gpio for station in stations}

    def watch(self, *args: Any, **kwargs: Any) -> Any:
        """As ever, but the pull does not win against a contact that is closed."""
        watch = super().watch(*args, **kwargs)
        for gpio in self.down & set(watch.pins):
            watch.pins[gpio]._change_state(False)
        return watch

    def press(self, station: str, ns: int = 50 * MS) -> None:
        """A clean press that has just ended."""
        now, gpio = time.monotonic_ns(), WIRING.stations()[station].gpio
        self.edge(gpio, now - ns, 0)
        self.edge(gpio, now, 1)


def part(output: Output, name: str = "watcher") -> OutputPlan:
    """That output, which is there already."""
    return OutputPlan(name, Msg(f"toast.no_{name}"), lambda: (output, lambda: None))


@asynccontextmanager
async def device(
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    factory: StuckFactory | None = None,
    config: Config | None = None,
    parts: Sequence[OutputPlan] = (),
) -> AsyncIterator[tuple[Watcher, StuckFactory]]:
    """A running device without a page; it is told to stop at the end, and must do so."""
    watcher, pins = Watcher(), factory or StuckFactory()
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(assembly, "outputs", lambda *args: [*parts, part(watcher)])
    running = daemon._Device(daemon.Options(config or Config(), state))
    task = asyncio.create_task(running.run())
    try:
        yield watcher, pins
    finally:
        running._stopping.set()
        assert await asyncio.wait_for(task, PATIENCE_S) == 0


def kept(state: Path, table: Sitting, *, wall: float | None = None) -> None:
    """The journal of that table lies in `state`, as a power cut would leave it."""
    journal = Journal(state / "journal.db", boot="boot-1", wall=time.time if wall is None else lambda: wall)
    journal.append(table.rows)
    assert journal.close()


def eight() -> Setup:
    """The table that the default configuration makes."""
    return Config().setup(tuple(WIRING.stations()))


# -- buttons -------------------------------------------------------------------------------------------------------


def test_a_button_down_at_start_neither_joins_nor_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The level found at start is journaled as such and named on the screen; others join meanwhile."""

    async def sit() -> None:
        async with device(tmp_path, monkeypatch, StuckFactory("3")) as (watcher, pins):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert isinstance(shown.screen, LobbyScreen)
            assert en(shown.screen.hint) == "3: LET GO"
            pins.press("1")
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.screen.seats[0].name)
            assert isinstance(watcher.views[-1].screen, LobbyScreen)
            assert watcher.views[-1].screen.seats[2].name is None

    asyncio.run(sit())
    [opened] = [event for _, event in recover(tmp_path / "journal.db").rows if isinstance(event, Opened)]
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


def verdicts(room: Room) -> list[Ruled]:
    """What was ruled so far."""
    return [event for _, event in room.journal.rows if isinstance(event, Ruled)]


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


# -- outputs -------------------------------------------------------------------------------------------------------


def screen_of(serial: FakeSerial) -> bytes:
    """What the glass shows."""
    return serial.memory.picture().tobytes()


def test_a_display_that_goes_and_comes_back_costs_the_hand_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Unplugged in play: the call is judged, one line in the log; plugged in again: the whole picture, one more."""
    room, serial = Room(), FakeSerial("ssd1309")
    display: Display[View] = Display(
        lambda: OledPanel(serial, "ssd1309"), draw, logging.getLogger("referee"), clock_ns=lambda: room.loop.now_ns
    )
    output = DisplayOutput(display)
    room.live._output = _Both(room.seen, output)
    try:
        room.live.show_again()
        room.play()
        assert display.settle()
        assert screen_of(serial) == draw(room.seen.views[-1]).tobytes()
        serial.unplug()
        with caplog.at_level(logging.INFO, "referee"):
            room.wait(2 * S)
            assert display.settle()
            room.press("1", room.loop.now_ns)
            room.wait(1 * S)
            assert display.settle()
            assert display.lost
            assert len(verdicts(room)) == 1
            serial.replug()
            room.wait(10 * S)
            display.wake()
            assert _eventually(lambda: not display.lost)
            assert display.settle()
        assert screen_of(serial) == draw(room.seen.views[-1]).tobytes()
        assert serial.memory.lit
        assert [record.getMessage() for record in caplog.records] == [
            "display lost: [Errno 121] Remote I/O error",
            "display is back",
        ]
    finally:
        display.close()


def _eventually(done: Callable[[], bool]) -> bool:
    """Whether it comes true while other threads work."""
    event, end = threading.Event(), time.monotonic() + PATIENCE_S
    while not done() and time.monotonic() < end:
        event.wait(0.005)
    return done()


class _Both:
    def __init__(self, *parts: Any) -> None:
        self._all = Outputs(list(parts))
        self.show, self.lamps, self.sound = self._all.show, self._all.lamps, self._all.sound


def test_a_wide_display_shows_the_wide_layout_on_the_page_too() -> None:
    """The same bytes as a real SSD1322 would get, decoded to 256 x 64 pixels."""
    published: list[Any] = []

    class Feed:
        def publish(self, snapshot: Any, *, blinks: bool) -> None:
            published.append(snapshot)

    room = Room()
    output = PageOutput(Feed(), lambda: 0, parse({"display": {"chip": "ssd1322"}}))
    try:
        output.show(room.seen.views[-1])
        assert output._display.settle()
        assert (published[-1].width, published[-1].height) == (256, 64)
        assert published[-1].pixels == draw(room.seen.views[-1], (256, 64)).tobytes()
    finally:
        output.close()


def test_the_page_hears_which_pictures_are_only_a_blink() -> None:
    """A lamp that goes on or off in its own rhythm is a blink; one that begins another rhythm is not."""
    published: list[bool] = []

    class Feed:
        def publish(self, snapshot: Any, *, blinks: bool) -> None:
            published.append(blinks)

    room = Room()
    output = PageOutput(Feed(), lambda: 0, Config())
    try:
        output.show(room.seen.views[-1])
        assert output._display.settle()
        output.lamps([Lamp("1", False, "slow")])
        output.lamps([Lamp("1", True, "slow")])
        output.lamps([Lamp("1", True, "steady")])
        assert published == [False, False, True, False]
    finally:
        output.close()


class AtTheJournalError(Exception):
    """The device would open its journal now."""


@pytest.mark.parametrize("wiring", ["direct4", "full8"])
def test_lamps_that_a_dead_life_has_left_lit_go_dark_before_the_journal_is_read(
    wiring: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Raspberry Pi's kernel leaves a dead program's pins as they were, and a chain of registers keeps its light."""
    chain = FakeBus()
    pins = RefereeMockFactory(revision=assembly.SIMULATED_BOARD)
    lamps = [pins.pin(pin.gpio) for pin in profile(wiring).lamps().values()]
    for pin in lamps:
        pin.function = "output"
        pin.state = 1

    def at_the_journal(self: Any) -> None:
        raise AtTheJournalError

    monkeypatch.setattr(assembly, "FakeBus", lambda: chain)
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(daemon._Device, "_open_journal", at_the_journal)
    options = daemon.Options(parse({"pins": {"profile": wiring}}), Path("nowhere"), simulate=True)
    with pytest.raises(AtTheJournalError):
        daemon._Device(options)._compose()
    assert not any(pin.state for pin in lamps)
    assert lamps or chain.log == [b"\x00"]


def test_what_is_set_at_the_knob_reaches_the_outputs() -> None:
    """Language and brightness the panel, the volume the piezo; in the quiet mode the page is silent, too."""
    view = Room().seen.views[-1]
    heard: list[Any] = []

    class Panel:
        def show(self, shown: View, dim: bool) -> None:
            heard.append(("show", shown.language))

        def set_brightness(self, bright: int, dim: int) -> None:
            heard.append(("bright", bright))

    class Piezo:
        def set_volume(self, percent: int) -> None:
            heard.append(("volume", percent))

    panel_output = DisplayOutput(cast(Any, Panel()), 200)
    for percent in (100, 50, 50):
        panel_output.show(replace(view, brightness_percent=percent, language="de"))
    SoundOutput(cast(Any, Piezo())).show(replace(view, volume_percent=25))
    assert heard == [("show", "de"), ("bright", 100), ("show", "de"), ("show", "de"), ("volume", 25)]
    german = assembly.draw(replace(view, language="de")).tobytes()
    assert german == draw(view, language="de").tobytes() != draw(view).tobytes()


def test_a_wide_display_on_i2c_is_refused_with_a_sentence() -> None:
    """An SSD1322 has no I2C: the sentence names the option, the profile and what is allowed there."""
    config = parse({"display": {"chip": "ssd1322"}, "pins": {"profile": "direct4"}})
    with pytest.raises(
        ConfigError, match=r"'chip' in section \[display\] .* the profile direct4 has its display on I2C"
    ):
        panel(config, profile("direct4"), None)


@pytest.mark.parametrize("wiring", ["direct4", "full8"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_display_shows_the_picture_upside_down_where_the_configuration_says_so(
    wiring: str, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On both buses `upside_down` turns the whole picture by 180 degrees."""
    serial = FakeSerial("ssd1309")
    for bus in ("i2c", "spi"):
        monkeypatch.setattr(f"luma.core.interface.serial.{bus}", lambda **_: serial)
    config = parse({"display": {"chip": "ssd1309", "upside_down": turned}, "pins": {"profile": wiring}})
    connect = panel(config, profile(wiring), RefereeMockFactory())
    assert connect is not None
    picture = draw(Room().seen.views[-1])
    connect().write(picture)
    shown = picture.transpose(Image.Transpose.ROTATE_180) if turned else picture
    assert serial.memory.picture().tobytes() == shown.tobytes()


def test_the_pages_own_panel_survives_a_lost_bus() -> None:
    """What the page shows is what arrived in the virtual panel, before and after it was gone."""
    published: list[Any] = []

    class Feed:
        def publish(self, snapshot: Any, *, blinks: bool) -> None:
            published.append(snapshot)

        def sound(self, *args: Any, **kwargs: Any) -> None:
            """Not listened to."""

    now = [1 * S]
    output = PageOutput(Feed(), lambda: now[0], Config())
    room = Room()
    try:
        output.show(room.seen.views[-1])
        assert output._display.settle()
        assert published[-1].pixels == draw(room.seen.views[-1]).tobytes()
        output._serial.unplug()
        room.press("1", room.loop.now_ns + 1 * S)
        output.show(room.seen.views[-1])
        assert output._display.settle()
        assert output._display.lost
        output._serial.replug()
        assert _eventually(lambda: not output._display.lost)
        assert output._display.settle()
        assert published[-1].pixels == draw(room.seen.views[-1]).tobytes()
    finally:
        output.close()


# -- the journal ---------------------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The table goes on under a banner; with room again the banner goes, everything is written, and marked as late."""
    full = threading.Event()
    full.set()

    def hook() -> None:
        if full.is_set():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(daemon, "Journal", partial(Journal, commit_hook=hook))

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, pins):
            await watcher.until(lambda view: view.banner == NOT_SAVED)
            pins.press("1")
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.screen.teams == 1)
            assert watcher.views[-1].banner == NOT_SAVED
            full.clear()
            await watcher.until(lambda view: view.banner is None)

    with caplog.at_level(logging.INFO):
        asyncio.run(sit())
    said = [record.getMessage() for record in caplog.records if "journal" in record.getMessage()]
    assert said == ["journal lost: [Errno 28] No space left on device", "journal is back"]
    rows = recover(tmp_path / "journal.db").rows
    assert [type(event).__name__ for _, event in rows].count("Joined") == 1
    with sqlite3.connect(tmp_path / "journal.db") as db:
        assert {kind for (kind,) in db.execute("SELECT kind FROM mark")} == {"late"}
    db.close()


def test_a_state_directory_that_cannot_be_made_does_not_keep_anybody_from_playing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A read-only place, here one that not even root can write: the table opens and says that it is not saved."""

    async def sit() -> None:
        async with device(Path("/proc/referee"), monkeypatch) as (watcher, pins):
            await watcher.until(lambda view: view.banner == NOT_SAVED)
            pins.press("2")
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.screen.teams == 1)

    asyncio.run(sit())


def test_a_damaged_journal_is_set_aside_whole_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never deleted: it lies beside the fresh one under its date, and the screen sends people to the log."""
    (tmp_path / "journal.db").write_bytes(b"no journal at all" * 99)

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert en(shown.banner) == "JOURNAL: SEE THE LOG"

    asyncio.run(sit())
    [aside] = tmp_path.glob("journal-damaged-*.db")
    assert aside.read_bytes() == b"no journal at all" * 99
    assert recover(tmp_path / "journal.db").rows


@pytest.mark.parametrize("setup", [{"preset": "a-game-of-next-year"}, {"stations": 5}])
def test_a_match_that_cannot_be_read_is_kept_and_the_table_opens(
    setup: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Written by another version: a fresh match behind it, a banner, one line in the log, and no row is gone."""
    table = Sitting().seated("1", "2")
    _, opened = table.rows[0]
    assert isinstance(opened, Opened)
    journal = Journal(tmp_path / "journal.db", boot="boot-1")
    journal.append([(1, Opened(opened.at_ns, opened.boot, {**opened.setup, **setup})), *table.rows[1:]])
    assert journal.close()

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert en(shown.banner) == "LAST MATCH UNREADABLE"

    with caplog.at_level(logging.ERROR, "referee"):
        asyncio.run(sit())
    assert len([r for r in caplog.records if r.getMessage().startswith("the last match cannot be resumed: ")]) == 1
    assert len(read_match(tmp_path / "journal.db", 1).rows) >= len(table.rows)


def test_a_match_with_an_option_that_is_not_known_comes_back_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Written by a newer release: the seats are there, a banner, one line in the log that names it."""
    table = Sitting().seated("1", "2")
    _, opened = table.rows[0]
    assert isinstance(opened, Opened)
    journal = Journal(tmp_path / "journal.db", boot="boot-1")
    moon = {**opened.setup, "options": {"moon": 1}}
    journal.append([(1, Opened(opened.at_ns, opened.boot, moon)), *table.rows[1:]])
    assert journal.close()

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: view.phase != "LOBBY")
            assert en(shown.banner) == "CHECK WHERE YOU ARE"

    with caplog.at_level(logging.WARNING, "referee"):
        asyncio.run(sit())
    assert any("does not know moon 1: left out" in r.getMessage() for r in caplog.records)


def test_a_match_that_these_rules_lead_elsewhere_comes_back_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Written by a release with another guard: the last phase that is sure, a banner, one line in the log."""
    table = Sitting().playing("1", "2")
    journal = Journal(tmp_path / "journal.db", boot="boot-1")
    journal.append(table.rows)
    assert journal.close()

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: view.phase == "READY")
            assert en(shown.banner) == "CHECK WHERE YOU ARE"

    with changed("GUARD_NS", 2 * S), caplog.at_level(logging.WARNING, "referee"):
        asyncio.run(sit())
    assert len([r for r in caplog.records if r.getMessage().startswith("coming back: ")]) == 1


def test_two_devices_on_one_journal_are_one_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second one ends with 2 and one sentence that names the first, which goes on unharmed."""
    first = Journal(tmp_path / "journal.db", boot="boot-1")
    try:
        assert main(["run", "--simulate", "--state", str(tmp_path)]) == 2
        said = capsys.readouterr()
        assert said.err == (
            f"referee: {tmp_path / 'journal.db'} is in use by process {os.getpid()}: only one referee can write it\n"
        )
        assert said.out == ""
        first.append(Sitting().rows)
    finally:
        assert first.close()
    assert len(recover(tmp_path / "journal.db").rows) == 1


# -- coming back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("by_s", "away_s"), [(-5 * 365 * 86_400, None), (0, 0), (720, 720), (50 * 365 * 86_400, None)])
def test_wall_time_that_jumps_by_years_is_not_believed(
    by_s: int, away_s: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long it was away is told or left out; the hand comes back as it was, whatever the calendar says."""
    table = Sitting(eight()).playing("1", "2")
    kept(tmp_path, table, wall=1_800_000_000)
    monkeypatch.setattr("referee.daemon.time.time", lambda: 1_800_000_000 + by_s)

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, PowerBackScreen))
            assert isinstance(shown.screen, PowerBackScreen)
            assert shown.screen.away_s == away_s
            assert shown.screen.phase == "TIMEOUT"
            assert [label.numbers for label in shown.screen.waiting] == [(1,), (2,)]

    asyncio.run(sit())
    rows = recover(tmp_path / "journal.db").rows
    assert rows[: len(table.rows)] == tuple(table.rows)
    assert [event.away_s for _, event in rows if isinstance(event, Resumed)] == [away_s]


def test_a_clock_that_is_set_late_still_finds_another_evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board without a clock wakes up a minute after it slept; the network comes, and it was a week."""
    table = counted(Sitting(eight()).playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    assert table.phase == "READY"
    kept(tmp_path, table, wall=1_800_000_000)
    now = [1_800_000_060.0]
    monkeypatch.setattr("referee.drivers.wallclock.time.time", lambda: now[0])
    monkeypatch.setattr(daemon, "LOOK_S", 0.01)

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            await watcher.until(lambda view: isinstance(view.screen, ReadyScreen | StandingsScreen))
            now[0] += 7 * 86_400
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))

    asyncio.run(sit())
    rows = recover(tmp_path / "journal.db").rows
    assert [event.away_s for _, event in rows if isinstance(event, Resumed)] == [60, 60 + 7 * 86_400]


def test_a_supply_that_is_too_weak_is_said_as_long_as_it_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """From the first picture on, and gone when the firmware says so; logged when it begins and when it ends."""
    pi = plant(tmp_path / "pi", TREES["4B"])
    firmware = pi / "sys/devices/platform/soc/soc:firmware/get_throttled"
    firmware.write_text("50005")
    monkeypatch.setattr(vitals, "alarm", partial(vitals.alarm, root=pi))
    monkeypatch.setattr(daemon, "LOOK_S", 0.01)

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            await watcher.until(lambda view: view.banner == Msg("toast.weak_supply"))
            firmware.write_text("50000")
            await watcher.until(lambda view: view.banner is None)

    with caplog.at_level(logging.WARNING, "referee"):
        asyncio.run(sit())
    assert [record.message for record in caplog.records if "the machine" in record.message] == [
        "the machine is in trouble (supply): `referee doctor` says what to do",
        "the machine is well again",
    ]


def test_once_somebody_has_touched_something_the_evening_goes_on(tmp_path: Path) -> None:
    """Whatever the clock says then."""
    room = Room()
    room.play()
    running = daemon._Device(daemon.Options(Config(), tmp_path))
    running._back = Away(Recovered((), "boot-1", 0), "boot-2"), Resumed(0, "boot-2", None)
    running._ask_again(room.live)
    assert vars(running)["_back"] is None
    running._ask_again(room.live)
    assert room.live.engine.state.phase.name == "PLAYING"


@pytest.mark.parametrize("where", ["LOBBY", "READY"])
def test_other_settings_begin_another_match_in_the_lobby_only(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has changed the configuration between two matches gets it; a match that goes on keeps its rules."""
    table = Sitting(eight()).tap("1", "2")
    kept(tmp_path, table if where == "LOBBY" else table.choose("Start").wait(BREATH_NS).tap("1", "2"))

    async def sit() -> None:
        config = parse({"rules": {"target": 150}})
        async with device(tmp_path, monkeypatch, config=config) as (watcher, _):
            shown = await watcher.until(lambda view: view.phase == where)
            assert getattr(shown.screen, "target", None) == (150 if where == "LOBBY" else 100)

    asyncio.run(sit())


def test_other_settings_leave_the_names_that_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal begins anew with them: who taps again sits down under the name of last time."""
    table = Sitting(replace(eight(), names=(("1", "Anna"),))).tap("1").press("1", ns=3 * S)
    assert [name.name for name in table.engine.state.known] == ["Anna"]
    kept(tmp_path, table)

    async def sit() -> None:
        config = parse({"rules": {"target": 150}})
        async with device(tmp_path, monkeypatch, config=config) as (watcher, pins):
            await watcher.until(lambda view: view.phase == "LOBBY")
            pins.press("1")
            await watcher.until(lambda view: [s.name for s in getattr(view.screen, "seats", ())][:1] == ["Anna"])

    asyncio.run(sit())


def test_a_journal_that_goes_bad_in_mid_match_costs_nothing_but_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is set aside while people play; the power goes again, and the next start finds the same hand."""
    kept(tmp_path, counted(Sitting(eight()).playing("1", "2"), "1", 20, "2").playing("1", "2").wait(20 * S))
    write, bad = JournalFile.write, [2]

    def failing(file: JournalFile, batch: Sequence[Any], *more: Any) -> None:
        if batch and bad[0]:
            bad[0] -= 1
            raise DamagedError("database disk image is malformed")
        write(file, batch, *more)

    async def sit() -> PowerBackScreen:
        async with device(tmp_path, monkeypatch) as (watcher, pins):
            shown = await watcher.until(lambda view: isinstance(view.screen, PowerBackScreen))
            if bad[0]:
                monkeypatch.setattr(JournalFile, "write", failing)
                pins.press("1")
                await watcher.until(lambda view: view.banner == SEE_LOG)
            assert isinstance(shown.screen, PowerBackScreen)
            return shown.screen

    first, second = asyncio.run(sit()), asyncio.run(sit())
    assert len(list(tmp_path.glob("journal-damaged-*.db"))) == 1
    assert (first.hand, first.played_ns) == (second.hand, second.played_ns)
    [entry] = remembered(tmp_path)
    assert entry.record is not None
    assert len(entry.record.hands) == 1


def test_a_long_evening_is_read_once_more_and_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start after it finds the table and its last match as they were, from a handful of rows."""
    monkeypatch.setattr(engine, "LONG_EVENING", 50)
    table = Sitting(replace(eight(), options=(("target", 10),))).playing("1", "2")
    counted(table, "1", 20, "2").wait(BREATH_NS)
    assert table.phase == "OVER"
    kept(tmp_path, table, wall=time.time() - 20_000)
    config = replace(Config(), rules=(("target", 10),))

    async def sit() -> None:
        async with device(tmp_path, monkeypatch, config=config) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert shown.banner is None

    for _ in range(2):
        asyncio.run(sit())
        recovered = recover(tmp_path / "journal.db").rows
        assert len(recovered) < 10
        state = Engine.restored(recovered).state
        assert isinstance(state.phase, Lobby)
        assert state.phase.kept is not None
        assert [len(state.phase.kept.hands), state.table.seats[0].name] == [1, "Red"]
    assert [entry.record and len(entry.record.hands) for entry in remembered(tmp_path)] == [1]


def test_what_was_set_at_the_knob_outlives_the_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the lobby too: the configuration has not changed, so the table's own target and language stand."""
    table = Sitting(eight()).tap("1", "2").wait(6 * S).choose("House rules").choose("Target").turn(1).push()
    kept(tmp_path, table.choose("Back").choose("Sound").choose("Language").turn(2).push())

    async def sit() -> None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert isinstance(shown.screen, LobbyScreen)
            assert (shown.screen.target, shown.language, shown.screen.teams) == (150, "it", 2)

    asyncio.run(sit())


# -- the page ------------------------------------------------------------------------------------------------------


def test_an_address_in_use_keeps_the_simulated_table_shut_and_a_real_one_open(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At the simulated table the page is the table: one sentence, 2. A hand on the device needs none: it is logged."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        sentence = f"the page cannot listen on {listen}: "
        logged = f"web lost: {sentence}"
        assert main(["run", "--simulate", "--state", str(tmp_path), "--listen", listen]) == 2
        assert capsys.readouterr().err.startswith(f"referee: {sentence}")
        watcher, pins = Watcher, StuckFactory()
        monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
        monkeypatch.setattr(assembly, "outputs", lambda *args: [])

        async def sit() -> None:
            running = daemon._Device(daemon.Options(Config(), tmp_path, listen=listen))
            watch = running._watch

            async def stop(*args: Any) -> None:
                running._stopping.set()
                await watch(*args)

            monkeypatch.setattr(running, "_watch", stop)
            assert await asyncio.wait_for(running.run(), PATIENCE_S) == 0

        with caplog.at_level(logging.WARNING, "referee"):
            asyncio.run(sit())
        assert [record.getMessage()[: len(logged)] for record in caplog.records] == [logged]
        assert watcher is Watcher


def test_the_page_is_looked_at_whenever_the_device_wakes_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No timer of its own; a look that fails is said once, and looked at again."""
    monkeypatch.setattr(daemon, "LOOK_S", 0.0)
    running = daemon._Device(daemon.Options(Config(), tmp_path))
    looks: list[int] = []

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            running._stopping.set()
        raise OSError("no look")

    running._look_at_page = look
    asyncio.run(running._watch(Room().live, Notifier()))
    assert len(looks) == 3
    assert caplog.messages == ["the look at the page lost: no look"]


def test_without_pins_the_sentence_says_what_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`referee run` on a machine that is no Pi."""

    def none(config: Config) -> Any:
        raise ImportError("no module named gpiod")

    monkeypatch.setattr(assembly, "_real_pins", none)
    assert main(["run", "--state", str(tmp_path / "state")]) == 2
    said = capsys.readouterr().err
    assert said == "referee: there are no pins here (no module named gpiod); `referee run --simulate` needs none\n"
    assert not (tmp_path / "state").exists()


# -- off at the knob -----------------------------------------------------------------------------------------------


async def switched_off(state: Path, monkeypatch: pytest.MonkeyPatch, *, simulate: bool) -> tuple[list[str], Watcher]:
    """The device ends by "Device", "Off" and a second push; what it has said, and what was last to be seen."""
    said: list[str] = []
    watcher, pins = Watcher(), StuckFactory()
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(assembly, "outputs", lambda *args: [part(watcher)])
    options = daemon.Options(Config(), state, simulate=simulate, listen="127.0.0.1:0", say=said.append)
    running = daemon._Device(options)
    task = asyncio.create_task(running.run())
    await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
    for line in ("Device", "Off", "Switch off"):
        if not isinstance(watcher.views[-1].screen, MenuScreen):
            pushed(running)
        menu = (await watcher.until(partial(has, line))).screen
        assert isinstance(menu, MenuScreen)
        if all_en(menu.items).index(line) != menu.cursor:
            running._fed([Turned(time.monotonic_ns(), all_en(menu.items).index(line) - menu.cursor)])
            await watcher.until(partial(at, line))
        pushed(running)
    assert await asyncio.wait_for(task, PATIENCE_S) == 0
    return said, watcher


def pushed(running: daemon._Device) -> None:
    """A push of the knob that begins when the finger has been up for a while."""
    at = time.monotonic_ns() + 80 * MS
    running._fed([Edge(KNOB, True, at), Edge(KNOB, False, at + 30 * MS)])


def has(line: str, view: View) -> bool:
    """Whether a list with that line is on the screen."""
    return isinstance(view.screen, MenuScreen) and line in all_en(view.screen.items)


def at(line: str, view: View) -> bool:
    """Whether the list's cursor stands there."""
    return isinstance(view.screen, MenuScreen) and en(view.screen.items[view.screen.cursor]) == line


def test_off_at_the_knob_closes_the_journal_and_leaves_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service's last word is the file that switches the machine off; exit status 0, so that nothing restarts it."""
    run = tmp_path / "run"
    run.mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(run))
    said, watcher = asyncio.run(switched_off(tmp_path / "state", monkeypatch, simulate=False))
    assert (run / "off").exists()
    assert said[-1] == "Switched off at the knob."
    assert isinstance(watcher.views[-1].screen, OffScreen)
    assert not any(lamp.lit for lamp in watcher.views[-1].lamps)
    table = Engine.restored(Journal(tmp_path / "state" / "journal.db", boot="boot-2").take_recovered().rows)
    assert table.state.phase.name == "OFF"


@pytest.mark.parametrize("down", [True, False])
def test_the_table_is_told_when_the_machine_goes_down(
    down: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In mid-hand: when the plug may be pulled, lamps dark, two low notes, and the hand is kept.

    The service alone being stopped says nothing, for it will be back in a second.
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
    assert Engine.restored(recover(tmp_path / "journal.db").rows).state.phase.name == "POWER_BACK"


def test_off_at_a_simulated_table_ends_the_program_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's laptop is switched off, whatever has started the program."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    said, _ = asyncio.run(switched_off(tmp_path / "state", monkeypatch, simulate=True))
    assert said[-1].endswith("the machine itself stays on, the same command opens the table again.")
    assert not (tmp_path / "off").exists()


def test_a_note_that_cannot_be_left_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The table is closed all the same; the display has said when the plug may be pulled."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "gone"))
    said, _ = asyncio.run(switched_off(tmp_path / "state", monkeypatch, simulate=False))
    assert "the machine itself stays on" in said[-1]
    assert "the machine cannot be switched off: " in caplog.text


def test_the_last_picture_stays_on_the_panel_when_the_device_is_switched_off() -> None:
    """Any other end leaves it dark."""
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


@pytest.mark.parametrize("simulate", [True, False])
def test_the_page_answers_under_the_machine_s_own_name(simulate: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is called; a stranger's name that points here is refused."""
    monkeypatch.setattr(socket, "gethostname", lambda: "Den.example.org")
    pins = RefereeMockFactory(revision=assembly.SIMULATED_BOARD)

    async def asked() -> tuple[str, list[int]]:
        hands = Fingers(pins, WIRING) if simulate else None
        _, _, address, close, _ = await page_module.page("0.0.0.0:0", WIRING, hands, time.monotonic_ns, Config())
        port = address.rstrip("/").rpartition(":")[2]
        found = []
        for host in ("den.local", "den", "den.example.org", "127.0.0.1", "referee.local"):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            writer.write(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
            found.append(int((await reader.readline()).split()[1]))
            writer.close()
        await close()
        return address.replace(port, "PORT"), found

    assert asyncio.run(asked()) == ("http://den.local:PORT/", [200, 200, 200, 200, 403])
