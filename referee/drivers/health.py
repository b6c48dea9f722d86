"""The health of a device: log failure and recovery once, retry after growing pauses.

Use it in a driver like this:

    if self._health.due(now_ns):
        try:
            self._bus.writebytes(data)
        except OSError as exc:
            self._health.note_failure(exc, now_ns)
        else:
            self._health.ok()

It has no clock and no thread; the driver calls it again at `next_ns`.
"""

from __future__ import annotations

from logging import Logger

FIRST_PAUSE_NS = 250_000_000
"""First pause, in ns. A loose plug is often back at once."""
LONGEST_PAUSE_NS = 8_000_000_000
"""Longest pause, in ns.

People do not wait longer before they try the plug again, and one failed write in 8 s costs nothing.
"""


class Health:
    """Whether a device works, and when to try it again. Times are ns of the caller's clock."""

    def __init__(self, name: str, log: Logger, *, traces: bool = False) -> None:
        """`name`: the device's name in the log ("lamps", "display", "buzzer").

        `traces`: log errors other than OSError with a traceback, because they are bugs.
        """
        self._traces = traces
        self._name = name
        self._log = log
        self._pause_ns = FIRST_PAUSE_NS
        self.next_ns: int | None = None
        """When to try again, in ns; None while the device works."""

    @property
    def lost(self) -> bool:
        return self.next_ns is not None

    def due(self, now_ns: int) -> bool:
        """Return whether to use the device now: it works, or the pause after a failure is over."""
        return self.next_ns is None or now_ns >= self.next_ns

    def note_failure(self, exc: BaseException, now_ns: int) -> None:
        """Record a failure. Log only the first of a series; double the pause before the next try."""
        if not self.lost:
            ours = exc if self._traces and not isinstance(exc, OSError) else None
            self._log.warning("%s lost: %s", self._name, str(exc) or type(exc).__name__, exc_info=ours)
        self.next_ns = now_ns + self._pause_ns
        self._pause_ns = min(2 * self._pause_ns, LONGEST_PAUSE_NS)

    def ok(self) -> None:
        """Record a success: log it after a failure, and reset the pause."""
        if self.lost:
            self._log.warning("%s is back", self._name)
        self.next_ns = None
        self._pause_ns = FIRST_PAUSE_NS
