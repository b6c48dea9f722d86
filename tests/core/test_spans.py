"""A pod's stamps in one busy span lie by one line: their order is the pod's own, whatever the fit learns meanwhile."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clockfit import Clockfit, Exchange
from referee.core.spans import OLD_NS, QUIET_NS, Spans
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
    """To within the sum of their own errors, with answers of any delay between them, and a steered host."""
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
    for (one_ns, one), (other_ns, other) in pairwise(placed):
        apart_ns = other.t_ns - one.t_ns - (other_ns - one_ns)
        assert abs(apart_ns) <= one.rel_err_ns + other.rel_err_ns


def test_an_answer_between_two_presses_moves_neither() -> None:
    """A microsecond stays one, and each is sure to a fraction of it; after a quiet while the newest fit counts."""
    fit, spans = fitted(), Spans(2 * US, 200)
    first = spans.place(20 * S, fit)
    better = asked(fit, 20 * S + 500, 100 * US, 20 * US)
    second = spans.place(20 * S + 1 * US, better)
    assert first is not None
    assert second is not None
    assert abs(second.t_ns - first.t_ns - 1 * US) <= 2
    assert first.rel_err_ns + second.rel_err_ns < 1 * US
    later = spans.place(20 * S + 2 * QUIET_NS, better)
    assert later is not None
    assert later.err_ns < second.err_ns


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
