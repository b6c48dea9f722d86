"""Whether the host's own clock is being steered: a time service that changes CLOCK_MONOTONIC's rate.

Theory of operation. CLOCK_MONOTONIC_RAW runs as the crystal does, CLOCK_MONOTONIC too but for a rate that a time
service adds. So how far the one is ahead of the other goes in a straight line as long as nobody steers, whatever the
temperature, and bends when somebody does. A clock fit takes rates to change slowly, which a crystal's do and a steered
clock's do not: when the line bends, the fit is to let go of what it knew before (`Clockfit.after_steering`).

The line goes through two of the last notes and is compared with the newest reading. Readings are some tenths of a
microsecond apart from the truth; a bend of 1 ppm is 1 µs off the line after a second and 4 µs after four.
"""

from __future__ import annotations

from referee.core.units import MS, US
from referee.core.values import Value

BEND_NS = 4 * US
"""Farther off the line than this, somebody has steered."""
SPACING_NS = 500 * MS
NOTES = 16

Note = tuple[int, int]
"""CLOCK_MONOTONIC_RAW, and how far CLOCK_MONOTONIC is ahead of it; ns."""


class Steering(Value):
    """The last notes, at least SPACING apart. `bent`: the newest reading was off their line."""

    notes: tuple[Note, ...] = ()
    bent: bool = False

    def read(self, raw_ns: int, ahead_ns: int) -> Steering:
        """After one more reading of both clocks. Off the line, what was before is forgotten."""
        far = not self.notes or raw_ns - self.notes[-1][0] >= SPACING_NS
        new = (raw_ns, ahead_ns)
        if self._is_off(raw_ns, ahead_ns):
            return Steering((self.notes[-1], new) if far else (new,), True)
        return Steering((*self.notes[-NOTES + 1 :], new) if far else self.notes)

    def _is_off(self, raw_ns: int, ahead_ns: int) -> bool:
        if len(self.notes) < 2:
            return False
        (start_ns, start), (end_ns, end) = self.notes[0], self.notes[len(self.notes) // 2]
        line_ns = start + (end - start) * (raw_ns - start_ns) // (end_ns - start_ns)
        return abs(ahead_ns - line_ns) > BEND_NS
