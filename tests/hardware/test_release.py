"""The archive of a release: everything to order, print and read; a sentence while something is not made."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from hardware.make import release


def root_with_all(tmp_path: Path) -> Path:
    """Make a file for each folder of the archive."""
    for folder, name in (
        ("prints", "knob.3mf"),
        ("prints/presets/dome60", "ring.3mf"),
        ("guide", "guide.pdf"),
        ("board", "carrier-gerbers.zip"),
        ("bom", "full8.csv"),
        ("schematic", "full8.svg"),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(name, encoding="utf-8")
    return tmp_path


def test_the_archive_has_a_folder_for_each_use(tmp_path: Path) -> None:
    made = release.write(tmp_path / "dist" / "hardware.zip", root_with_all(tmp_path))
    assert zipfile.ZipFile(made).namelist() == [
        "prints/knob.3mf",
        "prints/presets/dome60/ring.3mf",
        "paper/guide.pdf",
        "board/carrier-gerbers.zip",
        "lists/full8.csv",
        "drawings/full8.svg",
    ]


def test_a_release_without_prints_is_refused(tmp_path: Path) -> None:
    root = root_with_all(tmp_path)
    for path in (root / "prints").rglob("*.3mf"):
        path.unlink()
    with pytest.raises(ValueError, match="hardware/prints has no"):
        release.write(tmp_path / "dist" / "hardware.zip", root)
