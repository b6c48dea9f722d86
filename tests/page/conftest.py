"""Run asynchronous tests on a loop.

Tests in `browser` and `api` run only when asked for (`make browser`).
"""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.page.lines import PATIENCE_S, run

ASKED = (Path(__file__).parent / "browser", Path(__file__).parent / "api")
BROWSER_S = 600.0
"""Seconds after which a browser test counts as hanging."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = any(f"web/{collection_path.name}" in argument for argument in config.args)
    return True if collection_path in ASKED and not asked else None


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    run(lambda: pyfuncitem.obj(**given), BROWSER_S if ASKED[0] in pyfuncitem.path.parents else PATIENCE_S)
    return True
