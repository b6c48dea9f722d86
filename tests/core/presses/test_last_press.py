"""The mirrored rules where everybody presses and the last press loses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from referee.core.presses.arbiter import (
    CallRules,
    arbitrate,
    calls_of,
    judge,
)
from referee.core.presses.signals import (
    Edge,
    Press,
    presses_of,
)
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.presses.arbiter_cases import (
    ALONE,
    PAIRS,
    corners,
    drawn,
    here,
    in_presses,
    judged,
    on,
    pressed,
)
from tests.core.presses.arbiter_rows import RULES, STATIONS, arrived, tap, traces

LIMIT_NS = 50 * MS
"""Short, so that presses of one example are on both sides of it."""

LAST = CallRules(limit_ns=S)


def right_last(true: Mapping[str, int], team_of: Mapping[str, str], rules: CallRules) -> set[str]:
    """Return the last ones by the true times: those not in time, else all within W of the last."""
    assert rules.limit_ns is not None
    ends = min(true.values()) + rules.limit_ns
    beyond = {team for station, team in team_of.items() if true.get(station, ends + 1) > ends}
    latest = max(true.values())
    return beyond or {team_of[station] for station, t_ns in true.items() if t_ns >= latest - rules.tie_ns}


LASTS = st.builds(
    lambda rules, limit_ns: replace(rules, limit_ns=limit_ns), RULES, st.sampled_from((LIMIT_NS, 20 * MS, S))
)


@given(in_presses(), LASTS, st.sampled_from((ALONE, PAIRS)), st.integers(0, 2), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_a_verdict_that_is_not_grey_names_the_right_last_ones(
    presses: list[Press], rules: CallRules, team_of: Mapping[str, str], absent: int, random: Random
) -> None:
    armed = here(presses, team_of, absent)
    verdict = judged(*presses, rules=rules, team_of=armed)
    assume(not verdict.grey)
    for true in (*corners(presses), *drawn(presses, random)):
        assert right_last(true, armed, rules) == set(verdict.callers)


@given(in_presses(least=2), LASTS, st.permutations(STATIONS), st.integers(0, 1))
@settings(max_examples=200, deadline=None)
def test_swapping_stations_swaps_the_last_ones_names(
    presses: list[Press], rules: CallRules, to: list[str], absent: int
) -> None:
    other = dict(zip(STATIONS, to, strict=True))
    swapped = [replace(p, station=other[p.station]) for p in presses]
    armed = here(presses, ALONE, absent)
    one = judged(*presses, rules=rules, team_of=armed)
    two = judged(*swapped, rules=rules, team_of={other[station]: other[team] for station, team in armed.items()})
    assert {other[station] for station in one.callers} == set(two.callers)
    assert (one.kind, one.grey) == (two.kind, two.grey)


@given(in_presses(), LASTS, st.booleans(), st.data())
@settings(max_examples=300, deadline=None)
def test_the_order_in_which_the_presses_of_a_last_one_arrive_changes_nothing(
    presses: list[Press], rules: CallRules, whole: bool, data: st.DataObject
) -> None:
    rules = replace(rules, age_ns=None)
    assume(all(p.err_ns < rules.lockout_ns for p in presses))
    assert rules.limit_ns is not None
    deadline = min(p.t_ns + p.err_ns for p in presses) + rules.limit_ns + rules.max_err_ns + rules.latency_ns
    assume(all(p.t_ns - p.err_ns <= deadline for p in presses))
    times = [data.draw(st.integers(p.t_ns - p.err_ns, deadline)) for p in presses]
    orders = data.draw(st.permutations(range(len(presses))))
    moved = [replace(p, arrived_ns=a, order=o) for p, a, o in zip(presses, times, orders, strict=True)]
    armed = {p.station: p.station for p in presses} | ({} if whole else {"late comer": "late comer"})
    (call,) = calls_of(moved, rules, armed)
    assert call.deadline_ns == (min(deadline, max(p.t_ns + p.err_ns for p in presses)) if whole else deadline)
    assert replace(judge(call, rules, armed), deadline_ns=0) == judged(*presses, rules=rules, team_of=armed)


@example([pressed("red", 0), pressed("blue", 35 * MS)], LAST, 1, 10 * MS)
@given(in_presses(least=2), LASTS, st.integers(0, 7), st.integers(0, 30 * MS))
@settings(max_examples=300, deadline=None)
def test_an_error_above_the_cap_never_saves_its_owner_and_names_nobody_else(
    presses: list[Press], rules: CallRules, index: int, more_ns: int
) -> None:
    index %= len(presses)
    base = replace(presses[index], err_ns=rules.max_err_ns, clock=None, rel_err_ns=None)
    worse = replace(base, err_ns=rules.max_err_ns + more_ns)
    armed = here(presses, ALONE, 0)
    one = judged(*presses[:index], base, *presses[index + 1 :], rules=rules, team_of=armed)
    two = judged(*presses[:index], worse, *presses[index + 1 :], rules=rules, team_of=armed)
    assert set(one.callers) <= set(two.callers) <= {*one.callers, base.station}


@given(traces(), LASTS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_press_of_a_last_one_is_in_exactly_one_list(rows: list[Edge], rules: CallRules, whole: bool) -> None:
    verdicts = arbitrate(rows, rules, ALONE if whole else {})
    listed = [p for v in verdicts for p in (*v.presses, *(late for late, _ in v.late), *v.ignored)]
    assert Counter((p.station, p.t_ns) for p in listed) == Counter((p.station, p.t_ns) for p in presses_of(rows))


@given(st.integers(0, 5 * MS), st.integers(0, 5 * MS), st.integers(1, 100 * MS), RULES)
def test_last_pairs_farther_apart_than_w_and_both_errors_are_clear(e: int, f: int, more: int, rules: CallRules) -> None:
    gap = rules.tie_ns + e + f + more
    rules = replace(rules, limit_ns=gap + e + f + 20 * MS)
    verdict = judged(pressed("a", 0, e), pressed("b", gap, f), rules=rules, team_of={"a": "a", "b": "b"})
    assert (verdict.kind, verdict.grey, verdict.callers) == ("clear", False, ("b",))


@given(RULES, st.integers(0, 20 * MS), st.integers(0, MS), st.integers(0, MS), st.integers(1, 10 * MS))
@settings(deadline=None)
def test_last_pairs_of_one_clock_farther_apart_than_w_and_their_own_errors_are_clear(
    rules: CallRules, shared: int, r: int, s: int, more: int
) -> None:
    both = {"red": "red", "blue": "blue"}
    for tie_ns, own, other, beyond in ((rules.tie_ns, r, s, more), (0, 400, 400, 200)):
        gap = tie_ns + own + other + beyond
        now = replace(rules, tie_ns=tie_ns, limit_ns=gap + 2 * (shared + own + other) + MS)
        first, last = on("a", "red", 0, shared + own, own), on("a", "blue", gap, shared + other, other)
        verdict = judged(first, last, rules=now, team_of=both)
        assert (verdict.kind, verdict.grey, verdict.callers) == ("clear", False, ("blue",))


def test_the_last_one_at_the_band_s_edge() -> None:
    for gap_ns, kind, grey in ((20 * MS, "tie", False), (20 * MS + 1, "clear", False)):
        verdict = judged(pressed("a", 0), pressed("b", gap_ns), rules=LAST, team_of={"a": "a", "b": "b"})
        assert (verdict.kind, verdict.grey) == (kind, grey)
    doubtful = judged(pressed("a", 0, MS), pressed("b", 21 * MS, MS), rules=LAST, team_of={"a": "a", "b": "b"})
    assert doubtful.grey
    assert doubtful.callers == ("b", "a")


def test_the_limit_s_edge_is_grey_within_the_errors() -> None:
    armed = {"a": "a", "b": "b", "c": "c"}
    for t_ns, callers, grey in ((S - 3 * MS, ("c",), False), (S + 3 * MS, ("b", "c"), False), (S, ("c",), True)):
        verdict = judged(pressed("a", 0, MS), pressed("b", t_ns, MS), rules=LAST, team_of=armed)
        assert (verdict.callers, verdict.grey) == (callers, grey)


def test_a_verdict_on_the_last_falls_when_all_have_pressed_or_the_limit_is_over() -> None:
    armed = {"a": "a", "b": "b"}
    live = replace(LAST, latency_ns=0)
    both = arbitrate([*tap("a", 0), *tap("b", 300)], live, armed)
    assert [v.deadline_ns for v in both] == [300 * MS]
    alone = arbitrate(arrived(tap("a", 0), tap("b", 900, 0, 3_000)), live, armed)[0]
    assert (alone.deadline_ns, alone.callers) == (1010 * MS, ("b",))
    assert [would for _, would in alone.late] == [True]


def test_late_evidence_changes_a_verdict_on_the_last_only_surely_within_the_limit() -> None:
    judged_late = {}
    for ms, err_ms in ((900, 0), (990, 5), (999, 5), (1_005, 0)):
        rows = arrived(tap("a", 0), tap("b", ms, err_ms, 3_000))
        alone = arbitrate(rows, replace(LAST, latency_ns=0), {"a": "a", "b": "b"})[0]
        judged_late[ms] = [would for _, would in alone.late]
    assert judged_late == {900: [True], 990: [True], 999: [False], 1_005: [False]}
