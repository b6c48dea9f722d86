"""Taps, holds and the knob in a hand of 31, in addition to test_table.py."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.games.thirtyone.phases import Declared
from referee.core.games.thirtyone.turns import ROWS, Declare31
from referee.core.model.events import Cue, Played, Sealed
from referee.core.model.state import State
from referee.core.model.view import DeclaredScreen, MenuScreen, ReadyScreen, TurnScreen, VoteScreen
from referee.core.units import S
from referee.core.values import replace
from tests.core.games.thirtyone.table import Thirtyone, table
from tests.english import all_en, en


def looked(sitting: Thirtyone) -> int | None:
    """Return whose turn the knob shows."""
    look = sitting.screen(TurnScreen).look
    return None if look is None else look.numbers[0]


# -- the knob ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("steps", "look"), [(1, 3), (2, 4), (3, 1), (4, None), (5, 3), (-1, 1), (-2, 4), (-4, None)])
def test_the_knob_goes_round_those_who_play(steps: int, look: int | None) -> None:
    assert looked(table(4).dealt().turn(steps)) == look


def test_the_knob_goes_on_from_where_it_looks_and_leaves_out_who_has_knocked() -> None:
    sitting = table(4).dealt().turn(1).turn(1)
    assert looked(sitting) == 4
    assert looked(sitting.turn(-2)) is None
    knocked = table(4).dealt().done().knocks()
    assert [looked(knocked.turn(1)) for _ in range(3)] == [1, 2, None]


def test_a_push_moves_the_turn_and_takes_the_open_questions_along() -> None:
    sitting = table(4).dealt().hold("3").wait(S).turn(2).push()
    screen = sitting.screen(TurnScreen)
    assert (sitting.on_turn, screen.look, screen.questions) == ("4", None, ())
    sitting.tap("4")
    assert sitting.on_turn == "4", "too early for a turn that has just come"
    assert sitting.rested().done().on_turn == "1"


def test_the_deal_moves_with_the_first_turn_of_a_match_alone() -> None:
    first = table(3).dealt().done().turn(1).push().rested()
    first.declares("1").wait(20 * S)
    assert all_en(first.screen(ReadyScreen).notes) == ("2Be deals",)
    later = table(3).dealt().declares("1").wait(16 * S).dealt()
    assert later.on_turn == "3"
    later.turn(1).push().rested()
    later.declares("2").wait(20 * S)
    assert all_en(later.screen(ReadyScreen).notes) == ("3Ma deals",)


def test_of_one_31_it_is_asked_at_once_whether_it_is_none() -> None:
    one = table(3).dealt().says("2", 2)
    one.choose("Not a 31")
    assert [label.numbers for label in one.screen(VoteScreen).subject] == [(2,)]
    two = table(3).dealt().says("2", 2).says("3", 1)
    assert all_en(two.choose("Not a 31").screen(MenuScreen).items) == ("2 Ben", "3 Max", "Back")
    two.choose("3 Max")
    assert [label.numbers for label in two.screen(VoteScreen).subject] == [(3,)]
    two.wait(S).press("3").wait(S)
    assert [label.numbers for label in two.screen(DeclaredScreen).declared] == [(2,)]


# -- sounds --------------------------------------------------------------------------------------------------------


def test_a_31_is_heard_before_anything_that_waits_and_a_knock_as_a_question() -> None:
    sitting = table(3).dealt()
    sitting.cues.clear()
    sitting.says("2", 2)
    declared = sitting.engine.state.phase
    assert isinstance(declared, Declared)
    assert Cue("verdict_clear", declared.asked_at_ns, cancels=True) in sitting.cues
    knocked = table(3).dealt()
    knocked.heard()
    assert knocked.knocks().heard() == ["asked"]
    assert knocked.done(2).heard() == ["asked"]
    assert knocked.phase == "COUNTING"


# -- holds and taps ------------------------------------------------------------------------------------------------


def test_where_everybody_has_a_turn_first_a_turn_that_was_passed_counts() -> None:
    skipped = table(3, early_knock=False).dealt().done()
    skipped.turn(1).push().rested().done().done().rested().hold("3")
    assert [en(question.question) for question in skipped.screen(TurnScreen).questions] == ["31?"]


# -- damaged journals ----------------------------------------------------------------------------------------------


def hand_in(phase: str) -> State:
    """Return a table of two in that phase of a hand."""
    if phase == "READY":
        return table(2).engine.state
    sitting = table(2).dealt()
    return (sitting.says("2", 2) if phase == "DECLARED" else sitting.knocks().done()).engine.state


KNOCKED = Played(1, "knock", ("1",))
LOST: list[tuple[str, dict[str, Any], object, str]] = [
    ("DECLARED", {}, KNOCKED, "a knock after a 31 has been declared"),
    ("DECLARED", {"declared": ()}, Sealed(1, ()), "a 31 has ended the hand, but no declarer is recorded"),
    ("READY", {}, KNOCKED, "a knock while no player is on turn"),
    ("COUNTING", {}, KNOCKED, "a knock while values are entered"),
    ("COUNTING", {"inner": None}, Declare31("1"), "a 31 is declared outside a hand"),
]
"""A phase, its missing part, an event in it, and the sentence of the log."""


@pytest.mark.parametrize(("name", "lost", "heard", "sentence"), LOST)
def test_what_cannot_be_heard_in_a_phase_is_named(
    name: str, lost: dict[str, Any], heard: object, sentence: str
) -> None:
    """A damaged journal may hold such an event. The Engine skips it and logs why."""
    state = hand_in(name)
    phase = replace(state.phase, **lost)
    row = next(row for row in ROWS if isinstance(phase, row.phase) and row.trigger is type(heard))
    with pytest.raises((ValueError, LookupError)) as caught:
        row.handler(replace(state, phase=phase), phase, heard)
    assert caught.value.args == (sentence,)
