"""The guide's steps can be done in order, and take exactly the parts that are listed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from hardware.make import bags, bom, catalogue, netlist, outputs
from hardware.make.catalogue import HARDWARE

STEPS = bags.steps()
GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")
CHAPTERS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S))


def sections() -> list[tuple[str, str, str]]:
    """Return chapter, heading and text of each step of the guide."""
    return [
        (chapter, title, text)
        for chapter, whole in CHAPTERS.items()
        for title, text in re.findall(r"^### ([^\n]*)\n(.*?)(?=^### |\Z)", whole, re.M | re.S)
    ]


def test_the_guide_has_these_steps_in_this_order() -> None:
    assert [(one.chapter, one.title) for one in STEPS if one.title] == [section[:2] for section in sections()]


def test_every_step_has_a_picture_or_a_table() -> None:
    assert [title for _, title, text in sections() if "![" not in text] == []


@pytest.mark.parametrize("build", outputs.PLAYERS)
def test_no_step_needs_what_a_later_one_makes(build: str) -> None:
    made: set[str] = set()
    for step in STEPS:
        if step.is_in(build):
            assert set(step.needs) <= made, step.title
            made |= set(step.makes)


@pytest.mark.parametrize("build", outputs.PLAYERS)
def test_the_steps_take_what_is_listed(build: str) -> None:
    """For the fewest and the most players; postage goes into no bag."""
    parts = catalogue.load()
    read = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in (build, "station")}
    rows = bom.rows(read[build], read["station"], parts.builds[build])
    for players in (outputs.PLAYERS[build][0], outputs.PLAYERS[build][-1]):
        taken: Counter[str] = sum((one.pieces(read[build], players) for one in STEPS if one.is_in(build)), Counter())
        listed: Counter[str] = Counter()
        for row in rows:
            listed[row.key] += row.quantity(players)
        del listed["postage"]
        assert taken == listed


def test_a_bag_list_names_each_step_that_takes_parts() -> None:
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    lines = bags.table("full8", nets, catalogue.load(), range(2, 9)).splitlines()
    assert lines[0].endswith("for_2,for_3,for_4,for_5,for_6,for_7,for_8")
    assert '"screw M3 x 8, pan head",Bossard,DIN 7985 M3x8,6,9,12,15,18,21,24' in "\n".join(lines)
