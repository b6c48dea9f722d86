"""The rows of a fair call, for a game whose hands are not counted: call, verdict, contest and late evidence."""

from __future__ import annotations

from referee.core.model.transitions import Transition
from referee.core.phases import call, contest, late, race, verdict

ROWS: tuple[Transition, ...] = (
    *race.ROWS,
    *call.ROWS,
    *verdict.ROWS,
    *late.ROWS,
    *contest.ROWS,
    *contest.PHOTO_AND_VOID,
)
