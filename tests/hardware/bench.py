"""A copy of the hardware folder on which faults may be injected."""

from __future__ import annotations

import shutil
from pathlib import Path

from hardware.make.catalogue import HARDWARE

SOURCES = ("pinmap.toml", "skew.md", "bom", "schematic", "board", "wiring")


def copy(target: Path) -> Path:
    """The sources and generated files of the electronics, copied below `target`; their new folder."""
    root = target / "hardware"
    for name in SOURCES:
        source = HARDWARE / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("*.svg", "*.pdf"))
        elif source.is_file():
            root.mkdir(exist_ok=True)
            shutil.copy(source, root / name)
    return root
