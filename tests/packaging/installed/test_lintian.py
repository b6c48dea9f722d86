"""The package checked by Debian's lintian."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from systemd.debian.__main__ import build

EPOCH_S = 1_750_000_000


@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian is not installed (`make deb-tools`)")
def test_lintian_finds_nothing_to_say(tmp_path: Path) -> None:
    """No errors, warnings, hints or pedantry, except the overrides with their reasons."""
    place = tmp_path / "card-table-referee_0.1.0_all.deb"
    place.write_bytes(build("0.1.0", EPOCH_S))
    words = ["lintian", "--allow-root", "--no-cfg", "--info", "--display-info", "--pedantic", str(place)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
