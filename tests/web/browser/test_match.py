"""A whole match in Chromium, Firefox and WebKitGTK, over a name that is not localhost: `make browser`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.browser.engines import ENGINES, lacking
from tests.web.browser.networks import missing, networks, within

ROOT = Path(__file__).parent.parent.parent.parent
LIMIT_S = 900


@pytest.mark.parametrize("engine", ENGINES)
def test_two_phones_a_scoreboard_and_a_wall_through_a_whole_match(engine: str, tmp_path: Path) -> None:
    """Offline and back, the server stopped and back, and an intruder who gets nowhere (match.py)."""
    if why := missing() or (lacking(engine) and f"{lacking(engine)} is missing (`make browser-tools` installs it)"):
        pytest.skip(f"{why}: the match was not played in {engine}")
    (tmp_path / "state").mkdir()
    with networks() as (table, guests):
        script = ("-m", "tests.web.browser.match", engine, table, guests, str(tmp_path))
        played = subprocess.run(
            within(guests, sys.executable, *script), cwd=ROOT, check=False, capture_output=True, timeout=LIMIT_S
        )
    assert played.returncode == 0, played.stderr.decode(errors="replace")[-6000:]
