"""Bounds on the changing offset between two clocks at one time, from measurements at others.

Theory of operation. `x(f)` is an offset in ns at a time f in ns. Its rate dx/df is at most FASTEST, and changes by at
most a `Wander`'s amount per second and by at most RANGE in all. Then x(f + u) is within `slack_ns(u)` of the straight
line through x(f) with the rate at f; the slack is a parabola at first. So a constraint at any time, before or after f,
limits the line at f, and the farther away it is, the less. The lines that pass between all constraints form a polygon
in two unknowns, height and rate. Its extremes are the answer. (Linear programs over one-way delays: Moon, Skelly and
Towsley, "Estimation and removal of clock skew from network delay measurements", 1999. Keeping only the convex hull:
Zhang, Liu and Xia, "Clock synchronization algorithms for network measurements", 2002. The parabola is added here for
clocks whose rates change.)

A constraint is idle if its neighbours imply it at every f. Because the slack is a parabola, this does not depend on f:
the constraint is off the convex hull once the parabola is added. Dropping constraints keeps the bounds valid but
looser, so their number can be limited. All rounding makes bounds wider.

Constraints here limit x from above. Those from below are constraints of -x, and the mirrored line has the opposite
rate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from referee.core.units import S
from referee.core.values import Value

UNIT = 10**15
"""The number for a rate of 1 (one second per second)."""
PPM = UNIT // 10**6
FASTEST_PPM = 500
"""Maximum rate, in ppm.

Crystals of ±100 ppm on both sides, plus the time service (adjtimex(2) stops at 500 ppm).
"""
RANGE_PPM = 40
"""Maximum change of a rate over all time, in ppm.

±10 ppm over 0 to 50 °C is usual, for two crystals with opposite signs.
"""
SURE_PPB_PER_S = 100
"""Maximum change of the rate between two clocks, for bounds that must hold.

A crystal near room temperature changes by less than 0.5 ppm per degree, usually by 0.1. A board follows a step of the
air temperature or of its processor's load by at most a degree in some seconds.
"""
LIKELY_PPB_PER_S = 3
"""Usual change of the rate, for estimates: most of the time the temperature is steady."""
CENTRE_STEPS = 3
MOST_CONSTRAINTS = 32

FASTEST = FASTEST_PPM * PPM
RANGE = RANGE_PPM * PPM

Constraint = tuple[int, int]
"""A time in ns, and the greatest possible offset at that time in ns.

As returned by `seen_from` a time: ns after that time, and the height in parts of UNIT.
"""
Constraints = tuple[Constraint, ...]
"""Upper limits of a clock's offset, in order of time."""
Rates = tuple[int, int]
"""The slowest and the fastest rate, in parts of UNIT."""


class Wander(Value):
    """How fast a rate can change. per_s: its greatest change in a second, in parts of UNIT.

    Within u ns, such changes move an offset by up to u²/curve_ns (the slack). This holds for u up to turn_ns, the time
    in which the rate can change by RANGE. Beyond turn_ns, the slack grows linearly.
    """

    per_s: int
    curve_ns: int
    turn_ns: int

    @staticmethod
    def of(ppb_per_s: int) -> Wander:
        """Return the wander of a rate that changes by this many parts per 10⁹ in a second."""
        per_s = ppb_per_s * PPM // 1000
        return Wander(per_s, 2 * UNIT * S // per_s, RANGE * S // per_s)


SURE = Wander.of(SURE_PPB_PER_S)
LIKELY = Wander.of(LIKELY_PPB_PER_S)


def slack_ns(u_ns: int, wander: Wander) -> int:
    """Return how far changes of the rate can move an offset within u_ns, in ns, rounded up."""
    u_ns = abs(u_ns)
    if u_ns <= wander.turn_ns:
        return u_ns * u_ns // wander.curve_ns + 1
    return RANGE * (2 * u_ns - wander.turn_ns) // (2 * UNIT) + 1


def rate_change(span_ns: int, wander: Wander) -> int:
    """Return how much a rate can change within a span, in parts of UNIT, rounded up."""
    return min(wander.per_s * abs(span_ns) // S + 1, RANGE)


def seen_from(constraints: Constraints, at_ns: int, through_ns: int, wander: Wander) -> Constraints:
    """Return the constraints as limits of a straight line, with times relative to `at_ns`.

    The line has the offset and the rate of the instant `through_ns`. Each limit is raised by the slack, because the
    rate can be different at other times. Heights are in parts of UNIT.
    """
    return tuple((when - at_ns, (height + slack_ns(when - through_ns, wander)) * UNIT) for when, height in constraints)


# -- which constraints to keep ------------------------------------------------------------------------------------


def with_constraint(constraints: Constraints, new: Constraint) -> Constraints:
    """Add a constraint, drop superfluous ones, and keep at most MOST_CONSTRAINTS."""
    at = bisect_left(constraints, new)
    kept = list(constraints[:at])
    for constraint in (new, *constraints[at:]):
        if kept and kept[-1][0] == constraint[0]:
            continue  # two at the same time: the lower one came first and is enough
        while len(kept) > 1 and _is_idle(kept[-2], kept[-1], constraint):
            kept.pop()
        kept.append(constraint)
    return tuple(kept) if len(kept) <= MOST_CONSTRAINTS else _thin(kept)


def _is_idle(before: Constraint, constraint: Constraint, after: Constraint) -> bool:
    """Return whether the constraints before and after make this one superfluous."""
    left, right = constraint[0] - before[0], after[0] - constraint[0]
    over = (constraint[1] - before[1]) * right + (constraint[1] - after[1]) * left
    return over * SURE.curve_ns >= left * right * (left + right)


def _thin(constraints: Sequence[Constraint]) -> Constraints:
    """Drop the constraint whose two neighbours are closest in time, relative to its age.

    As a result, some old constraints remain.
    """
    newest = constraints[-1][0]
    crowding = [
        (after[0] - before[0]) * UNIT // (newest - constraint[0])
        for before, constraint, after in zip(constraints, constraints[1:], constraints[2:], strict=False)
    ]
    at = crowding.index(min(crowding)) + 1
    return (*constraints[:at], *constraints[at + 1 :])


# -- the linear program; constraints as `seen_from` a time --------------------------------------------------------


def between(above: Constraints, below: Constraints, rates: Rates) -> Rates | None:
    """Return the slowest and the fastest rate of lines that fit; None if no line fits.

    A line fits if its rate is in the range `rates` and it exceeds no constraint of `above`. The line of opposite height
    and rate must exceed no constraint of `below`.
    """
    slow, fast = rates
    fastest, mirrored = _fastest(above, below, fast), _fastest(below, above, -slow)
    if fastest is None or mirrored is None or -mirrored > fastest:
        return None
    return -mirrored, fastest


def _fastest(above: Constraints, below: Constraints, rate: int) -> int | None:
    """Return the greatest rate, up to `rate`, of a line that passes between the constraints.

    Newton's method lowers the rate step by step. The room between upper and lower constraints is a concave function of
    the rate, so no step goes below the result.
    """
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
    """Return how high a line with this rate can be at time 0 without exceeding a constraint.

    The height is in parts of UNIT. The second value is the constraint that limits the height.
    """
    heights = [height - rate * u for u, height in constraints]
    lowest = min(heights)
    return lowest, constraints[heights.index(lowest)]


def highest_ns(constraints: Constraints, rates: Rates) -> int:
    """Return the greatest height at time 0 of a line that exceeds no constraint, in ns.

    rates: the range of the line's rate. The result is rounded up. Seen as a function of the rate, the greatest height
    is concave.
    """
    (at_slow, left), (at_fast, right) = _lowest(constraints, rates[0]), _lowest(constraints, rates[1])
    if right[0] <= 0:
        return -(-at_fast // UNIT)
    if left[0] >= 0:
        return -(-at_slow // UNIT)
    return -(-_chord(constraints, left, right) // UNIT)


def _chord(constraints: Constraints, left: Constraint, right: Constraint) -> int:
    """Return the greatest height at time 0 of a line that exceeds no constraint.

    The height is in parts of UNIT. This line goes through two constraints, one before and one after time 0. The search
    starts with the line through `left` and `right`. While another constraint is below the line, it replaces `left` or
    `right`, whichever is on its side. Every line of the search gives a valid bound.
    """
    while (constraint := _lowest(constraints, (right[1] - left[1]) // (right[0] - left[0]))[1]) not in (left, right):
        left, right = (constraint, right) if constraint[0] <= 0 else (left, constraint)
    return -((left[1] * right[0] - right[1] * left[0]) // (left[0] - right[0]))


def centre_ns(above: Constraints, below: Constraints, rates: Rates) -> int | None:
    """Return the mean height at time 0 of all lines that fit; None if no line fits.

    A line fits if its rate is in the range `rates` and it runs between the constraints `above` and `below`. All such
    lines count as equally likely; the mean is taken at evenly spaced rates (the polygon's centre of gravity).
    """
    slow, fast = rates
    area, moment = 0, 0
    for step in range(1, 2 * CENTRE_STEPS, 2):
        rate = slow + (fast - slow) * step // (2 * CENTRE_STEPS)
        top, bottom = _lowest(above, rate)[0], -_lowest(below, -rate)[0]
        room = max(top - bottom, 0)
        area, moment = area + room, moment + room * (top + bottom)
    return moment // (2 * area * UNIT) if area else None
