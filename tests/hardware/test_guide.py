"""The build guide holds: configuration, commands, links, pictures and figures are the project's own."""

from __future__ import annotations

import csv
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from hardware.enclosure import parameters
from hardware.guide import breadboard, paper, soldering
from hardware.make import boards, catalogue, electrical, netlist
from hardware.make.circuit import Sheet
from referee.cli import parser
from referee.config import parse
from referee.drivers.pins import pinmap
from referee.drivers.pwm import chip

ROOT = Path(__file__).resolve().parents[2]
HARDWARE = ROOT / "hardware"
GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE, re.M | re.S)
STEEL_G_MM3 = 7.85e-3


def blocks(kind: str) -> list[str]:
    """The fenced blocks of a kind."""
    return [text for name, text in BLOCKS if name == kind]


def commands() -> list[str]:
    """Every line of the shell blocks, and every command in running text."""
    lines = [line.strip() for text in blocks("sh") for line in text.splitlines()]
    return lines + re.findall(r"`((?:referee|make) [^`]*)`", GUIDE)


def chapters() -> dict[str, str]:
    """Chapter title to its text."""
    parts = re.split(r"^## (.*)$", GUIDE, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


# -- lines that are typed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", blocks("toml"))
def test_every_configuration_is_accepted_by_the_reader(text: str) -> None:
    """Sections, options and values; nothing in the guide would be refused at start."""
    parse(tomllib.loads(text), "guide")


def test_there_is_a_configuration_for_each_tier() -> None:
    """Both profiles that the guide builds appear."""
    named = {parse(tomllib.loads(text)).pins.profile for text in blocks("toml")}
    assert named == {"direct4", "full8"}


def test_every_command_exists() -> None:
    """What is typed as `referee …` is accepted by the command line, `make …` is a target of the Makefile."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    known = commands()
    assert len(known) > 8
    for line in known:
        words = line.split()
        if words[0] == "referee":
            parser().parse_args(words[1:])
        elif words[0] == "make":
            assert words[1] in targets
        else:
            assert words[0] == "sudo", f"'{line}' is neither the project's nor the system's"


@pytest.mark.parametrize("name", ["direct4", "full8"])
def test_the_overlay_lines_are_the_pin_map_s(name: str) -> None:
    """Word for word what `referee pins` prints."""
    chapter = chapters()[{"direct4": "Breadboard", "full8": "Heirloom"}[name]]
    lines = re.findall(r"^```ini\n(.*?)^```", chapter, re.M | re.S)
    assert [text.splitlines() for text in lines] == [list(pinmap.profile(name).overlays)]


# -- pictures and links --------------------------------------------------------------------------------------------


def test_every_link_leads_somewhere() -> None:
    """Files are there, anchors are headings."""
    anchors = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", GUIDE, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        else:
            assert (HARDWARE / target).exists(), target


def test_every_step_has_its_picture() -> None:
    """One picture a step at least, and every picture of the folder is used."""
    steps = re.split(r"^### ", GUIDE, flags=re.M)[1:]
    assert [step.splitlines()[0] for step in steps if "![" not in step] == []
    made = {path.name for path in (HARDWARE / "guide" / "pictures").iterdir()}
    assert made == {name for name in made if f"guide/pictures/{name}" in GUIDE}


@pytest.mark.parametrize(("tier", "name"), [(breadboard, "direct4"), (soldering, "full8")])
def test_the_steps_put_in_every_part_once(tier: ModuleType, name: str) -> None:
    """No part of the schematic is forgotten or asked for twice; what stays empty is said."""
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    put_in = [part for step in tier.STEPS for part in tier.parts_of(nets, step)]
    left_out = soldering.NOT_SOLDERED if tier is soldering else ()
    assert sorted([*put_in, *left_out]) == sorted(ref for ref, part in nets.components.items() if part.bought)
    assert all(f"{part} stays empty" in GUIDE for part in left_out)


class Targets(HTMLParser):
    """What a page loads or leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_page_for_printing_is_of_this_text_and_finds_its_pictures() -> None:
    """Every file that it names is there; that page and PDF are today's, `left_behind` says."""
    page = (HARDWARE / paper.GUIDE).read_text(encoding="utf-8")
    targets = Targets()
    targets.feed(page)
    files = [target for target in targets.found if not target.startswith("#")]
    assert len(files) > 30
    assert [target for target in files if not (HARDWARE / "guide" / target).exists()] == []


# -- figures -------------------------------------------------------------------------------------------------------


def ohms(text: str) -> float:
    """ "2.2 kΩ" or "2k2" in ohms."""
    match = re.fullmatch(r"([\d.]+) ?(k?)Ω(?: ± 5 %)?", text) or re.fullmatch(r"(\d+)(k?)(\d*)", text)
    assert match is not None, text
    number = match[1] if match.lastindex == 2 or not match[3] else f"{match[1]}.{match[3]}"
    return float(number) * (1000 if match[2] else 1)


@pytest.mark.parametrize("name", ["direct4", "full8"])
def test_what_must_be_measured_is_what_the_schematic_has(name: str) -> None:
    """Each resistance with a part beside it: the part's value, between two points that the part joins."""
    chapter = chapters()[{"direct4": "Breadboard", "full8": "Heirloom"}[name]]
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    rows = re.findall(r"^\| (.+?) and (.+?) \| (R\d+) \| (.+?) \|", chapter, re.M)
    assert len(rows) >= 4
    for one, other, part, told in rows:
        assert ohms(told) == ohms(nets.components[part].value), part
        assert {place(nets, one), place(nets, other)} == {nets.net(part, "1"), nets.net(part, "2")}, part


RAILS = {"5 V rail": "+5V", "3.3 V rail": "+3V3", "GND rail": "GND", "lamp rail": "+5V_LAMP"}


def place(nets: netlist.Netlist, words: str) -> str:
    """The net at a place that the guide names."""
    if words in RAILS:
        return RAILS[words]
    if words.startswith("TP"):
        return nets.net(words, "1")
    pin = re.fullmatch(r"(?:Pi )?pin (\d+)", words)
    reference, number = ("J10", pin[1]) if pin else tuple(words.split("."))
    return nets.net(reference, number)


@pytest.mark.parametrize("name", ["direct4", "full8"])
def test_the_prices_are_the_bill_s(name: str) -> None:
    """The table of tiers says the totals for fewest and most players, to the next 5 euros."""
    with (HARDWARE / "bom" / f"{name}.csv").open(encoding="utf-8") as file:
        total = next(row for row in csv.DictReader(file) if row["what"] == "total")
    sums = [float(value) for column, value in total.items() if column.startswith("for_") and value]
    told = [int(euros) for euros in re.findall(r"€(\d+)", GUIDE[: GUIDE.index("## Tonight")])]
    least, most = told[:2] if name == "direct4" else told[2:]
    assert abs(least - min(sums)) <= 5
    assert abs(most - max(sums)) <= 5


def test_the_table_of_pis_is_the_rules_own() -> None:
    """What differs between boards stands once; the driver finds each board's PWM, with both channels."""
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    drawn, _ = electrical.drawn_a(Sheet(nets, catalogue.load(), pinmap.profile("full8"), "J10"))
    assert boards.table(drawn) in GUIDE
    for board in boards.BOARDS.values():
        found = [channels for name, channels in chip.HEADER_CHIPS if name.fullmatch(board.pwm)]
        assert [(channels[12], channels[13]) for channels in found] == [(0, 1)]


def test_the_bar_weighs_what_is_said() -> None:
    """The ballast's dimensions and weight are the parameters'."""
    wide, long, thick = parameters.load().ballast.bar_mm
    assert f"flat steel bar {wide} × {thick} mm, sawn off at {long} mm".replace(".0", "") in GUIDE
    assert f"({wide * long * thick * STEEL_G_MM3:.0f} g)" in GUIDE
