"""The transition table: every row and every line of the knob's list at a table, and where each of them may lead.

What a row says of its targets is held against what its handler does, each time that it leads to another phase
(`undeclared`). The diagrams in ARCHITECTURE.md are drawn from `leads`, so they show what can happen and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from referee.core.phases import (
    counting,
    device,
    fixing,
    lobby,
    over,
    pause,
    power_back,
    ready,
    settings,
    start,
    teams,
    vote,
)
from referee.core.phases.start import Resuming, Starting
from referee.core.state import Phase, Play, Step
from referee.core.transitions import Game, Item, Row, Way

PHASES = (lobby, ready, start, pause, power_back, vote, counting, over, fixing, teams, settings, device)
"""The modules of the shared phases, in the order of their lines in the knob's list."""
SHARED_ROWS: tuple[Row, ...] = tuple(row for module in PHASES for row in module.ROWS)
SHARED_ITEMS: tuple[Item, ...] = tuple(item for module in PHASES for item in module.ITEMS)
Key = tuple[type[Phase], type | str]
"""A phase with a trigger, or with the action of a line of its knob's list."""


@cache
def rows(game: Game) -> Mapping[tuple[type[Phase], type], Row]:
    """Every transition at a table that plays this game, by phase and trigger: the shared ones, then its own."""
    every = tuple(row for row in (*SHARED_ROWS, *game.rows) if _stands_in(row.phase, game))
    found = {(row.phase, row.trigger): row for row in every}
    assert len(found) == len(every), "two rows for one phase and trigger"
    return found


@cache
def items(game: Game, phase: type[Phase]) -> Mapping[str, Item]:
    """The lines of the knob's list in that phase by their actions, the shared ones first."""
    every = [item for item in (*SHARED_ITEMS, *game.items) if item.phase is phase and _stands_in(phase, game)]
    found = {item.action: item for item in every}
    assert len(found) == len(every), "two lines for one phase and action"
    return found


def _stands_in(phase: type[Phase], game: Game) -> bool:
    return game.counts_down or not phase.counted_down


@cache
def leads(game: Game) -> Mapping[Key, frozenset[str]]:
    """Where each row and each line may lead at a table that plays this game: the names of other phases."""
    every = dict(_every(game))
    names = {phase.name: phase for phase, _ in every}
    calm = [(phase.name, entry) for (phase, _), entry in every.items() if not phase.races]
    into = {name: {where for where, entry in calm if name in entry.targets} for name in names}
    beats = game.counts_down
    ways = {
        Way.BEGINS: {Starting.name if beats else Play.name},
        Way.RESUMES: {Resuming.name if beats else Play.name},
        Way.INTERRUPTED: {name for name, phase in names.items() if phase.waits},
    }
    found: dict[Key, frozenset[str]] = {}
    for (phase, trigger), entry in every.items():
        to = set[str]()
        for target in entry.targets:
            to |= {target} if isinstance(target, str) else into[phase.name] if target is Way.ASKED else ways[target]
        found[phase, trigger] = frozenset(to & names.keys() - {phase.name})
    return found


def _every(game: Game) -> Iterator[tuple[Key, Row | Item]]:
    yield from rows(game).items()
    for phase in dict.fromkeys(phase for phase, _ in rows(game)):
        for action, item in items(game, phase).items():
            yield (phase, action), item


def undeclared(game: Game, key: Key, step: Step) -> Step:
    """The step, told as astray when its row does not say that it may lead there."""
    name = step.state.phase.name
    if name == key[0].name or name in leads(game).get(key, ()):
        return step
    what: Any = key[1]
    sentence = f"{key[0].name}, {what if isinstance(what, str) else what.__name__}: {name} is none of its targets"
    return Step(step.state, step.cues, step.decisions, (*step.astray, sentence))
