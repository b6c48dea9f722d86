"""The printed parts as files: STL and 3MF to print, STEP to change, and a manifest."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from build123d import Mesher, export_step, export_stl

from hardware.enclosure.assembly import prints, station_prints
from hardware.enclosure.parameters import HERE, PRESETS, fingerprint, load, presets

PARTS = HERE / "parts"
PRESET_PARTS = HERE / "presets"
"""A folder per preset: its stations' parts."""
MANIFEST = HERE / "parts.json"
TOLERANCE_MM = 0.03
ANGLE = 0.25


def write(p: SimpleNamespace) -> list[Path]:
    """Write every part in three formats, the presets' stations, then the manifest."""
    PARTS.mkdir(exist_ok=True)
    solids = prints(p)
    for old in PARTS.iterdir():
        if old.stem not in solids or (old.suffix == ".step" and not has_step(old.stem)):
            old.unlink()
    for name, solid in solids.items():
        _one(name, solid)
    told: dict[str, Any] = {
        "fingerprint": fingerprint(),
        "presets_fingerprint": fingerprint(PRESETS),
        "parts": {name: describe(solid) for name, solid in solids.items()},
        "presets": {},
    }
    written = sorted(PARTS.iterdir())
    for preset in presets():
        its = load((), preset)
        written += write_station(its, PRESET_PARTS / preset)
        told["presets"][preset] = {name: describe(solid) for name, solid in station_prints(its).items()}
    MANIFEST.write_text(f"{json.dumps(told, indent=1)}\n", encoding="utf-8")
    return written


def write_station(p: SimpleNamespace, folder: Path) -> list[Path]:
    """Write only the stations' parts, of any preset, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, solid in station_prints(p).items():
        _one(name, solid, folder)
    return sorted(folder.iterdir())


def _one(name: str, solid: Any, folder: Path = PARTS) -> None:
    """Write a part's files.

    STEP and 3MF contain dates and random names: they are kept if the mesh is the same.
    """
    mesh = folder / f"{name}.stl"
    others = [folder / f"{name}.3mf", *([folder / f"{name}.step"] if has_step(name) else [])]
    before = mesh.read_bytes() if mesh.exists() and all(path.exists() for path in others) else None
    export_stl(solid, str(mesh), tolerance=TOLERANCE_MM, angular_tolerance=ANGLE)
    if mesh.read_bytes() == before:
        return
    if has_step(name):
        export_step(solid, str(folder / f"{name}.step"))
    mesher = Mesher()
    mesher.add_shape(solid, linear_deflection=TOLERANCE_MM, angular_deflection=ANGLE)
    mesher.write(str(folder / f"{name}.3mf"))


def has_step(name: str) -> bool:
    """Whether the part has a STEP file; rings differ only in their number, so one is enough."""
    return not name.startswith("guard-ring-") or name.endswith("-1")


def describe(solid: Any) -> dict[str, Any]:
    """The data to compare a later build with: edges of the bounding box in mm and the volume in mm³."""
    size = solid.bounding_box().size
    return {"box_mm": [round(float(side), 2) for side in (size.X, size.Y, size.Z)], "volume_mm3": round(solid.volume)}
