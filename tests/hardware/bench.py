"""A copy of the hardware folder for fault injection."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from hardware.make import kicad, wireviz
from hardware.make.catalogue import HARDWARE
from hardware.make.tools import ToolMissingError

SOURCES = (
    "README.md",
    "trouble.md",
    "everyone.md",
    "builds",
    "pinmap.toml",
    "skew.md",
    "bom",
    "schematic",
    "board",
    "wiring",
    "enclosure/parameters.toml",
    "enclosure/presets.toml",
    "guide",
    "prints",
)

_DRAWN = shutil.ignore_patterns("*.svg", "*.pdf")
LEFT_OUT = {"guide": shutil.ignore_patterns("*.png", "*.pdf", "*.py", "__pycache__")}
"""Files left out of each folder's copy, mostly the output of other programs."""


def has_kicad() -> bool:
    """Return whether kicad-cli 9 is installed."""
    return _there(kicad.version)


def has_wireviz() -> bool:
    """Return whether WireViz and Graphviz are installed."""
    return _there(wireviz.version)


def _there(version: Callable[[], str]) -> bool:
    try:
        version()
    except ToolMissingError:
        return False
    return True


def copy(target: Path) -> Path:
    """Copy the sources and generated files of the electronics below `target`.

    Return their new folder.
    """
    root = target / "hardware"
    for name in SOURCES:
        source = HARDWARE / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=LEFT_OUT.get(name, _DRAWN))
        elif source.is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / name)
    return root
