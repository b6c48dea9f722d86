"""The enclosure's parts as `make hardware` leaves them, checked without the CAD tool."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from hardware.enclosure import parameters
from hardware.enclosure.stl import read
from hardware.make import board

FOLDER = parameters.HERE
PARTS = FOLDER / "parts"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "parts.json").read_text(encoding="utf-8"))
NAMES = sorted(MANIFEST["parts"])
needs_prints = pytest.mark.skipif(not PARTS.is_dir(), reason="the prints are not made here: make hardware")


def test_all_parts_are_there() -> None:
    console = [
        "console-base",
        "console-lid",
        "console-hood",
        "knob",
        "clamp",
        "zero-mount",
        "pod-tray",
        "pod-lid",
        "display-stand",
    ]
    rings = [f"guard-ring-{seat}" for seat in range(1, 9)]
    assert sorted([*console, "station-shell", "station-plate", *rings]) == NAMES


@needs_prints
@pytest.mark.parametrize("preset", sorted(parameters.presets()))
def test_a_preset_comes_as_prints_that_are_closed_and_fit_the_bed(preset: str) -> None:
    told, bed = MANIFEST["presets"][preset], parameters.load().print.bed_mm
    assert sorted(told) == [name for name in NAMES if name.startswith(("station-", "guard-ring-"))]
    assert told["station-shell"] != MANIFEST["parts"]["station-shell"]
    for name, part in told.items():
        skin = read(FOLDER / "presets" / preset / f"{name}.stl")
        assert (FOLDER / "presets" / preset / f"{name}.3mf").exists()
        assert skin.open_edges == 0
        assert max(skin.box_mm) <= bed
        assert skin.volume_mm3 == pytest.approx(part["volume_mm3"], rel=0.01)


@needs_prints
def test_each_ring_has_its_own_number() -> None:
    """The tongue with the digit is as high as the parameters say."""
    p = parameters.load()
    volumes = {MANIFEST["parts"][f"guard-ring-{seat}"]["volume_mm3"] for seat in range(1, 9)}
    assert len(volumes) == 8
    wide, deep, high = MANIFEST["parts"]["guard-ring-1"]["box_mm"]
    assert (wide, high) == (p.guard.outer_mm, p.guard.height_mm)
    tongue = p.station.number_y_mm + p.station.number_mm / 2 + p.guard.tongue_edge_mm - p.station.button_y_mm
    assert deep == pytest.approx(p.guard.outer_mm / 2 + tongue, abs=0.02)
    assert number_up_mm(PARTS / "guard-ring-7.stl", p.guard.tongue_mm[1]) == pytest.approx(p.station.number_up_mm)
    assert p.station.number_up_mm >= 0.8


def number_up_mm(path: Path, face: float) -> float:
    """Return the height in mm of the highest flat face beyond the ring above the tongue's face."""
    body = path.read_bytes()[84:]
    tops = set()
    for at in range(0, len(body), 50):
        normal_z, *corners = struct.unpack_from("<3f9f", body, at)[2:]
        ys, zs = corners[1::3], corners[2::3]
        if normal_z > 0.99 and min(ys) > 0:
            tops.add(round(max(zs), 3))
    assert face in tops
    return float(max(top for top in tops if top < 7)) - face


@needs_prints
@pytest.mark.parametrize("name", NAMES)
def test_a_part_is_closed_fits_the_bed_and_is_what_the_manifest_says(name: str) -> None:
    """No open edge, no side longer than the bed, volume and size as in the manifest."""
    skin, told = read(PARTS / f"{name}.stl"), MANIFEST["parts"][name]
    assert skin.open_edges == 0
    assert max(skin.box_mm) <= parameters.load().print.bed_mm == 220
    assert skin.box_mm == pytest.approx(told["box_mm"], abs=0.2)
    assert skin.volume_mm3 == pytest.approx(told["volume_mm3"], rel=0.01)


def test_the_case_is_made_for_the_carrier_that_is_drawn() -> None:
    p = parameters.load()
    assert (p.carrier.length_mm, p.carrier.width_mm) == (board.WIDTH, board.HEIGHT)
    inset = p.pi.hole_inset_mm
    along, across = (inset, inset + p.pi.hole_length_mm), (inset, inset + p.pi.hole_width_mm)
    assert set(board.HOLES) == {(x, y) for x in along for y in across}


@needs_prints
def test_a_hole_in_the_skin_is_seen(tmp_path: Path) -> None:
    whole = (PARTS / "guard-ring-1.stl").read_bytes()
    count = struct.unpack_from("<I", whole, 80)[0] - 1
    torn = tmp_path / "torn.stl"
    torn.write_bytes(whole[:80] + struct.pack("<I", count) + whole[84:-50])
    assert read(torn).open_edges == 3
    torn.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="no binary STL file"):
        read(torn)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("console.hight_mm=3", "'console.hight_mm' is no parameter; they stand in parameters.toml"),
        ("console.front_mm=high", "'console.front_mm=high': 'high' is no number"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(change: str, said: str) -> None:
    with pytest.raises(parameters.ParameterError) as told:
        parameters.load([change])
    assert str(told.value) == said


def test_a_preset_is_a_station_for_another_button() -> None:
    assert parameters.load(preset="dome60").button.plunger_mm == [58.0, 21.0]
    assert parameters.load(["button.hole_mm=25"], "dome60").button.hole_mm == 25
    assert parameters.load().button.hole_mm == 30.3
    with pytest.raises(parameters.ParameterError) as told:
        parameters.load(preset="dome100")
    assert str(told.value) == "'dome100' is no preset; presets.toml has arcade24, dome60"


def test_a_change_makes_other_parameters() -> None:
    assert parameters.load(["console.front_mm=20"]).console.front_mm == 20
    assert parameters.load().console.front_mm != 20
