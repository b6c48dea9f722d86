"""The contacts' changes, kept until the host has confirmed them.

This file does not know the hardware.

Each contact has its own store, so a dirty one takes no room from the others. Items move from the stores into a
window, one per contact in turn, and are numbered there in the order of sending; numbers are 16 bits and wrap. If
nothing has been confirmed for AGAIN_US, the whole window is sent again; the host drops duplicates. A full store
keeps the oldest items, which a verdict needs most; the next item that has room is marked that some are missing. All
memory is allocated here, once.
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
        self.lossy = False  # a loss is not yet reported
        self._given = 0  # number of the window's items sent since the last start of sending
        self._since_us = 0
        self.state[hot.WIRED] = wired
        self.state[hot.CLOSED] = self.state[hot.BEFORE] = closed

    def __len__(self):
        return self.state[hot.SENT] + self.state[hot.HELD]

    @property
    def first(self):
        """The number of the oldest unconfirmed item."""
        return self.state[hot.NUMBER]

    @property
    def next(self):
        """The number of the next item."""
        return (self.state[hot.NUMBER] + self.state[hot.SENT]) & 0xFFFF

    @property
    def behind(self):
        """Contacts (bits) with a change that has no number yet, or with a loss not yet reported."""
        state, mask = self.state, 0
        for contact in range(hot.CONTACTS):
            if state[hot.COUNT + contact] or state[hot.GAP + contact]:
                mask |= 1 << contact
        return mask

    def scan(self, words, count, clock, unsure):
        """Process the state machine's words just fetched; return whether a contact changed.

        unsure: they waited longer than a round of the counter.
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
        """Note that `count` words have just been lost, of unknown contacts."""
        self.lossy = True
        self.state[hot.LOST] += count
        for contact in range(hot.CONTACTS):
            self.state[hot.GAP + contact] = 1

    def mend(self, clock):
        """For contacts with a loss and no waiting item, add an item with their current level."""
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
        """Confirm all items before that number."""
        count = (number - self.state[hot.NUMBER]) & 0xFFFF
        if 0 < count <= self._given:
            hot.drop(self.state, self._window, count)
            self._given -= count
            self._since_us = now_us

    def again(self):
        """Send again from the oldest item, since sent ones may be lost."""
        self._given = 0

    def put(self, body, now_us):
        """Put a report's number and items into a frame's body.

        Return its size with the kind, 0 without items.
        """
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
