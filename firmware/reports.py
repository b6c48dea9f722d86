"""What happened at the contacts: kept until the host has confirmed it. Nothing here knows the hardware.

Each contact has a store of its own, so a dirty one takes no room from the others. From the stores items go into a
window, one a contact in turn, and are numbered there in the order in which they are sent; numbers are 16 bits and go
round. When nothing has been confirmed for AGAIN_US, the whole window is sent again; the host drops what it has already.
A store that is full keeps the oldest, which a verdict needs most; the next item that has room says that some are missing.
Everything is allocated here, once.
"""

from array import array

import hot
from hot import put_number
from ticks import since

PER_FRAME = 24  # the protocol allows 32; a first edge that has just missed a frame waits for all of it
AGAIN_US = 40000


def _zeros(count):
    return array("I", bytes(4 * count))


class Reports:
    """Stores and window. Times are readings of the microsecond counter."""

    def __init__(self, wired, closed):
        """wired, closed: bits of the contacts."""
        self.state = _zeros(hot.STATE)
        self._store = _zeros(hot.CONTACTS * hot.ROOM * 2)
        self._window = _zeros(hot.WINDOW * 2)
        self.lossy = False  # something was lost and is not yet told
        self._given = 0  # how many of the window's have been sent since the last begin
        self._since_us = 0
        self.state[hot.WIRED] = wired
        self.state[hot.CLOSED] = self.state[hot.BEFORE] = closed

    def __len__(self):
        return self.state[hot.SENT] + self.state[hot.HELD]

    @property
    def first(self):
        """The number of the oldest item that is not confirmed."""
        return self.state[hot.NUMBER]

    @property
    def next(self):
        """The number that the next item will have."""
        return (self.state[hot.NUMBER] + self.state[hot.SENT]) & 0xFFFF

    @property
    def behind(self):
        """Contacts (bits) of which something happened that has no number yet, or was lost and not yet told."""
        state, mask = self.state, 0
        for contact in range(hot.CONTACTS):
            if state[hot.COUNT + contact] or state[hot.GAP + contact]:
                mask |= 1 << contact
        return mask

    def scan(self, words, count, clock, unsure):
        """The state machine's words as fetched just now. unsure: they waited longer than a round of the counter.

        Whether a contact changed.
        """
        state = self.state
        state[hot.NOW_TICK], state[hot.NOW_ROUND] = clock.tick, clock.round
        state[hot.UNSURE] = 1 if unsure else 0
        state[hot.CHANGED] = 0
        lost = state[hot.LOST]
        hot.scan(state, words, self._store, count)
        self.lossy = self.lossy or state[hot.LOST] != lost
        return state[hot.CHANGED]

    def miss(self, count):
        """So many words have been lost just now, of whatever contacts."""
        self.lossy = True
        self.state[hot.LOST] += count
        for contact in range(hot.CONTACTS):
            self.state[hot.GAP + contact] = 1

    def mend(self, clock):
        """Contacts of which something was lost and nothing is waiting: an item that says how they are now."""
        state = self.state
        self.lossy = False
        for contact in range(hot.CONTACTS):
            if state[hot.GAP + contact] and state[hot.COUNT + contact]:
                self.lossy = True
            elif state[hot.GAP + contact]:
                at = (contact * hot.ROOM + state[hot.FIRST + contact]) * 2
                flags = contact | (state[hot.CLOSED] >> contact & 1) << 3 | 1 << 4
                self._store[at], self._store[at + 1] = clock.tick | flags << 24, clock.round
                state[hot.COUNT + contact], state[hot.GAP + contact] = 1, 0
                state[hot.HELD] += 1

    def confirm(self, number, now_us):
        """The host has everything before that number."""
        count = (number - self.state[hot.NUMBER]) & 0xFFFF
        if 0 < count <= self._given:
            hot.drop(self.state, self._window, count)
            self._given -= count
            self._since_us = now_us

    def again(self):
        """Whatever is under way may be lost: begin with the oldest."""
        self._given = 0

    def put(self, body, now_us):
        """A report's number and items into a frame's body; its size with the kind, 0 when there is nothing to send."""
        state = self.state
        if self._given and since(now_us, self._since_us) > AGAIN_US:
            self._given = 0
        if self._given == state[hot.SENT]:
            hot.gather(state, self._store, self._window, PER_FRAME)
        count = min(state[hot.SENT] - self._given, PER_FRAME)
        if count <= 0:
            return 0
        if not self._given:
            self._since_us = now_us
        begin = (state[hot.NUMBER] + self._given) & 0xFFFF
        put_number(body, 1, begin, 2)
        count = hot.put_items(self._window, body, begin, count)
        self._given += count
        return 7 + 4 * count
