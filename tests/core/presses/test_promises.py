"""The arbiter's promises of docs/timing.md, over random calls, compared with a second model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.core.documents.trace import document
from referee.core.presses.arbiter import (
    CalledPress,
    CallRules,
    Verdict,
    arbitrate,
    by_time,
    calls_of,
    judge,
)
from referee.core.presses.signals import (
    Edge,
    Press,
    presses_of,
)
from referee.core.units import MS, US, S
from referee.core.values import replace
from tests.core.presses import arbiter_model as model
from tests.core.presses.arbiter_cases import (
    ALONE,
    PAIRS,
    corners,
    drawn,
    in_presses,
    judged,
    on,
    pressed,
)
from tests.core.presses.arbiter_rows import RULES, STATIONS, arrived, traces


def right_callers(true: Mapping[str, int], team_of: Mapping[str, str], tie_ns: int) -> set[str]:
    """Return who called by the true times: all teams within W of the earliest."""
    teams: dict[str, int] = {}
    for station, t_ns in true.items():
        team = team_of[station]
        teams[team] = min(teams.get(team, t_ns), t_ns)
    return {team for team, t_ns in teams.items() if t_ns <= min(teams.values()) + tie_ns}


@given(in_presses(), RULES, st.sampled_from((ALONE, PAIRS)), st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_a_verdict_that_is_not_grey_names_the_right_callers(
    presses: list[Press], rules: CallRules, team_of: Mapping[str, str], random: Random
) -> None:
    verdict = judged(*presses, rules=rules, team_of=team_of)
    assume(not verdict.grey)
    for true in (*corners(presses), *drawn(presses, random)):
        assert right_callers(true, team_of, rules.tie_ns) == set(verdict.callers)


@given(in_presses(least=2), RULES)
@settings(max_examples=300, deadline=None)
def test_a_grey_verdict_is_grey_for_a_reason(presses: list[Press], rules: CallRules) -> None:
    rules = replace(rules, age_ns=None)
    assume(judged(*presses, rules=rules).grey)
    assert len({frozenset(right_callers(true, ALONE, rules.tie_ns)) for true in corners(presses)}) > 1


@st.composite
def happened(draw: st.DrawFn) -> tuple[CallRules, dict[str, int], list[Edge], list[Edge]]:
    """Draw true events and their rows. Some rows arrive later than L after the event.

    Every clock is off by up to its fit's error, equally for all its stations. A pod may have restarted between two of
    its buttons. A wired row is its kernel stamp, late by at most its error.
    """
    rules, base = draw(RULES), draw(st.integers(0, 10 * MS))
    off = {clock: draw(st.integers(-1_000, 1_000)) for clock in ("pod-a", "pod-b", "pod-a, restarted")}
    true, rows, late = {}, [], []
    for station in STATIONS:
        true_ns, own_ns = draw(st.integers(0, 50 * MS)), draw(st.sampled_from((0, 300, 50 * US, MS)))
        clock = draw(st.sampled_from((None, *off)))
        if clock is None or not rules.latency_ns:
            own_ns = min(own_ns, rules.max_err_ns)  # no error is left for a stamp that is late
            t_ns = true_ns + draw(st.integers(0, own_ns))
            rows += [Edge(station, True, t_ns, own_ns), Edge(station, False, t_ns + 50 * MS, own_ns)]
            true[station] = true_ns
            continue
        t_ns = true_ns + off[clock] * base // 1_000 + draw(st.integers(-own_ns, own_ns))
        way_ns = draw(st.integers(0, rules.latency_ns)) if draw(st.integers(0, 4)) else rules.latency_ns + S
        a, err_ns = true_ns + way_ns, base + own_ns
        pair = [Edge(station, True, t_ns, err_ns, a, clock, own_ns)]
        pair.append(replace(pair[0], closed=False, t_ns=t_ns + 50 * MS, arrived_ns=a + 50 * MS))
        if way_ns > rules.latency_ns:
            late += pair
        else:
            rows += pair
        true[station] = true_ns
    return rules, true, arrived(rows), arrived(late)


@given(happened(), st.sampled_from((ALONE, PAIRS)))
@settings(max_examples=300, deadline=None)
def test_whoever_truly_called_is_in_and_named_unless_it_is_grey(
    case: tuple[CallRules, dict[str, int], list[Edge], list[Edge]], team_of: Mapping[str, str]
) -> None:
    """L counts from the *true* press to the row's arrival.

    Rows beyond L are reported as late evidence that would be first.
    """
    rules, true, rows, late = case
    assume(rows)
    heard = {station: t_ns for station, t_ns in true.items() if station in {row.station for row in rows}}
    verdict = arbitrate(arrived(rows, late), rules, team_of)[0]
    right = right_callers(heard, team_of, rules.tie_ns)
    earliest = min(heard.values())
    inside = {p.station for p in verdict.presses}
    assert {station for station, t_ns in heard.items() if t_ns <= earliest + rules.tie_ns} <= inside
    assert verdict.grey or set(verdict.callers) == right
    for one, would_be_first in verdict.late:
        assert not would_be_first or true[one.station] < min(true[station] for station in inside)


def renamed(verdict: Verdict, other: Mapping[str, str]) -> Verdict:
    """Return the verdict with other names, sorted by them where t is equal."""

    def name(called: CalledPress) -> CalledPress:
        return replace(called, team=other[called.team], station=other[called.station])

    def by_claim(calleds: Sequence[CalledPress]) -> tuple[CalledPress, ...]:
        return tuple(sorted(map(name, calleds), key=lambda p: (p.t_ns, p.station)))

    presses = tuple(sorted(map(name, verdict.presses), key=by_time))
    callers = tuple(p for p in presses if p.team in map(other.get, verdict.callers))
    return replace(
        verdict,
        callers=tuple(p.team for p in callers),
        first=callers[0].team,
        presses=presses,
        late=tuple(sorted(((name(p), would) for p, would in verdict.late), key=lambda p: (p[0].t_ns, p[0].station))),
        ignored=by_claim(verdict.ignored),
    )


@given(traces(), RULES, st.permutations(STATIONS))
@settings(max_examples=200, deadline=None)
def test_swapping_stations_swaps_their_names_and_nothing_else(
    rows: list[Edge], rules: CallRules, to: list[str]
) -> None:
    other = dict(zip(STATIONS, to, strict=True))
    swapped = arbitrate([replace(edge, station=other[edge.station]) for edge in rows], rules)
    assert swapped == tuple(renamed(verdict, other) for verdict in arbitrate(rows, rules))


@given(in_presses(), RULES, st.data())
@settings(max_examples=300, deadline=None)
def test_the_order_of_what_arrives_by_the_deadline_changes_nothing(
    presses: list[Press], rules: CallRules, data: st.DataObject
) -> None:
    rules = replace(rules, age_ns=None)
    assume(all(p.err_ns < rules.lockout_ns for p in presses))
    span = rules.tie_ns + rules.max_err_ns + rules.latency_ns
    deadline = min(p.t_ns + p.err_ns for p in presses) + span
    assume(all(p.t_ns - p.err_ns <= deadline for p in presses))
    times = [data.draw(st.integers(p.t_ns - p.err_ns, deadline)) for p in presses]
    orders = data.draw(st.permutations(range(len(presses))))
    moved = [replace(p, arrived_ns=a, order=o) for p, a, o in zip(presses, times, orders, strict=True)]
    (call,) = calls_of(moved, rules)
    assert call.deadline_ns == deadline
    assert replace(judge(call, rules, ALONE), deadline_ns=0) == judged(*presses, rules=rules)


@given(in_presses(), RULES, st.integers(0, 3), st.integers(1, S), st.sampled_from((ALONE, PAIRS)))
@settings(max_examples=300, deadline=None)
def test_an_error_above_the_cap_never_pays(
    presses: list[Press], rules: CallRules, at: int, more: int, team_of: Mapping[str, str]
) -> None:
    at %= len(presses)
    one = replace(presses[at], err_ns=max(presses[at].err_ns, rules.max_err_ns))
    before = judged(*presses[:at], one, *presses[at + 1 :], rules=rules, team_of=team_of)
    after = judged(
        *presses[:at], replace(one, err_ns=one.err_ns + more), *presses[at + 1 :], rules=rules, team_of=team_of
    )
    assert set(before.callers) <= set(after.callers)
    assert (team_of[one.station] in after.callers) is (team_of[one.station] in before.callers)


@given(RULES, st.integers(0, 20 * MS), st.integers(0, MS), st.integers(0, MS), st.integers(1, 10 * MS))
@settings(deadline=None)
def test_pairs_of_one_clock_farther_apart_than_w_and_their_own_errors_are_clear(
    rules: CallRules, shared: int, r: int, s: int, more: int
) -> None:
    verdict = judged(
        on("a", "red", 0, shared + r, r), on("a", "blue", rules.tie_ns + r + s + more, shared + s, s), rules=rules
    )
    assert (verdict.kind, verdict.grey, verdict.first) == ("clear", False, "red")
    if r + s <= rules.tie_ns:
        verdict = judged(
            on("a", "red", 0, shared + r, r), on("a", "blue", rules.tie_ns - r - s, shared + s, s), rules=rules
        )
        assert (verdict.kind, verdict.grey) == ("tie", False)


@given(traces(), RULES)
@settings(max_examples=200, deadline=None)
def test_every_press_is_in_exactly_one_list(rows: list[Edge], rules: CallRules) -> None:
    verdicts = arbitrate(rows, rules)
    listed = [(*v.presses, *(p for p, _ in v.late), *v.ignored) for v in verdicts]
    assert Counter((p.station, p.t_ns) for some in listed for p in some) == Counter(
        (p.station, p.t_ns) for p in presses_of(rows)
    )
    for v in verdicts:
        assert max(Counter([p.station for p in v.presses] + [p.station for p, _ in v.late]).values()) == 1


@given(RULES, st.integers(0, 20 * MS), st.integers(0, 20 * MS), st.integers(1, 10 * MS), st.integers(0, S))
@settings(deadline=None)
def test_pairs_farther_apart_than_w_and_both_errors_are_clear(
    rules: CallRules, e: int, f: int, more: int, t: int
) -> None:
    verdict = judged(pressed("red", t, e), pressed("blue", t + rules.tie_ns + e + f + more, f), rules=rules)
    assert (verdict.kind, verdict.grey, verdict.first) == ("clear", False, "red")
    if e + f <= rules.tie_ns:
        verdict = judged(pressed("red", t, e), pressed("blue", t + rules.tie_ns - e - f, f), rules=rules)
        assert (verdict.kind, verdict.grey) == ("tie", False)


@given(traces(30), RULES)
@settings(max_examples=300, deadline=None)
def test_verdicts_are_the_model_s(rows: list[Edge], rules: CallRules) -> None:
    assert document(arbitrate(rows, rules)) == model.document(rows, rules, ALONE)
    assert document(arbitrate(rows, rules, PAIRS)) == model.document(rows, rules, PAIRS)


@given(in_presses(least=2), RULES, st.sampled_from((ALONE, PAIRS)))
@settings(max_examples=400, deadline=None)
def test_verdicts_on_what_is_close_are_the_model_s(
    presses: list[Press], rules: CallRules, team_of: Mapping[str, str]
) -> None:
    rows = [Edge(p.station, True, p.t_ns, p.err_ns, p.arrived_ns, p.clock, p.rel_err_ns) for p in presses]
    bursts = [model.Burst(row, order, True, 0, row.arrived_ns, row.t_ns) for order, row in enumerate(rows)]
    taken = model.Sorted(0, model.counted(bursts, rules), [], [])
    told = document([judged(*presses, rules=rules, team_of=team_of)])["calls"]
    assert told == [model.call_document(taken, rules, team_of)]
