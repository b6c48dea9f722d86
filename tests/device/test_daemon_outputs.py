"""The daemon and its display, lamps and piezo: failures are reported, retried, and stop nothing else."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.config import Config, ConfigError, parse
from referee.core.model.events import Cue
from referee.core.model.table import Setup
from referee.core.model.view import (
    Lamp,
    MenuScreen,
    PlayingScreen,
    View,
)
from referee.core.phases.rulebook import OPEN_RULEBOOK
from referee.core.units import MS, S
from referee.core.values import replace
from referee.device import assembly, daemon
from referee.device.assembly import DisplayOutput, SoundOutput, VoiceOutput, panel
from referee.device.page_output import PageOutput
from referee.drivers.oled.panel import SMALL_PX
from referee.drivers.pins.pinmap import profile
from referee.protocol.page import Sound
from referee.protocol.snapshot import Snapshot
from referee.screens import draw
from tests.core.sitting import Sitting
from tests.device.one_thread import Undelayed
from tests.device.test_live import Room
from tests.drivers.fakes import FakeBus
from tests.drivers.oled.fake import FakeSerial


class Heard:
    """Pages that record what they are given."""

    def __init__(self) -> None:
        self.blinks: list[bool] = []
        self.sounds: list[Sound] = []

    def publish(self, snapshot: Snapshot, *, blinks: bool) -> None:
        self.blinks.append(blinks)

    def play(self, sound: Sound) -> None:
        self.sounds.append(sound)


def test_the_page_hears_which_pictures_are_only_a_blink() -> None:
    """A lamp in its own rhythm and a dimming display are blinks.

    A new rhythm or other content is not.
    """
    pages, room = Heard(), Room()
    output = PageOutput(pages, SMALL_PX, partial(Undelayed, lambda: 0))
    output.show(room.seen.views[-1])
    output.lamps([Lamp("1", False, "slow")])
    output.lamps([Lamp("1", True, "slow")])
    output.lamps([Lamp("1", True, "steady")])
    assert pages.blinks == [False, False, True, False]
    rests = replace(room.seen.views[-1], seq=room.seen.views[-1].seq + 1, now_ns=60 * S, dim=True)
    for view in (rests, replace(rests, now_ns=61 * S, dim=False, screen=PlayingScreen(1, 100, 0, ()))):
        output.show(view)
    assert pages.blinks[4:] == [True, False]


def test_the_page_hears_a_shorter_trill_where_words_follow() -> None:
    pages = Heard()
    output = PageOutput(pages, SMALL_PX, partial(Undelayed, lambda: 5))
    view = Sitting(Setup("nna", (), ("1", "2"))).playing("1", "2").view
    for voice in ("off", "verdicts"):
        output.show(replace(view, voice=voice))
        output.sound(Cue("call", 0))
    assert [(sound.name, len(sound.notes)) for sound in pages.sounds if sound.notes] == [("call", 6), ("call", 4)]


class AtTheJournalError(Exception):
    """Raised where the device would open its journal."""


async def test_lamps_that_a_dead_life_has_left_lit_go_dark_before_the_journal_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A Raspberry Pi's kernel leaves a dead program's pins unchanged."""
    pins = GpiodMockFactory(revision=assembly.SIMULATED_BOARD)
    lamps = [pins.pin(pin.gpio) for pin in profile("direct4").lamps().values()]
    for pin in lamps:
        pin.function = "output"
        pin.state = 1

    def at_the_journal(self: Any) -> None:
        raise AtTheJournalError

    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: pins)
    monkeypatch.setattr(daemon._Device, "_open_journal", at_the_journal)
    options = daemon.Options(parse({"pins": {"profile": "direct4"}}), Path("nowhere"), simulate=True)
    with pytest.raises(AtTheJournalError):
        daemon._Device(options)._compose()
    assert not any(pin.state for pin in lamps)


def test_register_chain_is_switched_off_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain keeps its state when the program dies."""
    chain = FakeBus()
    monkeypatch.setattr(assembly, "_spi_lamps", lambda: chain)
    lamps = next(
        part for part in assembly.outputs(False, Config(), profile("full8"), None, lambda: 0) if part.name == "lamps"
    )
    lamps.make()
    assert chain.log == [b"\x00"]


def test_the_rulebook_is_read_ahead_once_where_a_list_offers_it() -> None:
    by, read = list[str](), threading.Event()

    def load() -> None:
        by.append(threading.current_thread().name)
        read.set()

    output = assembly.RulebookOutput(load)
    table = Sitting(Setup("nna", (), ("1", "2"))).playing("1", "2")
    output.show(table.view)
    table.press("knob", ns=400 * MS)
    view = table.view
    assert isinstance(view.screen, MenuScreen)
    topics = replace(view.screen, items=tuple(i for i in view.screen.items if i != OPEN_RULEBOOK))
    output.show(replace(view, screen=topics))
    assert by == []
    output.show(view)
    assert read.wait(10)
    output.show(view)
    assert by == ["read ahead"]


def test_what_is_set_at_the_knob_reaches_the_outputs() -> None:
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


def test_words_come_after_the_trill_in_place_of_the_verdicts_motif() -> None:
    """The speaker waits for motifs, the piezo leaves out what is said; a quiet table says nothing."""
    done: list[Any] = []

    class Both:
        def play(self, cue: str, at_ns: int | None, *, cancels: bool) -> None:
            done.append(cue)

        def set_volume(self, percent: int) -> None:
            """The volume does not matter here."""

        def say(self, words: str, language: str, *, follows: bool) -> None:
            done.append(words)

        def wait_until(self, ns: int) -> None:
            done.append(ns)

    table = Sitting(Setup("nna", (), ("1", "2"), voice="verdicts")).playing("1", "2").press("1").wait(150 * MS)
    works = [True]
    outputs = SoundOutput(cast(Any, Both()), speaks=lambda: works[0]), VoiceOutput(cast(Any, Both()), lambda: 0)
    for shown in (replace(table.view, volume_percent=0), table.view):
        for output in outputs:
            output.show(shown)
    for name in ("call", "verdict_clear"):
        for output in outputs:
            output.sound(Cue(name, 1 * S))
    assert done == ["Nertz! Red.", "call_then_words", 1_320 * MS]
    works[0] = False
    outputs[0].sound(Cue("verdict_clear", 2 * S))
    assert done[-1] == "verdict_clear"


def test_a_wide_display_on_i2c_is_refused_with_a_sentence() -> None:
    config = parse({"display": {"chip": "ssd1322"}, "pins": {"profile": "direct4"}})
    with pytest.raises(
        ConfigError, match=r"'chip' in section \[display\] .* the profile direct4 has its display on I2C"
    ):
        panel(config, profile("direct4"), None)


def put_on_the_bus(serial: FakeSerial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let luma open this serial interface on each bus."""

    class Bus:
        def __new__(cls, **_: object) -> FakeSerial:  # type: ignore[misc]
            return serial

    for bus in ("i2c", "spi"):
        monkeypatch.setattr(f"luma.core.interface.serial.{bus}", Bus)


@pytest.mark.parametrize("wiring", ["direct4", "full8"])
def test_the_first_column_is_the_configuration_s(wiring: str, monkeypatch: pytest.MonkeyPatch) -> None:
    serial = FakeSerial("sh1106", first=0)
    put_on_the_bus(serial, monkeypatch)
    display = {"chip": "sh1106", "column": 0}
    connect = panel(parse({"display": display, "pins": {"profile": wiring}}), profile(wiring), GpiodMockFactory())
    assert connect is not None
    picture = draw(Room().seen.views[-1])
    connect().write(picture)
    assert serial.memory.picture().tobytes() == picture.tobytes()
    with pytest.raises(ConfigError, match=r"'column' in section \[display\] is 0, allowed with ssd1309 is -1"):
        panel(parse({"display": display | {"chip": "ssd1309"}}), profile(wiring), GpiodMockFactory())
