"""Detect steering: a time service that changes the rate of CLOCK_MONOTONIC.

Theory of operation. CLOCK_MONOTONIC_RAW runs at the crystal's rate; CLOCK_MONOTONIC adds a rate set by a time service.
So their difference is a straight line without steering, whatever the temperature, and bends when the clock is steered.
A clock fit assumes that rates change slowly. This is true for crystals, but not for a steered clock: when the line
bends, the fit must drop what it knew before (`Clockfit.after_steering`).

The line goes through two of the last notes and is compared with the newest reading. Readings have errors of some tenths
of a microsecond; a bend of 1 ppm is 1 µs off the line after a second and 4 µs after four.
"""

from __future__ import annotations

from referee.core.units import MS, US
from referee.core.values import Value

BEND_NS = 4 * US
"""Distance of a reading from the line above which the clock counts as steered."""
SPACING_NS = 500 * MS
NOTES = 16

Note = tuple[int, int]
"""A reading in ns: CLOCK_MONOTONIC_RAW, and by how much CLOCK_MONOTONIC is ahead of it."""


class Steering(Value):
    """The last readings of CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW, at least `SPACING_NS` apart.

    bent: the newest reading is off the line through earlier ones, because a time service has changed a clock's rate.
    """

    notes: tuple[Note, ...] = ()
    bent: bool = False

    def read(self, raw_ns: int, ahead_ns: int) -> Steering:
        """Return the readings with a new one.

        raw_ns: CLOCK_MONOTONIC_RAW. ahead_ns: by how much CLOCK_MONOTONIC is ahead of it. If the new reading is off the
        line through the others, the clock was steered: drop older readings.
        """
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
