"""The carrier board: the schematic's parts and nets in a HAT's outline.

KiCad's design rules where installed.
"""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path

import pytest

from hardware.make import board, checks, copper, footprints, kicad, netlist, outputs, schematics
from hardware.make.catalogue import HARDWARE
from hardware.make.sexpr import children, parse
from tests.hardware import bench

FULL8 = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
CARRIER = HARDWARE / "board" / "carrier.kicad_pcb"

Box = tuple[float, float, float, float]


def space(ref: str) -> Box:
    """Return the space of a placed part: left, top, right, bottom, mm from the board's corner."""
    x, y, turn = board.places()[ref]
    court = footprints.FOOTPRINTS[FULL8.components[ref].footprint.partition(":")[2]].court
    corners = [board.turn_point(a, b, turn) for a in court[::2] for b in court[1::2]]
    return (
        x + min(a for a, _ in corners),
        y + min(b for _, b in corners),
        x + max(a for a, _ in corners),
        y + max(b for _, b in corners),
    )


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a table next to the board."""
    return list(csv.DictReader((HARDWARE / "board" / name).read_text(encoding="utf-8").splitlines()))


def test_the_board_joins_what_the_schematic_joins() -> None:
    """Pad by pad, from the two files alone."""
    assert list(checks.board_agrees(FULL8, CARRIER.read_text(encoding="utf-8"))) == []


def test_two_pads_exchanged_on_the_board_are_found() -> None:
    """Checks that the comparison can fail: a resistor is turned round."""
    text = CARRIER.read_text(encoding="utf-8")
    part = re.search(r'\(footprint "referee:R_0805"[^\0]*?"Reference" "R12"[^\0]*?\n\(', text)
    assert part
    start = text.rindex("(footprint ", 0, text.index('"Reference" "R12"'))
    end = text.index("(footprint ", start + 1)
    turned = (
        text[start:end].replace('(pad "1"', "(pad 1x").replace('(pad "2"', '(pad "1"').replace("(pad 1x", '(pad "2"')
    )
    found = list(checks.board_agrees(FULL8, text[:start] + turned + text[end:]))
    assert any("R12.2" in sentence and "P1_BTN" not in sentence for sentence in found)


def test_a_part_that_is_missing_is_found() -> None:
    text = CARRIER.read_text(encoding="utf-8").replace('"Reference" "C31"', '"Reference" "C39"')
    found = list(checks.board_agrees(FULL8, text))
    assert "C31 must be referee:C_0805 by the schematic, and is absent." in found


def test_a_machine_finds_the_board_by_three_marks_and_a_meter_its_nets_by_name() -> None:
    """Fiducials are far apart, not in line, and bare all round."""
    (ax, ay), (bx, by), (cx, cy) = board.FIDUCIALS
    assert abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) > 500  # twice the triangle, mm²
    text = CARRIER.read_text(encoding="utf-8")
    assert text.count('(footprint "FIDUCIAL"') == 3
    near = [
        (track, place)
        for route in board.routes(HARDWARE).values()
        for track in route["tracks"]
        for place in board.FIDUCIALS
        if track[0] == "F.Cu"
        and copper._distance(place, track[1:3], track[3:5]) < board.FIDUCIAL_CLEAR / 2 + board.TRACK / 2
    ]
    assert near == []
    assert board.TEST_NAMES.keys() == schematics.TEST_POINTS.keys()
    assert all(f'(gr_text "{name}"' in text for name in (*board.TEST_NAMES.values(), f"full8 {board.REVISION}"))


def test_a_machine_is_told_where_each_flat_part_lies_and_which_it_is() -> None:
    """Each part without holes appears once, at its pads' middle.

    All bought parts have order codes.
    """
    placed = rows_of("carrier-placement.csv")
    flat = [ref for ref, part in FULL8.components.items() if ref[0] in "RCDFUQ" and part.symbol != "CP"]
    assert sorted(row["Designator"] for row in placed) == sorted(flat)
    pads = board.terminals(FULL8)
    for row in placed:
        own = [one for one in pads if one.ref == row["Designator"]]
        x, y = (sum(values) / len(own) for values in zip(*((one.x, one.y) for one in own), strict=True))
        assert float(row["Mid X"]) == pytest.approx(x, abs=0.6)  # three legs have their middle elsewhere
        assert board.HEIGHT - float(row["Mid Y"]) == pytest.approx(y, abs=0.6)
    listed = rows_of("carrier-assembly.csv")
    refs = [ref for row in listed for ref in row["Designator"].split(",")]
    assert sorted(refs) == sorted(ref for ref, part in FULL8.components.items() if part.bought)
    assert all(row["MPN"] and row["Manufacturer"] and int(row["Quantity"]) >= 1 for row in listed)
    assert {row["Soldered"] for row in listed} == {"machine", "by hand", "leave out"}


def test_outline_and_holes_are_a_hats() -> None:
    """65 x 56.5 mm, holes 58 x 49 mm apart, as on every Pi since the B+."""
    (left, top), (right, _), (_, bottom), _ = board.HOLES
    assert (board.WIDTH, board.HEIGHT) == (65.0, 56.5)
    assert (right - left, bottom - top, left, top) == (58.0, 49.0, 3.5, 3.5)
    pins = {one.pad.number: (one.x, one.y) for one in board.terminals(FULL8) if one.ref == "J10"}
    middle = ((pins["1"][0] + pins["40"][0]) / 2, (pins["1"][1] + pins["40"][1]) / 2)
    assert middle == pytest.approx((32.5, 3.5))
    assert pins["1"][1] > pins["2"][1]  # odd pins in the row away from the edge


def test_every_part_stands_on_the_board_and_on_its_own() -> None:
    spaces = {ref: space(ref) for ref in board.places()}
    assert set(spaces) == set(FULL8.components)
    for ref, (left, top, right, bottom) in spaces.items():
        assert min(left, top) >= 0, ref
        assert right <= board.WIDTH, ref
        assert bottom <= board.HEIGHT, ref
    for (one, a), (other, b) in itertools.combinations(spaces.items(), 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (one, other)


def test_station_plugs_keep_clear_of_the_holes() -> None:
    """A screw's head of 5 mm and a spacer fit next to every plug."""
    for ref in board.places():
        left, top, right, bottom = space(ref)
        for x, y in board.HOLES:
            dx, dy = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
            assert (dx * dx + dy * dy) ** 0.5 >= 2.9, ref


@pytest.mark.skipif(not bench.has_kicad(), reason="needs kicad-cli 9 (make hardware-tools)")
def test_kicads_design_rules_find_a_track_across_two_nets(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    path = root / "board" / "carrier.kicad_pcb"
    assert list(kicad.design_rules(path)) == []
    pads = {(one.ref, one.pad.number): one for one in board.terminals(FULL8)}
    a, b = pads["J1", "1"], pads["J1", "3"]
    ox, oy = board.ORIGIN
    ends = f"(start {a.x + ox} {a.y + oy}) (end {b.x + ox} {b.y + oy})"
    text = path.read_text(encoding="utf-8").rstrip()
    path.write_text(f'{text[:-1]}(segment {ends} (width 0.3) (layer "F.Cu") (net 0)))\n', encoding="utf-8")
    assert any(re.match("shorting_items|clearance|tracks_crossing", found) for found in kicad.design_rules(path))


def test_tracks_of_a_net_that_is_gone_are_a_sentence(tmp_path: Path) -> None:
    """Merged or renamed nets leave their tracks: the message says what to do, and the board can still be generated."""
    root = bench.copy(tmp_path)
    path = root / "board" / "routes.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"LED_OFF":', '"LED_OE":'), encoding="utf-8")
    outputs.write(root)
    said = "carrier: routes.json has tracks for LED_OE, which is no net of the schematic; see board/README.md."
    assert said in list(checks.of_copper(root))


def test_every_footprint_has_a_model_but_the_fuse_and_bare_pads() -> None:
    assert footprints.FOOTPRINTS.keys() - footprints.SOLIDS.keys() == {"F_1812", "TESTPOINT"}
    for name, solid in footprints.SOLIDS.items():
        made = (HARDWARE / "board" / "referee.pretty" / f"{name}.kicad_mod").read_text(encoding="utf-8")
        (model,) = children(parse(made), "model")
        assert model[1] == f"${{KICAD9_3DMODEL_DIR}}/{solid.path}.step"


@pytest.mark.skipif(not kicad.MODELS.is_dir(), reason="KiCad's 3D models are not installed")
def test_the_exported_board_has_kicads_models() -> None:
    made = kicad.solid(CARRIER, "step").decode(errors="replace")
    for solid in footprints.SOLIDS.values():
        assert f"'{Path(solid.path).name}'" in made
