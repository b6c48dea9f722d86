"""One serial line to what may be a pod: a thread that reads, writes at the right moment, and ends when the line does.

Anything that pyserial's `serial_for_url` opens will do: a device, `socket://host:port`, `rfc2217://`. The thread sleeps
until bytes come, the link wants calling, or somebody has something to say; where a line has no file descriptor to sleep
on, it looks twenty times a second.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable, Sequence
from typing import Any

import serial

from referee.core.clocks.fit import Instant
from referee.core.pods.link import SILENT_NS, Link, News
from referee.core.units import MS, S

BAUD = 115_200
"""Of no meaning on USB; a real serial line to a pod would have to be faster."""
POLL_S = 0.05
MOST_BYTES = 4096
"""Taken at once; a pod sends far less before it waits to be answered."""
WRITE_S = 0.5
"""A pod that takes nothing for this long is gone."""
STEADY_NS = 5 * S
"""A line that was open for so long was well."""
FIRST_PAUSE_NS = 1 * S
LONGEST_PAUSE_NS = 30 * S
HANDOVER_NS = SILENT_NS + 1 * S
"""A pod on a new line is tried again for so long; by then a line that it has left has ended."""

FLOOD_NS = 250 * MS
"""Reports that have come closely for so long are no call any more: a contact chatters, or somebody plays with it."""
PAUSE_NS = 20 * MS
"""Under a flood; with the millisecond or two of the line within a pod's usual 30 ms, and before it tells all again."""
BACKLOG = 512
"""Whoever finds so many bytes waiting is behind, and does not wait."""

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
        self._again_ns = self._opened_ns = self._pause_ns = 0
        self._taken_ns: int | None = None

    def due(self, now_ns: int) -> bool:
        """Whether the line is worth opening now."""
        return now_ns >= self._again_ns

    def opened(self, now_ns: int) -> None:
        """Note that the line is open."""
        self._opened_ns = now_ns

    def ended(self, now_ns: int) -> None:
        """It has ended: by its plug after a steady while, which may be back at once, else a little later each time."""
        if now_ns - self._opened_ns >= STEADY_NS:
            self._pause_ns = 0
        self._again_ns = max(self._again_ns, now_ns + self._pause_ns)
        self._pause_ns = min(max(2 * self._pause_ns, FIRST_PAUSE_NS), LONGEST_PAUSE_NS)

    def shun(self, until_ns: int) -> None:
        """Whatever is there is to be left alone."""
        self._again_ns = until_ns

    def taken(self, now_ns: int, again_ns: int) -> bool:
        """Its pod is on another line, too. That line may not have ended yet; True when it must have: it is shunned."""
        if self._taken_ns is None:
            self._taken_ns = now_ns
        if now_ns - self._taken_ns < HANDOVER_NS:
            return False
        self.shun(now_ns + again_ns)
        return True

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
        self._behind = False

    def took(self, count: int, now_ns: int) -> None:
        """So many bytes have been read."""
        if now_ns - self._last_ns > 2 * self._pause_ns:
            self._since_ns = now_ns
        self._last_ns, self._behind = now_ns, count >= BACKLOG

    def until_ns(self, *, asking: bool) -> int:
        """Before which instant the line is not read; asking: an exchange of stamps is under way."""
        flooded = self._last_ns - self._since_ns >= FLOOD_NS
        if not flooded or self._behind or asking:
            return self._last_ns
        return (
            self._last_ns // self._pause_ns + 1
        ) * self._pause_ns  # all flooded lines at once: it is less to wake up


class Port:
    """A line and the link over it. `news` is called by the thread, with when it was and what came; `ended` once."""

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
        self._line, self._clock, self._news, self._ended, self._pulses = line, clock, news, ended, pulses
        self._steered = steered
        self._moderation = Moderation(pause_ns)
        self._wake_read, self._wake_write = os.pipe()
        self._orders: list[Callable[[Link], object]] = []
        self._gate = threading.Lock()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=f"pod {url}", daemon=True)

    def start(self) -> None:
        """Start the thread that talks to the line."""
        self._thread.start()

    def order(self, what: Callable[[Link], object]) -> None:
        """Have the thread do something with the link, soon. Never blocks; from any thread."""
        with self._gate:
            if self._closing:
                return
            self._orders.append(what)
            os.write(self._wake_write, b"!")

    def close(self) -> None:
        """End the thread and give the line back."""
        self.order(self._stop)
        if self._thread is not threading.current_thread():
            self._thread.join(2)

    def _stop(self, link: Link) -> None:
        self._closing = True

    # -- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        why = ""
        try:
            self._talk()
        except Exception as exc:  # a line torn out shows as many an error in pyserial; a mistake of ours ends it too
            why = str(exc) or type(exc).__name__
        with self._gate:
            self._closing = True
        with contextlib.suppress(OSError):
            self._line.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._ended(self, why)

    def _talk(self) -> None:
        self.link.opened(self._clock())
        self._write()
        wait = self._wait_on_descriptor if _descriptor(self._line) is not None else self._wait_and_look
        while not self._closing:
            data, now_ns = wait(max(self.link.due_ns - self._clock(), 0) / S)
            self.link.steered(self._steered())
            if data:
                self._tell(now_ns, self.link.receive(data, now_ns))  # after which it may be another link
            self.link.pulsed(self._pulses())
            self._obey()
            self._tell(now_ns, self.link.tick(self._clock()))
            self._write()

    def _tell(self, now_ns: int, news: Sequence[News]) -> None:
        if news:
            self._news(self, now_ns, news)

    # The clock is read after the bytes: an answer must not seem to have been here before it came.

    def _wait_on_descriptor(self, seconds: float) -> tuple[bytes, int]:
        descriptor = self._line.fileno()
        pause_s = (self._moderation.until_ns(asking=self.link.asking) - self._clock()) / S
        if pause_s > 0 and (select.select([self._wake_read], [], [], min(pause_s, seconds))[0] or pause_s >= seconds):
            return b"", self._clock()
        seconds = max(seconds - max(pause_s, 0), 0)
        ready, _, _ = select.select([descriptor, self._wake_read], [], [], seconds)
        if descriptor not in ready:
            return b"", self._clock()
        data = os.read(descriptor, MOST_BYTES)  # pyserial's own would ask twice more whether there is something
        if not data:
            raise OSError("the line has ended")
        now_ns = self._clock()
        self._moderation.took(len(data), now_ns)
        return data, now_ns

    def _wait_and_look(self, seconds: float) -> tuple[bytes, int]:
        self._line.timeout = min(seconds, POLL_S)
        data: bytes = self._line.read(1)
        if data:
            data += self._line.read(self._line.in_waiting)
        return data, self._clock()

    def _obey(self) -> None:
        with self._gate:
            orders, self._orders = self._orders, []
            if orders:
                os.read(self._wake_read, 4096)
        for order in orders:
            order(self.link)

    def _write(self) -> None:
        data = self.link.outgoing()
        if data and (descriptor := _descriptor(self._line)) is not None:
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(descriptor, data) :]  # pyserial's own would ask whether there is more room
        if data:
            self._line.write(data)


def _descriptor(line: Any) -> int | None:
    try:
        number: int = line.fileno()
    except (AttributeError, OSError, ValueError):  # io.UnsupportedOperation is both of the latter
        return None
    return number
