"""Runs the pod. Whatever breaks is printed, and the pod starts anew; the seconds before that are the way to the prompt."""

import gc
import sys
import time

import machine


def run():
    import board
    from pod import Pod

    reason = board.unfit()
    while reason:  # said again and again: whoever asks this line later hears it, too; a Ctrl-C ends it
        print(reason)
        time.sleep(1)
    here = board.Board()
    pod = Pod(here, *here.start())
    gc.collect()
    here.guard()
    while here.running:
        pod.turn()


try:
    run()
except Exception as exc:
    import board

    board.unguard()
    sys.print_exception(exc)
    time.sleep(2)
    machine.reset()
