"""Runs the pod. Whatever breaks is printed, and the pod starts anew; the second before that is the way to the prompt."""

import sys
import time

import machine


def run():
    from board import Board
    from pod import Pod

    board = Board()
    pod = Pod(board)
    pod.begin(*board.start())
    while board.running:
        pod.turn()


try:
    run()
except Exception as exc:
    import micropython

    micropython.kbd_intr(3)
    sys.print_exception(exc)
    time.sleep(2)
    machine.reset()
