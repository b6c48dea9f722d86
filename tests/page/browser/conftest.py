"""Skip tests that need a browser if there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page.browser.chromium import find


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if find() is None:
        skip = pytest.mark.skip(reason="no Chromium is installed (`make browser-tools` installs one)")
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(skip)
