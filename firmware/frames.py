"""Frames on the wire, as README.md defines them, made and parsed.

This file does not know the hardware.

    7E  escaped( kind, payload ..., CRC-32 of both, least significant byte first )  7E

7E occurs nowhere else, so a reader that has lost its place finds it at the next frame. 7D escapes: 7D 5E is 7E, 7D
5D is 7D, and 7D 23 is 03, because a 03 would stop the program of a pod that is still starting.

The host's counterpart is referee/core/pods/wire.py; both are tested with tests/vectors/frames.json.
"""

from array import array

import hot

VERSION = 2
LONGEST = 320  # bytes between two flags; a longer frame is invalid
FLAG = 0x7E

# pod to host
HELLO, REPORT, BEAT, ANSWER, PULSE, TESTED = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
# host to pod
ASK, ACK, SYNC, LAMPS, IDENTIFY, SELFTEST, PROMPT = 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47


def _table():
    table = array("I", bytes(4 * 256))
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
        table[byte] = crc
    return table


TABLE = _table()


class Draft:
    """The frame being made: write kind and payload into `body`, `seal` it, send out[:length]."""

    def __init__(self):
        self.body = bytearray(LONGEST // 2)
        self.out = bytearray(LONGEST + 2)
        self.length = 0

    def seal(self, size):
        """Make the frame of body[:size]."""
        self.length = hot.seal(TABLE, self.body, self.out, size)


class Intake:
    """Parser of incoming bytes.

    After `take` returns true, body[:size] is a frame's kind and payload, until the next bytes.

    fresh: the next byte is the first one of a frame.
    """

    def __init__(self):
        self.body = bytearray(LONGEST)
        self.size = 0
        self.fresh = False
        self.refused = 0  # pieces that were no frames
        self._state = array("I", bytes(12))  # of hot.unescape

    def take(self, raw, count):
        """Take `count` bytes, of which only the last one may be a flag.

        Return whether they complete a frame.
        """
        ends = raw[count - 1] == FLAG
        if ends:
            count -= 1
        if count:
            hot.unescape(self._state, raw, self.body, count)
            self.fresh = False
        return ends and self._end_frame()

    def _end_frame(self):
        state = self._state
        filled, broken = state[0], state[1] or state[2]
        good = filled >= 5 and not broken and hot.whole(TABLE, self.body, filled)
        if not good and (filled or broken):
            self.refused += 1
        self.size = filled - 4
        state[0] = state[1] = state[2] = 0
        self.fresh = True
        return bool(good)
