"""The pod's whole behaviour on top of a board: board.py on a Pico, a fake in tests.

A board has: ident (8 bytes), boot (4 bytes, random at start), mhz (of the state machine), common_err_ns and
own_err_ns, contacts (number of wired ones), sync (whether the wire is watched), ticks_us(), wait(ms) (until bytes
come), fetch() (number of the state machine's words now in `words`) and lost (number overwritten before), pulses()
(the same for the sync wire), read() (number of the host's bytes now in `raw`, up to a flag; first_us: when the
first of them had come), send(out, length, ordinal), flush() (whether the whole frame is on its way),
acknowledge(ordinal) (the host has that frame), lamps(mask), light(on), selftest(), prompt(), feed() (the watchdog).
No code here allocates memory after the start; so no three names are assigned at once, for which MicroPython makes a
tuple.
"""

from array import array

import frames
from hot import BEFORE, CLOSED, LOST, MARGIN, ROUND, put_number, put_ticks
from reports import Reports
from ticks import Clock, since

RELEASE = b"\x02\x00\x00"
SLACK_US = 40000  # words older than a round of the counter less this are reported as unsure
BEAT_US = 500000
ALONE_US = 3000000  # without a word from the host
MARK_US = 1200  # after an edge, the host learns that no other one came: the arbiter needs 1 ms of closed contact
LATE_MARK_US = 6000  # the same even if items of other contacts wait to be sent
IDENTIFY_US = 250000  # half a period of the blinking
MOST_PIECES = 8  # maximum pieces from the host in one turn, each a frame or up to 64 bytes
PULSES = 8  # maximum waiting pulses of the sync wire


class Pod:
    """One pod; `turn` is one round of its endless loop.

    begun_us, closed, wire: when the state machine's counter began, by the board's microsecond counter, and the
    state of the contacts (bits) and of the sync wire (0, 1) then.
    """

    def __init__(self, board, begun_us, closed, wire=0):
        self._board = board
        self.clock = Clock(begun_us, board.mhz)
        self.reports = Reports((1 << board.contacts) - 1, closed)
        self._intake = frames.Intake()
        self._draft = frames.Draft()
        self._ordinal = 0  # of the next frame
        self._wire = wire
        self._pulses = array("I", bytes(8 * PULSES))  # tick, round
        self._pulsed = 0
        self._fetched_us = begun_us
        self._lamps, self._shown = 0, -1
        self._asked = False  # without an ASK, the host may mean the pod as it was before a restart
        self._linked = False
        self._heard_us = self._beat_us = begun_us  # when the host was last heard; when the last beat was
        self._marks = False  # changes wait for their beat: since when, and when the newest one was
        self._mark_us = self._changed_us = begun_us
        self._beats = False  # the half-second beat is due
        self._blinks, self._blink_us, self._blink_s = False, 0, 0
        self._now_us = begun_us  # when this turn began; readings are compared with it and with no later one
        self._came_us = 0  # when the first byte of the newest frame came
        self._token = bytearray(4)
        self._asks, self._ask_us = False, 0  # a SYNC waits for its answer
        self._greets = True  # a HELLO is due
        self._tests, self._tested, self._failed = False, False, 0

    def turn(self):
        """Fetch the changes, read the host's frames, send what is due."""
        board = self._board
        board.feed()
        board.wait(0 if self._busy() else 1)
        now_us = self._now_us = board.ticks_us()  # before the words are fetched: up to here nothing is missing
        self._fetch(now_us)
        self._listen()
        self._say(now_us)
        self._show(now_us)

    def _busy(self):
        return self._linked and (self._marks or len(self.reports) > 0)

    # -- contacts ----------------------------------------------------------------------------------------------------

    def _fetch(self, now_us):
        board, reports = self._board, self.reports
        clock = self.clock
        count, pulses = board.fetch(), board.pulses()
        after_us = board.ticks_us()  # none of these words is newer, however long the pod has been delayed in between
        unsure = since(after_us, self._fetched_us) > clock.round_us - SLACK_US
        clock.pass_to(after_us)
        if board.lost:
            reports.miss(board.lost)
            board.lost = 0
        if count and reports.scan(board.words, count, clock, unsure):
            if not self._marks:
                self._marks, self._mark_us = True, now_us
            self._changed_us = now_us
        if reports.lossy:
            reports.mend(clock)
        for index in range(pulses):
            self._pulse(board.rises, 4 * index, unsure)
        self._fetched_us = now_us

    def _pulse(self, words, at, unsure):
        """Process a word of the sync wire's state machine, as four bytes."""
        wire = words[at + 3] & 1
        if wire and not self._wire and not unsure and self._pulsed < PULSES:
            tick = ROUND - 1 - (words[at] | words[at + 1] << 8 | words[at + 2] << 16) + self._board.shift
            turn = self.clock.round
            if tick > self.clock.tick + MARGIN:
                turn -= 1
            elif tick <= self.clock.tick + MARGIN - ROUND:
                turn += 1
            self._pulses[2 * self._pulsed], self._pulses[2 * self._pulsed + 1] = tick % ROUND, turn + tick // ROUND
            self._pulsed += 1
        self._wire = wire

    # -- the host ----------------------------------------------------------------------------------------------------

    def _listen(self):
        board, intake = self._board, self._intake
        begun = False
        for _ in range(MOST_PIECES):
            count = board.read()
            if not count:
                return
            if intake.fresh and not (begun and count > 1):
                self._came_us = board.first_us
            begun = intake.fresh and count == 1  # a frame's first flag alone: what follows it is that frame
            if intake.take(board.raw, count):
                self._hear(intake.body, intake.size - 1)

    def _hear(self, body, size):
        """Process a frame. body: kind and payload; size: the payload's."""
        kind, now_us = body[0], self._now_us
        if kind == frames.ASK and size == 1:
            self._asked = self._greets = True
            self.reports.again()
        elif not self._asked:
            return
        elif kind == frames.SYNC and size == 4:
            for index in range(4):
                self._token[index] = body[1 + index]
            self._asks, self._ask_us = True, self._came_us
        elif kind == frames.ACK and size == 7:
            self._take_acknowledgement(body, now_us)
        elif kind == frames.LAMPS and size == 1:
            self._lamps = body[1]
        elif kind == frames.IDENTIFY and size == 1:
            self._blinks, self._blink_us = True, now_us
            self._blink_s = body[1]
        elif kind == frames.SELFTEST and size == 0:
            self._tests = True
        elif kind == frames.PROMPT and body[1:7] == b"prompt" and size == 6:
            self._board.prompt()
        else:
            return
        self._linked, self._heard_us = True, now_us

    def _take_acknowledgement(self, body, now_us):
        for index in range(4):
            if body[1 + index] != self._board.boot[index]:
                return
        self.reports.confirm(body[5] | body[6] << 8, now_us)
        self._board.acknowledge(body[7])

    # -- sending -----------------------------------------------------------------------------------------------------

    def _say(self, now_us):
        """Send frames as long as the line takes them whole."""
        self._look_at_time(now_us)
        while self._board.flush():
            size = self._next(self._draft.body, now_us)
            if not size:
                return
            self._draft.body[size] = self._ordinal
            if self._draft.body[0] == frames.ANSWER:  # last of all: the time spent after it is part of the host's bound
                self.clock.put(self._draft.body, 12, self._board.ticks_us())
            self._draft.seal(size + 1)
            self._board.send(self._draft.out, self._draft.length, self._ordinal)
            self._ordinal = (self._ordinal + 1) & 255

    def _look_at_time(self, now_us):
        if self._linked and since(now_us, self._heard_us) > ALONE_US:
            self._linked, self._lamps = False, 0
        self._board.light(self._linked)
        if since(now_us, self._beat_us) >= BEAT_US:
            self._beat_us = now_us
            if self._linked:
                self._beats = True
            else:
                self._greets = True
        if self._tests:
            self._tests, self._tested = False, True
            self._failed = self._board.selftest()

    def _next(self, body, now_us):
        """Put the most urgent frame's kind and payload into body.

        Return its size, 0 if no frame is due.
        """
        size = 0
        if self._greets:
            self._greets = False
            return self._hello(body)
        if self._asks:
            self._asks = False
            return self._answer(body)
        if self._linked:
            waits_us = since(now_us, self._mark_us) if self._marks else 0
            if waits_us < LATE_MARK_US:
                size = self.reports.put(body, now_us)
            if size:
                body[0] = frames.REPORT
            elif self._beats or waits_us >= MARK_US:
                size = self._beat(body, now_us)
            elif self._pulsed:
                size = self._tell_pulse(body)
            elif self._tested:
                self._tested = False
                body[0] = frames.TESTED
                size = 3
                put_number(body, 1, self._failed, 2)
        return size

    def _hello(self, body):
        board, reports = self._board, self.reports
        body[0], body[1] = frames.HELLO, frames.VERSION
        body[2] = (1 if board.sync else 0) | (2 if self._failed else 0)
        _copy(board.boot, body, 3)
        _copy(board.ident, body, 7)
        _copy(RELEASE, body, 15)
        body[18], body[19] = board.contacts, reports.state[BEFORE]
        put_number(body, 20, board.mhz, 2)
        put_number(body, 22, board.common_err_ns, 4)
        put_number(body, 26, board.own_err_ns, 2)
        put_number(body, 28, reports.first, 2)
        self.clock.put(body, 30, board.ticks_us())
        return 37

    def _answer(self, body):
        """Answer with the time of the question's first byte.

        The time of sending is appended on sending.
        """
        body[0] = frames.ANSWER
        for index in range(4):
            body[1 + index] = self._token[index]
        self.clock.put(body, 5, self._ask_us)
        return 19

    def _beat(self, body, now_us):
        """Report the time up to which all changes are in items before `next`.

        This holds for the contacts not in `behind`.
        """
        reports = self.reports
        self._beats = False
        self._marks, self._mark_us = since(now_us, self._changed_us) < MARK_US, self._changed_us
        body[0] = frames.BEAT
        self.clock.put(body, 1, now_us)
        put_number(body, 8, reports.next, 2)
        body[10], body[11] = reports.state[CLOSED], reports.behind
        body[12] = self._lamps
        put_number(body, 13, len(reports), 2)
        put_number(body, 15, min(reports.state[LOST], 0xFFFF), 2)
        return 17

    def _tell_pulse(self, body):
        pulses = self._pulses
        body[0] = frames.PULSE
        put_ticks(body, 1, pulses[0], pulses[1])
        self._pulsed -= 1
        for index in range(2 * self._pulsed):
            pulses[index] = pulses[index + 2]
        return 8

    def _show(self, now_us):
        lamps = self._lamps
        if self._blinks:
            blinked_us = since(now_us, self._blink_us)
            self._blinks = blinked_us < self._blink_s * 1000000
            if self._blinks:
                lamps = 0xFF if (blinked_us // IDENTIFY_US) & 1 else 0
        if lamps != self._shown:
            self._shown = lamps
            self._board.lamps(lamps)


def _copy(source, body, at):
    for index in range(len(source)):
        body[at + index] = source[index]
