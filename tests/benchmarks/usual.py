"""The usual practice, to compare with: an exponentially weighted regression over half round trips.

As 3D-printer firmware hosts do it: each exchange puts a host time beside the foreign stamp, a regression that forgets
with 1/30 an exchange draws a line, and a sample more than 5 standard deviations and 500 µs off it is left out, unless
that lasts. The host time is the middle of the round trip, or the sending plus the least half round trip of all.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.core.clockfit import Exchange
from referee.core.units import US, S

DECAY = 1 / 30
OUTLIER_NS = 500 * US
PATIENCE_NS = 10 * S


@dataclass
class Usual:
    """A line of offsets, host - foreign, ns, over foreign time. least: by the least half round trip, not the middle."""

    least: bool = False
    _half_ns: float = float("inf")
    _zero_ns: int = 0
    _start_ns: int = 0
    _count: int = 0
    _time: float = 0.0
    _offset: float = 0.0
    _variance: float = 0.0
    _covariance: float = 0.0
    _scatter: float = (1e6) ** 2
    _trusted: float = 0.0

    def feed(self, exchange: Exchange) -> None:
        """One exchange more."""
        middle = (exchange.sent_ns + exchange.received_ns) // 2
        if not self._count:
            self._start_ns, self._zero_ns = exchange.foreign_ns, middle - exchange.foreign_ns
        self._half_ns = min(self._half_ns, (exchange.received_ns - exchange.sent_ns) / 2)
        at = float(exchange.foreign_ns - self._start_ns)
        host = exchange.sent_ns if self.least else middle
        offset = float(host - exchange.foreign_ns - self._zero_ns)
        if self._is_outlier(at, offset):
            return
        self._count += 1
        weight = max(DECAY, 1 / self._count)
        away, aside = at - self._time, offset - self._offset
        self._time += weight * away
        self._offset += weight * aside
        self._variance = (1 - weight) * (self._variance + weight * away * away)
        self._covariance = (1 - weight) * (self._covariance + weight * away * aside)

    def _is_outlier(self, at: float, offset: float) -> bool:
        if self._count < 3:
            return False
        square = (offset - self._line(at)) ** 2
        if square > 25 * self._scatter and square > OUTLIER_NS**2:
            if at < self._trusted + PATIENCE_NS:
                return True
            self._scatter = 1e12
        else:
            self._trusted = at
            self._scatter = (1 - DECAY) * (self._scatter + square * DECAY)
        return False

    def _line(self, at: float) -> float:
        slope = self._covariance / self._variance if self._variance else 0.0
        return self._offset + slope * (at - self._time)

    def to_host(self, foreign_ns: int) -> int:
        """When a foreign stamp was."""
        half = self._half_ns if self.least else 0.0
        return foreign_ns + self._zero_ns + round(self._line(float(foreign_ns - self._start_ns)) + half)
