"""The clamp under the console's rear: it holds the table's edge by an M6 bolt from below."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from build123d import Pos, RegularPolygon, extrude

from hardware.enclosure.console import clamp_screws
from hardware.enclosure.shapes import block, together, upright


def bolt_place(p: SimpleNamespace) -> tuple[float, float]:
    """The x and y of the bolt."""
    return p.clamp.at_mm, p.console.depth_mm - p.clamp.reach_mm / 2


def bracket(p: SimpleNamespace) -> Any:
    """The bracket in its place under the tray.

    Its flange is at z = -4..0, the spine behind the table's edge, the arm below.
    """
    c = p.clamp
    left, right = c.at_mm - c.width_mm / 2, c.at_mm + c.width_mm / 2
    rear = p.console.depth_mm + c.spine_mm
    low = -c.flange_mm - c.table_mm - c.arm_mm
    profile = [
        block((left, p.console.depth_mm - c.reach_mm, -c.flange_mm), (right, rear, 0)),
        block((left, p.console.depth_mm, low), (right, rear, 0)),
        block((left, p.console.depth_mm - c.reach_mm, low), (right, rear, low + c.arm_mm)),
    ]
    x, y = bolt_place(p)
    nut = Pos(x, y, low + c.arm_mm - c.nut_deep_mm) * extrude(
        RegularPolygon(c.nut_mm / 2, 6, major_radius=False), c.nut_deep_mm + 1
    )
    holes = [upright(x, y, low - 1, low + c.arm_mm + 1, c.bolt_mm), nut]
    holes += [upright(*at, -c.flange_mm - 1, 1, p.print.insert_hole_mm) for at in clamp_screws(p)]
    return together(profile) - together(holes)
