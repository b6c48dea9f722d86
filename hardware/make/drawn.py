"""The drawings made by other programs, and whether the committed ones are up to date.

Another version of a program draws a little differently, so the version is recorded with the drawings, and only
drawings of the same version are compared byte for byte. The drawings' sources are always compared
(`checks.up_to_date`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from hardware.enclosure import parameters, threemf
from hardware.guide import paper
from hardware.make import board, kicad, wireviz

TOOLS: dict[str, ModuleType] = {"schematic": kicad, "wiring": wireviz}
"""Folder -> the tool that draws there."""


def write(root: Path) -> list[str]:
    """Draw everything; return the paths below `root`. Raises ToolMissingError."""
    written = []
    for folder, tool in TOOLS.items():
        files = {**dict(tool.drawings(root)), f"{folder}/drawn-by.txt": f"{tool.version()}\n".encode()}
        for path, content in files.items():
            (root / path).write_bytes(content)
            written.append(path)
    return written


def left_behind(root: Path) -> Iterator[str]:
    """Complain of files that the CAD tool and the guide's printer made from older sources.

    This needs neither of them.
    """
    yield from paper.complaints(root)
    yield from threemf.complaints(root)
    told = parameters.fingerprint(root / "enclosure" / parameters.FILE.name).encode()
    made = [root / "enclosure" / "parts.json"]
    made += sorted((root / "enclosure" / "drawings").glob("*.svg")) + sorted(
        (root / "guide" / "pictures").glob("*.png")
    )
    for path in made:
        if not path.is_file() or told not in path.read_bytes():
            yield f"hardware/{path.relative_to(root)} was made from other parameters; run `make hardware`."
    presets = root / "enclosure" / parameters.PRESETS.name
    if made[0].is_file() and parameters.fingerprint(presets).encode() not in made[0].read_bytes():
        yield "hardware/enclosure/presets was made from other presets; run `make hardware`."


def check(root: Path, *folders: str) -> Iterator[str]:
    """Complain of drawings that are missing or stale. `folders`: of these tools only. Raises ToolMissingError."""
    for folder, tool in ((name, TOOLS[name]) for name in folders or TOOLS):
        record = root / folder / "drawn-by.txt"
        same = record.is_file() and record.read_text(encoding="utf-8").strip() == tool.version()
        for path, content in tool.drawings(root):
            if not (root / path).is_file():
                yield f"hardware/{path} is missing; run `make hardware`."
            elif same and (root / path).read_bytes() != content:
                yield f"hardware/{path} is not what {tool.version()} draws now; run `make hardware`."
        if same and tool is kicad and board.read_poured(root) != kicad.pour(root):
            yield "hardware/board/carrier.kicad_pcb has not the copper that KiCad pours now; run `make hardware`."
