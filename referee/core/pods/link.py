"""One end of a conversation with a button pod: bytes and now go in, news and bytes to write come out; it does no I/O.

Theory of operation. The pod numbers what its contacts did and repeats it until it is acknowledged, so here a report
counts when it is the next one, and never twice. A pod that starts anew says so by another boot number. What it kept
while nobody listened comes later, with its true time.

The pod's clock is turned into the host's by `Clockfit`, from exchanges of stamps and, where it is wired, from the sync
wire's pulses; presses of one call by one line of it (spans.py). A report that comes before the fit can tell anything
waits for it. Every row states its error: the fit's bound, the pod's own, and, where the pod has lost something, all the
time since its contact was last known. It names the pod's clock and that line, beside others of which it is surer.

A pod that loses its power takes the rest of a bounce with it. A contact that was told open after less than a press's
time, and within a burst's window before the pod was heard last, counts as closed once more, as briefly as a press may
be unless it is found closed: a press of which only the first bounce came would be a spike.

The core takes a press for certain when its contact has been closed for 1 ms, and must not do so while a row that says
otherwise may be under way. A pod therefore beats 1.2 ms after an edge ("up to here nothing else happened"), and that
becomes a row that repeats the level: such a row extends it (docs/timing.md), and the press is certain at once. A beat
also says which contacts are closed; a difference from what is known means a lost edge, and becomes a row.

Nothing that a device says may cost more than itself: a stamp that its clock cannot have reached is told as of now, with
a bound that is no longer than this host has run, and said as `Odd`; what waits for a clock waits at the pod once
`WAITING` of it wait here; a pod that never tells its clock is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from referee.core.clocks.fit import Clockfit, Exchange, Instant, Quality
from referee.core.clocks.spans import Placed, Spans
from referee.core.pods import wire as podwire
from referee.core.pods.wire import (
    ROUND,
    Answer,
    Beat,
    ContactChange,
    Decoder,
    Foreign,
    Hello,
    PodMessage,
    Report,
    Tested,
)
from referee.core.presses.signals import PRESS_NS, REARM_NS, WINDOW_NS
from referee.core.reading import quoted_value
from referee.core.units import MS, S
from referee.core.values import Value, replace

CONTACTS = 8
ASK_NS = 500 * MS
"""How long to wait for an answer before asking again."""
SILENT_NS = 3 * S
"""A pod beats twice a second; one that says nothing for this long is gone."""
FIRST_EXCHANGES = 8
FIRST_PAUSE_NS = 20 * MS
PAUSE_NS = 1 * S
"""Between exchanges of stamps: a crystal's drift of 100 ppm is 0.1 ms in this time before it is fitted."""
OUTAGE_NS = 5 * S
"""A contact that changed while the pod started anew changed at some time in between, if that was short; after longer
it is a level as it is found."""
PULSE_NS = 3 * S
"""How long a pulse on the sync wire may wait for the host's own stamp of it."""
CLOCKLESS_NS = 10 * S
"""A pod that answers, and says nothing of its clock for so long, is of no use: its presses could not be placed."""
WAITING = 1_024
"""Reports that wait here for the fit; more than a pod keeps, so that a sound one is never told to wait."""
LINES_NS = 10 * MS
"""The lines of its clock are numbered from the instant on at which this host began, in these steps: no pod fills that
many, so a host that starts anew under a pod that goes on gives no number again."""
SAMPLE = 400
"""Bytes kept of somebody who may be no pod."""


# -- news ----------------------------------------------------------------------------------------------------------


class Up(Value):
    """The pod is there: who it is, whether it has started anew meanwhile, and which contacts count as closed."""

    hello: Hello
    anew: bool
    closed: int


class Seen(Value):
    """A contact (0 is contact 1) at an instant of the host's clock, with its bound.

    clock: which stamped it, None for what no pod's clock has stamped; between rows of one clock only rel_err_ns of each
    is uncertain.
    """

    contact: int
    closed: bool
    t_ns: int
    err_ns: int
    clock: str | None = None
    rel_err_ns: int | None = None


class Old(Value):
    """So many reports were of before this host began to listen; these contacts are closed after them."""

    count: int
    closed: int


class Odd(Value):
    """It has said something that cannot be, and was taken at its best: one sentence without its subject."""

    what: str


class Refused(Value):
    """It is no pod, or none that this version understands: one sentence without its subject."""

    reason: str


class Silent(Value):
    """The pod has said nothing for `SILENT_NS`."""


News = Up | Seen | Old | Odd | Refused | Silent | Tested


# -- the link ------------------------------------------------------------------------------------------------------


class Link:
    """The host's end. Times are integer ns on the host's CLOCK_MONOTONIC; one thread at a time.

    Whoever owns it writes `outgoing()` after every call, at once, and calls `tick` at `due_ns`.
    """

    def __init__(self, began_ns: int) -> None:
        """`began_ns`: what happened before this is nobody's press any more."""
        self.hello: Hello | None = None
        self.beat: Beat | None = None
        self.lit = 0
        """The lamps as they should be, bit 0 is lamp 1."""
        self._began_ns = began_ns
        self._steered = 0
        self._spoke_ns = began_ns  # when the pod was heard last, on whatever line
        self._up_ns = began_ns  # since when it has been there
        self._out: list[bytes] = []
        self._level = 0  # as told
        self._told_ns = [0] * CONTACTS  # when each contact's last row was
        self._bounced = 0  # contacts (bits) that were closed for less than a press's time when they opened last
        self._forget()
        self._listen(began_ns)

    def _forget(self, first: int = 0) -> None:
        """Another pod, or the same started anew: another clock, other numbers."""
        self._fit = Clockfit.empty()
        errors = (0, 0) if self.hello is None else (self.hello.common_err_ns, self.hello.own_err_ns)
        self._spans = Spans(*errors, first=self._began_ns // LINES_NS)
        self._exchanged = 0
        self._expected = first
        self._changed_ns = [-REARM_NS] * CONTACTS  # the pod's clock when each contact changed last
        self._sure_ns = [0] * CONTACTS  # the pod's clock up to which all is known of a contact,
        self._all_sure_ns = 0  # and of every contact
        self._sure_until: tuple[int, int] | None = None  # the newest beat of this read, and the contacts behind
        self._closings: dict[int, int] = {}  # contact -> the pod's clock when it closed, until a beat comes after it
        self._pulse: tuple[int, int] | None = None  # the pod's clock at the newest one not paired, and when it was told
        self._unplaced: deque[ContactChange] = deque()  # until the fit can tell
        self._clock = -1, ""  # the newest line and the name that it gives the pod's clock

    def _listen(self, now_ns: int) -> None:
        """A new line, and nothing is known of what is at its other end."""
        self._decoder = Decoder()
        self._sample = b""
        self.up = False
        self._heard_ns = now_ns
        self._token: tuple[int, int] | None = None  # of the exchange under way, and when it was sent
        self.due_ns = now_ns
        """When to call `tick` even if nothing comes."""

    # -- what the owner does ---------------------------------------------------------------------------------------

    def open_line(self, now_ns: int) -> None:
        """There is a line, new or again."""
        self._out.clear()
        self._listen(now_ns)
        self.tick(now_ns)

    def resume_line(self, hello: Hello, now_ns: int) -> list[News]:
        """A line is there on which that pod has just said who it is."""
        self._out.clear()
        self._listen(now_ns)
        news = list(self._take_hello(hello, now_ns))
        self._heard_ns = self._spoke_ns = now_ns
        return news

    def take_pulses(self, pulses: Sequence[Instant]) -> None:
        """The host's own newest pulses on the sync wire: one of them may be the one that the pod has told."""
        if self._pulse is None:
            return
        assert self.hello is not None
        pod_ns, told_ns = self._pulse
        own_ns = self.hello.common_err_ns + self.hello.own_err_ns
        paired = self._fit.with_paired_pulse(pod_ns, [Instant(p.t_ns, p.err_ns + own_ns) for p in pulses])
        if paired is not None:
            self._fit = paired
        if paired is not None or self._spoke_ns - told_ns > PULSE_NS:
            self._pulse = None

    def take_steering(self, times: int) -> None:
        """How often the host's own clock has been steered so far: what was known of the rates may then be wrong."""
        if times != self._steered:
            self._steered = times
            self._fit = self._fit.after_steering()
            self._spans.forget_lines()

    def outgoing(self) -> bytes:
        """What is to be written now."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    @property
    def asking(self) -> bool:
        """Whether an exchange of stamps is under way: when its answer comes is measured here."""
        return self._token is not None

    def quality(self, now_ns: int) -> Quality:
        """How surely the pod's clock is known."""
        return self._fit.quality(now_ns)

    def light(self, mask: int) -> None:
        """Light exactly the lamps of these bits from now on; sent only when they change."""
        if mask != self.lit:
            self.lit = mask
            if self.up:
                self._out.append(podwire.lamps(mask))

    def say(self, frame: bytes) -> None:
        """Queue a frame made by podwire."""
        self._out.append(frame)

    def tick(self, now_ns: int) -> list[News]:
        """Time has passed: ask, exchange stamps, or give up."""
        if now_ns < self.due_ns:
            return []
        if now_ns - self._heard_ns >= SILENT_NS:
            news: News = Silent() if self.up else Refused(stranger(self._sample))
            self._listen(now_ns)
            return [news]
        if self.up and not self._exchanged and now_ns - self._up_ns >= CLOCKLESS_NS:
            self._listen(now_ns)
            return [Refused("says what its contacts do and not what its clock says: its presses cannot be placed")]
        self.due_ns = now_ns + ASK_NS
        if not self.up:
            self._out.append(podwire.ask())
            return []
        token = now_ns & 0xFFFFFFFF
        self._token = token, now_ns
        self._out.append(podwire.sync(token))
        return []

    def receive(self, data: bytes, now_ns: int) -> list[News]:
        """Bytes that were there at `now_ns`, and what they say; what came together is told in order of time."""
        news: list[News] = []
        newest: int | None = None
        for kind, payload in self._decoder.feed(data):
            message = podwire.read_message(kind, payload)
            if message is not None:
                newest = payload[-1]
                told = self._hear(message, now_ns)
                if told:
                    news += told
                self._heard_ns = self._spoke_ns = now_ns
        if self._sure_until is not None:
            (pod_ns, behind), self._sure_until = self._sure_until, None
            if self._closings:
                news += self._extend_closings(pod_ns, behind, now_ns)
        if not self.up:
            self._sample = (self._sample + data)[:SAMPLE]
        elif self.hello is not None and newest is not None:
            kept_back = len(self._unplaced)
            self._out.append(podwire.ack(self.hello.boot, (self._expected - kept_back) % ROUND, newest))
        return in_time(news) if len(news) > 1 else news

    # -- messages --------------------------------------------------------------------------------------------------

    def _hear(self, message: PodMessage, now_ns: int) -> Iterable[News]:
        if isinstance(message, Report):
            return self._take_report(message, now_ns) if self.up else ()
        if isinstance(message, Beat):
            return self._take_beat(message, now_ns) if self.up else ()
        if isinstance(message, Hello):
            return self._take_hello(message, now_ns)
        if isinstance(message, Foreign):
            return (Refused(f"speaks protocol {message.version}, this referee {podwire.VERSION}; {REINSTALL}"),)
        if isinstance(message, Answer):
            return self._take_answer(message, now_ns) if self.up else ()
        if isinstance(message, Tested):
            return (message,) if self.up else ()
        if self.up:
            self._pulse = self._ns(message.ticks), now_ns
        return ()

    def _take_hello(self, hello: Hello, now_ns: int) -> Iterator[News]:
        """The same one again, the same one started anew, or one that was not here before."""
        known = self.hello
        if known is not None and (known.ident, known.boot) == (hello.ident, hello.boot):
            if not self.up:
                self._welcome(hello, now_ns)
                yield Up(hello, False, self._level)
            return
        anew = known is not None and known.ident == hello.ident
        since, was = self._spoke_ns, self._level
        self.hello = hello
        self._forget(hello.first)
        self._welcome(hello, now_ns)
        self._level = hello.closed
        if not anew or now_ns - since > OUTAGE_NS:
            yield Up(hello, anew, hello.closed)
            return
        yield Up(hello, True, was)
        for contact in _bits(self._bounced & ~was):
            told_ns = self._told_ns[contact]
            if since - told_ns < WINDOW_NS:  # as far as anybody knows, between two bounces
                yield Seen(contact, True, told_ns, now_ns - told_ns)
                if hello.closed >> contact & 1:
                    was |= 1 << contact
                else:
                    self._told_ns[contact] = open_ns = min(told_ns + PRESS_NS, now_ns)
                    yield Seen(contact, False, open_ns, now_ns - open_ns)
        for contact in _bits(was ^ hello.closed):
            closed = bool(hello.closed >> contact & 1)
            t_ns = max((since + now_ns) // 2, self._told_ns[contact])
            self._told_ns[contact] = t_ns
            yield Seen(contact, closed, t_ns, max(now_ns - t_ns, t_ns - since))

    def _welcome(self, hello: Hello, now_ns: int) -> None:
        self.hello, self.up, self.due_ns, self._up_ns = hello, True, now_ns, now_ns
        self._out += [podwire.ask(), podwire.lamps(self.lit)]

    def _take_answer(self, answer: Answer, now_ns: int) -> Iterator[News]:
        if self._token is None or self._token[0] != answer.token:
            return
        came_ns, left_ns = self._ns(answer.came), self._ns(answer.left)
        if left_ns >= came_ns:
            self._fit = self._fit.with_exchange(Exchange(self._token[1], came_ns, now_ns, left_ns))
            self._exchanged += 1
        self._token = None
        self.due_ns = now_ns + (PAUSE_NS if self._exchanged >= FIRST_EXCHANGES else FIRST_PAUSE_NS)
        yield from self._place_reports(now_ns)

    def _take_beat(self, beat: Beat, now_ns: int) -> Iterable[News]:
        """Up to the beat nothing else happened: a contact that is otherwise than known has changed unseen."""
        self.beat = beat
        if beat.lamps != self.lit:
            self._out.append(podwire.lamps(self.lit))
        if beat.next != self._expected or self._unplaced or not self._exchanged:
            return ()
        news: list[News] = []
        pod_ns, behind = self._ns(beat.ticks), beat.behind
        wrong = (beat.closed ^ self._level) & ~behind & 0xFF
        for contact in _bits(wrong) if wrong else ():
            news.append(self._contradict(contact, bool(beat.closed >> contact & 1), pod_ns, now_ns))
        self._sure_until = pod_ns, behind
        if not behind:
            self._all_sure_ns = max(self._all_sure_ns, pod_ns)
        else:
            for contact in _bits(0xFF ^ behind):
                self._sure_ns[contact] = max(self._sure_ns[contact], pod_ns)
        return news

    def _extend_closings(self, pod_ns: int, behind: int, now_ns: int) -> Iterator[Seen]:
        """What has been closed for a press's time up to a beat is so still. Only of a read's last beat: a row that
        repeats a level says nothing where the contact's next change comes with it."""
        for contact, closed_ns in [*self._closings.items()]:
            if pod_ns - closed_ns >= PRESS_NS and not behind >> contact & 1:
                del self._closings[contact]
                placed = self._spans.place(contact, pod_ns, self._fit)
                assert placed is not None, "its closing was"
                yield self._row(contact, True, self._told_ns[contact] + pod_ns - closed_ns, placed, now_ns)

    def _contradict(self, contact: int, closed: bool, pod_ns: int, now_ns: int) -> Seen:
        """A change that was lost on its way: at some time since all was known of that contact."""
        placed = self._spans.place(contact, pod_ns, self._fit)
        assert placed is not None, "an exchange has been"
        lost_ns = max(pod_ns - self._known_ns(contact), 0)
        middle = replace(placed, t_ns=placed.t_ns - lost_ns // 2)
        self._level ^= 1 << contact
        self._closings.pop(contact, None)
        return self._row(contact, closed, middle.t_ns, middle, now_ns, lost_ns - lost_ns // 2)

    def _known_ns(self, contact: int) -> int:
        """The pod's clock up to which all is known of a contact."""
        return max(self._sure_ns[contact], self._all_sure_ns)

    def _take_report(self, report: Report, now_ns: int) -> Iterable[News]:
        """What is new in it. What comes too early is sent again behind what is missing, what finds no room later."""
        items = report.items
        had = (self._expected - report.first) % ROUND
        if had >= len(items) or len(self._unplaced) >= WAITING:
            return ()
        self._unplaced.extend(items[had:])
        self._expected = (report.first + len(items)) % ROUND
        return self._place_reports(now_ns)

    # -- rows ------------------------------------------------------------------------------------------------------

    def _place_reports(self, now_ns: int) -> Sequence[News]:
        """Reports as rows on the host's clock, as soon as that can be told."""
        news: list[News] = []
        old = 0
        while self._unplaced:
            item = self._unplaced[0]
            contact, pod_ns = item.contact, self._ns(item.ticks)
            begins = item.closed and not 0 <= pod_ns - self._changed_ns[contact] < REARM_NS
            placed = self._spans.place(contact, pod_ns, self._fit, begins)
            if placed is None:
                break
            self._unplaced.popleft()
            if placed.t_ns - placed.err_ns > now_ns + OUTAGE_NS:
                news.append(Odd("has told a stamp that its clock cannot have reached"))
                item, pod_ns = replace(item, ticks=0, gap=True), self._ns(0)
            if placed.t_ns + placed.err_ns < self._began_ns:
                self._take_level(item, pod_ns)
                old += 1
                continue
            if old:
                news.append(Old(old, self._level))
                old = 0
            news.append(self._change_row(item, pod_ns, placed, now_ns))
        if old:
            news.append(Old(old, self._level))
        return news

    def _change_row(self, item: ContactChange, pod_ns: int, placed: Placed, now_ns: int) -> Seen:
        contact, lost_ns = item.contact, 0
        if item.gap:
            lost_ns = max(pod_ns - self._known_ns(contact), 0)
        self._take_level(item, pod_ns)
        if item.closed:
            self._closings[contact] = pod_ns
        else:
            closed_ns = self._closings.pop(contact, None)
            if closed_ns is not None and pod_ns - closed_ns < PRESS_NS:
                self._bounced |= 1 << contact
            else:
                self._bounced &= ~(1 << contact)
        return self._row(contact, item.closed, placed.t_ns, placed, now_ns, lost_ns)

    def _take_level(self, item: ContactChange, pod_ns: int) -> None:
        contact, bit = item.contact, 1 << item.contact
        self._level = self._level | bit if item.closed else self._level & ~bit
        self._changed_ns[contact] = pod_ns
        if not item.gap and pod_ns > self._sure_ns[contact]:
            self._sure_ns[contact] = pod_ns

    def _row(self, contact: int, closed: bool, t_ns: int, placed: Placed, now_ns: int, lost_ns: int = 0) -> Seen:
        """Told at t_ns, within what a row may be: not before the contact's last one and not after now.

        Moving it from where it is placed costs precision, but no more of it than there is: nothing that happened to
        this host happened longer ago than it runs.
        """
        self._told_ns[contact] = t_ns = min(max(t_ns, self._told_ns[contact]), now_ns)
        wider_ns = lost_ns + abs(t_ns - placed.t_ns)
        err_ns, rel_err_ns = placed.err_ns + wider_ns, placed.rel_err_ns + wider_ns
        if err_ns > now_ns:
            err_ns, rel_err_ns = now_ns, min(rel_err_ns, now_ns)
        if placed.line != self._clock[0]:
            assert self.hello is not None
            self._clock = placed.line, f"{self.hello.ident}:{self.hello.boot:08x}:{placed.line}"
        return Seen(contact, closed, t_ns, err_ns, self._clock[1], rel_err_ns)

    def _ns(self, ticks: int) -> int:
        """An instant of the pod's counter on the pod's own clock, in ns; only after its Hello, which has the rate."""
        assert self.hello is not None
        return self.hello.ns(ticks)


def in_time(news: list[News]) -> list[News]:
    """The same, each run of changes the earliest first; a contact's own stay in their order.

    A pod that stood still tells many presses at once, contact by contact. They have all arrived at the same instant:
    where that is later than a press may arrive, the first one told opens the call, and it must be the earliest.
    """
    if set(map(type, news)) == {Seen}:  # as nearly always
        news.sort(key=_T_NS)
        return news
    told: list[News] = []
    for changes, run in groupby(news, key=lambda item: isinstance(item, Seen)):
        together = list(run)
        if changes:
            together.sort(key=_T_NS)
        told += together
    return told


_T_NS = attrgetter("t_ns")


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(CONTACTS) if mask >> bit & 1]


UNFIT = "This pod's program is "
"""How a pod's program begins the sentence in which it refuses its board or its MicroPython (firmware/board.py)."""
REINSTALL = "`referee pod install` puts this referee's program on it"


def stranger(sample: bytes) -> str:
    """What is at the other end, by what it said without being a pod; continues a sentence that names it.

    >>> stranger(b"$GPGGA,172814.0,3723.46")
    'speaks NMEA like a GPS receiver and is no pod'
    """
    text = sample.decode("latin-1")
    if not sample:
        return "says nothing: it is no pod, or one whose program does not run; `referee pod install` puts it on a Pico"
    if UNFIT in text:
        return f"runs a pod's program that is {quoted_value(text.partition(UNFIT)[2].partition(chr(13))[0])}"
    if ">>>" in text or "Traceback" in text or "MicroPython" in text or "raw REPL" in text:
        return "runs MicroPython but not the pod's program, or not all of it; `referee pod install` puts it there"
    if any(line.startswith(("$GP", "$GN", "$GL", "$GA", "$BD")) for line in text.splitlines()):
        return "speaks NMEA like a GPS receiver and is no pod"
    if any(line.strip() in ("OK", "ERROR", "RING", "NO CARRIER") for line in text.splitlines()):
        return "answers like a modem and is no pod"
    if b"\x7eA" in sample:
        return "sends back what it is sent: it is no pod"
    return f"says {quoted_value(text[:16])} and nothing that a pod says: it is no pod"
