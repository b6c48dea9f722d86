"""The build guide: its configuration, commands, links and measurements are right."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from hardware.enclosure import parameters
from hardware.guide import breadboard, holes, soldering
from hardware.make import netlist, wiring
from referee.cli import parser
from referee.config import parse

ROOT = Path(__file__).resolve().parents[2]
HARDWARE = ROOT / "hardware"
GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE, re.M | re.S)


def blocks(kind: str) -> list[str]:
    """Return the fenced blocks of a kind."""
    return [text for name, text in BLOCKS if name == kind]


def commands() -> list[str]:
    """Return every line of the shell blocks, and every command in running text."""
    lines = [line.strip() for text in blocks("sh") for line in text.splitlines()]
    return lines + re.findall(r"`((?:referee|make) [^`]*)`", GUIDE)


def chapters() -> dict[str, str]:
    """Return chapter title -> text."""
    parts = re.split(r"^## (.*)$", GUIDE, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


# -- typed lines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", blocks("toml"))
def test_every_configuration_is_accepted_by_the_reader(text: str) -> None:
    parse(tomllib.loads(text), "guide")


def test_every_command_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    known = commands()
    assert len(known) > 8
    for line in known:
        words = shlex.split(line, comments=True)
        if words[0].removeprefix(".venv/bin/") == "referee":
            parser().parse_args(words[1:])
        elif words[0] == "make":
            assert words[1] in targets
        else:
            assert words[0] == "sudo", f"'{line}' is neither the project's nor the system's"


# -- pictures and links --------------------------------------------------------------------------------------------


def test_every_link_leads_somewhere() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", GUIDE, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        else:
            assert (HARDWARE / target).exists(), target


def test_every_picture_is_shown() -> None:
    made = {path.name for path in (HARDWARE / "guide" / "pictures").iterdir()}
    texts = GUIDE + "".join(path.read_text(encoding="utf-8") for path in (HARDWARE / "builds").glob("*.md"))
    assert made == {name for name in made if f"guide/pictures/{name}" in texts}


@pytest.mark.parametrize("name", ["direct4", "pod", "full8"])
def test_the_steps_put_in_every_part_once(name: str) -> None:
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    tier = {"direct4": breadboard.CONSOLE, "pod": breadboard.POD}.get(name)
    steps = tier.steps if tier else soldering.STEPS
    parts_of = tier.parts_of if tier else soldering.parts_of
    put_in = [part for step in steps for part in parts_of(nets, step)]
    assert sorted(put_in) == sorted(ref for ref, part in nets.components.items() if part.bought)


# -- figures -------------------------------------------------------------------------------------------------------


def ohms(text: str) -> float:
    """Return "2.2 kΩ" or "2k2" in ohms."""
    match = re.fullmatch(r"([\d.]+) ?(k?)Ω(?: ± 5 %)?", text) or re.fullmatch(r"(\d+)(k?)(\d*)", text)
    assert match is not None, text
    number = match[1] if match.lastindex == 2 or not match[3] else f"{match[1]}.{match[3]}"
    return float(number) * (1000 if match[2] else 1)


@pytest.mark.parametrize("name", ["direct4", "pod", "full8"])
def test_what_must_be_measured_is_what_the_schematic_has(name: str) -> None:
    """The part's value is between two points that the part connects."""
    known = chapters()
    wanted = {"direct4": ("Breadboards", "Breadboard"), "pod": ("Breadboards", "Pod"), "full8": ("Heirloom",)}
    chapter = "".join(known[title] for title in wanted[name])
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    rows = re.findall(r"^\| (.+?) and (.+?) \(([RF]\d+)\) \| (.+?) \|", chapter, re.M)
    assert len(rows) >= 4
    for one, other, part, told in rows:
        assert part[0] == "F" or ohms(told) == ohms(nets.components[part].value), part
        assert {place(nets, one), place(nets, other)} == {nets.net(part, "1"), nets.net(part, "2")}, part


@pytest.mark.parametrize("chapter", ["Breadboards", "Heirloom"])
def test_a_short_between_any_two_supplies_is_measured(chapter: str) -> None:
    name = {"Breadboards": "direct4", "Heirloom": "full8"}[chapter]
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    rows = re.findall(r"^\| ([^|,]+) and ([^|,]+) \| more than", chapters()[chapter], re.M)
    pairs = [sorted((place(nets, one), place(nets, other))) for one, other in rows]
    assert sorted(pairs) == [["+3V3", "+5V"], ["+3V3", "GND"], ["+5V", "GND"]]


RAILS = {"5 V rail": "+5V", "3.3 V rail": "+3V3", "GND rail": "GND", "lamp rail": "+5V_LAMP"}


def place(nets: netlist.Netlist, words: str) -> str:
    """Return the net at a place named by the guide."""
    if words in RAILS:
        return RAILS[words]
    if words.startswith("TP"):
        return nets.net(words, "1")
    if leg := re.fullmatch(r"Pico leg (\d+)", words):
        return nets.net("U1", leg[1])
    pin = re.fullmatch(r"(?:Pi )?pin (\d+)", words)
    reference, number = ("J10", pin[1]) if pin else tuple(words.split("."))
    return nets.net(reference, number)


def test_a_plugs_parts_have_its_seats_number() -> None:
    named = re.findall(r"\bJ(\d) \(([RCD\d, ]+)\)", GUIDE)
    named += [(seat, refs) for refs, seat in re.findall(r"\(([RCDJ\d, ]+): seat (\d)\)", GUIDE)]
    assert len(named) >= 2
    for refs in re.findall(r"\(([RCD]\d+(?:, [RCD]\d+)+)", GUIDE):
        assert len(set(refs.split(", "))) == len(refs.split(", ")), refs
    for seat, refs in named:
        assert {ref[1] for ref in refs.split(", ")} == {seat}, refs


NAMED = {
    "display": "OLED_SPI",
    "knob": "ENCODER",
    "power button": "POWER",
    "piezo": "PIEZO_PLUG",
    "amplifier": "AMPLIFIER",
}


def test_a_plug_is_called_by_what_it_is_for() -> None:
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    named = re.findall(rf"({'|'.join(NAMED)}) \((J\d+)\)", " ".join(chapters()["Heirloom"].split()))
    assert len(named) == 4
    for name, reference in named:
        assert nets.components[reference].symbol == NAMED[name], reference
    assert re.findall(r'"Pin \d+" is [^.]*(J\d+)', chapters()["Heirloom"]) == ["J10"]
    assert "amplifier onto J16" in chapters()["Heirloom"]
    assert nets.components["J16"].symbol == NAMED["amplifier"]


def test_only_an_electrolytic_capacitor_has_a_plus_leg() -> None:
    nets = netlist.read(HARDWARE / "schematic" / "direct4.kicad_sch")
    named = re.findall(r"(C\d+)(?:'s longer leg| has a \+ leg|'s \+ leg)", GUIDE)
    assert len(named) >= 3
    assert {nets.components[ref].symbol for ref in named} == {"CP"}


def test_the_button_to_buy_fits_the_station() -> None:
    button = parameters.load().button
    assert f"arcade, {button.hole_mm:.0f} mm hole, up to {button.depth_mm:.0f} mm" in " ".join(GUIDE.split())


# -- numbers of wires, pins and legs -----------------------------------------------------------------------------------

WORDS = " ".join(GUIDE.split())
NETS = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in ("direct4", "pod", "full8")}


def pins(name: str, reference: str) -> list[str]:
    """Return a part's pin names in order of their numbers."""
    nets = NETS[name]
    return [nets.pin_names[reference, leg] for leg in holes.legs(nets, reference)]


def told(pattern: str) -> list[tuple[str, ...]]:
    """Return what the guide says in the groups of a pattern; each must be found."""
    found = [match.groups() for match in re.finditer(pattern, WORDS)]
    assert found, pattern
    return found


def test_a_jacks_wires_are_the_leads() -> None:
    """In the station by number and colour, and in the screws and plugs in the same order."""
    lead = {str(contact): (colour, carries) for contact, colour, _, carries in wiring.LEAD}
    [at] = told(
        r"switch to (\d) ([\w-]+) and (\d) ([\w-]+), lamp's plus to (\d) ([\w-]+), minus to (\d) (\w+)",
    )
    assert dict(zip(at[::2], at[1::2], strict=True)) == {contact: colour for contact, (colour, _) in lead.items()}
    for contacts, numbers in told(r"wires ([\d, ]+) to screws ([\d, ]+)\."):
        assert contacts.split(", ") == list(lead)
        assert numbers.split(", ") == holes.legs(NETS["pod"], "J1")
    [(numbers, contacts)] = told(r"from pins ([\d, ]+) to the open ends, and punch these into wires ([\d, ]+) of")
    assert contacts.split(", ") == list(lead)
    assert numbers.split(", ") == holes.legs(NETS["full8"], "J1")
    assert pins("pod", "J1") == pins("full8", "J1") == [carries for _, carries in lead.values()]


def test_a_lead_has_as_many_wires_as_its_plug_has_pins() -> None:
    for count, plug in [*told(r"(\d)-pin lead onto (J\d+)"), *told(r"(\d)-pin lead goes from (J\d+)")]:
        assert int(count) == len(pins("full8", plug)), plug


def test_the_wires_of_display_and_knob_are_in_the_plugs_order() -> None:
    [(display,)] = told(r"from the square pad ([A-Z, ]+)\)\. Beep")
    assert display.split(", ") == pins("full8", "J11") == pins("full8", "J17")
    [(knob,)] = told(r"solder: from the square pad (.*?)\. Encoder")
    assert re.sub(r" \(.*?\)", "", knob).split(", ") == pins("full8", "J12")


def test_the_sync_wire_joins_the_same_nets_at_both_ends() -> None:
    for name, screw, pin in [*told(r"(SYNC) \(screw (\d)\) to pin (\d)"), *told(r"(GND) \(screw (\d)\) to pin (\d)")]:
        assert NETS["pod"].pin_names["J15", screw] == NETS["full8"].pin_names["J15", pin] == name


def test_a_chips_hidden_legs_are_beside_those_in_use() -> None:
    """U3's first leg is a hole before its second, its last one above that."""
    [(leg, hole, last, other)] = told(r"U3 as U2, its unused leg (\d) in B e(\d+), (\d) in B f(\d+)")
    assert (leg, last) == ("1", "8")
    assert f"B:e{int(hole) + 1}" == breadboard.CONSOLE.layout.places["U3"][0]
    assert f"B:f{int(other) + 1}" == breadboard.CONSOLE.layout.places["U3"][-1]


def test_the_test_points_have_their_nets() -> None:
    [(first, last, names)] = told(r"TP(\d) to TP(\d): ([^.]*\.3 V, [^.]*)\.")
    meant = {"5 V": "+5V", "3.3 V": "+3V3", "GND": "GND", "fused lamp supply": "+5V_LAMP"}
    listed = [meant.get(name, "LED_OFF") for name in names.split(", ")]
    assert listed == [NETS["full8"].net(f"TP{n}", "1") for n in range(int(first), int(last) + 1)]
    for least, most, one, other in told(r"([\d.]+) to ([\d.]+) V between (TP\d) and (TP\d)"):
        assert NETS["full8"].net(other, "1") == "GND"
        volts = {"+5V": 5.0, "+3V3": 3.3}[NETS["full8"].net(one, "1")]
        assert float(least) < volts < float(most)


def test_a_button_is_measured_between_its_line_and_ground() -> None:
    for one, line, other, ground in told(r"\| (J\d+)\.(\d) and (J\d+)\.(\d), "):
        assert one == other
        assert (pins("full8", one)[int(line) - 1], pins("full8", one)[int(ground) - 1]) == ("LINE", "GND")
    [(line, ground)] = told(r"Measure from wire (\d) to (\d)")
    assert {contact: carries for contact, _, _, carries in wiring.LEAD}[int(line)] == "LINE"
    assert {contact: carries for contact, _, _, carries in wiring.LEAD}[int(ground)] == "GND"


def test_the_volts_are_of_the_fused_rail_and_the_first_line() -> None:
    [(fuse, plug, pin)] = told(r"else (F\d) tripped\), (J\d)\.(\d) ")
    assert "+5V_LAMP" in {NETS["direct4"].net(fuse, leg) for leg in "12"}
    assert (plug, pins("direct4", plug)[int(pin) - 1]) == ("J1", "LINE")


def test_a_points_name_is_explained_as_it_is_used() -> None:
    for reference, leg, number, whose in told(r"(J\d+)\.(\d) is screw (\d) of (J\d+)"):
        assert (reference, leg) == (whose, number)
    for reference, leg, whose in told(r"(J\d+)\.(\d) is (J\d+)'s square pad"):
        assert (reference, leg) == (whose, "1")
    assert told(r"pin (\d) is square") == [("1",)]
    measured = re.findall(r"(?:Pi pin|J12\.) ?(\d+)(?= and | \()", WORDS)
    [(pin, plug, leg, name)] = told(r'"Pi pin (\d+)" is its jumper\'s loose end, (J\d+)\.(\d) the knob\'s (\w+)\)')
    assert pin in measured
    assert NETS["direct4"].pin_names[plug, leg] == name
    assert NETS["direct4"].components[plug].symbol == "ENCODER"


def test_the_example_of_a_line_is_on_a_picture() -> None:
    [(name, line)] = told(r'"(R\d+ \w+): (\w \w+ – \w \w+)"')
    shown = breadboard.pictures(NETS["direct4"], breadboard.CONSOLE)["breadboard-2-first-button.svg"]
    assert f"{name.replace(' ', '  ')}:  {line}" in shown


def test_plugs_and_chips_are_the_ones_that_are_meant() -> None:
    assert {ref for (ref,) in told(r"Plug an XH lead onto (J\d+)")} <= {f"J{seat}" for seat in range(1, 9)}
    assert told(r"jacks' leads \((J\d) to (J\d):") == [("J1", "J8")]
    [(plug,)] = told(r"second display with .*? lead goes from (J\d+)")
    assert wiring.PLUGS[plug][0] == "Second display"
    for chips in told(r"a turned (U\d) or (U\d)\."):
        assert {NETS["direct4"].components[chip].symbol for chip in chips} == set(holes.CHIPS)


def test_sizes_are_the_parameters() -> None:
    known = parameters.load()
    [(bed,)] = told(r"a printer with a (\d+) mm bed")
    assert float(bed) == known.print.bed_mm
    [(hole, dome)] = told(r"For a (\d+) mm hole or a (\d+) mm dome")
    for preset, size in zip(parameters.presets(), (f"a {hole} mm hole", f"of {dome} mm"), strict=True):
        assert size in tomllib.loads(parameters.PRESETS.read_text(encoding="utf-8"))[preset]["what"]
    [(top,)] = told(r"round tops up to (\d+) mm")
    assert float(top) == known.clamp.table_mm - 2  # room for the bolt's cap
    [(spacer,)] = told(r"into (\d+) mm spacers")
    assert float(spacer) == known.carrier.above_pi_mm
    [bar] = told(r"steel bar (\d+) × (\d+) mm, sawn off at (\d+) mm")
    assert sorted(map(float, bar)) == sorted(known.ballast.bar_mm)
    [(wide, high)] = told(r"jack \((\d+) × (\d+) mm, glue\)")
    assert (float(wide), float(high)) == (15, 17)  # a keystone's hole is 14.9 by 16.6 mm (seen)


def test_a_seats_resistors_are_its_three() -> None:
    for plug, *refs in told(r"J(\d) \(R(\d\d), R(\d\d), R(\d\d)\)"):
        assert refs == [f"{plug}{place}" for place in (1, 2, 3)]
    [(name, first, second)] = told(r"resistor (R\d+), 2\.2 kΩ, in holes (\w\d+) and (\w\d+)")
    assert breadboard.CONSOLE.layout.places[name] == (f"A:{first}", f"A:{second}")


def test_a_part_with_a_plus_leg_is_electrolytic() -> None:
    for (part,) in [*told(r"(C\d) has a \+ leg"), *told(r"(C\d)'s \+ leg"), *told(r"(C\d)'s longer leg")]:
        assert NETS["direct4"].components[part].symbol == "CP"


def test_volts_are_measured_at_the_buttons_line() -> None:
    [(plug, leg)] = told(r"(J\d)\.(\d) 3\.1 to 3\.4 V at rest")
    assert NETS["direct4"].pin_names[plug, leg] == "LINE"
