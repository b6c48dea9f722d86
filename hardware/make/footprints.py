"""Our own footprints, from the makers' drawings, a little longer for a soldering iron.

Millimetres, y down, seen from the component side. A footprint is generated both into the library and into the
board.
"""

from __future__ import annotations

from dataclasses import dataclass

LIBRARY = "referee"
SILK, COURT, FAB = "F.SilkS", "F.CrtYd", "F.Fab"


@dataclass(frozen=True)
class Pad:
    """One pad; `drill` 0: surface mount; `pasted`: a part is soldered to it."""

    number: str
    x: float
    y: float
    width: float
    height: float
    drill: float = 0.0
    shape: str = "roundrect"
    pasted: bool = True


@dataclass(frozen=True)
class Footprint:
    """Pads and outlines.

    `court`: left, top, right, bottom of the space it claims; `body` the same of the part.
    """

    name: str
    what: str
    pads: tuple[Pad, ...]
    body: tuple[float, float, float, float]
    court: tuple[float, float, float, float]
    mark: tuple[float, float] | None = None


def _two(name: str, what: str, reach: float, pad: tuple[float, float], body: tuple[float, float]) -> Footprint:
    """Two pads at plus and minus `reach`."""
    pads = (Pad("1", -reach, 0, *pad), Pad("2", reach, 0, *pad))
    half = (reach + pad[0] / 2 + 0.25, max(pad[1], body[1]) / 2 + 0.25)
    return Footprint(name, what, pads, _box(body[0] / 2, body[1] / 2), _box(*half))


def _gull(
    name: str, what: str, pins: int, row: float, pad: tuple[float, float], body: tuple[float, float]
) -> Footprint:
    """A chip with two rows of legs, 1.27 mm pitch; `row`: the pads' distance from the middle."""
    half = pins // 2
    top = -1.27 * (half - 1) / 2
    left = [Pad(str(n + 1), -row, top + 1.27 * n, *pad) for n in range(half)]
    right = [Pad(str(pins - n), row, top + 1.27 * n, *pad) for n in range(half)]
    court = _box(row + pad[0] / 2 + 0.25, body[1] / 2 + 0.25)
    return Footprint(name, what, (*left, *right), _box(body[0] / 2, body[1] / 2), court, (-row - pad[0] / 2, top - 0.9))


def _xh(pins: int) -> Footprint:
    """JST XH, upright: 2.5 mm pitch.

    The body reaches 2.45 mm beyond the outer pins, 2.35 mm behind and 3.4 mm before them.
    """
    pads = tuple(Pad(str(n + 1), 2.5 * n, 0, 1.7, 1.95, 1.0, "roundrect" if n == 0 else "oval") for n in range(pins))
    right = 2.5 * (pins - 1) + 2.45
    body = (-2.45, -2.35, right, 3.4)
    court = (body[0] - 0.14, body[1] - 0.14, body[2] + 0.14, body[3] + 0.14)
    return Footprint(f"XH{pins}", f"JST B{pins}B-XH-A", pads, body, court, (-1.75, 2.6))


def _ph(pins: int) -> Footprint:
    """JST PH, upright: 2.0 mm pitch.

    The body reaches 1.95 mm beyond the outer pins, 1.7 mm behind and 2.8 mm before them.
    """
    pads = tuple(Pad(str(n + 1), 2.0 * n, 0, 1.2, 1.75, 0.75, "roundrect" if n == 0 else "oval") for n in range(pins))
    body = (-1.95, -1.7, 2.0 * (pins - 1) + 1.95, 2.8)
    court = (body[0] - 0.14, body[1] - 0.14, body[2] + 0.14, body[3] + 0.14)
    return Footprint(f"PH{pins}", f"JST B{pins}B-PH-K", pads, body, court, (-1.3, 2.1))


def _pi_header() -> Footprint:
    """The Pi's 2x20 header for a board above it.

    Odd pins are in the row away from the edge, 1 at the left.
    """
    pads = tuple(
        Pad(
            str(2 * column + row + 1),
            2.54 * column,
            -2.54 * row,
            1.7,
            1.7,
            1.0,
            "rect" if column + row == 0 else "circle",
        )
        for column in range(20)
        for row in range(2)
    )
    return Footprint(
        "PI_HEADER", "2x20 socket, 2.54 mm", pads, (-1.27, -3.81, 49.53, 1.27), (-1.5, -4.0, 49.8, 1.5), (-2.0, 0)
    )


def _header(pins: int) -> Footprint:
    pads = tuple(Pad(str(n + 1), 2.54 * n, 0, 1.7, 1.7, 1.0, "rect" if n == 0 else "circle") for n in range(pins))
    right = 2.54 * (pins - 1) + 1.27
    return Footprint(
        f"HEADER{pins}",
        "pin header, 2.54 mm",
        pads,
        (-1.27, -1.27, right, 1.27),
        (-1.5, -1.5, right + 0.23, 1.5),
    )


def _radial(name: str, what: str, pitch: float, diameter: float) -> Footprint:
    half = pitch / 2
    pads = (Pad("1", -half, 0, 1.2, 1.2, 0.8, "rect"), Pad("2", half, 0, 1.2, 1.2, 0.8, "circle"))
    return Footprint(
        name,
        what,
        pads,
        _box(diameter / 2, diameter / 2),
        _box(diameter / 2 + 0.25, diameter / 2 + 0.25),
        (-diameter / 2 - 0.5, 0),
    )


def _box(x: float, y: float) -> tuple[float, float, float, float]:
    return (-x, -y, x, y)


FOOTPRINTS: dict[str, Footprint] = {
    footprint.name: footprint
    for footprint in (
        _two("R_0805", "resistor 0805, by hand", 1.0, (1.2, 1.4), (2.0, 1.25)),
        _two("C_0805", "capacitor 0805, by hand", 1.05, (1.2, 1.45), (2.0, 1.25)),
        _two("R_1206", "resistor 1206, by hand", 1.55, (1.3, 1.75), (3.2, 1.6)),
        _two("F_1812", "fuse 1812, by hand", 2.25, (1.4, 3.4), (4.5, 3.2)),
        _two("D_SOD323", "diode SOD-323, by hand", 1.2, (1.0, 0.8), (1.7, 1.25)),
        Footprint(
            "SOT23", "SOT-23, by hand",
            (Pad("1", -1.5, -0.95, 1.9, 0.8), Pad("2", -1.5, 0.95, 1.9, 0.8), Pad("3", 1.5, 0, 1.9, 0.8)),
            _box(0.65, 1.45), _box(2.7, 1.7), (-2.45, -1.75),
        ),
        _gull("SO8", "SO-8, 3.9 mm", 8, 2.6, (1.9, 0.65), (3.9, 4.9)),
        _gull("SO16", "SO-16, 3.9 mm", 16, 2.6, (1.9, 0.65), (3.9, 9.9)),
        _gull("SO18W", "SO-18, 7.5 mm", 18, 4.7, (2.1, 0.65), (7.5, 11.55)),
        _ph(2), _xh(2), _xh(3), _xh(4), _xh(5), _xh(7),
        _pi_header(),
        _header(7),
        Footprint(
            "TESTPOINT", "round pad for a meter's tip", (Pad("1", 0, 0, 1.5, 1.5, 0, "circle", pasted=False),),
            _box(0.75, 0.75), _box(1.0, 1.0),
        ),
        _radial("CP_5x11", "electrolytic, 5 mm wide", 2.0, 5.0),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Solid:
    """A 3D model of KiCad's own library: its file, where its origin is (mm), and its turn about x, y and z."""

    path: str
    at: tuple[float, float, float] = (0, 0, 0)
    turn: tuple[float, float, float] = (0, 0, 0)


BOARD_MM = 1.6
_SOCKET = "Connector_PinSocket_2.54mm.3dshapes/PinSocket"
SOLIDS = {
    "R_0805": Solid("Resistor_SMD.3dshapes/R_0805_2012Metric"),
    "C_0805": Solid("Capacitor_SMD.3dshapes/C_0805_2012Metric"),
    "R_1206": Solid("Resistor_SMD.3dshapes/R_1206_3216Metric"),
    "D_SOD323": Solid("Diode_SMD.3dshapes/D_SOD-323"),
    "SOT23": Solid("Package_TO_SOT_SMD.3dshapes/SOT-23"),
    "SO8": Solid("Package_SO.3dshapes/SOIC-8_3.9x4.9mm_P1.27mm"),
    "SO16": Solid("Package_SO.3dshapes/SOIC-16_3.9x9.9mm_P1.27mm"),
    "SO18W": Solid("Package_SO.3dshapes/SOIC-18W_7.5x11.6mm_P1.27mm"),
    "CP_5x11": Solid("Capacitor_THT.3dshapes/CP_Radial_D5.0mm_P2.00mm", at=(-1, 0, 0)),
    "PI_HEADER": Solid(f"{_SOCKET}_2x20_P2.54mm_Vertical", at=(0, 0, -BOARD_MM), turn=(180, 0, 90)),
    "HEADER7": Solid(f"{_SOCKET}_1x07_P2.54mm_Vertical", turn=(0, 0, -90)),
    "PH2": Solid("Connector_JST.3dshapes/JST_PH_B2B-PH-K_1x02_P2.00mm_Vertical"),
    **{
        f"XH{pins}": Solid(f"Connector_JST.3dshapes/JST_XH_B{pins}B-XH-A_1x0{pins}_P2.50mm_Vertical")
        for pins in (2, 3, 4, 5, 7)
    },
}
"""Footprint -> its model. KiCad has none of the fuse."""


def solid(name: str) -> list[str]:
    """A footprint's model, or nothing."""
    if (one := SOLIDS.get(name)) is None:
        return []
    at, turn = (" ".join(n(value) for value in values) for values in (one.at, one.turn))
    return [
        f'(model "${{KICAD9_3DMODEL_DIR}}/{one.path}.step" '
        f"(offset (xyz {at})) (scale (xyz 1 1 1)) (rotate (xyz {turn})))"
    ]


def library(name: str) -> str:
    """One footprint as a file of KiCad's library."""
    print_ = FOOTPRINTS[name]
    kind = "through_hole" if print_.pads[0].drill else "smd"
    return (
        f'(footprint "{name}" (version 20241229) (generator "hardware_make") (generator_version "9.0") (layer "F.Cu")\n'
        f'  (descr "{print_.what}")\n'
        f"  {text('Reference', 'REF**', print_, SILK)}\n  {text('Value', name, print_, FAB)}\n  (attr {kind})\n"
        + "".join(f"  {line}\n" for line in (*outline(print_), *(pad(one) for one in print_.pads), *solid(name)))
        + ")\n"
    )


def text(
    kind: str, content: str, print_: Footprint, layer: str, turn: float = 0, place: tuple[float, float] | None = None
) -> str:
    """A footprint's text, above its courtyard unless a place is given."""
    x, y = place or ((print_.court[0] + print_.court[2]) / 2, print_.court[1] - 0.7)
    size = "(effects (font (size 0.8 0.6) (thickness 0.12)))"
    hidden = " (hide yes)" if kind == "Value" else ""
    return f'(property "{kind}" "{content}" (at {n(x)} {n(y)} {n(turn)}) (layer "{layer}"){hidden} {size})'


def outline(print_: Footprint) -> list[str]:
    """Silk, courtyard and body; the silk keeps clear of the pads."""
    lines = [_rectangle(print_.court, COURT, 0.05), _rectangle(print_.body, FAB, 0.1)]
    if print_.pads[0].drill:
        lines.append(
            _rectangle(tuple(v + 0.06 * s for v, s in zip(print_.body, (-1, -1, 1, 1), strict=True)), SILK, 0.12)
        )
    else:
        reach = max(abs(pad_.y) + pad_.height / 2 for pad_ in print_.pads) + 0.2
        inside = min(abs(pad_.x) - pad_.width / 2 for pad_ in print_.pads) - 0.2
        edge = max(reach if len(print_.pads) > 2 else 0, print_.body[3])
        if len(print_.pads) > 2:
            lines += [_line((-inside, y), (inside, y), SILK) for y in (-edge - 0.06, edge + 0.06)]
        elif inside > 0.15:
            lines += [_line((-inside, y), (inside, y), SILK) for y in (-print_.body[3] - 0.06, print_.body[3] + 0.06)]
    if print_.mark is not None:
        x, y = print_.mark
        lines.append(
            f"(fp_circle (center {n(x)} {n(y)}) (end {n(x + 0.12)} {n(y)}) "
            f'(stroke (width 0.12) (type solid)) (fill yes) (layer "{SILK}"))'
        )
    return lines


def pad(one: Pad, net: str = "", turn: float = 0, *, by_track: bool = False) -> str:
    """A pad; with its net on a board. `by_track`: the poured copper keeps away from it."""
    through = one.drill > 0
    layers = '"*.Cu" "*.Mask"' if through else '"F.Cu" "F.Mask"' + (' "F.Paste"' if one.pasted else "")
    ratio = " (roundrect_rratio 0.25)" if one.shape == "roundrect" else ""
    drill = f" (drill {n(one.drill)})" if through else ""
    kind = "thru_hole" if through else "smd"
    angle = f" {n(turn)}" if turn else ""
    poured = " (zone_connect 0)" if by_track else ""
    return (
        f'(pad "{one.number}" {kind} {one.shape} (at {n(one.x)} {n(one.y)}{angle}) '
        f"(size {n(one.width)} {n(one.height)}){drill} (layers {layers}){ratio}{net}{poured})"
    )


def n(value: float) -> str:
    """A number of millimetres, shortest form."""
    return f"{round(value, 4) + 0:g}"


def _rectangle(box: tuple[float, ...], layer: str, width: float) -> str:
    left, top, right, bottom = box
    return (
        f"(fp_rect (start {n(left)} {n(top)}) (end {n(right)} {n(bottom)}) "
        f'(stroke (width {width}) (type solid)) (fill no) (layer "{layer}"))'
    )


def _line(a: tuple[float, float], b: tuple[float, float], layer: str) -> str:
    ends = f"(start {n(a[0])} {n(a[1])}) (end {n(b[0])} {n(b[1])})"
    return f'(fp_line {ends} (stroke (width 0.12) (type solid)) (layer "{layer}"))'
