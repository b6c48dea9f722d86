"""Shapes shared by console and station: boxes, cylinders, the keystone jack's place."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from build123d import Align, Box, Cylinder, Part, Pos, Rot

from hardware.enclosure.parameters import ParameterError

LOW = Align.MIN
MID = Align.CENTER


def together(solids: Iterable[Any]) -> Any:
    """All of the solids as one."""
    return Part() + list(solids)


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> Any:
    """A box from its lowest to its highest corner.

    Raises ParameterError if a side is not positive.
    """
    size = [b - a for a, b in zip(low, high, strict=True)]
    if min(size) <= 0:
        raise ParameterError(f"no room between {low} and {high}: these dimensions exclude each other")
    return Pos(*low) * Box(*size, align=(LOW, LOW, LOW))


def upright(x: float, y: float, low: float, high: float, across: float) -> Any:
    """A vertical cylinder."""
    return Pos(x, y, low) * Cylinder(across / 2, high - low, align=(MID, MID, LOW))


def lying_y(x: float, z: float, low: float, high: float, across: float) -> Any:
    """A cylinder along y."""
    return Pos(x, low, z) * Rot(-90, 0, 0) * Cylinder(across / 2, high - low, align=(MID, MID, LOW))


def lying_x(y: float, z: float, low: float, high: float, across: float) -> Any:
    """A cylinder along x."""
    return Pos(low, y, z) * Rot(0, 90, 0) * Cylinder(across / 2, high - low, align=(MID, MID, LOW))


def round_block(low: tuple[float, float, float], high: tuple[float, float, float], corner: float) -> Any:
    """A box with round vertical edges."""
    from build123d import Axis, fillet

    made = block(low, high)
    return fillet(made.edges().filter_by(Axis.Z), corner)


def keystone_wall_mm(k: SimpleNamespace) -> float:
    """The thickness of a wall that holds a keystone jack."""
    return float(k.pocket_deep_mm + k.web_mm)


def keystone_hole(k: SimpleNamespace, x: float, rear: float, up: float) -> Any:
    """The hole for a jack, inserted from outside (from +y) into a wall with outer face y = rear.

    `up`: the pocket's lower edge. The pocket takes latch and lug, which hold on to the lower web behind it.
    """
    half = (k.width_mm + k.slack_mm) / 2
    inner = rear - keystone_wall_mm(k)
    pocket = block((x - half, rear - k.pocket_deep_mm, up), (x + half, rear + 1, up + k.pocket_mm + k.slack_mm))
    opening = block((x - half, inner - 1, up + k.lug_mm), (x + half, rear, up + k.lug_mm + k.opening_mm + k.slack_mm))
    return pocket + opening


def keystone_jack(k: SimpleNamespace, x: float, rear: float, up: float) -> Any:
    """The jack itself, in its place."""
    low, half = up + k.lug_mm + k.slack_mm / 2, k.width_mm / 2
    web = rear - k.pocket_deep_mm
    front = block((x - half, web, low - k.lug_mm), (x + half, rear + k.proud_mm, low + k.pocket_mm - k.lug_mm))
    through = block((x - half, web - k.web_mm, low), (x + half, web, low + k.opening_mm))
    end = rear + k.proud_mm - k.body_mm[1]
    body = block((x - k.lugs_mm / 2, end, low), (x + k.lugs_mm / 2, web - k.web_mm - 0.3, low + k.body_mm[0]))
    neck = block((x - half, web - k.web_mm - 0.3, low), (x + half, web - k.web_mm, low + k.opening_mm))
    return front + through + neck + body
