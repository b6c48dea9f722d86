"""Binary STL read back with the standard library: size, volume, and whether the skin is closed.

Corners are compared to the micrometre: neighbouring faces compute the same corner with different last digits.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

Corner = tuple[float, float, float]


@dataclass(frozen=True)
class Skin:
    """A mesh: its box's edges in mm, its volume in mm³, and its edges without an opposite partner."""

    box_mm: tuple[float, float, float]
    volume_mm3: float
    open_edges: int


def read(path: Path) -> Skin:
    """Read the mesh of a binary STL file. Raises ValueError for an invalid file."""
    return skin(triangles(path))


def skin(faces: Iterable[tuple[Corner, Corner, Corner]]) -> Skin:
    """Measure a mesh by its triangles."""
    edges: Counter[tuple[Corner, Corner]] = Counter()
    corners: set[Corner] = set()
    six_volumes = 0.0
    for a, b, c in faces:
        corners.update((a, b, c))
        edges.update(((a, b), (b, c), (c, a)))
        six_volumes += _triple(a, b, c)
    unmatched = sum(abs(count - edges[b, a]) for (a, b), count in edges.items())
    spans = [max(axis) - min(axis) for axis in zip(*corners, strict=True)]
    return Skin((spans[0], spans[1], spans[2]), six_volumes / 6, unmatched)


def triangles(path: Path) -> Iterator[tuple[Corner, Corner, Corner]]:
    """Yield the triangles of a binary STL file. Raises ValueError for an invalid file."""
    data = path.read_bytes()
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if not count or len(data) != 84 + 50 * count:
        raise ValueError(f"{path.name} is no binary STL file")
    for at in range(84, len(data), 50):
        v = tuple(round(x, 3) for x in struct.unpack_from("<9f", data, at + 12))
        a, b, c = v[0:3], v[3:6], v[6:9]
        if a != b != c != a:  # a triangle that rounding has flattened to a line has no skin
            yield a, b, c


def _triple(a: Corner, b: Corner, c: Corner) -> float:
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
