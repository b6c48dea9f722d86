"""The browser's tests run only when asked for (`make browser`): the suite needs no browser."""

from __future__ import annotations

from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = any(BROWSER.name in argument for argument in config.args)
    return True if collection_path == BROWSER and not asked else None
