"""Undo and redo: the last decisions in their order, up to a maximum."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.core.match.past import KEPT, Undo, on_undone, remember, undo
from referee.core.model.events import Adjusted, Rematched, Sealed
from referee.core.model.state import State
from referee.core.units import S
from referee.core.values import replace
from tests.core.evenings import at_table, counted
from tests.core.sitting import BREATH_NS
from tests.english import en

DECIDED = (Rematched(0), Sealed(0, ()), Adjusted(0, "volume_percent", 50))


def chain(state: State) -> list[tuple[int, int]]:
    """Return the numbers of each undoable decision and of the state before it, newest first."""
    found = []
    while (last := state.undo) is not None:
        found.append((last.seq, last.state.seq))
        assert last.state.redo is None
        state = last.state
    return found


@given(st.lists(st.sampled_from(DECIDED), max_size=5 * KEPT))
@example([*DECIDED] * KEPT)
def test_the_last_decisions_can_be_undone_and_their_number_is_bounded(decided: list[Rematched]) -> None:
    state = at_table("1", "2").engine.state
    first = len(chain(state))
    for event in decided:
        after = replace(state, seq=state.seq + 1, redo=state.undo)
        state = remember(after, replace(state, redo=state.undo), event)
    found, steps = chain(state), 0
    assert min(first + len(decided), KEPT) <= len(found) <= 2 * KEPT
    newest = [(state.seq - n, state.seq - n - 1) for n in range(min(len(decided), len(found)))]
    assert found[: len(newest)] == newest
    while undone := undo(state, state.phase, Undo()).decisions:
        state = on_undone(state, state.phase, undone[0]).state  # type: ignore[arg-type]
        steps += 1
    assert steps == len(found)


@pytest.mark.parametrize(("decisions", "kept"), [(50, 50), (100, 100), (101, 50), (150, 99), (151, 100), (152, 50)])
def test_fifty_decisions_can_be_undone_and_a_hundred_are_kept_at_most(decisions: int, kept: int) -> None:
    state = replace(at_table("1", "2").engine.state, undo=None)
    for n in range(decisions):
        state = remember(replace(state, seq=state.seq + 1), state, DECIDED[n % len(DECIDED)])
    assert len(chain(state)) == kept


def test_what_is_undone_and_redone_is_said_and_heard() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    table.heard()
    table.choose("Undo")
    assert [cue.cancels for cue in table.cues] == [True]
    assert (en(table.view.toast), table.heard()) == ("UNDONE: COUNT", ["refused"])
    assert not table.engine.state.table.hands
    table.wait(BREATH_NS).choose("Redo")
    assert [cue.cancels for cue in table.cues] == [True]
    assert (en(table.view.toast), table.heard()) == ("REDONE: COUNT", ["all_counted"])
    assert len(table.engine.state.table.hands) == 1


def test_a_redo_after_a_power_cut_gives_the_question_that_was_open_its_time_back() -> None:
    """The clocks of questions and verdicts stop in POWER_BACK."""
    for asked, left_s, phase in ((True, 13, "VOTE"), (False, 0, "VERDICT")):
        table = at_table("1", "2", "3").playing("1", "2", "3").press("1").wait(1 * S)
        if asked:
            table.choose("False call").wait(BREATH_NS)
        table.power_cut().wait(60 * S).choose("Undo")
        assert table.phase == "TIMEOUT"
        assert table.wait(2 * S).choose("Redo").phase == phase
        assert table.wait(left_s * S).phase == phase
        assert table.wait(5 * S).phase != phase


def test_a_redo_starts_no_beats_that_nobody_has_asked_for() -> None:
    table = at_table("1", "2", "3").playing("1", "2", "3").press("1").wait(1 * S).choose("False call").wait(BREATH_NS)
    table.tap("1").wait(1 * S)
    assert table.phase == "RESUMING"
    table.power_cut().wait(1 * S).choose("Undo")
    assert table.phase == "VERDICT"
    assert table.wait(2 * S).choose("Redo").phase == "STOPPED"
    assert table.wait(20 * S).phase == "STOPPED"
    assert table.choose("Go on").phase == "RESUMING"
    assert table.wait(4 * S).phase == "PLAYING"
