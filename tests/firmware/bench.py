"""The pod on a bench: runs on MicroPython itself, with a board simulated on the host.

`pod.mjs` drives it.
"""

from array import array
from binascii import hexlify, unhexlify

import _bus
from pod import Pod


class Board:
    contacts = 8
    sync = True
    mhz = 125
    common_err_ns = 3000
    own_err_ns = 200
    shift = 0
    ident = unhexlify(_bus.ident())

    def __init__(self):
        self.boot = int(_bus.boot()).to_bytes(4, "little")
        self.ticks_us = _bus.ticks_us
        self.lost = 0
        self.words = self.rises = self.raw = None
        self.first_us = 0
        self._inbox = b""

    def start(self):
        begun = _bus.begin()
        return begun, _bus.closed(), 0

    def feed(self):
        pass

    def wait(self, ms):
        pass

    def fetch(self):
        self.words = array("I", [int(word) for word in _bus.words().split(",") if word])
        return len(self.words)

    def pulses(self):
        return 0

    def read(self):
        if not self._inbox:
            self._inbox = unhexlify(_bus.read())
            self.first_us = self.ticks_us()
        end = self._inbox.find(b"\x7e") + 1 or len(self._inbox)
        self.raw, self._inbox = self._inbox[:end], self._inbox[end:]
        return end

    def send(self, out, length, ordinal):
        _bus.write(hexlify(out[:length]).decode())

    def flush(self):
        return True

    def acknowledge(self, ordinal):
        pass

    def lamps(self, mask):
        _bus.lamps(mask)

    def light(self, on):
        pass

    def selftest(self):
        return _bus.selftest()

    def prompt(self):
        _bus.prompt()


def start():
    global pod
    board = Board()
    pod = Pod(board, *board.start())


def turn():
    pod.turn()


start()
