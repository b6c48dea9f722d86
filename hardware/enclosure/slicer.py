"""A slicer's figures of each print with the guide's settings: filament, time, supports.

PrusaSlicer (Debian has it) runs again with supports switched on: the support that it would print is a second
measure of overhangs, independent of ours (overhang.py).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

SLICER = "prusa-slicer"
PETG_G_CM3 = 1.27
HANGS_DEG = 30
"""Angle in degrees from the horizontal above which a face carries itself."""
WANTED = {
    "layer-height": r"([\d.]+) mm layers",
    "nozzle-diameter": r"nozzle ([\d.]+) mm",
    "perimeters": r"(\d+) walls",
    "top-solid-layers": r"(\d+) layers top and bottom",
    "fill-density": r"(\d+) % infill",
}
"""The slicer's name of a setting, and its pattern in the guide."""


@dataclass(frozen=True)
class Sliced:
    """A print: grams of PETG, hours, and the share of supports in all laid material, 0 to 1."""

    grams: float
    hours: float
    propped: float


def is_here() -> bool:
    """Whether the slicer is installed (`make hardware-tools`)."""
    return shutil.which(SLICER) is not None


def settings(guide: str) -> dict[str, str]:
    """Read the slicer's settings from the guide. Raises ValueError for a missing one."""
    found = {}
    for name, words in WANTED.items():
        match = re.search(words, " ".join(guide.split()))
        if match is None:
            raise ValueError(f"the guide does not say the print's {name}: {words}")
        found[name] = match[1] + ("%" if name == "fill-density" else "")
    return found | {"bottom-solid-layers": found["top-solid-layers"], "first-layer-height": found["layer-height"]}


def slice_print(stl: Path, wanted: dict[str, str], bed_mm: float) -> Sliced:
    """Slice that print on a bed of that width.

    Raises ValueError with the slicer's last words if it fails.
    """
    with tempfile.TemporaryDirectory() as name:
        plain = _run(stl, wanted, bed_mm, Path(name) / "plain.gcode")
        propped = _run(
            stl, wanted | {"support-material-threshold": str(HANGS_DEG)}, bed_mm, Path(name) / "propped.gcode",
            "--support-material",
        )  # fmt: skip
    time = re.search(r"printing time \(normal mode\) = (?:(\d+)d )?(?:(\d+)h )?(?:(\d+)m )?", plain)
    assert time is not None
    days, hours, minutes = (int(part or 0) for part in time.groups())
    return Sliced(_grams(plain), days * 24 + hours + minutes / 60, _support_share(propped))


def _run(stl: Path, wanted: dict[str, str], bed_mm: float, to: Path, *more: str) -> str:
    words = [f"--{name}={value}" for name, value in wanted.items()]
    bed = f"0x0,{bed_mm:g}x0,{bed_mm:g}x{bed_mm:g},0x{bed_mm:g}"
    command = [SLICER, "--export-gcode", *words, *more, f"--filament-density={PETG_G_CM3}", f"--bed-shape={bed}",
               f"--center={bed_mm / 2:g},{bed_mm / 2:g}", "--gcode-comments", f"--output={to}", str(stl)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode or not to.is_file():
        raise ValueError(f"{stl.name}: {(done.stderr or done.stdout).strip()[-200:]}")
    return to.read_text(encoding="utf-8")


def _grams(gcode: str) -> float:
    found = re.search(r"; total filament used \[g\] = ([\d.]+)", gcode)
    assert found is not None
    return float(found[1])


def _support_share(gcode: str) -> float:
    """The share of support in the filament laid while the head moves.

    The slicer counts up, from 0 after G92.
    """
    kind, last, laid, props = "", 0.0, 0.0, 0.0
    for line in gcode.splitlines():
        if line.startswith(";TYPE:"):
            kind = line[6:]
        elif line.startswith("G92 E0"):
            last = 0.0
        elif line.startswith("G1 ") and (at := re.search(r" E(-?[\d.]+)", line)):
            step, last = float(at[1]) - last, float(at[1])
            if " X" in line and step > 0:
                laid += step
                props += step if kind.startswith("Support") else 0.0
    return props / laid
