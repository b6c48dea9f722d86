"""The grammar of lamps and presses of grammar.py, with orderly and random input."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee.core.games.nertz.rules import PRESETS
from referee.core.match.engine import Engine
from referee.core.model.events import (
    Adjusted,
    Agreed,
    CameBack,
    Cleared,
    Closed,
    Corrected,
    Ended,
    JoinedLate,
    Left,
    Muted,
    Overruled,
    PointsGiven,
    Redone,
    Resumed,
    Ruled,
    SatOut,
    SeatsMoved,
    Undone,
    Voided,
)
from referee.core.model.registry import presets
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.evenings import counted
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.grammar import CLAUSES, agree, faults
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_trouble import MOMENTS, at

STATIONS = ("1", "2", "3", "4", "5")
SEATS = st.sampled_from(STATIONS)
WHILE_NS = st.sampled_from((0, 1, 500_000, 5 * MS, 40 * MS, 200 * MS, 699 * MS, 700 * MS, 1 * S, 2 * S, 5 * S, 16 * S))


# -- every kind of moment, exhaustively ----------------------------------------------------------------------------


def stuck() -> Sitting:
    return Sitting().playing("1", "2").press(KNOB, ns=400 * MS).choose("Stuck")


def searching() -> Sitting:
    return stuck().wait(5 * S)


def burning() -> Sitting:
    return searching().wait(BREATH_NS).tap("1", "2")


def voting() -> Sitting:
    return Sitting().playing("1", "2", "3").press("1").wait(3 * S).choose("False call")


def voting_still() -> Sitting:
    """Return a vote on a false call after one no."""
    return voting().wait(BREATH_NS).hold("2")


def called() -> Sitting:
    """Return the stop without a caller yet."""
    return Sitting().playing("1", "2").close("1")


def spelling() -> Sitting:
    """Return a name that is entered at READY. Buttons keep their meaning."""
    table = Sitting().seated("1", "2").choose("Players").choose("Name").choose("2:").turn(1).push()
    return table.turn(3).push()


def spelling_in_the_lobby() -> Sitting:
    return Sitting().tap("1").turn(-1).push().turn(3).push()


def agreeing() -> Sitting:
    """Return an agreement that has just been asked, with one answer."""
    return Sitting(Setup("nna", (("target", 150),), STATIONS, agreement=True)).seated("1", "2", "3").tap("1")


def agreeing_on_stacking() -> Sitting:
    """Return an agreement where a hold means no."""
    options = (("stacking", True),)
    return Sitting(Setup("nna", options, STATIONS, agreement=True)).seated("1", "2", "3").tap("1")


def voting_on_a_rule() -> Sitting:
    """Return a vote on another target in mid-match."""
    table = Sitting(Setup(stations=STATIONS, agreement=True)).seated("1", "2", "3")
    return (
        counted(table.playing("1", "2", "3"), "1", 5, "2", "3")
        .wait(5 * S)
        .choose("More")
        .choose("Target")
        .turn(1)
        .push()
    )


def moving_seats() -> Sitting:
    table = Sitting(Setup("nna", (("rotate_seats", True),), STATIONS))
    return counted(table.playing("1", "2", "3"), "1", 5, "2", "3").wait(5 * S).choose("Seats move on")


def called_by_voice() -> Sitting:
    table = Sitting(Setup(stations=STATIONS)).seated("1", "2", "3").choose("Players").choose("Mute").choose("3 ")
    return table.playing("1", "2").press(KNOB, ns=400 * MS).choose("Call by voice").choose("3 ")


def a_31_that_is_none() -> Sitting:
    """Return a vote on a 31 whose declarer may admit that it is none."""
    return table_of_31(3).dealt().declares("1").choose("Not a 31")


def a_late_31() -> Sitting:
    return table_of_31(3).dealt().choose("A 31").choose("1 Anna")


def one_place_more() -> Sitting:
    return table_of_31(2, "ride-the-bus").wait(S).choose("One place more")


def three_called(*options: tuple[str, object]) -> Sitting:
    table = Sitting(Setup(options=options, stations=STATIONS)).playing("1", "2", "3", "4")
    return table.edges(*((s, True, n * MS) for n, s in enumerate("123"))).wait(200 * MS).open(*"123").wait(1 * S)


def dividing() -> Sitting:
    return three_called(("bonus", 10)).choose("Divide bonus").choose("10:0:0")


def claiming_a_tie() -> Sitting:
    table = Sitting().playing("1", "2", "3").edges(("1", True, 0), ("2", True, 50 * MS)).wait(200 * MS)
    return table.open("1", "2").wait(3 * S).choose("Tie")


def claiming_first() -> Sitting:
    return three_called().choose("Someone else first").choose("4 ")


def ending_the_hand() -> Sitting:
    return Sitting().playing("1", "2").press(KNOB, ns=400 * MS).choose("End hand")


def voiding_the_hand() -> Sitting:
    return Sitting().playing("1", "2").press(KNOB, ns=400 * MS).choose("Void hand")


def ending_the_match() -> Sitting:
    return counted(Sitting().playing("1", "2"), "1", 5, "2").wait(5 * S).choose("More").choose("End match")


def all_press() -> Sitting:
    """Return a race for the last press after the first one. The others' lamps blink."""
    table = Sitting(Setup("spoons", stations=STATIONS)).seated("1", "2", "3")
    return table.tap("1", "2", "3").wait(BREATH_NS).press("2")


def last_one() -> Sitting:
    return all_press().press("1").wait(300 * MS).press("3").wait(3 * S)


def claiming_last() -> Sitting:
    return last_one().choose("Someone else last").choose("1 ")


def a_false_start() -> Sitting:
    return last_one().choose("False start")


def slapped() -> Sitting:
    table = Sitting(Setup("snap", stations=STATIONS)).seated("1", "2", "3")
    return table.tap("1", "2", "3").wait(BREATH_NS).press("2").wait(3 * S).tap("1")


def pair_at_ready(*options: tuple[str, object]) -> Sitting:
    table = Sitting(Setup("nna", options, STATIONS)).tap("1", "2", "3").press("1", "2", ns=900 * MS)
    return table.choose("Start").wait(BREATH_NS)


def choosing_who_holds() -> Sitting:
    """Return a pair that may choose, after a hold that takes the reserve."""
    return pair_at_ready().hold("2")


def alternating() -> Sitting:
    """Return a pair that alternates: the lamp of the one with the reserve blinks twice."""
    return pair_at_ready(("pile_control", "alternate"))


QUESTIONS = (
    moving_seats, voting_on_a_rule, called_by_voice, a_31_that_is_none, a_late_31, one_place_more, dividing,
    claiming_a_tie, claiming_first, claiming_last, a_false_start, ending_the_hand, voiding_the_hand, ending_the_match,
)  # fmt: skip
ALL_MOMENTS = (
    agreeing,
    agreeing_on_stacking,
    *QUESTIONS,
    spelling,
    spelling_in_the_lobby,
    *MOMENTS,
    stuck,
    searching,
    burning,
    voting,
    voting_still,
    called,
    all_press,
    last_one,
    slapped,
    choosing_who_holds,
    alternating,
)


def correcting() -> Sitting:
    """Return a past hand that has just been opened. A push saves what is entered."""
    table = counted(Sitting().playing("1", "2"), "1", 5, "2").wait(5 * S)
    return table.choose("Fix counts").wait(BREATH_NS)


def giving_points() -> Sitting:
    return correcting().push().wait(61 * S).choose("Fix counts").push().choose("Adjust points")


def changing_a_rule() -> Sitting:
    return Sitting().seated("1", "2", "3").choose("More")


QUIET = (agreeing, agreeing_on_stacking, correcting, giving_points, changing_a_rule)
"""Moments in which no question is put to all, so two pushes decide nothing."""
DECIDING = (
    Adjusted, Agreed, CameBack, Cleared, Closed, Corrected, Ended, JoinedLate, Left, Muted, Overruled, PointsGiven,
    Redone, Ruled, SatOut, SeatsMoved, Undone, Voided,
)  # fmt: skip
"""The decisions of a table."""


@pytest.mark.parametrize("moment", [*QUESTIONS, voting, *QUIET])
def test_push_push_decides_nothing_where_something_is_asked_or_open(moment: Callable[[], Sitting]) -> None:
    table = at(moment)
    before = [len(table.decisions(kind)) for kind in DECIDING]
    table.push().push()
    assert [len(table.decisions(kind)) for kind in DECIDING] == before


def clauses_at(moment: Callable[[], Sitting]) -> set[str]:
    """Return the grammar's clauses at and after that moment, for each button's tap and hold."""
    said = set()
    for later_ns in (0, 100 * MS, 650 * MS, 750 * MS, 2 * S):
        table = at(moment).wait(later_ns)
        for station in table.setup.stations:
            said |= {agree(table.engine, table.now_ns, station, hold=hold) for hold in (False, True)}
    return {clause for clause in said if clause is not None}


def test_lamp_and_press_agree_at_every_kind_of_moment() -> None:
    assert set().union(*map(clauses_at, ALL_MOMENTS)) == CLAUSES


def match_over() -> Sitting:
    table = Sitting(Setup("nna", (("target", 10),), STATIONS))
    return counted(table.playing("1", "2"), "1", 15, "2").wait(8 * S)


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("away_s", [5, 4 * 3600])
def test_lamp_and_press_agree_after_a_restart(away_s: int, asks: bool) -> None:
    for moment in (match_over, *ALL_MOMENTS):
        table = at(moment)
        table.engine = Engine.restored(table.chapter)
        table.engine.intake([Resumed(5 * S, "boot-2", away_s, (), asks)], 5 * S)
        table.engine.intake([], 8 * S)
        for station in table.setup.stations:
            agree(table.engine, 8 * S, station)


# -- random input --------------------------------------------------------------------------------------------------


class Panic(RuleBasedStateMachine):
    """People who tap, hold, mash, lean and turn at random, and sometimes answer."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Sitting()
        self.down: set[str] = set()

    @initialize(
        preset=st.sampled_from(tuple(PRESETS)),
        seats=st.integers(2, 4),
        pair=st.booleans(),
        goes_to=st.sampled_from(
            ("LOBBY", "AGREEMENT", "READY", "PLAYING", "PLAYING", "VERDICT", "COUNTING", "STUCK", "VOTE")
        ),
        ends=st.booleans(),
    )
    def sit_down(self, preset: str, seats: int, pair: bool, goes_to: str, ends: bool) -> None:
        """Begin an evening and play to the phase `goes_to`."""
        options: tuple[tuple[str, object], ...] = (("target", 10),) if ends else ()
        asked = goes_to == "AGREEMENT"
        if asked and "stacking" in presets()[preset].preset_values(preset):
            options = (*options, ("stacking", True))
        stations = STATIONS[:seats]
        self.table = Sitting(Setup(preset, options, STATIONS, agreement=asked)).tap(*stations)
        if pair and seats > 2:
            self.table.press("1", "2", ns=900 * MS)
        if goes_to == "LOBBY":
            return
        self.table.choose("Start")
        if goes_to in ("AGREEMENT", "READY"):
            return
        self.table.wait(BREATH_NS).playing(*stations)
        if goes_to == "STUCK":
            self.table.press(KNOB, ns=400 * MS).choose("Stuck")
        if goes_to in ("VERDICT", "COUNTING", "VOTE"):
            self.table.press("2").wait({"VERDICT": 100 * MS, "COUNTING": 5 * S, "VOTE": 300 * MS}[goes_to])
        if goes_to == "VOTE":
            self.table.choose("False call")

    def free(self, *stations: str) -> tuple[str, ...]:
        """Return those of these buttons that are up."""
        return tuple(dict.fromkeys(s for s in stations if s not in self.down))

    # -- random actions ---------------------------------------------------------------------------------------------

    @rule(station=SEATS, times=st.integers(1, 4), gap_ns=st.sampled_from((0, 20 * MS, 100 * MS)))
    def mash(self, station: str, times: int, gap_ns: int) -> None:
        """Tap one button as fast as possible."""
        for _ in self.free(station) * times:
            self.table.press(station, ns=30 * MS).wait(gap_ns)

    @rule(station=SEATS, ns=st.sampled_from((700 * MS, 900 * MS, 2100 * MS)))
    def hold(self, station: str, ns: int) -> None:
        for each in self.free(station):
            self.table.press(each, ns=ns)

    @rule(stations=st.sets(SEATS, min_size=1))
    def lean(self, stations: set[str]) -> None:
        chosen = self.free(*sorted(stations))
        if chosen:
            self.table.close(*chosen)
            self.down |= set(chosen)

    @precondition(lambda self: self.down)
    @rule()
    def let_go(self) -> None:
        self.table.open(*sorted(self.down))
        self.down.clear()

    @rule(stations=st.lists(SEATS, min_size=2, unique=True), gap_ns=st.sampled_from((0, 300_000, 3 * MS, 20 * MS)))
    def all_at_once(self, stations: list[str], gap_ns: int) -> None:
        chosen = self.free(*stations)
        if chosen:
            self.table.edges(*((s, True, n * gap_ns) for n, s in enumerate(chosen))).wait(100 * MS).open(*chosen)

    @rule(ns=st.sampled_from((100 * MS, 290 * MS, 400 * MS, 1 * S)), wait_ns=st.sampled_from((0, 1 * MS, 800 * MS)))
    def knob(self, ns: int, wait_ns: int) -> None:
        self.table.press(KNOB, ns=ns).wait(wait_ns)

    @rule(station=SEATS, ns=st.sampled_from((295 * MS, 299_500_000, 299_999_999, 301 * MS)))
    def knob_and_button(self, station: str, ns: int) -> None:
        for each in self.free(station):
            self.table.edges((KNOB, True, 0), (each, True, ns)).wait(50 * MS).open(each, KNOB)

    @rule(steps=st.sampled_from((-3, -1, 1, 1, 2, 5)))
    def turn(self, steps: int) -> None:
        self.table.turn(steps)

    @rule(index=st.integers(0, 7), ns=st.sampled_from((100 * MS, 500 * MS)))
    def choose(self, index: int, ns: int) -> None:
        if not isinstance(self.table.view.screen, MenuScreen):
            self.table.push()
        screen = self.table.view.screen
        if isinstance(screen, MenuScreen):
            self.table.turn(min(index, len(screen.items) - 1) - screen.cursor).press(KNOB, ns=ns)

    @rule(ns=WHILE_NS)
    def wait(self, ns: int) -> None:
        self.table.wait(ns)

    @rule(away_s=st.sampled_from((None, 5)))
    def power_cut(self, away_s: int | None) -> None:
        """Cut the power. Held buttons stay down."""
        self.table.power_cut(away_s=away_s, closed=tuple(sorted(self.down)))

    @rule()
    def reopen(self) -> None:
        """Begin another journal file."""
        self.table.reopened()

    # -- orderly actions --------------------------------------------------------------------------------------------

    @rule(held=st.booleans())
    def answer(self, held: bool) -> None:
        """Tap, or hold, all buttons whose lamp blinks."""
        self.table.wait(BREATH_NS)
        for lamp in self.table.view.lamps:
            for station in self.free(lamp.station) if lamp.pattern in ("slow", "double") else ():
                self.table.press(station, ns=900 * MS if held else 100 * MS)

    @rule()
    def go(self) -> None:
        """Tap all buttons whose lamp blinks, and wait for the beats."""
        self.answer(False)
        self.table.wait(4 * S)

    @precondition(lambda self: self.table.phase == "COUNTING")
    @rule(lake=st.integers(0, 12))
    def count(self, lake: int) -> None:
        for station in self.free(*STATIONS):
            self.table.hold(station).taps(station, lake // 10).hold(station).taps(station, lake % 10).hold(station)
        self.table.wait(4 * S)

    # -- invariants -------------------------------------------------------------------------------------------------

    @rule(station=SEATS, hold=st.booleans())
    def look(self, station: str, hold: bool) -> None:
        """Check the grammar at this button, now."""
        agree(self.table.engine, self.table.now_ns, station, hold=hold)

    @invariant()
    def nothing_is_overdue(self) -> None:
        """Check that no deadline is in the past, and that the view can be drawn."""
        due = self.table.engine.deadline_ns
        assert due is None or due > self.table.now_ns
        shown = self.table.view
        assert shown.changes_at_ns is None or shown.changes_at_ns > self.table.now_ns

    def teardown(self) -> None:
        for station in self.free(*STATIONS):
            agree(self.table.engine, self.table.now_ns, station)
        found = faults(self.table.rows)
        assert not found, found[0]
        assert Engine.restored(self.table.chapter).state == self.table.engine.state


TestPanic = pytest.mark.no_cover(Panic.TestCase)
TestPanic.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
