"""The daemon and its journal: disk trouble, and recovery after each kind of ending."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import threading
from functools import partial
from pathlib import Path

import pytest

from referee.config import Config, parse
from referee.core.documents.chronicle import records
from referee.core.match.engine import Engine
from referee.core.messages import Msg
from referee.core.model.events import Opened, Resumed
from referee.core.model.view import (
    LobbyScreen,
    PowerBackScreen,
    ReadyScreen,
    StandingsScreen,
)
from referee.core.phases.lobby import Lobby
from referee.core.units import S
from referee.device import daemon
from referee.device.live import NOT_SAVED
from referee.drivers.pi import vitals
from referee.storage.evenings.folder import read_evening
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal
from referee.storage.records.store import Records
from referee.storage.wallclock import Away
from tests.core.evenings import counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.device.device_case import device, eight, kept, tape_of
from tests.device.test_live import Room
from tests.drivers.pi.trees import TREES, plant
from tests.english import en

# -- the journal ---------------------------------------------------------------------------------------------------


async def test_a_full_disk_is_told_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    full = threading.Event()
    full.set()

    def hook() -> None:
        if full.is_set():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(daemon, "Journal", partial(Journal, hook=hook))

    with caplog.at_level(logging.INFO):
        async with device(tmp_path, monkeypatch) as (watcher, pins):
            await watcher.until(lambda view: view.banner == NOT_SAVED)
            pins.press("1")
            await watcher.until(lambda view: isinstance(view.screen, LobbyScreen) and view.screen.teams == 1)
            assert watcher.views[-1].banner == NOT_SAVED
            full.clear()
            await watcher.until(lambda view: view.banner is None)
    said = [record.getMessage() for record in caplog.records if "journal" in record.getMessage()]
    assert said == ["journal lost: [Errno 28] No space left on device", "journal is back"]
    rows = tape_of(tmp_path).rows
    assert [type(event).__name__ for _, event in rows].count("Joined") == 1
    assert tape_of(tmp_path).gaps


def test_a_damaged_evening_stays_and_another_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table goes on with the sound rows, and the screen reports the fault once."""
    table = counted(Sitting(eight()).playing("1", "2"), "1", 20, "2").playing("1", "2")
    kept(tmp_path, table)
    (path,) = (tmp_path / "evenings").iterdir()
    damaged = path.read_bytes().replace(b'"count', b'"COUNT', 1)[:-30] + b"x" * 29 + b"\n"
    path.write_bytes(damaged)

    async def sit() -> Msg | None:
        async with device(tmp_path, monkeypatch) as (watcher, _):
            return (await watcher.until(lambda view: view.phase == "POWER_BACK")).banner

    assert en(asyncio.run(sit())) == "IS THE SCORE RIGHT?"
    assert path.read_bytes().startswith(damaged)
    assert tape_of(tmp_path).id == 2
    assert asyncio.run(sit()) is None


def damaged_evening(state: Path, table: Sitting) -> None:
    """Write the evening of that table with its first sealed count damaged, and the record of its match."""
    kept(state, table)
    (path,) = (state / "evenings").iterdir()
    before, row, after = path.read_bytes().partition(b'"type":"sealed"')
    path.write_bytes(before + row.upper() + after)
    for record in records(table.rows, {}):
        Records(state).keep(record, path.stem)


@pytest.mark.parametrize("lobby", [False, True])
@pytest.mark.parametrize("record", ["sound", "damaged"])
async def test_a_damaged_evening_never_shortens_a_record(
    lobby: bool, record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the record has more hands, the match goes on under another id, also a match kept in the lobby."""
    table = Sitting(eight()).playing("1", "2")
    counted(counted(table, "1", 20, "2").playing("1", "2"), "1", 15, "2").wait(BREATH_NS)
    table.power_cut(away_s=7 * 86_400 if lobby else 60)
    assert table.phase == ("LOBBY" if lobby else "READY")
    damaged_evening(tmp_path, table)
    path = tmp_path / "records" / "00001.json"
    if record == "damaged":
        path.write_bytes(path.read_bytes().replace(b'"played_ms":', b'"played_ms": ', 1))
    before = path.read_bytes()

    async with device(tmp_path, monkeypatch) as (watcher, _):
        await watcher.until(lambda view: view.phase == table.phase)
    assert path.read_bytes() == before
    state = Engine.restored(tape_of(tmp_path).rows).state
    going_on = state.phase.kept if isinstance(state.phase, Lobby) else state.table
    assert going_on is not None
    assert len(going_on.hands) == 1
    assert going_on.match not in ("", records(table.rows, {})[0].id)


@pytest.mark.parametrize("setup", [{"preset": "a-game-of-next-year"}, {"stations": 5}])
async def test_a_match_that_cannot_be_read_is_kept_and_the_table_opens(
    setup: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another version wrote it: a fresh match follows it, with a banner and one log line.

    No row is lost.
    """
    table = Sitting().seated("1", "2")
    _, opened = table.rows[0]
    assert isinstance(opened, Opened)
    journal = Journal(tmp_path, boot="boot-1")
    journal.append([(1, Opened(opened.at_ns, opened.boot, {**opened.setup, **setup})), *table.rows[1:]])
    assert journal.close()

    with caplog.at_level(logging.ERROR, "referee"):
        async with device(tmp_path, monkeypatch) as (watcher, _):
            shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
            assert en(shown.banner) == "LAST MATCH UNREADABLE"
    assert len([r for r in caplog.records if r.getMessage().startswith("the last match cannot be resumed: ")]) == 1
    assert len(read_evening(min((tmp_path / "evenings").iterdir())).rows) >= len(table.rows)


# -- coming back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("by_s", "away_s"), [(-5 * 365 * 86_400, None), (0, 0), (720, 720), (50 * 365 * 86_400, None)])
async def test_wall_time_that_jumps_by_years_is_not_believed(
    by_s: int, away_s: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Sitting(eight()).playing("1", "2")
    kept(tmp_path, table, wall=1_800_000_000)
    monkeypatch.setattr("referee.device.daemon.time.time", lambda: 1_800_000_000 + by_s)

    async with device(tmp_path, monkeypatch) as (watcher, _):
        shown = await watcher.until(lambda view: isinstance(view.screen, PowerBackScreen))
        assert isinstance(shown.screen, PowerBackScreen)
        assert shown.screen.away_s == away_s
        assert shown.screen.phase == "TIMEOUT"
        assert [label.numbers for label in shown.screen.waiting] == [(1,), (2,)]
    rows = tape_of(tmp_path).rows
    assert rows[: len(table.rows)] == tuple(table.rows)
    assert [event.away_s for _, event in rows if isinstance(event, Resumed)] == [away_s]


async def test_a_clock_that_is_set_late_still_finds_another_evening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board without a clock starts a minute after it stopped.

    Then the network shows that a week has passed.
    """
    table = counted(Sitting(eight()).playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    assert table.phase == "READY"
    kept(tmp_path, table, wall=1_800_000_000)
    now = [1_800_000_060.0]
    monkeypatch.setattr("referee.storage.wallclock.time.time", lambda: now[0])
    monkeypatch.setattr(daemon, "LOOK_S", 0.01)

    async with device(tmp_path, monkeypatch) as (watcher, _):
        await watcher.until(lambda view: isinstance(view.screen, ReadyScreen | StandingsScreen))
        now[0] += 7 * 86_400
        await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
    rows = tape_of(tmp_path).rows
    assert [event.away_s for _, event in rows if isinstance(event, Resumed)] == [60, 60 + 7 * 86_400]


async def test_a_supply_that_is_too_weak_is_said_as_long_as_it_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pi = plant(tmp_path / "pi", TREES["4B"])
    firmware = pi / "sys/devices/platform/soc/soc:firmware/get_throttled"
    firmware.write_text("50005")
    monkeypatch.setattr(vitals, "alarm", partial(vitals.alarm, root=pi))
    monkeypatch.setattr(daemon, "LOOK_S", 0.01)

    with caplog.at_level(logging.WARNING, "referee"):
        async with device(tmp_path, monkeypatch) as (watcher, _):
            await watcher.until(lambda view: view.banner == Msg("toast.weak_supply"))
            firmware.write_text("50000")
            await watcher.until(lambda view: view.banner is None)
    assert [record.message for record in caplog.records if "the machine" in record.message] == [
        "the machine is in trouble (supply): `referee doctor` says what to do",
        "the machine is well again",
    ]


def test_once_somebody_has_touched_something_the_evening_goes_on(tmp_path: Path) -> None:
    room = Room()
    room.play()
    running = daemon._Device(daemon.Options(Config(), tmp_path))
    running._back = Away(Tape(boot="boot-1", wall_s=0), "boot-2"), Resumed(0, "boot-2", None)
    running._ask_again(room.live)
    assert vars(running)["_back"] is None
    running._ask_again(room.live)
    assert room.live.engine.state.phase.name == "PLAYING"


def test_the_table_learns_a_local_time_that_can_be_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room, trusted, wall_s = Room(), [False], [1_800_000_000.0]
    running = daemon._Device(daemon.Options(Config(), tmp_path))
    monkeypatch.setattr("referee.storage.wallclock.is_kept", lambda: trusted[0])
    monkeypatch.setattr("referee.storage.wallclock.time.time", lambda: wall_s[0])
    monkeypatch.setattr(running, "_clock", lambda: room.loop.now_ns)

    def told() -> int | None:
        running._look_at_clock(room.live)
        room.wait(1 * S)
        wall_s[0] += 1
        return room.live.engine.state.clock_s

    assert told() is None
    trusted[0] = True
    first = told()
    assert first is not None
    wall_s[0] += 59
    assert told() == first
    wall_s[0] += 1
    assert told() == first + 60


@pytest.mark.parametrize("where", ["LOBBY", "READY"])
async def test_other_settings_begin_another_match_in_the_lobby_only(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A changed configuration applies between two matches.

    A match in progress keeps its rules, and the log says so.
    """
    table = Sitting(eight()).tap("1", "2")
    kept(tmp_path, table if where == "LOBBY" else table.choose("Start").wait(BREATH_NS))

    config = parse({"rules": {"target": 150}})
    async with device(tmp_path, monkeypatch, config=config) as (watcher, _):
        shown = await watcher.until(lambda view: view.phase == where)
        assert getattr(shown.screen, "target", None) == (150 if where == "LOBBY" else 100)
        assert (daemon.AS_IT_BEGAN in caplog.text) == (where == "READY")


async def test_what_was_set_at_the_knob_outlives_the_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration has not changed, so the table's own target and language are kept, in the lobby too."""
    table = Sitting(eight()).tap("1", "2").wait(6 * S).choose("House rules").choose("Target").turn(1).push()
    kept(tmp_path, table.choose("Back").choose("Sound").choose("Language").turn(2).push())

    async with device(tmp_path, monkeypatch) as (watcher, _):
        shown = await watcher.until(lambda view: isinstance(view.screen, LobbyScreen))
        assert isinstance(shown.screen, LobbyScreen)
        assert (shown.screen.target, shown.language, shown.screen.teams) == (150, "it", 2)
