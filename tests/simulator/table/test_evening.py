"""Bots at the real engine: a match ends, adds up, repeats itself, survives power cuts.

Presses are realistic.
"""

from __future__ import annotations

import ast
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import referee.simulator.table
from referee.core.match.engine import JournalRow
from referee.core.model.table import Setup
from referee.core.model.view import PhotoScreen, View
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.device.simulated import BOT_READY_NS
from referee.simulator.table import habits, hand, skill
from referee.simulator.table.bots import Bots
from referee.simulator.table.contacts import Action, Move
from referee.simulator.table.evening import START_NS, Evening, StuckError
from referee.simulator.table.transcript import MatchRecord
from tests.simulator.table.cut import CutEvening
from tests.simulator.table.test_contacts import alternates

ROOM = Path(referee.simulator.table.__file__).parent
SHORT = Setup(options=(("target", 50),))
"""A table whose match is over after a few hands."""
small = settings(max_examples=1, deadline=None, phases=(Phase.explicit, Phase.generate))
"""Whole evenings: a few of them, without shrinking."""


class Heard(Bots):
    """Bots whose moves are recorded."""

    def __init__(self, seats: int, seed: int, rematches: int = 0) -> None:
        super().__init__([str(n) for n in range(1, seats + 1)], seed, pace_percent=20, rematches=rematches)
        self.heard: list[Action] = []

    def moves(self, until_ns: int) -> list[Action]:
        moved = super().moves(until_ns)
        self.heard += moved
        return moved


def played(seats: int, seed: int) -> tuple[MatchRecord, list[JournalRow], Heard]:
    rows: list[JournalRow] = []
    bots = Heard(seats, seed)
    return Evening(SHORT, bots, journal=rows.extend).play()[0], rows, bots


@small
@example(8, 1)
@given(st.integers(2, 4), st.integers(0, 10**6))
def test_a_match_ends_and_adds_up(seats: int, seed: int) -> None:
    """The winner's total is the sum by the cards on the table; an unnoticed slip is reported; each press is whole."""
    match, _, bots = played(seats, seed)
    totals = dict.fromkeys(range(1, seats + 1), 0)
    for played_hand in match.hands:
        wrong = set(played_hand.miscounts)
        for team, (left, tens, ones) in played_hand.counts.items():
            truth = played_hand.truth[team]
            assert ((left, tens, ones) == truth) is (team not in wrong)
            totals[team] += tens * 10 + ones - 2 * left
    assert {line.label.numbers[0]: line.total for line in match.lines} == totals
    best = max(totals.values())
    assert best >= 50
    assert all(totals[label.numbers[0]] == best for label in match.winners)
    times = [action.t_ns for action in bots.heard]
    assert times == sorted(times)
    moves = [action for action in bots.heard if isinstance(action, Move)]
    for contact in {move.contact for move in moves}:
        assert alternates([move for move in moves if move.contact == contact])


def test_the_same_seed_is_the_same_evening() -> None:
    first, second, other = (played(2, seed)[1] for seed in (7, 7, 8))
    assert first == second
    assert first != other


@small
@example(1295, 27)  # the push that was to open the list was lost
@given(st.integers(0, 10**6), st.integers(1, 600))
def test_after_a_power_cut_they_tap_and_go_on(seed: int, steps: int) -> None:
    rows: list[JournalRow] = []
    evening = CutEvening(SHORT, Heard(3, seed), journal=rows.extend)
    for _ in range(steps):
        evening.step()
    evening.power_cut(rows, 30 * S)
    assert evening.play()[0].winners


def test_an_overlooked_digit_is_repaired_by_opening_the_count_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who overlooks a digit in its field sees it at the end, and holds."""
    blind = iter([True] * 3)

    def percent(self: skill.Human, share: int) -> bool:
        if share == skill.BLIND_PERCENT:
            return next(blind, False)
        return self.rng.randrange(100) < share

    monkeypatch.setattr(skill.Human, "percent", percent)
    monkeypatch.setattr(skill, "SLIP_PERCENT", 30)
    match, _, _ = played(2, 2)
    assert not any(h.miscounts for h in match.hands)


def test_stopped_starts_happen_and_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(habits, "FLINCH_PER_MILLE", 300)
    match, _, _ = played(3, 4)
    assert sum(len(h.stops) for h in match.hands) > 2
    assert match.winners


def test_ties_and_grey_calls_happen_and_the_photo_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps_ns = cycle((0, 8 * MS, 20 * MS, 20 * MS, 3 * S))
    later: dict[hand.PlayedHand, tuple[int, int]] = {}
    press_at_ns = hand.PlayedHand.press_at_ns

    def together(self: hand.PlayedHand, team: int, now_ns: int) -> int | None:
        first = min((t for other in self.teams if (t := press_at_ns(self, other, now_ns)) is not None), default=None)
        if first is None or team != self.teams[0]:
            return press_at_ns(self, team, now_ns)
        if later.get(self, (0, 0))[0] != first:
            later[self] = (first, first + next(gaps_ns))
        return later[self][1]

    monkeypatch.setattr(hand.PlayedHand, "press_at_ns", together)
    monkeypatch.setattr(hand.PlayedHand, "wrong", lambda self, callers, now_ns: set())
    seen, photos = set(), []

    def watch(view: View) -> None:
        if isinstance(view.screen, PhotoScreen):
            photos.append(view.now_ns)

    for seed in range(5):
        match = Evening(SHORT, Heard(3, seed), watch=watch, err_ns=MS).play()[0]
        seen |= {(h.verdict.kind, h.verdict.grey) for h in match.hands if h.verdict}
        if {("clear", False), ("tie", False)} <= seen and any(grey for _, grey in seen) and photos:
            return
    raise AssertionError(f"only {seen}, {len(photos)} photos")


def test_a_rematch_is_played_when_they_like_one() -> None:
    first, second = Evening(SHORT, Heard(2, 5, rematches=1)).play(2)
    assert second.winners
    assert len({id(first), id(second)}) == 2


def test_a_table_where_nobody_moves_is_said_to_be_stuck() -> None:
    with pytest.raises(StuckError, match="phase LOBBY"):
        Evening(Setup(), Heard(1, 1)).play()


# -- the seat of a visitor -----------------------------------------------------------------------------------------


def tapped(evening: Evening, *stations: str) -> None:
    """Let visitors tap cleanly, before any bot has found its seat."""
    t_ns = evening.now_ns + 10 * MS
    edges = [Edge(station, closed, t_ns + (not closed) * 60 * MS) for closed in (True, False) for station in stations]
    evening.now_ns = t_ns + 120 * MS
    evening.engine.intake(edges, evening.now_ns)
    evening.bots.look(evening.engine.view(evening.now_ns), evening.now_ns)


def test_a_bot_makes_room_for_a_visitor() -> None:
    evening = Evening(Setup(), Bots(["7", "8"], 3))
    tapped(evening, "8")
    for _ in range(200):
        evening.step()
    table = evening.engine.state.table
    assert [seat.station for seat in table.seats if seat.name] == ["6", "7", "8"]


def test_without_another_seat_the_bot_stands_by() -> None:
    """Four seats, three bots and two visitors: one bot only watches."""
    bots = Heard(3, 3)
    evening = Evening(Setup(stations=("1", "2", "3", "4")), bots)
    tapped(evening, "1", "4")
    while evening.engine.state.phase.name == "LOBBY":
        evening.step()
    assert len(evening.engine.state.table.teams) == 4
    assert {a.contact for a in bots.heard if isinstance(a, Move)} == {"2", "3", "knob"}


# -- knowledge of bots -------------------------------------------------------------------------------------------------


AROUND = ("evening", "transcript", "stopwatch", "card_rules", "pods", "whereabouts")
"""Modules of the simulated world around the bots: they tell bots what people would see, and may read the table."""


@pytest.mark.parametrize("path", sorted(p for p in ROOM.glob("*.py") if p.stem not in AROUND))
def test_bots_know_views_and_nothing_of_the_state(path: Path) -> None:
    """Bots may import the view's types, messages, documents' errors, cards and units.

    Never state, engine or event.
    """
    known = ("model.view", "messages", "reading", "units", "values", "cards")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("referee.core"):
            module = str(node.module).removeprefix("referee.core.")
            assert module in known or module.startswith("cards."), node.module


@settings(max_examples=20, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 10**6))
def test_four_new_players_reach_the_first_go_within_a_minute(seed: int) -> None:
    """From the first tap at a blank device; the players' cards are dealt already."""
    views: list[View] = []
    evening = Evening(Setup(), Bots("1234", seed, ready_ns=BOT_READY_NS), watch=views.append)
    while views[-1].phase != "PLAYING":
        evening.step()
    ready_ns = [view.now_ns for view in views if view.phase == "READY"]
    starting_ns = min(view.now_ns for view in views if view.phase == "STARTING")
    assert starting_ns - ready_ns[0] <= BOT_READY_NS[1] + S  # a second for the last finger
    assert evening.now_ns - START_NS <= 60 * S
