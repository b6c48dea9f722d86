"""A whole match in WebKit, over a name that is not localhost: `make browser`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.browser.networks import missing, networks, within
from tests.web.browser.webkit import lacking

ROOT = Path(__file__).parent.parent.parent.parent
LIMIT_S = 900


def test_two_phones_a_scoreboard_and_a_wall_through_a_whole_match(tmp_path: Path) -> None:
    """Offline and back, the server stopped and back, and an intruder who gets nowhere (match.py)."""
    if why := missing() or (lacking() and f"{lacking()} is missing (`make browser-tools` installs it)"):
        pytest.skip(f"{why}: the match was not played")
    (tmp_path / "state").mkdir()
    with networks() as (table, guests):
        script = ("-m", "tests.web.browser.match", table, guests, str(tmp_path))
        played = subprocess.run(
            within(guests, sys.executable, *script), cwd=ROOT, check=False, capture_output=True, timeout=LIMIT_S
        )
    assert played.returncode == 0, played.stderr.decode(errors="replace")[-6000:]
