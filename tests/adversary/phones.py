"""A phone that lies: its messages go through the shipped `Button`, `Buttons`, `Desk` and `Engine`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

from referee.core.clocks.touch import LONGEST_TOUCH_NS, TOUCH_NS
from referee.core.match.engine import Engine
from referee.core.model.events import Fact
from referee.core.model.table import Setup
from referee.core.presses.arbiter import AGE_NS
from referee.core.units import MS, S
from referee.core.values import Json, replace
from referee.protocol.gestures import AskError
from tests.adversary.promise import Log, is_broken
from tests.core.sitting import BREATH_NS, Sitting
from tests.page.phone_network import BrowserClock, Link, Phone, SimulatedLoop, Table, Way, simulated, until

HONEST, LIAR = "1", "2"
AT_ONCE, AFTER_MS, LONG_MS = (2, 40, 119), (121, 131, 134, 150, 180, 240, 330, 400, 420, 460), (700, 800)
BACK_MS = (0, 1, 5, 30, 60, 90, 100, 120, 150, 200, 250, 400, 1_000, 1_600, 5_000, 15_000)


@dataclass(frozen=True)
class Sent:
    """One message about the button: when it is sent after the honest press, and how far back it claims to be.

    kind: "touch", "end", "again" (the touch before, once more), "kept" (a touch that an earlier page has kept).
    page: which of the phone's open pages sends it.
    """

    after_ms: int
    back_ms: int
    kind: str = "touch"
    page: int = 0


@dataclass(frozen=True)
class Strategy:
    """What a lying phone does in a call.

    answers: whether it answers questions on its clock until `silent_from_ms` after the honest press. jump_ms: a step of
    its clock at that time. step_ms: its declared clock step. touch_ms: its calibrated touch delays.
    """

    sent: tuple[Sent, ...]
    silent_from_ms: int = 10_000
    jump_ms: int = 0
    step_ms: float = 1.0
    touch_ms: tuple[int, int] = (TOUCH_NS[0] // MS, TOUCH_NS[1] // MS)
    fresh: bool = False


def grid() -> Iterator[Strategy]:
    """Yield claim × arrival × silence × calibration."""
    touches = ((9, 29), (0, 60), (100, LONGEST_TOUCH_NS // MS))
    for after_ms, back_ms, silent_ms, touch_ms in product(AFTER_MS, BACK_MS, (-1_500, 0, 10_000), touches):
        yield Strategy((Sent(after_ms, back_ms),), silent_ms, touch_ms=touch_ms)


def drawn(dice: Random) -> Strategy:
    """Draw a strategy."""
    times = sorted(dice.choice((*AT_ONCE, *AFTER_MS, *AFTER_MS, *LONG_MS, -9, 0)) for _ in range(dice.randrange(1, 6)))
    kinds = ("touch", "touch", "end", "again", "kept")
    sent = [Sent(ms, dice.choice(BACK_MS), dice.choice(kinds), dice.random() < 0.2) for ms in times]
    shortest = dice.randrange(LONGEST_TOUCH_NS // MS)
    return Strategy(
        tuple(sent),
        dice.choice((-1_500, -300, 0, 30, 10_000)),
        dice.choice((0, 0, 0, -200, 90, 5_000)),
        dice.choice((0.1, 1, 16, 100, 1_000)),
        (shortest, dice.randrange(shortest, LONGEST_TOUCH_NS // MS + 1)),
        dice.random() < 0.2,
    )


class Liar(Phone):
    """A phone without delay on its way, which answers as its strategy says."""

    def follow(self, strategy: Strategy, press_ns: int) -> None:
        """Plan the messages of a call whose honest press is at that time."""
        self.clock.step_ns, self._press_ns, self._strategy = round(strategy.step_ms * MS), press_ns, strategy
        if strategy.fresh:
            self.load_again()

    def read_ms(self) -> float:
        """Return the time of its clock, with the strategy's jump."""
        now_ns, strategy = self.table.loop.now_ns(), self._strategy
        jumped = now_ns > self._press_ns + strategy.silent_from_ms * MS
        return self.clock.read_ms(now_ns) + (strategy.jump_ms if jumped else 0)

    def _answer(self, message: Mapping[str, Json]) -> None:
        strategy = getattr(self, "_strategy", None)
        if strategy is None or self.table.loop.now_ns() <= self._press_ns + strategy.silent_from_ms * MS:
            super()._answer(message)

    def send(self, sent: Sent, number: int) -> None:
        """Send a message about the button; `number`: its id."""
        at_ms = max(self.read_ms() - sent.back_ms, 0)
        said: dict[str, Json] = {"touch": sent.kind != "end", "at": at_ms, "id": number - (sent.kind == "again")}
        run: dict[str, Json] = {"run": self.run} if sent.kind == "kept" else {"seen": at_ms}
        assert self._button is not None
        with suppress(AskError):
            self._button.hear(said | run)


class LoggedTable(Table):
    """A table that keeps the facts that it takes."""

    def __init__(self, *given: object) -> None:
        self.log: Log = []
        self.touch_ns = TOUCH_NS
        super().__init__(*given)  # type: ignore[arg-type]

    def delays(self, name: str) -> tuple[int, int]:
        return self.touch_ns

    def _step(self, facts: list[Fact] | None = None) -> None:
        self.log.append((self.loop.now_ns(), facts or []))
        super()._step(facts)


@dataclass
class Court:
    """A table in a race: one honest wired button, one lying phone with two pages."""

    loop: SimulatedLoop
    folder: Path
    dice: Random
    age_ns: int | None = AGE_NS
    pages: list[Liar] = field(default_factory=list)
    numbers: int = 0

    async def open(self) -> None:
        setup = Setup(stations=(HONEST, LIAR), age_ns=self.age_ns)
        self.table = LoggedTable(self.loop, Sitting(setup).seated(HONEST, LIAR).wait(BREATH_NS), self.folder)
        link = Link(Way(self.dice, 0), Way(self.dice, 0))
        phone = self.table.phone(LIAR, link, BrowserClock(self.dice))
        self.pages = [Liar(self.table, phone.name, LIAR, link, phone.clock)]
        self.pages[0].open()
        await until(self.loop, self.loop.now_ns() + 2 * S)
        self.table.wire(HONEST, self.loop.now_ns() + 10 * MS)
        self.pages[0].touch(self.loop.now_ns() + 10 * MS)
        while self.table.state.phase.name != "PLAYING":
            await until(self.loop, self.loop.now_ns() + S)
        await until(self.loop, self.loop.now_ns() + S)
        self.playing = self.table.state

    async def play(self, strategy: Strategy) -> bool:
        """Play a call; return whether it breaks the promise."""
        table, loop, press_ns = self.table, self.loop, self.loop.now_ns() + 400 * MS
        table.engine.take()
        table.log.clear()
        before: Engine = copy(table.engine)
        table.touch_ns = strategy.touch_ms[0] * MS, strategy.touch_ms[1] * MS
        pages = self.pages
        if any(one.page for one in strategy.sent):
            pages = [*pages, Liar(table, pages[0].name, LIAR, pages[0].link, pages[0].clock)]
            pages[1].open()
        for page in pages:
            page.follow(strategy, press_ns)
        table.wire(HONEST, press_ns)
        for sent in strategy.sent:
            self.numbers += 1
            loop.at(press_ns + sent.after_ms * MS, partial(pages[sent.page].send, sent, self.numbers))
        for page in pages:  # the next call needs an open contact
            loop.at(press_ns + 900 * MS, partial(page.send, Sent(900, 0, "end"), 0))
        await until(loop, press_ns + 1_300 * MS)
        broken = is_broken(before, table.log, HONEST, LIAR)
        for page in pages[1:]:
            page.close()
        table.engine.state = replace(table.state, phase=self.playing.phase, undo=None, menu=None, holds=())
        table.rows.clear()
        await until(loop, loop.now_ns() + 200 * MS)
        return broken


def holes(strategies: Sequence[Strategy], seed: int = 1, age_ns: int | None = AGE_NS) -> list[Strategy]:
    """Play these strategies; return those that break the promise."""
    found: list[Strategy] = []

    async def story(loop: SimulatedLoop) -> None:
        court = Court(loop, Path(folder), Random(seed), age_ns)
        await court.open()
        for strategy in strategies:
            if await court.play(strategy):
                found.append(strategy)

    with tempfile.TemporaryDirectory() as folder:
        simulated(story)
    return found
