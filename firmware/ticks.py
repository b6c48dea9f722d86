"""The pod's time: nanoseconds since it started, from a microsecond counter that wraps and a 24-bit one that wraps sooner.

The state machine counts ticks of seven cycles downwards and pushes the lowest 24 bits with every change of a contact.
They come round every 0.94 s at 125 MHz. The microsecond counter runs on the same crystal, so it says which round is
meant, as long as the words are fetched more often than that. Nothing here knows the hardware.
"""

CYCLES = 7  # of the state machine's loop
ROUND = 1 << 24
MARGIN = 512  # ticks by which the microsecond counter's idea of now may lag behind the state machine's


class Micros:
    """A microsecond counter of any width without its wraps. To be asked at least once in half a round."""

    def __init__(self, ticks_us, width=1 << 30):
        self._ticks_us, self._width = ticks_us, width
        self._last = ticks_us()
        self._us = 0

    def now(self):
        """Microseconds since this was made."""
        ticks = self._ticks_us()
        self._us += (ticks - self._last) % self._width
        self._last = ticks
        return self._us


    def at(self, ticks):
        """The same for a reading of the counter, of less than half a round ago or to come."""
        half = self._width // 2
        return self._us + (ticks - self._last + half) % self._width - half


class Stamps:
    """From the state machine's words to (ns, level).

    hz: its clock; begun_us: when its counter stood at all ones, by `Micros`.
    """

    def __init__(self, hz, begun_us):
        self._hz, self._begun_us = hz, begun_us

    def read(self, word, now_us):
        """A word fetched at now_us: the instant in ns on the clock of `Micros`, and the eight pins' level at it."""
        latest = (now_us - self._begun_us) * self._hz // (CYCLES * 1000000) + MARGIN
        elapsed = ROUND - 1 - (word & (ROUND - 1))
        ticks = latest - (latest - elapsed) % ROUND
        if ticks < 0:  # of the first moment, and the microsecond counter is behind by more than the margin
            ticks += ROUND
        return self._begun_us * 1000 + ticks * CYCLES * 1000000000 // self._hz, word >> 24
