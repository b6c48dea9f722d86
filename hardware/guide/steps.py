"""The guide's pictures of the enclosure, one a step, from the solids that are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import cos, radians, sin
from pathlib import Path
from types import SimpleNamespace

from build123d import Pos

from hardware.enclosure import hood as wedge
from hardware.enclosure import parameters, render
from hardware.enclosure import pod as enclosure_pod
from hardware.enclosure.assembly import (
    Thing,
    console_things,
    pod_things,
    prints,
    stand_things,
    station_things,
    zero_things,
)
from hardware.enclosure.console import clamp_screws, skirt_screws
from hardware.enclosure.shapes import lying_x, lying_y, upright
from hardware.enclosure.station import post_places, ring_screws

PICTURES = Path(__file__).resolve().parent / "pictures"
SIZE = (900, 600)
OLD, NEW = (206, 211, 220), (244, 190, 92)
COLOURS = {
    "pi": (112, 178, 128),
    "pico": (112, 178, 128),
    "carrier": (96, 150, 205),
    "display": (70, 90, 120),
    "pane": (196, 224, 240),
}
BRASS, STEEL = (222, 178, 70), (150, 156, 166)
FROM_FRONT, FROM_REAR, FROM_BELOW, FROM_ABOVE = (-0.5, -1, 0.9), (0.6, 1, 0.7), (-0.4, -0.9, -1.0), (-0.4, -0.8, 1.3)

Shift = tuple[float, float, float]


def write(p: SimpleNamespace) -> list[Path]:
    """Write every picture as PNG; return the paths."""
    console = {thing.name: thing for thing in console_things(p)}
    station = {thing.name: thing for thing in station_things(p, 3)}
    out = []
    scenes = {**_console(p, console), **_station(p, station), **_pod(p), **_whole(p, console), **_presets()}
    for name, (placed, towards) in scenes.items():
        path = PICTURES / f"{name}.png"
        render.save(render.picture(placed, towards, SIZE), path)
        out.append(path)
    return out


def _place_things(
    things: Mapping[str, Thing],
    names: Iterable[str],
    new: Iterable[str] = (),
    shifts: Mapping[str, Shift] | None = None,
) -> list[render.Placed]:
    moved = shifts or {}
    fresh = set(new)
    return [
        (
            Pos(*moved.get(name, (0, 0, 0))) * things[name].solid,
            NEW if name in fresh else COLOURS.get(name, OLD),
        )
        for name in names
    ]


Scenes = dict[str, tuple[list[render.Placed], Shift]]


def _console(p: SimpleNamespace, things: Mapping[str, Thing]) -> Scenes:
    tray, lid, hood = "console-base", "console-lid", "console-hood"
    upper = [lid, hood, "pane", "display", "encoder", "knob"]
    sockets = [name for name in things if name.startswith("socket")]
    apart: Shift = (0, 0, 45)
    inside = [tray, *sockets, "piezo", "power button", "pi"]
    return {
        "heirloom-1-prints": (_on_a_bed(p), (0, -0.6, 1.0)),
        "heirloom-2-inserts": (_place_things(things, [tray]) + _inserts(p), (-0.8, 0.9, 0.8)),
        "heirloom-5-sockets": (
            _place_things(
                things, [tray, *sockets], sockets, {name: (0, 30 if n % 2 else 0, 0) for n, name in enumerate(sockets)}
            ),
            FROM_REAR,
        ),
        "heirloom-6-piezo-and-power": (
            _place_things(
                things,
                [tray, *sockets, "piezo", "speaker", "power button"],
                ["piezo", "speaker", "power button"],
                {"piezo": (0, 0, 30), "speaker": (0, 0, 40)},
            ),
            FROM_ABOVE,
        ),
        "heirloom-7-pi": (_place_things(things, inside, ["pi"], {"pi": apart}), FROM_ABOVE),
        "heirloom-7-zero": (
            _place_things(
                {thing.name: thing for thing in zero_things(p)},
                [tray, "zero-mount", "zero"],
                ["zero-mount", "zero"],
                {"zero-mount": (0, 0, 22), "zero": apart},
            ),
            FROM_ABOVE,
        ),
        "heirloom-11-carrier": (
            _place_things(things, [*inside, "carrier"], ["carrier"], {"carrier": apart}),
            FROM_ABOVE,
        ),
        "heirloom-8-display": (
            _place_things(
                things,
                [hood, "pane", "display"],
                ["pane", "display"],
                {"pane": _behind_face(p, 40), "display": _behind_face(p, 75)},
            ),
            (-0.6, 0.5, -0.6),
        ),
        "heirloom-8-hood": (
            _place_things(
                things, [lid, hood, "pane", "display"], [hood], dict.fromkeys((hood, "pane", "display"), (0, 0, 30))
            )
            + _hood_screws(p),
            (-0.5, -1, 0.25),
        ),
        "heirloom-8-stand": (
            _place_things(
                {thing.name: thing for thing in stand_things(p)},
                ["display-stand", hood, "pane", "display"],
                ["display-stand"],
                {"display-stand": (0, 0, -35)},
            ),
            (-0.5, -1, 0.45),
        ),
        "heirloom-9-knob": (
            _place_things(
                things,
                upper,
                ["encoder", "knob"],
                {"knob": (0, 0, 30), "encoder": (0, 0, -40)},
            ),
            (-0.5, -1, -0.3),
        ),
        "heirloom-13-close": (
            _place_things(
                things,
                [*inside, "carrier", *upper],
                [lid],
                dict.fromkeys(upper, (0, 0, 40)),
            )
            + _lid_screws(p, 40),
            FROM_REAR,
        ),
        "heirloom-3-clamp": (
            _place_things(things, [tray, "clamp"], ["clamp"], {"clamp": (0, 0, -35)}) + _clamp_screws(p),
            (0.6, 1, 0.45),
        ),
    }


def _station(p: SimpleNamespace, things: Mapping[str, Thing]) -> Scenes:
    shell = "station-shell"
    ring = [
        (Pos(x, y, -18) * upright(0, 0, 38, 48, 3.0) + Pos(x, y, -18) * upright(0, 0, 36, 38, 5.6), STEEL)
        for x, y in ring_screws(p)
    ]
    posts = [(upright(x, y, -62, -52, 3.0) + upright(x, y, -64, -62, 5.6), STEEL) for x, y in post_places(p)]
    return {
        "station-1-ring-and-button": (
            _place_things(
                things,
                [shell, "guard-ring", "button"],
                ["guard-ring", "button"],
                {"guard-ring": (0, 0, 30), "button": (0, 0, 85)},
            )
            + ring,
            (-0.6, -1, 0.6),
        ),
        "station-2-socket": (
            _place_things(things, [shell, "station socket"], ["station socket"], {"station socket": (0, 35, 0)}),
            (0.5, 1, 0.5),
        ),
        "station-3-bar": (
            _place_things(things, ["station-plate", "bar"], ["bar"], {"bar": (0, 0, 22)}),
            (-0.6, -1, 0.8),
        ),
        "station-4-close": (
            _place_things(
                things,
                [shell, "guard-ring", "button", "station-plate", "bar"],
                ["station-plate"],
                {"station-plate": (0, 0, -40), "bar": (0, 0, -40)},
            )
            + posts,
            (-0.6, -1, -0.5),
        ),
    }


def _pod(p: SimpleNamespace) -> Scenes:
    things = {thing.name: thing for thing in pod_things(p)}
    boards = [name for name in things if name.startswith("breadboard")]
    raised = dict.fromkeys((*boards, "pico"), (0.0, 0.0, 30.0)) | {"pod-lid": (0.0, 0.0, 95.0)}
    screws = [
        (upright(x, y, 142, 150, 3.0) + upright(x, y, 150, 152, 5.6), STEEL) for x, y in enclosure_pod.post_places(p)
    ]
    placed = _place_things(things, ["pod-tray", *boards, "pico", "pod-lid"], [*boards], raised)
    return {"pod-case": (placed + screws, (-0.5, -1, 0.9))}


def _whole(p: SimpleNamespace, console: Mapping[str, Thing]) -> Scenes:
    placed = _place_things(
        console,
        [
            "console-base",
            "console-lid",
            "console-hood",
            "pane",
            "knob",
            *(n for n in console if n.startswith("socket")),
        ],
        ["knob"],
    )
    for seat in range(8):
        things = {thing.name: thing for thing in station_things(p, seat + 1)}
        at = (-60 + 105 * (seat % 4), -150 - 165 * (seat // 4), 0)
        placed += _place_things(things, ["station-shell", "button", "station-plate"], (), dict.fromkeys(things, at))
        placed.append((Pos(*at) * things["guard-ring"].solid, _rgb(p.colours.rgb[seat])))
    return {
        "the-set": (placed, (-0.35, -1, 0.9)),
        "the-set-from-behind": (placed, (0.5, 1, 0.7)),
        "the-set-from-the-side": (placed, (1, -0.25, 0.35)),
        "the-set-from-above": (placed, (0, -0.02, 1)),
    }


def _presets() -> Scenes:
    """A station for each button in a row: the presets' and, between them, the usual one."""
    placed: list[render.Placed] = []
    small, dome = parameters.presets()
    for place, preset in enumerate((small, "", dome)):
        p = parameters.load((), preset)
        things = {thing.name: thing for thing in station_things(p, place + 1)}
        at = (115 * (place - 1), 0, 0)
        placed += _place_things(things, ["station-shell", "station-plate"], (), dict.fromkeys(things, at))
        placed.append((Pos(*at) * things["button"].solid, (236, 236, 240)))
        placed.append((Pos(*at) * things["guard-ring"].solid, _rgb(p.colours.rgb[place])))
    return {"station-buttons": (placed, (-0.35, -1, 0.9))}


def _rgb(colour: str) -> render.Colour:
    """Convert a colour such as "#e69f00" to three numbers."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _on_a_bed(p: SimpleNamespace) -> list[render.Placed]:
    """All prints of a set for one seat, in a row as on the bed."""
    solids = prints(p)
    places = {
        "console-base": (0, 0), "console-lid": (230, 0), "station-shell": (0, -160), "station-plate": (95, -160),
        "guard-ring-3": (180, -160), "knob": (240, -160), "clamp": (290, -160), "console-hood": (370, -160),
        "zero-mount": (265, -90),
    }  # fmt: skip
    return [(Pos(x, y, 0) * solids[name], OLD) for name, (x, y) in places.items()]


def _inserts(p: SimpleNamespace) -> list[render.Placed]:
    out = []
    for wall, at, z in skirt_screws(p):
        if wall == "rear":
            out.append((lying_y(at, z, p.console.depth_mm + 8, p.console.depth_mm + 12, 5.0), BRASS))
        else:
            x = -12 if wall == "left" else p.console.width_mm + 8
            out.append((lying_x(at, z, x, x + 4, 5.0), BRASS))
    return out


def _lid_screws(p: SimpleNamespace, up: float) -> list[render.Placed]:
    out = []
    for wall, at, z in skirt_screws(p):
        if wall == "rear":
            y = p.console.depth_mm + p.console.eave_mm + 8
            out.append((lying_y(at, z + up, y, y + 8, 3.0) + lying_y(at, z + up, y + 8, y + 10, 5.6), STEEL))
        elif wall == "right":
            x = p.console.width_mm + 12
            out.append((lying_x(at, z + up, x, x + 8, 3.0) + lying_x(at, z + up, x + 8, x + 10, 5.6), STEEL))
    return out


def _behind_face(p: SimpleNamespace, mm: float) -> Shift:
    """A shift straight backwards from the display's face."""
    return 0, mm * sin(radians(p.display.tilt_deg)), -mm * cos(radians(p.display.tilt_deg))


def _hood_screws(p: SimpleNamespace) -> list[render.Placed]:
    screw = upright(0, 0, -30, -22, 3.0) + upright(0, 0, -32, -30, 5.6)
    return [(wedge.foot(p) * Pos(x, y, 0) * screw, STEEL) for x, y in wedge.screws(p)]


def _clamp_screws(p: SimpleNamespace) -> list[render.Placed]:
    return [(upright(x, y, 42, 50, 3.0) + upright(x, y, 50, 52, 5.6), STEEL) for x, y in clamp_screws(p)]
