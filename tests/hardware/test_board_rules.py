"""The carrier's constants fit a HAT and a board house, and its silk names each plug."""

from __future__ import annotations

from typing import Any

import pytest

from hardware.make import board, board_rules, netlist
from hardware.make.catalogue import HARDWARE

FULL8 = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")


def test_the_board_keeps_them() -> None:
    assert list(board_rules.complaints(FULL8)) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "WIDTH",
            66.0,
            "the board's outline or holes are not a HAT's, 65 x 56.5 mm with holes at 3.5 mm, 58 and 49 apart.",
        ),
        ("HOLE", 2.0, "HOLE is 2 mm; allowed are 2.7 to 2.8."),
        ("TRACK", 0.1, "TRACK is 0.1 mm; allowed are 0.25 to 0.5."),
        ("CLEARANCE", 0.05, "CLEARANCE is 0.05 mm; allowed are 0.15 to 0.3."),
        ("DRILL", 0.4, "a via has a ring of 0.10 mm; allowed are 0.15 at least."),
        ("EDGE", 0.1, "EDGE is 0.1 mm; allowed are 0.3 to 1."),
        ("POURED", "+5V", "+5V is poured over both layers; it must be GND."),
        ("REVISION", "", "the board says ''; it must say its revision and month, as 'rev C 2026-11'."),
        ("PLUG_NAMES", {**board.PLUG_NAMES, "J11": "KNOB"}, "the board calls J11 'KNOB'; it must be 'DISPLAY'."),
        ("PLUG_NAMES", {**board.PLUG_NAMES, "J3": "SEAT 4"}, "the board calls J3 'SEAT 4'; it must be 'SEAT 3'."),
        ("TEST_NAMES", {**board.TEST_NAMES, "TP1": "3V3"}, "the board calls TP1 '3V3'; it must be '5V'."),
    ],
)
def test_a_constant_that_is_another_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: Any, said: str
) -> None:
    monkeypatch.setattr(board, name, value)
    assert list(board_rules.complaints(FULL8)) == [said]
