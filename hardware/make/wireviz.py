"""The wiring drawings by WireViz and Graphviz (`make hardware-tools`)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hardware.make.catalogue import HARDWARE
from hardware.make.tools import ToolMissingError

NAMES = ("console-full8", "console-direct4", "station", "pod")
_OURS = HARDWARE.parent / ".venv-hardware" / "bin" / "wireviz"
_LONG = 120


def version() -> str:
    """WireViz's and Graphviz's versions. Raises ToolMissingError."""
    if shutil.which("dot") is None:
        raise ToolMissingError("Graphviz is not installed; `make hardware-tools` installs it on Debian.")
    dot = subprocess.run(["dot", "-V"], capture_output=True, text=True, timeout=_LONG, check=True).stderr
    ours = subprocess.run([_program(), "--version"], capture_output=True, text=True, timeout=_LONG, check=True).stdout
    return f"{ours.strip()}, {dot.strip()}"


def drawings(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each drawing."""
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            source = root / "wiring" / f"{name}.yml"
            call = [_program(), "-f", "s", "-o", folder, "-O", name, str(source)]
            subprocess.run(call, capture_output=True, timeout=_LONG, check=True)
            yield f"wiring/{name}.svg", (Path(folder) / f"{name}.svg").read_bytes()


def _program() -> str:
    if _OURS.is_file():
        return str(_OURS)
    raise ToolMissingError("WireViz is not installed; `make hardware-check` installs it into .venv-hardware.")
