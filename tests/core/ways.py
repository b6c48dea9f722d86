"""What rows of the transition table say, held against the ways that tests really went by them.

A way leads in one game from one phase by one trigger to one other phase; `leads` has those that are declared. A row's
target accounts for a way when the row would not declare it without that target.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from referee.core.match import transition_table
from referee.core.match.transition_table import Key, leads, rows, stands_for
from referee.core.model.phase import Phase
from referee.core.model.registry import all_games
from referee.core.model.transitions import Game, Target, Transition


class Walked(NamedTuple):
    """A way, by names: those of the classes of game, phase and trigger, and of the phase that it led to."""

    game: str
    phase: str
    trigger: str
    to: str


def way(game: Game, key: Key, to: str) -> Walked:
    """The way in that game from that phase by that trigger to the phase of that name."""
    return Walked(type(game).__name__, key[0].__name__, key[1].__name__, to)


def declared() -> Iterator[Walked]:
    """Every way of every game that the table declares."""
    for game in all_games():
        yield from (way(game, key, to) for key, names in leads(game).items() for to in sorted(names))


def stands(game: Game, row: Transition, at: Key) -> bool:
    """Whether that phase and trigger are this row's in that game, and not those of a row that comes before it."""
    found = rows(game).get(at)
    return (
        found is not None
        and (found.trigger, found.handler) == (row.trigger, row.handler)
        and issubclass(at[0], row.phase)
    )


def phases(game: Game, row: Transition) -> Iterator[type[Phase]]:
    """Those in which the row stands in that game."""
    return (phase for phase, trigger in rows(game) if trigger is row.trigger and stands(game, row, (phase, trigger)))


def accounts_for(game: Game, row: Transition, target: Target) -> frozenset[Walked]:
    """The ways in that game that the row would not declare without that target of it."""
    others = [other for other in row.targets if other is not target]
    found = set[Walked]()
    for phase in phases(game, row):
        names = stands_for(game, phase, target).difference(*(stands_for(game, phase, other) for other in others))
        found |= {way(game, (phase, row.trigger), to) for to in names}
    return frozenset(found)


def lies_of(game: Game | None, row: Transition, walked: Collection[Walked]) -> Iterator[str]:
    """What that row of that game, or of all of them (None), says and no test has met: a sentence for each phase.

    Of a shared row each target is met by a way that it accounts for, to whichever phase and in whichever game.
    """
    said = f"{row.phase.name or row.phase.__name__}, {row.trigger.__name__}: no test leads to"
    if game is None:
        for target in row.targets:
            if not any(accounts_for(each, row, target).intersection(walked) for each in all_games()):
                yield f"{said} {target}"
        return
    ways = {way(game, (of, row.trigger), to) for of in phases(game, row) for to in leads(game)[of, row.trigger]}
    missing = {one.to for one in ways} - {one.to for one in ways.intersection(walked)}
    yield from (f"{type(game).__name__}: {said} {to}" for to in sorted(missing))


def lies(walked: Collection[Walked]) -> Iterator[str]:
    """What rows say and no test has met: of a shared one in whichever game, of a game's own in that game."""
    for row in transition_table.SHARED_ROWS:
        yield from lies_of(None, row, walked)
    for game in all_games():
        for row in game.rows:
            yield from lies_of(game, row, walked)
