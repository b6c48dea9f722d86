"""A pytest plugin, `-p tests.lines`, beside `--cov`: each line of the core is kept with the tests that went through it.

Once for each test, where pytest-cov's own `--cov-context=test` asks three times and takes twice as long. A test that is
marked no_cover runs at its full speed: in the processes of xdist pytest-cov leaves a first measurement running. And so
does a property, once its first examples have shown which lines it goes through.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest
from coverage import Coverage

TRACED = 20
"""So many examples of a property are traced, counted from its explicit ones on."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lines-of-all", action="store_true", help="also of no_cover tests, and of all examples")


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
    """Nothing traces a test that is marked no_cover, nor the later examples of a property."""
    if item.get_closest_marker("no_cover"):
        with untraced():
            return (yield)
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if handle is None or item.config.getoption("--lines-of-all"):
        return (yield)
    whole, tracing = handle.inner_test, sys.gettrace()
    handle.inner_test = traced_at_first(whole)
    try:
        return (yield)
    finally:
        handle.inner_test = whole
        sys.settrace(tracing)


def traced_at_first(test: Callable[..., Any]) -> Callable[..., Any]:
    """The test of one example. After so many nothing in this thread is traced, and examples are drawn faster, too."""
    examples = 0

    @wraps(test)
    def one_more(*args: Any, **kwargs: Any) -> Any:
        nonlocal examples
        examples += 1
        if examples == TRACED + 1:
            sys.settrace(None)
        return test(*args, **kwargs)

    return one_more


@contextmanager
def untraced() -> Iterator[None]:
    """Without tracing in this thread, which goes on afterwards as it was."""
    tracing = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracing)
