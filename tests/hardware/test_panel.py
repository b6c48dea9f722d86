"""The panel of carrier boards, where KiCad is installed."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from hardware.make import kicad
from hardware.make.catalogue import HARDWARE
from hardware.make.sexpr import children, parse
from tests.hardware import bench

pytestmark = pytest.mark.skipif(not bench.has_kicad(), reason="KiCad is not installed")
BOARDS, BITES, TOOLING = 4, 4 * 8 * 5, 4
MARKS = 3 * (BOARDS + 1)
"""Three on each board, three on the frame."""


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kicad.panel(HARDWARE, tmp_path_factory.mktemp("panel"))


def test_the_panel_passes_the_design_rules_of_the_board(panel: Path) -> None:
    assert list(kicad.design_rules(panel)) == []


def test_four_boards_lie_in_a_frame_with_holes_and_marks(panel: Path) -> None:
    one = parse((HARDWARE / "board" / "carrier.kicad_pcb").read_text(encoding="utf-8"))
    whole = parse(panel.read_text(encoding="utf-8"))
    here, there = (Counter(part[1] for part in children(tree, "footprint")) for tree in (one, whole))
    holes, marks = there.pop(""), there.pop("FIDUCIAL")
    assert (holes, marks) == (BITES + TOOLING, MARKS)
    del here["FIDUCIAL"]
    assert there == {name: BOARDS * count for name, count in here.items()}


def test_bites_that_reach_into_the_copper_are_found(panel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    shutil.copytree(panel.parent, folder)
    board = folder / panel.name
    text = board.read_text(encoding="utf-8")
    assert text.count("(drill 0.5)") == BITES
    board.write_text(text.replace("(drill 0.5)", "(drill 0.7)"), encoding="utf-8")
    assert any(found.startswith("hole_clearance") for found in kicad.design_rules(board))
