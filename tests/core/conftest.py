"""What the tests of the core show of the transition table as a whole: every target that a row names was reached.

Each test runs with `Engine.strict`, so a handler that leads elsewhere fails at once. The other half, that no row names
a phase that it never leads to, can only be said when all of these tests have run: with coverage, as `make check` does.
Where several processes share the tests (pytest-xdist), each hands on what its own have met.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from referee.core.match import advance as match
from referee.core.match import transition_table
from referee.core.match.transition_table import SHARED_ROWS, Key
from referee.core.model.registry import all_games
from referee.core.model.state import Step
from referee.core.model.transitions import Game, Transition
from tests.core.ways import leads_to, stands

MET = "ways met"
"""The name of a worker's list among what it hands on."""

GONE: set[tuple[Game, Key, str]] = set()
"""Every way out of a phase that a test has gone so far: the game, the phase with the trigger or line, where it led."""


def _noted(game: Game, key: Key, step: Step) -> Step:
    if step.state.phase.name != key[0].name:
        GONE.add((game, key, step.state.phase.name))
    return transition_table.undeclared(game, key, step)


vars(match)["undeclared"] = _noted


def met() -> dict[str, set[str]]:
    """Where this process's tests led, by row: a shared one in whichever game, a game's own in that game."""
    found = {
        f"shared {at_row}": {to for game, at, to in GONE if stands(game, row, at)}
        for at_row, row in enumerate(SHARED_ROWS)
    }
    for at_game, game in enumerate(all_games()):
        for at_row, row in enumerate(game.rows):
            found[f"{at_game} {at_row}"] = {to for of, at, to in GONE if of is game and stands(game, row, at)}
    return found


def lies(found: Mapping[str, set[str]]) -> Iterator[str]:
    """What rows say and no test has met: of a shared one by each target in some game, of a game's own in that game."""
    games = all_games()
    for at_row, row in enumerate(SHARED_ROWS):
        could = frozenset[str]().union(*(leads_to(game, row) for game in games))
        for target in row.targets:
            if not found[f"shared {at_row}"] & ({target} if isinstance(target, str) else could):
                yield f"{_named(row)}: no test leads to {target}"
    for at_game, game in enumerate(games):
        for at_row, row in enumerate(game.rows):
            yield from (
                f"{_named(row)}: no test of {type(game).__name__} leads to {to}"
                for to in leads_to(game, row) - found[f"{at_game} {at_row}"]
            )


def _named(row: Transition) -> str:
    return f"{row.phase.name or row.phase.__name__}, {row.trigger.__name__}"


FROM_WORKERS: list[dict[str, set[str]]] = []
"""What the processes met that shared the tests among them, of each that has ended."""


@pytest.hookimpl(optionalhook=True)  # pytest-xdist calls it
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker's tests met."""
    if text := getattr(node, "workeroutput", {}).get(MET):
        FROM_WORKERS.append({row: set(names) for row, names in json.loads(text).items()})


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Say them, and fail, when everything has run."""
    here = met()
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output[MET] = json.dumps({row: sorted(names) for row, names in here.items()})
        return
    whole = session.config.getoption("--cov", None) and not session.testsfailed
    together = {row: names.union(*(other[row] for other in FROM_WORKERS)) for row, names in here.items()}
    if whole and (found := sorted(lies(together))):
        sys.stdout.write("\n  ".join(("\nThe transition table says what never happens:", *found)) + "\n")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
