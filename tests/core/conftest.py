"""What the tests of the core show of the transition table as a whole: every target that a row names was reached.

Each test runs with `Engine.strict`, so a handler that leads elsewhere fails at once. The other half, that no row names
a phase that it never leads to, can only be said when all of these tests have run: with coverage, as `make check` does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Set

import pytest

from referee.core.match import advance as match
from referee.core.match import transition_table
from referee.core.match.transition_table import SHARED_ROWS, Key, leads
from referee.core.model.registry import all_games
from referee.core.model.state import Step
from referee.core.model.transitions import Game, Transition

GONE: set[tuple[Game, Key, str]] = set()
"""Every way out of a phase that a test has gone so far: the game, the phase with the trigger or line, where it led."""


NOT_YET = {
    "Race, Pressed: no test leads to STOPPED",
    "TIMEOUT, Voided: no test leads to READY",
    "VERDICT, ClaimTie: no test leads to VOTE",
    "VERDICT, Due: no test leads to Way.UPHELD",
    "VERDICT, Overruled: no test leads to Way.RESUMES",
}
"""Ways of the fair call that Slap and Last one have from the shared rows, and that no test has gone at their tables."""


def _noted(game: Game, key: Key, step: Step) -> Step:
    if step.state.phase.name != key[0].name:
        GONE.add((game, key, step.state.phase.name))
    return transition_table.undeclared(game, key, step)


vars(match)["undeclared"] = _noted


def lies() -> Iterator[str]:
    """What rows say and no test has met. A shared one may lead there in one game and not in another."""
    games = all_games()
    entries: list[tuple[Game | None, Transition]] = [(None, row) for row in SHARED_ROWS]
    entries += [(game, row) for game in games for row in game.rows]
    own = {(row.phase, row.trigger) for _, row in entries}
    for owner, row in entries:
        met = {to for game, at, to in GONE if owner in (None, game) and _stands(row, at, own)}
        for target in row.targets:
            could = {target} if isinstance(target, str) else _resolved(games, row, own)
            if not met & could:
                yield f"{row.phase.name or row.phase.__name__}, {row.trigger.__name__}: no test leads to {target}"


def _stands(row: Transition, at: Key, own: Set[Key]) -> bool:
    """Whether it is this row that is meant there: the phase's own one, or that of its kind where it has none itself."""
    if at == (row.phase, row.trigger):
        return True
    return not row.phase.name and at not in own and issubclass(at[0], row.phase) and at[1] is row.trigger


def _resolved(games: tuple[Game, ...], row: Transition, own: Set[Key]) -> set[str]:
    return {name for game in games for at, names in leads(game).items() if _stands(row, at, own) for name in names}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Say them, and fail, when everything has run."""
    whole = session.config.getoption("--cov", None) and not session.testsfailed
    if whole and (found := sorted(set(lies()) - NOT_YET)):
        sys.stdout.write("\n  ".join(("\nThe transition table says what never happens:", *found)) + "\n")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
