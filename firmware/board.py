"""The Pico itself: the only file that knows pins, state machines, DMA and USB. What it offers stands in pod.py.

    GP2..GP9    contacts 1..8 to ground (pulled up inside; 10 kohm to 3V3 outside as well where the cable is long)
    GP10..GP17  lamps 1..8, high = lit, through a ULN2803A
    GP18        the sync wire (optional; pulled down)
    GP25        the board's own light: on while the host is heard

Theory of operation. Two state machines run the same program, one over the contacts, one over the eight pins from the
sync wire on. Its loop counts down one a turn and compares the pins with what they were; a change is pushed with the
counter's lowest 24 bits. DMA empties the FIFO of four words into a ring of 256 within some cycles, so a table of
bouncing contacts loses nothing while Python is busy. `push(noblock)`: a full FIFO must not stop the clock.
"""

import array
import os
import select
import sys
import time

import machine
import micropython
import rp2
import uctypes

CONTACTS = 8
CONTACT_BASE, LAMP_BASE, SYNC_PIN = 2, 10, 18
RING = 256  # words
SPARE = 16  # words that may be overwritten while the others are read
TRANSFERS = 0xFFFFFFFF
OUTBOX = 4096  # bytes that wait for a host which does not read
STALE_MS = 1000
LEAST_FREE = 16384


@rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, fifo_join=rp2.PIO.JOIN_RX)
def stamper():
    label("top")  # the counter lives in OSR
    mov(x, osr)
    jmp(x_dec, "counted")
    label("counted")
    mov(osr, x)
    mov(isr, null)
    in_(pins, 8)  # the one instruction that looks
    mov(x, isr)
    jmp(x_not_y, "changed")
    wrap()  # nothing new: 7 cycles
    label("changed")
    mov(y, x)
    in_(osr, 24)
    push(noblock)
    mov(x, osr)
    jmp(x_dec, "counted_again")
    label("counted_again")
    mov(osr, x)
    jmp("top")  # something new: 14 cycles and two ticks


class Ring:
    """A state machine over eight pins, its DMA channel and the ring of words."""

    def __init__(self, number, base):
        self._memory = bytearray(RING * 4 * 2)
        begin = uctypes.addressof(self._memory)
        self._at = begin + (-begin) % (RING * 4)  # the DMA's ring needs a start at a multiple of its size
        layout = {"w": (uctypes.ARRAY | 0, uctypes.UINT32 | RING)}
        self._words = uctypes.struct(self._at, layout, uctypes.LITTLE_ENDIAN).w
        self._read = 0
        self.machine = rp2.StateMachine(number, stamper, freq=machine.freq(), in_base=machine.Pin(base))
        self._dma = rp2.DMA()
        fetch = {"size": 2, "inc_read": False, "inc_write": True, "ring_size": 10, "ring_sel": True}
        control = self._dma.pack_ctrl(treq_sel=4 + number, irq_quiet=True, **fetch)  # 4: PIO0's first RX FIFO
        self._dma.config(read=self.machine, write=self._at, count=TRANSFERS, ctrl=control, trigger=True)
        self.machine.exec("mov(osr, invert(null))")
        self.machine.exec("set(y, 0)")

    def begin(self):
        """Let it run; between which two instants, in us of the board's counter."""
        before = time.ticks_us()
        self.machine.active(1)
        return before, time.ticks_us()

    def done(self):
        """How many words the DMA has fetched so far."""
        return TRANSFERS - self._dma.count

    def peek(self, index):
        """A word by its number, while it is still in the ring."""
        return self._words[index % RING]

    def take(self):
        """The words since the last call, and how many of them were overwritten before."""
        done = self.done()
        lost = max(done - self._read - (RING - SPARE), 0)
        found = array.array("I", [self._words[index % RING] for index in range(self._read + lost, done)])
        self._read = done
        return found, lost


class Board:
    """This Pico."""

    contacts = CONTACTS
    sync = True

    def __init__(self):
        micropython.kbd_intr(-1)  # a 03 in a frame is no Ctrl-C
        self.ident = (machine.unique_id() + bytes(8))[:8]
        self.boot = int.from_bytes(os.urandom(4), "little")
        self.hz = machine.freq()
        self.ticks_us = time.ticks_us
        self.running = True
        self.stamp_err_ns = 0
        pull_up, pull_down = machine.Pin.PULL_UP, machine.Pin.PULL_DOWN
        self._pins = [machine.Pin(CONTACT_BASE + n, machine.Pin.IN, pull_up) for n in range(CONTACTS)]
        self._lamps = [machine.Pin(LAMP_BASE + n, machine.Pin.OUT, value=0) for n in range(CONTACTS)]
        self._wire = machine.Pin(SYNC_PIN, machine.Pin.IN, pull_down)
        self._light = machine.Pin("LED", machine.Pin.OUT, value=0)
        self._edges, self._pulses = Ring(0, CONTACT_BASE), Ring(1, SYNC_PIN)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._free = select.poll()
        self._free.register(sys.stdout, select.POLLOUT)
        self._outbox = bytearray()
        self._stuck_ms = None

    def start(self):
        """Begin to stamp: the instant of all ones in the counter, and the contacts that are closed."""
        before, after = self._edges.begin()
        pulses_before, pulses_after = self._pulses.begin()
        self._shift_us = (pulses_before + pulses_after) // 2 - (before + after) // 2
        # Half of the wider bracket, 1 us for the counter's own step, 1 us for halves, two turns of the loop.
        self.stamp_err_ns = max(after - before, pulses_after - pulses_before) * 500 + 2112
        closed = 0
        for n, pin in enumerate(self._pins):
            closed |= (1 - pin.value()) << n
        return (before + after) // 2, closed

    def words(self):
        return self._edges.take()

    def pulses(self):
        """The sync wire's words, in the contacts' state machine's time."""
        words = self._pulses.take()[0]
        shift = self._shift_us * self.hz // 7000000
        return [(word & 0xFF000000) | ((word - shift) & 0xFFFFFF) for word in words]

    def read(self):
        found = b""
        while len(found) < 256 and self._poll.poll(0):
            found += sys.stdin.buffer.read(1)
        self._flush()
        if found:
            self._light.on()
        return found

    def write(self, data):
        if len(self._outbox) + len(data) <= OUTBOX:
            self._outbox += data
        self._flush()

    def _flush(self):
        """Out with it in small pieces, while the host takes them: a write that waits would stop everything else."""
        while self._outbox and self._free.poll(0):
            sys.stdout.buffer.write(self._outbox[:32])
            self._outbox = self._outbox[32:]
            self._stuck_ms = None
        if not self._outbox:
            return
        if self._stuck_ms is None:
            self._stuck_ms = time.ticks_ms()
        elif time.ticks_diff(time.ticks_ms(), self._stuck_ms) > STALE_MS:
            self._outbox = bytearray()  # nobody reads; what matters is sent again, the rest would be old news
            self._stuck_ms = None
            self._light.off()

    def lamps(self, mask):
        for n, pin in enumerate(self._lamps):
            pin.value(mask >> n & 1)

    def selftest(self):
        """What failed, as bits: 1 the stamper does not push, 2 its clock is off, 4 a contact is closed, 8 memory."""
        failed = 0
        first = self._forced()
        time.sleep_ms(50)
        second = self._forced()
        if first is None or second is None:
            failed |= 1
        else:
            ticks = (first[0] - second[0]) & 0xFFFFFF
            if abs(ticks * 7 - (second[1] - first[1]) * (self.hz // 1000000)) > 100 * (self.hz // 1000000):
                failed |= 2
        if any(not pin.value() for pin in self._pins):
            failed |= 4
        import gc

        gc.collect()
        return failed | (8 if gc.mem_free() < LEAST_FREE else 0)

    def _forced(self):
        """Make the stamper push a word that changes nothing: (its counter, when), or None when none came."""
        done = self._edges.done()
        level = 0
        for n, pin in enumerate(self._pins):
            level |= pin.value() << n
        now = time.ticks_us()
        self._edges.machine.exec("set(y, 0)" if level else "set(y, 31)")
        time.sleep_us(20)
        return None if self._edges.done() == done else (self._edges.peek(done), now)

    def prompt(self):
        """Leave the program: the way back to MicroPython's prompt, for new files."""
        self._edges.machine.active(0)
        self._pulses.machine.active(0)
        micropython.kbd_intr(3)
        self.running = False
