"""A device that comes and goes: logged once when lost and once when back, tried again after a growing pause.

A driver wraps what may fail like this:

    if self._health.due(now_ns):
        try:
            self._bus.writebytes(data)
        except OSError as exc:
            self._health.failed(exc, now_ns)
        else:
            self._health.ok()

It owns no clock and no thread. `next_ns` tells whoever does when trying again is worth while.
"""

from __future__ import annotations

from logging import Logger

FIRST_PAUSE_NS = 250_000_000
"""The first retry: a loose plug is often back at once."""
LONGEST_PAUSE_NS = 8_000_000_000
"""No longer than a person waits before plugging it out again; one failed write in 8 s costs nothing."""


class Health:
    """Whether one device works, and when to try it again. Times in ns of any one clock."""

    def __init__(self, name: str, log: Logger, *, traces: bool = False) -> None:
        """`name` is the device as people know it: "lamps", "display", "buzzer". `traces`: what is no trouble of the
        system's is a mistake of ours, and logged with where it was."""
        self._traces = traces
        self._name = name
        self._log = log
        self._pause_ns = FIRST_PAUSE_NS
        self.next_ns: int | None = None
        """When to try again; None while the device works."""

    @property
    def lost(self) -> bool:
        """True from a failure to the next success."""
        return self.next_ns is not None

    def due(self, now_ns: int) -> bool:
        """Is it worth trying now? Always, while the device works."""
        return self.next_ns is None or now_ns >= self.next_ns

    def note_failure(self, exc: BaseException, now_ns: int) -> None:
        """A try failed: log the first one, and double the pause after each."""
        if not self.lost:
            ours = exc if self._traces and not isinstance(exc, OSError) else None
            self._log.warning("%s lost: %s", self._name, str(exc) or type(exc).__name__, exc_info=ours)
        self.next_ns = now_ns + self._pause_ns
        self._pause_ns = min(2 * self._pause_ns, LONGEST_PAUSE_NS)

    def ok(self) -> None:
        """A try succeeded: log it once if the device had been lost, and forget the pause."""
        if self.lost:
            self._log.warning("%s is back", self._name)
        self.next_ns = None
        self._pause_ns = FIRST_PAUSE_NS
