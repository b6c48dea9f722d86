"""A claim about the past is believed for A; an older press counts at its arrival."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.presses.arbiter import AGE_NS, CallRules, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.presses.arbiter_cases import ALONE, PAIRS
from tests.core.presses.arbiter_rows import RULES, arrived, row, tap

TABLE = CallRules(age_ns=AGE_NS)
A_MS = AGE_NS / MS


@pytest.mark.parametrize(("claim_ms", "old"), [(A_MS, False), (A_MS + 1e-6, True)])
def test_a_claim_is_believed_up_to_a_and_no_longer(claim_ms: float, old: bool) -> None:
    rows = arrived(tap("red", 200), tap("blue", 230 - claim_ms, 0, 230))
    (verdict,) = arbitrate(rows, TABLE)
    assert (verdict.callers, verdict.grey) == ((("red",), True) if old else (("blue",), False))
    assert [p.old for p in verdict.presses] == [False, old]


def test_the_error_counts_towards_the_age() -> None:
    (verdict,) = arbitrate([row("red", "closed", 50, 60, 100)], TABLE)
    assert [(p.old, p.counts_ns) for p in verdict.presses] == [(True, 100 * MS)]


def test_an_old_press_opens_a_call_at_its_arrival() -> None:
    (verdict,) = arbitrate(tap("red", 0, 5, 500), TABLE)
    assert verdict.callers == ("red",)
    assert verdict.deadline_ns == (500 + 5 + 20 + 10 + 30) * MS


def test_an_old_press_that_arrives_after_the_deadline_is_late_evidence_as_claimed() -> None:
    (verdict,) = arbitrate(arrived(tap("red", 400), tap("blue", 300, 5, 800)), TABLE)
    assert verdict.callers == ("red",)
    ((late, would_be_first),) = verdict.late
    assert (late.station, late.t_ns, late.err_ns, would_be_first) == ("blue", 300 * MS, 5 * MS, True)


def test_old_presses_of_one_clock_that_arrive_together_keep_their_order() -> None:
    rows = [
        Edge("red", True, 100 * MS, MS, 400 * MS, "pod", 0),
        Edge("blue", True, 99 * MS, MS, 400 * MS, "pod", 0),
        Edge("gold", True, 350 * MS, MS, 400 * MS, "pod", 0),
    ]
    (verdict,) = arbitrate(rows, TABLE)
    assert [(p.station, p.counts_ns // MS, p.old) for p in verdict.presses] == [
        ("blue", 400, True),
        ("red", 401, True),
        ("gold", 651, False),
    ]


def test_a_press_is_as_old_as_the_last_row_that_it_needs() -> None:
    """The first row alone is no press. The others claim to be of the same burst, after another's call."""
    kept = [row("blue", "open", 200, 0, 201), row("blue", "closed", 202, 0, 390)]
    (verdict,) = arbitrate(arrived(tap("red", 230), kept), CallRules(latency_ns=400 * MS, age_ns=AGE_NS))
    assert verdict.callers == ("red",)


def test_evenings_of_older_releases_believe_a_claim_of_any_age() -> None:
    (verdict,) = arbitrate(arrived(tap("red", 200), tap("blue", 10, 0, 220)), CallRules())
    assert (verdict.callers, verdict.grey) == (("blue",), False)


BACK_MS = (0, 1, 9, 50, 99, 100, 101, 150, 190, 400, 5_000)
NEAR_MS = (-20, -9, -1, 0, 1, 5, 15, 21, 30, 90, 110, 120, 121, 125, 130, 150, 200, 300, 390, 410)
"""Arrivals of a liar's rows, after the honest press."""


@st.composite
def lies(draw: st.DrawFn) -> list[Edge]:
    """Draw rows of one contact that arrive around 1 s, with any claim that the rows' format allows."""
    rows, err_ns = list[Edge](), draw(st.sampled_from((0, 0, MS, 12 * MS, 150 * MS)))
    for near_ms in sorted(draw(st.lists(st.sampled_from(NEAR_MS), min_size=1, max_size=6))):
        arrived_ns = S + near_ms * MS
        t_ns = arrived_ns - draw(st.sampled_from(BACK_MS)) * MS
        t_ns = max(t_ns, rows[-1].t_ns if rows else t_ns)
        rows.append(Edge("blue", draw(st.integers(0, 3)) > 0, t_ns, err_ns, arrived_ns, "liar", err_ns))
    return rows


@given(lies(), st.sampled_from((0, 300_000, 5 * MS)), RULES, st.sampled_from((ALONE, PAIRS | {"blue": "C"})))
@settings(max_examples=1_000, deadline=None)
def test_rows_that_arrive_much_later_make_nobody_a_caller(
    liar: list[Edge], err_ns: int, rules: CallRules, team_of: Mapping[str, str]
) -> None:
    rules = replace(rules, lockout_ns=9 * S, age_ns=rules.age_ns or AGE_NS, latency_ns=rules.latency_ns or 400 * MS)
    assert rules.age_ns is not None
    honest = [Edge("red", True, S, err_ns), Edge("red", False, S + 50 * MS, err_ns)]
    ends_ns = S + rules.tie_ns + rules.age_ns + err_ns + max(edge.err_ns for edge in liar)
    with_all, without = (
        arbitrate(arrived(honest, [edge for edge in liar if edge.arrived_ns <= until_ns]), rules, team_of)
        for until_ns in (9 * S, ends_ns)
    )
    assert team_of["blue"] not in with_all[0].callers or team_of["blue"] in without[0].callers
