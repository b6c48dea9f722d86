"""Bots at the simulated table: where they sit, when they begin, and which buttons they use.

No device is involved.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiozero_gpiod.edges import RawEdge
from gpiozero_gpiod.mock import GpiodMockFactory
from referee.core.model.events import Fact, Resumed, Turned
from referee.core.model.registry import game_of
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen
from referee.core.presses.signals import KNOB, PRESS_NS, RELEASE_NS, Edge
from referee.core.units import MS, S
from referee.device.simulated import (
    BOT_PACE_PERCENT,
    BOT_PATIENCE_NS,
    TAP_NS,
    TOLD_NS,
    BotOutput,
    Fingers,
    MockPins,
    beside,
    loose_buttons,
)
from referee.drivers.pins.pinmap import profile
from tests.core.sitting import BREATH_NS, ERR_NS, Sitting
from tests.device.one_thread import Loop, Rows

STATIONS = ("1", "2", "3", "4")
PEOPLE = tuple(zip(STATIONS, ("Anna", "Ben", "Max", "Lea"), strict=True))


class Table:
    """A table, its bots, and visitors who open and close pages."""

    def __init__(self, sitting: Sitting, bots: int, *, asked: bool = False) -> None:
        self.sitting, self.loop = sitting, Loop(sitting.now_ns)
        self.labels: list[tuple[str, ...]] = []
        self.moved: list[str] = []
        self.laid: list[Any] = []
        """Card layouts and lessons sent to the page."""
        self.hands = hands = Fingers(self, lambda: sitting.now_ns)
        hands.contact_at = self._moved
        self.bots = BotOutput(
            bots,
            hands,
            lambda: self.bots.deliver(),  # noqa: PLW0108 - it is being made
            self.loop,
            lambda: sitting.now_ns,
            lambda: sitting.engine.state.table,
            self._seated,
            lambda felt, lesson: self.laid.append((felt, lesson)),
            asked=asked,
        )
        self.look()

    def _seated(self, stations: Sequence[str]) -> None:
        self.labels.append(tuple(stations))

    def _moved(self, name: str, closed: bool, t_ns: int) -> None:
        self.moved.append(name)

    def touch(self, name: str, closed: bool, t_ns: int) -> None:
        """Deliver no visitor's press to the table."""

    def turn(self, steps: int, t_ns: int) -> None:
        self.moved.append("turn")

    def look(self) -> None:
        """Show the current table to the bots."""
        self.loop.until(self.sitting.now_ns)
        self.bots.show(self.sitting.engine.view(self.sitting.now_ns))

    def wait(self, ns: int) -> None:
        """Advance the time by seconds; record the contacts that bots move without delivering them."""
        for _ in range(ns // S):
            self.sitting.wait(S)
            self.look()

    def come(self, count: int = 1) -> None:
        """Set the number of open pages."""
        self.hands.visitors(count)
        self.loop.until(self.sitting.now_ns)

    def told(self, within_ns: int = TOLD_NS) -> None:
        """Wait until the page has received the cards, which have changed."""
        before = len(self.laid)
        self.loop.until(self.loop.now_ns + within_ns)
        assert len(self.laid) > before

    def press(self, station: str) -> None:
        """Press a button as a visitor without delivering it to the table."""
        self.hands.contact(station, True)
        self.hands.contact(station, False)
        self.loop.until(self.sitting.now_ns)


def resumed(sitting: Sitting, *, asks: bool = True) -> Sitting:
    """Return the same table after a restart with bots."""
    sitting.now_ns += S
    sitting.engine.intake([Resumed(sitting.now_ns, "boot-2", 1, (), asks)], sitting.now_ns)
    return sitting


class Played(Table):
    """A table at which the bots' moves have their effect. Visitors use `sitting`."""

    def __init__(self, sitting: Sitting, bots: int, *, asked: bool = False) -> None:
        self.facts: list[Fact] = []
        super().__init__(sitting, bots, asked=asked)

    def _moved(self, name: str, closed: bool, t_ns: int) -> None:
        super()._moved(name, closed, t_ns)
        self.facts.append(Edge(name, closed, t_ns, ERR_NS))

    def turn(self, steps: int, t_ns: int) -> None:
        super().turn(steps, t_ns)
        self.facts.append(Turned(t_ns, steps))

    def step(self) -> None:
        sitting = self.sitting
        sitting.now_ns += 50 * MS
        self.bots.deliver()
        facts, self.facts = self.facts, []
        sitting.engine.intake(facts, sitting.now_ns)
        sitting.engine.take()
        self.look()

    def rest(self, ns: int) -> Played:
        """Let the bots do what they want for `ns`."""
        for _ in range(ns // (50 * MS)):
            self.step()
        return self

    def does(self, *stations: str) -> Played:
        """Press these buttons as the visitor."""
        for station in stations:
            self.press(station)
            self.step()
            self.sitting.tap(station)
            self.look()
        return self

    @property
    def knob_moves(self) -> set[str]:
        """Return what bots did at the knob."""
        return {"knob", "turn"} & {*self.moved}

    @property
    def named(self) -> list[str]:
        return [seat.station for seat in self.sitting.engine.state.table.seats if seat.name is not None]


def seated(bots: int, stations: Sequence[str] = STATIONS) -> Played:
    """Return a table whose visitor sits at 1 and whose bots have joined."""
    table = Played(Sitting(Setup(stations=tuple(stations))), bots)
    table.come()
    return (table.does("1")).rest(20 * S)


def test_bots_that_are_left_alone_join_and_begin_nothing() -> None:
    table = Played(Sitting(), 3)
    table.come()
    table.rest(120 * S)
    assert (table.sitting.phase, table.named, table.knob_moves) == ("LOBBY", ["2", "3", "4"], set())


def test_bots_wait_for_the_person_to_start_and_then_play() -> None:
    table = seated(3)
    table.rest(60 * S)
    assert (table.sitting.phase, table.named) == ("LOBBY", [*STATIONS])
    table.sitting.choose("Start")
    table.rest(60 * S)
    assert (table.sitting.phase, table.sitting.asked) == ("READY", ("1",))
    table.does("1")
    table.rest(10 * S)
    assert table.sitting.phase == "PLAYING"
    assert not table.knob_moves


@pytest.mark.parametrize("after_ds", range(0, 20, 4))
def test_bots_that_get_ready_last_leave_a_persons_list_open(after_ds: int) -> None:
    table = seated(3)
    table.sitting.choose("Start").wait(BREATH_NS)
    table.look()
    table.does("1")
    table.rest(after_ds * 100 * MS)
    table.sitting.push()
    table.look()
    for _ in range(3):
        table.rest(15 * S)
        table.sitting.screen(MenuScreen)
        table.sitting.turn(1)
        table.look()
    table.sitting.choose("Back")
    table.rest(20 * S)
    assert table.sitting.phase == "PLAYING"


def test_a_table_of_bots_alone_keeps_going() -> None:
    table = Played(Sitting(), 4)
    table.come()
    for _ in range(120):
        table.rest(S)
        if table.sitting.phase == "PLAYING":
            break
    assert table.sitting.phase == "PLAYING"
    assert table.knob_moves


@pytest.mark.parametrize("out", [False, True])
def test_after_a_cut_bots_wait_for_a_person(out: bool) -> None:
    """Even if the only person sits out."""
    table = seated(3)
    table.sitting.choose("Start").wait(BREATH_NS)
    table.look()
    table.rest(10 * S)
    if out:
        table.sitting.choose("Start without")
    else:
        table.does("1")
    table.rest(10 * S)
    assert table.sitting.phase == "PLAYING"
    table.bots.close()
    again = Played(resumed(table.sitting, asks=False), 3)
    again.come()
    again.rest(60 * S)
    assert (again.sitting.phase, again.knob_moves) == ("POWER_BACK", set())
    if out:
        again.sitting.choose("Go on")
    else:
        again.does("1")
    again.rest(S)
    assert again.sitting.phase in ("STARTING", "RESUMING")


@given(
    st.integers(2, 8).flatmap(
        lambda seats: st.tuples(st.just(seats), st.lists(st.integers(1, seats), unique=True), st.integers(0, 8))
    )
)
def test_bots_sit_on_free_seats_in_the_order_round_the_table(table: tuple[int, list[int], int]) -> None:
    seats, taken, count = table
    stations = tuple(map(str, range(1, seats + 1)))
    found = beside(stations, tuple(map(str, taken)), count)
    free = [station for station in stations if int(station) not in taken]
    assert len(found) == min(count, len(free)) == len(set(found))
    assert set(found) <= set(free)
    start = taken[0] if taken else 1
    steps = [(int(station) - start - 1) % seats for station in found]
    assert steps == sorted(steps)


def test_they_are_labelled_at_once_and_do_nothing_without_a_visitor() -> None:
    table = Table(Sitting(), 2)
    assert table.labels == [("2", "3")]
    table.wait(600 * S)
    assert table.moved == []


def test_they_sit_next_to_the_visitor_and_the_labels_move_along() -> None:
    table = Table(Sitting(), 2)
    table.come()
    table.wait(3 * S)
    assert table.moved == []
    table.sitting.tap("3")
    table.wait(5 * S)
    assert table.labels[-1] == ("4", "1")
    assert set(table.moved) == {"4", "1"}


def test_who_only_looks_on_sees_them_begin_after_a_while() -> None:
    """They leave the lobby to the visitor for a fixed time."""

    table = Table(Sitting(), 2)
    table.come()
    table.wait(BOT_PATIENCE_NS - S)
    assert table.moved == []
    table.wait(10 * S)
    assert set(table.moved) == {"2", "3"}


def test_who_leaves_before_the_hand_finds_it_waiting() -> None:
    table = Table(Sitting().seated("1", "2"), 1)
    table.sitting.wait(5 * S)
    table.wait(300 * S)
    assert table.moved == []
    table.come()
    table.wait(60 * S)
    assert set(table.moved) == {"2"}
    table.moved.clear()
    table.come(0)
    table.wait(60 * S)
    assert table.moved == []


def test_while_somebody_is_asked_they_wait_and_then_take_the_others_seats() -> None:
    table = Table(resumed(Sitting().playing("1", "2", "4")), 3, asked=True)
    assert table.labels == [("2", "4")]
    table.come()
    table.wait(60 * S)
    assert table.moved == []
    table.sitting.choose("Back")
    table.wait(60 * S)
    assert set(table.moved) == {"2", "4"}


def test_a_visitor_who_presses_a_bot_s_button_has_it() -> None:
    table = Table(resumed(Sitting().playing("1", "2")), 2, asked=True)
    table.come()
    table.sitting.choose("Back")
    table.wait(2 * S)
    assert table.labels[-1] == ("2",)
    table.press("2")
    assert table.labels[-1] == ("1",)
    table.press("1")
    assert table.labels[-1] == ("2",)


def test_bots_and_the_visitor_s_cards_go_along_when_seats_move_on() -> None:
    """The visitor at 1 moves to 2 with their cards, and a bot takes 1; an undo restores both."""

    sitting = Sitting(Setup("nna", (("rotate_seats", True),), STATIONS, PEOPLE))
    sitting.counting("1", "1", "2", "3").count("1", 0, 21, caller=True).count("2", 3, 12).count("3", 3, 12)
    table = Table(sitting.wait(9 * S), 2)
    table.come()
    table.press("1")
    table.look()
    assert table.labels[-1] == ("2", "3")
    table.hands.card(1, "take")
    table.loop.until(sitting.now_ns)
    assert table.bots._bots.company.people == {1}
    sitting.choose("Seats move on").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    table.look()
    assert [seat.name for seat in sitting.engine.state.table.seats[:3]] == ["Max", "Anna", "Ben"]
    assert table.labels[-1] == ("3", "1")
    assert table.bots._bots.company.people == {2}
    table.moved.clear()
    table.wait(90 * S)  # each bot has dealt, and taps at the new button
    assert {"3", "1"} <= set(table.moved)
    assert "2" not in table.moved
    sitting.choose("Undo: seats").wait(S)
    table.look()
    assert table.labels[-1] == ("2", "3")
    assert table.bots._bots.company.people == {1}
    table.bots.close()


@settings(max_examples=20)
@given(st.lists(st.sampled_from(STATIONS), min_size=1, max_size=4))
def test_a_visitor_has_a_bot_s_button_in_the_lobby_too(pressed: list[str]) -> None:
    def named(table: Table) -> set[str]:
        return {seat.station for seat in table.sitting.engine.state.table.seats if seat.name is not None}

    table = Table(Sitting(), 3)
    table.come()
    for station in pressed:
        table.press(station)
        if station not in named(table):
            table.sitting.tap(station)
        table.wait(S)
        assert station not in table.labels[-1]
    assert len(table.labels[-1]) == min(3, len(STATIONS) - len(set(pressed)))


def test_taps_that_come_at_once_are_no_spike_and_no_bounce() -> None:
    """A busy machine delivers a press, its release and the next press together.

    Each counts as a tap.
    """
    factory = GpiodMockFactory(revision="a02082")
    wiring = profile("full8")
    edges: list[RawEdge] = []
    factory.watch(edges.extend, (wiring.stations()["1"].gpio,))
    hands = Fingers(MockPins(factory, wiring), lambda: 5)
    for closed in (True, False, True, False):
        hands.contact("1", closed)
    assert [edge.level for edge in edges] == [0, 1, 0, 1]
    assert all(up.t_ns - down.t_ns >= TAP_NS > PRESS_NS for down, up in pairwise(edges) if up.level)
    assert all(down.t_ns - up.t_ns >= RELEASE_NS for up, down in pairwise(edges) if up.level)


@given(st.lists(st.tuples(st.sampled_from(("1", "2", KNOB, "turn")), st.integers(0, 20 * MS))))
def test_a_visitor_s_changes_keep_their_order_and_last_long_enough(gestures: list[tuple[str, int]]) -> None:
    loop, rows, down = Loop(), list[Any](), set[str]()
    hands = Fingers(Rows(rows.extend), loop.clock)
    for name, pause_ns in gestures:
        loop.until(loop.now_ns + pause_ns)
        if name == "turn":
            hands.turn(1)
        else:
            down ^= {name}
            hands.contact(name, name in down)
        times = [row.t_ns if isinstance(row, Edge) else row.at_ns for row in rows]
        assert times[-1] >= loop.now_ns
        assert times == sorted(times)
    for name in ("1", "2", KNOB):
        for before, after in pairwise(row for row in rows if isinstance(row, Edge) and row.station == name):
            assert after.t_ns - before.t_ns >= (TAP_NS if before.closed else RELEASE_NS + TAP_NS)


def test_the_page_is_told_of_cards_while_somebody_looks_and_people_move_their_own() -> None:
    table = Table(Sitting(), 2)
    table.come()
    table.sitting.seated("1", "2", "3").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    table.look()  # at the beats, which show who plays
    table.sitting.wait(3 * S)
    table.look()
    table.told()
    felt, lesson = table.laid[-1]
    assert [side["seats"] for side in felt["sides"]] == [[1], [2], [3]]
    assert felt["pace"] == BOT_PACE_PERCENT
    at_the_table = table.sitting.engine.state.table
    assert lesson == game_of(at_the_table).lesson(at_the_table, "play", ())
    for seat in (1, 2):  # the second is a bot's
        table.hands.card(seat, "take")
    table.hands.card(1, "turn over")
    table.told(within_ns=0)
    felt, _ = table.laid[-1]
    assert (felt["mine"], felt["pace"]) == ([1], 100)
    assert [rule for _, rule in felt["refused"].values()] == ["turn"]
    table.hands.hasten(4)
    table.hands.card(1, "leave")
    table.told(within_ns=0)
    assert (table.laid[-1][0]["mine"], table.laid[-1][0]["pace"]) == ([], 25)
    table.sitting.press("1").wait(500 * MS)
    table.look()
    table.told()
    assert table.laid[-1][1] == ()  # a verdict needs no explanation
    table.sitting.wait(5 * S)
    table.look()
    table.told()
    assert table.laid[-1][1] == game_of(at_the_table).lesson(at_the_table, "count", ())
    table.come(0)
    table.look()
    table.told()
    assert table.laid[-1][0] is None
    table.bots.close()


def test_pictures_that_follow_each_other_do_not_put_the_cards_off() -> None:
    table = Table(Sitting().playing("1", "2", "3"), 2)
    table.come()
    table.look()
    for _ in range(3):
        table.sitting.wait(TOLD_NS // 2)
        table.look()
    assert table.laid


OPENS = """
import os, signal, sys
from pathlib import Path
from referee.config import parse
from referee.device.daemon import Options, serve

def say(text):
    rooms = ("referee.simulator.table", "referee.simulator.", "referee.core.cards")
    print(*sorted(name for name in sys.modules if name.startswith(rooms)))
    os.kill(os.getpid(), signal.SIGTERM)

serve(Options(parse({}), Path(sys.argv[1]), simulate=True, bots=int(sys.argv[2]), listen="127.0.0.1:0", say=say))
"""


def loaded(folder: Path, bots: int) -> set[str]:
    """Return the loaded modules of bots and simulations once the table of a device is open."""
    run = subprocess.run(
        [sys.executable, "-c", OPENS, str(folder), str(bots)], capture_output=True, text=True, timeout=60, check=True
    )
    return set(run.stdout.split())


def test_a_device_without_bots_loads_nothing_of_them(tmp_path: Path) -> None:
    assert loaded(tmp_path / "alone", 0) == set()
    assert {"referee.simulator.table.bots", "referee.simulator.table.card_hand"} <= loaded(tmp_path / "bots", 1)


def test_seats_without_a_wire_are_told_by_their_pods() -> None:
    """A press of such a button moves no pin; the person who sat there counts as a visitor."""
    rows: list[Any] = []
    factory = GpiodMockFactory(revision="a02082", clock=lambda: 5)
    hands = Fingers(MockPins(factory, profile("full8"), loose_buttons(("9", "10"), rows.extend, lambda: 5)), lambda: 5)
    del rows[:]
    hands.contact("10", True)
    hands.contact_at("10", False, 7)
    assert [(row.station, row.closed) for row in rows] == [("10", True), ("10", False)]
    assert hands.last == "10"
