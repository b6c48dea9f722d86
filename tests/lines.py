"""A pytest plugin, `-p tests.lines`, beside `--cov`: each line of the core is kept with the tests that went through it.

Once for each test, where pytest-cov's own `--cov-context=test` asks three times and takes twice as long. And a test
that is marked no_cover runs at its full speed: in the processes of xdist pytest-cov leaves a first measurement running.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import pytest
from coverage import Coverage


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lines-of-all", action="store_true", help="of those that are marked no_cover, too")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Without the mark no test is left out."""
    if config.getoption("--lines-of-all"):
        for node in {node for item in items for node in item.listchain()}:
            node.own_markers = [mark for mark in node.own_markers if mark.name != "no_cover"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """What runs from here on is this test's, its fixtures included."""
    measuring = Coverage.current()
    if measuring:
        measuring.switch_context(item.nodeid)
    result = yield
    if measuring:
        measuring.switch_context("")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Nothing traces a test that is marked no_cover."""
    tracing = sys.gettrace()
    if item.get_closest_marker("no_cover"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        if sys.gettrace() is None:
            sys.settrace(tracing)
