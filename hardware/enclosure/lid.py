"""The console's lid: a sloping sheet with a skirt that carries the knob and the hood.

Theory of operation. It is cut from an upright block by the sloping plane, so its skirt is vertical and slides over
the tray's walls. It reaches down outside them and projects over the sockets; spilled liquid runs off the slope
towards the players and drips from the skirt.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from build123d import Cylinder, Pos

from hardware.enclosure import hood
from hardware.enclosure.console import FAR, above, lid_upright, on_lid, screw_hole, skirt_screws, under_mm
from hardware.enclosure.shapes import LOW, MID, lying_x, round_block, together


def lid(p: SimpleNamespace) -> Any:
    """The lid with its skirt and eave, the knob's hole and the hood's openings."""
    c, wall, slack = p.console, p.print.wall_mm, p.print.clearance_mm
    out = wall + slack
    low, high = -FAR / 8, FAR / 4
    sheet = round_block((-out, -out, low), (c.width_mm + out, c.depth_mm + c.eave_mm, high), c.corner_mm + out)
    sheet = (sheet & above(p, lid_upright(p))) - above(p, 0)
    ring = round_block((-out, -out, low), (c.width_mm + out, c.depth_mm + out, high), c.corner_mm + out) - round_block(
        (-slack, -slack, low - 1), (c.width_mm + slack, c.depth_mm + slack, high + 1), c.corner_mm + slack
    )
    ring = (ring & above(p, lid_upright(p) + c.skirt_mm)) - above(p, lid_upright(p) / 2)
    return sheet + ring - _holes(p)


def _holes(p: SimpleNamespace) -> Any:
    c = p.console
    knob = Pos(0, 0, -c.lid_mm - 1) * Cylinder(p.encoder.hole_mm / 2, 9, align=(MID, MID, LOW))
    holes = [on_lid(p, p.encoder.at_mm) * knob, hood.lid_holes(p), _groove(p)]
    holes += [screw_hole(p, w, a, z, -1, 5, p.print.m3_hole_mm) for w, a, z in skirt_screws(p)]
    return together(holes)


def _groove(p: SimpleNamespace) -> Any:
    """The drip edge: a groove along the eave's underside that water does not cross."""
    y = p.console.depth_mm + p.console.eave_mm - 3.5
    z = under_mm(p, y)
    return lying_x(y, z, -2, p.console.width_mm + 2, 2 * p.console.groove_mm)
