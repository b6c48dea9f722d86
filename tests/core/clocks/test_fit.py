"""The clock fit's bound contains the truth for every link and clock of the model."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.constraints import (
    FASTEST,
    FASTEST_PPM,
    LIKELY,
    MOST_CONSTRAINTS,
    PPM,
    RANGE_PPM,
    SURE,
    SURE_PPB_PER_S,
    UNIT,
    Wander,
    between,
    centre_ns,
    highest_ns,
    slack_ns,
)
from referee.core.clocks.fit import RESOLUTION_NS, UNSEEN_NS, Clockfit, Exchange, Instant
from referee.core.units import MS, US, S
from tests.core.clocks.clocks import SPAN_S, Crystal, crystals, evenings, exchanges_of, shown

Evening = tuple[Crystal, list[Exchange]]
moments = st.integers(0, SPAN_S * S)
LINE = Crystal(5_000 * S, ((0, 30_000), (10_000 * S, 30_000)))
"""A clock that is 30 ppm slow and starts at host time 5,000 s."""


def fitted(exchanges: list[Exchange]) -> Clockfit:
    """Return a fit that has taken the exchanges one by one."""
    fit = Clockfit()
    for exchange in exchanges:
        fit = fit.with_exchange(exchange)
    return fit


def placed(fit: Clockfit, foreign_ns: int) -> Instant:
    """Return the fit's instant of a stamp."""
    instant = fit.to_host(foreign_ns)
    assert instant is not None
    return instant


def asked(crystal: Crystal, at_ns: int, out_ns: int = 100 * US, back_ns: int = 100 * US) -> Exchange:
    """Return an exchange whose stamp is at a foreign time."""
    true_ns = crystal.host_ns(at_ns)
    return Exchange(true_ns - out_ns, shown(at_ns), true_ns + back_ns)


def each_second(crystal: Crystal, seconds: range, out_ns: int = 100 * US, back_ns: int = 100 * US) -> list[Exchange]:
    """Return one exchange a second."""
    return [asked(crystal, second * S, out_ns, back_ns) for second in seconds]


def misses(fit: Clockfit, crystal: Crystal, foreign_ns: int) -> int:
    """Return how far outside the bound the truth is in ns, negative inside."""
    instant = placed(fit, shown(foreign_ns))
    return abs(instant.t_ns - crystal.host_ns(foreign_ns)) - instant.err_ns


# -- never outside -------------------------------------------------------------------------------------------------


@given(evenings(), st.lists(moments, min_size=1, max_size=8))
def test_the_bound_always_contains_the_truth(evening: Evening, times: list[int]) -> None:
    crystal, exchanges = evening
    fit = fitted(exchanges)
    assert fit.exchanges == len(exchanges)
    assert all(misses(fit, crystal, at_ns) <= 0 for at_ns in times)


@given(evenings(), moments, st.randoms())
def test_answers_may_come_late_twice_or_in_another_order(evening: Evening, at_ns: int, dice: Random) -> None:
    crystal, exchanges = evening
    mixed = [
        *exchanges,
        *(Exchange(e.sent_ns, e.foreign_ns, e.received_ns + MS) for e in exchanges if dice.random() < 0.3),
    ]
    dice.shuffle(mixed)
    fit = fitted(mixed)
    assert fit.exchanges == len(mixed)
    assert misses(fit, crystal, at_ns) <= 0


@given(crystals(), st.data())
def test_pulses_of_a_wire_are_within_the_bound_too(crystal: Crystal, data: st.DataObject) -> None:
    """The wire's stamps may be wrong by up to their stated error in either direction."""
    exchanges = data.draw(st.just([]) | exchanges_of(crystal, 15))
    pulses = data.draw(st.lists(st.tuples(moments, st.integers(0, 200 * US), st.integers(-4, 4)), min_size=1))
    fit = fitted(exchanges)
    for at_ns, err_ns, quarters in sorted(pulses):
        fit = fit.with_pulse(crystal.host_ns(at_ns) + err_ns * quarters // 4, shown(at_ns), err_ns)
    assert fit.exchanges == len(exchanges) + len(pulses)
    assert misses(fit, crystal, data.draw(moments)) <= 0


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("pause_s", [4, 20])
def test_a_clock_at_the_model_s_edge_is_followed(pause_s: int, sign: int) -> None:
    edge = sign * RANGE_PPM * 500
    ramp_s = 2 * abs(edge) // SURE_PPB_PER_S
    crystal = Crystal(0, ((0, -edge), (400 * S, -edge), ((400 + ramp_s) * S, edge), (3_000 * S, edge)))
    fit = Clockfit()
    for count, second in enumerate(range(10, 910, pause_s)):
        fit = fit.with_exchange(asked(crystal, second * S, 0, 0))
        assert fit.exchanges == count + 1
        assert all(misses(fit, crystal, (second + later) * S) <= 0 for later in (-7, 0, 1, 100, 1_000))


# -- never tighter than the evidence -------------------------------------------------------------------------------


@given(evenings(), st.integers(-FASTEST_PPM * 1000, FASTEST_PPM * 1000), st.integers(-MS, MS), moments)
def test_every_clock_that_fits_the_evidence_is_within_the_bound(
    evening: Evening, ppb: int, aside_ns: int, at_ns: int
) -> None:
    """Any straight clock through all the exchanges may be the true one."""
    _, exchanges = evening
    first = exchanges[0]
    zero_ns = (first.sent_ns + first.received_ns) // 2 + aside_ns - first.foreign_ns * (10**9 + ppb) // 10**9
    other = Crystal(zero_ns, ((0, ppb), (10 * SPAN_S * S, ppb)))
    if all(e.sent_ns <= other.host_ns(e.foreign_ns) <= e.received_ns for e in exchanges):
        assert misses(fitted(exchanges), other, at_ns) <= 0


@given(st.integers(0, 10 * MS), st.integers(0, 10 * MS), st.integers(2, 30))
def test_equal_round_trips_never_say_more_than_half_of_one(out_ns: int, back_ns: int, count: int) -> None:
    """The division of a round trip into out and back cannot be measured by repeating it."""
    fit = fitted(each_second(LINE, range(count), out_ns, back_ns))
    assert placed(fit, (count - 1) * S).err_ns >= (out_ns + back_ns) // 2


def test_the_narrowest_way_out_and_the_narrowest_way_back_decide_together() -> None:
    """100 µs out once and 100 µs back once are as good as one round trip of 200 µs."""
    fit = fitted([*each_second(LINE, range(60), 9 * MS, 9 * MS)])
    fit = fit.with_exchange(asked(LINE, 60 * S, 100 * US, 9 * MS)).with_exchange(asked(LINE, 61 * S, 9 * MS, 100 * US))
    alone = fitted(each_second(LINE, range(60), 9 * MS, 9 * MS))
    assert placed(alone, 61 * S).err_ns > 9 * MS
    assert placed(fit, 61 * S).err_ns < 800 * US


# -- in order ------------------------------------------------------------------------------------------------------


@given(evenings(), moments, st.integers(US, 20 * S))
def test_a_later_stamp_is_a_later_instant(evening: Evening, at_ns: int, later_ns: int) -> None:
    fit = fitted(evening[1])
    for start_ns in (at_ns, fit.newest_ns - later_ns // 2):
        assert placed(fit, start_ns).t_ns < placed(fit, start_ns + later_ns).t_ns


@given(evenings(), st.lists(st.integers(0, 3_000), min_size=2, max_size=6, unique=True))
def test_silence_widens_the_bound(evening: Evening, pauses_s: list[int]) -> None:
    fit = fitted(evening[1])
    newest_ns = placed(fit, fit.newest_ns).t_ns
    bounds = [fit.quality(newest_ns + pause_s * S).bound_ns or 0 for pause_s in sorted(pauses_s)]
    assert bounds == [placed(fit, fit.newest_ns + pause_s * S).err_ns for pause_s in sorted(pauses_s)]
    assert all(later >= 0.9 * sooner for sooner, later in pairwise(bounds))
    assert (fit.quality(newest_ns + 10_000 * S).bound_ns or 0) > bounds[-1]


# -- trouble -------------------------------------------------------------------------------------------------------


@given(crystals(), st.data())
def test_a_restarted_clock_is_taken_up_again(crystal: Crystal, data: st.DataObject) -> None:
    before = data.draw(exchanges_of(crystal))
    began_ns = max(e.received_ns for e in before) + data.draw(st.integers(60 * MS, 100 * S))
    again = Crystal(began_ns, crystal.rates)
    after = data.draw(exchanges_of(again))
    fit = fitted(before)
    for exchange in after:
        fit = fit.with_exchange(exchange)
    assert fit.exchanges == len(after) or before[-1].foreign_ns < 60 * MS
    assert misses(fit, again, data.draw(moments)) <= 0


def test_a_clock_that_leaves_the_model_is_noticed() -> None:
    """The rate steps by 300 ppm.

    Within seconds the fit restarts with a wide bound that is right again.
    """
    stepped = Crystal(LINE.host_ns(60 * S) - 60 * S, ((0, 0), (60 * S, 0), (60 * S + 1, 330_000), (900 * S, 330_000)))
    fit = fitted(each_second(LINE, range(60)))
    wide = []
    for second in range(60, 90):
        fit = fit.with_exchange(asked(stepped, second * S))
        wide.append((fit.exchanges, misses(fit, stepped, second * S)))
    assert min(count for count, _ in wide) == 1
    assert [missed for _, missed in wide[5:] if missed > 0] == []


@given(evenings(), st.integers(-300, 300), st.lists(st.integers(0, 20_000), min_size=1, max_size=5))
def test_a_steered_host_clock_loosens_the_fit(evening: Evening, ppm: int, pauses_ms: list[int]) -> None:
    crystal, exchanges = evening
    fit = fitted(exchanges)
    fit, since_ns = fit.after_steering(), fit.newest_ns
    stepped = Crystal(crystal.host_ns(since_ns) - since_ns, ((0, 0), (since_ns, 0), (since_ns + 1, ppm * 1000)))
    stepped = Crystal(stepped.zero_ns, (*stepped.rates, (10**6 * S, ppm * 1000)))
    at_ns = since_ns
    for pause_ms in pauses_ms:
        at_ns += pause_ms * MS
        assert misses(fit, stepped, at_ns) <= 0
        fit = fit.with_exchange(asked(stepped, at_ns, 0, MS))


def test_loosened_is_what_was_known_at_the_newest_stamp_and_no_rate() -> None:
    fit = fitted(each_second(LINE, range(60)))
    loose = fit.after_steering()
    before, after = placed(fit, fit.newest_ns), placed(loose, loose.newest_ns)
    assert (loose.newest_ns, loose.exchanges, loose.sure) == (fit.newest_ns, 1, (-FASTEST, FASTEST))
    assert abs(after.t_ns - before.t_ns) <= 2
    assert 0 <= after.err_ns - before.err_ns - UNSEEN_NS - RESOLUTION_NS <= 4


@pytest.mark.parametrize(("ppb", "pause_s", "at_s"), [(2_000, 10, 300), (9_000, 30, 290)])
def test_a_rate_step_between_far_exchanges_leaves_a_bound_over_both_stories(ppb: int, pause_s: int, at_s: int) -> None:
    """The constraints contradict each other at a past time, but not at the newest stamp.

    The bound at the past time covers what the earlier and the later constraints allow.
    """
    bent = Crystal(0, ((0, 0), (300 * S, 0), (300 * S + 1, ppb), (9_000 * S, ppb)))
    fit = fitted(each_second(bent, range(0, 600, pause_s), 0, 0))
    assert fit.exchanges == 600 // pause_s
    low, high = fit._span(at_s * S)
    assert low > high
    instant = placed(fit, at_s * S)
    assert high <= instant.t_ns - at_s * S <= low
    assert instant.err_ns >= (low - high) // 2 + RESOLUTION_NS


# -- the sync wire -------------------------------------------------------------------------------------------------


def test_a_wire_alone_is_enough_and_a_restart_on_it_is_noticed() -> None:
    fit = Clockfit()
    for second in range(5):
        fit = fit.with_pulse(LINE.host_ns(second * S), second * S, 5 * US)
    assert fit.exchanges == 5
    fit = fit.with_pulse(LINE.host_ns(5 * S), 99 * S, 5 * US)
    assert fit.exchanges == 1
    assert placed(fit, 99 * S) == Instant(LINE.host_ns(5 * S), 6 * US + 2 * slack_ns(0, SURE) + RESOLUTION_NS)


def test_a_pulse_paired_with_the_wrong_stamp_is_not_believed() -> None:
    fit = fitted(each_second(LINE, range(60), MS, MS)).with_pulse(LINE.host_ns(60 * S), 60 * S, 5 * US)
    fooled = fit.with_pulse(LINE.host_ns(62 * S), 61 * S, 5 * US)
    assert placed(fooled, 61 * S).err_ns >= MS
    assert misses(fooled, LINE, 61 * S) <= 0
    healed = fooled.with_pulse(LINE.host_ns(63 * S), 63 * S, 5 * US)
    assert placed(healed, 63 * S).err_ns <= 10 * US


def test_old_pulses_give_way_to_a_new_one_that_the_round_trips_allow() -> None:
    fit = fitted(each_second(LINE, range(60), MS, MS))
    for second in range(60, 65):
        fit = fit.with_pulse(LINE.host_ns(second * S), second * S, 5 * US)
    fit = fit.with_pulse(LINE.host_ns(65 * S) + 200 * US, 65 * S, 5 * US)
    assert len(fit.wired_above) == 1
    assert placed(fit, 65 * S).t_ns == pytest.approx(LINE.host_ns(65 * S) + 200 * US, abs=10 * US)


def test_a_pulse_is_paired_by_the_round_trips() -> None:
    """Pulses are a second apart. Round trips are known to a millisecond."""
    pulses = [Instant(LINE.host_ns(second * S), 5 * US) for second in range(55, 62)]
    assert Clockfit().with_paired_pulse(60 * S, pulses) is None
    fit = fitted(each_second(LINE, range(60), MS, MS))
    paired = fit.with_paired_pulse(60 * S, pulses)
    assert paired == fit.with_pulse(LINE.host_ns(60 * S), 60 * S, 5 * US)
    assert fit.with_paired_pulse(60 * S + 300 * MS, pulses) is None
    assert fit.with_paired_pulse(60 * S, [Instant(LINE.host_ns(60 * S) + n * MS, 5 * US) for n in range(2)]) is None


def test_a_pulse_may_be_as_far_off_as_both_errors_and_no_farther() -> None:
    fit = fitted(each_second(LINE, range(60), MS, MS))
    there = placed(fit, 60 * S)
    for err_ns in (0, 5 * US):
        for side in (1, -1):
            edge_ns = there.t_ns + side * (there.err_ns + err_ns)
            assert fit.with_paired_pulse(60 * S, [Instant(edge_ns, err_ns)]) == fit.with_pulse(edge_ns, 60 * S, err_ns)
            assert fit.with_paired_pulse(60 * S, [Instant(edge_ns + side, err_ns)]) is None


# -- calculation ---------------------------------------------------------------------------------------------------


def test_one_exchange_is_placed_to_the_nanosecond() -> None:
    """The bound: half the round trip, 1 µs for each of the two stamps, 1 ns for rounding."""
    fit = Clockfit().with_exchange(Exchange(1_000 * US, 40 * US, 1_600 * US))
    assert fit.newest_ns == 40 * US
    assert fit.exchanges == 1
    wide = Exchange(1_000 * US, 40 * US, 1_600 * US, 140 * US)
    both = Clockfit().with_exchange(wide)
    assert both.newest_ns == 140 * US
    assert placed(fit, 40 * US) == Instant(1_300 * US, 300 * US + 2 * RESOLUTION_NS + 2)
    assert placed(both, 140 * US).err_ns < placed(fit, 40 * US).err_ns - 49 * US


def sides(fit: Clockfit, at_ns: int, wander: Wander) -> list[list[tuple[int, int]]]:
    """Return the constraints above and below at that time: exchanges and pulses together."""
    through_ns = at_ns if at_ns < fit.newest_ns else fit.newest_ns
    return [
        [(when - at_ns, (height + slack_ns(when - through_ns, wander)) * UNIT) for when, height in both]
        for both in ((*fit.above, *fit.wired_above), (*fit.below, *fit.wired_below))
    ]


@given(evenings(), moments, st.booleans())
def test_what_is_possible_and_what_is_likely_at_a_time(evening: Evening, at_ns: int, wired: bool) -> None:
    """Before the newest stamp, the lines between all constraints decide.

    After it, the newest lines and the clock's wander do. The instant is the centre of the calm clocks as far as
    possible, else the middle.
    """
    crystal, exchanges = evening
    fit = fitted(exchanges)
    if wired:
        fit = fit.with_pulse(crystal.host_ns(fit.newest_ns + MS), shown(fit.newest_ns + MS), 5 * US)
    above, below = (tuple(side) for side in sides(fit, at_ns, SURE))
    if at_ns < fit.newest_ns:
        wide = fit._rates(at_ns, SURE, fit.sure)
        (slow, fast), aside_ns = between(above, below, wide) or wide, 0
    else:
        (slow, fast), aside_ns = fit.sure, slack_ns(at_ns - fit.newest_ns, SURE)
    low, high = -highest_ns(below, (-fast, -slow)) - aside_ns, highest_ns(above, (slow, fast)) + aside_ns
    assert fit._span(at_ns) == (low, high)
    calm = None
    if fit.likely is not None:
        rates = fit._rates(at_ns, LIKELY, fit.likely) if at_ns < fit.newest_ns else fit.likely
        over, under = (tuple(side) for side in sides(fit, at_ns, LIKELY))
        calm = centre_ns(over, under, rates)
    middle = (low + high) // 2 if calm is None else calm
    assert fit._centre(at_ns, (low + high) // 2) == middle
    instant = placed(fit, at_ns)
    assert instant.t_ns - at_ns == min(max(middle, low), high)
    assert instant.err_ns == max(high - instant.t_ns + at_ns, instant.t_ns - at_ns - low) + RESOLUTION_NS


@given(evenings())
def test_each_exchange_narrows_the_rates_that_are_possible_and_those_that_are_likely(evening: Evening) -> None:
    fit = Clockfit()
    for exchange in evening[1]:
        before, fit = fit, fit.with_exchange(exchange)
        at_ns = fit.newest_ns
        for wander, known, found in (SURE, before.sure, fit.sure), (LIKELY, before.likely or fit.sure, fit.likely):
            above, below = (tuple(side) for side in sides(fit, at_ns, wander))
            assert found == between(above, below, before._rates(at_ns, wander, known))


def test_a_clock_that_is_not_calm_is_placed_in_the_middle_of_what_is_possible() -> None:
    """The rate changes by 80 ppb a second, so no calm clock fits between the constraints."""
    ramp = Crystal(0, ((0, 0), (200 * S, 16_000), (3_000 * S, 16_000)))
    fit = fitted(each_second(ramp, range(1, 180), 0, 0))
    assert fit.likely is None
    assert fit.exchanges == 179
    low, high = fit._span(179 * S)
    instant = placed(fit, 179 * S)
    assert instant == Instant(179 * S + (low + high) // 2, high - (low + high) // 2 + RESOLUTION_NS)
    assert fit.quality(instant.t_ns).drift_ppm == -(fit.sure[0] + fit.sure[1]) / (2 * PPM)
    line = fit.line(179 * S)
    assert line is not None
    assert line.rate == (fit.sure[0] + fit.sure[1]) // 2


@given(evenings(), moments, st.lists(st.integers(-2_000 * MS, 2_000 * MS), min_size=2, max_size=5))
def test_stamps_on_one_line_are_as_far_apart_as_it_says(evening: Evening, at_ns: int, aways: list[int]) -> None:
    crystal, exchanges = evening
    fit = fitted(exchanges)
    at_ns = shown(max(at_ns, 2 * S))
    line = fit.line(at_ns)
    assert line is not None
    assert (line.here, line.at_ns) == (placed(fit, at_ns), at_ns)
    slow, fast = fit._rates(at_ns, SURE, fit.sure)
    middle = sum(fit.likely or fit.sure) // 2
    assert line.rate == min(max(middle, slow), fast)
    assert line.spread == max(fast - line.rate, line.rate - slow)
    stamps = [(line.place(at_ns + away), crystal.host_ns(at_ns + away)) for away in aways]
    off = [(t_ns - host_ns, apart_ns) for (t_ns, apart_ns), host_ns in stamps]
    for aside_ns, apart_ns in off:
        assert abs(aside_ns) <= line.here.err_ns + apart_ns
    for one, other in pairwise(off):
        assert abs(one[0] - other[0]) <= one[1] + other[1] + 2


# -- limits and refusals -------------------------------------------------------------------------------------------


def test_memory_is_bounded_over_hours_of_any_link() -> None:
    dice = Random(1)
    fit = Clockfit()
    for second in range(0, 20_000, 7):
        out_ns, back_ns = (round(dice.expovariate(1 / MS)) for _ in range(2))
        fit = fit.with_exchange(asked(LINE if second < 9_000 else TAIL, second * S, out_ns, back_ns))
        assert max(len(fit.above), len(fit.below)) <= MOST_CONSTRAINTS
    assert fit.newest_ns - fit.above[0][0] > 3_600 * S
    assert placed(fit, fit.newest_ns - 1_800 * S).err_ns < 100 * MS


TAIL = Crystal(LINE.zero_ns, ((0, 30_000), (100_000 * S, 30_000)))
"""LINE with a longer range."""


def test_a_negative_error_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a pulse's error must not be negative, not -1 ns$"):
        Clockfit().with_pulse(0, 0, -1)
    assert placed(Clockfit().with_pulse(0, 0, 0), 0).err_ns < 3 * US


def test_nothing_known_cannot_be_loosened() -> None:
    assert Clockfit().after_steering() == Clockfit()


def test_before_the_first_exchange_it_cannot_tell() -> None:
    fit = Clockfit()
    assert fit.to_host(0) is None
    assert fit.quality(9 * S).bound_ns is None
    assert fit.quality(9 * S).exchanges == 0


def test_an_answer_before_its_question_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^an answer received at 1 ns, before its question at 2 ns$"):
        Exchange(2, 0, 1)
    with pytest.raises(ValueError, match=r"^an answer that left at 4 ns, before its question at 5 ns$"):
        Exchange(0, 5, 10, 4)
    assert Exchange(2, 5, 2).leaving_ns == 5
    assert Exchange(2, 5, 2, 5).leaving_ns == 5
