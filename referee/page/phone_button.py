"""A phone's screen as the button of its seat: touches at instants of the host's clock.

The host asks for the time of the phone's clock: often while cards may move, rarely otherwise. Each answer narrows the
error bound (core/clocks/fit.py). The phone reports each touch and its end with their times, and a moment after the end
that it has not been touched again, so that the table need not wait for the next row.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from referee.core.clocks.fit import Clockfit, Exchange
from referee.core.clocks.touch import (
    NEW_PHONE,
    TOUCH_NS,
    Delays,
    new_phone,
    placed_touch,
    proved_ns,
    sent_ns,
    within,
)
from referee.core.presses.signals import PRESS_NS, RELEASE_NS
from referee.core.units import MS
from referee.core.values import Json
from referee.protocol.gestures import AskError
from referee.protocol.page import PhoneButtons, PhoneProof, PhoneTouch

FIRST, FIRST_S = 8, 0.05
"""Number of questions at first, and the pause between them in s."""
RACE_S, CALM_S = 0.1, 1.2
"""Pause between questions in s while cards may move, and the longest pause otherwise."""
CALM_NS = 900 * MS
"""Age of the last question in ns after which `note_awake` asks again."""
CALM = frozenset({"", "LOBBY", "AGREEMENT", "COUNTING", "OVER", "POWER_BACK", "VOTE", "TIMEOUT"})
"""Phases in which no press is compared with another."""
OPEN = 32
"""Maximum number of questions that wait for their answer; a slow link takes longer than the pause between two."""
SILENT_S = 1.9
"""Time in s without a message after which a phone is silent. The table shows it within 2 s."""
LATEST_MS = 1e12
"""Maximum reading of a phone's clock, in ms; it counts from when its page was opened."""
STEP_MOST_MS = 1000
"""Maximum step of a phone's clock, in ms. Browsers that hide the time have steps of up to 100 ms."""
WIDE_MS, WIDE_STEP_MS = 60, 20
"""Bound in ms above which the table is told of it, rounded up to whole steps."""
SPARE_NS = 1 * MS
"""Extra delay of an answer in ns, because the error bound may grow until then."""
OLDEST_NS = 10_000 * MS
"""Maximum age of a touch at its arrival, in ns."""
LATEST = 8
"""Number of touches from which `sent_ns` is computed."""
EARLY = 16
"""Maximum number of touches that wait until something is known of the phone's clock."""
APART_NS = 22 * MS
"""How long a page's clock may have stood still unnoticed, in ns, besides steps of this clock (button.js, APART_MS)."""
LATE_NS = 60_000 * MS
"""Maximum age of a touch that an earlier page has kept, in ns."""
UNPLACED = "The phone's clock cannot be compared with the table's: the touch did not count."
CLOCKS, TOUCHES, PHONES = 4, 64, 64
"""Maximum number of clocks and of touches that are remembered of a phone, and of phones."""
Report = PhoneTouch | PhoneProof | PhoneButtons


@dataclass
class Memory:
    """What is remembered of a phone until it connects again.

    fits: its pages' clocks by the names that the pages gave them. touches: the numbers of its latest touches.
    """

    fits: dict[str, Clockfit] = field(default_factory=dict)
    touches: deque[int] = field(default_factory=lambda: deque(maxlen=TOUCHES))

    def keep(self, clock: str, fit: Clockfit) -> None:
        """Remember a clock as the newest one."""
        self.fits.pop(clock, None)
        self.fits[clock] = fit
        if len(self.fits) > CLOCKS:
            del self.fits[next(iter(self.fits))]


class Buttons:
    """The phones that show their seat's button, perhaps on several pages each.

    `report`: called when these phones change, and with each touch and proof.
    """

    def __init__(self, report: Callable[[Report], object]) -> None:
        self.report = report
        self._pages: dict[Button, str] = {}  # page -> phone
        self._silent: set[Button] = set()
        self._wide: dict[Button, int] = {}
        self._told = PhoneButtons(frozenset())
        self._memories: dict[str, Memory] = {}

    def memory(self, phone: str) -> Memory:
        """Return what is remembered of a phone."""
        if len(self._memories) > PHONES:
            self._memories.clear()
        return self._memories.setdefault(phone, Memory())

    def is_alone(self, phone: str) -> bool:
        """Return whether only one page of this phone shows its button."""
        return list(self._pages.values()).count(phone) == 1

    def prove(self, until_ns: int) -> None:
        """Ask all phones at once to prove their touches up to this instant, for a waiting verdict."""
        for page in self._pages:
            page.hurry(until_ns)

    def note_silence(self, page: Button, silent: bool) -> None:
        """Note whether a page has stopped sending messages."""
        if page in self._pages and silent != (page in self._silent):
            (self._silent.add if silent else self._silent.discard)(page)
            self._tell()

    def note_bound(self, page: Button, bound_ms: int | None) -> None:
        """Note the error bound of touches on that page in ms, None if it is not known."""
        self._wide.pop(page, None)
        if bound_ms is not None and bound_ms > WIDE_MS:
            self._wide[page] = -(-bound_ms // WIDE_STEP_MS) * WIDE_STEP_MS
        self._tell()

    @contextmanager
    def shown(self, page: Button) -> Iterator[None]:
        """Count the page, within this context, as one that shows its phone's button."""
        self._pages[page] = page.phone
        self._tell()
        try:
            yield
        finally:
            del self._pages[page]
            self._silent.discard(page)
            self._wide.pop(page, None)
            self._tell()

    def _tell(self) -> None:
        """Report the phones if they have changed. A phone is silent if all its pages are."""
        heard = {self._pages[page] for page in self._pages.keys() - self._silent}
        shown, wide = frozenset(self._pages.values()), {page.phone: ms for page, ms in self._wide.items()}
        told = PhoneButtons(shown, shown - heard, tuple(sorted(wide.items())))
        if told != self._told:
            self._told = told
            self.report(told)


class Button:
    """The button on one phone's page. A new connection has a new `Button`.

    send: sends a message to the phone. phase: returns the name of the table's phase, "" for a phone without a seat.
    delays: returns the range of the phone's touch delay.
    """

    def __init__(
        self,
        phone: str,
        buttons: Buttons,
        send: Callable[[Mapping[str, Json]], Awaitable[object]],
        phase: Callable[[], str],
        clock: Callable[[], int] = time.monotonic_ns,
        delays: Callable[[], Delays] = lambda: TOUCH_NS,
    ) -> None:
        self._delays = delays
        self.phone, self._buttons, self._send, self._phase, self._clock = phone, buttons, send, phase, clock
        self._fit = NEW_PHONE
        self._run = ""  # the name of the page's clock
        self._memory = buttons.memory(phone)
        self._got: deque[Json] = deque(maxlen=TOUCHES)  # numbers of touches that the page need not keep any more
        self._asked: dict[int, int] = {}  # question -> when it was sent
        self._asked_ns = clock()  # when the last question was sent
        self._until_ns = 0  # the instant that the table wants proved
        self._hurried = asyncio.Event()
        self._silence: asyncio.TimerHandle | None = None  # fires when the phone counts as silent
        self._last_ns = 0  # instant of the last row
        self._seen_ns = deque([0], LATEST)  # delays of the latest touches until the page got them
        self._answered_ns = 0  # phone's clock: touches with earlier stamps have arrived
        self._known_ns = 0  # no touch from before it is still on its way
        self._missed = False  # whether the present touch was refused
        self._early: list[Mapping[str, object]] = []  # touches from before the first answer
        self.down = False
        """Whether the screen is touched."""

    async def ask(self) -> None:
        """Ask for the phone's time again and again until cancelled.

        Meanwhile `Buttons` counts the phone as one that shows its button.
        """
        with self._buttons.shown(self):
            self._note_heard()
            try:
                for number in count(1):
                    self._asked[number] = self._asked_ns = self._clock()
                    self._asked.pop(number - OPEN, None)
                    bound_ms = self._bound_ms()
                    self._buttons.note_bound(self, bound_ms)
                    got = list(self._got)
                    self._got.clear()
                    question: dict[str, Json] = {"clock": number, "bound": bound_ms} | ({"got": got} if got else {})
                    await self._send(question | self._when())
                    calm_s = CALM_S if self._phase() in CALM else RACE_S
                    await self._rest(FIRST_S if number <= FIRST else calm_s)
            finally:
                if self._silence is not None:
                    self._silence.cancel()
                if self.down:
                    self._row(False, self._clock(), 0)

    def hurry(self, until_ns: int) -> None:
        """Ask the phone at once to prove its touches up to this instant."""
        self._until_ns = until_ns
        if self._known_ns <= until_ns:
            self._hurried.set()
        else:
            self._buttons.report(PhoneProof(self.phone, self._known_ns))

    def _note_heard(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
        self._buttons.note_silence(self, silent=False)
        loop = asyncio.get_running_loop()
        self._silence = loop.call_later(SILENT_S, partial(self._buttons.note_silence, self, silent=True))

    def note_awake(self) -> None:
        """Ask now if a question is due soon, so that the machine need not wake up later only for it."""
        if self._phase() in CALM and self._clock() - self._asked_ns > CALM_NS:
            self._hurried.set()

    def _when(self) -> dict[str, Json]:
        """Return when the phone must answer, by its clock, to prove what the table wants."""
        newest_ns = self._fit.newest_ns
        known_ns = proved_ns(self._fit, newest_ns - sent_ns(self._seen_ns), self._delays())
        if known_ns is None or self._known_ns > self._until_ns or known_ns > self._until_ns:
            return {}
        return {"after": (newest_ns + self._until_ns - known_ns + SPARE_NS) / MS}

    async def _rest(self, pause_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await self._hurried.wait()
        self._hurried.clear()

    def hear(self, said: Mapping[str, object]) -> None:
        """Handle a message of the phone: its clock's time, or a touch.

        Times are in ms by the phone's clock.
        Time: {"clock": NUMBER, "at": MS}, perhaps with "left": when the answer was sent, after all touches that the
        page had got by "at"; and "step": how far the clock can be off, which begins a new fit because the page was
        opened or has slept, perhaps with "run": a name for this clock.
        Touch: {"touch": true or false, "at": MS}, perhaps with "seen": when the page got the touch; and "id": a number.
        The next question confirms it. A touch with "run" is one that an earlier page has kept, by the clock of this
        name.
        Raises AskError if the message is neither, or if the touch cannot be placed on the table's clock.
        """
        now_ns, at_ns = self._clock(), _stamp_ns(said.get("at"))
        self._note_heard()
        if said.keys() - {"step", "run", "left"} == {"clock", "at"} and type(said["clock"]) is int:
            left_ns = max(_stamp_ns(said.get("left", said["at"])), at_ns)
            if "step" in said:
                self._fit, self._run = new_phone(_step_ns(said["step"])), str(said.get("run", ""))
            asked_ns = self._asked.get(said["clock"])
            if asked_ns is not None:
                self._asked = {n: ns for n, ns in self._asked.items() if n > said["clock"]}
                self._fit = self._fit.with_exchange(Exchange(asked_ns, at_ns, now_ns, left_ns))
                if self._run:
                    self._memory.keep(self._run, self._fit)
                early, self._early, refused = self._early, [], None
                for touch in early:
                    try:
                        self._take(touch)
                    except AskError as error:
                        refused = error
                self._prove(at_ns)
                if refused is not None:
                    raise refused
            return
        if said.keys() - {"seen", "id", "run"} != {"touch", "at"} or type(said["touch"]) is not bool:
            raise AskError('A message is {"clock": NUMBER, "at": MS} or {"touch": true or false, "at": MS}.')
        if not self._fit.exchanges and len(self._early) < EARLY:
            self._early.append(said)
        else:
            self._take(said)

    def _take(self, said: Mapping[str, object]) -> None:
        """Report a touch unless it was reported before. Raises AskError if it cannot be placed."""
        number = said.get("id")
        if isinstance(number, int):
            self._got.append(number)
            if number in self._memory.touches:
                return
            self._memory.touches.append(number)
        if "run" in said:
            self._take_late(str(said["run"]), _stamp_ns(said["at"]))
        else:
            self._touch(said)

    def _take_late(self, run: str, at_ns: int) -> None:
        """Report a touch by another clock of the phone. Raises AskError if nothing is known of this clock."""
        now_ns, fit = self._clock(), self._memory.fits.get(run, NEW_PHONE)
        placed = placed_touch(fit, at_ns, self._delays())
        if placed is None or not now_ns - LATE_NS <= placed.t_ns <= now_ns:
            raise AskError(UNPLACED)
        err_ns = placed.err_ns + APART_NS + 4 * fit.step_ns
        self._buttons.report(PhoneTouch(self.phone, True, placed.t_ns, err_ns, late=True))

    def _touch(self, said: Mapping[str, object]) -> None:
        """Report a touch or its end at its instant. Raises AskError if it cannot be placed."""
        now_ns, at_ns, down = self._clock(), _stamp_ns(said["at"]), said["touch"] is True
        if down and self._missed:
            return  # its first message was refused: later ones do not say when it began
        self._missed = False
        placed = placed_touch(self._fit, at_ns, self._delays())
        if placed is None or not now_ns - OLDEST_NS <= placed.t_ns <= now_ns + placed.err_ns:
            self._missed = down
            raise AskError(UNPLACED)
        if at_ns >= self._answered_ns - 2 * self._fit.step_ns:
            placed = within(placed, self._known_ns, now_ns)
        else:  # the phone has proved that no such touch exists: late evidence
            self._buttons.report(PhoneProof(self.phone, self._known_ns))
        if "seen" in said:
            self._seen_ns.append(_stamp_ns(said["seen"]) - at_ns)
        began = down and not self.down
        self._row(down, min(placed.t_ns, now_ns), placed.err_ns)
        if began:  # no finger touches for less: the press is certain at once
            self._row(down, min(placed.t_ns + PRESS_NS, now_ns), placed.err_ns)

    def _prove(self, at_ns: int) -> None:
        """Compute from an answer the instant up to which all touches have arrived, and store it.

        at_ns: the answer's stamp, by the phone's clock. Proofs are reported until they reach the instant that the table
        wants, and `RELEASE_NS` after the last touch or release.
        """
        at_ns -= sent_ns(self._seen_ns)
        known_ns = proved_ns(self._fit, at_ns, self._delays())
        if known_ns is None or not self._buttons.is_alone(self.phone):
            return
        self._answered_ns = at_ns if self._fit.exchanges == 1 else max(self._answered_ns, at_ns)
        before_ns, self._known_ns = self._known_ns, max(self._known_ns, known_ns)
        if before_ns <= max(self._until_ns, self._last_ns + RELEASE_NS):
            self._buttons.report(PhoneProof(self.phone, self._known_ns))

    def _row(self, down: bool, t_ns: int, err_ns: int) -> None:
        """Report that the button is touched (`down`) or let go.

        A stamp before that of the previous report is raised to that one, with a larger error.
        """
        self.down, self._last_ns = down, max(t_ns, self._last_ns)
        self._buttons.report(PhoneTouch(self.phone, down, self._last_ns, err_ns + self._last_ns - t_ns))

    def _bound_ms(self) -> int | None:
        """Return the error bound in ms that a touch would have now; None if it is not known yet."""
        placed = placed_touch(self._fit, self._fit.newest_ns, self._delays())
        return None if placed is None else -(-placed.err_ns // MS)


def _step_ns(step: object) -> int:
    if not isinstance(step, int | float) or isinstance(step, bool) or not 0 <= step <= STEP_MOST_MS:
        raise AskError(f'"step" must be the step of the phone\'s clock in milliseconds, from 0 to {STEP_MOST_MS}.')
    return round(step * MS)


def _stamp_ns(at: object) -> int:
    if not isinstance(at, int | float) or isinstance(at, bool) or not 0 <= at <= LATEST_MS:
        raise AskError('"at" must be the phone\'s clock in milliseconds, from 0.')
    return round(at * MS)
