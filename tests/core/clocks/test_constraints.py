"""Lines between constraints, each result compared with fractions computed pair by pair."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from referee.core.clocks.constraints import (
    CENTRE_STEPS,
    FASTEST,
    LIKELY,
    MOST_CONSTRAINTS,
    PPM,
    RANGE,
    SURE,
    UNIT,
    Constraints,
    Rates,
    Wander,
    between,
    centre_ns,
    highest_ns,
    rate_change,
    seen_from,
    slack_ns,
    with_constraint,
)
from referee.core.units import MS, S

SPAN = st.integers(-1_000 * S, 1_000 * S)
WANDER = st.sampled_from((SURE, LIKELY))
POINTS = st.lists(st.tuples(st.integers(-60 * S, 60 * S), st.integers(-20 * MS, 20 * MS)), min_size=1, max_size=8)
RATE = st.integers(-FASTEST, FASTEST) | st.integers(-16, 16).map(lambda part: part * FASTEST // 16)
"""Rates near 0, which wide ranges favour, turn no line by 1 ns; sixteenths of FASTEST do."""
RATES = st.tuples(RATE, RATE).map(lambda two: (min(two), max(two)))


def in_parts(points: list[tuple[int, int]]) -> Constraints:
    """Return the points in the form that `seen_from` returns."""
    return tuple((u, height * UNIT) for u, height in sorted(points))


# -- clock wander --------------------------------------------------------------------------------------------------


@given(SPAN, WANDER)
@example(1_000 * S, SURE)  # where it is straight
def test_the_slack_is_the_rate_s_change_summed_up_and_rounded_up(u_ns: int, wander: Wander) -> None:
    u, per_ns = Fraction(abs(u_ns)), Fraction(wander.per_s, S * UNIT)
    turn = Fraction(RANGE, UNIT) / per_ns
    true = per_ns * u * u / 2 if u <= turn else Fraction(RANGE, UNIT) * (u - turn / 2)
    assert true < slack_ns(u_ns, wander) < true + Fraction(1001, 1000)


@given(SPAN, WANDER)
def test_a_rate_changes_no_faster_than_the_model_says(span_ns: int, wander: Wander) -> None:
    true = Fraction(wander.per_s * abs(span_ns), S)
    assert rate_change(span_ns, wander) == min(true.numerator // true.denominator + 1, RANGE)


@given(POINTS, SPAN, SPAN, WANDER)
def test_constraints_are_seen_from_a_time_with_their_slack(
    points: list[tuple[int, int]], at_ns: int, through_ns: int, wander: Wander
) -> None:
    told = seen_from(tuple(points), at_ns, through_ns, wander)
    assert [at_ns + u for u, _ in told] == [when for when, _ in points]
    for (when, height), (_, passes) in zip(points, told, strict=True):
        assert Fraction(passes, UNIT) == height + slack_ns(when - through_ns, wander)


# -- kept constraints ----------------------------------------------------------------------------------------------


def with_all(points: list[tuple[int, int]]) -> Constraints:
    kept: Constraints = ()
    for point in points:
        kept = with_constraint(kept, point)
    return kept


def roof(constraints: Constraints, at_ns: int, rate: int) -> Fraction:
    """Return the greatest height of a line of that rate at `at_ns`, with the parabola as slack."""
    return min(
        height + Fraction((when - at_ns) ** 2, SURE.curve_ns) - Fraction(rate * (when - at_ns), UNIT)
        for when, height in constraints
    )


CLOSE = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), min_size=1, max_size=12).map(
    lambda points: [(10 * S * step, height * 1_000) for step, height in points]
)


@given(CLOSE, st.integers(-5, 45), st.integers(-20, 20))
def test_what_is_dropped_said_nothing_that_others_do_not(points: list[tuple[int, int]], step: int, ppm: int) -> None:
    kept = with_all(points)
    assert set(kept) <= set(points)
    assert [when for when, _ in kept] == sorted({when for when, _ in kept})
    assert roof(kept, step * 10 * S, ppm * PPM) == roof(tuple(points), step * 10 * S, ppm * PPM)


@given(CLOSE)
@example([(0, 0), (10 * S, 5_000), (20 * S, 0)])  # on the line between its neighbours, to the nanosecond
def test_every_one_that_is_kept_says_something(points: list[tuple[int, int]]) -> None:
    kept = with_all(points)
    curved = [(when, height + Fraction(when * when, SURE.curve_ns)) for when, height in kept]
    for (before, low), (when, height), (after, high) in zip(curved, curved[1:], curved[2:], strict=False):
        assert height < low + (high - low) * Fraction(when - before, after - before)


def hull(count: int, gaps: list[int]) -> list[tuple[int, int]]:
    """Return `count` constraints that all matter: a deep parabola."""
    times = [sum(gaps[:n]) * S for n in range(count)]
    middle = times[-1] // 2
    return [(when, (when - middle) ** 2 // (S * 100)) for when in times]


@given(st.lists(st.integers(1, 9), min_size=MOST_CONSTRAINTS + 1, max_size=MOST_CONSTRAINTS + 1))
def test_when_there_are_too_many_the_one_that_stands_closest_for_its_age_goes(gaps: list[int]) -> None:
    points = hull(MOST_CONSTRAINTS + 1, gaps)
    assert with_all(points[:-1]) == tuple(points[:-1])
    kept = with_all(points)
    newest = points[-1][0]
    inner = zip(points, points[1:], points[2:], strict=False)
    crowding = {point: (after[0] - before[0]) * UNIT // (newest - point[0]) for before, point, after in inner}
    [gone] = set(points) - set(kept)
    assert crowding[gone] == min(crowding.values())
    assert gone == next(point for point, value in crowding.items() if value == crowding[gone])


# -- lines between them --------------------------------------------------------------------------------------------


def pairs_say(above: Constraints, below: Constraints, rates: Rates) -> tuple[Fraction, Fraction] | None:
    """Return the rates that every pair of an upper and a lower constraint allows."""
    slow, fast = Fraction(rates[0]), Fraction(rates[1])
    for (u, height), (v, depth) in product(above, below):
        if u > v:
            fast = min(fast, Fraction(height + depth, u - v))
        elif u < v:
            slow = max(slow, Fraction(-(height + depth), v - u))
        elif height + depth < 0:
            return None
    return (slow, fast) if slow <= fast else None


@given(POINTS, POINTS, RATES)
def test_the_rates_of_lines_between_are_those_that_every_pair_leaves(
    over: list[tuple[int, int]], under: list[tuple[int, int]], rates: Rates
) -> None:
    above, below = in_parts(over), in_parts(under)
    true, found = pairs_say(above, below, rates), between(above, below, rates)
    if true is not None:
        assert found is not None
        assert true[0] - 1 < found[0] <= true[0]
        assert true[1] <= found[1] < true[1] + 1
    elif found is not None:  # rounding alone
        wider = pairs_say(above, below, (rates[0] - 1, rates[1] + 1))
        assert wider is None or wider[1] - wider[0] < 2
        assert found[1] - found[0] <= 1


@given(POINTS, RATES)
def test_the_greatest_height_is_that_at_an_end_or_where_two_cross(points: list[tuple[int, int]], rates: Rates) -> None:
    constraints = in_parts(points)

    def passes(rate: Fraction) -> Fraction:
        return min(height - rate * u for u, height in constraints)

    at = [Fraction(rate) for rate in rates]
    for (u, height), (v, other) in product(constraints, constraints):
        if u != v and rates[0] < Fraction(height - other, u - v) < rates[1]:
            at.append(Fraction(height - other, u - v))
    true = max(map(passes, at)) / UNIT
    assert true <= highest_ns(constraints, rates) <= true + 2


def test_the_greatest_height_by_hand() -> None:
    rates = (-UNIT // 10, UNIT // 10)
    assert highest_ns(((-10, 5 * UNIT),), rates) == 6
    assert highest_ns(((10, 5 * UNIT),), rates) == 6
    assert highest_ns(((0, 5 * UNIT),), rates) == 5
    assert highest_ns(((0, 5 * UNIT + 1),), rates) == 6
    assert highest_ns(((-10, 5 * UNIT), (10, 5 * UNIT)), rates) == 5
    assert highest_ns(((-10, 0), (30, 4 * UNIT)), rates) == 1
    assert highest_ns(((-10, 0), (0, UNIT // 2), (30, 4 * UNIT)), rates) == 1
    wide = (-10 * UNIT, 10 * UNIT)
    assert highest_ns(((-9, UNIT), (1, 6 * UNIT), (5, 37 * UNIT), (12, 20 * UNIT)), wide) == 6
    assert highest_ns(((-10, 0), (1, 40 * UNIT)), wide) == 37
    assert highest_ns(((-1, 40 * UNIT), (10, 0)), wide) == 37
    assert highest_ns(((-10, 0), (5, UNIT // 2), (30, 40 * UNIT)), wide) == 1
    assert highest_ns(((-10, 0), (30, 40 * UNIT)), wide) == 10
    assert highest_ns(((-30, 40 * UNIT), (-5, UNIT // 2), (10, 0)), wide) == 1
    assert highest_ns(((-30, 40 * UNIT), (-8, 3 * UNIT), (-4, 9 * UNIT), (6, 7 * UNIT), (30, 50 * UNIT)), wide) == 6


@given(POINTS, POINTS, RATES)
def test_the_centre_is_the_mean_of_the_middles_by_their_room(
    over: list[tuple[int, int]], under: list[tuple[int, int]], rates: Rates
) -> None:
    above, below = in_parts(over), in_parts(under)
    rooms, moments = Fraction(0), Fraction(0)
    for part in range(CENTRE_STEPS):
        rate = rates[0] + (rates[1] - rates[0]) * (2 * part + 1) // (2 * CENTRE_STEPS)
        top: int = min(height - rate * u for u, height in above)
        bottom: int = max(-height - rate * u for u, height in below)
        room = max(top - bottom, 0)
        rooms, moments = rooms + room, moments + Fraction(room * (top + bottom), 2)
    found = centre_ns(above, below, rates)
    assert (found is None) is (rooms == 0)
    if found is not None:
        assert found <= moments / rooms / UNIT < found + 1
