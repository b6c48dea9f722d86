"""Rehearsals of the rig's scripts against the present screens."""

from __future__ import annotations

import pytest

from referee.core.model.state import State
from tests.rig import match, trouble
from tests.rig.people import lobby
from tests.rig.rehearsal import Rehearsal
from tests.rig.table import UnexpectedError


def phase(state: State) -> str:
    return state.phase.name


def test_the_match_can_be_played_as_it_is_written() -> None:
    with Rehearsal() as table:
        match.play_all(table)
        assert phase(table.engine.state) == "OVER"


def test_the_trouble_begins_as_it_is_written() -> None:
    with Rehearsal() as table:
        trouble.begin(table)
        trouble.call(table)
        assert phase(table.engine.state) == "VERDICT"


def test_a_script_that_does_not_fit_is_found() -> None:
    with Rehearsal() as table:
        table.tap(1, 2, 3)
        with pytest.raises(UnexpectedError, match="the display shows"):
            table.expect(lobby(4), within_s=2)
