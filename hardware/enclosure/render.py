"""Pictures of solids in the style of ink drawings: flat light, inked outlines.

Theory of operation. Every triangle is drawn into three buffers (depth, part, direction of its face) by an
orthographic camera; a pixel is inked if its neighbour belongs to another part, is clearly deeper or faces
elsewhere. The picture is drawn at twice the size and shrunk. It needs no window system and no graphics card, so a
build machine can do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from hardware.enclosure.parameters import FINGERPRINT, fingerprint

INK = np.array([32, 36, 44])
PAPER = np.array([255, 255, 255])
FINE = 2
"""Drawn pixels per shown pixel, each way."""
TOLERANCE_MM = 0.08
ANGLE = 0.25

Colour = tuple[int, int, int]
Placed = tuple[Any, Colour]


def _camera(towards: Sequence[float]) -> Any:
    """A camera's rows: right, up, and towards the eye; it looks along -towards with z upwards."""
    eye = np.array(towards, float) / np.linalg.norm(towards)
    right = np.cross([0, 0, 1] if abs(eye[2]) < 0.99 else [0, 1, 0], eye)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(eye, right), eye])


def _triangles(solid: Any) -> Any:
    points, faces = solid.tessellate(TOLERANCE_MM, ANGLE)
    return np.array([tuple(point) for point in points])[np.array(faces)]


def picture(placed: Sequence[Placed], towards: Sequence[float], size: tuple[int, int]) -> Image.Image:
    """Return a picture of the solids in their colours, seen from `towards`, filling the size."""
    camera = _camera(towards)
    meshes = [_triangles(solid) @ camera.T for solid, _ in placed]
    wide, high = (side * FINE for side in size)
    every = np.concatenate([mesh.reshape(-1, 3) for mesh in meshes])
    low, top = every.min(0), every.max(0)
    scale = min((wide - 24 * FINE) / (top[0] - low[0]), (high - 24 * FINE) / (top[1] - low[1]))
    middle = (low + top) / 2
    depth = np.full((high, wide), -np.inf)
    part = np.full((high, wide), -1)
    facing = np.zeros((high, wide, 3))
    for number, mesh in enumerate(meshes):
        flat = mesh.copy()
        flat[..., 0] = wide / 2 + (mesh[..., 0] - middle[0]) * scale
        flat[..., 1] = high / 2 - (mesh[..., 1] - middle[1]) * scale
        normals = np.cross(mesh[:, 1] - mesh[:, 0], mesh[:, 2] - mesh[:, 0])
        for corners, normal in zip(flat, normals, strict=True):
            if normal[2] > 0:
                _fill(corners, normal / np.linalg.norm(normal), number, depth, part, facing)
    return _paint(depth, part, facing, [colour for _, colour in placed], scale, size)


def _fill(corners: Any, normal: Any, number: int, depth: Any, part: Any, facing: Any) -> None:
    """Draw one triangle into the buffers where it is nearest."""
    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = corners
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if abs(area) < 1e-9:
        return
    left, right = max(int(min(x0, x1, x2)), 0), min(int(max(x0, x1, x2)) + 2, depth.shape[1])
    upper, lower = max(int(min(y0, y1, y2)), 0), min(int(max(y0, y1, y2)) + 2, depth.shape[0])
    ys, xs = np.mgrid[upper:lower, left:right] + 0.5
    b = ((xs - x0) * (y2 - y0) - (x2 - x0) * (ys - y0)) / area
    c = ((x1 - x0) * (ys - y0) - (xs - x0) * (y1 - y0)) / area
    z = z0 + b * (z1 - z0) + c * (z2 - z0)
    window = (slice(upper, lower), slice(left, right))
    nearer = (b >= -1e-6) & (c >= -1e-6) & (b + c <= 1 + 1e-6) & (z > depth[window])
    depth[window][nearer] = z[nearer]
    part[window][nearer] = number
    facing[window][nearer] = normal


def _paint(
    depth: Any, part: Any, facing: Any, colours: Sequence[Colour], scale: float, size: tuple[int, int]
) -> Image.Image:
    light = np.clip(facing @ np.array([0.25, 0.45, 0.85]), 0, 1)[..., None]
    paint = np.concatenate([np.array(colours, float), PAPER[None]])[part]
    image = np.where((part >= 0)[..., None], paint * (0.62 + 0.38 * light), paint)
    ink = np.zeros(part.shape, bool)
    finite = np.where(np.isfinite(depth), depth, -1e6)
    for axis in (0, 1):
        nxt = [np.roll(buffer, -1, axis) for buffer in (finite, part, facing)]
        bend = (facing * nxt[2]).sum(-1) < 0.86
        flat = np.abs(facing[..., 2]) > 0.25
        steep = np.sqrt(1 - facing[..., 2] ** 2) / np.maximum(facing[..., 2], 0.2) / scale
        jump = (np.abs(finite - nxt[0]) > 0.5 + 2 * steep) & flat
        edge = (part != nxt[1]) | ((bend | jump) & (part >= 0))
        ink |= edge | np.roll(edge, 1, axis)
    image[ink] = INK
    return Image.fromarray(image.round().astype(np.uint8)).resize(size, Image.Resampling.LANCZOS)


def save(image: Image.Image, path: Path) -> None:
    """Save a small PNG (an inked picture has few colours) with the parameters' fingerprint."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told = PngInfo()
    told.add_text(FINGERPRINT, fingerprint())
    image.quantize(200, dither=Image.Dither.NONE).save(path, optimize=True, pnginfo=told)
