"""Every hand in the book has its story after any decision."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.core.match.advance import advance
from referee.core.match.comeback import apply_decision
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import (
    Began,
    Cleared,
    Closed,
    Continued,
    Corrected,
    Decision,
    Played,
    Redone,
    Rematched,
    Resumed,
    Sealed,
    Undone,
)
from referee.core.model.registry import game_of
from referee.core.model.state import State
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import CountedGame
from referee.core.phases.lobby import Lobby
from referee.table.bots import Bots
from referee.table.evening import Evening

PRESETS = ("nna", "ligretto", "31", "snap", "spoons")
"""One preset of each game, and another of the family."""


@cache
def evening(preset: str) -> tuple[JournalRow, ...]:
    """Return the rows of a bots' match and the start of the rematch."""
    rows: list[JournalRow] = []
    bots = Bots(["1", "2", "3"], 1, pace_percent=20, rematches=1)
    Evening(Setup(preset), bots, journal=rows.extend).play(1)
    return tuple(rows)


@cache
def places(preset: str) -> list[State]:
    """Return the states of an evening in which the book has changed."""
    found = list[State]()

    def watch(seq: int, event: object, before: State, after: State) -> None:
        if isinstance(event, Sealed | Played | Rematched):
            found.append(after)

    Engine.restored(evening(preset), watch=watch)
    return found


def tables(state: State) -> Iterator[Table]:
    """Yield the state's table, the one its lobby keeps, and those that undo and redo restore."""
    yield state.table
    if isinstance(state.phase, Lobby) and state.phase.kept:
        yield state.phase.kept
    for other in (state.undo, state.redo):
        if other:
            yield from tables(other.state)


def faults(state: State) -> list[str]:
    """Return the stories that do not match their hands."""
    return [
        f"{len(table.hands)} hands, {table.stories}"
        for table in tables(state)
        if len(table.stories) != len(table.hands)
        or [story.seq for story in table.stories] != sorted({story.seq for story in table.stories})
        or bool(table.teams) > bool(table.match)
        or any(story.seq <= table.begun for story in table.stories)
    ]


def decisions(state: State) -> list[Decision | Resumed]:
    """The decisions that may change a book: counts, corrections, ends, undo and redo, matches."""
    now, table = state.now_ns, state.table
    game = game_of(table)
    choices: list[Decision | Resumed] = [Rematched(now), Began(now), Continued(now), Cleared(now)]
    choices += [Resumed(now, "boot-2", 60), Resumed(now, "boot-3", 100_000)]
    choices += [Undone(now, state.undo.seq)] * 3 if state.undo else []
    choices += [Redone(now, state.redo.seq)] * 2 if state.redo else []
    for hand in range(1, len(table.hands) + 1):
        choices.append(Closed(now, hand))
        past = game.past(table, hand - 1) if isinstance(game, CountedGame) else None
        choices += [Sealed(now, past.counts), Corrected(now, hand, past.counts)] if past else []
    return choices


def taken(state: State, event: Decision | Resumed) -> State:
    return advance(state, event).state if isinstance(event, Resumed) else apply_decision(state, event).state


def check(before: State, event: Decision | Resumed, after: State) -> None:
    """Check what a decision may do to the stories."""
    was, now = before.table, after.table
    kept = min(len(was.hands), len(now.hands))
    match event:
        case Undone() if before.undo:
            assert now.stories == before.undo.state.table.stories
        case Redone() if before.redo:
            assert now.stories == before.redo.state.table.stories
        case Began() | Rematched():
            assert (now.match, now.begun) == (f"{after.boot}-{event.at_ns}-{after.seq}", after.seq)
            assert now.stories == ()
        case Corrected() | Closed() | Sealed() if not isinstance(before.phase, Lobby):
            assert now.stories[:kept] == was.stories[:kept]
            assert all(story.seq == after.seq for story in now.stories[kept:])


@settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(st.data())
def test_each_hand_has_its_story_whatever_becomes_of_it(data: st.DataObject) -> None:
    every = places(data.draw(st.sampled_from(PRESETS)))
    state = every[data.draw(st.integers(0, len(every) - 1))]
    for _ in range(data.draw(st.integers(1, 8))):
        choices = decisions(state)
        event = choices[data.draw(st.integers(0, len(choices) - 1))]
        try:
            after = taken(state, event)
        except Exception:  # the Engine would skip it
            continue
        assert not faults(after), event
        check(state, event, after)
        state = after


@pytest.mark.parametrize("preset", PRESETS)
def test_bots_evenings_have_a_story_for_each_hand(preset: str) -> None:
    rows = evening(preset)
    seen = 0

    def watch(seq: int, event: object, before: State, after: State) -> None:
        nonlocal seen
        if after.table is not before.table:
            assert not faults(after), (seq, event)
            seen += len(after.table.hands) > len(before.table.hands)

    engine = Engine.restored(rows, watch=watch)
    assert seen
    assert all((story.played_ns or 0) > 0 for story in engine.state.table.stories)
