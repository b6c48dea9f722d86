"""Shared test settings.

Examples have no time limit, since test machines are shared and noisy. The suite draws the same examples each time, so
that a difference comes from the change under test. `make explore` draws new ones, round after round; add what it finds
as an `@example` or as a test. EXPLORE in the environment scales the number of examples: 1 draws as many as Hypothesis
or the test says. The default, 0.5, draws half, so that the suite takes five minutes.

Counting coverage makes a test of the core take three times as long. Long tests that reach no additional line are marked
`pytest.mark.no_cover` and run without it; `make check` still requires every line.
"""

import asyncio
import inspect
import os
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, settings

from referee.core.match.engine import Engine

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("house"), derandomize=False, print_blob=True)
settings.load_profile("house")
Engine.strict = True  # an undeclared transition fails the test


PATIENCE_S = 300.0
"""Seconds after which a test counts as hanging."""


@pytest.hookimpl(trylast=True)  # after the plugin has marked the properties
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Scale the number of examples of each property, in Hypothesis's own settings attribute."""
    times = float(os.environ.get("EXPLORE", "0.5"))
    if times == 1:
        return
    keepers = {
        (getattr(item, "cls", None), "settings")
        if isinstance(getattr(getattr(item, "cls", None), "settings", None), settings)
        else (getattr(item, "obj", None), "_hypothesis_internal_use_settings")
        for item in items
        if item.get_closest_marker("hypothesis")
    }
    for keeper, name in keepers:
        asked = getattr(keeper, name)
        setattr(keeper, name, settings(asked, max_examples=max(round(asked.max_examples * times), 1)))


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an asynchronous test on its own event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**given), PATIENCE_S))
    return True
