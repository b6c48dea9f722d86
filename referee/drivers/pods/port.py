"""One serial line to what may be a pod: read, written at the right moment, ended when the line ends.

Anything that pyserial's `serial_for_url` opens will do: a device, `socket://host:port`, `rfc2217://`. Where a line has
a file descriptor nothing here waits; who waits is the thread that serves it (linethread.py).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import serial

from referee.core.clocks.fit import Instant
from referee.core.pods.link import SILENT_NS, Link, News
from referee.core.units import MS, S

OVER_BYTES = 512
"""Taken at once of a line beyond its budget: other threads wait for no longer than that takes."""
BAUD = 115_200
"""Of no meaning on USB; a real serial line to a pod would have to be faster."""
NOTHING = -1
POLL_S = 0.05
"""How long a line without a descriptor is waited on at a time."""
MOST_BYTES = 4096
"""Taken at once; a pod sends far less before it waits to be answered."""
WRITE_S = 0.5
"""A pod that takes nothing for this long is gone."""
WRITE_NS = round(WRITE_S * S)
CLOSE_S = 2.0
"""How long to wait for a line to be given back."""
STEADY_NS = 5 * S
"""A line that was open for so long was well."""
FIRST_PAUSE_NS = 1 * S
LONGEST_PAUSE_NS = 30 * S
STARTS, START_NS = 10, 5 * S
"""A pod with a loose plug starts a few times; one that goes on would fill the log and the journal."""
HANDOVER_NS = SILENT_NS + 1 * S
"""A pod on a new line is tried again for so long; by then a line that it has left has ended."""

FLOOD_NS = 250 * MS
"""Reports that have come closely for so long are no call any more: a contact chatters, or somebody plays with it."""
PAUSE_NS = 20 * MS
"""Under a flood; with the millisecond or two of the line within a pod's usual 30 ms, and before it tells all again."""
BACKLOG = 512
"""Whoever finds so many bytes waiting is behind, and does not wait."""
LINE_HZ, LINE_BURST = 16 * 1024, 8 * 1024
"""Bytes of one line that are read, a second and at once: as many as four hundred changes a second with a beat each, and
more than a pod keeps while its line is away. The line's own buffer holds the rest, and then the pod waits."""
REST_MOST = 16 * 1024
"""A pod that takes so little of what is to be written is gone."""

Pulses = Callable[[], Sequence[Instant]]
"""The host's newest pulses on the sync wire; none where there is no wire."""


def open_line(url: str) -> Any:
    """The line, for us alone. Raises OSError (pyserial's errors are such), ValueError for a URL that makes no sense."""
    line = serial.serial_for_url(url, do_not_open=True, baudrate=BAUD, timeout=0, write_timeout=WRITE_S)
    if "://" not in url:
        line.exclusive = True
    line.open()
    return line


class Tries:
    """When to open a line again, by how it went so far. Times in ns of the host's clock."""

    def __init__(self) -> None:
        self._again_ns = self._opened_ns = self._pause_ns = self._started_ns = 0
        self._taken_ns: int | None = None

    def due(self, now_ns: int) -> bool:
        """Whether the line is worth opening now."""
        return now_ns >= self._again_ns

    def note_open(self, now_ns: int) -> None:
        """Note that the line is open."""
        self._opened_ns = now_ns

    def note_end(self, now_ns: int) -> None:
        """It has ended: by its plug after a steady while, which may be back at once, else a little later each time."""
        if now_ns - self._opened_ns >= STEADY_NS:
            self._pause_ns = 0
        self._again_ns = max(self._again_ns, now_ns + self._pause_ns)
        self._pause_ns = min(max(2 * self._pause_ns, FIRST_PAUSE_NS), LONGEST_PAUSE_NS)

    def shun(self, until_ns: int) -> None:
        """Whatever is there is to be left alone."""
        self._again_ns = until_ns

    def shun_taken(self, now_ns: int, again_ns: int) -> bool:
        """Its pod is on another line, too. That line may not have ended yet; True when it must have: it is shunned."""
        if self._taken_ns is None:
            self._taken_ns = now_ns
        if now_ns - self._taken_ns < HANDOVER_NS:
            return False
        self.shun(now_ns + again_ns)
        return True

    def starts_too_often(self, now_ns: int) -> bool:
        """A pod has started, or told what it kept: whether that has been `STARTS` times more than one in `START_NS`."""
        self._started_ns = max(self._started_ns, now_ns) + START_NS
        return self._started_ns - now_ns > STARTS * START_NS

    def is_free(self) -> None:
        """Its pod is on this line alone."""
        self._taken_ns = None


class Moderation:
    """When to read a flooded line again, as network drivers moderate their interrupts.

    A pod whose reports have come closely for `FLOOD_NS` is left alone for `pause_ns` after each read, so that many are
    read, placed and acknowledged in one go. No call is such a flood (50 edges of eight buttons are told in a tenth of
    that), what comes after a silence is read at once, and so is everything while an exchange of stamps is under way.
    """

    def __init__(self, pause_ns: int) -> None:
        """`pause_ns`: how late a row may come by it; 0: everything is read at once."""
        self._pause_ns = pause_ns
        self._since_ns = self._last_ns = 0  # of the reads that came closely
        self._paid_ns = 0  # when the bytes read so far are within the line's rate
        self.over = False
        """Whether it has brought more than its budget; then the line is not read even for an answer."""
        self.until_ns = 0
        """Before this instant the line is not read; 0: it is read when something comes."""

    def took(self, count: int, now_ns: int) -> None:
        """So many bytes have been read. A host that reads late after a pause tells nothing of the pod."""
        heard_ns = max(self._last_ns, self.until_ns)
        self.until_ns = 0
        if not count:
            return
        if now_ns - heard_ns > 2 * self._pause_ns:
            self._since_ns = now_ns
        self._last_ns = now_ns
        if now_ns - self._since_ns >= FLOOD_NS and count < BACKLOG:
            self.until_ns = (now_ns // self._pause_ns + 1) * self._pause_ns  # all lines at once: it is less to wake up
        self._paid_ns = max(self._paid_ns, now_ns) + count * S // LINE_HZ
        free_ns = self._paid_ns - LINE_BURST * S // LINE_HZ
        self.over = free_ns > now_ns
        if self.over:
            self.until_ns = max(self.until_ns, free_ns)


class Port:
    """A line and the link over it, one step at a time, by the thread that serves it.

    `news` is called with when it was and what came; `ended` once, with why, when the line has been given back.
    """

    def __init__(
        self,
        url: str,
        line: Any,
        link: Link,
        *,
        clock: Callable[[], int],
        news: Callable[[Port, int, Sequence[News]], object],
        ended: Callable[[Port, str], object],
        pulses: Pulses = tuple,
        steered: Callable[[], int] = int,
        pause_ns: int = PAUSE_NS,
    ) -> None:
        """`steered`: how often the host's clock has been steered so far (hostclock.py). `pause_ns`: see Moderation."""
        self.url, self.link = url, link
        descriptor = _descriptor(line)
        self.descriptor = NOTHING if descriptor is None else descriptor
        """What to wait on; `NOTHING` where the line has nothing of the kind."""
        self.wake: Callable[[], object] = lambda: None
        """Has the thread that serves the line call `step` soon."""
        self.closing = False
        """Whether the line is not to be served any more."""
        self._line, self._clock, self._news, self._ended, self._pulses = line, clock, news, ended, pulses
        self._steered = steered
        self._moderation = Moderation(pause_ns)
        self._orders: list[Callable[[Link], object]] = []
        self._gate = threading.Lock()
        self._over = threading.Event()
        self._rest = b""
        """What the line had no room for."""
        self._stuck_ns = 0  # since when it takes nothing of it

    # -- from any thread -------------------------------------------------------------------------------------------

    def order(self, what: Callable[[Link], object]) -> None:
        """Have the thread do something with the link, soon. Never blocks."""
        with self._gate:
            if self._over.is_set():
                return
            self._orders.append(what)
        self.wake()

    def close(self, patience_s: float = CLOSE_S) -> None:
        """End it, and wait for so long until the line has been given back; not by the thread that serves it."""
        self.order(self._close)
        self._over.wait(patience_s)

    def _close(self, link: Link) -> None:
        self.closing = True

    # -- by the thread that serves it; OSError when the line has ended -----------------------------------------------

    def begin(self) -> None:
        """The line is served from now on."""
        self.link.open_line(self._clock())
        self._write()

    @property
    def ordered(self) -> bool:
        """Whether something is to be done with the link."""
        return bool(self._orders)

    @property
    def full(self) -> bool:
        """Whether the line had no room for all that was to be written."""
        return bool(self._rest)

    @property
    def due_ns(self) -> int:
        """When to call `step` even if nothing comes."""
        return min(self.link.due_ns, self._stuck_ns + WRITE_NS) if self._rest else self.link.due_ns

    @property
    def held_ns(self) -> int:
        """Until when the line is left alone, for it is flooded; then it is read. 0: it is read when something comes."""
        waits = self._moderation.over or not self.link.asking
        return self._moderation.until_ns if waits else 0

    def read_ready(self) -> None:
        """Take what has come, and go on as in `step`.

        Raises OSError where nothing has come: a line that is ready to be read and has nothing has ended.
        """
        data = self._bytes()
        if data == b"":
            raise OSError("the line has ended")
        self._took(data or b"")

    def read(self) -> None:
        """The same where nothing may have come: a serial line that has nothing reads as one that has ended."""
        self._took(self._bytes() or b"")

    def _bytes(self) -> bytes | None:
        """What the line has for us, b"" at its end; None where reading would wait."""
        try:
            return os.read(self.descriptor, self._most)  # pyserial's own would ask twice more whether there is any
        except BlockingIOError:
            return None

    @property
    def _most(self) -> int:
        return OVER_BYTES if self._moderation.over else MOST_BYTES

    def _took(self, data: bytes) -> None:
        now_ns = self._clock()  # after the bytes: an answer must not seem to have come before it did
        self._moderation.took(len(data), now_ns)
        self._go_on(data, now_ns)

    def step(self) -> None:
        """What was ordered, what is due, what is to be said."""
        self._go_on(b"", self._clock())

    def look(self) -> None:
        """The same for a line without a descriptor: waits for bytes, `POLL_S` at most."""
        self._line.timeout = min(max(self.link.due_ns - self._clock(), 0) / S, POLL_S)
        data: bytes = self._line.read(1)
        if data:
            data += self._line.read(min(self._line.in_waiting, self._most))
        self._took(data)
        if self._moderation.over:
            self._over.wait(POLL_S)

    def end(self, why: str) -> None:
        """Give the line back, which may take its time, and say so: the last that is called."""
        with contextlib.suppress(OSError):
            self._line.close()
        try:
            self._ended(self, why)
        finally:
            self._over.set()

    def _go_on(self, data: bytes, now_ns: int) -> None:
        self.link.take_steering(self._steered())
        if data:
            self._tell(now_ns, self.link.receive(data, now_ns))  # after which it may be another link
        self.link.take_pulses(self._pulses())
        self._obey()
        self._tell(now_ns, self.link.tick(self._clock()))
        self._write()

    def _tell(self, now_ns: int, news: Sequence[News]) -> None:
        if news:
            self._news(self, now_ns, news)

    def _obey(self) -> None:
        if self._orders:
            with self._gate:
                orders, self._orders = self._orders, []
            for order in orders:
                order(self.link)

    def _write(self) -> None:
        data = self.link.outgoing()
        if self.descriptor == NOTHING:
            if data:
                self._line.write(data)
        elif data or self._rest:
            self._write_what_fits(self._rest + data)

    def _write_what_fits(self, data: bytes) -> None:
        """pyserial's own would ask whether there is more room, and wait for it while other lines are to be served."""
        try:
            count = os.write(self.descriptor, data)
        except BlockingIOError:
            count = 0
        was_stuck, self._rest = bool(self._rest), data[count:]
        if self._rest:
            now_ns = self._clock()
            if count or not was_stuck:
                self._stuck_ns = now_ns
            if now_ns - self._stuck_ns >= WRITE_NS or len(self._rest) > REST_MOST:
                raise OSError("it takes nothing any more")


def _descriptor(line: Any) -> int | None:
    try:
        number: int = line.fileno()
    except (AttributeError, OSError, ValueError):  # io.UnsupportedOperation is both of the latter
        return None
    return number
