"""`python -m tests.benchmarks simulate`: hands a second of the fast core, beside an ordinary program and two processes.

Times are the process's own, in turns, so that both sides meet the same minute of the machine. Two processes are held
against one by what a hand costs in each: processes share nothing, so on two free cores the hands a second are the sum.
What is really had in the minute is printed beside it, and depends on what else the machine does.
"""

from __future__ import annotations

import resource
import time
from random import Random
from statistics import mean, median

from referee.simulate.many import Simulation, quickest_core, readable_core, simulate
from tests.benchmarks.figures import Figure, at_least, at_most
from tests.benchmarks.patience import Patience

PLAYERS = 4
ROUNDS = 5
ORDINARY, FAST, READABLE = 120, 4000, 30
"""Hands a round."""
MANY = 500_000
FEW = 500_000
"""So many that what each process needs to begin, a second or so, is a small part: a million by two processes."""


def ordinary(first: int) -> float:
    """Seconds a hand of the object-per-card program."""
    begun = time.process_time()
    for number in range(first, first + ORDINARY):
        Patience(PLAYERS, Random(number)).play()
    return (time.process_time() - begun) / ORDINARY


def core(play: object, first: int, hands: int) -> float:
    """Seconds a hand of one of our cores."""
    table = Simulation("nna", (), PLAYERS, 1, hands)
    rules, habits = table.game.rules, table.habits
    assert callable(play)
    begun = time.process_time()
    for _ in play(rules, habits, 1, range(first, first + hands)):
        pass
    return (time.process_time() - begun) / hands


def whole(hands: int, jobs: int) -> tuple[float, float]:
    """Seconds of the clock, and processor seconds of all processes, for a simulation with its tally."""

    def spent() -> float:
        return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

    begun, before = time.monotonic(), spent()
    simulate(Simulation("nna", (), PLAYERS, 1, hands), jobs, lambda played: None)
    return time.monotonic() - begun, spent() - before


def peak_kib() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> list[Figure]:
    """In turns; the median of the rounds."""
    fast, slower = quickest_core()
    assert not slower, f"the fast core is not there: {slower}"
    core(fast, 0, 10)
    rounds = [
        (ordinary(n * ORDINARY), core(fast, n * FAST, FAST), core(readable_core, 0, READABLE)) for n in range(ROUNDS)
    ]
    plain, quick, readable = (median(column) for column in zip(*rounds, strict=True))
    print(f"hands a second: ordinary {1 / plain:,.0f}, readable {1 / readable:,.0f}, fast {1 / quick:,.0f}")
    score = mean(point for n in range(300) for point in Patience(PLAYERS, Random(n)).play())
    print(f"the ordinary program's players have {score:.1f} points a hand")
    (alone_s, alone), (both_s, both) = whole(FEW, 1), whole(FEW * 2, 2)
    print(f"whole: {FEW / alone_s:,.0f} hands a second by one process, {2 * FEW / both_s:,.0f} by two")
    before = peak_kib()
    whole(MANY, 1)
    grown = peak_kib() - before
    return [
        at_least("simulate: fast core's hands a second", plain / quick, 20, "x", "object-per-card program"),
        at_least("simulate: two processes' hands a processor second", 2 * alone / (both / 2), 1.8, "x", "one process"),
        at_most(f"simulate: memory of {MANY:,} hands more", grown / 1024, 8, "MiB", f"{FEW:,} hands"),
    ]


if __name__ == "__main__":
    main()
