"""What happened at the contacts, numbered and kept until the host has confirmed it. Nothing here knows the hardware.

A report is (contacts closed, ns, whether some before it were lost). Numbers are 16 bits and go round; at most WINDOW
reports are under way at a time, so it is always clear which round is meant. When nothing has been confirmed for
AGAIN_US, everything unconfirmed is sent again from the oldest on; the host drops what it has already.
"""

import struct

PER_FRAME = 6
WINDOW = 48  # sent and not yet confirmed
ROOM = 600  # kept at most: half a minute of one dirty contact, or a whole table's presses through an unplug
AGAIN_US = 40000


class Reports:
    """The queue of reports. Times in microseconds of the pod."""

    def __init__(self):
        self.first = 0  # the number of the oldest one kept
        self.lost = 0  # for want of room, or in the ring
        self._kept = []
        self._sent = 0  # how many of the kept ones are under way
        self._since_us = 0
        self.before = 0  # contacts closed before the oldest one kept
        self._gap = False

    def __len__(self):
        return len(self._kept)

    @property
    def next(self):
        """The number that the next report will have."""
        return (self.first + len(self._kept)) & 0xFFFF

    def add(self, closed, t_ns):
        """One more; when there is no room, what was first is worth more than what comes last."""
        if len(self._kept) >= ROOM:
            self.miss(1)
            return
        self._kept.append((closed, t_ns, self._gap))
        self._gap = False

    def miss(self, count):
        """So many have been lost just now."""
        self.lost = min(self.lost + count, 0xFFFF)
        self._gap = True

    def confirmed(self, number, now_us):
        """The host has everything before that number."""
        count = (number - self.first) & 0xFFFF
        if not 0 < count <= self._sent:
            return
        self.before = self._kept[count - 1][0]
        del self._kept[:count]
        self.first = number
        self._sent -= count
        self._since_us = now_us

    def again(self):
        """Whatever is under way may be lost: begin with the oldest."""
        self._sent = 0

    def payload(self, now_us):
        """The next frame's payload, or None when there is nothing to send now."""
        if self._sent and now_us - self._since_us > AGAIN_US:
            self.again()
        if self._sent >= min(len(self._kept), WINDOW):
            return None
        if not self._sent:
            self._since_us = now_us
        begin, end = self._sent, min(self._sent + PER_FRAME, len(self._kept))
        for index in range(begin + 1, end):
            if self._kept[index][2]:  # one frame has one gap, before its first report
                end = index
                break
        self._sent = end
        head = struct.pack("<HB", (self.first + begin) & 0xFFFF, self._kept[begin][2])
        return head + b"".join([struct.pack("<BQ", closed, t_ns) for closed, t_ns, _ in self._kept[begin:end]])
