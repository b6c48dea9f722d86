"""The bought parts inside the printed ones, as solids for the fit, without detail."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from build123d import Box, Cylinder, Pos

from hardware.enclosure import console, hood, station
from hardware.enclosure.shapes import LOW, MID, block, keystone_jack, lying_x, together, upright


def pi(p: SimpleNamespace) -> Any:
    """A Pi 4B or 5 in its place: board, ports, the pins, the card, and the solder joints underneath."""
    n = p.pi
    top = n.board_mm
    solids = [
        block((0, 0, 0), (n.length_mm, n.width_mm, top)),
        block((66, 2, top), (n.length_mm + n.port_overhang_mm, 55, top + n.port_height_mm)),
        block((n.power_at_mm - 4.5, -1.0, top), (n.power_at_mm + 4.5, 7, top + 3.2)),
        block((7, 50, top), (58, 55, top + 8.5)),
        block((8, 8, -2), (n.length_mm - 8, 48, 0)),
        block((-2.5, 22, -1.6), (14, 34, 0)),
    ]
    return console.pi_place(p) * together(solids)


def zero(p: SimpleNamespace) -> Any:
    """A Pi Zero 2 W in its place: board, sockets, the pins, the card."""
    z, top = p.zero, p.pi.board_mm
    low = z.edge_mm
    solids = [
        block((0, low, 0), (z.length_mm, low + z.width_mm, top)),
        block((7, low + z.width_mm - 6, top), (58, low + z.width_mm - 1, top + 8.5)),
        block((-2.3, low + 11, top), (12, low + 23, top + 1.5)),
        block((6.5, low - z.port_overhang_mm, top), (18.3, low + 7, top + 3.4)),
        block((37.5, low - z.port_overhang_mm, top), (45.3, low + 5, top + 3.0)),
        block((z.power_at_mm - 3.9, low - z.port_overhang_mm, top), (z.power_at_mm + 3.9, low + 5, top + 3.0)),
    ]
    return console.pi_place(p) * together(solids)


def carrier(p: SimpleNamespace) -> Any:
    """The carrier board over the Pi, with its parts and plugs."""
    c = p.carrier
    low = p.pi.board_mm + c.above_pi_mm
    side = (p.pi.width_mm - c.width_mm) / 2
    board = block((0, side, low), (c.length_mm, side + c.width_mm, low + c.board_mm))
    parts = block((1, side + 1, low), (c.length_mm - 1, side + c.width_mm - 1, low + c.board_mm + c.parts_mm))
    return console.pi_place(p) * (board + parts)


def display(p: SimpleNamespace) -> Any:
    """The display module under its window: glass, board, and the parts and plug behind."""
    d = p.display
    top = hood.board_top_mm(p)
    down = -d.active_up_mm
    glass = Pos(0, 0, top) * Box(*d.glass_mm, d.glass_thick_mm, align=(MID, MID, LOW))
    board = Pos(0, down, top - d.board_thick_mm) * Box(*d.board_mm, d.board_thick_mm, align=(MID, MID, LOW))
    behind = Pos(0, down, top - d.board_thick_mm - d.parts_mm) * Box(
        d.board_mm[0] - 12, d.board_mm[1] - 4, d.parts_mm, align=(MID, MID, LOW)
    )
    return hood.face(p) * (glass + board + behind)


def pane(p: SimpleNamespace) -> Any:
    """The acrylic pane in its seat."""
    d = p.display
    low = -p.hood.face_mm + d.pane_seat_mm - d.pane_mm
    return hood.face(p) * Pos(0, 0, low) * Box(*hood.pane_size_mm(p), d.pane_mm, align=(MID, MID, LOW))


def sight(p: SimpleNamespace) -> Any:
    """The space that must stay free for the eye: over the display's active area, along its normal."""
    low = hood.board_top_mm(p) + p.display.glass_thick_mm + 0.01
    return hood.face(p) * Pos(0, 0, low) * Box(*p.display.active_mm, 80, align=(MID, MID, LOW))


def encoder(p: SimpleNamespace) -> Any:
    """The rotary encoder with bush, nut and shaft."""
    e, lid = p.encoder, p.console.lid_mm
    body = Pos(0, 0, -lid - e.body_down_mm) * Box(*e.body_mm, e.body_down_mm, align=(MID, MID, LOW))
    bush = Pos(0, 0, -lid) * Cylinder(3.5, 6.8, align=(MID, MID, LOW))
    nut = Cylinder(6.0, 2.6, align=(MID, MID, LOW))
    whole = Pos(0, 0, -lid) * Cylinder(e.shaft_mm / 2, e.shaft_up_mm, align=(MID, MID, LOW))
    flat = block((-5, e.shaft_mm / 2 - e.shaft_flat_mm, 4.0), (5, 5, 99))
    return console.on_lid(p, e.at_mm) * (body + bush + nut + (whole - flat))


def piezo(p: SimpleNamespace) -> Any:
    """The disc in its ring, on the floor."""
    x, y = p.piezo.at_mm
    return upright(x, y, p.console.floor_mm, p.console.floor_mm + 0.6, p.piezo.across_mm)


def speaker(p: SimpleNamespace) -> Any:
    """The voice's speaker in its ring."""
    (x, y), low = p.speaker.at_mm, p.console.floor_mm
    return upright(x, y, low, low + p.speaker.deep_mm, p.speaker.across_mm)


def power_button(p: SimpleNamespace) -> Any:
    """The panel button: bush through the wall, nut and body behind it."""
    y, z = p.power.at_mm
    across, deep = p.power.body_mm
    outer = p.console.width_mm
    inner = outer - p.print.wall_mm
    bush = lying_x(y, z, inner - 1, outer + 4, p.power.hole_mm - 0.3)
    return bush + lying_x(y, z, inner - deep, inner, across)


def power_plug(p: SimpleNamespace) -> Any:
    """The power cable's plug, fully inserted from outside: 6.5 mm of metal, then its moulding."""
    corner = console.pi_place(p).position
    y, z = corner.Y + p.pi.power_at_mm, corner.Z + p.pi.board_mm + p.pi.power_up_mm
    along, up = (side - 1.5 for side in p.pi.power_plug_mm)
    start = corner.X + 1.0 + 0.3  # the moulding ends just before the socket
    return block((start, y - along / 2, z - up / 2), (start + 25, y + along / 2, z + up / 2))


def sockets(p: SimpleNamespace) -> list[Any]:
    """The console's keystone jacks."""
    return [keystone_jack(p.keystone, x, p.console.depth_mm, p.keystone.up_mm) for x in console.socket_xs(p)]


# -- the station's -------------------------------------------------------------------------------------------------


def arcade_button(p: SimpleNamespace) -> Any:
    """The arcade button, its bezel on the shell's top."""
    b, s = p.button, p.station
    top = s.height_mm
    at = (0.0, s.button_y_mm)
    return (
        upright(*at, top - b.depth_mm, top - b.nut_mm[1] - s.top_mm, b.body_mm)
        + upright(*at, top - s.top_mm - b.nut_mm[1], top - s.top_mm, b.nut_mm[0])
        + upright(*at, top - s.top_mm, top, b.hole_mm - 0.5)
        + upright(*at, top, top + b.bezel_mm[1], b.bezel_mm[0])
        + upright(*at, top + b.bezel_mm[1], top + b.plunger_mm[1], b.plunger_mm[0])
    )


def bar(p: SimpleNamespace) -> Any:
    """The steel bar in its frame."""
    x, y, z = p.ballast.bar_mm
    return block((-x / 2, -y / 2, p.station.base_mm), (x / 2, y / 2, p.station.base_mm + z))


def station_socket(p: SimpleNamespace) -> Any:
    """The station's keystone jack."""
    return keystone_jack(p.keystone, 0, p.station.length_mm / 2, p.station.socket_up_mm)


def ring_screw_heads(p: SimpleNamespace) -> Any:
    """The heads of the guard ring's screws under the top."""
    s = p.station
    under = s.height_mm - s.top_mm
    heads = [upright(x, y, under - 2.4, under, 5.6) for x, y in station.ring_screws(p)]
    return together(heads)
