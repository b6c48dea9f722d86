"""Simulate a table whose phones are buttons, in simulated time: links, browsers' clocks, touches, wires, a pod.

The phones' questions, touches and proofs go through the shipped `Button`, `Buttons`, `Desk` and `Engine`, and the pod's
frames through its `Link`, with the delays of the emulated one (tests/benchmarks/link.py). The phones' delays:

- LAN: a WebSocket's round trip of 0.2 to 5 ms.
- Wi-Fi without power save: median round trip 6 ms; with power save 106 to 127 ms, because what goes to the machine that
  saves power waits for a beacon (raspberrypi/linux issue 7533). Here a radio sleeps and wakes in bursts.
- Loss: TCP sends again after 200 ms or more, and later messages wait.

Browsers' clocks step by 0.1 or 1 ms and drift; a touch reaches the page 9.6 to 29.6 ms after the finger met the glass
(measured with WALT), and the browser hands it to the page within `SENT_NS`.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from referee.core.clocks.touch import SENT_NS, TOUCH_NS, Delays
from referee.core.match.viewer import view
from referee.core.model.events import Fact, Linked, PhoneFact, Ruled
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.pods import link as podlink
from referee.core.pods import wire as podwire
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, S
from referee.core.values import Json, replace
from referee.device.phones.desk import Desk
from referee.device.phones.pairing import PhoneBook
from referee.drivers.buttons import GPIO_ERR_NS
from referee.page.phone_button import Button, Buttons
from referee.protocol.gestures import AskError
from referee.protocol.page import Awake, PhoneButtons, PhoneProof, PhoneTouch
from tests.benchmarks.link import usb
from tests.core.sitting import BREATH_NS, Sitting

WIRES, POD, PHONES = ("1", "2"), "3", ("4", "5", "6")
STATIONS = (*WIRES, POD, *PHONES)
BEACON_NS = 205 * MS
"""Two beacons of 102.4 ms: a sleeping radio's longest wait."""
AGAIN_NS = 200 * MS
"""TCP's shortest wait before it sends a lost segment again."""
MHZ = 125
POD_BEAT_NS, EDGE_BEAT_NS = 500 * MS, 1_200 * US
"""A pod's beats: at rest, and after an edge (firmware/README.md)."""


# -- time ------------------------------------------------------------------------------------------------------------


class _NoWait(selectors.SelectSelector):
    """Does not wait: simulated time passes instead."""

    passed_ns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "the simulation waits for something that never comes"
        self.passed_ns += round(timeout * S)
        return super().select(0)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while nothing is to be done."""

    def __init__(self) -> None:
        self._no_wait = _NoWait()
        super().__init__(self._no_wait)

    def now_ns(self) -> int:
        return self._no_wait.passed_ns

    def time(self) -> float:
        return self._no_wait.passed_ns / S

    def at(self, at_ns: int, do: Callable[[], object]) -> None:
        """Call that at an instant, or now if it is past."""
        self.call_at(at_ns / S, do)


def simulated(story: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    """Run a story in simulated time."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, SimulatedLoop)
        runner.run(story(loop))


# -- links and clocks ------------------------------------------------------------------------------------------------


@dataclass
class Way:
    """One direction of a link: delays that keep the order of messages.

    usual_ns: the median delay without power save. evenly: any delay up to twice that is equally likely. sleeps: share
    of the time in which the radio sleeps. lost: share of messages that TCP must send again. down_until_ns: nothing
    arrives before.
    """

    dice: Random
    usual_ns: int
    sleeps: float = 0.0
    lost: float = 0.0
    down_until_ns: int = 0
    evenly: bool = False
    _last_ns: int = 0
    _asleep: bool = False

    def arrives_ns(self, sent_ns: int) -> int:
        """Return when a message sent now arrives."""
        if self.dice.random() < 0.3:
            self._asleep = self.dice.random() < self.sleeps
        times = self.dice.uniform(0, 2) if self.evenly else self.dice.lognormvariate(0, 0.3)
        delay_ns = int(self.usual_ns * times)
        delay_ns += self.dice.randrange(BEACON_NS) if self._asleep else 0
        delay_ns += round(AGAIN_NS * self.dice.uniform(1, 1.5)) if self.dice.random() < self.lost else 0
        self._last_ns = max(self._last_ns + US, max(sent_ns, self.down_until_ns) + delay_ns)
        return self._last_ns


@dataclass
class Link:
    """The way from the host to a phone, and back."""

    out: Way
    back: Way


def lan(dice: Random) -> Link:
    trip_ns = dice.randrange(200 * US, 5 * MS)
    share = dice.uniform(0.2, 0.8)
    return Link(Way(dice, int(trip_ns * share)), Way(dice, int(trip_ns * (1 - share))))


def wifi(dice: Random) -> Link:
    return Link(Way(dice, 3 * MS, lost=0.005), Way(dice, 3 * MS, lost=0.005))


def power_save(dice: Random) -> Link:
    """The host's radio saves power, so what phones send waits; rarely the phone's."""
    return Link(Way(dice, 3 * MS, sleeps=0.1), Way(dice, 3 * MS, sleeps=0.9, lost=0.005))


def jittery(dice: Random) -> Link:
    """0 to 40 ms each way, as between the browsers of tests/page/browser/test_four_browsers.py."""
    return Link(Way(dice, 20 * MS, evenly=True), Way(dice, 20 * MS, evenly=True))


LINKS: tuple[Callable[[Random], Link], ...] = (lan, wifi, power_save)


@dataclass
class BrowserClock:
    """A browser's clock: `performance.now()` in ms at an instant of the host."""

    dice: Random
    step_ns: int = 0
    jitters: bool = False
    """Whether it rounds up or down at random, the same at each reading within a step; else down."""
    offset_ns: int = 0
    ppm: float = 0.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        self.step_ns = self.step_ns or self.dice.choice([100 * US, MS])
        self.jitters = self.dice.random() < 0.5
        self.offset_ns = self.dice.randrange(10**12)
        self.ppm, self.ramp = self.dice.uniform(-100, 100), self.dice.uniform(-0.08, 0.08)

    def read_ms(self, host_ns: int) -> float:
        s = host_ns / S
        instant_ns = int(host_ns + self.offset_ns + (self.ppm * s + self.ramp * s * s / 2) * US)
        ticks, rest_ns = divmod(instant_ns, self.step_ns)
        up = self.jitters and rest_ns >= Random(ticks).randrange(self.step_ns)
        return (ticks + up) * self.step_ns / MS


# -- phones ----------------------------------------------------------------------------------------------------------


@dataclass
class Phone:
    """A phone whose page shows its seat's button."""

    table: Table
    name: str
    station: str
    link: Link
    clock: BrowserClock
    touch_ns: tuple[int, int] = TOUCH_NS
    handed_ns: tuple[int, int] = (1, SENT_NS[0] - MS)
    """Shortest and longest time from a touch's stamp until the browser hands it to the page."""
    refused: list[str] = field(default_factory=list)
    heard: list[Mapping[str, Json]] = field(default_factory=list)
    asleep: bool = False
    """The page does not run: nothing is answered."""
    run: str = "1"
    """The name of the page's clock."""
    _answered: int = 0
    _fresh: bool = True
    _button: Button | None = None
    _asking: asyncio.Task[None] | None = None

    def open(self) -> Phone:
        """Open the page's connection."""
        table, self._fresh = self.table, True
        self._button = button = Button(
            self.name,
            table.buttons,
            partial(self._sent, self.link),
            lambda: table.state.phase.name,
            table.loop.now_ns,
            lambda: table.delays(self.name),
        )
        self._asking = asyncio.create_task(button.ask())
        return self

    @property
    def forgotten(self) -> int:
        """Return how many answers the host's fit of this phone's clock has dropped."""
        assert self._button is not None
        return self._answered - self._button._fit.exchanges

    def close(self) -> None:
        """Close the connection. What is on its way arrives before."""
        asking = self._asking
        assert asking is not None
        self.table.loop.at(self.link.back.arrives_ns(self.table.loop.now_ns()), asking.cancel)

    def load_again(self) -> Phone:
        """Open the page anew: it has another clock."""
        self.close()
        self.clock, self.run = BrowserClock(self.clock.dice), str(int(self.run) + 1)
        return self.open()

    async def _sent(self, link: Link, message: Mapping[str, Json]) -> None:
        loop = self.table.loop
        loop.at(link.out.arrives_ns(loop.now_ns()), partial(self._receive, message))

    def _receive(self, message: Mapping[str, Json]) -> None:
        self.heard.append(message)
        self._answer(message)

    def _answer(self, message: Mapping[str, Json]) -> None:
        """Answer a question when the page's clock has reached its `after`."""
        if self.asleep:
            return
        loop = self.table.loop
        at_ms, after_ms = self.clock.read_ms(loop.now_ns()), message.get("after", 0)
        assert isinstance(after_ms, int | float)
        if at_ms < after_ms:
            loop.at(loop.now_ns() + round((after_ms - at_ms) * MS) + 1, partial(self._answer, message))
            return
        step: dict[str, Json] = {"step": self.clock.step_ns / MS, "run": self.run} if self._fresh else {}
        self._fresh = False
        left = partial(self._leave, {"clock": message["clock"], "at": at_ms} | step)
        loop.at(loop.now_ns() + self.clock.dice.randrange(2 * MS), left)

    def _leave(self, message: dict[str, Json]) -> None:
        self.say(**message, left=self.clock.read_ms(self.table.loop.now_ns()))

    def say(self, **message: Json) -> None:
        """Send a message to the host."""
        assert self._button is not None
        loop, button = self.table.loop, self._button

        def arrive() -> None:
            self._answered += "clock" in message
            try:
                button.hear(message)
            except AskError as error:
                self.refused.append(str(error))

        loop.at(self.link.back.arrives_ns(loop.now_ns()), arrive)

    def touch(self, finger_ns: int, held_ns: int = 80 * MS) -> None:
        """Touch the screen at an instant of the host, and let go later."""
        dice, loop = self.clock.dice, self.table.loop
        for down, at_ns in ((True, finger_ns), (False, finger_ns + held_ns)):
            stamped_ns = at_ns + dice.randrange(*self.touch_ns)
            sent_ns = stamped_ns + dice.randrange(*self.handed_ns)
            loop.at(stamped_ns, partial(self._stamp, down, sent_ns))
        loop.at(sent_ns + 60 * MS, self._again)

    def _stamp(self, down: bool, sent_ns: int) -> None:
        loop, at_ms = self.table.loop, self.clock.read_ms(self.table.loop.now_ns())
        loop.at(sent_ns, lambda: self.say(touch=down, at=at_ms, seen=self.clock.read_ms(loop.now_ns())))

    def _again(self) -> None:
        self.say(touch=False, at=self.clock.read_ms(self.table.loop.now_ns()))


# -- the pod ---------------------------------------------------------------------------------------------------------


class SimulatedPod:
    """A pod with one button: it speaks the protocol, and the host's `Link` makes rows of what it says."""

    def __init__(self, loop: SimulatedLoop, seed: int, feed: Callable[[list[Edge]], object]) -> None:
        self.loop, self.feed = loop, feed
        self.link = podlink.Link(loop.now_ns())
        self._usb, self._began_ns = usb(seed, 3_600), loop.now_ns()
        self._asked, self._count, self._next, self._closed, self._last_ns = podwire.Decoder(), 0, 0, 0, 0
        self.link.open_line(loop.now_ns())
        self._serve()
        self._beat_again()

    def press(self, station: str, at_ns: int, held_ns: int) -> None:
        """Press the button of that seat."""
        for closed, edge_ns in ((1, at_ns), (0, at_ns + held_ns)):
            self.loop.at(edge_ns, partial(self._change, closed))
        self._station = station

    def _ticks(self) -> int:
        return self._usb.clock.stamp(self.loop.now_ns() - self._began_ns) * MHZ // (1_000 * podwire.TICK_CYCLES)

    def _change(self, closed: int) -> None:
        turn, low = divmod(self._ticks(), 1 << 24)
        word, self._closed = low | closed * podwire._CLOSED, closed
        self._send(podwire.REPORT, podwire._HEAD.pack(self._next, turn & 0xFFFFFFFF) + word.to_bytes(4, "little"))
        self._next = (self._next + 1) % podwire.ROUND
        self.loop.at(self.loop.now_ns() + EDGE_BEAT_NS, self._beat)

    def _beat_again(self) -> None:
        self._beat()
        self.loop.at(self.loop.now_ns() + POD_BEAT_NS, self._beat_again)

    def _beat(self) -> None:
        ticks = self._ticks().to_bytes(7, "little")
        self._send(podwire.BEAT, podwire._BEAT.pack(ticks, self._next, self._closed, 0, self.link.lit, 0, 0))

    def _send(self, kind: int, payload: bytes, after_ns: int = 0) -> None:
        """Send a frame, which arrives after the ones before it."""
        self._count = (self._count + 1) % 256
        frame = podwire.make_frame(kind, payload + bytes((self._count,)))
        arrives_ns = self.loop.now_ns() + after_ns + self._usb._delays()[2] + self._usb._wake()
        self._last_ns = max(self._last_ns + US, arrives_ns)
        self.loop.at(self._last_ns, partial(self._arrive, frame))

    def _arrive(self, frame: bytes) -> None:
        now_ns, rows = self.loop.now_ns(), []
        for item in self.link.receive(frame, now_ns):
            assert isinstance(item, podlink.Up | podlink.Seen), item
            if isinstance(item, podlink.Seen):
                rows.append(
                    Edge(self._station, item.closed, item.t_ns, item.err_ns, now_ns, item.clock, item.rel_err_ns)
                )
        if rows:
            self.feed(rows)
        self._serve()

    def _serve(self) -> None:
        """Do what the host's end has to do, and let its frames arrive at the pod."""
        assert self.link.tick(self.loop.now_ns()) == []
        self.loop.at(self.link.due_ns, self._tick)
        for kind, payload in self._asked.feed(self.link.outgoing()):
            out_ns, stay_ns, _ = self._usb._delays()
            if kind == podwire.ASK:
                self.loop.at(self.loop.now_ns() + out_ns, self._greet)
            elif kind == podwire.SYNC:
                self.loop.at(self.loop.now_ns() + self._usb._wake() + out_ns, partial(self._stamp, payload, stay_ns))

    def _tick(self) -> None:
        if self.loop.now_ns() >= self.link.due_ns:
            self._serve()

    def _greet(self) -> None:
        ticks, ident = self._ticks().to_bytes(7, "little"), bytes.fromhex("e66141040b2c3f2a")
        about = 0, 1, ident, bytes(3), 1, self._closed, MHZ, 2_000, 200, self._next, ticks
        self._send(podwire.HELLO, podwire._HELLO.pack(podwire.VERSION, *about))

    def _stamp(self, token: bytes, stay_ns: int) -> None:
        came = self._ticks()
        self.loop.at(self.loop.now_ns() + stay_ns, lambda: self._answer(token, came))

    def _answer(self, token: bytes, came: int) -> None:
        self._send(podwire.ANSWER, token + came.to_bytes(7, "little") + self._ticks().to_bytes(7, "little"))


# -- the table -------------------------------------------------------------------------------------------------------


class Table:
    """A served table in simulated time: what the device's process does, without its process."""

    def __init__(self, loop: SimulatedLoop, sitting: Sitting, folder: Path) -> None:
        self.loop, self.engine = loop, sitting.engine
        loop._no_wait.passed_ns = sitting.now_ns
        self.desk = Desk(PhoneBook(folder / "phones.json"), self, lambda address, code: address, loop.now_ns)
        self.buttons = Buttons(self._report)
        self.desk.prove = self.buttons.prove
        self.rows: list[Any] = []
        self._timer: asyncio.TimerHandle | None = None
        self._pod: SimulatedPod | None = None
        self._step()

    @property
    def state(self) -> State:
        return self.engine.state

    def phone(self, station: str, link: Link, clock: BrowserClock) -> Phone:
        """Pair a phone that acts for that seat."""
        phone, _ = self.desk.book.pair("", set())
        others = tuple(one for one in self.state.phones if one[0] != station)
        self.engine.state = replace(self.state, phones=(*others, (station, phone.name)))
        return Phone(self, phone.name, station, link, clock)

    def delays(self, name: str) -> Delays:
        """Return the range of touch delays that the book has of that phone."""
        return next((one.touch_ns for one in self.desk.book.phones if one.name == name and one.touch_ns), TOUCH_NS)

    def guest(self, link: Link, clock: BrowserClock) -> Phone:
        """Pair a phone that acts for no seat."""
        phone, _ = self.desk.book.pair("", {name for _, name in self.state.phones})
        return Phone(self, phone.name, "", link, clock)

    def wire(self, station: str, at_ns: int, held_ns: int = 80 * MS) -> None:
        """Press a wired button: the kernel stamps its edges a little late."""
        for closed, edge_ns in ((True, at_ns), (False, at_ns + held_ns)):
            row = Edge(station, closed, edge_ns + GPIO_ERR_NS // 4, GPIO_ERR_NS)
            self.loop.at(row.t_ns, partial(self.feed, [row]))

    def plug_pod(self, seed: int) -> None:
        """Plug the pod in. Its clock is known soon afterwards."""
        self._pod = SimulatedPod(self.loop, seed, self.feed)

    def pod(self, station: str, at_ns: int, held_ns: int = 80 * MS) -> None:
        """Press the pod's button."""
        assert self._pod is not None
        self._pod.press(station, at_ns, held_ns)

    def verdicts(self) -> list[Ruled]:
        """Return the verdicts since the last call."""
        found = [event for event in self.rows if isinstance(event, Ruled)]
        self.rows.clear()
        return found

    # -- what a desk asks of the running match -----------------------------------------------------------------------

    def now(self) -> State:
        return self.state

    def feed(self, facts: Iterable[Fact]) -> None:
        self._step(list(facts))

    def ask(self, fact: PhoneFact | Linked, answer: Callable[[State], object]) -> None:
        self._step([fact])
        answer(self.state)

    def _report(self, report: Awake | PhoneTouch | PhoneButtons | PhoneProof) -> None:
        self.desk.take_report(report)
        if isinstance(report, PhoneButtons):
            self.show()

    def show(self) -> None:
        """Do what the device does when anything about the phones has changed."""
        self.desk.dress(view(self.state, self.loop.now_ns()))

    def _step(self, facts: list[Fact] | None = None) -> None:
        now_ns = self.loop.now_ns()
        self.engine.intake(facts or [], now_ns)
        out = self.engine.take()
        self.rows += [event for _, event in out.rows]
        if any(cue.urgent for cue in out.cues):
            self.desk.note_call(self.state)
        if self._timer is not None:
            self._timer.cancel()
        due_ns = self.engine.deadline_ns
        self._timer = None if due_ns is None else self.loop.call_at(due_ns / S, self._step)


async def until(loop: SimulatedLoop, at_ns: int) -> None:
    """Let simulated time pass."""
    await asyncio.sleep(max(at_ns - loop.now_ns(), 0) / S)


def ready_sitting() -> Sitting:
    """Six players at READY; seat 3 is on a pod."""
    sitting = Sitting(Setup(stations=STATIONS, remote=(POD,), latency_ns=30 * MS))
    sitting.engine.intake([Linked(sitting.now_ns, "pod:1", True, (POD,))], sitting.now_ns)
    return sitting.seated(*STATIONS).wait(BREATH_NS)


async def race(loop: SimulatedLoop, folder: Path, dice: Random, links: Sequence[Link]) -> tuple[Table, list[Phone]]:
    """Start a hand: the phones have their button, everybody is ready, the cards move."""
    table = Table(loop, ready_sitting(), folder)
    table.plug_pod(dice.randrange(1 << 30))
    phones = [table.phone(s, link, BrowserClock(dice)).open() for s, link in zip(PHONES, links, strict=True)]
    await until(loop, loop.now_ns() + 2 * S)
    assert set(table.state.table.phone_buttons) == {*PHONES}
    now_ns = loop.now_ns()
    for station in WIRES:
        table.wire(station, now_ns + 10 * MS)
    table.pod(POD, now_ns + 10 * MS)
    for phone in phones:
        phone.touch(now_ns + 10 * MS)
    while table.state.phase.name != "PLAYING":
        await until(loop, loop.now_ns() + S)
        assert loop.now_ns() < now_ns + 30 * S, table.state.phase
    await until(loop, loop.now_ns() + 3 * S)
    table.verdicts()
    return table, phones
