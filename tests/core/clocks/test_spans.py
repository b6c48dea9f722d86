"""A pod's presses of one call share a line, so a changing fit keeps their order."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.fit import Clockfit, Exchange
from referee.core.clocks.spans import APART_NS, LINES, OLD_NS, Placed, Spans
from referee.core.units import MS, US, S
from tests.core.clocks.clocks import crystals, exchanges_of, shown

AHEAD_NS = 7 * S
"""How far the host's clock is ahead of the pod's."""


def asked(fit: Clockfit, pod_ns: int, out_ns: int, back_ns: int) -> Clockfit:
    """Return the fit after an exchange with these delays. The pod took 1 ms."""
    left_ns = pod_ns + 1 * MS
    return fit.with_exchange(Exchange(pod_ns + AHEAD_NS - out_ns, pod_ns, left_ns + AHEAD_NS + back_ns, left_ns))


def fitted(seconds: int = 20) -> Clockfit:
    """Return a fit of an even link with an answer a second."""
    fit = Clockfit()
    for second in range(1, seconds):
        fit = asked(fit, second * S, 300 * US, 300 * US)
    return fit


def placed(spans: Spans, pod_ns: int, fit: Clockfit, *, contact: int = 0, begins: bool = False) -> Placed:
    """Return the placed stamp, which must be known."""
    there = spans.place(contact, pod_ns, fit, begins=True) if begins else spans.place(contact, pod_ns, fit)
    assert there is not None
    return there


def pressed(spans: Spans, pod_ns: int, fit: Clockfit, contact: int = 0) -> Placed:
    """Return the placed first edge of a press."""
    return placed(spans, pod_ns, fit, contact=contact, begins=True)


def test_nothing_is_placed_before_anything_is_known() -> None:
    for begins in (False, True):
        assert Spans().place(0, 5, Clockfit(), begins) is None
    assert Clockfit().line(5) is None
    with pytest.raises(ValueError, match="left at 4 ns, before its question at 5 ns"):
        Exchange(0, 5, 10, 4)


CONTACT = st.integers(0, 2)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 400 * MS) | st.integers(-3 * S, 5 * S),
            CONTACT,
            st.booleans(),
            st.integers(0, 2 * MS),
            st.integers(0, 2 * MS),
        ),
        max_size=12,
    ),
    st.integers(0, 3),
)
def test_two_stamps_are_as_far_apart_as_the_pod_says(
    steps: list[tuple[int, int, bool, int, int]], steered: int
) -> None:
    """The error is the sum of the stamps' own errors on one line, and their bounds on two lines.

    Presses and other stamps come in any order, with any delay of answers and a steered host.
    """
    fit, spans, pod_ns = fitted(), Spans(2 * US, 200), 20 * S
    found = []
    for index, (later_ns, contact, begins, out_ns, back_ns) in enumerate(steps):
        if index == steered:
            spans.forget_lines()
            fit = fit.after_steering()
        pod_ns += later_ns
        fit = asked(fit, pod_ns, out_ns, back_ns)
        there = placed(spans, pod_ns, fit, contact=contact, begins=begins)
        assert abs(there.t_ns - pod_ns - AHEAD_NS) <= there.err_ns
        found.append((pod_ns, there))
    for (one_ns, one), (other_ns, other) in combinations(found, 2):
        apart_ns = other.t_ns - one.t_ns - (other_ns - one_ns)
        if one.line == other.line:
            assert abs(apart_ns) <= one.rel_err_ns + other.rel_err_ns
        assert abs(apart_ns) <= one.err_ns + other.err_ns


@given(st.data())
def test_the_truth_is_within_the_bounds_of_any_clock_from_its_first_exchange_on(data: st.DataObject) -> None:
    """Exchanges have any delay, and the clock may be at any limit of the model."""
    crystal = data.draw(crystals())
    fit, spans, found = Clockfit(), Spans(own_err_ns=200), []
    for exchange in data.draw(exchanges_of(crystal, most=6)):
        fit = fit.with_exchange(exchange)
        for behind_ns, contact, begins in data.draw(
            st.lists(st.tuples(st.integers(0, 1500 * MS) | st.just(US), CONTACT, st.booleans()), max_size=4)
        ):
            pod_ns = shown(exchange.foreign_ns + behind_ns)
            there, true_ns = placed(spans, pod_ns, fit, contact=contact, begins=begins), crystal.host_ns(pod_ns)
            assert abs(there.t_ns - true_ns) <= there.err_ns
            found.append((there, there.t_ns - true_ns))
    for (one, off), (other, beside) in combinations(found, 2):
        if one.line == other.line:
            assert abs(off - beside) <= one.rel_err_ns + other.rel_err_ns


@given(
    st.integers(0, 8), st.lists(st.integers(APART_NS + 1, 4 * S), max_size=5), st.integers(0, 350 * US), st.booleans()
)
def test_two_presses_that_open_a_call_are_told_apart_from_the_first_exchange_on(
    exchanges: int, before: list[int], apart_ns: int, chatters: bool
) -> None:
    """Each press is certain to 0.4 µs relative to the other, so a microsecond is never grey."""
    fit, spans, pod_ns = asked(Clockfit(), 1 * S, 2 * MS, 2 * MS), Spans(2 * US, 200), 1 * S
    for _ in range(exchanges):
        pod_ns += 20 * MS
        fit = asked(fit, pod_ns, 2 * MS, 1 * MS)
    for later_ns in before:
        pod_ns += later_ns
        pressed(spans, pod_ns, fit, contact=2)
        for bounce_ns in (30 * MS, 31 * MS, APART_NS):
            placed(spans, pod_ns + bounce_ns, fit, contact=2)
    pod_ns += APART_NS + 1
    if chatters:
        placed(spans, pod_ns - 1, fit, contact=2)
    one = pressed(spans, pod_ns, fit)
    other = pressed(spans, pod_ns + apart_ns, asked(fit, pod_ns + apart_ns, 2 * MS, 100 * US), contact=1)
    assert one.line == other.line
    assert max(one.rel_err_ns, other.rel_err_ns) <= 400


def test_a_press_close_behind_another_is_as_unsure_as_the_rate_is_unknown() -> None:
    """Presses 0.1 s after the first may be 50 µs off, as the clock may be 500 ppm off.

    A row states one distance from its line's start, so two such presses are also grey relative to each other.
    """
    fit, spans = asked(Clockfit(), 1 * S, 1 * MS, 1 * MS), Spans(own_err_ns=200)
    third = pressed(spans, 1 * S, fit)
    pair = [pressed(spans, 1 * S + 100 * MS + ns, fit, contact) for contact, ns in ((1, 0), (2, 1 * US))]
    assert [there.line for there in pair] == [third.line] * 2
    for ppm in (-500, 500):
        off_ns = pair[0].t_ns - third.t_ns - (100 * MS + 100 * ppm)
        assert 0 <= third.rel_err_ns + pair[0].rel_err_ns - abs(off_ns) <= 2 * 200 + 10
    assert pair[0].t_ns + pair[0].rel_err_ns > pair[1].t_ns - pair[1].rel_err_ns


def test_every_line_has_a_number_of_its_own() -> None:
    fit, spans = fitted(), Spans(first=7)

    def line_at(ns: int) -> int:
        return pressed(spans, 20 * S + ns, fit).line

    assert [line_at(0), line_at(APART_NS), line_at(2 * APART_NS + 1)] == [7, 7, 8]
    chattered = [line_at(2 * APART_NS + 1 + ns) for ns in range(0, OLD_NS + 1, 100 * MS)]
    assert chattered == [8] * len(chattered)
    assert line_at(2 * APART_NS + 2 + OLD_NS) == 9
    spans.forget_lines()
    assert [line_at(2 * APART_NS + 3 + OLD_NS), line_at(2 * APART_NS + 4 + OLD_NS)] == [10, 10]
    assert [line_at(0), line_at(-APART_NS), line_at(-2 * APART_NS - 1), line_at(-1)] == [11, 11, 12, 11]


def test_what_a_contact_does_after_its_press_lies_by_the_press_s_line() -> None:
    fit, spans = fitted(), Spans()
    first, second = pressed(spans, 20 * S, fit), pressed(spans, 20 * S + 300 * MS, fit, contact=1)
    assert (first.line, second.line) == (0, 1)
    for ns, contact, line in ((301 * MS, 0, 0), (OLD_NS, 0, 0), (OLD_NS, 1, 1), (OLD_NS + 1, 0, 1), (302 * MS, 0, 1)):
        assert placed(spans, 20 * S + ns, fit, contact=contact).line == line
    assert placed(spans, 20 * S - 1, fit, contact=2).line == 0
    assert [placed(spans, 20 * S + ms * MS, fit, contact=ms).line for ms in (149, 151)] == [0, 1]  # the nearest
    assert placed(spans, 30 * S, fit, contact=2).line == 2
    assert pressed(spans, 30 * S + 1, fit).line == 3  # no press has begun the line before


def test_of_two_lines_that_may_place_a_press_the_one_that_placed_the_last_press_does() -> None:
    fit, spans = fitted(), Spans()
    lines = [pressed(spans, 20 * S + ms * MS, fit).line for ms in (0, 200, 500, 90, 180, 900, 330)]
    assert lines == [0, 1, 2, 0, 0, 3, 1]


def test_sixteen_lines_are_remembered() -> None:
    """The line that was used least recently is dropped."""
    assert (APART_NS, OLD_NS, LINES) == (150 * MS, 2 * S, 16)
    fit, spans = fitted(), Spans()

    def line_at(second: int) -> int:
        return pressed(spans, (20 + second) * S, fit).line

    assert [line_at(n) for n in range(16)] == list(range(16))
    assert [line_at(n) for n in (0, 16, 0, 2, 1)] == [0, 16, 0, 2, 17]
