"""Bounces that arrive long after their press do not change what a contact is taken for."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.core.games.nertz.settings import Playing
from referee.core.match.engine import Engine
from referee.core.model.table import Setup
from referee.core.phases.armed import armed_span_of
from referee.core.phases.counting import Counting
from referee.core.phases.verdict import judged_in
from referee.core.presses.arbiter import CallRules, Verdict, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, S
from referee.core.values import replace
from tests.core.sitting import Sitting

LAG_NS = 30 * MS
BEHIND_NS = 30 * MS
"""The maximum delay of bounces after the first row."""


def playing(stations: tuple[str, ...], remote: tuple[str, ...]) -> Sitting:
    """Return a table in play; those stations are a pod's."""
    setup = Setup(stations=stations, remote=remote, latency_ns=LAG_NS)
    sitting = Sitting(replace(setup, remote=(), latency_ns=0)).playing(*stations)  # on wires, until cards move
    state = sitting.engine.state
    table = replace(state.table, setup=setup)
    assert isinstance(state.phase, Playing)
    play = replace(state.phase, armed=armed_span_of(table, state.phase.playing, state.phase.go_at_ns))
    sitting.engine.state = replace(state, table=table, phase=play)
    return sitting


# -- any order and lateness ----------------------------------------------------------------------------------------

FOUR = ("1", "2", "3", "4")
GAPS_NS = (20 * US, 100 * US, 300 * US, 600 * US, MS - 1, MS, 2 * MS, 9 * MS, 10 * MS, 11 * MS, 25 * MS, 45 * MS)


@st.composite
def contact_rows(draw: st.DrawFn, station: str, lateness_ns: st.SearchStrategy[int]) -> list[Edge]:
    """Draw one contact's bursts in the first 40 ms of a call, with each row's arrival.

    Rows arrive in order, and not before their stamps.
    """
    t_ns, arrived_ns, found = draw(st.integers(0, 40 * MS)), 0, []
    gaps = draw(st.lists(st.sampled_from(GAPS_NS), max_size=9))
    level = draw(st.booleans()) or len(gaps) < 2
    for gap_ns in (0, *gaps):
        t_ns += gap_ns
        arrived_ns = max(arrived_ns, t_ns + draw(lateness_ns))
        found.append(Edge(station, level, t_ns, 300 * US, arrived_ns))
        level = not level
    return found


def in_time(rows: Sequence[Edge]) -> list[Edge]:
    """Return the rows with limited lag: L for each burst's first row, the drain for the others."""
    found: list[Edge] = []
    for row in rows:
        first = not found or row.t_ns - found[-1].t_ns >= 10 * MS
        latest_ns = row.t_ns + LAG_NS + (0 if first else BEHIND_NS)
        before_ns = found[-1].arrived_ns if found else 0
        found.append(replace(row, arrived_ns=max(min(row.arrived_ns, latest_ns), before_ns)))
    return found


@st.composite
def calls(draw: st.DrawFn, lateness_ns: st.SearchStrategy[int]) -> list[list[Edge]]:
    """Draw two to four contacts of a pod."""
    return [draw(contact_rows(station, lateness_ns)) for station in FOUR[: draw(st.integers(2, 4))]]


TABLE = playing(FOUR, FOUR)
BEGAN = TABLE.now_ns + 1 * S


def played(contacts: Sequence[Sequence[Edge]]) -> tuple[Engine, list[Edge], bool]:
    """Return the Engine after these rows, the rows, and whether it has offered a contest."""
    engine = copy(TABLE.engine)
    found = sorted((row for rows in contacts for row in rows), key=lambda row: row.arrived_ns)
    found = [replace(row, t_ns=BEGAN + row.t_ns, arrived_ns=BEGAN + row.arrived_ns) for row in found]
    offered = False
    for row in found:
        engine.intake([row], row.arrived_ns)
        offered = offered or is_offered(engine)
    for step in range(1, 30):
        engine.intake([], found[-1].arrived_ns + step * 20 * MS)
        offered = offered or is_offered(engine)
    return engine, found, offered


def is_offered(engine: Engine) -> bool:
    """Return whether the contest's list is open, or about to be."""
    judged, state = judged_in(engine.state.phase), engine.state
    return judged is not None and (judged.to_offer or (state.menu is not None and state.menu.title is not None))


def verdict_of(engine: Engine) -> Verdict | None:
    judged = judged_in(engine.state.phase)
    return None if judged is None else judged.verdict


@given(calls(st.integers(0, LAG_NS + BEHIND_NS)))
@settings(max_examples=150, deadline=None)
def test_rows_in_time_are_ruled_as_if_all_had_been_there_at_once(contacts: list[list[Edge]]) -> None:
    """First rows arrive within L, bounces within the drain."""
    engine, found, _ = played([in_time(rows) for rows in contacts])
    recorded = arbitrate(found, CallRules(latency_ns=LAG_NS))
    assert verdict_of(engine) == (recorded[0] if recorded else None)


LATE_BOUNCE = [
    [Edge("1", True, 0, 300 * US, 0), Edge("1", False, 300 * US, 300 * US, 300 * MS)],
    [Edge("2", True, 35 * MS, 300 * US, 35 * MS)],
]
"""Station 1 has slipped off its button. Its second row arrives after the verdict."""


LATE_IN_THE_CALL = [LATE_BOUNCE[0][:1], [Edge("2", False, 30 * MS, 300 * US, 30 * MS)]]
LATE_IN_THE_CALL[0].append(replace(LATE_BOUNCE[0][1], arrived_ns=80 * MS))
"""The same while the verdict waits for station 2."""


@example(LATE_IN_THE_CALL)
@example(LATE_BOUNCE)
@given(calls(st.sampled_from((0, MS, 25 * MS, 70 * MS, 120 * MS, 200 * MS, 400 * MS))))
@settings(max_examples=250, deadline=None)
def test_rows_later_than_that_name_nobody_wrongly_without_saying_so(contacts: list[list[Edge]]) -> None:
    engine, found, offered = played(contacts)
    verdict = verdict_of(engine)
    truth = arbitrate(
        [replace(row, arrived_ns=row.t_ns) for row in sorted(found, key=lambda row: row.t_ns)], CallRules()
    )
    if verdict is None:
        assert not truth
    elif not (truth and set(verdict.callers) == set(truth[0].callers)):
        assert verdict.grey or offered


def test_a_slip_that_is_learnt_after_the_verdict_opens_the_contest() -> None:
    for pause_ns in (0, 6 * S):
        engine, _, _ = played([LATE_BOUNCE[0][:1]])
        verdict = verdict_of(engine)
        assert verdict is not None
        assert (verdict.callers, verdict.grey) == (("1",), False)
        assert not is_offered(engine)
        now_ns = BEGAN + 1 * S + pause_ns
        engine.intake([], now_ns)
        engine.intake([Edge("1", False, BEGAN + 300 * US, 300 * US, now_ns)], now_ns)
        assert is_offered(engine)
        assert verdict_of(engine) == verdict
        assert isinstance(engine.state.phase, Counting) is (pause_ns > 0)
