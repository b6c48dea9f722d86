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
        if build in step.builds:
            assert set(step.needs) <= made, step.title
            made |= set(step.makes)


@pytest.mark.parametrize("build", outputs.PLAYERS)
def test_the_steps_take_what_is_listed(build: str) -> None:
    """For the fewest and the most players, options apart; postage goes into no bag."""
    parts = catalogue.load()
    read = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in (build, "station")}
    rows = bom.rows(read[build], read["station"], parts.builds[build])
    for players in (outputs.PLAYERS[build][0], outputs.PLAYERS[build][-1]):
        bags_ = (one.pieces(read[build], players) for one in STEPS if build in one.builds)
        taken: Counter[tuple[str, bool]] = sum(bags_, Counter())
        listed = Counter({(row.key, row.option): row.quantity(players) for row in rows})
        del listed["postage", False]
        assert taken == +listed


def test_a_bag_list_names_each_step_that_takes_parts() -> None:
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    lines = bags.table("full8", nets, catalogue.load(), range(2, 9)).splitlines()
    assert lines[0].endswith("mpn,option,for_2,for_3,for_4,for_5,for_6,for_7,for_8")
    assert '"screw M3 x 8, pan head",Bossard,DIN 7985 M3x8,,6,9,12,15,18,21,24' in "\n".join(lines)
    assert "bolt M6 x 60 with nut and rubber cap,Bossard,DIN 933 M6x60,option,1,1" in "\n".join(lines)


REFERENCE = re.compile(r"(?<![\w*])(?:[JUCRDQF]\d{1,2}|BZ1|TP\d)(?!\w)")
CONTROLLERS = {"direct4": "J10", "full8": "J10", "pod": "U1"}


def text_of(step: bags.Step) -> str:
    """Return a step's text in the guide, or its chapter's."""
    for chapter, title, text in sections():
        if (chapter, title) == (step.chapter, step.title):
            return " ".join(text.split())
    return " ".join(CHAPTERS[step.chapter].split())


@pytest.mark.parametrize("build", outputs.PLAYERS)
def test_a_step_names_only_parts_that_are_in_place(build: str) -> None:
    """References in its text are of this step's parts or of an earlier one's; test points are the board's."""
    nets = netlist.read(HARDWARE / "schematic" / f"{build}.kicad_sch")
    placed: set[str] = set()
    for step in STEPS:
        if build in step.builds and step.chapter != "Stations":
            placed |= {ref for ref in nets.components if step.refs and re.fullmatch(step.refs, ref)}
            assert set(REFERENCE.findall(text_of(step))) <= placed, step.title


COUNTS = {word: n for n, word in enumerate(("one", "two", "three", "four"), start=1)} | {"3": 3}
SCREWS = {"M3×8": "screw_m3", "M3×10": "screw_m3_flat", "M2.5×12": "screw_m25_long", "M2.5×6": "screw_m25"}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.chapter} {step.title}")
def test_a_step_drives_in_the_screws_that_it_takes(step: bags.Step) -> None:
    told: Counter[str] = Counter()
    for count, size in re.findall(r"(\w+) (?:countersunk )?screws (M[\d.]+×\d+)", text_of(step)):
        told[SCREWS[size]] += COUNTS[count.lower()]
    taken = Counter({key: n for key, n in {**step.once, **step.player}.items() if key in SCREWS.values()})
    optional = Counter({key: n for key, n in step.option.items() if key in SCREWS.values()})
    assert told in (taken, taken + optional)


WORDS = {
    "amp": "amplifier", "bar": "steel bar", "black_wire": "black (wire|links)", "breadboard": "Board|rail",
    "button": "button", "card": "card", "carrier": "flat parts", "clamp_bolt": "bolt M6 and nut",
    "display": "Display|second display", "encoder": "Encoder", "foot": "feet", "glue": "hot glue",
    "heat_shrink": "heat-shrink", "insert": "insert", "jumpers": "wire", "keystone": "[Jj]ack|Punch",
    "knob": "Knob|knob", "lamp": "lamp", "o_ring": "rubber ring", "pane": "pane", "patch": "patch lead",
    "petg": "Print|print", "petg_colours": "colours", "ph_lead": "PH lead", "pi": "Pi", "piezo": "Disc|disc",
    "power_button": "Power button", "quick_connect": "Quick connectors", "rubber": "rubber", "sdcard": "card",
    "silicone": "Silicone",
    "solder": "solder", "spacer": "spacers", "speaker": "speaker", "supply": "[Ss]upply",
    "supply_lead": "supply", "tape": "tape", "two_core": "two-core wire", "usb_adapter": "Zero",
    "usb_lead": "USB lead", "xh2_lead": "2-pin XH lead", "xh3_lead": "3-pin lead", "xh4_lead": "XH lead",
    "xh5_lead": "5-pin lead", "xh7_lead": "7-pin lead",
}  # fmt: skip
"""How the guide names what is on no schematic."""


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.chapter} {step.title}")
def test_a_step_says_what_becomes_of_each_part_that_it_takes(step: bags.Step) -> None:
    text = text_of(step)
    for key in (*step.once, *step.player, *step.option, *step.player_option, *step.from_five):
        assert key in SCREWS.values() or re.search(WORDS[key], text), key


USED = {
    "PH lead": "ph_lead", "2-pin XH lead": "xh2_lead", "3-pin lead": "xh3_lead", "5-pin lead": "xh5_lead",
    "7-pin lead": "xh7_lead", "hot glue": "glue", "[Ss]ilicone": "silicone", "heat-shrink": "heat_shrink",
    "[Qq]uick connectors": "quick_connect", "patch lead": "patch", "black wire": "black_wire", "spacers'? ": "spacer",
    "rubber ring": "o_ring", "bolt M6": "clamp_bolt", "feet": "foot", "steel bar": "bar", "taped?": "tape",
    "two-core wire": "two_core", "USB lead": "usb_lead",
    "speaker": "speaker", "[Aa]mplifier": "amp", "inserts": "insert",
}  # fmt: skip
"""Words for a part in hand: only a step that takes it, or a later one, uses them."""


@pytest.mark.parametrize("build", outputs.PLAYERS)
def test_a_step_uses_only_what_is_in_its_bag_or_an_earlier_one(build: str) -> None:
    """A kit is packed in bags, one a step; what is soldered may be named before it is used."""
    taken: set[str] = set()
    for step in STEPS:
        if build in step.builds:
            taken |= {key for key, _ in step.pieces(netlist.read(HARDWARE / "schematic" / f"{build}.kicad_sch"), 8)}
            text = re.sub(r"J16 \(amplifier\)|with a bit of tape|a bit of tape", "", text_of(step))
            missing = {key for word, key in USED.items() if re.search(rf"\b{word}", text)} - taken
            assert missing <= {"glue"} if step.title == "1. Print" else not missing, step.title


TOOLS = {
    "punch": "punch-down", r"\bsaw": "hacksaw", "filed": "file", "hot glue": "hot glue gun", r"\b[Ii]ron\b": "iron",
    "[Ss]older": "iron", "[Mm]eter|[Mm]easure|beep": "multimeter", r"\b[Ss]trip ": "wire stripper",
    "[Ss]crew": "screwdriver", "Print": "printer", "(Measure|Compare).*(parameters|presets)": "calliper",
}  # fmt: skip
"""Words of a step, and the tool that it takes."""


@pytest.mark.parametrize("chapter", ["Stations", "Pod", "Breadboard", "Heirloom"])
def test_a_chapter_lists_the_tools_that_its_steps_take(chapter: str) -> None:
    """Those of the stations, which every build has, count for all."""
    listed = "".join(re.findall(r"\*\*Tools\*\*: (.*?)\n\n", CHAPTERS["Stations"] + CHAPTERS[chapter], re.S))
    text = " ".join(text for where, _, text in sections() if where == chapter)
    for word, tool in TOOLS.items():
        assert tool in " ".join(listed.split()) or not re.search(word, text), tool


def test_tonight_needs_no_part() -> None:
    assert not REFERENCE.search(CHAPTERS["Tonight"])
    assert "Tonight" not in {step.chapter for step in STEPS}
