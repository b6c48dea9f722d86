"""The console's tray and knob, and the places of its parts.

Its lid is in `lid`, the display in `hood`.

Theory of operation. The Pi is at the right, its ports through the rear wall and its power socket at the right wall;
the sockets take the rest of the rear wall. Only four screws through the skirt fix the lid to the tray.
"""

from __future__ import annotations

from math import cos, hypot, radians, sin, tan
from types import SimpleNamespace
from typing import Any

from build123d import Axis, Box, Location, Pos, Rot, fillet

from hardware.enclosure.lettering import lettering
from hardware.enclosure.shapes import (
    LOW,
    block,
    keystone_hole,
    keystone_wall_mm,
    lying_x,
    lying_y,
    round_block,
    together,
    upright,
)

FAR = 400.0
POST_MM = 6.0
"""Diameter of the posts under the Pi."""
ZERO_SKIN_MM = 0.4
Point = tuple[float, float]


# -- places --------------------------------------------------------------------------------------------------------


def slope(p: SimpleNamespace) -> Location:
    """The lid's own frame: x and y in its upper face, z out of it."""
    return Pos(0, 0, p.console.front_mm) * Rot(p.console.slope_deg, 0, 0)


def top_mm(p: SimpleNamespace, y: float) -> float:
    """Height of the lid's upper face at y."""
    return float(p.console.front_mm + y * tan(radians(p.console.slope_deg)))


def under_mm(p: SimpleNamespace, y: float) -> float:
    """Height of the lid's lower face at y."""
    return float(top_mm(p, y) - p.console.lid_mm / cos(radians(p.console.slope_deg)))


def on_lid(p: SimpleNamespace, at: Point) -> Location:
    """The lid's frame moved to a place given in the console's x and y."""
    return slope(p) * Pos(at[0], at[1] / cos(radians(p.console.slope_deg)), 0)


def pi_place(p: SimpleNamespace) -> Location:
    """The frame of the Pi: origin at its corner of SD card and power edge.

    The origin is at the board's underside; the length runs along y.
    """
    x = p.console.width_mm - p.print.wall_mm - p.pi.right_gap_mm
    y = p.console.depth_mm - p.print.wall_mm - p.pi.rear_gap_mm - p.pi.length_mm
    return Pos(x, y, p.console.floor_mm + p.pi.standoff_mm) * Rot(0, 0, 90)


def socket_xs(p: SimpleNamespace) -> list[float]:
    """The x of the sockets' middles, left to right from the front.

    Seen from the rear they count from the right.
    """
    return [p.keystone.first_mm + n * p.keystone.pitch_mm for n in range(p.keystone.sockets)]


def skirt_screws(p: SimpleNamespace) -> list[tuple[str, float, float]]:
    """(wall, place along it, height) of the four lid screws."""
    c = p.console
    side, middle = c.screw_inset_mm * 0.75, p.console.skirt_mm / 2
    places = [("left", side), ("right", side), ("rear", c.screw_inset_mm), ("rear", c.width_mm - c.screw_inset_mm)]
    return [(w, at, under_mm(p, c.depth_mm if w == "rear" else at) - middle) for w, at in places]


def above(p: SimpleNamespace, down: float) -> Any:
    """The half-space over the plane `down` below the lid's upper face, measured vertically."""
    return Pos(0, 0, -down) * slope(p) * Pos(-FAR / 4, -FAR / 4, 0) * Box(FAR, FAR, FAR, align=(LOW, LOW, LOW))


def lid_upright(p: SimpleNamespace) -> float:
    """The lid's thickness, measured vertically."""
    return float(p.console.lid_mm / cos(radians(p.console.slope_deg)))


def screw_hole(p: SimpleNamespace, wall: str, at: float, z: float, inner: float, outer: float, across: float) -> Any:
    """A hole through a wall, from `inner` to `outer` millimetres outside the tray's outer face."""
    if wall == "rear":
        return lying_y(at, z, p.console.depth_mm + inner, p.console.depth_mm + outer, across)
    if wall == "left":
        return lying_x(at, z, -outer, -inner, across)
    return lying_x(at, z, p.console.width_mm + inner, p.console.width_mm + outer, across)


# -- the tray ------------------------------------------------------------------------------------------------------


def base(p: SimpleNamespace) -> Any:
    """The tray."""
    c, wall = p.console, p.print.wall_mm
    outer = round_block((0, 0, 0), (c.width_mm, c.depth_mm, FAR / 4), c.corner_mm)
    inner = round_block(
        (wall, wall, c.floor_mm), (c.width_mm - wall, c.depth_mm - wall, FAR / 4 + 1), c.corner_mm - wall
    )
    inside = outer & _inside_additions(p)
    made = (outer - inner + inside) - above(p, lid_upright(p))
    return made - _base_holes(p)


def _inside_additions(p: SimpleNamespace) -> Any:
    """The parts on the floor and on the walls inside."""
    c, k, wall = p.console, p.keystone, p.print.wall_mm
    first, *_, last = socket_xs(p)
    (x, y), across = p.piezo.at_mm, p.piezo.across_mm + 0.6
    (voice_x, voice_y), loud = p.speaker.at_mm, p.speaker.across_mm + 0.6
    thick = keystone_wall_mm(k)
    parts = [
        block(
            (first - k.pitch_mm / 2, c.depth_mm - thick, 0),
            (last + k.pitch_mm / 2, c.depth_mm, k.up_mm + k.pocket_mm + 3),
        ),
        upright(x, y, c.floor_mm / 2, c.floor_mm + p.piezo.ring_mm, across + 2 * wall) - upright(x, y, 0, FAR, across),
        upright(voice_x, voice_y, c.floor_mm / 2, c.floor_mm + p.speaker.ring_mm, loud + 2 * wall)
        - upright(voice_x, voice_y, 0, FAR, loud),
    ]
    for place in _pi_holes(p):
        parts.append(upright(*place, c.floor_mm / 2, c.floor_mm + p.pi.standoff_mm, POST_MM))
    for which, at, z in skirt_screws(p):
        parts.append(_pad(p, which, at, z))
    return together(parts)


def _pad(p: SimpleNamespace, wall: str, at: float, z: float) -> Any:
    """The material round a heat-set insert, with a slope below so that it prints without support."""
    deep, half = p.print.insert_depth_mm + 0.8, 4.5
    c = p.console
    if wall == "rear":
        pad = block((at - half, c.depth_mm - deep, z - half), (at + half, c.depth_mm, z + half))
        ramp = Pos(at, c.depth_mm, z - half) * Rot(45, 0, 0) * Box(2 * half, deep * 1.42, deep * 1.42)
    elif wall == "left":
        pad = block((0, at - half, z - half), (deep, at + half, z + half))
        ramp = Pos(0, at, z - half) * Rot(0, 45, 0) * Box(deep * 1.42, 2 * half, deep * 1.42)
    else:
        pad = block((c.width_mm - deep, at - half, z - half), (c.width_mm, at + half, z + half))
        ramp = Pos(c.width_mm, at, z - half) * Rot(0, 45, 0) * Box(deep * 1.42, 2 * half, deep * 1.42)
    return pad + ramp


def _pi_holes(p: SimpleNamespace) -> list[Point]:
    corner = pi_place(p).position
    along = (p.pi.hole_inset_mm, p.pi.hole_inset_mm + p.pi.hole_length_mm)
    across = (p.pi.hole_inset_mm, p.pi.hole_inset_mm + p.pi.hole_width_mm)
    return [(corner.X - b, corner.Y + a) for a in along for b in across]


def _base_holes(p: SimpleNamespace) -> Any:
    c, k = p.console, p.keystone
    holes = [keystone_hole(k, x, c.depth_mm, k.up_mm) for x in socket_xs(p)]
    holes += [_ports(p), _power_plug(p), *_vents(p), *_feet(p), *_piezo_holes(p), *_grille(p), *_engraving(p)]
    holes.append(lying_x(p.power.at_mm[0], p.power.at_mm[1], c.width_mm - 10, c.width_mm + 1, p.power.hole_mm))
    holes += [
        screw_hole(p, w, at, z, -p.print.insert_depth_mm, 1, p.print.insert_hole_mm) for w, at, z in skirt_screws(p)
    ]
    for at in _pi_holes(p):
        holes.append(upright(*at, -1, c.floor_mm + p.pi.standoff_mm + 1, p.print.m25_hole_mm))
        holes.append(upright(*at, -1, c.floor_mm - 1, p.print.m25_head_mm))
    holes += [upright(x, y, -1, c.floor_mm + 1, p.print.m3_hole_mm) for x, y in clamp_screws(p)]
    return together(holes)


def clamp_screws(p: SimpleNamespace) -> list[Point]:
    """The clamp's screw places in the tray."""
    apart, in_from_rear = p.clamp.screw_mm
    y = p.console.depth_mm - p.print.wall_mm - in_from_rear
    return [(p.clamp.at_mm - apart / 2, y), (p.clamp.at_mm + apart / 2, y)]


def _ports(p: SimpleNamespace) -> Any:
    corner = pi_place(p).position
    low = corner.Z + p.pi.board_mm - 1
    return block(
        (corner.X - p.pi.width_mm, p.console.depth_mm - 10, low),
        (corner.X - 0.5, p.console.depth_mm + 1, low + p.pi.port_height_mm + 2),
    )


def _power_plug(p: SimpleNamespace) -> Any:
    corner = pi_place(p).position
    along, up = p.pi.power_plug_mm
    y, z = corner.Y + p.pi.power_at_mm, corner.Z + p.pi.board_mm + p.pi.power_up_mm
    wall = p.console.width_mm
    return block((wall - 10, y - along / 2, z - up / 2), (wall + 1, y + along / 2, z + up / 2))


def _vents(p: SimpleNamespace) -> list[Any]:
    """Vents: air in through the floor below the Pi and the right wall, out under the eave."""
    c = p.console
    corner = pi_place(p).position
    floor = [
        upright(corner.X - p.pi.width_mm / 2 + dx, corner.Y + 33 + dy, -1, c.floor_mm + 1, 5.0)
        for dx in range(-18, 19, 9)
        for dy in range(-18, 19, 9)
    ]
    high = top_mm(p, c.depth_mm) - lid_upright(p) - c.skirt_mm - 1
    low = p.keystone.up_mm + p.keystone.pocket_mm + 7
    rear = [
        block((x - 5.5 + dx, c.depth_mm - 5, low), (x - 2.5 + dx, c.depth_mm + 1, high))
        for x in socket_xs(p)
        for dx in (0, 8)
        if abs(x - 4 + dx - c.screw_inset_mm) > 6.5 and high - low > 2
    ]
    side = [
        block((c.width_mm - 5, y - 1.5, 18), (c.width_mm + 1, y + 1.5, min(28.0, under_mm(p, y) - c.skirt_mm - 1)))
        for y in range(60, 101, 8)
    ]
    return floor + rear + side


def foot_places(p: SimpleNamespace) -> list[Point]:
    """The places of the glued rubber feet."""
    inset = p.console.foot_mm / 2 + 3
    return [(x, y) for x in (inset, p.console.width_mm - inset) for y in (inset, p.console.depth_mm - inset)]


def _feet(p: SimpleNamespace) -> list[Any]:
    return [upright(x, y, -1, p.console.foot_depth_mm, p.console.foot_mm) for x, y in foot_places(p)]


def _piezo_holes(p: SimpleNamespace) -> list[Any]:
    x, y = p.piezo.at_mm
    rows = [-9, 0, 9]
    return [upright(x + dx, y + dy, -1, p.console.floor_mm + 1, p.piezo.holes_mm) for dx in rows for dy in rows]


def grille_places(p: SimpleNamespace) -> list[Point]:
    """The holes before the speaker's cone, in staggered rows."""
    s = p.speaker
    (x, y), far = s.at_mm, (s.cone_mm - s.hole_mm) / 2
    count = int(far // s.pitch_mm) + 1
    rows = [(row, row * s.pitch_mm * sin(radians(60))) for row in range(-count - 1, count + 2)]
    places = [((n + row % 2 / 2) * s.pitch_mm, dy) for row, dy in rows for n in range(-count - 1, count + 2)]
    return [(x + dx, y + dy) for dx, dy in places if hypot(dx, dy) <= far]


def _grille(p: SimpleNamespace) -> list[Any]:
    return [upright(x, y, -1, p.console.floor_mm + 1, p.speaker.hole_mm) for x, y in grille_places(p)]


def _engraving(p: SimpleNamespace) -> list[Any]:
    """Seat numbers over the sockets and a warning what the sockets are not, read from behind."""
    rear = p.console.depth_mm
    over = p.keystone.up_mm + p.keystone.pocket_mm + 3.6
    facing = Rot(0, 0, 180) * Rot(90, 0, 0)
    xs = socket_xs(p)
    out = [
        Pos(x, rear - 0.6, over) * facing * lettering(str(n), 5.0, 2.0, 0.9)
        for n, x in enumerate(reversed(xs), start=1)
    ]
    words = lettering("NOT NETWORK", 4.4, 2.0, 0.8)
    return [*out, Pos((xs[0] + xs[-1]) / 2, rear - 0.6, 4.6) * facing * words]


# -- the Zero's mount ----------------------------------------------------------------------------------------------


def zero_mount(p: SimpleNamespace) -> Any:
    """The mount of a Zero's free side and the carrier's free corners, in the Pi's frame.

    A cap as thick as a Pi's board goes over each of the tray's two posts at the wall, so the carrier's spacers have
    the same height as on a Pi. An arm from each leads to the beam under the Zero's two other holes. It prints in
    this position: the caps are bridges over the posts, their holes closed by a skin that is pierced later.
    """
    z, n = p.zero, p.pi
    floor, cap = -n.standoff_mm, n.board_mm
    half = POST_MM / 2 + z.post_slack_mm
    first = n.hole_inset_mm
    row = first + n.hole_width_mm - z.hole_width_mm
    parts, holes = [], []
    for x in (first, first + n.hole_length_mm):
        back = first + half + z.side_mm
        parts += [
            block((x - half - z.side_mm, -n.right_gap_mm / 2, floor), (x + half + z.side_mm, back, cap)),
            block((x - z.beam_mm / 2, back - 1, floor), (x + z.beam_mm / 2, row, floor + z.arm_mm)),
        ]
        holes += [
            block((x - half, -9, floor - 1), (x + half, first, 0)),
            upright(x, first, floor - 1, 0, 2 * half),
            upright(x, first, ZERO_SKIN_MM, cap + 1, p.print.m25_hole_mm),
            upright(x, row, floor - 1, 1, p.print.pilot_m25_mm),
        ]
    beam = (row - z.beam_mm / 2, row + z.beam_mm / 2)
    ends = (first - z.beam_mm / 2, first + n.hole_length_mm + z.beam_mm / 2)
    parts.append(block((ends[0], beam[0], floor), (ends[1], beam[1], floor + z.arm_mm)))
    parts += [
        block((x - z.beam_mm / 2, beam[0], floor), (x + z.beam_mm / 2, beam[1], 0))
        for x in (first, first + n.hole_length_mm)
    ]
    return together(parts) - together(holes)


# -- the knob ------------------------------------------------------------------------------------------------------


def knob(p: SimpleNamespace) -> Any:
    """The knob, its skirt at z = 0; pushed onto the encoder's flattened shaft."""
    n, e = p.knob, p.encoder
    made = fillet(upright(0, 0, 0, n.height_mm, n.across_mm).edges().group_by(Axis.Z)[-1], 2.0)
    grips = [Rot(0, 0, 20 * turn) * upright(n.across_mm / 2 + 0.8, 0, -1, n.height_mm - 3, 3.6) for turn in range(18)]
    depth = e.shaft_up_mm - p.console.lid_mm - n.above_lid_mm + 0.5
    across = e.shaft_mm + 0.15
    flat = block((-10, across / 2 - e.shaft_flat_mm, -1), (10, 10, depth + 1))
    shaft = upright(0, 0, -1, depth, across) - flat
    bush = upright(0, 0, -1, n.bush_deep_mm, n.bush_mm)
    mark = block((-0.8, n.across_mm / 2 - 6, n.height_mm - 0.8), (0.8, n.across_mm / 2 + 1, n.height_mm + 1))
    return made - together([*grips, shaft, bush, mark])
