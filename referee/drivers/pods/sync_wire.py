"""The sync wire and the host clock: pulses that tie clocks together, and steering.

Theory of operation. The edge happens between reading the clock, raising the line, and reading the clock again, so the
host knows its time to half of that span: some microseconds, or milliseconds after an interruption. The input narrows
this: a kernel timestamp is never early, and late by at most the GPIO source's stated error. The result is the pulse's
time with its error. A pod reports when its own clock saw the edge, and its fit pairs the two (core/clocks/fit.py):
pulses are a second apart, and round trips show which is which.

Nothing waits for the wire. A failing pin is logged once when lost and once when back, and retried with the next pulse.
Pulses that no pod sees do no harm.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from gpiozero.exc import GPIOZeroError

from gpiozero_gpiod.edges import RawEdge, Watch
from referee.core.clocks.fit import Instant, Steering
from referee.core.units import MS, US
from referee.drivers.health import Health

CLOSE_NS = 3 * US
"""Longest time between the two readings of a pair, in ns.

If it is longer, the thread was interrupted between them.
"""
TRIES = 3
AGAIN_NS = 1 * MS
"""Minimum time between readings, in ns. Pods are served one after the other."""
Clock = Callable[[], int]


def raw_ns() -> Clock | None:
    """Return a function that reads CLOCK_MONOTONIC_RAW, or None if the system lacks that clock."""
    number = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return None if number is None else lambda: time.clock_gettime_ns(number)


class Steered:
    """Counts how often a time service has changed the rate of the host's clock. Thread-safe.

    Calling the object returns the number. Call it often, and before converting timestamps of another clock.
    """

    def __init__(self, clock: Clock = time.monotonic_ns, raw: Clock | None = None) -> None:
        """`clock`, `raw`: replacements for CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW."""
        self._clock, self._raw = clock, raw or raw_ns()
        self._steering = Steering()
        self._times = 0
        self._read_ns = -AGAIN_NS
        self._gate = threading.Lock()

    def __call__(self) -> int:
        """Compare both clocks; return the number of changes so far, or 0 without the raw clock."""
        if self._raw is None:
            return 0
        if self._clock() - self._read_ns < AGAIN_NS:
            return self._times
        with self._gate:
            for _ in range(TRIES):
                before_ns, raw, after_ns = self._clock(), self._raw(), self._clock()
                if after_ns - before_ns <= CLOSE_NS:
                    self._steering = self._steering.read(raw, (before_ns + after_ns) // 2 - raw)
                    self._times += self._steering.bent
                    self._read_ns = after_ns
                    break
            return self._times


LOG = logging.getLogger("referee")
PERIOD_S = 1.0
HIGH_S = 0.002
"""Pulse length in seconds.

The input's interrupt thread must take the rising edge before the falling one.
"""
RISE_NS = 1 * US
"""Time from the write until the far end of the cable sees the edge, in ns.

330 ohm into a protection diode and two metres of wire are some tenths of a microsecond (hardware/bom/parts.toml).
"""
KEPT = 8
"""Number of pulses that a pod's report may still refer to."""


class SyncWire:
    """Pulses the wire from the host to the pods, so that both stamp the same edges.

    `pulses()` is thread-safe.
    """

    def __init__(
        self,
        factory: Any,
        out: int,
        back: int,
        *,
        err_ns: int,
        clock: Callable[[], int] = time.monotonic_ns,
        period_s: float = PERIOD_S,
        high_s: float = HIGH_S,
    ) -> None:
        """`factory`: a pin factory that is an `EdgeSource`.

        `out`, `back`: BCM numbers of the pins SYNC_OUT and SYNC_IN. `err_ns`: maximum delay of a kernel timestamp.
        Raises gpiozero's errors if a pin is in use or missing.
        """
        self._clock, self._err_ns, self._period_s, self._high_s = clock, err_ns, period_s, high_s
        self._factory, self._out = factory, out
        self._pulses: deque[Instant] = deque(maxlen=KEPT)
        self._seen: deque[int] = deque(maxlen=KEPT)
        self._health = Health("the sync wire", LOG)
        self.heard = 0
        """Number of pulses that the input has seen."""
        self._stop = threading.Event()
        self._watch: Watch = factory.watch(self._keep_rising, [back], "down")
        try:
            factory.reserve_pins(self, out)
            self._pin = factory.pin(out)
            self._pin.output_with_state(0)
        except (OSError, GPIOZeroError):
            self._watch.close()
            raise
        self._thread = threading.Thread(target=self._run, name="sync wire", daemon=True)

    def start(self) -> None:
        """Start the thread that pulses the wire once a second."""
        self._thread.start()

    def close(self) -> None:
        """Stop, set the wire low, and release its pins."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2)
        self._watch.close()
        self._pin.close()
        self._factory.release_pins(self, self._out)

    def pulses(self) -> Sequence[Instant]:
        """Return the newest pulses with their times, oldest first."""
        return tuple(self._pulses)

    def pulse(self) -> None:
        """Pulse the wire once, and store the time of the rising edge."""
        try:
            before_ns = self._clock()
            self._pin.state = 1
            after_ns = self._clock()
            self._stop.wait(self._high_s)
            self._pin.state = 0
        except Exception as exc:  # any error, also of the pins' library; the thread goes on
            self._health.note_failure(exc, 0)  # the next pulse is the next try
            return
        self._health.ok()
        stamp_ns = self._stamp(before_ns)
        self.heard += stamp_ns is not None
        self._pulses.append(place_pulse(before_ns, after_ns, stamp_ns, self._err_ns))

    def _run(self) -> None:
        while not self._stop.wait(self._period_s):
            self.pulse()

    def _keep_rising(self, batch: Sequence[RawEdge]) -> None:
        """Store the timestamps of rising edges. Called on the pin factory's thread."""
        self._seen.extend(edge.t_ns for edge in batch if edge.level)

    def _stamp(self, since_ns: int) -> int | None:
        """Return the kernel's timestamp of the first rising edge from `since_ns` on, or None."""
        return next((t_ns for t_ns in tuple(self._seen) if t_ns >= since_ns), None)

    def _conflicts_with(self, other: object) -> bool:
        return True  # gpiozero asks both devices about a shared pin


def place_pulse(before_ns: int, after_ns: int, stamp_ns: int | None, err_ns: int) -> Instant:
    """Return the instant of a rising edge that this program made between two clock readings.

    `stamp_ns`: the kernel's timestamp of the edge, at most `err_ns` late; None without one.

    >>> place_pulse(1_000, 9_000, None, 300_000)
    Instant(t_ns=5500, err_ns=4500)
    >>> place_pulse(1_000, 5_000_000, 41_000, 30_000)
    Instant(t_ns=26500, err_ns=15500)
    """
    low, high = before_ns, after_ns
    if stamp_ns is not None and max(low, stamp_ns - err_ns) <= min(high, stamp_ns):
        low, high = max(low, stamp_ns - err_ns), min(high, stamp_ns)
    half_ns = (high + RISE_NS - low + 1) // 2
    return Instant(low + half_ns, half_ns)
