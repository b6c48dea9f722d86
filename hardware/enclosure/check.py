"""Checks that the enclosure can be printed, assembled and used; each fault is one sentence.

The models are rebuilt from the parameters (also from changed ones, by which the tests introduce faults). Each print
must be one valid solid that fits the bed; in the assembly no parts may overlap; the window must be over the
display; the knob must be free to be pushed and the plugs must reach. The files in parts/
must match the parameters, if `make hardware` has made them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from build123d import Pos

from hardware.enclosure import bought, console, overhang
from hardware.enclosure.assembly import (
    Thing,
    console_things,
    pod_things,
    prints,
    stand_things,
    station_prints,
    station_things,
    zero_things,
)
from hardware.enclosure.export import MANIFEST, PARTS, PRESET_PARTS, describe, has_step
from hardware.enclosure.parameters import PRESETS, fingerprint
from hardware.enclosure.shapes import block
from hardware.enclosure.stl import read

LEAST_MM3 = 1.0
"""Overlap in mm³ below which two parts only touch."""
PLUG_MM = 40.0
"""Length of a plug with its bend, outside a socket."""
PUSH_MM = 1.0
REBUILT = 0.0005
"""Relative difference of a rebuilt volume, by rounding only; SAME_VOLUME: of a mesh, with its facets."""
SAME_VOLUME = 0.01
SAME_MM = 0.2


WINDOW_MM = {"console-base": 57.0}
"""Bridges longer than `overhang` allows, for which the guide recommends support: the ports' window."""

ROOMS = ("console", "zero", "stand", "station", "pod", "prints", "files")


def faults(p: SimpleNamespace, rooms: Collection[str] = ROOMS, preset: str = "") -> list[str]:
    """Every fault of these parameters in those rooms.

    "files": the committed files must match them, too.

    preset: the preset of the station; only the station's prints depend on it.
    """
    found: list[str] = []
    if "console" in rooms:
        found += _console(p)
    if "zero" in rooms:
        found += [*_clashes(zero_things(p)), *_zero(p)]
    if "stand" in rooms:
        found += _clashes(stand_things(p))
    if "station" in rooms:
        found += [*_clashes(station_things(p)), *_guard(p)]
    if "pod" in rooms:
        found += _clashes([thing for thing in pod_things(p) if not thing.name.startswith("pico")])
    if {"prints", "files"} & set(rooms):
        solids = station_prints(p) if preset else prints(p)
        found += _prints(p, solids)
        found += _files(solids, preset) if "files" in rooms else []
    return found


def _prints(p: SimpleNamespace, solids: dict[str, Any]) -> Iterator[str]:
    for name, solid in solids.items():
        size = solid.bounding_box().size
        longest = max(size.X, size.Y, size.Z)
        if longest > p.print.bed_mm:
            yield f"{name} is {longest:.1f} mm long, the bed has {p.print.bed_mm:.0f}"
        if not solid.is_valid or len(solid.solids()) != 1:
            valid = "valid" if solid.is_valid else "not valid"
            yield f"{name} is {len(solid.solids())} solids, {valid}; one valid solid is allowed"
        yield from _overhangs(name, solid)


def _overhangs(name: str, solid: Any) -> Iterator[str]:
    """Complain of material that would be printed in the air."""
    found = overhang.hanging(overhang.triangles(solid))
    if found.tongue_mm > overhang.TONGUE_MM:
        far = f"{found.tongue_mm:.1f} mm of it hang in the air at {found.where}"
        yield f"{name} needs support: {far}; flatter than 45 degrees allowed are {overhang.TONGUE_MM:g}"
    longest = WINDOW_MM.get(name, overhang.BRIDGE_MM)
    if found.bridge_mm > longest:
        yield f"{name} has a bridge of {found.bridge_mm:.1f} mm, allowed are {longest:g}"


def _console(p: SimpleNamespace) -> Iterator[str]:
    things = console_things(p)
    yield from _clashes(things)
    sight = bought.sight(p)
    for thing in things:
        if thing.name not in ("display", "pane") and _common(sight, thing.solid) > LEAST_MM3:
            yield f"{thing.name} hides the display: {_common(sight, thing.solid):.0f} mm³ stand over its active area"
    by_name = {thing.name: thing.solid for thing in things}
    pushed = console.on_lid(p, p.encoder.at_mm) * Pos(0, 0, p.knob.above_lid_mm - PUSH_MM) * console.knob(p)
    if _common(pushed, by_name["console-lid"]) > LEAST_MM3:
        yield f"the knob cannot be pushed by {PUSH_MM} mm: the lid is in the way"
    for name, solid in by_name.items():
        if name.startswith("socket") and not _is_under(solid, by_name["console-lid"]):
            yield f"{name} stands in the rain: the eave does not reach over it"
    for name, room in _plugs(p):
        for part in ("console-base", "console-lid", "clamp"):
            if _common(room, by_name[part]) > LEAST_MM3:
                yield f"no plug reaches {name}: {part} is in the way"


def _zero(p: SimpleNamespace) -> Iterator[str]:
    """Check the space for an angled plug in the Zero's power socket."""
    z = p.zero
    low = p.pi.board_mm
    room = block(
        (z.power_at_mm - 5.5, z.edge_mm - 14, low - 2.0),
        (z.power_at_mm + 5.5, z.edge_mm - z.port_overhang_mm, low + 5.5),
    )
    for name, solid in (("zero-mount", console.pi_place(p) * console.zero_mount(p)), ("console-base", console.base(p))):
        if _common(console.pi_place(p) * room, solid) > LEAST_MM3:
            yield f"no plug reaches the Zero's power socket: {name} is in the way"


def _is_under(solid: Any, roof: Any) -> bool:
    """Whether the roof's outline, seen from above, covers the solid's."""
    under, over = solid.bounding_box(), roof.bounding_box()
    return bool(
        over.min.X < under.min.X and under.max.X < over.max.X and over.min.Y < under.min.Y and under.max.Y < over.max.Y
    )


def _plugs(p: SimpleNamespace) -> Iterator[tuple[str, Any]]:
    """The space that must stay free outside the sockets."""
    rear, k = p.console.depth_mm, p.keystone
    for n, x in enumerate(reversed(console.socket_xs(p)), start=1):
        low = k.up_mm + k.lug_mm + 3
        yield f"socket {n}", block((x - 5.9, rear + k.proud_mm, low), (x + 5.9, rear + PLUG_MM, low + 12))
    corner = console.pi_place(p).position
    low = corner.Z + p.pi.board_mm
    yield (
        "the USB ports",
        block(
            (corner.X - 54, rear - p.print.wall_mm - 1, low + 0.5),
            (corner.X - 3, rear + PLUG_MM, low + p.pi.port_height_mm - 0.5),
        ),
    )


def _guard(p: SimpleNamespace) -> Iterator[str]:
    over = p.button.plunger_mm[1] - p.guard.height_mm
    if not 0 <= over <= 2:
        yield f"the button stands {over:.1f} mm over its guard ring, allowed is 0 to 2"


def _clashes(things: Sequence[Thing]) -> Iterator[str]:
    for one, other in combinations(things, 2):
        common = _common(one.solid, other.solid)
        if common > LEAST_MM3:
            yield f"{one.name} and {other.name} run into each other by {common:.0f} mm³"


def _common(one: Any, other: Any) -> float:
    """The volume of the overlap, mm³."""
    a, b = one.bounding_box(optimal=False), other.bounding_box(optimal=False)
    if any(getattr(a.min, k) >= getattr(b.max, k) or getattr(b.min, k) >= getattr(a.max, k) for k in "XYZ"):
        return 0.0
    both = one & other
    return float(both.volume) if both is not None else 0.0


def _files(solids: dict[str, Any], preset: str) -> Iterator[str]:
    told = json.loads(MANIFEST.read_text(encoding="utf-8"))
    folder = PRESET_PARTS / preset if preset else PARTS
    made_here = folder.is_dir()
    if (told["fingerprint"], told["presets_fingerprint"]) != (fingerprint(), fingerprint(PRESETS)):
        yield f"{folder.name}/ was made from other parameters; run `make hardware`"
    for name, solid in solids.items():
        made, listed = describe(solid), (told["presets"].get(preset, {}) if preset else told["parts"]).get(name)
        if listed is None or abs(listed["volume_mm3"] / made["volume_mm3"] - 1) > REBUILT:
            yield f"parts.json tells another {name} than the sources make; run `make hardware`"
        if made_here:
            yield from _file(folder, name, made)


def _file(folder: Path, name: str, wanted: dict[str, Any]) -> Iterator[str]:
    suffixes = ("stl", "3mf", "step") if has_step(name) else ("stl", "3mf")
    missing = [suffix for suffix in suffixes if not (folder / f"{name}.{suffix}").exists()]
    if missing:
        yield f"{folder.name}/{name} is missing as {', '.join(missing)}; run `make hardware`"
        return
    skin = read(folder / f"{name}.stl")
    if skin.open_edges:
        yield f"{folder.name}/{name}.stl is not watertight: {skin.open_edges} open edges"
    off = max(abs(a - b) for a, b in zip(skin.box_mm, wanted["box_mm"], strict=True))
    if off > SAME_MM or abs(skin.volume_mm3 / wanted["volume_mm3"] - 1) > SAME_VOLUME:
        yield f"{folder.name}/{name}.stl is another part than the parameters make; run `make hardware`"
