"""For every test: no time limits on examples, since machines that run them are shared and noisy.

The suite draws the same examples each time, so that what it says of a change comes from the change. `make explore`
draws new ones, round after round; what it finds is written into a test as an `@example`, or as a test of its own.
With EXPLORE=20 in its environment it draws twenty times as many, with EXPLORE=0.1 a tenth, also where a test says
itself how many it wants.

Counting coverage makes a test of the core take three times as long. What plays on and on and goes through no line that
others do not is marked `pytest.mark.no_cover`: it runs without, and `make check` still wants every line.
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
Engine.strict = True  # a transition that no row declares fails the test that meets it


PATIENCE_S = 300.0
"""Only a test that hangs takes so long."""


@pytest.hookimpl(trylast=True)  # after the plugin has marked the properties
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """More or fewer examples for every property; a test's settings are kept where Hypothesis keeps them."""
    times = float(os.environ.get("EXPLORE", "1"))
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
    """Run an asynchronous test on a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**given), PATIENCE_S))
    return True
