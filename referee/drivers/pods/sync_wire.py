"""The sync wire: one line that the Pi raises once a second, and that every pod on it and one input of the Pi stamp.

Theory of operation. Between reading the clock, raising the line and reading the clock again the edge has happened, so
the host knows when to half of that span: some microseconds, and milliseconds when it was interrupted just there. The
input narrows this: a kernel stamp is never early, and late by at most the GPIO source's stated error. What is left is
the pulse's instant with its error. A pod reports when its own clock saw the edge, and its fit pairs the two
(core/clocks/fit.py): pulses are a second apart, and round trips tell which is which.

Nothing waits for the wire. A pin that fails is logged once when lost and once when back, and tried again with the next
pulse; pulses that no pod sees cost nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from gpiozero.exc import GPIOZeroError

from referee.core.clocks.fit import Instant
from referee.core.units import US
from referee.drivers.gpiod.edges import RawEdge, Watch, edge_source

LOG = logging.getLogger("referee")
PERIOD_S = 1.0
HIGH_S = 0.002
"""Long enough for the input's interrupt thread to take the rising edge before the falling one comes."""
RISE_NS = 1 * US
"""From the write to the threshold at the far end of the cable: 330 ohm into a protection diode and two metres of wire
are some tenths of a microsecond (hardware/bom/parts.toml)."""
KEPT = 8
"""Pulses that a pod's report may still belong to."""


class SyncWire:
    """Drives the wire. `pulses()` is what a pod's stamps are compared with; any thread may ask."""

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
        """`factory`: any gpiozero pin factory. `out`, `back`: BCM numbers of SYNC_OUT and SYNC_IN. `err_ns`: how late a
        kernel stamp may be. Raises gpiozero's errors where a pin is taken or not there."""
        self._clock, self._err_ns, self._period_s, self._high_s = clock, err_ns, period_s, high_s
        self._factory, self._out = factory, out
        self._pulses: deque[Instant] = deque(maxlen=KEPT)
        self._seen: deque[int] = deque(maxlen=KEPT)
        self._lost = False
        self.heard = 0
        """How many pulses the input has stamped."""
        self._stop = threading.Event()
        self._watch: Watch = edge_source(factory).watch(self._keep_rising, [back], "down")
        try:
            factory.reserve_pins(self, out)
            self._pin = factory.pin(out)
            self._pin.output_with_state(0)
        except (OSError, GPIOZeroError):
            self._watch.close()
            raise
        self._thread = threading.Thread(target=self._run, name="sync wire", daemon=True)

    def start(self) -> None:
        """Start the thread that raises the wire once a second."""
        self._thread.start()

    def close(self) -> None:
        """End, and leave the wire low and to itself."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2)
        self._watch.close()
        self._pin.close()
        self._factory.release_pins(self, self._out)

    def pulses(self) -> Sequence[Instant]:
        """The newest pulses of the sync wire with their instants, oldest first."""
        return tuple(self._pulses)

    def pulse(self) -> None:
        """Raise the wire once, now, and keep the instant."""
        try:
            before_ns = self._clock()
            self._pin.state = 1
            after_ns = self._clock()
            self._stop.wait(self._high_s)
            self._pin.state = 0
        except Exception as exc:  # of the pins' library too: the wire's thread goes on
            self._fail(exc)
            return
        if self._lost:
            self._lost = False
            LOG.warning("the sync wire is back")
        stamp_ns = self._stamp(before_ns)
        self.heard += stamp_ns is not None
        self._pulses.append(place_pulse(before_ns, after_ns, stamp_ns, self._err_ns))

    def _run(self) -> None:
        while not self._stop.wait(self._period_s):
            self.pulse()

    def _keep_rising(self, batch: Sequence[RawEdge]) -> None:
        """Keeps the stamps of rising edges; called on the pin factory's thread."""
        self._seen.extend(edge.t_ns for edge in batch if edge.level)

    def _stamp(self, since_ns: int) -> int | None:
        """The kernel's stamp of the rising edge after that; None when it has not come, or nothing is wired there."""
        return next((t_ns for t_ns in tuple(self._seen) if t_ns >= since_ns), None)

    def _fail(self, exc: Exception) -> None:
        if not self._lost:
            self._lost = True
            LOG.warning("the sync wire is lost: %s", exc)

    def _conflicts_with(self, other: object) -> bool:
        return True  # gpiozero asks this of both parties to a reservation


def place_pulse(before_ns: int, after_ns: int, stamp_ns: int | None, err_ns: int) -> Instant:
    """A rising edge between two readings of the clock, stamped by the kernel at most err_ns late.

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
