"""Bounces that come long after their press: what a contact is taken for must not depend on when its rows arrived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.core.games.nertz.playing import Playing
from referee.core.match.engine import Engine
from referee.core.model.table import Setup
from referee.core.phases.armed import armed_span_of
from referee.core.phases.contest import judged_of
from referee.core.phases.counting import Counting
from referee.core.pods.link import Seen
from referee.core.presses.arbiter import CallRules, Verdict, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, S
from referee.core.values import replace
from tests.core.sitting import Sitting
from tests.firmware.ends import STEP_NS, Ends, FakeBoard

LAG_NS = 30 * MS
BEHIND_NS = 30 * MS
"""How much later than a first row the bounces behind it may come."""
EIGHT = tuple("12345678")
BYTE_NS = 28 * US
"""A frame of 32 changes, 139 bytes, takes the emulated pod 3.9 ms."""


def playing(stations: tuple[str, ...], remote: tuple[str, ...]) -> Sitting:
    """Cards move; those stations are a pod's."""
    setup = Setup(stations=stations, remote=remote, latency_ns=LAG_NS)
    sitting = Sitting(replace(setup, remote=(), latency_ns=0)).playing(*stations)  # on wires, until cards move
    state = sitting.engine.state
    table = replace(state.table, setup=setup)
    assert isinstance(state.phase, Playing)
    play = replace(state.phase, armed=armed_span_of(table, state.phase.playing))
    sitting.engine.state = replace(state, table=table, phase=play)
    return sitting


# -- a pod's own frames --------------------------------------------------------------------------------------------


@dataclass
class SlowBoard(FakeBoard):
    """A line that takes a frame at a time, and for each byte the time that the emulated pod takes."""

    busy_ns: int = 0

    def send(self, out: bytes, length: int, ordinal: int) -> None:
        super().send(out, length, ordinal)
        self.busy_ns = self.host_ns + length * BYTE_NS

    def flush(self) -> bool:
        return self.host_ns >= self.busy_ns


class SlowEnds(Ends):
    """The firmware's own modules behind that line."""

    def anew(self, boot: int) -> None:
        self.board = SlowBoard(host_ns=self.now_ns)
        super().anew(boot)


def bouncing(dice: Random, at_ns: int, edges: int, closed_ns: int) -> list[tuple[int, bool]]:
    """A burst within 4 ms that is closed for so long in all and ends open."""
    shares = sorted(dice.random() for _ in range(edges // 2 - 1))
    closings = [later - before for before, later in zip([0.0, *shares], [*shares, 1.0], strict=True)]
    pauses = [dice.random() for _ in closings]
    changes, now = [], float(at_ns)
    for share, pause in zip(closings, pauses, strict=True):
        changes.append((round(now), True))
        now += share * closed_ns
        changes.append((round(now), False))
        now += pause / sum(pauses) * (4 * MS - closed_ns)
    return changes


def volley(ends: Ends, dice: Random, spikes: set[int], edges: int = 50) -> Iterator[Edge]:
    """Eight contacts within 4 ms, 50 edges each; those of `spikes` are no presses. The rows as they arrive."""
    begin_ns = ends.now_ns + 5 * MS
    changes: list[tuple[int, int, bool]] = []
    for contact in range(8):
        at_ns = begin_ns + dice.randrange(4 * MS)
        bounces = bouncing(dice, at_ns, edges, 800 * US if contact in spikes else 2 * MS)
        changes += [(ns, contact, closed) for ns, closed in bounces]
        if contact not in spikes:
            changes += [(at_ns + 4 * MS, contact, True), (at_ns + 100 * MS, contact, False)]
    level, told = 0, 0
    for ns, contact, closed in sorted(changes):
        while ends.now_ns + STEP_NS < ns:
            ends.run(STEP_NS)
            yield from rows(ends, told)
            told = len(ends.news)
        level = level & ~(1 << contact) | closed << contact
        ends.change(level, ns)
    for _ in range(1 * S // STEP_NS):
        ends.run(STEP_NS)
        yield from rows(ends, told)
        told = len(ends.news)


def rows(ends: Ends, since: int) -> list[Edge]:
    """What the link has told since so many items of news; contact 0 is station 1."""
    told = zip(ends.news[since:], ends.arrived_ns[since:], strict=True)
    return [
        Edge(EIGHT[item.contact], item.closed, item.t_ns, item.err_ns, at_ns, item.clock, item.rel_err_ns)
        for item, at_ns in told
        if isinstance(item, Seen)
    ]


@pytest.mark.parametrize(("seed", "spikes"), [(1, {0, 3}), (2, {7}), (3, {1, 2, 4, 5, 6})])
def test_400_edges_of_a_pod_name_whom_the_whole_trace_names(seed: int, spikes: set[int]) -> None:
    """Told in the firmware's order, for 50 ms: contacts that bounced in vain are no callers, all the others are."""
    table = playing(EIGHT, EIGHT)
    ends = SlowEnds(began_ns=table.now_ns)
    ends.run(3 * S)
    whole: list[Edge] = []
    for row in volley(ends, Random(seed), spikes):
        whole.append(row)
        table.engine.intake([row], row.arrived_ns)
    table.engine.intake([], ends.now_ns)
    late_ns = max(row.arrived_ns - row.t_ns for row in whole)
    assert 40 * MS < late_ns < LAG_NS + BEHIND_NS
    judged = judged_of(table.engine.state.phase)
    assert judged is not None
    [recorded, *_] = arbitrate(whole, CallRules(latency_ns=LAG_NS))
    assert judged.verdict == recorded
    assert {p.station for p in recorded.presses} == {s for n, s in enumerate(EIGHT) if n not in spikes}
    assert not recorded.grey


# -- any order and lateness ----------------------------------------------------------------------------------------

FOUR = ("1", "2", "3", "4")
GAPS_NS = (20 * US, 100 * US, 300 * US, 600 * US, MS - 1, MS, 2 * MS, 9 * MS, 10 * MS, 11 * MS, 25 * MS, 45 * MS)


@st.composite
def contact_rows(draw: st.DrawFn, station: str, lateness_ns: st.SearchStrategy[int]) -> list[Edge]:
    """One contact's bursts in the first 40 ms of a call, and each row's arrival: in order, and not before its stamp."""
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
    """The same, each burst's first row no later than L, the others no later than the drain."""
    found: list[Edge] = []
    for row in rows:
        first = not found or row.t_ns - found[-1].t_ns >= 10 * MS
        latest_ns = row.t_ns + LAG_NS + (0 if first else BEHIND_NS)
        before_ns = found[-1].arrived_ns if found else 0
        found.append(replace(row, arrived_ns=max(min(row.arrived_ns, latest_ns), before_ns)))
    return found


@st.composite
def calls(draw: st.DrawFn, lateness_ns: st.SearchStrategy[int]) -> list[list[Edge]]:
    """What two to four contacts of a pod do."""
    return [draw(contact_rows(station, lateness_ns)) for station in FOUR[: draw(st.integers(2, 4))]]


TABLE = playing(FOUR, FOUR)
BEGAN = TABLE.now_ns + 1 * S


def played(contacts: Sequence[Sequence[Edge]]) -> tuple[Engine, list[Edge], bool]:
    """The Engine after these rows as they arrive, the rows, and whether it has offered a contest."""
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
    """The contest's list is open, or about to be."""
    judged, state = judged_of(engine.state.phase), engine.state
    return judged is not None and (judged.to_offer or (state.menu is not None and state.menu.title is not None))


def verdict_of(engine: Engine) -> Verdict | None:
    judged = judged_of(engine.state.phase)
    return None if judged is None else judged.verdict


@given(calls(st.integers(0, LAG_NS + BEHIND_NS)))
@settings(max_examples=150, deadline=None)
def test_rows_in_time_are_ruled_as_if_all_had_been_there_at_once(contacts: list[list[Edge]]) -> None:
    """First rows within L, bounces within the drain, in any order: the live verdict is the whole trace's."""
    engine, found, _ = played([in_time(rows) for rows in contacts])
    recorded = arbitrate(found, CallRules(latency_ns=LAG_NS))
    assert verdict_of(engine) == (recorded[0] if recorded else None)


LATE_BOUNCE = [
    [Edge("1", True, 0, 300 * US, 0), Edge("1", False, 300 * US, 300 * US, 300 * MS)],
    [Edge("2", True, 35 * MS, 300 * US, 35 * MS)],
]
"""1 has slipped off its button, and the row that says so comes when 1 has been named."""


LATE_IN_THE_CALL = [LATE_BOUNCE[0][:1], [Edge("2", False, 30 * MS, 300 * US, 30 * MS)]]
LATE_IN_THE_CALL[0].append(replace(LATE_BOUNCE[0][1], arrived_ns=80 * MS))
"""The same while the verdict waits for what 2 may have done."""


@example(LATE_IN_THE_CALL)
@example(LATE_BOUNCE)
@given(calls(st.sampled_from((0, MS, 25 * MS, 70 * MS, 120 * MS, 200 * MS, 400 * MS))))
@settings(max_examples=250, deadline=None)
def test_rows_later_than_that_name_nobody_wrongly_without_saying_so(contacts: list[list[Edge]]) -> None:
    """A verdict names whom the true presses name, or it is grey, or the device offers the contest by itself."""
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
    """While the verdict is shown, and while the table counts; the verdict itself stands until the table says so."""
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
