"""KiCad's own check of the schematics, in `make hardware-check` and wherever KiCad 9 is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.make import kicad
from tests.hardware import bench, test_schematic

pytestmark = pytest.mark.skipif(not bench.has_kicad(), reason="needs kicad-cli 9 (make hardware-tools)")


def test_kicad_finds_two_nets_shorted(tmp_path: Path) -> None:
    """Found by the electrical rules check alone."""
    root = bench.copy(tmp_path)
    schematic = root / "schematic" / "direct4.kicad_sch"
    assert list(kicad.rules(schematic)) == []
    test_schematic.short(root, "direct4", "P1_BTN", "P2_BTN")
    assert any("multiple_net_names" in text for text in kicad.rules(schematic))


def test_kicad_finds_a_floating_button(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    schematic = root / "schematic" / "station.kicad_sch"
    text = schematic.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("(wire ")]
    schematic.write_text("".join(lines), encoding="utf-8")
    assert any("pin_not_connected" in text for text in kicad.rules(schematic))


def test_kicad_and_we_read_the_same_connections(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    schematic = root / "schematic" / "station.kicad_sch"
    assert list(kicad.same_netlist(schematic)) == []
    theirs = set(kicad.groups('<net><node ref="J1" pin="1"/><node ref="SW1" pin="1"/></net>'))
    assert theirs == {frozenset({("J1", "1"), ("SW1", "1")})}
