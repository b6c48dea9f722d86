"""A copy of the hardware folder on which faults may be injected."""

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
    "pinmap.toml",
    "skew.md",
    "bom",
    "schematic",
    "board",
    "wiring",
    "enclosure/parameters.toml",
    "enclosure/presets.toml",
    "guide",
)

_DRAWN = shutil.ignore_patterns("*.svg", "*.pdf")
LEFT_OUT = {"guide": shutil.ignore_patterns("*.png", "*.pdf", "*.py", "__pycache__")}
"""What stays behind of a folder; of most of them what other programs draw."""


def has_kicad() -> bool:
    """Whether kicad-cli 9 is there."""
    return _there(kicad.version)


def has_wireviz() -> bool:
    """Whether WireViz and Graphviz are there."""
    return _there(wireviz.version)


def _there(version: Callable[[], str]) -> bool:
    try:
        version()
    except ToolMissingError:
        return False
    return True


def copy(target: Path) -> Path:
    """The sources and generated files of the electronics, copied below `target`; their new folder."""
    root = target / "hardware"
    for name in SOURCES:
        source = HARDWARE / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=LEFT_OUT.get(name, _DRAWN))
        elif source.is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / name)
    return root
