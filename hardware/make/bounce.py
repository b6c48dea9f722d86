"""The lateness of a bouncing press's stamp, simulated from the touch to the kernel's stamp.

Theory of operation. A contact touches and jumps off until it rests. The pin follows through resistor and capacitor
(down through the series resistor, up through that and the pull-up), and turns at a level that differs from pin to
pin. The kernel stamps an edge when its interrupt comes; a further edge before the interrupt's thread has run
replaces the stamp. Lateness is the time from the first touch to the stamp that is read, mostly because a first
touch is too short for the filter or a stamp is replaced.

Figures. The length of bouncing is published: 18 kinds of switches, 1.6 ms on average and 6.2 ms at worst but for
one that is worn out (?) (J. Ganssle, "A Guide to Debouncing", 2004); fractions of a millisecond to 50 ms (Pico
Technology, "Measuring switch bounce"). Its division into touches and gaps is not published, so there are two
assumptions. "Usual": touches and gaps of 100 us to 1 ms, as the simulated table's contacts have them. "Harsh": each
of 1 us to 1 ms, every order of magnitude equally likely, which models dirt, not a blade. One touch in five does not
bounce. The kernel's share is an assumption, too: interrupts answered after 5 us on average, threads after 30 us,
neither later than `skew.KERNEL_US` together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardware.make.skew import Input

SHORTEST_US = {"usual": 100.0, "harsh": 1.0}
LONGEST_US = 1000.0
MEAN_BOUNCE_US = 1557.0
WORST_BOUNCE_US = 6200.0
CLEAN_SHARE = 0.2
INTERRUPT_US = 5.0
THREAD_US = 30.0
PRESSES = 20_000

Edges = list[tuple[float, bool]]
"""(us since the first touch, closed): alternating, closed first and last."""


@dataclass(frozen=True)
class Lateness:
    """Lateness of the simulated presses, us: half, 99 of 100 and 999 of 1000 are stamped no later.

    `within`: the share of presses that are not later than stated.
    """

    half_us: float
    most_us: float
    nearly_all_us: float
    within: float


def touches(dice: Random, kind: str) -> Edges:
    """A contact's changes from its first touch until it rests."""
    if dice.random() < CLEAN_SHARE:
        return [(0.0, True)]
    ends = min(dice.expovariate(1 / MEAN_BOUNCE_US), WORST_BOUNCE_US)
    low, high = math.log(SHORTEST_US[kind]), math.log(LONGEST_US)
    at, edges = 0.0, [(0.0, True)]
    while (at := at + math.exp(dice.uniform(low, high))) < ends:
        edges.append((at, not edges[-1][1]))
    return edges if edges[-1][1] else [*edges, (max(ends, edges[-1][0]), True)]


def at_pin(edges: Edges, fall_us: float, rise_us: float, supply_v: float, turns_v: float) -> Edges:
    """The pin's changes, (us, low), after the filter; `fall_us`, `rise_us`: time constants."""
    volts, was, low, closed = supply_v, 0.0, False, False
    found: Edges = []
    for until, change in [*edges, (math.inf, False)]:
        towards, tau = (0.0, fall_us) if closed else (supply_v, rise_us)
        if closed != low and (volts - turns_v) * (towards - turns_v) < 0:
            crossing = was + tau * math.log((volts - towards) / (turns_v - towards))
            if crossing < until:
                low = closed
                found.append((crossing, low))
        volts = towards + (volts - towards) * math.exp(-(until - was) / tau)
        was, closed = until, change
    return found


def stamped_us(pin: Edges, answered_us: list[float], thread_us: float) -> float:
    """The stamp of the first edge that is read: the last one before the first one's thread had run."""
    first = pin[0][0] + answered_us[0]
    before = [at + late for (at, _), late in zip(pin, answered_us, strict=True) if at + late <= first + thread_us]
    return before[-1]


def lateness_us(dice: Random, one: Input, kind: str, supply_v: tuple[float, float], turns_v: tuple[float, float],
                kernel_us: float) -> float:  # fmt: skip
    """The lateness of one press, with parts, levels and the kernel's answer drawn from their ranges."""
    series = one.series_ohm * (1 + dice.uniform(-1, 1) * one.series_tolerance)
    pull = one.pull_ohm * (1 + dice.uniform(-1, 1) * one.series_tolerance)
    farad = one.farad * (1 + dice.uniform(-1, 1) * one.farad_tolerance) * 1e6
    pin = at_pin(touches(dice, kind), series * farad, (series + pull) * farad, dice.uniform(*supply_v),
                 dice.uniform(*turns_v))  # fmt: skip
    answered = [min(dice.expovariate(1 / INTERRUPT_US), kernel_us) for _ in pin]
    return stamped_us(pin, answered, min(dice.expovariate(1 / THREAD_US), kernel_us - answered[0]))


@cache
def lateness(one: Input, kind: str, supply_v: tuple[float, float], turns_v: tuple[float, float], kernel_us: float,
             stated_us: float) -> Lateness:  # fmt: skip
    """The lateness of `PRESSES` presses at that input, the same ones each time."""
    dice = Random(1)
    late = sorted(lateness_us(dice, one, kind, supply_v, turns_v, kernel_us) for _ in range(PRESSES))
    return Lateness(
        late[PRESSES // 2],
        late[PRESSES * 99 // 100],
        late[PRESSES * 999 // 1000],
        sum(each <= stated_us for each in late) / PRESSES,
    )
