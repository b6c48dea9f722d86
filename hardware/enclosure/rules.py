"""Design rules of the printed parts that need no model: walls, holes for what is bought, screws that hold.

The bought parts' sizes stand here a second time on purpose, from their data sheets: a model whose button shrinks
together with its hole fits itself. Whether solids run into each other is `check`'s business, which needs the CAD tool.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardware.enclosure import sight

LEAST_MM = {
    "print.insert_depth_mm": 4.5,
    "console.floor_mm": 2.4,
    "console.lid_mm": 2.4,
    "console.corner_mm": 2.0,
    "console.skirt_mm": 6.0,
    "console.eave_mm": 8.0,
    "hood.face_mm": 2.4,
    "hood.block_mm": 7.0,
    "display.pane_rim_mm": 2.0,
    "display.pane_mm": 1.5,
    "display.below_pane_mm": 0.4,
    "station.top_mm": 2.4,
    "station.base_mm": 2.4,
    "station.post_mm": 8.0,
    "ballast.rib_mm": 1.2,
    "guard.pilot_deep_mm": 4.5,
    "clamp.flange_mm": 3.0,
    "clamp.spine_mm": 6.0,
    "clamp.arm_mm": 10.0,
    "clamp.width_mm": 30.0,
    "piezo.ring_mm": 2.0,
    "knob.height_mm": 12.0,
    "pi.standoff_mm": 3.0,
    "speaker.ring_mm": 4.0,
    "zero.side_mm": 1.6,
    "zero.arm_mm": 2.4,
    "zero.beam_mm": 6.0,
    "guard.tongue_edge_mm": 2.0,
}
"""What must be so thick or long at least: four lines of a 0.4 mm nozzle for a wall, eight layers of 0.3 mm lying, the
insert's length and a half, what a hand or a cable pulls at."""
MOST_TIMES = 4
"""So many times what it must be at least is a slip of the pen."""
HOLES_MM = {
    "print.wall_mm": (1.6, 4.0),
    "print.insert_hole_mm": (4.5, 4.9),
    "print.m3_hole_mm": (3.2, 3.6),
    "print.m3_head_mm": (5.8, 6.8),
    "print.pilot_m3_mm": (2.4, 2.8),
    "print.pilot_m25_mm": (1.9, 2.3),
    "print.m25_hole_mm": (2.7, 3.1),
    "print.m25_head_mm": (5.0, 6.0),
    "print.clearance_mm": (0.2, 0.8),
    "encoder.hole_mm": (7.1, 7.8),
    "power.hole_mm": (12.1, 12.8),
    "clamp.bolt_mm": (6.2, 6.8),
    "clamp.nut_mm": (10.05, 10.5),
    "clamp.nut_deep_mm": (5.0, 7.0),
    "console.foot_mm": (12.2, 13.0),
    "console.foot_depth_mm": (0.5, 1.5),
    "console.foot_height_mm": (3.0, 7.0),
    "knob.above_lid_mm": (1.0, 3.0),
    "piezo.holes_mm": (1.5, 4.0),
    "speaker.hole_mm": (1.5, 4.0),
    "zero.post_slack_mm": (0.3, 0.8),
    "ballast.slack_mm": (0.5, 1.0),
    "station.number_mm": (16.0, 51.0),
    "station.number_up_mm": (0.8, 1.5),
    "station.number_stroke": (0.08, 0.15),
    "keystone.width_mm": (14.7, 15.3),
    "keystone.pocket_mm": (21.7, 22.2),
    "keystone.pocket_deep_mm": (4.2, 4.5),
    "keystone.opening_mm": (20.0, 20.5),
    "keystone.web_mm": (1.5, 1.8),
    "keystone.lug_mm": (0.5, 0.8),
    "keystone.pitch_mm": (16.8, 20.0),
    "pi.port_height_mm": (16.0, 17.5),
    "keystone.slack_mm": (0.2, 0.5),
    "display.window_margin_mm": (0.5, 2.5),
    "display.tilt_deg": (45.0, 50.0),
    "seats.distance_mm": (1000.0, 1500.0),
    "seats.least_mm": (4.7, 7.0),
    "hood.edge_mm": (0.5, 2.0),
}
"""Least and most: an insert of 5 mm, screws of 3 and 2.5 mm with their heads, an encoder's M7 bush, buttons of 12 and
30 mm, an M6 bolt and its nut across the flats, a foot of 12 mm, a jack with its latch and lug,
what a push of the knob needs;
a number that fingers read (2010 ADA Standards 703.2: raised 0.8 mm at least, 16 to 51 mm high, strokes of 15 %);
a face that eyes across the table see almost squarely, text that they read with ease at 1 m."""
HAND_MM = {
    "station.height_mm": (40.0, 70.0),
    "station.edge_mm": (1.0, 4.0),
    "knob.across_mm": (24.0, 40.0),
}
"""Least and most of what a hand rests on, reaches over and turns."""
BUTTONS_MM: dict[str, dict[str, tuple[float, float]]] = {
    "": {"button.hole_mm": (30.1, 30.8), "button.body_mm": (26.0, 30.0), "guard.height_mm": (5.0, 7.5)},
    "arcade24": {"button.hole_mm": (24.1, 24.8), "button.body_mm": (20.0, 24.0), "guard.height_mm": (4.5, 6.5)},
    "dome60": {"button.hole_mm": (24.1, 24.8), "button.body_mm": (20.0, 24.0), "guard.height_mm": (17.0, 21.0)},
}
"""The same for the button of each preset; "": parameters.toml's own, the arcade one of 30 mm."""
EXACT_MM: dict[str, float | list[float]] = {
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
}
"""What is bought and has one size: Raspberry Pi's and the HAT's drawings, the panel maker's active area, an EC11's
shaft, the disc and the bar of the lists."""
SKIN_MM = 1.2
"""What must be left under a recess: four layers of 0.3 mm."""
SCREW_MM, FLAT_MM, LONG_MM, SHORT_MM = 8.0, 10.0, 12.0, 6.0
"""The lists' screws: M3 of guard ring, lid, hood and clamp; M3 countersunk of the station's plate; M2.5 through the Pi;
M2.5 of the display and the Zero."""
HOLDS_MM = {"M3": 4.0, "M2.5": 3.5}
"""What of a screw must be in its thread at least: an insert's length, or 1.4 times the screw where it cuts its own."""
HEAD_FLOOR_MM = 1.0
"""What of the floor is left over the heads of the screws that come through the Pi's posts."""
DISPLAY_BOARD_MM = 1.6
COLOURS = 8
LEAST_WIDTH = 0.5
"""Letters seen narrower than half of their width are guessed and not read."""


def complaints(path: Path) -> Iterator[str]:
    """What is wrong with the parameters in that file, and with each preset beside it."""
    if not path.is_file():
        yield f"{path.name} is missing: the printed parts have no dimensions."
        return
    known = flat(tomllib.loads(path.read_text(encoding="utf-8")))
    for name in (*LEAST_MM, *HOLES_MM, *HAND_MM, *BUTTONS_MM[""], *EXACT_MM):
        if name not in known:
            yield f"{path.name} has no {name}, which a rule asks for."
            return
    yield from _dimensions(known, "")
    beside = path.with_name("presets.toml")
    for preset, changed in tomllib.loads(beside.read_text(encoding="utf-8")).items() if beside.is_file() else ():
        changes = {name: value for name, value in changed.items() if name != "what"}
        if preset not in BUTTONS_MM or not changes.keys() <= known.keys():
            strange = sorted(changes.keys() - known.keys())
            yield f"preset {preset}: {strange[0] + ' is no parameter' if strange else 'no rule knows its button'}."
        else:
            yield from (f"preset {preset}: {text}" for text in _dimensions(known | changes, preset))


def _dimensions(known: dict[str, Any], preset: str) -> Iterator[str]:
    for name, least in LEAST_MM.items():
        if known[name] < least:
            yield f"{name} is {known[name]:g}; allowed is {least:g} at least."
        if known[name] > MOST_TIMES * least:
            yield f"{name} is {known[name]:g}; {least:g} would do, and more than {MOST_TIMES * least:g} is a mistake."
    for name, (least, most) in (HOLES_MM | BUTTONS_MM[preset]).items():
        if not least <= known[name] <= most:
            yield f"{name} is {known[name]:g}; allowed are {least:g} to {most:g} for the part that is bought."
    for name, (least, most) in HAND_MM.items():
        if not least <= known[name] <= most:
            yield f"{name} is {known[name]:g}; allowed are {least:g} to {most:g} under a hand."
    for name, exact in EXACT_MM.items():
        if known[name] != exact:
            yield f"{name} is {known[name]}; what is bought has {exact}."
    yield from _together(known)


def flat(document: dict[str, Any]) -> dict[str, Any]:
    """The parameters as "section.name" -> value."""
    return {f"{part}.{name}": value for part, table in document.items() for name, value in table.items()}


def _together(known: dict[str, Any]) -> Iterator[str]:
    """What two dimensions leave between them."""
    if (left := known["hood.face_mm"] - known["display.pane_seat_mm"]) < SKIN_MM:
        yield f"the pane's seat leaves {left:.1f} mm of the hood's face; allowed are {SKIN_MM:g} at least."
    pane = known["display.active_mm"][1] / 2 + known["display.window_margin_mm"] + known["display.pane_rim_mm"]
    up = known["hood.window_up_mm"]
    if not pane <= up <= known["hood.face_up_mm"] - pane:
        yield f"the display's window at {up:g} mm does not fit into a face of {known['hood.face_up_mm']:g}."
    if (left := known["console.floor_mm"] - known["console.foot_depth_mm"]) < SKIN_MM:
        yield f"a foot's recess leaves {left:.1f} mm of the floor; allowed are {SKIN_MM:g} at least."
    for whose, through, pilot in (("guard ring", "station.top_mm", "guard"), ("hood", "console.lid_mm", "hood")):
        held, deep = SCREW_MM - known[through], known[f"{pilot}.pilot_deep_mm"]
        if not 4.5 <= held <= deep + 0.5:
            yield f"the {whose}'s screws go {held:.1f} mm into it; its holes take {deep:g}, and 4.5 hold."
    yield from _screws(known)
    yield from _number(known)
    yield from _sight(known)
    yield from _underside(known)
    if (web := known["speaker.pitch_mm"] - known["speaker.hole_mm"]) < SKIN_MM:
        yield f"between the grille's holes are {web:.1f} mm; allowed are {SKIN_MM:g} at least."
    if (apart := known["speaker.pitch_mm"]) > known["speaker.cone_mm"] / 4:
        yield f"the grille's holes are {apart:g} mm apart on {known['speaker.cone_mm']:g}: too few to be heard through."
    if known["speaker.cone_mm"] > known["speaker.across_mm"] - 2:
        yield f"the grille is {known['speaker.cone_mm']:g} mm wide under a speaker of {known['speaker.across_mm']:g}."
    ring = (known["guard.outer_mm"] - known["guard.inner_mm"]) / 2
    if ring < 8.0 or known["guard.inner_mm"] <= known["button.bezel_mm"][0]:
        bezel = known["button.bezel_mm"][0]
        yield f"the guard ring is {ring:.1f} mm wide round a bezel of {bezel:g}; it needs 8, and to be free of it."
    deep = known["station.height_mm"] - known["station.base_mm"] - known["ballast.bar_mm"][2]
    if (left := deep - known["button.depth_mm"]) < 0:
        yield f"the button is {-left:.1f} mm too deep for the station above its bar."
    half = known["station.length_mm"] / 2
    if (over := known["guard.outer_mm"] / 2 - known["station.button_y_mm"] - half) > 0:
        yield f"the guard ring stands {over:.1f} mm over the station's edge."
    if (over := known["guard.outer_mm"] - known["station.width_mm"]) > -2:
        wide = known["station.width_mm"]
        yield f"the guard ring is {known['guard.outer_mm']:g} mm wide on a station of {wide:g}; it needs 2 less."
    thick = known["clamp.arm_mm"] - known["clamp.nut_deep_mm"]
    if thick < 4.0:
        yield f"the clamp's arm leaves {thick:.1f} mm over its nut; allowed are 4 at least."
    for name in ("console.width_mm", "console.depth_mm", "station.length_mm", "station.width_mm"):
        if not 60 <= known[name] <= known["print.bed_mm"] - 10:
            yield f"{name} is {known[name]:g}; a bed of {known['print.bed_mm']:g} takes 10 less."


def _screws(known: dict[str, Any]) -> Iterator[str]:
    """Each screw's length that is left for its thread, against what holds and what its hole takes."""
    insert, post = known["print.insert_depth_mm"], known["pi.standoff_mm"]
    skirt = known["print.wall_mm"] + known["print.clearance_mm"]
    under_pi = HEAD_FLOOR_MM + post + known["pi.board_mm"]
    for whose, kind, long, through, room in (
        ("lid", "M3", SCREW_MM, skirt, insert),
        ("plate", "M3", FLAT_MM, known["station.base_mm"], known["station.screw_room_mm"]),
        ("clamp", "M3", SCREW_MM, known["console.floor_mm"], 99.0),
        ("Pi", "M2.5", LONG_MM, under_pi, known["carrier.above_pi_mm"] / 2),
        ("Zero", "M2.5", SHORT_MM, known["pi.board_mm"], post),
    ):
        held = long - through
        if not HOLDS_MM[kind] <= held <= room:
            yield (
                f"the {whose}'s screws {kind}×{long:g} go {held:.1f} mm into their threads; "
                f"{HOLDS_MM[kind]:g} hold, and there is room for {room:.1f}."
            )


def _number(known: dict[str, Any]) -> Iterator[str]:
    """The tongue of the guard ring carries the number whole, on the shell; a colour for each seat."""
    wide, thick = known["guard.tongue_mm"]
    high, stroke = known["station.number_mm"], known["station.number_mm"] * known["station.number_stroke"]
    needed = (high - stroke) * 4 / 6 + stroke + 4
    if wide < needed or thick < 2.4:
        yield f"the number's tongue is {wide:g} x {thick:g} mm; it needs {needed:.1f} x 2.4."
    ring = known["station.button_y_mm"] + known["guard.outer_mm"] / 2
    if (free := known["station.number_y_mm"] - high / 2 - ring) < 2.0:
        yield f"the number is {free:.1f} mm behind the guard ring; a finger needs 2."
    end = known["station.number_y_mm"] + high / 2 + known["guard.tongue_edge_mm"]
    last = known["station.length_mm"] / 2 - known["station.edge_mm"]
    if end > last:
        yield f"the number's tongue ends {end - last:.1f} mm beyond the station's top."
    if thick + known["station.number_up_mm"] > known["guard.height_mm"]:
        yield "the number stands higher than the guard ring; a hand would press it and not the button."
    for name in ("seat", "rgb"):
        colours = known[f"colours.{name}"]
        if not len(set(colours)) == len(colours) == COLOURS:
            yield f"colours.{name} has {len(set(colours))} different ones; {COLOURS} seats need {COLOURS}."


def _underside(known: dict[str, Any]) -> Iterator[str]:
    """Under the station's plate: strips of rubber between the screws at both ends, and the paper card between them."""
    long, wide, thick = known["rubber.strip_mm"]
    edge, head = known["rubber.edge_mm"], known["print.m3_head_mm"] / 2
    half_x, half_y = known["station.width_mm"] / 2, known["station.length_mm"] / 2
    inset, corner = known["station.post_inset_mm"], known["station.corner_mm"]
    free = min(half_x - inset - head, half_x - corner + (corner**2 - (corner - min(edge, corner)) ** 2) ** 0.5)
    if long / 2 > free:
        yield f"a strip of rubber is {long:g} mm long; between screws and round corners are {2 * free:.1f}."
    if thick < 1.5:
        yield f"a strip of rubber is {thick:g} mm thick; it needs 1.5 to keep card and screws off the table."
    across, along = known["card.size_mm"]
    room = 2 * min(half_y - edge - wide, half_y - inset - head)
    if across > 2 * half_x - 4 or along > room:
        yield f"the card is {across:g} x {along:g} mm; under a station are {2 * half_x - 4:g} x {room:.1f}."


def _sight(known: dict[str, Any]) -> Iterator[str]:
    """The display's text is tall and wide enough from every seat before it."""
    least = known["seats.least_mm"]
    for seat in sight.seats(known):
        seen, width = f"{seat.capital_mm:.1f} mm tall", f"{seat.width:.2f} of their width"
        where = f"{abs(seat.sideways_deg):g} degrees sideways, eyes {seat.eye_mm:g} mm over the table"
        if seat.capital_mm < least:
            yield f"a capital letter is seen {seen} from {where}; allowed is {least:g} at least."
        if seat.width < LEAST_WIDTH:
            yield f"letters are seen at {width} from {where}; allowed is {LEAST_WIDTH:g} at least."
