"""A slicer accepts every print with the guide's settings: without supports, with the bought filament."""

from __future__ import annotations

from functools import cache

import pytest

from hardware.enclosure import parameters, slicer
from hardware.make import catalogue
from hardware.make.catalogue import HARDWARE

PARTS = HARDWARE / "enclosure" / "parts"
GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")
BED_MM = parameters.load().print.bed_mm
CONSOLE = ("console-base", "console-lid", "console-hood", "knob", "clamp")
STATION = ("station-shell", "station-plate", "guard-ring-8")
LYING_HOLES = 0.035
"""Share of roofs of horizontal holes, the only parts that a slicer may support."""
BRIDGED = {"console-base": 0.06}
"""The tray's window, described in the guide."""
needs_slicer = pytest.mark.skipif(  # takes more than a minute: with the other tools, in `make hardware-check`
    not (slicer.is_here() and (HARDWARE.parent / ".venv-cad" / ".ready").exists() and PARTS.is_dir()),
    reason="no PrusaSlicer (make hardware-tools) or no prints (make hardware)",
)


@cache
def sliced(name: str) -> slicer.Sliced:
    return slicer.slice_print(PARTS / f"{name}.stl", slicer.settings(GUIDE), BED_MM)


def test_the_guide_says_every_setting() -> None:
    said = slicer.settings(GUIDE)
    assert (said["layer-height"], said["perimeters"], said["fill-density"]) == ("0.2", "4", "25%")
    with pytest.raises(ValueError, match="the guide does not say the print's perimeters"):
        slicer.settings(GUIDE.replace("4 walls", "some walls"))


@needs_slicer
@pytest.mark.parametrize("name", [*CONSOLE, *STATION, "zero-mount", "pod-tray", "pod-lid", "display-stand"])
def test_each_print_lies_on_the_bed_and_needs_no_supports(name: str) -> None:
    assert sliced(name).propped <= BRIDGED.get(name, LYING_HOLES)


@needs_slicer
@pytest.mark.parametrize("preset", sorted(parameters.presets()))
@pytest.mark.parametrize("name", STATION)
def test_a_presets_print_lies_on_the_bed_and_needs_no_supports(preset: str, name: str) -> None:
    made = slicer.slice_print(PARTS.with_name("presets") / preset / f"{name}.stl", slicer.settings(GUIDE), BED_MM)
    assert made.propped <= LYING_HOLES


@needs_slicer
def test_a_print_that_lies_wrongly_wants_supports() -> None:
    """The station's shell on its button's rim."""
    turned = slicer.settings(GUIDE) | {"rotate-x": "180"}
    assert slicer.slice_print(PARTS / "station-shell.stl", turned, BED_MM).propped > LYING_HOLES


@needs_slicer
def test_filament_and_hours_are_the_lists_and_the_guides() -> None:
    full8 = catalogue.load().builds["full8"]
    for names, bought, words in (
        (CONSOLE, full8.once["petg"], "{:.0f} hours for the console"),
        (STATION, full8.player["petg"], "{:.0f} for each station"),
    ):
        prints = [sliced(name) for name in names]
        assert 0.6 * 50 * bought <= sum(one.grams for one in prints) <= 50 * bought
        assert words.format(sum(one.hours for one in prints)) in " ".join(GUIDE.split())


@needs_slicer
def test_what_is_no_print_is_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"nothing\.stl: "):
        slicer.slice_print(PARTS / "nothing.stl", slicer.settings(GUIDE), BED_MM)
