"""Which game plays a preset. A new game is a file and a line here.

The game's module is imported when it is first asked for: games stand on the shared phases, and those ask here.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from referee.core.state import Table
from referee.core.transitions import Game

_GAMES = ("referee.core.games.nertz.play",)


@cache
def game_named(preset: str) -> Game:
    """The game that knows this preset; KeyError when none does."""
    for path in _GAMES:
        module = import_module(path)
        if preset in module.PRESETS:
            return cast(Game, module.GAME)
    raise KeyError(preset)


def game_of(table: Table) -> Game:
    """The game that this table plays."""
    return game_named(table.setup.preset)


def all_games() -> tuple[Game, ...]:
    """Every game there is."""
    return tuple(cast(Game, import_module(path).GAME) for path in _GAMES)
