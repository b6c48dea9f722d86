"""What the tests of the core show of the transition table as a whole: every target that a row names was reached.

Each test runs with `Engine.strict`, so a handler that leads elsewhere fails at once. The other half, that no row names
a phase that it never leads to, can only be said when all of these tests have run: with coverage, as `make check` does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from referee.core.match import advance as match
from referee.core.match import transition_table
from referee.core.match.transition_table import SHARED_ROWS, Key
from referee.core.model.registry import all_games
from referee.core.model.state import Step
from referee.core.model.transitions import Game, Transition
from tests.core.ways import leads_to, stands

GONE: set[tuple[Game, Key, str]] = set()
"""Every way out of a phase that a test has gone so far: the game, the phase with the trigger or line, where it led."""


def _noted(game: Game, key: Key, step: Step) -> Step:
    if step.state.phase.name != key[0].name:
        GONE.add((game, key, step.state.phase.name))
    return transition_table.undeclared(game, key, step)


vars(match)["undeclared"] = _noted


def lies() -> Iterator[str]:
    """What rows say and no test has met: of a shared one by each target in some game, of a game's own in that game."""
    games = all_games()
    for row in SHARED_ROWS:
        met = {to for game, at, to in GONE if stands(game, row, at)}
        could = frozenset[str]().union(*(leads_to(game, row) for game in games))
        for target in row.targets:
            if not met & ({target} if isinstance(target, str) else could):
                yield f"{_named(row)}: no test leads to {target}"
    for game in games:
        for row in game.rows:
            met = {to for of, at, to in GONE if of is game and stands(game, row, at)}
            yield from (
                f"{_named(row)}: no test of {type(game).__name__} leads to {to}" for to in leads_to(game, row) - met
            )


def _named(row: Transition) -> str:
    return f"{row.phase.name or row.phase.__name__}, {row.trigger.__name__}"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Say them, and fail, when everything has run."""
    whole = session.config.getoption("--cov", None) and not session.testsfailed
    if whole and (found := sorted(lies())):
        sys.stdout.write("\n  ".join(("\nThe transition table says what never happens:", *found)) + "\n")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
