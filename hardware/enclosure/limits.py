"""The limits of every dimension of the printed parts, by the names of parameters.toml.

The bought parts' sizes are repeated here on purpose, from their data sheets: a model whose button shrinks together
with its hole still fits itself. A list has a pair for each of its numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Pair = tuple[float, float]
Limits = dict[str, Pair | tuple[Pair, ...]]

WALLS_MM: Limits = {
    "print.insert_depth_mm": (4.5, 8.0),
    "console.floor_mm": (2.4, 5.0),
    "console.lid_mm": (2.4, 5.0),
    "console.corner_mm": (3.0, 8.0),
    "console.skirt_mm": (6.0, 14.0),
    "console.eave_mm": (8.0, 18.0),
    "console.groove_mm": (0.8, 2.0),
    "hood.face_mm": (2.4, 4.5),
    "hood.block_mm": (7.0, 12.0),
    "hood.pilot_deep_mm": (5.0, 9.0),
    "display.pane_rim_mm": (2.0, 5.0),
    "display.pane_mm": (1.5, 3.0),
    "display.pane_seat_mm": (0.8, 1.8),
    "display.below_pane_mm": (0.4, 1.0),
    "station.top_mm": (2.4, 4.5),
    "station.base_mm": (2.4, 4.5),
    "station.post_mm": (8.0, 12.0),
    "station.screw_room_mm": (5.0, 12.0),
    "ballast.rib_mm": (1.2, 2.5),
    "guard.pilot_deep_mm": (4.5, 7.0),
    "guard.tongue_mm": ((26.0, 45.0), (2.4, 4.0)),
    "guard.tongue_edge_mm": (3.0, 8.0),
    "guard.tongue_corner_mm": (4.0, 9.0),
    "pod.floor_mm": (1.6, 3.0),
    "pod.lid_mm": (1.6, 3.0),
    "pod.corner_mm": (2.5, 6.0),
    "pod.post_mm": (8.0, 12.0),
    "pod.rib_mm": (1.2, 2.4),
    "pod.rib_up_mm": (2.5, 7.0),
    "pod.lip_mm": (2.0, 5.0),
    "clamp.width_mm": (30.0, 60.0),
    "clamp.flange_mm": (3.0, 6.0),
    "clamp.spine_mm": (6.0, 12.0),
    "clamp.arm_mm": (10.0, 20.0),
    "knob.height_mm": (12.0, 28.0),
    "knob.bush_deep_mm": (4.0, 9.0),
    "pi.standoff_mm": (3.5, 6.5),
    "piezo.ring_mm": (2.5, 6.0),
    "speaker.ring_mm": (4.0, 9.0),
    "zero.side_mm": (1.6, 4.0),
    "zero.arm_mm": (2.4, 5.0),
    "zero.beam_mm": (6.0, 10.0),
}
"""Limits of thickness and length: four lines of a 0.4 mm nozzle for a wall, eight layers of 0.3 mm for a flat part,
the insert's length and a half, the pull of a hand or a cable; the maximum catches typing errors.
"""
HOLES_MM: Limits = {
    "print.wall_mm": (1.6, 4.0),
    "print.insert_hole_mm": (4.5, 4.9),
    "print.m3_hole_mm": (3.2, 3.6),
    "print.m3_head_mm": (5.8, 6.8),
    "print.pilot_m3_mm": (2.4, 2.8),
    "print.pilot_m25_mm": (1.9, 2.3),
    "print.m25_hole_mm": (2.7, 3.1),
    "print.m25_head_mm": (5.0, 6.0),
    "print.clearance_mm": (0.25, 0.6),
    "print.bed_mm": (180.0, 300.0),
    "encoder.hole_mm": (7.1, 7.8),
    "encoder.body_mm": ((11.5, 15.0), (11.5, 15.0)),
    "encoder.body_down_mm": (8.0, 16.0),
    "encoder.shaft_up_mm": (14.0, 22.0),
    "knob.bush_mm": (12.5, 18.0),
    "power.hole_mm": (12.1, 12.8),
    "power.body_mm": ((13.0, 20.0), (16.0, 28.0)),
    "stand.front_mm": (10.0, 20.0),
    "stand.pocket_mm": (5.0, 8.5),
    "stand.lead_mm": (9.0, 15.0),
    "pod.board_mm": ((164.0, 166.5), (53.5, 56.0), (8.0, 10.0)),
    "pod.boards": (2.0, 3.0),
    "pod.slack_mm": (0.8, 2.0),
    "pod.height_mm": (36.0, 50.0),
    "pod.wires_mm": (20.0, 32.0),
    "pod.lead_mm": (5.2, 6.5),
    "pod.usb_mm": (11.5, 16.0),
    "pod.slot_mm": (15.0, 27.0),
    "clamp.bolt_mm": (6.2, 6.8),
    "clamp.nut_mm": (10.05, 10.5),
    "clamp.nut_deep_mm": (5.0, 7.0),
    "clamp.table_mm": (40.0, 50.0),
    "clamp.reach_mm": (35.0, 60.0),
    "console.foot_mm": (12.2, 13.0),
    "console.foot_depth_mm": (0.6, 1.5),
    "console.foot_height_mm": (3.0, 7.0),
    "knob.above_lid_mm": (1.0, 2.5),
    "piezo.holes_mm": (1.5, 4.0),
    "speaker.hole_mm": (2.0, 4.0),
    "speaker.pitch_mm": (4.0, 8.0),
    "speaker.cone_mm": (28.0, 38.0),
    "speaker.deep_mm": (15.0, 35.0),
    "pi.port_overhang_mm": (2.4, 3.4),
    "pi.port_height_mm": (16.0, 17.5),
    "pi.power_at_mm": (10.6, 11.5),
    "pi.power_up_mm": (1.2, 2.4),
    "pi.power_plug_mm": ((12.0, 18.0), (7.5, 12.0)),
    "pi.board_mm": (1.3, 1.7),
    "zero.post_slack_mm": (0.3, 0.8),
    "zero.power_at_mm": (53.5, 54.5),
    "zero.port_overhang_mm": (0.6, 1.6),
    "carrier.parts_mm": (9.0, 14.0),
    "display.board_mm": ((70.0, 74.0), (42.0, 45.5)),
    "display.board_thick_mm": (1.0, 2.0),
    "display.glass_mm": ((59.0, 62.0), (36.0, 38.5)),
    "display.glass_thick_mm": (1.5, 2.6),
    "display.active_up_mm": (0.6, 1.6),
    "display.hole_mm": ((65.0, 67.5), (36.5, 39.0)),
    "display.parts_mm": (3.0, 6.0),
    "display.window_margin_mm": (0.8, 2.0),
    "display.tilt_deg": (45.0, 50.0),
    "ballast.slack_mm": (0.5, 1.0),
    "card.size_mm": ((60.0, 74.0), (85.0, 104.0)),
    "rubber.strip_mm": ((40.0, 60.0), (9.0, 16.0), (1.5, 3.0)),
    "rubber.edge_mm": (1.5, 3.5),
    "station.number_mm": (16.0, 51.0),
    "station.number_up_mm": (0.8, 1.5),
    "station.number_stroke": (0.08, 0.15),
    "keystone.width_mm": (14.7, 15.3),
    "keystone.pocket_mm": (21.7, 22.2),
    "keystone.pocket_deep_mm": (4.2, 4.5),
    "keystone.opening_mm": (20.0, 20.5),
    "keystone.web_mm": (1.5, 1.8),
    "keystone.lug_mm": (0.5, 0.8),
    "keystone.lugs_mm": (15.5, 16.4),
    "keystone.body_mm": ((19.5, 20.8), (30.0, 35.0)),
    "keystone.proud_mm": (2.5, 6.0),
    "keystone.pitch_mm": (16.8, 20.0),
    "keystone.slack_mm": (0.2, 0.5),
    "seats.distance_mm": (1000.0, 1500.0),
    "seats.least_mm": (4.7, 7.0),
    "hood.edge_mm": (1.0, 2.5),
}
"""An insert of 5 mm, screws of 3 and 2.5 mm with their heads, an encoder of 12 to 14 mm with its M7 bush and nut, a
panel button of 12 mm, an M6 bolt and its nut across the flats, a foot of 12 mm, a jack with its latch and lug, the
outline of a 2.42 inch display, the travel of a push of the knob, table tops up to 40 mm; a number readable by touch
(2010 ADA Standards 703.2: raised 0.8 mm at least, 16 to 51 mm high, strokes of 15 %); a face that eyes across the
table see almost squarely, text that they read with ease at 1 m.
"""
HAND_MM: Limits = {
    "console.slope_deg": (6.0, 15.0),
    "station.height_mm": (40.0, 70.0),
    "station.edge_mm": (1.5, 4.0),
    "station.corner_mm": (8.0, 20.0),
    "knob.across_mm": (24.0, 40.0),
}
"""Limits of surfaces that a hand rests on, reaches over and turns."""
PLACES_MM: Limits = {
    "console.width_mm": (150.0, 210.0),
    "console.depth_mm": (90.0, 150.0),
    "console.front_mm": (30.0, 45.0),
    "console.screw_inset_mm": (20.0, 45.0),
    "pi.right_gap_mm": (0.6, 1.8),
    "pi.rear_gap_mm": (0.4, 1.0),
    "display.at_mm": ((70.0, 100.0), (40.0, 60.0)),
    "hood.width_mm": (85.0, 110.0),
    "hood.face_up_mm": (48.0, 65.0),
    "hood.window_up_mm": (24.0, 36.0),
    "hood.screw_mm": ((10.0, 22.0), (45.0, 65.0)),
    "hood.opening_mm": ((5.0, 12.0), (50.0, 70.0)),
    "encoder.at_mm": ((115.0, 160.0), (20.0, 35.0)),
    "piezo.at_mm": ((30.0, 50.0), (34.0, 55.0)),
    "speaker.at_mm": ((75.0, 115.0), (34.0, 55.0)),
    "power.at_mm": ((12.0, 24.0), (12.0, 20.0)),
    "keystone.first_mm": (9.0, 16.0),
    "keystone.up_mm": (6.0, 12.0),
    "station.width_mm": (70.0, 100.0),
    "station.length_mm": (110.0, 160.0),
    "station.button_y_mm": (-32.0, -18.0),
    "station.socket_up_mm": (9.0, 18.0),
    "station.number_y_mm": (28.0, 48.0),
    "station.post_inset_mm": (6.0, 9.0),
    "clamp.at_mm": (65.0, 110.0),
    "clamp.screw_mm": ((20.0, 35.0), (10.0, 18.0)),
}
"""Limits of places and outer sizes; the CAD tool checks that nothing overlaps."""
BUTTONS_MM: dict[str, Limits] = {
    "": {
        "button.hole_mm": (30.1, 30.8),
        "button.body_mm": (26.0, 30.0),
        "button.nut_mm": ((34.0, 40.0), (6.0, 12.0)),
        "button.bezel_mm": ((32.0, 35.0), (2.5, 4.5)),
        "button.plunger_mm": ((21.0, 27.0), (6.0, 10.0)),
        "button.depth_mm": (30.0, 43.0),
        "guard.outer_mm": (56.0, 68.0),
        "guard.inner_mm": (38.0, 46.0),
        "guard.height_mm": (5.0, 7.5),
        "guard.screw_radius_mm": (23.0, 29.0),
    },
    "arcade24": {
        "button.hole_mm": (24.1, 24.8),
        "button.body_mm": (20.0, 24.0),
        "button.nut_mm": ((27.0, 33.0), (5.0, 9.5)),
        "button.bezel_mm": ((26.0, 30.0), (2.2, 4.0)),
        "button.plunger_mm": ((16.0, 22.0), (5.0, 9.0)),
        "button.depth_mm": (26.0, 43.0),
        "guard.outer_mm": (50.0, 62.0),
        "guard.inner_mm": (32.0, 40.0),
        "guard.height_mm": (4.5, 6.5),
        "guard.screw_radius_mm": (20.0, 26.0),
    },
    "dome60": {
        "button.hole_mm": (24.1, 24.8),
        "button.body_mm": (20.0, 24.0),
        "button.nut_mm": ((30.0, 37.0), (6.0, 12.0)),
        "button.bezel_mm": ((58.0, 62.0), (3.0, 6.0)),
        "button.plunger_mm": ((54.0, 60.0), (17.0, 25.0)),
        "button.depth_mm": (40.0, 55.0),
        "guard.outer_mm": (76.0, 84.0),
        "guard.inner_mm": (61.0, 66.0),
        "guard.height_mm": (17.0, 21.0),
        "guard.screw_radius_mm": (33.0, 38.0),
    },
}
"""The button of each preset and the ring round it; "": parameters.toml's own, the arcade one of 30 mm."""
EXACT: dict[str, float | list[float]] = {
    "pi.length_mm": 85.0,
    "pi.width_mm": 56.0,
    "pi.hole_inset_mm": 3.5,
    "pi.hole_length_mm": 58.0,
    "pi.hole_width_mm": 49.0,
    "carrier.length_mm": 65.0,
    "carrier.width_mm": 56.5,
    "carrier.board_mm": 1.6,
    "carrier.above_pi_mm": 11.0,
    "zero.length_mm": 65.0,
    "zero.width_mm": 30.0,
    "zero.hole_width_mm": 23.0,
    "zero.edge_mm": 26.0,
    "speaker.across_mm": 40.0,
    "encoder.shaft_mm": 6.0,
    "encoder.shaft_flat_mm": 1.5,
    "piezo.across_mm": 41.0,
    "display.active_mm": [55.01, 27.49],
    "ballast.bar_mm": [60.0, 100.0, 6.0],
    "keystone.sockets": 8,
    "seats.eye_mm": [400.0, 570.0],
    "seats.sideways_deg": [-60.0, -40.0, -20.0, 0.0, 20.0, 40.0, 60.0],
    "seats.capital_px": 12,
}
"""Fixed sizes of bought things: Raspberry Pi's and the HAT's drawings, the panel maker's active area, an EC11's shaft,
the disc and the bar of the lists; one socket a player; the eyes and letters for which the text's size is computed.
"""
_REASONS = (
    (WALLS_MM, "for a wall or a screw's hold"),
    (HOLES_MM, "for the part that is bought"),
    (HAND_MM, "under a hand"),
    (PLACES_MM, "for what stands beside it"),
)
NAMES = {*WALLS_MM, *HOLES_MM, *HAND_MM, *PLACES_MM, *BUTTONS_MM[""], *EXACT}
"""Every parameter with a limit."""


def complaints(known: dict[str, Any], preset: str) -> Iterator[str]:
    """Complain of every number out of its limits for that preset's button, "" for the usual one."""
    for name in known:
        if name not in NAMES and not name.startswith("colours."):
            yield f"{name} has no limits; say in limits.py what it may be."
    for limits, reason in (*_REASONS, (BUTTONS_MM[preset], "for the button that is bought")):
        for name, limit in limits.items():
            yield from _outside(name, known[name], limit, reason)
    for name, exact in EXACT.items():
        if known[name] != exact:
            yield f"{name} is {known[name]}; it must be {exact}."


def _outside(name: str, value: Any, limit: Any, reason: str) -> Iterator[str]:
    values, pairs = (value, limit) if isinstance(value, list) else ([value], [limit])
    if len(values) != len(pairs) or not all(isinstance(pair, tuple) for pair in pairs):
        yield f"{name} is {value}; its limits are {limit}."
        return
    for one, (least, most) in zip(values, pairs, strict=True):
        if not least <= one <= most:
            yield f"{name} is {one:g}; allowed are {least:g} to {most:g} {reason}."
