"""Measure from a confirmed press to sound and picture: `python -m tests.benchmarks latency`.

The real live loop on a real asyncio loop, a real journal on disk, the drivers with their threads; pins, piezo, lamps
and panel are the shipped fakes, and record when they are called. Hands are played in fast time up to moving cards, with
times that end now; from there on it is real time: another thread closes a contact, as the kernel's reader would. A
press is confirmed when 1 ms of contact is complete, and a verdict can fall at its deadline: both instants follow from
the rows.

The second part stalls every commit for 50 to 300 ms. Then the stop tone must come as before, and the verdict as soon as
it is durable and never before.

The limits are meant for an idle machine. If allowed, the process runs with real-time priority (SCHED_FIFO), so that a
busy machine measures the program and not its other load; the disk stays shared, so the time of a sync is printed too.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.core.match.engine import JournalRow
from referee.core.model.events import Ruled
from referee.core.model.table import Setup
from referee.core.model.view import VerdictScreen, View
from referee.core.presses.signals import PRESS_NS
from referee.core.units import MS
from referee.device.assembly import DisplayOutput, LampOutput, SoundOutput, draw
from referee.device.guard import Outputs
from referee.device.live import Live
from referee.drivers.buttons import GPIO_ERR_NS, Buttons
from referee.drivers.lamps import ShiftLamps
from referee.drivers.oled.display import Display
from referee.drivers.oled.panel import OledPanel
from referee.drivers.pins.pinmap import profile
from referee.drivers.sound.buzzer import Buzzer
from referee.storage.evenings.writer import Journal
from tests.benchmarks.figures import Figure, at_most, quantile, spread_ms
from tests.core.sitting import Sitting
from tests.drivers.fakes import FakeBus, FakePwm
from tests.drivers.oled.fake import FakeSerial
from tests.storage.evenings.memory import status_of

CALLS, STALLED_CALLS = 200, 80
STOP_MS, VERDICT_MS = 5.0, 15.0
STALL_S = (0.05, 0.3)
PLAYERS = ("1", "2", "3", "4")
PATIENCE_S = 5.0
Clock = time.monotonic_ns


@dataclass
class Stamps:
    """The first instant of each event since `clear`, in ns."""

    first: dict[str, int] = field(default_factory=dict)

    def note(self, what: str) -> None:
        """Record the present instant, if it is the first."""
        self.first.setdefault(what, Clock())


class Pwm(FakePwm):
    """A piezo that records when it is switched on."""

    def __init__(self, stamps: Stamps) -> None:
        super().__init__()
        self._stamps = stamps

    def set(self, period_ns: int, duty_ns: int) -> None:
        """See Pwm."""
        self._stamps.note("tone")

    def off(self) -> None:
        """Ignore silence."""


class Bus(FakeBus):
    """A lamp chain that records when a lamp is lit."""

    def __init__(self, stamps: Stamps) -> None:
        super().__init__()
        self._stamps = stamps

    def writebytes(self, data: Sequence[int]) -> None:
        """See SpiBus."""
        if any(data):
            self._stamps.note("lamps")


@dataclass(frozen=True, slots=True)
class Call:
    """One call: ns after the confirmed press (tone, lamps) and after the verdict could fall (drawn, saved)."""

    tone_ns: int
    lamps_ns: int
    drawn_ns: int
    saved_ns: int

    @property
    def kept(self) -> bool:
        """Return whether the verdict was shown only after it was durable."""
        return self.drawn_ns >= self.saved_ns


class Table:
    """One device whose calls are timed, one hand after the other."""

    def __init__(
        self,
        folder: Path,
        stall: Random | None,
        further: Sequence[Any] = (),
        players: Sequence[str] = PLAYERS,
        **options: Any,
    ) -> None:
        """`further`: more outputs, such as a page. `options`: of the setup, such as the voice."""
        self._further, self._players, self._options = further, players, options
        self._stamps = Stamps()
        self._stall, self._stalling = stall, False
        self._live: Live | None = None
        self._ruled: tuple[int, int] | None = None
        self._journal = Journal(folder, boot="bench", report=self._saved, hook=self._hook)
        self._factory = GpiodMockFactory(revision="a02082")
        wiring = profile("full8", {})
        self._gpios = {station: pin.gpio for station, pin in wiring.stations().items()}
        self._buttons = Buttons(self._factory, wiring, self._fed)
        self._buttons.start()
        self._lamps = ShiftLamps(lambda: Bus(self._stamps), FakePwm())
        panel = OledPanel(FakeSerial("ssd1306"), "ssd1306")
        self._display: Display[View] = Display(
            lambda: panel, draw, logging.getLogger("bench"), on_shown=lambda view, _: self._drawn(view)
        )

    # -- reports of the device's threads -------------------------------------------------------------------------------

    def _hook(self) -> None:
        if self._stall is not None and self._stalling:
            time.sleep(self._stall.uniform(*STALL_S))

    def _fed(self, rows: Sequence[Any]) -> None:
        if self._live is not None:
            self._live.feed(rows)

    def _saved(self, seq: int) -> None:
        if self._ruled is not None and seq >= self._ruled[0]:
            self._stamps.note("saved")
        if self._live is not None:
            self._live.durable(seq)

    def _drawn(self, view: View) -> None:
        if isinstance(view.screen, VerdictScreen):
            self._stamps.note("drawn")

    # -- the live loop's journal, which must show which row is the verdict ---------------------------------------------

    @property
    def durable_seq(self) -> int:
        return self._journal.durable_seq

    def set_aside(self, seq: int, reason: str) -> None:
        self._journal.set_aside(seq, reason)

    def append(self, rows: Sequence[JournalRow]) -> None:
        for seq, event in rows:
            if isinstance(event, Ruled) and self._ruled is None:
                self._ruled = seq, event.at_ns
        self._journal.append(rows)

    # -- a call ------------------------------------------------------------------------------------------------------

    async def call(self, station: str) -> Call:
        """Play a new hand in which this station calls."""
        setup = Setup(stations=tuple(self._players), **self._options)
        sitting = Sitting(setup, now_ns=Clock() - _played_ns(self._players))
        sitting.playing(*self._players)
        self._journal.append(sitting.rows)
        await self._until(lambda: status_of(self._journal).kind == "ok")
        buzzer = Buzzer(Pwm(self._stamps))  # a new one: the last call's would still sound
        self._live = live = self._lively(sitting, buzzer)
        live.start(asyncio.get_running_loop())
        await asyncio.sleep(0.05)  # let the new hand be shown
        self._ruled, self._stalling = None, True
        self._stamps.first.clear()
        confirmed_ns = await asyncio.to_thread(self._touch, station) + PRESS_NS
        await self._until(lambda: {"tone", "lamps", "drawn", "saved"} <= self._stamps.first.keys())
        live.stop()
        self._live, self._stalling = None, False
        self._factory.drive(self._gpios[station], 1)
        buzzer.stop()
        return self._timed(confirmed_ns)

    def _lively(self, sitting: Sitting, buzzer: Buzzer) -> Live:
        sinks: list[Any] = [LampOutput(self._lamps, Clock), SoundOutput(buzzer), DisplayOutput(self._display)]
        sinks += self._further
        return Live(sitting.engine, self, Outputs(sinks), clock=Clock, drain=self._drain, slack_ns=GPIO_ERR_NS)

    def _drain(self) -> None:
        self._buttons.drain()

    @property
    def due_ns(self) -> int:
        """Return when the last call's verdict could fall."""
        assert self._ruled is not None
        return self._ruled[1]

    def _touch(self, station: str) -> int:
        """Close a contact as seen by another thread; return the instant."""
        return self._factory.drive(self._gpios[station], 0)

    def _timed(self, confirmed_ns: int) -> Call:
        at = self._stamps.first
        due_ns = self.due_ns
        return Call(at["tone"] - confirmed_ns, at["lamps"] - confirmed_ns, at["drawn"] - due_ns, at["saved"] - due_ns)

    @staticmethod
    async def _until(true: Any) -> None:
        end = time.monotonic() + PATIENCE_S
        while not true():
            assert time.monotonic() < end, "a call has got lost"
            await asyncio.sleep(0.02)

    def close(self) -> None:
        """Close everything."""
        self._buttons.close()
        self._factory.close()
        self._lamps.close()
        self._display.close()
        assert self._journal.close()


def _played_ns(players: Sequence[str]) -> int:
    """Return the time from the lobby to moving cards."""
    sitting = Sitting(Setup(stations=tuple(players)))
    begun = sitting.now_ns
    return sitting.playing(*players).now_ns - begun


async def calls(count: int, stall: Random | None, further: Sequence[Any] = (), **options: Any) -> list[Call]:
    """Make `count` calls, by each player in turn."""
    with tempfile.TemporaryDirectory() as folder:
        table = Table(Path(folder), stall, further, **options)
        try:
            return [await table.call(PLAYERS[n % len(PLAYERS)]) for n in range(count)]
        finally:
            table.close()


def _p99_ms(values_ns: Sequence[int]) -> float:
    return quantile(values_ns, 0.99) / MS


def _stops(found: Sequence[Call], where: str) -> list[Figure]:
    tones, lamps = [call.tone_ns for call in found], [call.lamps_ns for call in found]
    print(f"{where}: stop tone {spread_ms(tones)}\n{where}: lamps {spread_ms(lamps)}")
    return [
        at_most(f"press to stop tone, {where} (p99)", _p99_ms(tones), STOP_MS, "ms"),
        at_most(f"press to lamps, {where} (p99)", _p99_ms(lamps), STOP_MS, "ms"),
    ]


def come_first() -> str:
    """Set real-time priority if allowed, inherited by later threads; return the result in words."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return "scheduled among all other programs: only an idle machine keeps these limits"
    return "scheduled before all other programs, as if the machine were idle"


def syncs(count: int = 100) -> list[int]:
    """Return the disk's times for a page and its sync, in ns."""
    spent = []
    with tempfile.TemporaryFile() as file:
        for _ in range(count):
            begun = Clock()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            spent.append(Clock() - begun)
            time.sleep(0.02)
    return spent


def main() -> list[Figure]:
    """Measure at rest, then with a disk that stalls."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    print(come_first())
    try:
        return figures()
    finally:
        os.sched_setscheduler(0, *before)


def figures() -> list[Figure]:
    """Return both parts."""
    print(f"the disk alone: a sync takes {spread_ms(syncs())}")
    rest = asyncio.run(calls(CALLS, None))
    stalled = asyncio.run(calls(STALLED_CALLS, Random(1)))
    verdicts, behind = [call.drawn_ns for call in rest], [call.drawn_ns - call.saved_ns for call in stalled]
    print(f"at rest: verdict saved {spread_ms([call.saved_ns for call in rest])}, drawn {spread_ms(verdicts)}")
    print(
        f"disk stalls: verdict saved {spread_ms([call.saved_ns for call in stalled])}, drawn then {spread_ms(behind)}"
    )
    return [
        *_stops(rest, "at rest"),
        at_most("verdict due to drawn, at rest (p99)", _p99_ms(verdicts), VERDICT_MS, "ms"),
        *_stops(stalled, "disk stalls"),
        at_most("verdict durable to drawn, disk stalls (p99)", _p99_ms(behind), VERDICT_MS, "ms"),
        at_most("verdicts shown before durable", sum(not call.kept for call in rest + stalled), 0, "calls"),
    ]


if __name__ == "__main__":
    main()
