"""Handlers lead only where the transition table allows, and every phase is reachable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import cast

import pytest

from referee.core.match.advance import shown_menu
from referee.core.match.engine import Engine, JournalRow, UndeclaredError
from referee.core.match.transition_table import Key, leads, rows
from referee.core.model.events import (
    CameBack,
    Cleared,
    Closed,
    Ended,
    JoinedLate,
    Left,
    Redone,
    SatOut,
    Undone,
    Voided,
)
from referee.core.model.menu import Back, More
from referee.core.model.registry import all_games, game_named, presets
from referee.core.model.state import State
from referee.core.model.table import Setup, Table
from referee.core.model.view import MenuScreen
from referee.core.phases.device import Off, SwitchOff
from referee.core.phases.lobby import Lobby
from referee.core.phases.ready import Ready
from referee.core.phases.vote import Vote
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from tests.core.evenings import at_table, counted
from tests.core.explorer import Explorer, newer, taken_up
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_adjusting import claimed
from tests.core.test_lists import check_lists
from tests.english import all_en
from tests.tapes.play import Play
from tests.tapes.tape import names, read

STATIONS = ("1", "2", "3")
STEPS = 1000


@cache
def explored() -> Explorer:
    """Return tables of every preset, those of the tapes, and those after random actions."""
    found = Explorer(Setup(options=(("target", 5),), stations=STATIONS), 1)
    for preset in presets():
        found.keep(Sitting(Setup(preset, (), STATIONS)))
        found.keep(Sitting(Setup(preset, (), STATIONS)).seated(*STATIONS))
        found.keep(
            Sitting(Setup(preset, (("target", 5),) if preset == "nna" else (), STATIONS, agreement=True)).seated(
                *STATIONS
            )
        )
    for stuck in ("score", "abandon"):
        found.keep(Sitting(Setup("nna", (("stuck", stuck),), STATIONS)).seated(*STATIONS))
    found.keep(Sitting(Setup("nna", (), STATIONS)).choose("Switch off"))  # four lists deep
    for hold_ns in (100 * MS, 1 * S):  # a newer version is offered, and installed
        found.keep(newer(Sitting(Setup("nna", (), STATIONS)).wait(1 * S)).wait(1 * S).press(KNOB, ns=hold_ns))
    for preset in ("31", "ride-the-bus"):
        evening: list[JournalRow] = []
        Evening(Setup(preset, (), STATIONS), Bots(list(STATIONS), 5, pace_percent=20), journal=evening.extend).play(1)
        found.learn(evening)
    for name in names():
        found.learn(Play(read(name)).run().table.rows)
    for _ in range(STEPS):
        found.step()
    for _ in range(3):  # what that brings can be undone again
        found.take_back()
    return found


@pytest.mark.no_cover
def test_no_table_goes_where_the_transition_table_does_not_say() -> None:
    """Undeclared transitions raise in tests."""
    assert Engine.strict
    assert explored().phases >= {phase.name for game in all_games() for phase, _ in rows(game)}


@pytest.mark.no_cover
def test_every_list_is_short_and_its_end_is_not_near_wherever_a_table_is() -> None:
    """One table of each phase and preset: all of them would take two minutes."""
    states = (table.engine.state for table in explored().tables if table.engine.state.menu is None)
    found = {(state.phase.name, state.table.setup.preset): state for state in states}
    for state in found.values():
        check_lists(state)
    assert len({phase for phase, _ in found}) > 15


UPSETTING = (Voided, Closed, Ended, SatOut, CameBack, JoinedLate, Left, Cleared, Undone, Redone)


def answered(state: State) -> bool:
    """Return whether a push is an answer: a vote with a yes, or a newcomer's tap."""
    phase = state.phase
    return (isinstance(phase, Vote) and any(yes for _, yes in phase.votes)) or (
        isinstance(phase, Ready) and phase.newcomer is not None
    )


@pytest.mark.no_cover
def test_push_push_upsets_nobody_wherever_a_table_is() -> None:
    tried, phases = 0, set[str]()
    for table in explored().tables:
        state = table.engine.state
        if state.menu is None and not answered(state):
            again = taken_up(table)
            again.now_ns = max(again.now_ns, state.now_ns)
            before = again.phase
            again.push().push()
            done = [event for kind in UPSETTING for event in again.decisions(kind)]
            assert not done, f"{before}: push, push decides {done}"
            tried, phases = tried + 1, phases | {before}
    assert tried > 300
    assert phases >= explored().phases - {"OFF"}


def tables(state: State) -> Iterator[Table]:
    """Yield the state's table, the one its lobby keeps, and those that undo and redo restore."""
    yield state.table
    if isinstance(state.phase, Lobby) and state.phase.kept:
        yield state.phase.kept
    for other in (state.undo, state.redo):
        if other:
            yield from tables(other.state)


@pytest.mark.no_cover
def test_each_hand_has_its_story_wherever_a_table_is() -> None:
    found = {id(table): table for sitting in explored().tables for table in tables(sitting.engine.state)}.values()
    assert sum(len(table.hands) for table in found) > 100
    for table in found:
        told = [story.seq for story in table.stories]
        assert len(told) == len(table.hands)
        assert told == sorted(set(told))
        assert all(seq > table.begun for seq in told)
        assert table.match or not table.teams


def test_a_handler_that_leads_elsewhere_fails_in_tests_and_is_handed_out_at_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key: Key = (Lobby, SwitchOff)
    monkeypatch.setitem(cast(dict[Key, frozenset[str]], leads(game_named("nna"))), key, frozenset({"CHECK"}))
    table = Sitting().choose("Device").choose("Off")
    with pytest.raises(UndeclaredError, match="LOBBY, SwitchOff: OFF is none of its targets"):
        table.choose("Switch off")
    monkeypatch.setattr(Engine, "strict", False)
    table = Sitting().choose("Device").choose("Off")
    assert table.choose("Switch off").astray == ["LOBBY, SwitchOff: OFF is none of its targets"]
    assert isinstance(table.engine.state.phase, Off)


@pytest.mark.parametrize("where", ["STOPPED", "COUNTING"])
def test_a_table_ends_its_match_also_between_a_stopped_start_and_a_count(where: str) -> None:
    table = at_table(*STATIONS).choose("Start").playing(*STATIONS)
    counted(table, "1", 20, "2", "3")
    if where == "STOPPED":
        table.wait(BREATH_NS).tap(*STATIONS).wait(1 * S).close("2").open("2")
    else:
        table.playing(*STATIONS).press("1").wait(6 * S)
    assert table.phase == where
    table.choose("More").choose("End match").wait(BREATH_NS)
    assert table.phase == "VOTE"
    assert table.tap(*STATIONS).phase == "OVER"


@pytest.mark.no_cover
def test_every_line_of_every_list_does_something() -> None:
    menus = [(table.engine.state, menu) for table in explored().tables if (menu := shown_menu(table.engine.state))]
    kinds = {(type(state.phase), type(line.action)) for state, menu in menus for line in (*menu.items, *menu.values)}
    heard = {key for game in all_games() for key in rows(game)}
    assert {kind for kind in kinds - heard if kind[1] not in (Back, More)} == set()
    assert len(kinds) > 60


# -- complete lists at the knob ------------------------------------------------------------------------------------


def doubtful(table: Sitting) -> Sitting:
    """Return a table where button 2 has called falsely twice without an explanation."""
    state = table.engine.state
    table.engine.state = replace(state, table=replace(state.table, unexplained=("2", "2")))
    return table


def begun(preset: str = "nna", *, agreement: bool = False, **options: object) -> Sitting:
    """Return a match that three of four have begun."""
    setup = Setup(preset, tuple(options.items()), ("1", "2", "3", "4"), agreement=agreement)
    return Sitting(setup).seated(*STATIONS).wait(BREATH_NS)


def after_a_hand(table: Sitting) -> Sitting:
    return counted(table.playing(*STATIONS), "1", 20, "2", "3").wait(5 * S)


def ready_asks() -> Sitting:
    """Return READY with many lines: seats move on, 3 has not tapped, 4 wants to join, 2 is held."""
    table = after_a_hand(begun(rotate_seats=True)).tap("1", "2").wait(25 * S).close("2").close("4")
    return doubtful(table.open("4").choose("Back"))


def in_pause(table: Sitting) -> Sitting:
    return doubtful(table.playing(*STATIONS).press(KNOB, ns=400 * MS))


LISTS: dict[str, tuple[Callable[[], Sitting], str]] = {
    "the lobby": (
        lambda: at_table(*STATIONS).push(),
        "Start: 3 teams | Game | House rules | Rulebook | More | Back",
    ),
    "the lobby of another evening": (
        lambda: after_a_hand(begun()).power_cut(away_s=20_000).push(),
        "Resume 20:10:10 | Rematch | Other table | Game | House rules | Rulebook | More | Back",
    ),
    "AGREEMENT": (
        lambda: doubtful(begun(agreement=True).tap("1", "2").wait(25 * S)).push(),
        "House rules | Undo: start | Players | Start without 3 | Mute 2 | Rulebook | More | Back",
    ),
    "READY": (
        lambda: ready_asks().push(),
        "Seats move on | Undo: count | Other button | 4 joins at 10 | Mute 2 | Fix counts | More | Back",
    ),
    "READY before the first hand": (
        lambda: begun().push(),
        "Players | Undo: start | Rulebook | More | Back",
    ),
    "READY when a name was given and taken back": (
        lambda: begun().choose("Players").choose("Name").choose("1").turn(2).push().choose("Undo").push(),
        "Players | Undo: start | Redo: name | Rulebook | More | Back",
    ),
    "READY of the bus": (
        lambda: doubtful(table_of_31(3, "ride-the-bus")).push(),
        "One place more | Undo: start | Players | Mute 2 | Rulebook | More | Back",
    ),
    "a stopped start": (
        lambda: doubtful(begun().tap(*STATIONS).wait(1500 * MS).press("3").wait(S)).push(),
        "Go on | Undo: start | Players | Mute 2 | Rulebook | More | Back",
    ),
    "TIME OUT": (
        lambda: in_pause(after_a_hand(begun())),
        "Go on | Stuck | Mute 2 | Straighten piles | Who asked for it? | Players | Rulebook | More",
    ),
    "TIME OUT: More": (
        lambda: in_pause(after_a_hand(begun())).choose("More"),
        "Fix counts | House rules | Undo: count | Sound, language | End match | Void hand | End hand | Back",
    ),
    "TIME OUT of Slap": (
        lambda: doubtful(claimed("ratscrew")),
        "Go on | Who asked for it? | Mute 2 | Players | Rulebook | More",
    ),
    "a verdict": (
        lambda: begun().playing(*STATIONS).press("1").wait(S).push(),
        "Verdict stands | False call | Someone else first | Photo finish | More | Back",
    ),
    "a count": (
        lambda: doubtful(begun().playing(*STATIONS).press("1").wait(6 * S)).push(),
        "Count by knob | Undo: verdict | False call | Mute 2 | Someone else first | Players | More | Back",
    ),
    "the end of a match": (
        lambda: doubtful(after_a_hand(begun(target=10))).push(),
        "Fix counts | Undo: count | Players | Other table | Mute 2 | Rulebook | More | Back",
    ),
    "power back": (
        lambda: doubtful(begun().playing(*STATIONS).power_cut().wait(BREATH_NS)).push(),
        "Go on | Undo: start | Void hand | Other table | Back",
    ),
    "a correction": (
        lambda: after_a_hand(begun()).choose("Fix counts").push(),
        "1 Red | 2 Blue | 3 Green | Adjust points | Back",
    ),
}
"""Every line of the list: the phase's own, undo and redo, those of every phase, the way out.

In tables with a button that calls by itself the list offers to mute it.
"""


@pytest.mark.parametrize("where", LISTS)
def test_a_list_at_the_knob_has_these_lines_in_this_order(where: str) -> None:
    """Lines of the phase come before the general ones."""
    begin, lines = LISTS[where]
    assert " | ".join(all_en(begin().screen(MenuScreen).items)) == lines
