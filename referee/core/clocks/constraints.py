"""Lines between constraints: what a wandering offset may be at a time, when at other times it was within constraints.

Theory of operation. `x(f)` is an offset in ns at a time f in ns. Its rate dx/df is at most FASTEST, changes by at most
a `Wander`'s amount a second and by at most RANGE ever. Then x(f + u) is within `slack_ns(u)` of the straight line
through x(f) with the rate at f: a parabola at first. So a constraint at any time, before or after f, limits the line at
f, the less the farther away it is. The lines that pass between all constraints are a polygon in two unknowns, height
and rate, and its extremes are the answer. (Linear programs over one-way delays are Moon, Skelly and Towsley's way,
"Estimation and removal of clock skew from network delay measurements", 1999; keeping only the convex hull is Zhang, Liu
and Xia's, "Clock synchronization algorithms for network measurements", 2002. The parabola is what a clock that wanders
adds.)

A constraint is idle when its neighbours say as much at every f. Since the slack is a parabola, that does not depend on
f: it is being off the convex hull once the parabola is added. Any part of the constraints gives true answers, only
wider ones; so their number can be bounded, and rounding goes outwards.

Constraints here limit x from above; those from below are constraints of -x, and the mirrored line has the opposite
rate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from referee.core.units import S
from referee.core.values import Value

UNIT = 10**15
"""A rate of 1: one second a second."""
PPM = UNIT // 10**6
FASTEST_PPM = 500
"""Crystals of ±100 ppm on either side, and what a time service adds to the host's: adjtimex(2) stops at 500 ppm."""
RANGE_PPM = 40
"""±10 ppm over 0 to 50 °C is usual for a crystal; there are two, and theirs may have opposite signs."""
SURE_PPB_PER_S = 100
"""What a bound allows. A crystal near room temperature moves by less than 0.5 ppm for a degree and usually by 0.1; a
board follows a step of the air, or of its processor's load, by at most a degree in some seconds. For two clocks."""
LIKELY_PPB_PER_S = 3
"""What an estimate expects: most of the time nothing steps."""
CENTRE_STEPS = 3
MOST_CONSTRAINTS = 32

FASTEST = FASTEST_PPM * PPM
RANGE = RANGE_PPM * PPM

Constraint = tuple[int, int]
"""A time, ns, and the greatest offset there, ns. `seen_from` a time: ns after it, and the height in parts of UNIT."""
Constraints = tuple[Constraint, ...]
"""What bounds a clock's offset, in order of time."""
Rates = tuple[int, int]
"""The slowest and the fastest, in parts of UNIT."""


class Wander(Value):
    """How fast a rate can change: per_s in parts of UNIT; the slack that follows is u²/curve_ns until turn_ns.

    At turn_ns the rate can have changed by RANGE, and from there on the slack is straight.
    """

    per_s: int
    curve_ns: int
    turn_ns: int

    @staticmethod
    def of(ppb_per_s: int) -> Wander:
        """By parts of 10⁹ a second."""
        per_s = ppb_per_s * PPM // 1000
        return Wander(per_s, 2 * UNIT * S // per_s, RANGE * S // per_s)


SURE = Wander.of(SURE_PPB_PER_S)
LIKELY = Wander.of(LIKELY_PPB_PER_S)


def slack_ns(u_ns: int, wander: Wander) -> int:
    """How far an offset can be, u_ns away, from a line of its rate; rounded up."""
    u_ns = abs(u_ns)
    if u_ns <= wander.turn_ns:
        return u_ns * u_ns // wander.curve_ns + 1
    return RANGE * (2 * u_ns - wander.turn_ns) // (2 * UNIT) + 1


def rate_change(span_ns: int, wander: Wander) -> int:
    """How much a rate can have changed within a span, rounded up."""
    return min(wander.per_s * abs(span_ns) // S + 1, RANGE)


def seen_from(constraints: Constraints, at_ns: int, through_ns: int, wander: Wander) -> Constraints:
    """The constraints as a line of a rate at `through_ns` must respect them, by its height at `at_ns`."""
    return tuple((when - at_ns, (height + slack_ns(when - through_ns, wander)) * UNIT) for when, height in constraints)


# -- which constraints to keep ------------------------------------------------------------------------------------


def with_constraint(constraints: Constraints, new: Constraint) -> Constraints:
    """The constraints with one more, without those that have become idle, and at most MOST_CONSTRAINTS of them."""
    at = bisect_left(constraints, new)
    kept = list(constraints[:at])
    for constraint in (new, *constraints[at:]):
        if kept and kept[-1][0] == constraint[0]:
            continue  # the lower of two at the same time stands first
        while len(kept) > 1 and _is_idle(kept[-2], kept[-1], constraint):
            kept.pop()
        kept.append(constraint)
    return tuple(kept) if len(kept) <= MOST_CONSTRAINTS else _thin(kept)


def _is_idle(before: Constraint, constraint: Constraint, after: Constraint) -> bool:
    """Whether the constraints before and after say as much about every line as this one."""
    left, right = constraint[0] - before[0], after[0] - constraint[0]
    over = (constraint[1] - before[1]) * right + (constraint[1] - after[1]) * left
    return over * SURE.curve_ns >= left * right * (left + right)


def _thin(constraints: Sequence[Constraint]) -> Constraints:
    """Without the constraint that stands closest to its neighbours for its age, so that some of every age remain."""
    newest = constraints[-1][0]
    crowding = [
        (after[0] - before[0]) * UNIT // (newest - constraint[0])
        for before, constraint, after in zip(constraints, constraints[1:], constraints[2:], strict=False)
    ]
    at = crowding.index(min(crowding)) + 1
    return (*constraints[:at], *constraints[at + 1 :])


# -- the linear program; constraints as `seen_from` a time --------------------------------------------------------


def between(above: Constraints, below: Constraints, rates: Rates) -> Rates | None:
    """Which of these rates the lines have that pass between constraints, None when no line does."""
    slow, fast = rates
    fastest, mirrored = _fastest(above, below, fast), _fastest(below, above, -slow)
    if fastest is None or mirrored is None or -mirrored > fastest:
        return None
    return -mirrored, fastest


def _fastest(above: Constraints, below: Constraints, rate: int) -> int | None:
    """The greatest rate, up to this, of a line between constraints. The room is concave in it: Newton from outside."""
    while rate >= -FASTEST:
        (roof, (u_roof, _)), (floor, (u_floor, _)) = _lowest(above, rate), _lowest(below, -rate)
        room = roof + floor
        if room >= 0:
            return rate
        if u_floor >= u_roof:
            return None
        step = room // (u_floor - u_roof)
        if step == 0:
            return rate
        rate -= step
    return None


def _lowest(constraints: Constraints, rate: int) -> tuple[int, Constraint]:
    """Where a line of this rate passes at most, in parts of UNIT, and the constraint that says so."""
    heights = [height - rate * u for u, height in constraints]
    lowest = min(heights)
    return lowest, constraints[heights.index(lowest)]


def highest_ns(constraints: Constraints, rates: Rates) -> int:
    """The greatest height of a line under constraints, at one of these rates; rounded up. It is concave in the rate."""
    (at_slow, left), (at_fast, right) = _lowest(constraints, rates[0]), _lowest(constraints, rates[1])
    if right[0] <= 0:
        return -(-at_fast // UNIT)
    if left[0] >= 0:
        return -(-at_slow // UNIT)
    return -(-_chord(constraints, left, right) // UNIT)


def _chord(constraints: Constraints, left: Constraint, right: Constraint) -> int:
    """The height of the lowest bridge from a constraint before to one after, from these two down; in parts of UNIT.

    Each bridge is a true bound, and each constraint found under one makes the next lower.
    """
    while (constraint := _lowest(constraints, (right[1] - left[1]) // (right[0] - left[0]))[1]) not in (left, right):
        left, right = (constraint, right) if constraint[0] <= 0 else (left, constraint)
    return -((left[1] * right[0] - right[1] * left[0]) // (left[0] - right[0]))


def centre_ns(above: Constraints, below: Constraints, rates: Rates) -> int | None:
    """The height of the polygon's centre of gravity; None if there is no polygon at these rates.

    Each line between the constraints is as good as another, so this is their mean, by rates a step apart.
    """
    slow, fast = rates
    area, moment = 0, 0
    for step in range(1, 2 * CENTRE_STEPS, 2):
        rate = slow + (fast - slow) * step // (2 * CENTRE_STEPS)
        top, bottom = _lowest(above, rate)[0], -_lowest(below, -rate)[0]
        room = max(top - bottom, 0)
        area, moment = area + room, moment + room * (top + bottom)
    return moment // (2 * area * UNIT) if area else None
