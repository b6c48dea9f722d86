"""The usual practice for comparison: Klipper's way.

Klipper, which drives 3D printers' boards from a Linux host, pairs the time at which it sent a question with the board's
stamp, fits a line to such pairs by a regression that forgets 1/30 per question, and takes half of the shortest round
trip, which ages by 10 us per hour, for the way out. A stamp more than 5 standard deviations and 500 us off the line is
left out if it is late, for up to 10 s. Written from its documentation and public source; ns.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.core.clocks.fit import Exchange
from referee.core.units import US, S

DECAY = 1 / 30
AGE = 10 * US / (3_600 * S)
"""Growth of the shortest half round trip."""
OUTLIER_NS = 500 * US
PATIENCE_NS = 10 * S


@dataclass
class Klipper:
    """Its line of foreign time over the time of sending.

    Its one stamp is when the question came.
    """

    _half: float = float("inf")
    _half_at: float = 0.0
    _zero: tuple[int, int] | None = None  # host and foreign: later values count from there
    _host: float = 0.0
    _foreign: float = 0.0
    _variance: float = 0.0
    _covariance: float = 0.0
    _scatter: float = 0.0
    _trusted: float = 0.0
    _rate: float = 1.0

    def feed(self, exchange: Exchange) -> None:
        """Add one exchange."""
        if self._zero is None:
            self._zero = exchange.sent_ns, exchange.foreign_ns
            self._scatter = (1e6) ** 2
        sent, stamp = float(exchange.sent_ns - self._zero[0]), float(exchange.foreign_ns - self._zero[1])
        half = (exchange.received_ns - exchange.sent_ns) / 2
        if half < self._half + (sent - self._half_at) * AGE:
            self._half, self._half_at = half, sent
        expected = self._foreign + (sent - self._host) * self._rate
        square = (stamp - expected) ** 2
        if square > 25 * self._scatter and square > OUTLIER_NS**2:
            if stamp > expected and sent < self._trusted + PATIENCE_NS:
                return
            self._scatter = (1e6) ** 2
        else:
            self._trusted = sent
            self._scatter = (1 - DECAY) * (self._scatter + square * DECAY)
        away, aside = sent - self._host, stamp - self._foreign
        self._host += DECAY * away
        self._foreign += DECAY * aside
        self._variance = (1 - DECAY) * (self._variance + away * away * DECAY)
        self._covariance = (1 - DECAY) * (self._covariance + away * aside * DECAY)
        if self._variance:
            self._rate = self._covariance / self._variance

    def to_host(self, foreign_ns: int) -> int:
        """Return the host time of a foreign stamp."""
        assert self._zero is not None
        away = float(foreign_ns - self._zero[1]) - self._foreign
        return self._zero[0] + round(self._host + self._half + away / self._rate)
