"""`python -m hardware.make.release` packs what a builder orders, prints and reads into `dist/hardware.zip`.

The prints, the board's files and the sheets are in the repository, so any machine packs them. STEP files and the
guide's PDF are added where `make hardware` has made them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from hardware.make import kicad
from hardware.make.catalogue import HARDWARE
from hardware.make.tools import ToolMissingError

TARGET = HARDWARE.parent / "dist" / "hardware.zip"
INTERACTIVE = HARDWARE.parent / "build" / "interactive"
"""Where `make hardware-release` installs InteractiveHtmlBom."""
_SYSTEM_PYTHON = "/usr/bin/python3"  # Debian puts KiCad's module there
FOLDERS = {
    "prints": ("prints", "**/*.3mf"),
    "paper": ("guide", "*.pdf"),
    "board": ("board", "carrier*.*"),
    "lists": ("bom", "*.csv"),
    "drawings": ("schematic", "*.svg"),
}
"""Folder of the archive -> folder below `hardware/` and its files."""
OPTIONAL = {"solids": ("enclosure/parts", "*.step")}
"""The same for files that only the CAD tool makes."""


def files(root: Path = HARDWARE) -> Iterator[tuple[Path, str]]:
    """Yield each file and its name in the archive. Raises ValueError for a folder without files."""
    for name, (folder, pattern) in FOLDERS.items():
        found = sorted((root / folder).glob(pattern))
        if not found:
            raise ValueError(f"hardware/{folder} has no {pattern}; run `make hardware` first.")
        yield from ((path, f"{name}/{path.relative_to(root / folder).as_posix()}") for path in found)
    for name, (folder, pattern) in OPTIONAL.items():
        yield from ((path, f"{name}/{path.name}") for path in sorted((root / folder).glob(pattern)))


def write(target: Path = TARGET, root: Path = HARDWARE) -> Path:
    """Write the archive; return its path."""
    packed = list(files(root))
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in packed:
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)  # without the file's time
    return target


def interactive_list(target: Path) -> None:
    """Append the board's parts as a page on which a click shows the place. Raises CalledProcessError."""
    call = [_SYSTEM_PYTHON, "-m", "InteractiveHtmlBom.generate_interactive_bom", "--no-browser"]
    call += ["--dest-dir", str(INTERACTIVE), "--name-format", "carrier", str(HARDWARE / "board" / "carrier.kicad_pcb")]
    environment = {**os.environ, "INTERACTIVE_HTML_BOM_NO_DISPLAY": "1", "PYTHONPATH": str(INTERACTIVE)}
    subprocess.run(call, env=environment, capture_output=True, check=True)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.write(INTERACTIVE / "carrier.html", "board/carrier.html")


def panel(target: Path, root: Path = HARDWARE) -> None:
    """Append the panel and its Gerber files. Raises ToolMissingError, and ValueError if it breaks a design rule."""
    with tempfile.TemporaryDirectory() as folder:
        made = kicad.panel(root, Path(folder))
        if found := list(kicad.design_rules(made)):
            raise ValueError(f"panel: {found[0]}")
        with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.write(made, "board/panel.kicad_pcb")
            archive.writestr("board/panel-gerbers.zip", kicad.gerbers(made))


def solids(target: Path, root: Path = HARDWARE) -> None:
    """Append the board as 3D models, if KiCad's models of its parts are installed."""
    if not kicad.MODELS.is_dir():
        print("no 3D models of the board: install kicad-packages3d (330 MB, unpacked 4.7 GB)")
        return
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        for kind in ("step", "glb"):
            archive.writestr(f"board/carrier.{kind}", kicad.solid(root / "board" / "carrier.kicad_pcb", kind))


def main() -> int:
    """Run as a command; return 2 if something is not made yet."""
    try:
        print(target := write())
        panel(target)
        solids(target)
        interactive_list(target)
    except (ToolMissingError, ValueError, OSError, subprocess.CalledProcessError) as exc:
        print(exc, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
