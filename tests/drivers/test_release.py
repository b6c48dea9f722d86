"""The release of this program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee import core
from referee.drivers.systemd import release


def test_a_release_is_known_by_its_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes if a file of the core is longer, newer or added."""
    monkeypatch.setattr(core, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "phases").mkdir()
    seen = {release()}
    (file := tmp_path / "phases" / "vote.py").write_text("A = 1\n")
    os.utime(file, (1, 1))
    seen.add(release())
    assert release() in seen
    os.utime(file, (2, 2))
    seen.add(release())
    file.write_text("A = 10\n")
    os.utime(file, (2, 2))
    seen.add(release())
    assert len(seen) == 4
