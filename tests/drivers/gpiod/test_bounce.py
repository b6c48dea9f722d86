"""The bounce filter keeps the first edge and leaves no level unreported."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.drivers.gpiod.bounce import FirstEdge

edges = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 1)), min_size=1)


def in_time(steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return steps (pause, level) as (stamp, level)."""
    t_ns, out = 0, []
    for wait_ns, level in steps:
        t_ns += wait_ns
        out.append((t_ns, level))
    return out


def test_the_first_edge_is_reported_at_once() -> None:
    """A burst gives only its first edge, with its own stamp, if it ends at that edge's level."""
    filtered = FirstEdge(100)
    assert filtered.edge(10, 0) == [(10, 0)]
    assert [filtered.edge(t, level) for t, level in [(20, 1), (30, 0)]] == [[], []]
    assert filtered.deadline_ns is None
    assert filtered.settle(1_000) == []


def test_a_contact_at_rest_elsewhere_is_told() -> None:
    """A tap shorter than the window: its release is reported when the window ends."""
    filtered = FirstEdge(100)
    filtered.edge(10, 0)
    filtered.edge(40, 1)
    filtered.edge(50, 1)
    assert filtered.deadline_ns == 110
    assert filtered.settle(109) == []
    assert filtered.settle(110) == [(40, 1)]
    assert filtered.deadline_ns is None


def test_a_settling_that_nobody_asked_for_comes_before_the_next_edge() -> None:
    """If the next edge comes before a check, the level between is reported first."""
    filtered = FirstEdge(100)
    filtered.edge(10, 0)
    filtered.edge(40, 1)
    assert filtered.edge(500, 0) == [(40, 1), (500, 0)]


@given(edges)
def test_no_window_swallows_nothing(steps: list[tuple[int, int]]) -> None:
    filtered = FirstEdge(0)
    assert [report for t, level in in_time(steps) for report in filtered.edge(t, level)] == in_time(steps)


@given(edges, st.integers(1, 100))
def test_first_and_last_are_always_told(steps: list[tuple[int, int]], window_ns: int) -> None:
    """The first edge is reported, the last reported level is the final one, stamps are real and in order."""
    filtered, events = FirstEdge(window_ns), in_time(steps)
    reports = [report for t, level in events for report in filtered.edge(t, level)]
    reports += filtered.settle(events[-1][0] + window_ns)
    assert reports[0] == events[0]
    assert reports[-1][1] == events[-1][1]
    assert set(reports) <= set(events)
    assert reports == sorted(reports, key=lambda report: report[0])
    assert filtered.deadline_ns is None
