"""What the tests of the core show of the transition table as a whole: every target that a row names was reached.

Each test runs with `Engine.strict`, so a handler that leads elsewhere fails at once. The other half, that no row names
a phase that it never leads to, can only be said when all of these tests have run: with coverage, as `make check` does.
Where several processes share the tests (pytest-xdist), each hands on what its own have met.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from referee.core.match import advance as match
from referee.core.match import transition_table
from referee.core.match.transition_table import Key
from referee.core.model.state import Step
from referee.core.model.transitions import Game
from tests.core.ways import Walked, lies, way

MET = "ways met"
"""The name of a worker's list among what it hands on."""

WALKED: set[Walked] = set()
"""Every way that a test of this process, or of one that shared the tests and has ended, has gone so far."""


def _noted(game: Game, key: Key, step: Step) -> Step:
    if step.state.phase.name != key[0].name:
        WALKED.add(way(game, key, step.state.phase.name))
    return transition_table.check_target(game, key, step)


vars(match)["check_target"] = _noted


@pytest.hookimpl(optionalhook=True)  # pytest-xdist calls it
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker's tests met."""
    WALKED.update(Walked(*names) for names in getattr(node, "workeroutput", {}).get(MET, ()))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Say them, and fail, when everything has run."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output[MET] = [list(one) for one in WALKED]
        return
    whole = session.config.getoption("--cov", None) and not session.testsfailed
    if whole and (found := sorted(lies(WALKED))):
        sys.stdout.write("\n  ".join(("\nThe transition table says what never happens:", *found)) + "\n")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
