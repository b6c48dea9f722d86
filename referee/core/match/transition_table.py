"""The transition table: every row and every line of the knob's list at a table, and where each of them may lead.

What a row says of its targets is held against what its handler does, each time that it leads to another phase
(`undeclared`). The diagrams in ARCHITECTURE.md are drawn from `leads`, so they show what can happen and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from referee.core.match import past
from referee.core.model.state import Phase, Play, Step
from referee.core.model.transitions import ClaimGame, Game, Transition, Way
from referee.core.phases import (
    adjusting,
    agreement,
    counting,
    device,
    fixing,
    lobby,
    over,
    pause,
    phones,
    phonesettings,
    power_back,
    ready,
    roles,
    rulebook,
    settings,
    start,
    teaching,
    teams,
    timeouts,
    vote,
)
from referee.core.phases.pause import TimeOut
from referee.core.phases.start import Resuming, Starting
from referee.core.values import replace

PHASES = (
    lobby,
    agreement,
    ready,
    roles,
    start,
    pause,
    power_back,
    vote,
    counting,
    over,
    fixing,
    adjusting,
    timeouts,
    teams,
    rulebook,
    settings,
    teaching,
    device,
    phones,
    phonesettings,
)
"""The modules of the shared phases, in the order of their lines in the knob's list."""
SHARED_ROWS: tuple[Transition, ...] = (*(row for module in PHASES for row in module.ROWS), *past.ROWS)
Key = tuple[type[Phase], type]
"""What finds a row: the type of the phase and the type of what happens in it."""


@cache
def rows(game: Game) -> Mapping[Key, Transition]:
    """Every transition at a table that plays this game, by phase and trigger: the shared ones, then its own.

    A row of a kind of phases (one without a name, such as `Resting`) stands in each of that kind that has none itself;
    a shared row stands in a game that has none of its own for that phase and trigger.
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
    """The rows of that phase that stand in its list at the knob, in the order of the list."""
    own = (row for (of, _), row in rows(game).items() if of is phase and row.text is not None)
    return tuple(sorted(own, key=lambda row: row.place.value))


def _stands_in(phase: type[Phase], game: Game) -> bool:
    return game.counts_down or not phase.counted_down


def _rests(kind: type[Phase]) -> bool:
    """Whether one can come back to that phase itself: not to play, and not to what only lies over another phase."""
    phase = kind(0)
    return phase.stopped(0) is None and phase.under_undo() is phase


@cache
def leads(game: Game) -> Mapping[Key, frozenset[str]]:
    """Where each row may lead at a table that plays this game: the names of other phases."""
    every = rows(game)
    names = {phase.name: phase for phase, _ in every}
    calm = [(phase.name, row) for (phase, _), row in every.items() if not phase.races]
    into = {name: {where for where, row in calm if name in row.targets} for name in names}
    beats = game.counts_down
    resumes = {Resuming.name if beats else Play.name}
    ways = {
        Way.BEGINS: {Starting.name if beats else Play.name},
        Way.RESUMES: resumes,
        Way.INTERRUPTED: {name for name, phase in names.items() if phase.waits},
        Way.UPHELD: set(game.follows) if isinstance(game, ClaimGame) else set(),
        Way.TAKEN_BACK: {TimeOut.name}
        | {phase.name for phase, trigger in every if trigger in past.LABELS and _rests(phase)},
        Way.REFUTED: resumes | {*game.after_refuted} if isinstance(game, ClaimGame) and game.goes_on else set(),
    }
    found: dict[Key, frozenset[str]] = {}
    for (phase, trigger), row in every.items():
        to = set[str]()
        for target in row.targets:
            to |= {target} if isinstance(target, str) else into[phase.name] if target is Way.ASKED else ways[target]
        found[phase, trigger] = frozenset(to & names.keys() - {phase.name})
    return found


def undeclared(game: Game, key: Key, step: Step) -> Step:
    """The step, told as astray when its row does not say that it may lead there."""
    name = step.state.phase.name
    if name == key[0].name or name in leads(game).get(key, ()):
        return step
    sentence = f"{key[0].name}, {key[1].__name__}: {name} is none of its targets"
    return Step(step.state, step.cues, step.decisions, (*step.astray, sentence))
