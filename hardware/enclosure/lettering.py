"""A stroke font of the few engraved signs: no font file, the same on every machine."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, degrees, hypot
from typing import Any

from build123d import Align, Box, Cylinder, Pos, Rot

from hardware.enclosure.shapes import together

WIDE, HIGH = 4.0, 6.0
"""The grid on which the signs are drawn."""
GAP = 2.0
# Each sign: strokes, each a string of points "xy" on the grid.
SIGNS: dict[str, tuple[str, ...]] = {
    "1": ("14 26 20", "10 30"),
    "2": ("05 16 36 45 44 00 40",),
    "3": ("05 16 36 45 44 33 13", "33 42 41 30 10 01"),
    "4": ("30 36 02 42",),
    "5": ("46 06 03 33 42 41 30 10 01",),
    "6": ("45 36 16 05 01 10 30 41 42 33 13 02",),
    "7": ("06 46 10",),
    "8": ("13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33",),
    "N": ("00 06 40 46",),
    "O": ("10 01 05 16 36 45 41 30 10",),
    "T": ("06 46", "26 20"),
    "E": ("46 06 00 40", "03 33"),
    "W": ("06 10 24 30 46",),
    "R": ("00 06 36 45 44 33 03", "33 40"),
    "K": ("00 06", "46 03", "14 40"),
    " ": (),
}


def lettering(text: str, height: float, deep: float, stroke: float) -> Any:
    """The text as a solid over z = 0..deep, centred in x and y, `height` tall with its strokes."""
    scale = (height - stroke) / HIGH
    width = (len(text) * WIDE + (len(text) - 1) * GAP) * scale
    solids = []
    for place, sign in enumerate(text):
        left = place * (WIDE + GAP) * scale - width / 2
        for line in SIGNS[sign]:
            points = [(left + int(p[0]) * scale, (int(p[1]) - HIGH / 2) * scale) for p in line.split()]
            solids += [_end(point, deep, stroke) for point in points]
            solids += [_bar(a, b, deep, stroke) for a, b in pairwise(points)]
    return together(solids)


def _end(at: tuple[float, float], deep: float, stroke: float) -> Any:
    return Pos(*at, 0) * Cylinder(stroke / 2, deep, align=(Align.CENTER, Align.CENTER, Align.MIN))


def _bar(a: tuple[float, float], b: tuple[float, float], deep: float, stroke: float) -> Any:
    dx, dy = b[0] - a[0], b[1] - a[1]
    turned = Pos(*a, 0) * Rot(0, 0, degrees(atan2(dy, dx)))
    return turned * Box(hypot(dx, dy), stroke, deep, align=(Align.MIN, Align.CENTER, Align.MIN))
