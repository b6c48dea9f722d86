"""Buttons on pods: rows as a link gives them, and whole evenings whose verdicts match the fingers."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Ruled
from referee.core.model.table import Setup
from referee.core.presses.arbiter import CalledPress
from referee.core.units import MS, S
from referee.simulator.table.bots import Bots
from referee.simulator.table.contacts import Action, Move, press
from referee.simulator.table.evening import Evening
from referee.simulator.table.pods import OWN_NS, SHARED_NS, SimulatedPods
from tests.simulator.table.cut import CutEvening

ON_PODS = Setup(options=(("target", 50),), remote=("1", "2", "3", "4"), latency_ns=30 * MS)


class Heard(Bots):
    """Bots whose moves are recorded."""

    def __init__(self, seed: int) -> None:
        super().__init__("12345", seed, pace_percent=20)
        self.heard: list[Move] = []

    def moves(self, until_ns: int) -> list[Action]:
        moved = super().moves(until_ns)
        self.heard += [move for move in moved if isinstance(move, Move)]
        return moved


@given(st.integers(0, 10**6))
def test_a_row_s_true_time_is_within_both_of_its_bounds(seed: int) -> None:
    """Within err_ns of the host's clock, and two of one pod within their own errors of each other."""
    pods = SimulatedPods("1234", seed)
    moves = [move for n in "1234" for move in press(Random(seed), n, 10 * MS, 30 * MS)]
    rows = [pods.edge(move) for move in moves]
    off = [row.t_ns - move.t_ns for row, move in zip(rows, moves, strict=True)]
    assert all(
        abs(ns) <= row.err_ns and row.t_ns - row.err_ns <= row.arrived_ns for ns, row in zip(off, rows, strict=True)
    )
    for clock in ("pod-1", "pod-2"):
        of_pod = [ns for ns, row in zip(off, rows, strict=True) if row.clock == clock]
        assert max(of_pod) - min(of_pod) <= 2 * OWN_NS
    assert Counter(row.clock for row in rows).keys() == {"pod-1", "pod-2"}


def true_ns(press: CalledPress, moves: list[Move]) -> int:
    """Return when the finger of the verdict's press came down."""
    near = [move for move in moves if move.contact == press.station and abs(move.t_ns - press.t_ns) <= press.err_ns]
    return min(move.t_ns for move in near)


@settings(max_examples=1, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 10**6))
def test_no_verdict_of_an_evening_on_pods_names_the_wrong_ones(seed: int) -> None:
    """Unless it is grey; two pods, four of five buttons.

    The folded journal gives the same state.
    """
    rows: list[JournalRow] = []
    bots = Heard(seed)
    evening = Evening(ON_PODS, bots, journal=rows.extend)
    evening.play()
    verdicts = [event.verdict for _, event in rows if isinstance(event, Ruled)]
    assert verdicts
    for verdict in verdicts:
        teams: dict[str, int] = {}
        for p in verdict.presses:
            teams[p.team] = min(true_ns(p, bots.heard), teams.get(p.team, 2**63))
        right = {team for team, at_ns in teams.items() if at_ns <= min(teams.values()) + verdict.window_ns}
        assert verdict.grey or set(verdict.callers) == right
    on_pods = [p for verdict in verdicts for p in verdict.presses if p.clock]
    assert on_pods
    assert {(p.err_ns, p.rel_err_ns) for p in on_pods} == {(SHARED_NS + OWN_NS, OWN_NS)}
    assert Engine.restored(rows).state == evening.engine.state


def test_after_a_power_cut_the_pods_are_there_again() -> None:
    rows: list[JournalRow] = []
    evening = CutEvening(ON_PODS, Heard(5), journal=rows.extend)
    for _ in range(200):
        evening.step()
    evening.power_cut(rows, 30 * S)
    assert evening.engine.state.away == ()
    assert evening.play()[0].winners
