"""The host's end of the link to a button pod: bytes and time go in, news and bytes come out.

There is no input or output here. A pod is a box of buttons on a serial line, with its own clock.

Theory of operation. The pod numbers its contact changes and repeats them until they are acknowledged. Here a report
counts only when it is the next one, and never twice. A new boot number says that the pod restarted. Reports that the
pod kept while disconnected arrive later with their true times.

`Clockfit` converts the pod's clock to the host's, from exchanges of stamps and, if wired, from pulses of the sync wire.
The times of presses of one call are converted by one line of it (spans.py). A report that comes before the fit has data
waits for it. Every row states its error: the fit's bound, the pod's own error and, if the pod has lost reports, all the
time since its contact was last known. The row also names the pod's clock and that line; compared with rows of the same
line, its error is smaller.

A pod that loses power loses the rest of a bounce. If a contact was last reported open after less than a press's time,
within a burst's window before the pod was last heard, it counts as closed once more for the shortest press, unless it
is found closed. Otherwise a press of which only the first bounce arrived would count as too short.

The core accepts a press once its contact has been closed for 1 ms, but not while a contradicting row may still arrive.
So a pod sends a beat 1.2 ms after an edge ("nothing else happened up to here"). The beat becomes a row that repeats the
level (docs/timing.md), so that the press is certain at once. A beat also says which contacts are closed; a difference
means a lost edge, and becomes a row.

A faulty device must not harm anything else. A stamp that its clock cannot have reached is moved to the present and
reported as `Odd`; error bounds are at most the host's running time. Once `WAITING` reports wait here for a clock,
further ones wait in the pod. A pod that never reports its clock is refused.
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
"""Time to wait for an answer before asking again."""
SILENT_NS = 3 * S
"""Time without a message after which a pod counts as gone; pods beat twice a second."""
FIRST_EXCHANGES = 8
FIRST_PAUSE_NS = 20 * MS
PAUSE_NS = 1 * S
"""Time between exchanges of stamps.

A crystal drift of 100 ppm that is not yet known adds 0.1 ms in this time.
"""
OUTAGE_NS = 5 * S
"""Longest restart after which a changed contact gets a time within the restart.

After a longer one, only its present level is taken.
"""
PULSE_NS = 3 * S
"""How long a pulse on the sync wire waits for the host's own stamp of the same pulse."""
CLOCKLESS_NS = 10 * S
"""Time after which a pod that never reports its clock is refused.

The times of its presses would not be known.
"""
WAITING = 1_024
"""Maximum number of reports that wait for the fit.

It is more than a pod keeps, so a working pod never has to wait.
"""
LINES_NS = 10 * MS
"""Step for numbering clock lines, beginning at the host's start time divided by it.

No pod uses one number per step, so a restarted host never repeats a number for a pod that kept running.
"""
SAMPLE = 400
"""Number of bytes kept from an unknown device, to say what it is."""


# -- news ----------------------------------------------------------------------------------------------------------


class Up(Value):
    """The pod is connected.

    hello: its identity. restarted: whether it restarted since the last connection. closed: the closed contacts (bits).
    """

    hello: Hello
    restarted: bool
    closed: int


class Seen(Value):
    """A contact (0 is contact 1) changed at an instant of the host's clock, within its error.

    clock: the clock that stamped it, None if no pod's clock did. The time between two rows of one clock is uncertain
    only by the sum of their rel_err_ns. late: the pod has said before that nothing changed until then.
    """

    contact: int
    closed: bool
    t_ns: int
    err_ns: int
    clock: str | None = None
    rel_err_ns: int | None = None
    late: bool = False


class Old(Value):
    """Reports of changes from before this host listened. They do not count as presses.

    count: their number. closed: the contacts (bits) that are closed after the last of them.
    """

    count: int
    closed: int


class Odd(Value):
    """The pod reported something impossible, which was corrected.

    what: one sentence without its subject ("reports ...").
    """

    what: str


class Refused(Value):
    """The device is no pod, or its protocol version is unknown.

    reason: one sentence without its subject. sample: the first bytes of a device that has said nothing that a pod says;
    None for another reason.
    """

    reason: str
    sample: bytes | None = None


class Silent(Value):
    """The pod has sent nothing for `SILENT_NS`."""


News = Up | Seen | Old | Odd | Refused | Silent | Tested


# -- the link ------------------------------------------------------------------------------------------------------


class Link:
    """The host's end of the conversation with a pod. It outlives the serial line.

    Times are integer ns on the host's CLOCK_MONOTONIC. Not thread-safe. The owner writes `outgoing()` immediately after
    every call, and calls `tick` at `due_ns`.
    """

    def __init__(self, began_ns: int) -> None:
        """Start the link. Presses reported from before `began_ns` do not count."""
        self.hello: Hello | None = None
        self.beat: Beat | None = None
        self.lit = 0
        """The wanted lamps; bit 0 is lamp 1."""
        self._began_ns = began_ns
        self._steered = 0
        self._spoke_ns = began_ns  # when the pod was last heard, on any line
        self._up_ns = began_ns  # since when it has been connected
        self._out: list[bytes] = []
        self._level = 0  # closed contacts (bits), as reported
        self._told_ns = [0] * CONTACTS  # time of each contact's last row
        self._bounced = 0  # contacts (bits) whose last closing was shorter than a press
        self._forget()
        self._listen(began_ns)

    def _forget(self, first: int = 0) -> None:
        """Forget the pod's clock and reports. Expect the contact change number `first` next."""
        self._fit = Clockfit()
        errors = (0, 0) if self.hello is None else (self.hello.common_err_ns, self.hello.own_err_ns)
        self._spans = Spans(*errors, first=self._began_ns // LINES_NS)
        self._exchanged = 0
        self._expected = first
        self._changed_ns = [-REARM_NS] * CONTACTS  # the pod's clock at each contact's last change
        self._sure_ns = [0] * CONTACTS  # the pod's clock up to which each contact's changes are known
        self._sure_until: tuple[int, int] | None = None  # the newest beat of this read; contacts not reported yet
        self._closings: dict[int, int] = {}  # contact -> the pod's clock when it closed, until a later beat confirms it
        self._pulse: tuple[int, int] | None = None  # the newest unmatched pulse: the pod's clock, arrival
        self._unplaced: deque[ContactChange] = deque()  # reports that wait for the fit

    def _listen(self, now_ns: int) -> None:
        """Forget the old serial line. The device on the next line is not known yet."""
        self._out.clear()
        self._decoder = Decoder()
        self._sample = b""
        self.up = False
        self._heard_ns = now_ns
        self._token: tuple[int, int] | None = None  # the open exchange of stamps: its token, and when it was sent
        self.due_ns = now_ns
        """When to call `tick` at the latest."""

    # -- the owner's calls -----------------------------------------------------------------------------------------

    def open_line(self, now_ns: int) -> None:
        """Start on a new or reopened serial line."""
        self._listen(now_ns)
        self.tick(now_ns)

    def resume_line(self, hello: Hello, now_ns: int) -> list[News]:
        """Continue on a serial line on which this pod has just sent its Hello."""
        self._listen(now_ns)
        news = list(self._take_hello(hello, now_ns))
        self._heard_ns = self._spoke_ns = now_ns
        return news

    def take_pulses(self, pulses: Sequence[Instant]) -> None:
        """Find the pulse that the pod reported among the host's newest pulses on the sync wire."""
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
        """Take the number of times that a time service has changed the rate of the host's clock.

        If the number has changed, the rate of the pod's clock is no longer known.
        """
        if times != self._steered:
            self._steered = times
            self._fit = self._fit.after_steering()
            self._spans.forget_lines()

    def outgoing(self) -> bytes:
        """Return the bytes to write now, and remove them from the queue."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    @property
    def asking(self) -> bool:
        """Return whether the host has asked for the pod's clock and waits for the answer.

        The answer's arrival time matters, so input must be read at once.
        """
        return self._token is not None

    def quality(self, now_ns: int) -> Quality:
        """Return how accurately the pod's clock is known."""
        return self._fit.quality(now_ns)

    def light(self, mask: int) -> None:
        """Light exactly these lamps (bit 0 is lamp 1). Only a change is sent."""
        if mask != self.lit:
            self.lit = mask
            if self.up:
                self._out.append(podwire.lamps(mask))

    def say(self, frame: bytes) -> None:
        """Queue a frame made by the functions in `wire`."""
        self._out.append(frame)

    def tick(self, now_ns: int) -> list[News]:
        """Do what is due: ask for the pod's identity, exchange stamps, or give the device up."""
        if now_ns < self.due_ns:
            return []
        if now_ns - self._heard_ns >= SILENT_NS:
            news: News = Silent() if self.up else Refused(stranger(self._sample), self._sample)
            self._listen(now_ns)
            return [news]
        if self.up and not self._exchanged and now_ns - self._up_ns >= CLOCKLESS_NS:
            self._listen(now_ns)
            return [Refused("sends presses and never its clock's time: the presses cannot be timed")]
        self.due_ns = now_ns + ASK_NS
        if not self.up:
            self._out.append(podwire.ask())
            return []
        token = now_ns & 0xFFFFFFFF
        self._token = token, now_ns
        self._out.append(podwire.sync(token))
        return []

    def receive(self, data: bytes, now_ns: int) -> list[News]:
        """Decode bytes that arrived by `now_ns`. Return the news in them in order of time."""
        news: list[News] = []
        newest: int | None = None
        for kind, payload in self._decoder.feed(data):
            message = podwire.read_message(kind, payload)
            if message is not None:
                newest = payload[-1]
                news += self._hear(message, now_ns)
                self._heard_ns = self._spoke_ns = now_ns
        if self._sure_until is not None:
            (pod_ns, behind), self._sure_until = self._sure_until, None
            news += self._extend_closings(pod_ns, behind, now_ns)
        if not self.up:
            self._sample = (self._sample + data)[:SAMPLE]
        elif self.hello is not None and newest is not None:
            kept_back = len(self._unplaced)
            self._out.append(podwire.ack(self.hello.boot, (self._expected - kept_back) % ROUND, newest))
        return in_time(news)

    # -- messages --------------------------------------------------------------------------------------------------

    def _hear(self, message: PodMessage, now_ns: int) -> Iterable[News]:
        if isinstance(message, Hello):
            return self._take_hello(message, now_ns)
        if isinstance(message, Foreign):
            return (Refused(f"speaks protocol {message.version}, this referee {podwire.VERSION}; {REINSTALL}"),)
        if not self.up:
            return ()
        if isinstance(message, Report):
            return self._take_report(message, now_ns)
        if isinstance(message, Beat):
            return self._take_beat(message, now_ns)
        if isinstance(message, Answer):
            return self._take_answer(message, now_ns)
        if isinstance(message, Tested):
            return (message,)
        self._pulse = self._ns(message.ticks), now_ns
        return ()

    def _take_hello(self, hello: Hello, now_ns: int) -> Iterator[News]:
        """Handle a Hello, which can be of the same pod, of a restarted pod, or of another pod."""
        known = self.hello
        if known is not None and (known.ident, known.boot) == (hello.ident, hello.boot):
            if not self.up:
                self._welcome(hello, now_ns)
                yield Up(hello, False, self._level)
            return
        restarted = known is not None and known.ident == hello.ident
        since, was = self._spoke_ns, self._level
        self.hello = hello
        self._forget(hello.first)
        self._welcome(hello, now_ns)
        self._level = hello.closed
        if not restarted or now_ns - since > OUTAGE_NS:
            yield Up(hello, restarted, hello.closed)
            return
        yield Up(hello, True, was)
        for contact in _bits(self._bounced & ~was):
            told_ns = self._told_ns[contact]
            if since - told_ns < WINDOW_NS:  # the time between two bounces, as far as it is known
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
        """Handle a beat: all earlier changes are reported, except those of contacts in `behind`.

        If a contact that is not in `behind` has another level in the beat, the report of a change was lost.
        """
        self.beat = beat
        if beat.lamps != self.lit:
            self._out.append(podwire.lamps(self.lit))
        if beat.next != self._expected or self._unplaced or not self._exchanged:
            return ()
        news: list[News] = []
        pod_ns, behind = self._ns(beat.ticks), beat.behind
        wrong = (beat.closed ^ self._level) & ~behind & 0xFF
        for contact in _bits(wrong):
            news.append(self._contradict(contact, bool(beat.closed >> contact & 1), pod_ns, now_ns))
        self._sure_until = pod_ns, behind
        for contact in _bits(0xFF ^ behind):
            self._sure_ns[contact] = max(self._sure_ns[contact], pod_ns)
        return news

    def _extend_closings(self, pod_ns: int, behind: int, now_ns: int) -> Iterator[Seen]:
        """Yield a row that repeats the level, for each contact that is still closed at a beat.

        Only contacts that have been closed for the minimum time of a press get a row. `receive` calls this only for
        the last beat of a read: if a contact's next change is in the same read, a repeated level adds nothing.
        """
        for contact, closed_ns in [*self._closings.items()]:
            if pod_ns - closed_ns >= PRESS_NS and not behind >> contact & 1:
                del self._closings[contact]
                placed = self._spans.place(contact, pod_ns, self._fit)
                assert placed is not None, "its closing was"
                yield self._row(contact, True, self._told_ns[contact] + pod_ns - closed_ns, placed, now_ns)

    def _contradict(self, contact: int, closed: bool, pod_ns: int, now_ns: int) -> Seen:
        """Make a row for a contact's change whose report was lost.

        Its time is midway between the beat at `pod_ns` and the last time at which the contact's level was known.
        """
        placed = self._spans.place(contact, pod_ns, self._fit)
        assert placed is not None, "an exchange has been"
        lost_ns = max(pod_ns - self._sure_ns[contact], 0)
        middle = replace(placed, t_ns=placed.t_ns - lost_ns // 2)
        self._level ^= 1 << contact
        self._closings.pop(contact, None)
        return self._row(contact, closed, middle.t_ns, middle, now_ns, lost_ns - lost_ns // 2)

    def _take_report(self, report: Report, now_ns: int) -> Iterable[News]:
        """Take those contact changes of a report that are new.

        Changes that come too early, or for which there is no room, are ignored; the pod sends them again.
        """
        items = report.items
        had = (self._expected - report.first) % ROUND
        if had >= len(items) or len(self._unplaced) >= WAITING:
            return ()
        self._unplaced.extend(items[had:])
        self._expected = (report.first + len(items)) % ROUND
        return self._place_reports(now_ns)

    # -- rows ------------------------------------------------------------------------------------------------------

    def _place_reports(self, now_ns: int) -> Sequence[News]:
        """Return the waiting reports as rows on the host's clock, once the clock fit has data."""
        news: list[News] = []
        old = 0
        while self._unplaced:
            item = self._unplaced[0]
            contact, pod_ns = item.contact, self._ns(item.ticks)
            late = pod_ns < self._sure_ns[contact]
            begins = item.closed and not 0 <= pod_ns - self._changed_ns[contact] < REARM_NS
            placed = self._spans.place(contact, pod_ns, self._fit, begins)
            if placed is None:
                break
            self._unplaced.popleft()
            if placed.t_ns - placed.err_ns > now_ns + OUTAGE_NS:
                news.append(Odd("has sent a time stamp that lies in the future"))
                item, pod_ns = replace(item, ticks=0, gap=True), self._ns(0)
            if placed.t_ns + placed.err_ns < self._began_ns:
                self._take_level(item, pod_ns)
                old += 1
                continue
            if old:
                news.append(Old(old, self._level))
                old = 0
            news.append(replace(self._change_row(item, pod_ns, placed, now_ns), late=late))
        if old:
            news.append(Old(old, self._level))
        return news

    def _change_row(self, item: ContactChange, pod_ns: int, placed: Placed, now_ns: int) -> Seen:
        contact = item.contact
        lost_ns = max(pod_ns - self._sure_ns[contact], 0) if item.gap else 0
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
        if not item.gap:
            self._sure_ns[contact] = max(self._sure_ns[contact], pod_ns)

    def _row(self, contact: int, closed: bool, t_ns: int, placed: Placed, now_ns: int, lost_ns: int = 0) -> Seen:
        """Make a row at t_ns, limited to the time between the contact's last row and now.

        If this limit moves the row, its error gets wider. No error is larger than now_ns, the host's running time,
        because no event of this host is older.
        """
        self._told_ns[contact] = t_ns = min(max(t_ns, self._told_ns[contact]), now_ns)
        wider_ns = lost_ns + abs(t_ns - placed.t_ns)
        err_ns, rel_err_ns = placed.err_ns + wider_ns, placed.rel_err_ns + wider_ns
        if err_ns > now_ns:
            err_ns, rel_err_ns = now_ns, min(rel_err_ns, now_ns)
        assert self.hello is not None
        clock = f"{self.hello.ident}:{self.hello.boot:08x}:{placed.line}"
        return Seen(contact, closed, t_ns, err_ns, clock, rel_err_ns)

    def _ns(self, ticks: int) -> int:
        """Convert the pod's counter to ns on the pod's clock. Needs its Hello, which has the rate."""
        assert self.hello is not None
        return self.hello.ns(ticks)


def in_time(news: list[News]) -> list[News]:
    """Sort consecutive `Seen` by time. The changes of one contact keep their order.

    After a stall a pod sends many presses at once, contact by contact, and all have the same arrival time. If they
    are too late for the verdict on an open call, the list's first press opens a new call. So the earliest press must
    come first.
    """
    told: list[News] = []
    for changes, run in groupby(news, key=lambda item: isinstance(item, Seen)):
        together = list(run)
        told += sorted(together, key=attrgetter("t_ns")) if changes else together
    return told


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(CONTACTS) if mask >> bit & 1]


UNFIT = "This pod's program is "
"""Start of the message with which the pod's program refuses its board or its MicroPython.

Source: firmware/board.py.
"""
REINSTALL = "`referee pod install` puts this referee's program on it"


def stranger(sample: bytes) -> str:
    """Return the end of a sentence on a device that is no pod: what its output looks like.

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
