"""The committed prints: the same bytes each time, and the size and volume of the parts."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import pytest

from hardware.enclosure import stl, threemf
from hardware.make.catalogue import HARDWARE

SIDES = (
    ((0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)), ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)),
    ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)), ((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)),
    ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)), ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)),
)  # fmt: skip
CUBE = [face for a, b, c, d in SIDES for face in ((a, b, c), (a, c, d))]


def mesh(path: Path, scale: float = 10.0) -> Path:
    """Write a cube as a binary STL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    faces = (struct.pack("<12fH", 0, 0, 0, *(scale * x for corner in face for x in corner), 0) for face in CUBE)
    path.write_bytes(bytes(80) + struct.pack("<I", len(CUBE)) + b"".join(faces))
    return path


def test_a_print_has_the_meshs_size_and_volume(tmp_path: Path) -> None:
    source = mesh(tmp_path / "cube.stl")
    target = tmp_path / "cube.3mf"
    target.write_bytes(threemf.content(source))
    assert threemf.read(target) == stl.read(source)
    assert threemf.read(target).volume_mm3 == pytest.approx(1000)
    assert threemf.content(source) == target.read_bytes()


def test_every_part_has_its_print() -> None:
    assert list(threemf.complaints(HARDWARE)) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with one part and its print."""
    mesh(tmp_path / "enclosure/parts/cube.stl")
    told = {"parts": {"cube": {"box_mm": [10, 10, 10], "volume_mm3": 1000}}, "presets": {}}
    (tmp_path / "enclosure/parts.json").write_text(json.dumps(told), encoding="utf-8")
    threemf.write(tmp_path)
    assert list(threemf.complaints(tmp_path)) == []
    return tmp_path


def test_a_print_of_another_size_is_a_complaint(root: Path) -> None:
    mesh(root / "enclosure/parts/cube.stl", 10.3)
    threemf.write(root)
    found = list(threemf.complaints(root))
    assert [any(word in text for text in found) for word in ("measures", "mm3")] == [True, True]


def test_a_missing_and_an_unknown_print_are_complaints(root: Path) -> None:
    shutil.move(root / "prints/cube.3mf", root / "prints/ball.3mf")
    found = list(threemf.complaints(root))
    assert [text.split()[0] for text in found] == ["hardware/prints/ball.3mf", "hardware/prints/cube.3mf"]


def test_a_file_that_is_no_print_is_a_complaint(root: Path) -> None:
    (root / "prints/cube.3mf").write_bytes(b"no zip")
    [said] = threemf.complaints(root)
    assert "cannot be read" in said


def test_a_hole_in_the_skin_is_a_complaint(root: Path) -> None:
    path = root / "enclosure/parts/cube.stl"
    data = path.read_bytes()
    path.write_bytes(data[:80] + struct.pack("<I", len(CUBE) - 1) + data[84:-50])
    threemf.write(root)
    assert any("open edges" in text for text in threemf.complaints(root))
