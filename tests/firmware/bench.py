"""The pod on a bench: runs on MicroPython itself, over a board made of the machine it is on. pod.mjs drives it."""

from binascii import hexlify, unhexlify

import _bus
from pod import Pod


class Board:
    contacts = 8
    sync = True
    hz = 125000000
    stamp_err_ns = 3000
    ident = unhexlify(_bus.ident())

    def __init__(self):
        self.boot = int(_bus.boot())
        self.ticks_us = _bus.ticks_us

    def start(self):
        begun = _bus.begin()
        return begun, _bus.closed()

    def words(self):
        lost, words = _bus.words().split(";")
        return [int(word) for word in words.split(",") if word], int(lost)

    def pulses(self):
        return [int(word) for word in _bus.pulses().split(",") if word]

    def read(self):
        return unhexlify(_bus.read())

    def write(self, data):
        _bus.write(hexlify(data).decode())

    def lamps(self, mask):
        _bus.lamps(mask)

    def selftest(self):
        return _bus.selftest()

    def prompt(self):
        _bus.prompt()


def start():
    global pod
    board = Board()
    pod = Pod(board)
    pod.begin(*board.start())


def turn():
    pod.turn()


start()
