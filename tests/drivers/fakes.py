"""Fakes of the lamps' bus and of a PWM channel."""

from __future__ import annotations

from collections.abc import Sequence


class FakeBus:
    """A fake spidev device: records each transfer; fails while `error` is set."""

    def __init__(self) -> None:
        self.log: list[bytes] = []
        self.error: OSError | None = None
        self.closed = False

    def writebytes(self, data: Sequence[int]) -> None:
        """Record a transfer. Raises `error` if set."""
        if self.error:
            raise self.error
        self.log.append(bytes(data))

    def close(self) -> None:
        self.closed = True


class FakePwm:
    """A fake: logs (period_ns, high_ns), off as (0, 0); fails while `error` is set."""

    def __init__(self) -> None:
        self.log: list[tuple[int, int]] = []
        self.error: OSError | None = None

    def set(self, period_ns: int, high_ns: int) -> None:
        """Log the period and its high part, in ns. Raises `error` if set."""
        if self.error:
            raise self.error
        self.log.append((period_ns, high_ns))

    def off(self) -> None:
        """Log a stop as (0, 0)."""
        self.set(0, 0)
