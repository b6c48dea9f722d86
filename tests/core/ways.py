"""Where a row of the transition table leads at the tables of one game, in whichever phases it stands there."""

from __future__ import annotations

from referee.core.match.transition_table import Key, leads, rows
from referee.core.model.transitions import Game, Transition


def stands(game: Game, row: Transition, at: Key) -> bool:
    """Whether that phase and trigger are this row's in that game, and not those of a row that comes before it."""
    found = rows(game).get(at)
    return (
        found is not None
        and (found.trigger, found.handler) == (row.trigger, row.handler)
        and issubclass(at[0], row.phase)
    )


def leads_to(game: Game, row: Transition) -> frozenset[str]:
    """The names of the phases; none where it stays, or where the game does not have that way."""
    return frozenset(name for at, names in leads(game).items() if stands(game, row, at) for name in names)
