"""The transition table: all rows, all menu lines, and the phases to which rows lead.

`advance.check_target` compares the phases that rows declare with those in which they end. `make transitions` draws
`leads`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from referee.core import phases
from referee.core.match import past
from referee.core.model.state import Phase, Play
from referee.core.model.transitions import ClaimGame, Game, PileGame, Target, Transition, Way
from referee.core.phases.pause import TimeOut
from referee.core.phases.start import Resuming, Starting
from referee.core.values import replace

ORDER = (
    "lobby",
    "agreement",
    "ready",
    "roles",
    "start",
    "pause",
    "counting",
    "over",
    "fixing",
    "adjusting",
    "teams",
    "rulebook",
    "settings",
)
"""The order in which the modules of phases add menu lines; modules not named here come last."""


def _shared_rows() -> Iterator[Transition]:
    """Yield the rows that modules of `phases/` offer to every game (`SHARED_ROWS`).

    Rows about claims are not among them: the games with claims add these.
    """
    names = (one.name for one in iter_modules(phases.__path__))
    for name in sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
        yield from getattr(import_module(f"{phases.__name__}.{name}"), "SHARED_ROWS", ())


SHARED_ROWS: tuple[Transition, ...] = (*_shared_rows(), *past.ROWS)
Key = tuple[type[Phase], type]
"""The key of a row: the types of the phase and of the trigger."""


@cache
def rows(game: Game) -> Mapping[Key, Transition]:
    """Return every transition of this game by phase and trigger: the shared rows, then its own.

    A row of a general kind of phases (a class without a name, such as `Resting`) applies to each phase of that kind
    that has no own row for the trigger. A game's own row replaces the shared row for the same phase and trigger.
    """
    own = {(row.phase, row.trigger) for row in game.rows}
    shared = (row for row in SHARED_ROWS if (row.phase, row.trigger) not in own)
    every = tuple(row for row in (*shared, *game.rows) if _stands_in(row.phase, game))
    named = {(row.phase, row.trigger): row for row in every}
    assert len(named) == len(every), "two rows for one phase and trigger"
    phases = tuple(dict.fromkeys((*(row.phase for row in every if row.phase.name), *game.plays)))
    found: dict[Key, Transition] = {}
    for row in every:
        for phase in (row.phase,) if row.phase.name else (kind for kind in phases if issubclass(kind, row.phase)):
            found.setdefault((phase, row.trigger), named.get((phase, row.trigger)) or replace(row, phase=phase))
    return found


@cache
def lines(game: Game, phase: type[Phase]) -> tuple[Transition, ...]:
    """Return the rows of this phase in menu order."""
    own = (row for (of, _), row in rows(game).items() if of is phase)
    return tuple(sorted(own, key=lambda row: row.place.value))


def _stands_in(phase: type[Phase], game: Game) -> bool:
    return isinstance(game, PileGame) or not phase.counted_down


def _rests(kind: type[Phase]) -> bool:
    """Return whether the match can return to this phase after an undo or a pause.

    It cannot return to play (it returns to a pause), nor to a phase that covers another.
    """
    phase = kind(0)
    return phase.play_at_pause(0) is None and phase.under_undo(0) is phase


@cache
def _ways(game: Game) -> Mapping[Way, frozenset[str]]:
    """Return, for each `Way`, the phases for which it stands in the rows of this game.

    `Way.ASKED` is missing, because its phases depend on the row's own phase (`_opened_in`).
    """
    every = rows(game)
    phases = {phase.name: phase for phase, _ in every}
    beats = isinstance(game, PileGame)
    resumes = {Resuming.name if beats else Play.name}
    waiting = {name for name, phase in phases.items() if phase.waits}
    ways = {
        Way.BEGINS: {Starting.name if beats else Play.name},
        Way.RESUMES: resumes,
        Way.INTERRUPTED: waiting,
        Way.UPHELD: set(game.follows) if isinstance(game, ClaimGame) else set(),
        Way.TAKEN_BACK: {TimeOut.name, *waiting}
        | {phase.name for phase, trigger in every if trigger in past.LABELS and _rests(phase)},
        Way.REFUTED: resumes | {*game.after_refuted} if isinstance(game, ClaimGame) and game.goes_on else set(),
    }
    return {way: frozenset(names & phases.keys()) for way, names in ways.items()}


@cache
def _opened_in(game: Game, name: str) -> frozenset[str]:
    """Return the phases with a row that leads to the phase `name`.

    Phases in which players race (`Phase.races`) are left out.
    """
    return frozenset(phase.name for (phase, _), row in rows(game).items() if not phase.races and name in row.targets)


def stands_for(game: Game, phase: type[Phase], target: Target) -> frozenset[str]:
    """Return the phases of this game for which `target`, a target in a row of `phase`, stands.

    `phase` itself is left out.
    """
    if target is Way.ASKED:
        named = _opened_in(game, phase.name)
    else:
        named = frozenset({target}) if isinstance(target, str) else _ways(game)[target]
    return frozenset(name for name in named if name != phase.name and name in _names(game))


@cache
def _names(game: Game) -> frozenset[str]:
    return frozenset(phase.name for phase, _ in rows(game))


@cache
def leads(game: Game) -> Mapping[Key, frozenset[str]]:
    """Return the other phases to which each row of this game may lead."""
    return {
        (phase, trigger): frozenset[str]().union(*(stands_for(game, phase, target) for target in row.targets))
        for (phase, trigger), row in rows(game).items()
    }
