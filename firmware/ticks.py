"""The pod's time: ticks since the state machine began, as a round and a tick within it.

The state machine counts ticks of seven cycles downwards and pushes the lowest 24 bits with every change of a
contact; they wrap every 0.94 s at 125 MHz. The microsecond counter runs on the same crystal, so it determines the
round, if the words are fetched more often than that. This file does not know the hardware.
"""

from hot import put_ticks

CYCLES = 7  # of the state machine's loop
ROUND = 1 << 24
PERIOD = 1 << 30  # of MicroPython's microsecond counter; not used in play, since MicroPython allocates such a number
NEWEST = PERIOD - 1  # its highest reading, and MicroPython's largest number without allocation
HALF = PERIOD // 2


def since(now_us, then_us):
    """Microseconds from one reading of the counter to a later one, less than 17 minutes after it."""
    return (now_us - then_us) & NEWEST


class Clock:
    """The state machine's counter, computed from the microsecond counter.

    begun_us: its reading when the state machine began; mhz: of the state machine's clock.
    """

    def __init__(self, begun_us, mhz):
        self._mhz = mhz
        self._at_us, self._rest = begun_us, 0
        self.round = self.tick = 0
        self.round_us = ROUND * CYCLES // mhz

    def pass_to(self, us):
        """Advance to that reading of the counter, which is not before the last one."""
        cycles = self._rest + since(us, self._at_us) * self._mhz
        self._at_us, self._rest = us, cycles % CYCLES
        self.tick += cycles // CYCLES
        while self.tick >= ROUND:
            self.tick -= ROUND
            self.round += 1

    def put(self, body, at, us):
        """Write seven bytes of a frame: the instant of a reading near the last one, before or after it."""
        late_us = since(us, self._at_us)
        if late_us >= HALF:
            late_us = -since(self._at_us, us)
        tick, turn = self.tick + (self._rest + late_us * self._mhz) // CYCLES, self.round
        while tick >= ROUND:
            tick -= ROUND
            turn += 1
        while tick < 0:
            tick += ROUND
            turn -= 1
        put_ticks(body, at, tick, turn)
