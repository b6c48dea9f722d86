"""Order numbers' facts against the catalogue, the footprints and the breadboards' holes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hardware.guide import holes
from hardware.make import blocks_rules, board_rules, catalogue, facts_rules, footprints, made, netlist
from hardware.make.catalogue import HARDWARE
from hardware.make.facts_rules import Fact
from tests.hardware.test_electrical import FULL8

PARTS, FACTS = catalogue.load(), facts_rules.read()


def changed(key: str, **columns: object) -> catalogue.Catalogue:
    """Return the catalogue with a part changed."""
    return replace(PARTS, items={**PARTS.items, key: replace(PARTS[key], **columns)})  # type: ignore[arg-type]


def fact(number: str, part: str, **columns: str) -> list[Fact]:
    """Return all facts, the one of this number and part changed or added."""
    row = {**dict.fromkeys(FACTS[0], ""), "number": number, "part": part, "sources": "0"}
    row |= next((dict(one) for one in FACTS if (one["number"], one["part"]) == (number, part)), {})
    others = [one for one in FACTS if (one["number"], one["part"]) != (number, part)]
    return [*others, {**row, **columns}]


def test_the_catalogue_agrees_with_its_facts() -> None:
    assert list(facts_rules.complaints(PARTS, FACTS)) == []


def test_a_substitute_of_another_package_is_a_complaint() -> None:
    parts = changed("nmos", substitutes=("Diodes DMG1012T-7",))
    facts = fact("DMG1012T-7", "nmos", maker="Diodes", function="MOSFET", package="SOT-523", polarity="N-channel",
                 value="BSS138")  # fmt: skip
    said = "facts.csv: DMG1012T-7 for 'nmos' has the package 'SOT-523'; the part has 'SOT-23'."
    assert said in list(facts_rules.complaints(parts, facts))


def test_a_substitute_of_another_polarity_is_a_complaint() -> None:
    facts = fact("CDSOD323-T05C", "tvs", polarity="one way")
    said = "facts.csv: CDSOD323-T05C for 'tvs' has the polarity 'one way'; the part has 'both ways'."
    assert list(facts_rules.complaints(PARTS, facts)) == [said]


def test_a_substitute_without_facts_is_a_complaint() -> None:
    parts = changed("encoder", substitutes=("Alps EC11E15244G1",))
    said = "facts.csv: no row for EC11E15244G1, a substitute of 'encoder'; every order number needs one."
    assert said in list(facts_rules.complaints(parts, FACTS))


@pytest.mark.parametrize(
    ("key", "columns"),
    [
        ("knob", {"choose": "bore 6.35 mm with a grub screw; never 6.0 mm"}),
        ("r1k", {"mpn": "RC0805FR-0710KL"}),
        ("tvs", {"lcsc": "C158012"}),
        ("piezo", {"maker": "Yageo"}),
        ("screw_m3", {"what": "screw M3 x 8, countersunk"}),
        ("o_ring", {"what": "rubber ring (O-ring) 7 mm inside, 15 mm thick"}),
    ],
)
def test_a_changed_column_is_a_complaint(key: str, columns: dict[str, str]) -> None:
    assert list(facts_rules.complaints(changed(key, **columns), FACTS))


def test_pads_have_the_pitch_of_the_part() -> None:
    said = "facts.csv: B4B-XH-A(LF)(SN) of 'xh4' has a pitch of 2 mm, and the pads of XH4 are 2.5 mm apart."
    assert said in list(facts_rules.complaints(PARTS, fact("B4B-XH-A(LF)(SN)", "xh4", pitch_mm="2")))


def test_stiff_leads_reach_their_holes() -> None:
    """A C320C104 has leads 2.54 mm apart, a C322C104 5.08 mm."""
    nets = netlist.read(HARDWARE / "schematic" / "direct4.kicad_sch")
    assert list(facts_rules.on_breadboard(nets, holes.CONSOLE.places, FACTS)) == []
    facts = fact("C322C104K5R5TA", "t_c100n", pitch_mm="2.54")
    assert list(facts_rules.on_breadboard(nets, holes.CONSOLE.places, facts))


@pytest.mark.parametrize("name", ["XH4", "PI_HEADER", "HEADER7"])
def test_a_drill_that_a_pin_does_not_pass_is_a_complaint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    print_ = footprints.FOOTPRINTS[name]
    small = replace(print_, pads=tuple(replace(pad, drill=0.8) for pad in print_.pads))
    monkeypatch.setitem(footprints.FOOTPRINTS, name, small)
    found = list(board_rules.complaints(FULL8.nets))
    assert len(found) == len(print_.pads)
    assert f"pad 1 of {name} has a drill of 0.8 mm; allowed are 0.95 to 1.1." in found


@pytest.mark.parametrize("name", ["CP_5x11", "SO8", "SOT23"])
def test_a_mark_at_another_pad_is_a_complaint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    print_ = footprints.FOOTPRINTS[name]
    assert print_.mark is not None
    turned = replace(print_, mark=(-print_.mark[0], -print_.mark[1]))
    monkeypatch.setitem(footprints.FOOTPRINTS, name, turned)
    assert [text.partition(" on")[0] for text in board_rules.complaints(FULL8.nets)] == [f"the mark of {name}"]


def test_a_lamp_that_is_too_dim_with_its_own_resistor_is_bridged() -> None:
    assert list(blocks_rules.lamps(FULL8)) == []
    left_in = replace(FULL8, parts=changed("button", bridged=False))
    assert len(list(blocks_rules.lamps(left_in))) == 8
    assert list(blocks_rules.lamps(replace(FULL8, parts=changed("button", bridged=False, lamp_ohm=100.0)))) == []


def test_an_altered_picture_is_a_complaint(tmp_path: Path) -> None:
    for name in ("board/carrier-gerbers.zip", "guide/pictures/the-set.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"as drawn")
    made.write(tmp_path)
    assert list(made.complaints(tmp_path)) == []
    (tmp_path / "board/carrier-gerbers.zip").write_bytes(b"altered")
    assert {text.split()[0] for text in made.complaints(tmp_path)} == {"hardware/board/carrier-gerbers.zip"}


def test_the_committed_drawings_are_as_they_were_made() -> None:
    assert list(made.complaints(HARDWARE)) == []
