"""Line drawings of console and station in mm: three views and one from the corner."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from build123d import Compound, GeomType

from hardware.enclosure.assembly import console_things, station_things
from hardware.enclosure.parameters import FINGERPRINT, HERE, fingerprint

FOLDER = HERE / "drawings"
FAR_MM = 3000.0
VIEWS = {
    "from above": ((0, 0, 1), (0, 1, 0)),
    "from the front": ((0, -1, 0), (0, 0, 1)),
    "from the right": ((1, 0, 0), (0, 0, 1)),
    "from behind": ((0, 1, 0), (0, 0, 1)),
}
CHORD_MM = 1.0
MARGIN_MM = 14.0

Line = list[tuple[float, float]]


def write(p: SimpleNamespace) -> list[Path]:
    """Write both sheets, as SVG in millimetres."""
    FOLDER.mkdir(exist_ok=True)
    sheets = {"console": console_things(p), "station": station_things(p)}
    out = []
    for name, things in sheets.items():
        path = FOLDER / f"{name}.svg"
        path.write_text(
            _sheet(name, Compound(children=[thing.solid for thing in things if thing.name != "power plug"])),
            encoding="utf-8",
        )
        out.append(path)
    return out


def _sheet(name: str, whole: Any) -> str:
    drawn = []
    y = MARGIN_MM
    widest = 0.0
    for title, (towards, up) in VIEWS.items():
        lines = _lines(whole, towards, up)
        left, low, right, top = _extent(lines)
        at = (MARGIN_MM - left, y + 6 + top)
        drawn += [
            f'<text x="{MARGIN_MM}" y="{y + 2:.1f}">{name} {title}, {right - left:.0f} × {top - low:.0f} mm</text>'
        ]
        drawn += [_path(line, at) for line in lines]
        y += top - low + 6 + MARGIN_MM
        widest = max(widest, right - left)
    width, height = widest + 2 * MARGIN_MM, y
    body = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}mm" height="{height:.0f}mm" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="4">\n'
        f"<!-- {FINGERPRINT} {fingerprint()} -->\n"
        f'<rect width="100%" height="100%" fill="white"/>\n'
        f'<g fill="none" stroke="black" stroke-width="0.25" stroke-linecap="round">\n{body}\n</g></svg>\n'
    ).replace("<text ", '<text fill="black" stroke="none" ')


def _lines(whole: Any, towards: Sequence[float], up: Sequence[float]) -> list[Line]:
    eye = tuple(FAR_MM * part for part in towards)
    visible, _ = whole.project_to_viewport(eye, up, (0, 0, 0))
    lines = []
    for edge in visible:
        steps = 1 if edge.geom_type == GeomType.LINE else max(3, min(90, ceil(edge.length / CHORD_MM)))
        lines.append([(round(v.X, 2), round(v.Y, 2)) for v in (edge @ (n / steps) for n in range(steps + 1))])
    return sorted(lines)


def _extent(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    xs = [x for line in lines for x, _ in line]
    ys = [y for line in lines for _, y in line]
    return min(xs), min(ys), max(xs), max(ys)


def _path(line: Line, at: tuple[float, float]) -> str:
    points = " ".join(f"{at[0] + x:.2f},{at[1] - y:.2f}" for x, y in line)
    return f'<polyline points="{points}"/>'
