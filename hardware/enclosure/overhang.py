"""Checks that a print needs no support: its overhangs are steep, short, or bridges.

Theory of operation. The mesh gives the faces that look down and their steepness. Faces flatter than 45 degrees are
sampled. From a sample, the material over the face is followed in eight directions until there is material below it,
too; there the way ends. If that happens in both senses of one direction, the filament is a bridge, and its length
is the distance between the ends. If it happens in one sense only, it is a tongue in the air, and only a short one
holds. The way is followed through the part as cubes (`cubes`), each full or empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians
from typing import Any

import numpy as np

STEEP_DEG = 45.0
"""Angle from the vertical that FDM printers print without support (a common rule of thumb)."""
ROUNDING_DEG = 1.0
EDGE_MM = 0.4
"""The side of a cube: a line's width."""
BED_MM = 0.3
"""Height below which material counts as on the bed: the first layer."""
TONGUE_MM = 2.0
"""Maximum length of a tongue: five lines in the air, held at one side; they sag a little and stay (?)."""
BRIDGE_MM = 20.0
"""Maximum length of a bridge that PETG makes with a fan, sagging a little (?)."""
FALL = 2
"""Depth in cubes, 0.8 mm, at which material below a face supports it. With the allowed tongue, a slope passes up to 68
degrees; a greater depth would take the round tops of small holes for tongues.
"""
LONGEST_MM = 80.0


@dataclass(frozen=True)
class Hanging:
    """The overhangs of a print: the longest bridge, and the longest tongue with its place (x, y, z)."""

    bridge_mm: float
    tongue_mm: float
    where: tuple[float, float, float]


def triangles(solid: Any) -> Any:
    """The solid's mesh as an array of triangles, their corners counter-clockwise seen from outside."""
    points, faces = solid.tessellate(0.08, 0.3)
    return np.array([tuple(point) for point in points])[np.array(faces)]


def hanging(mesh: Any) -> Hanging:
    """The overhangs of a mesh whose lowest point is at z = 0."""
    low = mesh.reshape(-1, 3).min(0)
    full = cubes(mesh, low)
    at, spot = _under(full, _samples(mesh), low)
    if not len(at):
        return Hanging(0.0, 0.0, (0.0, 0.0, 0.0))
    bridge = np.full(len(at), np.inf)
    tongue = np.full(len(at), np.inf)
    for x, y in ((1, 0), (0, 1), (1, 1), (1, -1)):
        one, other = (_way(full, spot, side * x, side * y) for side in (1, -1))
        bridge = np.minimum(bridge, one + other)
        tongue = np.minimum(tongue, np.minimum(one, other))
    spanned = np.isfinite(bridge) & (tongue > TONGUE_MM)
    loose = np.where(np.isfinite(bridge), 0.0, np.where(np.isfinite(tongue), tongue, LONGEST_MM))
    worst = int(np.argmax(loose))
    left, front, up = (round(float(v), 1) for v in at[worst])
    return Hanging(float(bridge[spanned].max(initial=0.0)), float(loose[worst]), (left, front, up))


def cubes(mesh: Any, low: Any) -> Any:
    """The mesh as cubes, [z][y][x], two empty ones before the first and after the last each way.

    A line upwards through a cube's middle enters the part at a face that looks down and leaves it at one that looks
    up.
    """
    # No corner of a part is in the middle of a cube: lines through corners and edges are counted twice.
    shift = np.array([0.137, 0.211, 0.0]) * EDGE_MM
    scaled = (mesh - low + shift) / EDGE_MM + 2
    wide, deep, high = np.ceil(scaled.reshape(-1, 3).max(0)).astype(int) + 3
    count = np.zeros((high + 1, deep, wide), np.int16)
    for a, b, c in scaled:
        twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if abs(twice) < 1e-12:
            continue
        x0, x1 = int(np.ceil(min(a[0], b[0], c[0]) - 0.5)), int(np.floor(max(a[0], b[0], c[0]) - 0.5))
        y0, y1 = int(np.ceil(min(a[1], b[1], c[1]) - 0.5)), int(np.floor(max(a[1], b[1], c[1]) - 0.5))
        if x1 < x0 or y1 < y0:
            continue
        ys, xs = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
        v = ((xs + 0.5 - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (ys + 0.5 - a[1])) / twice
        w = ((b[0] - a[0]) * (ys + 0.5 - a[1]) - (xs + 0.5 - a[0]) * (b[1] - a[1])) / twice
        hit = (v >= 0) & (w >= 0) & (v + w <= 1)
        z = a[2] + v * (b[2] - a[2]) + w * (c[2] - a[2])
        np.add.at(count, (np.ceil(z[hit] - 0.5).astype(int), ys[hit], xs[hit]), -1 if twice > 0 else 1)
    return count.cumsum(0, dtype=np.int16)[:-1] > 0


def _samples(mesh: Any) -> Any:
    """Points on the faces that look down, are flatter than 45 degrees and are not on the bed."""
    normals = np.cross(mesh[:, 1] - mesh[:, 0], mesh[:, 2] - mesh[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    flat = normals[:, 2] < -lengths * cos(radians(90 - STEEP_DEG - ROUNDING_DEG))
    flat &= (mesh[:, :, 2].mean(1) > BED_MM) & (lengths > 1e-9)
    found = []
    for a, b, c in mesh[flat]:
        number = int(np.ceil(max(np.linalg.norm(b - a), np.linalg.norm(c - a), np.linalg.norm(c - b)) / (2 * EDGE_MM)))
        middles: Any = (np.arange(number) + 0.5) / number
        grid: Any = np.meshgrid(middles, middles)
        v, w = grid
        inside = v + w < 1
        found.append(a + v[inside][:, None] * (b - a) + w[inside][:, None] * (c - a))
    return np.concatenate(found) if found else np.zeros((0, 3))


def _under(full: Any, at: Any, low: Any) -> tuple[Any, Any]:
    """The samples with their cubes [x, y, z], full and over the face; at an edge, a neighbour's."""
    cube = np.floor((at - low) / EDGE_MM).astype(int) + 2
    cube[:, 2] = np.round((at[:, 2] - low[2]) / EDGE_MM).astype(int) + 2
    found: Any = np.zeros(len(at), bool)
    out = cube.copy()
    for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        x, y, z = cube[:, 0] + dx, cube[:, 1] + dy, cube[:, 2]
        new = ~found & full[z, y, x]
        out[new] = np.stack([x, y, z], axis=1)[new]
        found |= new
    return at[found], out[found]


def _way(full: Any, spot: Any, dx: int, dy: int) -> Any:
    """For each sample, the distance in that direction until there is material below; inf: none."""
    over = spot[:, 2]
    under = np.maximum(over - FALL, 2)
    step = EDGE_MM * (dx * dx + dy * dy) ** 0.5
    out = np.full(len(spot), np.inf)
    open_: Any = np.ones(len(spot), bool)
    x, y = spot[:, 0].copy(), spot[:, 1].copy()
    for number in range(int(LONGEST_MM / step)):
        inside = (x >= 0) & (x < full.shape[2]) & (y >= 0) & (y < full.shape[1])
        open_ &= inside
        open_[open_] = full[over[open_], y[open_], x[open_]]
        landed = open_.copy()
        landed[landed] = full[under[landed], y[landed], x[landed]]
        out[landed] = number * step
        open_ &= ~landed
        if not open_.any():
            break
        x, y = x + dx, y + dy
    return out
