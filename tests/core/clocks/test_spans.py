"""A pod's stamps in one busy span lie by one line: their order is the pod's own, whatever the fit learns meanwhile."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.fit import Clockfit, Exchange
from referee.core.clocks.spans import OLD_NS, QUIET_NS, SPANS, Spans
from referee.core.units import MS, US, S

AHEAD_NS = 7 * S
"""How much later the host's clock is."""


def asked(fit: Clockfit, pod_ns: int, out_ns: int, back_ns: int) -> Clockfit:
    """With an answer that was so long under way; the pod took 1 ms."""
    left_ns = pod_ns + 1 * MS
    return fit.fed(Exchange(pod_ns + AHEAD_NS - out_ns, pod_ns, left_ns + AHEAD_NS + back_ns, left_ns))


def fitted(seconds: int = 20) -> Clockfit:
    """A fit of an even link, an answer a second."""
    fit = Clockfit.empty()
    for second in range(1, seconds):
        fit = asked(fit, second * S, 300 * US, 300 * US)
    return fit


def test_nothing_is_placed_before_anything_is_known() -> None:
    """And an answer cannot leave before its question came."""
    assert Spans().place(5, Clockfit.empty()) is None
    assert Clockfit.empty().line(5) is None
    with pytest.raises(ValueError, match="left at 4 ns, before its question at 5 ns"):
        Exchange(0, 5, 10, 4)


@given(
    st.lists(st.tuples(st.integers(1, 400 * MS), st.integers(0, 2 * MS), st.integers(0, 2 * MS)), max_size=12),
    st.integers(0, 3),
)
def test_two_stamps_are_as_far_apart_as_the_pod_says(steps: list[tuple[int, int, int]], steered: int) -> None:
    """On one line to within the sum of their own errors, with answers of any delay between them, and a steered host."""
    fit, spans, pod_ns = fitted(), Spans(2 * US, 200), 20 * S
    placed = []
    for index, (later_ns, out_ns, back_ns) in enumerate(steps):
        if index == steered:
            spans.steered()
            fit = fit.loosened()
        pod_ns += later_ns
        fit = asked(fit, pod_ns, out_ns, back_ns)
        there = spans.place(pod_ns, fit)
        assert there is not None
        assert abs(there.t_ns - pod_ns - AHEAD_NS) <= there.err_ns
        placed.append((pod_ns, there))
    for (one_ns, one), (other_ns, other) in combinations(placed, 2):
        apart_ns = other.t_ns - one.t_ns - (other_ns - one_ns)
        if one.line == other.line:
            assert abs(apart_ns) <= one.rel_err_ns + other.rel_err_ns
        assert abs(apart_ns) <= one.err_ns + other.err_ns


def test_an_answer_between_two_presses_moves_neither() -> None:
    """A microsecond stays one, and each is sure to a fraction of it; after a quiet while the newest fit counts."""
    fit, spans = fitted(), Spans(2 * US, 200)
    first = spans.place(20 * S, fit)
    better = asked(fit, 20 * S + 500, 100 * US, 20 * US)
    second = spans.place(20 * S + 1 * US, better)
    assert first is not None
    assert second is not None
    assert second.line == first.line
    assert abs(second.t_ns - first.t_ns - 1 * US) <= 2
    assert first.rel_err_ns + second.rel_err_ns < 1 * US
    later = spans.place(20 * S + 2 * QUIET_NS, better)
    assert later is not None
    assert later.line != second.line
    assert later.err_ns < second.err_ns


def test_every_line_has_a_number_of_its_own() -> None:
    """A span that ends, a line that is old or that a steered host has bent: the next has the next number."""
    fit, spans = fitted(), Spans(first=7)

    def line_at(ns: int) -> int:
        placed = spans.place(20 * S + ns, fit)
        assert placed is not None
        return placed.line

    assert [line_at(0), line_at(QUIET_NS), line_at(2 * QUIET_NS + 1)] == [7, 7, 8]
    chattered = [line_at(2 * QUIET_NS + 1 + ns) for ns in range(0, OLD_NS + 1, QUIET_NS)]
    assert chattered == [8] * len(chattered)
    assert line_at(2 * QUIET_NS + 2 + OLD_NS) == 9
    spans.steered()
    assert [line_at(2 * QUIET_NS + 3 + OLD_NS), line_at(2 * QUIET_NS + 4 + OLD_NS)] == [10, 10]
    assert line_at(0) == 11


def test_a_contact_that_never_rests_does_not_keep_an_old_line() -> None:
    """Its bound would grow for as long as it chatters."""
    fit, spans, widest = fitted(), Spans(), 0
    for tenth in range(200, 200 + 100):
        if tenth % 10 == 0:
            fit = asked(fit, tenth * S // 10, 300 * US, 300 * US)
        placed = spans.place(tenth * S // 10, fit)
        assert placed is not None
        widest = max(widest, placed.err_ns)
    alone = Spans().place(30 * S, fit)
    assert alone is not None
    assert widest < 2 * alone.err_ns + OLD_NS // 1_000


def test_a_pod_s_own_errors_are_added_once() -> None:
    """What all its stamps share widens the bound alone, what each has for itself also the distance of two."""
    plain, told = (spans.place(20 * S, fitted()) for spans in (Spans(), Spans(2 * US, 200)))
    assert plain is not None
    assert told is not None
    assert (plain.rel_err_ns, plain.line) == (0, 0)
    assert (told.err_ns - plain.err_ns, told.rel_err_ns) == (2 * US + 200, 200)
    assert plain.t_ns == told.t_ns


def test_sixteen_spans_of_half_a_second_are_remembered() -> None:
    """What a pod kept comes by contacts; the one that was not asked for longest is let go."""
    assert (QUIET_NS, OLD_NS, SPANS) == (500 * MS, 2 * S, 16)
    fit, spans = fitted(), Spans()

    def line_at(second: int) -> int:
        placed = spans.place((20 + second) * S, fit)
        assert placed is not None
        return placed.line

    assert [line_at(n) for n in range(16)] == list(range(16))
    assert [line_at(n) for n in (0, 16, 0, 1)] == [0, 16, 0, 17]
