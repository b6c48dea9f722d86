"""Runs the pod.

An error is printed, and the pod restarts; the seconds before that allow a Ctrl-C to the prompt.
"""

import gc
import sys
import time

import machine


def run():
    import board
    from pod import Pod

    reason = board.unfit()
    while reason:  # repeated for a host that connects later; a Ctrl-C ends it
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
