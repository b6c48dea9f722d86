"""A button station: a shell, a base plate with a steel bar, a guard ring with the number.

The ring is a separate part: so the shell's top is flat on the printer's bed, each seat has its colour, and the
number projects from a tongue of the ring, readable by touch. All shells are the same.
"""

from __future__ import annotations

from math import cos, radians, sin
from types import SimpleNamespace
from typing import Any

from build123d import Axis, Cone, Pos, chamfer, fillet

from hardware.enclosure.lettering import lettering
from hardware.enclosure.shapes import LOW, MID, block, keystone_hole, keystone_wall_mm, round_block, together, upright

Point = tuple[float, float]


def post_places(p: SimpleNamespace) -> list[Point]:
    """The places of the base plate's four screws."""
    x = p.station.width_mm / 2 - p.station.post_inset_mm
    y = p.station.length_mm / 2 - p.station.post_inset_mm
    return [(sx * x, sy * y) for sx in (-1, 1) for sy in (-1, 1)]


def ring_screws(p: SimpleNamespace) -> list[Point]:
    """The places of the three screws that hold the guard ring from inside."""
    turns = (90, 210, 330)
    radius = p.guard.screw_radius_mm
    return [(radius * cos(radians(t)), p.station.button_y_mm + radius * sin(radians(t))) for t in turns]


def _outline(p: SimpleNamespace, inset: float, low: float, high: float) -> Any:
    half_x, half_y = p.station.width_mm / 2 - inset, p.station.length_mm / 2 - inset
    return round_block((-half_x, -half_y, low), (half_x, half_y, high), max(p.station.corner_mm - inset, 1.0))


def shell(p: SimpleNamespace) -> Any:
    """The shell, the same for every seat."""
    s, wall = p.station, p.print.wall_mm
    outer = _outline(p, 0, s.base_mm, s.height_mm)
    outer = chamfer(outer.edges().group_by(Axis.Z)[-1], s.edge_mm)
    inside = _outline(p, wall, 0, s.height_mm - s.top_mm)
    pad = block(
        (-p.keystone.width_mm, s.length_mm / 2 - keystone_wall_mm(p.keystone), s.base_mm),
        (p.keystone.width_mm, s.length_mm / 2, s.height_mm - s.top_mm),
    )
    posts = [upright(x, y, s.base_mm, s.height_mm - s.top_mm, s.post_mm) for x, y in post_places(p)]
    made = outer - inside + (together([pad, *posts]) & outer)
    holes = [keystone_hole(p.keystone, 0, s.length_mm / 2, s.socket_up_mm)]
    holes += [upright(x, y, 0, s.base_mm + p.print.insert_depth_mm, p.print.insert_hole_mm) for x, y in post_places(p)]
    holes += [upright(x, y, 0, s.base_mm + s.screw_room_mm, p.print.m3_hole_mm) for x, y in post_places(p)]
    holes.append(upright(0, s.button_y_mm, 0, s.height_mm + 1, p.button.hole_mm))
    holes += [upright(x, y, 0, s.height_mm + 1, p.print.m3_hole_mm) for x, y in ring_screws(p)]
    return made - together(holes)


def plate(p: SimpleNamespace) -> Any:
    """The base plate with the bar's frame and countersunk holes.

    It is flat below, for rubber and card.
    """
    s, b = p.station, p.ballast
    half_x, half_y = ((side + b.slack_mm) / 2 for side in b.bar_mm[:2])
    rib_x, rib_y = half_x + b.rib_mm, half_y + b.rib_mm
    frame = block((-rib_x, -rib_y, 0), (rib_x, rib_y, s.base_mm + b.bar_mm[2] - 2)) - block(
        (-half_x, -half_y, s.base_mm), (half_x, half_y, 99)
    )
    made = _outline(p, 0, 0, s.base_mm) + frame
    holes = [upright(x, y, -1, s.base_mm + 1, p.print.m3_hole_mm) for x, y in post_places(p)]
    holes += [Pos(x, y, -0.01) * _countersink(p) for x, y in post_places(p)]
    return made - together(holes)


def _countersink(p: SimpleNamespace) -> Any:
    deep = (p.print.m3_head_mm - p.print.m3_hole_mm) / 2
    return Cone(p.print.m3_head_mm / 2, p.print.m3_hole_mm / 2, deep, align=(MID, MID, LOW))


def guard(p: SimpleNamespace, seat: int) -> Any:
    """The guard ring of a seat, its underside at z = 0, placed as over the button at the origin.

    Its tongue is on the shell behind the button; its player reads the number on it.
    """
    g, s = p.guard, p.station
    shift = -s.button_y_mm
    made = upright(0, 0, 0, g.height_mm, g.outer_mm)
    made = fillet(made.edges().group_by(Axis.Z)[-1], 2.0)
    wide, thick = g.tongue_mm
    end = s.number_y_mm + s.number_mm / 2 + g.tongue_edge_mm + shift
    tongue = round_block((-wide / 2, 0, 0), (wide / 2, end, thick), g.tongue_corner_mm)
    made = made + chamfer(tongue.edges().group_by(Axis.Z)[-1], 0.8)
    made -= upright(0, 0, -1, g.height_mm + 1, g.inner_mm)
    made -= together([upright(x, y + shift, -1, g.pilot_deep_mm, p.print.pilot_m3_mm) for x, y in ring_screws(p)])
    number = lettering(str(seat), s.number_mm, s.number_up_mm + 0.5, s.number_mm * s.number_stroke)
    return made + Pos(0, s.number_y_mm + shift, thick - 0.5) * number
