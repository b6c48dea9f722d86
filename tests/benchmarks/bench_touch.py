"""Measure how phones' touches are placed: `python -m tests.benchmarks touch`.

A million touches of simulated phones. The browsers' clocks have steps of 0.1 or 1 ms, round up or down at random, and
drift. The links take 0.3 to 150 ms in bursts, on both ways or one. `TOUCHES=N` in the environment takes
fewer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random

from referee.core.clocks.fit import Exchange
from referee.core.clocks.touch import TOUCH_NS, new_phone, placed_touch
from referee.core.units import MS, US, S
from tests.benchmarks.figures import Figure, at_most, quantile

TOUCHES = int(os.environ.get("TOUCHES", "1000000"))
ROUND_TRIPS_MS = (0.3, 1, 3, 10, 40, 150)


def phone_clock(random: Random, step_ns: int, *, jitters: bool) -> Callable[[int], int]:
    """Return a phone's clock: host time -> its reading, both in ns."""
    offset_ns, ppm, ramp = random.randrange(10**12), random.uniform(-100, 100), random.uniform(-0.08, 0.08)

    def read(host_ns: int) -> int:
        s = host_ns / S
        instant_ns = int(host_ns + offset_ns + (ppm * s + ramp * s * s / 2) * US)
        ticks, rest_ns = divmod(instant_ns, step_ns)
        up = jitters and rest_ns >= Random(ticks).randrange(step_ns)  # the same at each reading within a step
        return (ticks + up) * step_ns

    return read


def touches(random: Random) -> Iterator[tuple[bool, float]]:
    """Yield one phone's touches: whether each is outside its bound, and the bound as a share of the wanted one."""
    step_ns, trip_ms, one_way = random.choice([100 * US, MS]), random.choice(ROUND_TRIPS_MS), random.random()
    jitters = step_ns < MS or random.random() < 0.5  # WebKit's step of 1 ms does not: its page tells half of it
    clock, fit = phone_clock(random, step_ns, jitters=jitters), new_phone(step_ns if jitters else step_ns // 2)
    at_ns, best_ns = 10 * S, S
    for asked in range(random.randrange(8, 120)):
        burst_ms = random.expovariate(1 / 60) if random.random() < 0.3 else 0
        trip_ns = (trip_ms * random.lognormvariate(0, 0.4) + burst_ms) * MS
        out_ns, back_ns = (int(trip_ns * share * random.uniform(0.7, 1)) for share in (one_way, 1 - one_way))
        fit = fit.with_exchange(Exchange(at_ns, clock(at_ns + out_ns), at_ns + out_ns + back_ns))
        best_ns, at_ns = min(best_ns, out_ns + back_ns), at_ns + out_ns + back_ns + 100 * MS
        for _ in range(6 if asked > 6 else 0):
            finger_ns = at_ns + random.randrange(-300 * MS, 100 * MS)
            seen = placed_touch(fit, clock(finger_ns + random.randrange(*TOUCH_NS)))
            assert seen is not None
            wanted_ns = 0.6 * best_ns + step_ns + (TOUCH_NS[1] - TOUCH_NS[0]) / 2
            yield abs(seen.t_ns - finger_ns) > seen.err_ns, seen.err_ns / wanted_ns


def main() -> list[Figure]:
    random, outside, shares = Random(40), 0, list[float]()
    while len(shares) < TOUCHES:
        for missed, share in touches(random):
            outside += missed
            shares.append(share)
    return [
        at_most(f"touches outside their bound, of {len(shares):,}", outside, 0, ""),
        at_most(
            "median bound / (0.6 best round trip + step + half the touch's range)", quantile(shares, 0.5), 1.03, ""
        ),
    ]
