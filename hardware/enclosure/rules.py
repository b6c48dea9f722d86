"""Design rules of the printed parts that need no model: walls, holes, screws.

The limits of single dimensions are in `limits`; here are the rules between two of them. `check` tests whether
solids overlap, which needs the CAD tool.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardware.enclosure import limits, sight

SKIN_MM = 1.2
"""Minimum thickness under a recess: four layers of 0.3 mm."""
SCREW_MM, FLAT_MM, LONG_MM, SHORT_MM = 8.0, 10.0, 12.0, 6.0
"""The lists' screws: M3 of guard ring, lid, hood and clamp; M3 countersunk of the station's plate; M2.5 through the
Pi; M2.5 of the display and the Zero.
"""
HOLDS_MM = {"M3": 4.0, "M2.5": 3.5}
"""Minimum length of a screw in its thread: an insert's length, or 1.4 times the screw if it cuts its own."""
HEAD_FLOOR_MM = 1.0
"""Minimum floor over the heads of the screws through the Pi's posts."""
COLOURS = 8
LEAST_WIDTH = 0.5
"""Width ratio below which letters are guessed instead of read."""


def complaints(path: Path) -> Iterator[str]:
    """Complain of wrong parameters in that file, and of each preset next to it."""
    if not path.is_file():
        yield f"{path.name} is missing: the printed parts have no dimensions."
        return
    known = dimensions(path)
    for name in sorted(limits.NAMES):
        if name not in known:
            yield f"{path.name} has no {name}, which a rule asks for."
            return
    yield from _dimensions(known, "")
    beside = path.with_name("presets.toml")
    for preset, changed in tomllib.loads(beside.read_text(encoding="utf-8")).items() if beside.is_file() else ():
        changes = {name: value for name, value in changed.items() if name != "what"}
        if preset not in limits.BUTTONS_MM or not changes.keys() <= known.keys():
            strange = sorted(changes.keys() - known.keys())
            yield f"preset {preset}: {strange[0] + ' is no parameter' if strange else 'no rule knows its button'}."
        else:
            yield from (f"preset {preset}: {text}" for text in _dimensions(known | changes, preset))
            yield from (f"preset {preset}: {text}" for text in _described(changed))


def _dimensions(known: dict[str, Any], preset: str) -> Iterator[str]:
    yield from limits.complaints(known, preset)
    yield from _together(known)


def _described(preset: dict[str, Any]) -> Iterator[str]:
    """Check the hole that a preset's words name."""
    hole = preset["button.hole_mm"]
    for told in re.findall(r"(\d+) mm hole", preset["what"]):
        if not 0 <= hole - float(told) <= 1:
            yield f"it is '{preset['what']}', and button.hole_mm is {hole:g}."


def dimensions(path: Path) -> dict[str, Any]:
    """The parameters of that file as "section.name" -> value; empty if it is missing."""
    return flat(tomllib.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def flat(document: dict[str, Any]) -> dict[str, Any]:
    """The parameters as "section.name" -> value."""
    return {f"{part}.{name}": value for part, table in document.items() for name, value in table.items()}


def _together(known: dict[str, Any]) -> Iterator[str]:
    """Check the space that two dimensions leave between them."""
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
    if (room := known["pod.height_mm"] - known["pod.board_mm"][2] - known["pod.wires_mm"]) < known["pod.lip_mm"]:
        yield f"the pod's lid is {room:.1f} mm over the wires; its lip needs {known['pod.lip_mm']:g}."
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
    """Check each screw's length in its thread against the minimum and its hole's depth."""
    insert, post = known["print.insert_depth_mm"], known["pi.standoff_mm"]
    skirt = known["print.wall_mm"] + known["print.clearance_mm"]
    under_pi = HEAD_FLOOR_MM + post + known["pi.board_mm"]
    for whose, kind, long, through, room in (
        ("lid", "M3", SCREW_MM, skirt, insert),
        ("plate", "M3", FLAT_MM, known["station.base_mm"], known["station.screw_room_mm"]),
        ("clamp", "M3", SCREW_MM, known["console.floor_mm"], 99.0),
        ("pod's lid", "M3", SCREW_MM, known["pod.lid_mm"], insert),
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
    """Check that the guard ring's tongue holds the whole number, and that each seat has a colour.

    The number must be visible at 45 degrees from the seat.
    """
    wide, thick = known["guard.tongue_mm"]
    high, stroke = known["station.number_mm"], known["station.number_mm"] * known["station.number_stroke"]
    needed = (high - stroke) * 4 / 6 + stroke + 4
    if wide < needed or thick < 2.4:
        yield f"the number's tongue is {wide:g} x {thick:g} mm; it needs {needed:.1f} x 2.4."
    ring = known["station.button_y_mm"] + known["guard.outer_mm"] / 2
    if (free := known["station.number_y_mm"] - high / 2 - ring) < 2.0:
        yield f"the number is {free:.1f} mm behind the guard ring; a finger needs 2."
    if (needed := known["guard.height_mm"] - thick - known["station.number_up_mm"]) > free:
        yield f"the number is {free:.1f} mm behind the guard ring, which hides it from its player; {needed:.1f} do not."
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
    """Check the station's underside: rubber strips between the screws, the paper card between them."""
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
    """Check that the display's text is tall and wide enough from every seat."""
    least = known["seats.least_mm"]
    if known["seats.distance_mm"] <= max(known["seats.eye_mm"]):
        return  # no such seat: the limits complain
    for seat in sight.seats(known):
        seen, width = f"{seat.capital_mm:.1f} mm tall", f"{seat.width:.2f} of their width"
        where = f"{abs(seat.sideways_deg):g} degrees sideways, eyes {seat.eye_mm:g} mm over the table"
        if seat.capital_mm < least:
            yield f"a capital letter is seen {seen} from {where}; allowed is {least:g} at least."
        if seat.width < LEAST_WIDTH:
            yield f"letters are seen at {width} from {where}; allowed is {LEAST_WIDTH:g} at least."
