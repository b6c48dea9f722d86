"""The Pico itself: the only file that knows pins, state machines, DMA and USB.

pod.py describes its interface.

    GP2..GP9    contacts 1..8 to ground (pulled up inside; 10 kohm to 3V3 outside as well where the cable is long)
    GP10..GP17  lamps 1..8, high = lit, through a ULN2803A
    GP18        the sync wire (optional; pulled down)
    GP25        the board's own light: on while the host is heard (not with radio, which drives the light)

Theory of operation. Two state machines run the same program, one over the contacts, one over the eight pins from
the sync wire on. Its loop counts down one a turn and compares the pins with their last state; a change is pushed
with the counter's lowest 24 bits. DMA empties the FIFO (eight words, both joined) into a ring within some cycles,
so a table of bouncing contacts loses nothing while Python is busy. `push(noblock)`: a full FIFO must not stop the
clock.

Data for the host is written only if there is room for it, since a waiting write stops everything else for up to
half a second. Polling says whether there is room for one byte. More at a time is written only as far as the host's
acknowledgements prove that it has taken what was written before.
"""

import os
import select
import sys
import time
from array import array

import hot
import machine
import micropython
import rp2
import uctypes

CONTACTS = 8
CONTACT_BASE, LAMP_BASE, SYNC_PIN = 2, 10, 18
RING, WIRE_RING = 1024, 64  # words, powers of two
SPARE = 16  # words that may be overwritten while the others are fetched
# TRANS_COUNT has 28 bits on an RP2350, whose upper four select endless or repeated transfers (its data sheet), and 32 on
# an RP2040. 2**28 words are some days of a contact that changes a thousand times a second, and a number that
# MicroPython keeps without allocating; before they are used up, the pod restarts.
TRANSFERS = 0x0FFFFFFF
LAST = 1 << 20
FIFO = 256  # bytes that MicroPython's USB serial line keeps for the host: CFG_TUD_CDC_TX_BUFSIZE, 1.22 to 1.29
AT_ONCE = 64  # bytes in one write
RAW = 64  # bytes read at a time
ONES = 8  # bytes written one by one before the host is read again
ORDINALS = 64  # frames whose ends are remembered
GUARD_MS = 8000  # the watchdog; the maximum is 8388
WATCHDOG = {"RP2040": 0x40058000, "RP2350": 0x400D8000}  # its CTRL, by chip
CLEAR = 0x3000  # from a register to its alias that clears bits
LEAST_FREE = 16384
OLDEST = {"RP2040": (1, 22), "RP2350": (1, 24)}  # MicroPython: the first with rp2.DMA, with that chip
NEWEST = (1, 29)  # the last on which the program's modules have run


def chip():
    """Return the chip's name; an RP2350 as RISC-V has another, since the loops in hot.py are for ARM."""
    return getattr(sys.implementation, "_machine", "").split(" ")[-1]


def unfit():
    """Return why this board cannot be a pod, None if it can."""
    name, version = getattr(sys.implementation, "_machine", ""), tuple(sys.implementation[1][:2])
    if chip() not in OLDEST:
        return "This pod's program is for an RP2040 or RP2350, not for: %s" % (name or sys.platform)
    oldest = OLDEST[chip()]
    if not oldest <= version <= NEWEST:
        return "This pod's program is for MicroPython %d.%d to %d.%d, not for %d.%d" % (oldest + NEWEST + version)
    if machine.freq() % 1000000:
        return "This pod's program is for a clock of whole MHz, not for %d Hz" % machine.freq()
    return None


@rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, fifo_join=rp2.PIO.JOIN_RX)
def stamper():
    label("top")  # the counter is in OSR
    mov(x, osr)
    jmp(x_dec, "counted")
    label("counted")
    mov(osr, x)
    mov(isr, null)
    in_(pins, 8)  # the only instruction that reads the pins
    mov(x, isr)
    jmp(x_not_y, "changed")
    wrap()  # no change: 7 cycles
    label("changed")
    mov(y, x)
    in_(osr, 24)
    push(noblock)
    mov(x, osr)
    jmp(x_dec, "counted_again")
    label("counted_again")
    mov(osr, x)
    jmp("top")  # a change: 14 cycles and two ticks


class Ring:
    """A state machine over eight pins, its DMA channel and the ring of words."""

    def __init__(self, number, base, size):
        self.size = size
        self._memory = array("I", bytes(4 * 2 * size))
        begin = uctypes.addressof(self._memory)
        ahead = -begin % (4 * size)  # the DMA's ring must start at a multiple of its size
        self._begin = ahead // 4
        self._read = 0
        self.machine = rp2.StateMachine(number, stamper, freq=machine.freq(), in_base=machine.Pin(base))
        self._dma = rp2.DMA()
        bits = 2
        while 1 << bits < 4 * size:
            bits += 1
        fetch = {"size": 2, "inc_read": False, "inc_write": True, "ring_size": bits, "ring_sel": True}
        control = self._dma.pack_ctrl(treq_sel=4 + number, irq_quiet=True, **fetch)  # 4: PIO0's first RX FIFO
        self._dma.config(read=self.machine, write=begin + ahead, count=TRANSFERS, ctrl=control, trigger=True)
        self.machine.exec("mov(osr, invert(null))")
        self.machine.exec("set(y, 0)")

    def begin(self):
        """Start it; return the two instants between which it started, in us of the board's counter."""
        before = time.ticks_us()
        self.machine.active(1)
        return before, time.ticks_us()

    def done(self):
        """The number of words that the DMA has fetched so far."""
        return TRANSFERS - self._dma.count

    def peek(self, index):
        """A word by its number, while it is still in the ring."""
        return self._memory[self._begin + index % self.size]

    def take(self, words):
        """Copy the words since the last call into `words`, as many as fit.

        Return the number of words plus 65,536 times the number of words overwritten before. Overwriting is checked
        again after the copy.
        """
        lost = 0
        if self._dma.count == TRANSFERS - self._read:
            return 0
        for _ in range(4):
            done = self.done()
            over = done - self._read - (self.size - SPARE)
            if over > 0:
                lost += over
                self._read += over
            count = min(done - self._read, len(words))
            begin = self._read % self.size
            straight = min(count, self.size - begin)
            hot.copy(self._memory, self._begin + begin, words, straight)
            if straight < count:
                hot.join(self._memory, self._begin, words, straight << 16 | count)
            if self.done() - self._read <= self.size:
                self._read += count
                return count | min(lost, 0x1FFF) << 16
        lost += self.done() - self._read
        self._read = self.done()
        return min(lost, 0x1FFF) << 16


class Board:
    """This Pico."""

    contacts = CONTACTS
    sync = True
    own_err_ns = 200  # two ticks of 56 ns between two changes, and the pins' own

    def __init__(self):
        micropython.kbd_intr(-1)  # a 03 in a frame is not a Ctrl-C
        self.ident = (machine.unique_id() + bytes(8))[:8]
        self.boot = os.urandom(4)
        self.mhz = machine.freq() // 1000000
        self.ticks_us = time.ticks_us
        self.running = True
        self.common_err_ns = 0
        self.shift = 0  # ticks by which the sync wire's state machine started later
        self.lost = 0
        self.words = array("I", bytes(4 * RING))
        self._rises = array("I", bytes(4 * WIRE_RING))
        self.rises = memoryview(uctypes.bytearray_at(uctypes.addressof(self._rises), 4 * WIRE_RING))
        pull_up, pull_down = machine.Pin.PULL_UP, machine.Pin.PULL_DOWN
        self._pins = [machine.Pin(CONTACT_BASE + n, machine.Pin.IN, pull_up) for n in range(CONTACTS)]
        self._lamps = [machine.Pin(LAMP_BASE + n, machine.Pin.OUT, value=0) for n in range(CONTACTS)]
        self._wire = machine.Pin(SYNC_PIN, machine.Pin.IN, pull_down)
        radio = " W " in sys.implementation._machine
        self._light = None if radio else machine.Pin(25, machine.Pin.OUT, value=0)
        self._edges, self._pulses = Ring(0, CONTACT_BASE, RING), Ring(1, SYNC_PIN, WIRE_RING)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._free = select.poll()
        self._free.register(sys.stdout, select.POLLOUT)
        self._stdin, self._stdout = sys.stdin.buffer, sys.stdout.buffer
        self._ipoll, self._readinto = self._poll.ipoll, self._stdin.readinto
        self._byte, self.raw, self.first_us = bytearray(1), bytearray(RAW), 0
        self._woken, self._woken_us = False, 0
        self._out, self._at, self._end = b"", 0, 0
        self._written = self._taken = 0  # bytes, modulo 65,536: written, and proved to have reached the host
        self._ends = array("H", bytes(2 * ORDINALS))
        self._guard = None

    def start(self):
        """Start to stamp.

        Return the instant of all ones in the counter, the closed contacts, the sync wire.
        """
        before, after = self._edges.begin()
        pulses_before, pulses_after = self._pulses.begin()
        self.shift = ((pulses_before + pulses_after) // 2 - (before + after) // 2) * self.mhz // 7
        # Half of the wider bracket, 1 us for the counter's own step, 1 us for halves, two turns of the loop.
        self.common_err_ns = max(after - before, pulses_after - pulses_before) * 500 + 2112
        closed = 0
        for n, pin in enumerate(self._pins):
            closed |= (1 - pin.value()) << n
        return (before + after) // 2, closed, self._wire.value()

    # -- the watchdog --------------------------------------------------------------------------------------------------

    def guard(self):
        """Start the watchdog: a hang of eight seconds resets the pod."""
        self._guard = machine.WDT(timeout=GUARD_MS)

    def feed(self):
        """Reset the watchdog's timer."""
        if self._guard is not None:
            self._guard.feed()

    # -- the state machines' words -------------------------------------------------------------------------------------

    def fetch(self):
        """Fetch the contacts' words into `words`; return their number.

        `lost` grows by the overwritten ones.
        """
        found = self._edges.take(self.words)
        self.lost += found >> 16
        if found and self._edges.done() > TRANSFERS - LAST:
            machine.reset()
        return found & 0xFFFF

    def pulses(self):
        """Fetch the sync wire's words into `rises`; return their number."""
        return self._pulses.take(self._rises) & 0xFFFF

    # -- the host ------------------------------------------------------------------------------------------------------

    def wait(self, ms):
        """Wait for bytes from the host, at most `ms`.

        The next read begins with a byte that was there then.
        """
        self._woken = False
        for _ in self._poll.ipoll(ms):
            self._woken, self._woken_us = True, time.ticks_us()

    def read(self):
        """Read the available bytes into `raw`, up to the first flag; return their number.

        first_us: when the first had come.
        """
        poll, readinto = self._ipoll, self._readinto
        byte, raw = self._byte, self.raw
        count = 0
        while count < RAW:
            there = False
            for there in poll(0):
                readinto(byte)
            if there is False:
                break
            if not count:
                self.first_us = self._woken_us if self._woken else time.ticks_us()
                self._woken = False
            raw[count] = byte[0]
            count += 1
            if byte[0] == 0x7E:
                break
        return count

    def send(self, out, length, ordinal):
        """Send this frame next. Only after `flush` has returned that the last one is on its way."""
        self._out, self._at = out, 0
        self._end = length
        self._ends[ordinal % ORDINALS] = (self._written + length) & 0xFFFF

    def acknowledge(self, ordinal):
        """Note that the host has had that frame, and so all before it."""
        end = self._ends[ordinal % ORDINALS]
        if (self._written - end) & 0xFFFF < (self._written - self._taken) & 0xFFFF:
            self._taken = end

    def flush(self):
        """Write as far as there is room, briefly if room is uncertain.

        Return whether the whole frame is on its way.
        """
        at, end = self._at, self._end
        ones = 0
        while at < end:
            if ones >= ONES:
                return False
            free = False
            for free in self._free.ipoll(0):
                pass
            if not free:
                return False
            count = FIFO - ((self._written - self._taken) & 0xFFFF)
            if count > AT_ONCE:
                count = AT_ONCE
            if count > end - at:
                count = end - at
            if count < 1:
                count = 1
                ones += 1
            count = self._stdout.write(self._out, at, count)
            if not count:
                return False
            self._at = at = at + count
            self._written = (self._written + count) & 0xFFFF
        return True

    # -- lamps and rare commands ---------------------------------------------------------------------------------------

    def lamps(self, mask):
        for n in range(CONTACTS):
            self._lamps[n].value(mask >> n & 1)

    def light(self, on):
        if self._light is not None:
            self._light.value(on)

    def selftest(self):
        """Return the failures as bits.

        1: the stamper does not push, 2: its clock is off, 4: a contact is closed, 8: memory.
        """
        failed = 0
        first = self._force_word()
        time.sleep_ms(50)
        second = self._force_word()
        if first is None or second is None:
            failed |= 1
        else:
            ticks = (first[0] - second[0]) & 0xFFFFFF
            if abs(ticks * 7 - time.ticks_diff(second[1], first[1]) * self.mhz) > 100 * self.mhz:
                failed |= 2
        if any(not pin.value() for pin in self._pins):
            failed |= 4
        import gc

        gc.collect()
        return failed | (8 if gc.mem_free() < LEAST_FREE else 0)

    def _force_word(self):
        """Make the stamper push a word without a change.

        Return (its counter, when), or None if none came.
        """
        done = self._edges.done()
        level = 0
        for n, pin in enumerate(self._pins):
            level |= pin.value() << n
        now = time.ticks_us()
        self._edges.machine.exec("set(y, 0)" if level else "set(y, 31)")
        time.sleep_us(20)
        return None if self._edges.done() == done else (self._edges.peek(done), now)

    def prompt(self):
        """Leave the program and return to MicroPython's prompt, for new files."""
        self.running = False
        self._edges.machine.active(0)
        self._pulses.machine.active(0)
        self.lamps(0)
        self.light(0)
        self._guard = None
        unguard()


def unguard():
    """Stop the watchdog, and let Ctrl-C interrupt again."""
    machine.mem32[WATCHDOG[chip()] + CLEAR] = 1 << 30
    micropython.kbd_intr(3)
