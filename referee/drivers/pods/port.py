"""One serial line that may lead to a pod: reads, timed writes, and the end of the line.

A line is a device or `socket://127.0.0.1:port`. Nothing here blocks; the serving thread waits (linethread.py).
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
"""Maximum bytes per read of a line over its byte rate; other threads wait only briefly."""
BAUD = 115_200
"""Baud rate. USB ignores it; a real serial line to a pod would have to be faster."""
MOST_BYTES = 4096
"""Maximum bytes per read. A pod sends far less before it waits for an answer."""
WRITE_S = 0.5
"""Time in s without accepting data after which a pod counts as gone."""
WRITE_NS = round(WRITE_S * S)
CLOSE_S = 2.0
"""How long to wait for a line to close, in seconds."""
STEADY_NS = 5 * S
"""A line open for this long counts as steady, in ns."""
FIRST_PAUSE_NS = 1 * S
LONGEST_PAUSE_NS = 30 * S
STARTS, START_NS = 10, 5 * S
"""Limit for a pod's starts: more than these in that time each, and it is refused.

A pod with a loose plug starts a few times; more would fill the log and the journal.
"""
HANDOVER_NS = SILENT_NS + 1 * S
"""How long a pod is tried again on a new line, in ns. By then its old line has ended."""

FLOOD_NS = 250 * MS
"""Time of dense reports from which they count as a flood, in ns.

The cause is a contact that keeps bouncing, or a person who plays with a button.
"""
PAUSE_NS = 20 * MS
"""Pause between reads of a line with a flood of reports, in ns.

With the line's 1–2 ms, it is within a pod's usual 30 ms, and shorter than the time until a pod repeats its reports.
"""
BACKLOG = 512
"""Number of waiting bytes from which the host is late, so that it does not pause."""
LINE_HZ, LINE_BURST = 16 * 1024, 8 * 1024
"""Byte rate (per second) and bytes at once that are read from one line.

This is four hundred changes a second with a beat each, and more than a pod stores while its line is away. The line's
own buffer holds the rest, and then the pod waits.
"""
REST_MOST = 16 * 1024
"""Maximum bytes that wait to be written to a pod; with more, the pod counts as gone."""

Pulses = Callable[[], Sequence[Instant]]
"""A function that returns the newest pulses on the sync wire; empty without a wire."""


def open_line(url: str) -> Any:
    """Open the line for this process only. Raises ValueError for an invalid URL.

    Raises OSError if it cannot be opened (pyserial's errors are OSErrors).
    """
    line = serial.serial_for_url(url, do_not_open=True, baudrate=BAUD, timeout=0, write_timeout=WRITE_S)
    if "://" not in url:
        line.exclusive = True
    line.open()
    line.fileno()  # raises OSError for URLs that cannot be waited on
    return line


class Tries:
    """Decides when to try again to open a line. Times are ns of the host's clock."""

    def __init__(self) -> None:
        self._again_ns = self._opened_ns = self._pause_ns = self._started_ns = 0
        self._taken_ns: int | None = None
        self.had_pod = False
        """Whether a pod has been on this line."""

    def due(self, now_ns: int) -> bool:
        """Return whether to open the line now."""
        return now_ns >= self._again_ns

    def note_open(self, now_ns: int) -> None:
        self._opened_ns = now_ns

    def note_end(self, now_ns: int) -> None:
        """Record that the line has ended.

        If it was open for STEADY_NS, it may be opened again at once, else after a pause, which doubles each time.
        """
        if now_ns - self._opened_ns >= STEADY_NS:
            self._pause_ns = 0
        self._again_ns = max(self._again_ns, now_ns + self._pause_ns)
        self._pause_ns = min(max(2 * self._pause_ns, FIRST_PAUSE_NS), LONGEST_PAUSE_NS)

    def shun(self, until_ns: int) -> None:
        """Do not open the line before `until_ns`."""
        self._again_ns = until_ns

    def shun_taken(self, now_ns: int, again_ns: int) -> bool:
        """Record that the line's pod is also on another line. Return whether that lasts too long.

        The other line may be an old one that ends soon, so return False at first. If the pod is still on both lines
        after HANDOVER_NS, return True, and do not open this line for `again_ns`.
        """
        if self._taken_ns is None:
            self._taken_ns = now_ns
        if now_ns - self._taken_ns < HANDOVER_NS:
            return False
        self.shun(now_ns + again_ns)
        return True

    def starts_too_often(self, now_ns: int) -> bool:
        """Record that the pod has restarted, or sent reports from before this host began to listen.

        Return whether that happens too often. Allowed are STARTS starts at once, and one per START_NS on average.
        """
        self._started_ns = max(self._started_ns, now_ns) + START_NS
        return self._started_ns - now_ns > STARTS * START_NS

    def is_free(self) -> None:
        """Record that the pod is on this line only."""
        self._taken_ns, self.had_pod = None, True


class Moderation:
    """Decides when to read a line with a flood of reports, as network drivers do.

    If a pod has sent reports without a break for `FLOOD_NS`, the line pauses for `pause_ns` after each read, so that
    many reports are read, processed and acknowledged together. A call is no flood: the 50 edges of eight buttons take
    a tenth of FLOOD_NS. Data after a silence is read at once, and so is everything during an exchange of timestamps.
    """

    def __init__(self, pause_ns: int) -> None:
        """`pause_ns`: maximum delay of a row; 0: read everything at once."""
        self._pause_ns = pause_ns
        self._since_ns = self._last_ns = 0  # start and end of the present series of dense reads
        self._paid_ns = 0  # when the bytes read so far will be within the line's byte rate
        self.over = False
        """Whether the line is over its byte rate. It is then not read even for an answer."""
        self.until_ns = 0
        """The line is not read before this time, in ns; 0: it is read when there is data."""

    def took(self, count: int, now_ns: int) -> None:
        """Record a read of `count` bytes. Plan a pause if the pod sends a flood or too many bytes.

        `BACKLOG` bytes or more in one read are no sign of a flood: they had to wait because the host was late.
        """
        heard_ns = max(self._last_ns, self.until_ns)
        self.until_ns = 0
        if not count:
            return
        if now_ns - heard_ns > 2 * self._pause_ns:
            self._since_ns = now_ns
        self._last_ns = now_ns
        if now_ns - self._since_ns >= FLOOD_NS and count < BACKLOG:
            self.until_ns = (now_ns // self._pause_ns + 1) * self._pause_ns  # the same for all lines: fewer wake-ups
        self._paid_ns = max(self._paid_ns, now_ns) + count * S // LINE_HZ
        free_ns = self._paid_ns - LINE_BURST * S // LINE_HZ
        self.over = free_ns > now_ns
        if self.over:
            self.until_ns = max(self.until_ns, free_ns)


class Port:
    """A pod's serial line and the `Link` over it. The serving thread calls one method at a time.

    `news`: called with the port, the time in ns and the link's news of the pod. `ended`: called once with the port and
    the reason, after the line was closed.
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
        """`steered`: returns how often the host's clock was steered. `pause_ns`: see `Moderation`."""
        self.url, self.link = url, link
        self.descriptor: int = line.fileno()
        """The descriptor to wait on."""
        self.wake: Callable[[], object] = lambda: None
        """Makes the serving thread call `step` soon."""
        self.closing = False
        """Whether the line is to be closed."""
        self._line, self._clock, self._news, self._ended, self._pulses = line, clock, news, ended, pulses
        self._steered = steered
        self._moderation = Moderation(pause_ns)
        self._orders: list[Callable[[Link], object]] = []
        self._gate = threading.Lock()
        self._over = threading.Event()
        self._rest = b""
        """Data that the line could not take."""
        self._stuck_ns = 0  # since when the line accepts no data

    # -- from any thread -------------------------------------------------------------------------------------------

    def order(self, what: Callable[[Link], object]) -> None:
        """Make the serving thread call `what` with the link, soon. Never blocks."""
        with self._gate:
            if self._over.is_set():
                return
            self._orders.append(what)
        self.wake()

    def close(self, patience_s: float = CLOSE_S) -> None:
        """Close the line, and wait up to `patience_s`. Do not call it on the serving thread."""
        self.order(self._close)
        self._over.wait(patience_s)

    def _close(self, link: Link) -> None:
        self.closing = True

    # -- serving thread; raises OSError at the line's end ------------------------------------------------------------

    def begin(self) -> None:
        """Start the link."""
        self.link.open_line(self._clock())
        self._write()

    @property
    def ordered(self) -> bool:
        """Return whether calls that `order` requested are waiting."""
        return bool(self._orders)

    @property
    def full(self) -> bool:
        """Return whether there is data to send that the line has not accepted yet."""
        return bool(self._rest)

    @property
    def due_ns(self) -> int:
        """Return when to call `step` even without data, in ns."""
        return min(self.link.due_ns, self._stuck_ns + WRITE_NS) if self._rest else self.link.due_ns

    @property
    def held_ns(self) -> int:
        """Return when the line's pause ends, in ns; 0 without a pause, so that data is read at once."""
        waits = self._moderation.over or not self.link.asking
        return self._moderation.until_ns if waits else 0

    def read_ready(self) -> None:
        """Read the data, and then do what `step` does.

        Raises OSError if there is no data: a line that is ready but empty has ended.
        """
        data = self._bytes()
        if data == b"":
            raise OSError("the line has ended")
        self._took(data or b"")

    def read(self) -> None:
        """Read a line that may have no data, and then do what `step` does.

        Unlike `read_ready`, raise no error for an empty read: here it does not show whether the line has ended.
        """
        self._took(self._bytes() or b"")

    def _bytes(self) -> bytes | None:
        """Read the line: b"" at its end, None if it has no data yet."""
        try:
            most = OVER_BYTES if self._moderation.over else MOST_BYTES
            return os.read(self.descriptor, most)  # pyserial's read makes two more system calls
        except BlockingIOError:
            return None

    def _took(self, data: bytes) -> None:
        now_ns = self._clock()  # after the read, so that the time is not before the data's arrival
        self._moderation.took(len(data), now_ns)
        self._go_on(data, now_ns)

    def step(self) -> None:
        """Make the calls that `order` requested, do what is due, and send waiting data."""
        self._go_on(b"", self._clock())

    def end(self, why: str) -> None:
        """Close the line, which may take long, and call `ended`. Must be the last call."""
        with contextlib.suppress(OSError):
            self._line.close()
        try:
            self._ended(self, why)
        finally:
            self._over.set()

    def _go_on(self, data: bytes, now_ns: int) -> None:
        self.link.take_steering(self._steered())
        if data:
            self._tell(now_ns, self.link.receive(data, now_ns))  # this may replace the link
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
        if data or self._rest:
            self._write_what_fits(self._rest + data)

    def _write_what_fits(self, data: bytes) -> None:
        """Write without pyserial, which would wait for room while other lines must be served."""
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
                raise OSError("it accepts no more data")
