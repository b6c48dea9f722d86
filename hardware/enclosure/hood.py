"""The display's hood: a wedge on the lid that tilts the display for eyes across the table.

Theory of operation. The face is at `display.tilt_deg` to the table, the rear wall at a right angle to it: so it
prints on its face without support, and a screwdriver reaches the display's screws from the open underside. Four
blocks at both sides of the display, from the lid to face or rear wall, take the screws that come from below through
the lid.
"""

from __future__ import annotations

from math import cos, radians, sin, tan
from types import SimpleNamespace
from typing import Any

from build123d import Axis, Box, Location, Plane, Polygon, Pos, Rectangle, Rot, chamfer, extrude

from hardware.enclosure.console import Point, on_lid
from hardware.enclosure.shapes import LOW, MID, block, together, upright


def lean(p: SimpleNamespace) -> float:
    """The angle between the face and the lid, radians."""
    return radians(p.display.tilt_deg - p.console.slope_deg)


def foot(p: SimpleNamespace) -> Location:
    """The hood's frame: x and y in the lid's upper face, origin in the middle of its front edge."""
    return on_lid(p, p.display.at_mm)


def face(p: SimpleNamespace) -> Location:
    """The frame of the face: z out of it towards the eye, the origin in the middle of the window."""
    return foot(p) * Rot(p.display.tilt_deg - p.console.slope_deg, 0, 0) * Pos(0, p.hood.window_up_mm, 0)


def deep_mm(p: SimpleNamespace) -> float:
    """The length from its front to its rear edge, on the lid."""
    return float(p.hood.face_up_mm / cos(lean(p)))


def screws(p: SimpleNamespace) -> list[Point]:
    """The places of the four screws through the lid, in the hood's frame."""
    x = p.hood.width_mm / 2 - p.print.wall_mm - p.hood.block_mm / 2
    return [(side * x, y) for side in (-1, 1) for y in p.hood.screw_mm]


def window_mm(p: SimpleNamespace) -> Point:
    """The window's size at the pane."""
    wide, high = (side + 2 * p.display.window_margin_mm for side in p.display.active_mm)
    return wide, high


def pane_size_mm(p: SimpleNamespace) -> Point:
    """The acrylic pane's size."""
    wide, high = (side + 2 * p.display.pane_rim_mm for side in window_mm(p))
    return wide, high


def board_top_mm(p: SimpleNamespace) -> float:
    """The display board's z in the face's frame (negative)."""
    d = p.display
    return float(-p.hood.face_mm - (d.pane_mm - d.pane_seat_mm) - d.below_pane_mm - d.glass_thick_mm)


def hood(p: SimpleNamespace) -> Any:
    """The hood in its place, with its window and the display's posts."""
    h, wall = p.hood, p.print.wall_mm
    outer = chamfer(_face_edges(_wedge(p, 0, 0, h.width_mm, 0)), h.edge_mm)
    inner = _wedge(p, h.face_mm, wall, h.width_mm - 2 * wall, 1)
    half, room = h.width_mm / 2, h.block_mm / 2
    blocks = [
        block((min(x - room, side * half), y - room, 0), (max(x + room, side * half), y + room, 99))
        for x, y in screws(p)
        for side in (1 if x > 0 else -1,)
    ]
    made = outer - inner + (together(blocks) & outer)
    made -= together([upright(x, y, -1, h.pilot_deep_mm, p.print.pilot_m3_mm) for x, y in screws(p)])
    made = foot(p) * made + [face(p) * post for post in _display_posts(p)]
    return made - face(p) * _face_holes(p)


def _wedge(p: SimpleNamespace, below_face: float, before_rear: float, wide: float, down: float) -> Any:
    """The wedge between face, rear wall and lid.

    Its two faces are moved inwards, its underside is `down` below the lid.
    """
    angle = lean(p)
    up = p.hood.face_up_mm - before_rear
    apex = (up * cos(angle) + below_face * sin(angle), up * sin(angle) - below_face * cos(angle))
    front = apex[0] - (apex[1] + down) / tan(angle)
    rear = apex[0] + (apex[1] + down) * tan(angle)
    profile = Plane.YZ * Polygon((front, -down), (rear, -down), apex, align=None)
    return Pos(-wide / 2, 0, 0) * extrude(profile, amount=wide, dir=(1, 0, 0))


def _face_edges(solid: Any) -> Any:
    """The edges round the face except the front one: the two sides' and the upper one."""
    upper = solid.edges().sort_by(Axis.Z)[-1]
    return [upper, *(e for e in solid.edges() if (e @ 0).Z != (e @ 1).Z and min((e @ 0).Y, (e @ 1).Y) < 0.01)]


def _board_holes(p: SimpleNamespace) -> list[Point]:
    half_x, half_y = (side / 2 for side in p.display.hole_mm)
    return [(x, y - p.display.active_up_mm) for x in (-half_x, half_x) for y in (-half_y, half_y)]


def _display_posts(p: SimpleNamespace) -> list[Any]:
    return [upright(x, y, board_top_mm(p), -p.hood.face_mm / 2, 5.0) for x, y in _board_holes(p)]


def _face_holes(p: SimpleNamespace) -> Any:
    """Window, the pane's seat and the holes of the display's screws, in the face's frame."""
    d, thick, slack = p.display, p.hood.face_mm, p.print.clearance_mm
    thin = thick - d.pane_seat_mm
    seat = [side + slack for side in pane_size_mm(p)]
    pilot = p.print.pilot_m25_mm
    return together(
        [
            Pos(0, 0, -thin - 0.01) * extrude(Rectangle(*window_mm(p)), thin + 0.02, taper=-45),
            Pos(0, 0, -thick - 1) * Box(*seat, 1 + d.pane_seat_mm, align=(MID, MID, LOW)),
            *(upright(x, y, board_top_mm(p) - 1, -1.2, pilot) for x, y in _board_holes(p)),
        ]
    )


def lid_holes(p: SimpleNamespace) -> Any:
    """The lid's openings under the hood: for the display's lower edge, its lead, four screws."""
    thick, half = p.console.lid_mm, p.hood.width_mm / 2 - p.print.wall_mm - p.hood.block_mm - p.print.clearance_mm
    front, rear = p.hood.opening_mm
    opening = block((-half, front, -thick - 1), (half, rear, 1))
    holes = [upright(x, y, -thick - 1, 1, p.print.m3_hole_mm) for x, y in screws(p)]
    return foot(p) * together([opening, *holes])
