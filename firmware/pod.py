"""The pod's whole behaviour over a board, which board.py is on a Pico and a test's own elsewhere.

A board has: ident (8 bytes), boot (a number drawn at start), hz and begun_us (of the state machine, for ticks.Stamps),
stamp_err_ns, contacts (how many are wired), sync (whether the wire is watched), ticks_us(), words() (what the state
machine has pushed; and how many of them were lost), pulses() (words of the sync wire's state machine), read() (bytes
from the host, without waiting), write(bytes), lamps(mask), selftest() (bits of what failed), prompt().
"""

import struct

import frames
from reports import Reports
from ticks import Micros, Stamps

RELEASE = (1, 0, 0)
BEAT_US = 500000
ALONE_US = 3000000  # without a word from the host
MARK_US = 1200  # after an edge the host is told that no other one came: the arbiter needs 1 ms of closed contact
IDENTIFY_US = 250000  # half a period of the blinking


class Pod:
    """One pod; `turn` is one round of its endless loop and never waits."""

    def __init__(self, board):
        self._board = board
        self._micros = Micros(board.ticks_us)
        self._stamps = Stamps(board.hz, 0)
        self._intake = frames.Intake()
        self.reports = Reports()
        self._closed = 0
        self._wire = None
        self._lamps = 0
        self._shown = None
        self._asked = False  # a host that has not asked who this is may mean the pod that it was before it started anew
        self._heard_us = 0  # when the host was heard last
        self._beat_us = 0  # when the next beat is due
        self._mark_us = None
        self._blink_us = 0  # until when it says "here I am"
        self._tested = 0

    def begin(self, begun_us, closed):
        """The state machine's counter began at that instant of the board's counter; so many contacts are closed."""
        self._stamps = Stamps(self._board.hz, self._micros.at(begun_us))
        self._closed = self.reports.before = closed

    def turn(self):
        """Fetch what happened, hear the host, say what is to be said."""
        now_us = self._micros.now()  # before the words are fetched: up to here nothing is missing
        self._fetch(now_us)
        data = self._board.read()
        if data:
            for kind, payload in self._intake.feed(data):
                self._hear(kind, payload)
        self._say(now_us)
        self._show(now_us)

    # -- contacts ----------------------------------------------------------------------------------------------------

    def _fetch(self, now_us):
        words, lost = self._board.words()
        if lost:
            self.reports.miss(lost)
        for word in words:
            t_ns, level = self._stamps.read(word, self._micros.now())
            closed = ~level & ((1 << self._board.contacts) - 1)
            if closed != self._closed:
                self.reports.add(closed, t_ns)
                self._closed = closed
                self._mark_us = now_us + MARK_US
        for word in self._board.pulses():
            t_ns, level = self._stamps.read(word, self._micros.now())
            if level & 1 and self._wire == 0:
                self._send(frames.PULSE, struct.pack("<Q", t_ns))
            self._wire = level & 1

    # -- the host ----------------------------------------------------------------------------------------------------

    def _hear(self, kind, payload):
        now_us = self._micros.now()
        if kind == frames.ASK and len(payload) == 1:
            self._asked = True
            self.reports.again()
            self._hello()
        elif not self._asked:
            return
        elif kind == frames.SYNC and len(payload) == 4:
            self._send(frames.ANSWER, payload + struct.pack("<Q", self._micros.now() * 1000))
        elif kind == frames.ACK and len(payload) == 6:
            boot, number = struct.unpack("<IH", payload)
            if boot == self._board.boot:
                self.reports.confirmed(number, now_us)
        elif kind == frames.LAMPS and len(payload) == 1:
            self._lamps = payload[0]
        elif kind == frames.IDENTIFY and len(payload) == 1:
            self._blink_us = now_us + payload[0] * 1000000
        elif kind == frames.SELFTEST and not payload:
            self._tested = self._board.selftest()
            self._send(frames.TESTED, struct.pack("<H", self._tested))
        elif kind == frames.PROMPT and payload == b"prompt":
            self._board.prompt()
        else:
            return
        self._heard_us = now_us

    def _send(self, kind, payload):
        self._board.write(frames.framed(kind, payload))

    def _hello(self):
        board = self._board
        flags = (1 if board.sync else 0) | (2 if self._tested else 0)
        head = struct.pack("<BBI", frames.VERSION, flags, board.boot) + board.ident + bytes(RELEASE)
        rest = (board.contacts, self.reports.before, board.stamp_err_ns, self.reports.first, self._micros.now() * 1000)
        self._send(frames.HELLO, head + struct.pack("<BBIHQ", *rest))

    def _say(self, now_us):
        linked = self._asked and now_us - self._heard_us < ALONE_US
        if linked:
            payload = self.reports.payload(now_us)
            while payload is not None:
                self._send(frames.REPORT, payload)
                payload = self.reports.payload(now_us)
            if self._mark_us is not None and now_us >= self._mark_us:
                self._mark_us = None
                self._beat(now_us)
        if now_us < self._beat_us:
            return
        self._beat_us = now_us + BEAT_US
        if linked:
            self._beat(now_us)
        else:
            self._lamps = 0
            self._hello()

    def _beat(self, now_us):
        """Up to now_us nothing has happened but what is in the reports before the number `next`."""
        reports = self.reports
        state = (self._closed, self._lamps, len(reports), reports.lost)
        self._send(frames.BEAT, struct.pack("<QHBBHH", now_us * 1000, reports.next, *state))

    def _show(self, now_us):
        lamps = self._lamps
        if now_us < self._blink_us:
            lamps = 0xFF if (now_us // IDENTIFY_US) & 1 else 0
        if lamps != self._shown:
            self._shown = lamps
            self._board.lamps(lamps)
