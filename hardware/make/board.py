"""The carrier board for `full8`: a HAT's outline, the schematic's parts, placed by a table.

Millimetres from the board's upper left corner, y down, seen from the component side; the Pi's header is at the
upper edge, as on a HAT. Outline, holes and header: Raspberry Pi's "HAT mechanical specification" (65 x 56.5 mm,
holes of 2.7 mm at 3.5 mm from the edges and 49 mm apart). Tracks come from `routes.json`; `copper` reads them back
from a board that was routed again in KiCad. `checks` compares the board's pads with the schematic, and KiCad's design
rules check the whole.
"""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware.make import footprints
from hardware.make.footprints import FOOTPRINTS, SILK, Footprint, Pad, n
from hardware.make.netlist import Netlist

WIDTH, HEIGHT, CORNER = 65.0, 56.5, 3.0
HOLES = ((3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5))
HOLE = 2.7
ORIGIN = (100.0, 60.0)
"""The position of the board's corner on KiCad's page."""
TRACK, CLEARANCE, VIA, DRILL, EDGE = 0.25, 0.2, 0.6, 0.3, 0.5
"""Widths and gaps in mm that any board house makes; 0.25 mm of copper carry 0.8 A. The amplifier's supply is wider."""
POURED = "GND"
SUPPLIES = {"GND", "+3V3", "+5V", "+5V_LAMP"}
"""The supplies' nets; `POURED` is poured over both layers."""
REVISION = "rev C 2026-11"
ADDRESS = "card-table-referee"
"""The package's name, by which a finder gets to guide and sources."""
LICENCE = "CERN-OHL-P-2.0"
PLUG_NAMES = {
    **{f"J{number}": f"SEAT {number}" for number in range(1, 9)},
    "J11": "DISPLAY",
    "J12": "KNOB",
    "J13": "POWER",
    "J14": "PIEZO",
    "J15": "SYNC",
    "J16": "VOICE",
    "J17": "DISPLAY 2",
}
"""The label of each plug, printed where the plug does not hide it."""
PLUG_LABELS = {
    "J11": (6.98, 17.0, 90),
    "J12": (58.3, 14.3, 90),
    "J13": (58.75, 26.3, 90),
    "J14": (58.35, 34.0, 90),
    "J15": (40.2, 9.2, 90),
    "J16": (11.7, 13.2, 90),
    "J17": (6.74, 44.6, 90),
}
"""The labels' places; the stations' follow from their plugs'."""
SHORT = {"LINE": "IN", "LAMP+": "L+", "LAMP-": "L-"}
"""A station's pins, as the back has room for."""
TEST_NAMES = {"TP1": "5V", "TP2": "3V3", "TP3": "GND", "TP4": "LAMPS", "TP5": "OE"}
"""Labels of the test points on the board."""
TEXT, STROKE = 0.8, 0.12
GAP = 0.33
"""Height and stroke of every text, mm: the least that KiCad's own rules allow; from a part to its name."""
UNPRINTED = ("J16", "C97", "R3", "R83")
"""Parts without room for their name on the board; the drawings have it."""
BY_TRACK = {("J16", "6"), ("J17", "1")}
"""Ground pads among tracks, where the poured copper would be an island."""
FIDUCIALS = ((14.6, 13.5), (62.5, 44.0), (49.2, 15.0))
"""Round marks by which a placing machine finds the board, neither in line nor mirror images: mm."""
FIDUCIAL, FIDUCIAL_CLEAR = 1.0, 2.0
"""Diameter of the copper and of the bare ring round it (as usual: IPC-7351 asks for at least twice the copper)."""
_POLYGON = re.compile(r'\(filled_polygon \(layer "(?P<layer>[\w.]+)"\) \(pts (?P<points>[^\n]*)\)\)')
_POINT = re.compile(r"\(xy (\S+) (\S+)\)")
_NAMESPACE = uuid.UUID("0e6c2f0a-7f57-5c43-9d0b-5a3f0a8f6d11")

Place = tuple[float, float, int]
"""x, y of the footprint's origin and its turn in degrees, counter-clockwise."""


def places() -> dict[str, Place]:
    """The position of every part."""
    found: dict[str, Place] = {
        "J10": (8.37, 4.77, 0),
        "J11": (3.75, 9.5, 270), "J17": (3.75, 29.75, 270), "J15": (43.5, 8.8, 0),
        "J12": (61.25, 19.25, 90), "J13": (61.25, 27.25, 90), "J14": (61.25, 35.1, 90),
        "J16": (9.2, 27.0, 90), "R8": (12.6, 18.0, 270),
        "U1": (20.5, 17.4, 0), "U2": (33.5, 18.5, 0), "U3": (51.5, 28.3, 0),
        "C2": (20.5, 10.9, 0), "Q1": (24.0, 25.6, 180), "R1": (30.0, 29.0, 180), "R7": (24.0, 29.6, 180),
        "C3": (14.6, 24.8, 90), "C7": (9.6, 9.2, 0), "C8": (9.0, 30.1, 180),
        "F1": (41.7, 27.4, 90), "C1": (35.4, 28.3, 0),
        "R5": (42.9, 15.0, 90), "R6": (46.9, 15.0, 90), "D1": (44.9, 14.95, 270),
        "R91": (54.5, 9.9, 90), "R92": (56.9, 9.9, 90), "C91": (52.1, 9.9, 90),
        "R93": (54.5, 14.6, 90), "R94": (56.9, 14.6, 90), "C93": (52.1, 14.6, 90),
        "R95": (54.5, 19.3, 90), "C95": (52.1, 19.3, 90),
        "R97": (54.5, 23.6, 90), "C97": (52.1, 23.6, 90),
        "C4": (48.8, 22.0, 90), "C6": (46.4, 22.0, 90), "R2": (46.2, 28.3, 90),
        "C5": (56.9, 19.3, 90), "R3": (56.9, 23.6, 90), "R4": (56.9, 28.3, 90),
        "TP1": (20.0, 25.6, 0), "TP2": (12.5, 22.6, 0), "TP3": (60.0, 47.0, 0), "TP4": (59.25, 41.25, 0),
        "TP5": (20.6, 29.4, 0),
    }  # fmt: skip
    for number in range(1, 9):
        column, front = (number - 1) % 4, number > 4
        left = 9.75 + 12.75 * column
        found[f"J{number}"] = (left, 52.6 if front else 44.75, 0)
        down = 33.65 if front else 39.65
        found[f"D{number}1"] = (left + 1.2, 49.2, 0) if front else (left - 0.3, down + 0.6, 90)
        for ref, offset in (("C{}1", -2.2), ("R{}2", 1.55), ("R{}1", 3.5), ("R{}3", 7.8)):
            found[ref.format(number)] = (left + offset, down, 270)
    return found


@dataclass(frozen=True)
class Terminal:
    """A pad at its position on the board: half sizes after turning."""

    ref: str
    pad: Pad
    net: str
    x: float
    y: float
    half_width: float
    half_height: float


def net_name(name: str) -> str:
    """A net's name on the board: labels unchanged, the others by their first pad."""
    return name if not name.startswith("~") else name[1:].replace(".", "-")


def terminals(nets: Netlist) -> list[Terminal]:
    """Every pad of every placed part, and the fiducials, which no track may come near."""
    found = []
    for ref, (x, y, turn) in _placed_parts(nets):
        for pad in _footprint(nets, ref).pads:
            net = "" if (ref, pad.number) in nets.open_pins else net_name(nets.net(ref, pad.number))
            dx, dy = turn_point(pad.x, pad.y, turn)
            half = (pad.width / 2, pad.height / 2) if turn % 180 == 0 else (pad.height / 2, pad.width / 2)
            found.append(Terminal(ref, pad, net, x + dx, y + dy, *half))
    bare = FIDUCIAL_CLEAR / 2
    return found + [
        Terminal(f"FID{number}", Pad("", 0, 0, 2 * bare, 2 * bare), "", x, y, bare, bare)
        for number, (x, y) in enumerate(FIDUCIALS, start=1)
    ]


def turn_point(x: float, y: float, turn: int) -> tuple[float, float]:
    """Turn a point of a footprint counter-clockwise, y down."""
    cos, sin = round(math.cos(math.radians(turn))), round(math.sin(math.radians(turn)))
    return x * cos + y * sin, y * cos - x * sin


def text(nets: Netlist, routes: Mapping[str, Any], poured: Mapping[str, Any]) -> str:
    """Return the board as a file.

    `routes` and `poured` as the functions `routes` and `read_poured` return them.

    Raises ValueError if no net is ground.
    """
    names = sorted({net_name(name) for name in nets.nets if not _open(nets, name)})
    if POURED not in names:
        raise ValueError(
            f"the schematic has no net {POURED}, which is poured over both layers; it has {', '.join(names)}"
        )
    codes = {name: code for code, name in enumerate(names, start=1)}
    lines = [
        '(kicad_pcb (version 20241229) (generator "hardware_make") (generator_version "9.0")',
        '(general (thickness 1.6) (legacy_teardrops no)) (paper "A4")',
        '(title_block (title "Carrier board for full8") (comment 1 "generated by `make hardware`; do not edit"))',
        f"(layers {_LAYERS})",
        "(setup (pad_to_mask_clearance 0) (allow_soldermask_bridges_in_footprints no))",
        '(net 0 "")',
        *(f'(net {code} "{name}")' for name, code in codes.items()),
        *(_part(nets, ref, place, codes) for ref, place in _placed_parts(nets)),
        *(_hole(number, place) for number, place in enumerate(HOLES, start=1)),
        *(_fiducial(number, place) for number, place in enumerate(FIDUCIALS, start=1)),
        *_edge(),
        *_legend(nets),
        *(line for name, route in sorted(routes.items()) for line in _route(codes.get(name, 0), name, route)),
        *(_zone(codes[POURED], layer, poured.get(layer, ())) for layer in ("F.Cu", "B.Cu")),
        ")",
    ]
    return "\n".join(lines) + "\n"


def routes(root: Path) -> dict[str, Any]:
    """Read the tracks: net -> {"tracks": [[layer, x1, y1, x2, y2, width], ...], "vias": [[x, y], ...]}, mm.

    A track without a width has `TRACK`.
    """
    path = root / "board" / "routes.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def lengths_mm(tracks: Mapping[str, Any], nets: Netlist, stations: Iterable[int]) -> list[float]:
    """The length of copper between each station's plug and its pin, with branches."""
    return [
        sum(
            math.hypot(x2 - x1, y2 - y1)
            for name in (net_name(nets.net(f"J{number}", "1")), f"P{number}_BTN")
            for _, x1, y1, x2, y2, *_ in tracks.get(name, {"tracks": ()})["tracks"]
        )
        for number in stations
    ]


def write_routes(root: Path, found: Mapping[str, Any]) -> None:
    """Write the tracks, one net a line."""
    lines = [f"{json.dumps(net)}: {json.dumps(route)}" for net, route in sorted(found.items())]
    (root / "board" / "routes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read_poured(root: Path) -> dict[str, Any]:
    """Read the ground's copper from the carrier board, as KiCad last filled it.

    It maps layers to polygons of [x, y] in nanometres of KiCad's page.
    """
    path = root / "board" / "carrier.kicad_pcb"
    found: dict[str, Any] = {}
    for match in _POLYGON.finditer(path.read_text(encoding="utf-8") if path.is_file() else ""):
        points = [[round(float(x) * 1e6), round(float(y) * 1e6)] for x, y in _POINT.findall(match["points"])]
        found.setdefault(match["layer"], []).append(points)
    return found


def project() -> str:
    """The design rules that the board is checked by."""
    rules = {
        "min_clearance": CLEARANCE,
        "min_track_width": TRACK,
        "min_via_diameter": VIA,
        "min_through_hole_diameter": DRILL,
        "min_copper_edge_clearance": EDGE,
        "min_hole_clearance": 0.25,
        "min_hole_to_hole": 0.5,
    }
    default = {
        "name": "Default",
        "clearance": CLEARANCE,
        "track_width": TRACK,
        "via_diameter": VIA,
        "via_drill": DRILL,
    }
    whole = {
        "board": {"design_settings": {"rules": rules}},
        "meta": {"filename": "carrier.kicad_pro", "version": 3},
        "net_settings": {"classes": [default], "meta": {"version": 4}},
    }
    return json.dumps(whole, indent=2) + "\n"


# -- pieces --------------------------------------------------------------------------------------------------------

_LAYERS = (
    '(0 "F.Cu" signal) (2 "B.Cu" signal) (9 "F.Adhes" user) (11 "B.Adhes" user) (13 "F.Paste" user) '
    '(15 "B.Paste" user) (5 "F.SilkS" user) (7 "B.SilkS" user) (1 "F.Mask" user) (3 "B.Mask" user) '
    '(25 "Edge.Cuts" user) (27 "Margin" user) (31 "F.CrtYd" user) (29 "B.CrtYd" user) (35 "F.Fab" user) '
    '(33 "B.Fab" user)'
)


def _open(nets: Netlist, name: str) -> bool:
    return nets.nets[name] <= nets.open_pins


def _placed_parts(nets: Netlist) -> list[tuple[str, Place]]:
    """The schematic's parts that have a position and one of our footprints.

    The checks report the others.
    """
    known = {ref for ref, part in nets.components.items() if part.footprint.partition(":")[2] in FOOTPRINTS}
    return [(ref, place) for ref, place in places().items() if ref in known]


def _footprint(nets: Netlist, ref: str) -> Footprint:
    return FOOTPRINTS[nets.components[ref].footprint.partition(":")[2]]


def _part(nets: Netlist, ref: str, place: Place, codes: Mapping[str, int]) -> str:
    component, print_ = nets.components[ref], _footprint(nets, ref)
    x, y, turn = place
    kind = "through_hole" if print_.pads[0].drill else "smd"
    lines = [
        f'(footprint "{component.footprint}" (layer "F.Cu") (uuid "{_id(ref)}") (at {_xy(x, y)} {turn})',
        footprints.text(
            "Reference",
            ref,
            print_,
            "F.Fab" if ref in UNPRINTED else SILK,
            _text_turn(ref, turn),
            _reference_place(ref, print_, turn),
        ),
        footprints.text("Value", component.value, print_, "F.Fab", _upright(turn)),
        f"(attr {kind})",
        *footprints.outline(print_),
    ]
    for pad in print_.pads:
        net = "" if (ref, pad.number) in nets.open_pins else net_name(nets.net(ref, pad.number))
        at = f' (net {codes[net]} "{net}")' if net else ""
        lines.append(footprints.pad(pad, at, turn, by_track=(ref, pad.number) in BY_TRACK))
    lines += footprints.solid(print_.name)
    return "\n  ".join(lines) + ")"


def _text_turn(ref: str, turn: int) -> int:
    """The turn of a label: along for plugs, horizontal for small parts."""
    return _upright(turn) if ref.startswith("J") and ref != "J16" else 0


def _upright(turn: int) -> int:
    """The absolute angle of a text, never upside down."""
    return 90 if turn % 180 else 0


def _reference_place(ref: str, print_: Footprint, turn: int) -> tuple[float, float]:
    """The position of a reference in the footprint's own axes: in a large body, else above the part."""
    left, top, right, bottom = print_.body
    if ref.startswith("U"):
        return (left + right) / 2, (top + bottom) / 2
    if ref.startswith("J") and ref not in ("J10", "J16"):
        return (left + right) / 2, bottom - (0.5 if print_.name == "PH2" else 0.8)
    corners = [turn_point(x, y, turn) for x in print_.court[::2] for y in print_.court[1::2]]
    middle = (min(x for x, _ in corners) + max(x for x, _ in corners)) / 2
    if ref == "J10":
        return turn_point(middle, max(y for _, y in corners) + 0.6, -turn)
    if ref == "D1":
        return turn_point(middle, max(y for _, y in corners) + GAP, -turn)
    if ref in ("C8", "Q1", "D51", "D61", "D71", "D81"):
        return turn_point(max(x for x, _ in corners) + 0.9, 0, -turn)
    return turn_point(middle, min(y for _, y in corners) - GAP, -turn)


def _hole(number: int, place: tuple[float, float]) -> str:
    pad = f'(pad "" np_thru_hole circle (at 0 0) (size {HOLE} {HOLE}) (drill {HOLE}) (layers "*.Cu" "*.Mask"))'
    ring = '(fp_circle (center 0 0) (end 3.1 0) (stroke (width 0.05) (type solid)) (fill no) (layer "F.CrtYd"))'
    head = f'(footprint "HOLE" (layer "F.Cu") (uuid "{_id(f"H{number}")}") (at {_xy(*place)})'
    looks = f"(effects (font (size {TEXT} {TEXT}) (thickness {STROKE})))"
    name = f'(property "Reference" "H{number}" (at 0 0) (layer "F.Fab") {looks})'
    return f"{head} {name} (attr exclude_from_pos_files exclude_from_bom) {ring} {pad})"


def _fiducial(number: int, place: tuple[float, float]) -> str:
    margin = (FIDUCIAL_CLEAR - FIDUCIAL) / 2
    pad = (
        f'(pad "" smd circle (at 0 0) (size {n(FIDUCIAL)} {n(FIDUCIAL)}) (layers "F.Cu" "F.Mask") '
        f"(solder_mask_margin {n(margin)}) (clearance {n(margin)}))"
    )
    ring = (
        f"(fp_circle (center 0 0) (end {n(FIDUCIAL_CLEAR / 2 + 0.25)} 0) (stroke (width 0.05) (type solid)) "
        '(fill no) (layer "F.CrtYd"))'
    )
    head = f'(footprint "FIDUCIAL" (layer "F.Cu") (uuid "{_id(f"FID{number}")}") (at {_xy(*place)})'
    looks = f"(effects (font (size {TEXT} {TEXT}) (thickness {STROKE})))"
    name = f'(property "Reference" "FID{number}" (at 0 0) (layer "F.Fab") {looks})'
    return f"{head} {name} (attr smd exclude_from_pos_files exclude_from_bom) {ring} {pad})"


def _edge() -> Iterable[str]:
    w, h, c = WIDTH, HEIGHT, CORNER
    lines = (((c, 0), (w - c, 0)), ((w, c), (w, h - c)), ((w - c, h), (c, h)), ((0, h - c), (0, c)))
    for number, (a, b) in enumerate(lines):
        yield (
            f"(gr_line (start {_xy(*a)}) (end {_xy(*b)}) (stroke (width 0.1) (type solid)) "
            f'(layer "Edge.Cuts") (uuid "{_id(f"edge{number}")}"))'
        )
    d = c * (1 - math.sqrt(0.5))
    arcs = (
        ((0, c), (d, d), (c, 0)),
        ((w - c, 0), (w - d, d), (w, c)),
        ((w, h - c), (w - d, h - d), (w - c, h)),
        ((c, h), (d, h - d), (0, h - c)),
    )
    for number, (a, m, b) in enumerate(arcs):
        yield (
            f"(gr_arc (start {_xy(*a)}) (mid {_xy(*m)}) (end {_xy(*b)}) (stroke (width 0.1) (type solid)) "
            f'(layer "Edge.Cuts") (uuid "{_id(f"corner{number}")}"))'
        )


def label_place(ref: str) -> Place:
    """The place of a plug's label, where the plug does not hide it."""
    if ref in PLUG_LABELS:
        return PLUG_LABELS[ref]
    x, y, _ = places()[ref]
    return (x + 8.0, places()["D51"][1], 0) if int(ref[1:]) > 4 else (x + 5.55, y - 5.1, 90)


def pin_labels(nets: Netlist) -> Iterable[tuple[str, Place]]:
    """The name of each plug's pin and its place on the back, beside the pin."""
    for ref in PLUG_NAMES:
        x, y, turn = places()[ref]
        for pad in _footprint(nets, ref).pads:
            name = nets.pin_names.get((ref, pad.number), "")
            shown = SHORT.get(name, name)
            along = 1.3 + 0.36 * len(shown)
            if turn:
                dx, dy = turn_point(pad.x, along if ref == "J16" else -along, turn)
                yield shown, (x + dx, y + dy, 0)
            elif ref == "J15":
                yield shown, (x + pad.x, y + along, 90)
            else:
                yield shown, (x + pad.x, y + 1.8, 0)


def _legend(nets: Netlist) -> Iterable[str]:
    """The texts for the builder: each plug's label, its pins on the back, the board's name and licence."""
    words = [("full8", (14.0, 28.4, 0)), (REVISION.partition(" 2")[0], (14.0, 29.8, 0)), ("+", (32.2, 27.2, 0))]
    words += [(use, label_place(ref)) for ref, use in PLUG_NAMES.items()]
    words += [(name, (places()[ref][0], places()[ref][1] - 2.45, 0)) for ref, name in TEST_NAMES.items()]
    behind = [
        (line, (32.5, 16.5 + 1.5 * number, 0))
        for number, line in enumerate((ADDRESS, f"full8 {REVISION}", LICENCE, "NOT NETWORK: seats 1 to 8"))
    ]
    behind += pin_labels(nets)
    for layer, texts in ((SILK, words), ("B.SilkS", behind)):
        mirror = " (justify mirror)" if layer == "B.SilkS" else ""
        for number, (content, (x, y, turn)) in enumerate(texts):
            yield (
                f'(gr_text "{content}" (at {_xy(x, y)} {turn}) (layer "{layer}") (uuid "{_id(f"{layer} {number}")}") '
                f"(effects (font (size {TEXT} {TEXT}) (thickness {STROKE})){mirror}))"
            )


def _route(code: int, name: str, route: Mapping[str, Any]) -> Iterable[str]:
    for number, (layer, x1, y1, x2, y2, *width) in enumerate(route["tracks"]):
        yield (
            f"(segment (start {_xy(x1, y1)}) (end {_xy(x2, y2)}) (width {n(*width or (TRACK,))}) "
            f'(layer "{layer}") (net {code}) (uuid "{_id(f"{name}/track{number}")}"))'
        )
    for number, (x, y) in enumerate(route["vias"]):
        yield (
            f'(via (at {_xy(x, y)}) (size {VIA}) (drill {DRILL}) (layers "F.Cu" "B.Cu") '
            f'(net {code}) (uuid "{_id(f"{name}/via{number}")}"))'
        )


def _zone(code: int, layer: str, poured: Iterable[Any]) -> str:
    m = EDGE
    corners = ((m, m), (WIDTH - m, m), (WIDTH - m, HEIGHT - m), (m, HEIGHT - m))
    outline = " ".join(f"(xy {_xy(x, y)})" for x, y in corners)
    return (
        f'(zone (net {code}) (net_name "{POURED}") (layer "{layer}") (uuid "{_id(f"zone {layer}")}") (hatch edge 0.5) '
        f"(connect_pads (clearance {CLEARANCE})) (min_thickness 0.2) (filled_areas_thickness no) "
        f"(fill yes (thermal_gap 0.3) (thermal_bridge_width 0.4)) (polygon (pts {outline}))\n"
        + "".join(f'(filled_polygon (layer "{layer}") (pts {_nanometres(points)}))\n' for points in poured)
        + ")"
    )


def _nanometres(points: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"(xy {x / 1e6:.6f} {y / 1e6:.6f})" for x, y in points)


def _xy(x: float, y: float) -> str:
    return f"{n(x + ORIGIN[0])} {n(y + ORIGIN[1])}"


def _id(tag: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, tag))
