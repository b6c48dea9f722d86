"""What the guide's sentences say of wires, plugs, seats, holes and sizes is what the sources have."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from hardware.enclosure import rules
from hardware.make import guide_facts, netlist
from hardware.make.catalogue import HARDWARE
from hardware.make.netlist import Netlist

GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")
NETS = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in ("full8", "direct4", "station")}
KNOWN = rules.every_dimension(HARDWARE / "enclosure")


def complaints(guide: str = GUIDE, **changed: Any) -> list[str]:
    """What is wrong with a guide, or with the committed one where a netlist or a dimension is another."""
    nets: dict[str, Netlist] = {name: changed.get(name, nets) for name, nets in NETS.items()}
    return list(guide_facts.complaints(guide, nets, changed.get("known", KNOWN)))


def test_the_committed_guide_says_what_is_drawn() -> None:
    """Word for word."""
    assert complaints() == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("wire 2 to screw 2, wire 3 to screw 3", "wire 3 to screw 2, wire 2 to screw 3"),
        ("XH 4 to wire 6", "XH 4 to wire 5"),
        ("wire 3 from\nthe lamp's plus", "wire 4 from\nthe lamp's plus"),
        ("2 orange, 3 white-green", "2 green, 3 white-green"),
        ("its leg 1 in B e20", "its leg 1 in B e21"),
        ("use red wire for 5 V, orange for 3.3 V", "use orange wire for 5 V, red for 3.3 V"),
        ("two have 3.3 V, four GND", "two have 3.3 V, three GND"),
        ("C7 has a + leg", "C7 has no right way"),
        ("J2 (R21, R22, R23), J3", "J2 (R21, R22, R24), J3"),
        ("J2 with R21, R22 and pin 13", "J2 with R21, R22 and pin 15"),
        ("(R51, R52, R53, C51, D51 and J5 are seat 5)", "(R51, R52, R53, C51, D51 and J6 are seat 5)"),
        ("knob (J12)", "knob (J13)"),
        ("J1.1 is where J1 has wire 1", "J1.1 is where J1 has wire 3"),
        ("GND, VCC, SCL,\nSDA", "VCC, GND, SCL,\nSDA"),
        ("pin 1 A, C, B", "pin 1 A, B, C"),
        ("Its lead goes to J11", "Its lead goes to J12"),
        ("TP1 (5 V) and TP3", "TP2 (5 V) and TP3"),
        ("right at J and not at the pin: R*n*2", "right at J and not at the pin: R*n*3"),
        ("R1 or R7 missing", "R1 or R8 missing"),
        ("Four in the tray", "Six in the tray"),
        ("spacers of 11 mm", "spacers of 15 mm"),
        ("until a gap of 1.5 mm", "until a gap of 15 mm"),
        ("for a 30 mm hole", "for a 26 mm hole"),
        ("a dome of 60 mm", "a dome of 100 mm"),
    ],
)
def test_a_slip_in_a_sentence_is_found(said: str, wrong: str) -> None:
    """The complaint has what must be said."""
    assert said in GUIDE
    assert [text for text in complaints(GUIDE.replace(said, wrong, 1)) if text.startswith("the guide must say '")]


@pytest.mark.parametrize(
    ("row", "wrong", "told"),
    [
        ("4.8 to 5.3 V | weak", "48 to 53 V | weak", "reads '48 to 53 V'; 5 V are there."),
        ("at rest | 3.1 to 3.4 V", "at rest | 1.1 to 1.4 V", "reads '1.1 to 1.4 V'; 3.3 V are there."),
        ("less than 0.1 V", "less than 3.1 V", "reads 'less than 3.1 V'; a closed contact is under 0.3 V."),
        (
            "F1 | less than 3 Ω",
            "F1 | less than 3 kΩ",
            "reads 'less than 3 kΩ', which tells no good board from a bad one.",
        ),
        ("| more than 5 kΩ", "| less than 5 kΩ", "reads 'less than 5 kΩ', which tells no good board from a bad one."),
        ("pressed | | less than 2 Ω", "pressed | | more than 2 Ω", "reads 'more than 2 Ω', which tells no good board"),
    ],
)
def test_a_reading_that_proves_nothing_is_a_sentence(row: str, wrong: str, told: str) -> None:
    """Volts beside the supply's, a short that would pass."""
    assert row in GUIDE
    assert any(told in text for text in complaints(GUIDE.replace(row, wrong, 1)))


def test_readings_and_steps_that_are_gone_are_sentences() -> None:
    """Rows left out, and a step's number twice."""
    assert any("readings to measure" in text for text in complaints(re.sub(r"^\\| J1.1 .*\n", "", GUIDE, flags=re.M)))
    twice = GUIDE.replace("### 6. The lamps", "### 5. The lamps")
    assert "the steps of 'Breadboard' are numbered 1, 2, 3, 4, 5, 5, 7, 8, 9, 10." in complaints(twice)


def test_the_sentences_follow_what_is_drawn_and_lack_nothing_with_a_traceback() -> None:
    """A seat more pins on, nothing drawn at all, and dimensions that broke a rule of their own."""
    known = {**KNOWN, "clamp.table_mm": 50.0}
    assert complaints(known=known) == ["the guide must say 'table tops up to 48 mm', by what is drawn, and does not."]
    bare = Netlist({}, {}, {}, frozenset())
    assert len(complaints(full8=bare, direct4=bare, station=bare, known={})) > 10
    without = {ref: part for ref, part in NETS["direct4"].components.items() if ref != "C7"}
    assert complaints(direct4=replace(NETS["direct4"], components=without)) == []
