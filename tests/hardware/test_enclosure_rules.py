"""Dimensions of the printed parts against what is bought and what a printer and a hand need; no CAD tool."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware.enclosure import rules
from hardware.make.catalogue import HARDWARE

FILE = HARDWARE / "enclosure" / "parameters.toml"


def changed(tmp_path: Path, name: str, value: str) -> list[str]:
    """The complaints with one parameter changed."""
    section, _, key = name.partition(".")
    text = FILE.read_text(encoding="utf-8")
    at = text.index(f"\n[{section}]")
    head, body = text[:at], text[at:]
    path = tmp_path / FILE.name
    path.write_text(
        head + re.sub(rf"^{key} = [^#\n]*", f"{key} = {value} ", body, count=1, flags=re.M), encoding="utf-8"
    )
    return list(rules.complaints(path))


def test_the_committed_dimensions_break_no_rule() -> None:
    """Walls, holes, screws and what is bought."""
    assert list(rules.complaints(FILE)) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("station.top_mm", "0.6", "station.top_mm is 0.6; allowed is 2.4 at least."),
        ("console.lid_mm", "1.0", "console.lid_mm is 1; allowed is 2.4 at least."),
        ("button.hole_mm", "26.0", "button.hole_mm is 26; allowed are 30.1 to 30.8 for the part that is bought."),
        ("pi.hole_length_mm", "57.0", "pi.hole_length_mm is 57.0; what is bought has 58.0."),
        ("display.pane_seat_mm", "2.2", "the pane's seat leaves 0.8 mm of the lid; allowed are 1.2 at least."),
        ("guard.pilot_deep_mm", "3.0", "guard.pilot_deep_mm is 3; allowed is 4.5 at least."),
        ("console.width_mm", "230.0", "console.width_mm is 230; a bed of 220 takes 10 less."),
        ("clamp.nut_deep_mm", "11.0", "the clamp's arm leaves 3.0 mm over its nut; allowed are 4 at least."),
    ],
)
def test_a_dimension_that_does_not_do_is_a_sentence(tmp_path: Path, name: str, value: str, said: str) -> None:
    """Each names the parameter and what is allowed."""
    assert said in changed(tmp_path, name, value)


def test_a_dimension_that_is_missing_is_a_sentence(tmp_path: Path) -> None:
    """Renamed by a slip, and the whole file."""
    path = tmp_path / FILE.name
    assert list(rules.complaints(path)) == ["parameters.toml is missing: the printed parts have no dimensions."]
    path.write_text(FILE.read_text(encoding="utf-8").replace("lid_mm", "lit_mm"), encoding="utf-8")
    assert list(rules.complaints(path)) == ["parameters.toml has no console.lid_mm, which a rule asks for."]
