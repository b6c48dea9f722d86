"""What needs more than the suite has runs only when asked for: `make browser` a browser, `make api-check` a library."""

from __future__ import annotations

from pathlib import Path

import pytest

ASKED = (Path(__file__).parent / "browser", Path(__file__).parent / "api")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = any(f"web/{collection_path.name}" in argument for argument in config.args)
    return True if collection_path in ASKED and not asked else None
