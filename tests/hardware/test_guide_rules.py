"""The guide's steps use what the lists buy, and a catalogue entry says one thing in all its columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware.make import catalogue, catalogue_rules, checks, guide_rules, netlist
from hardware.make.catalogue import HARDWARE

PARTS = catalogue.load()
DRAWN = checks.drawn_parts(HARDWARE)
GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")


def test_the_committed_guide_and_catalogue_agree() -> None:
    """Every row is used by a step, every step's pieces are bought, every noun has its part."""
    assert list(guide_rules.complaints(GUIDE, PARTS, DRAWN)) == []
    assert list(catalogue_rules.complaints(PARTS)) == []
    assert {step.title for step in guide_rules.steps(GUIDE)["A station"]} >= {"1. Ring and button", "3. The bar"}


def test_inserts_fewer_than_the_steps_take_are_missed() -> None:
    """Four a station in the steps, two in the list; and what no step takes."""
    full8 = PARTS.builds["full8"]
    fewer = replace(full8, player={**full8.player, "insert": 2}, once={**full8.once, "usb_lead": 1})
    found = list(guide_rules.complaints(GUIDE, replace(PARTS, builds={**PARTS.builds, "full8": fewer}), DRAWN))
    assert found == [
        "full8: the guide's steps use 0 of 'usb_lead' once, and the list buys 1.",
        "full8: the guide's steps use 4 of 'insert' for each player, and the list buys 2.",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("Two screws M3×8", "Three screws M3×8"),
            "full8, '3. The clamp': the text takes 3 screws M3×8, its remark 2.",
        ),
        (
            ("<!-- uses: tape 1; each: screw_m3 3 -->", "<!-- each: screw_m3 3 -->"),
            "names 'tape', which neither this step nor one",
        ),
        (
            ("Wires 4, 5, 7\nand 8 stay open", "A cable tie holds them. Wires 4, 5, 7\nand 8 stay open"),
            "full8, '4. The sockets': 'cable' in ",
        ),
        (
            ("File the bar's edges round", "Lay two magnets under the bar"),
            "full8, '3. The bar': 'magnets' in ",
        ),
        (("each: keystone 1, xh4_lead 1", "each: keystone 1, lead 1"), "'lead' is no part of the catalogue."),
    ],
)
def test_a_slip_in_a_step_is_a_sentence(change: tuple[str, str], said: str) -> None:
    """A number of screws, a thing that nothing buys, a key that is none."""
    assert change[0] in GUIDE
    assert any(said in text for text in guide_rules.complaints(GUIDE.replace(*change, 1), PARTS, DRAWN))


@pytest.mark.parametrize(
    ("key", "changes", "said"),
    [
        ("r1k", {"value": "10k"}, "prints the value 10k: 10000 is not 1000 ohm."),
        ("r1k", {"tolerance": 0.02}, "has the tolerance 0.02; the words must say it in %."),
        ("t_r2k2", {"mpn": "MFR-25FTE52-22K"}, "has the value 2k2, and the order code MFR-25FTE52-22K is another's."),
        (
            "c100n",
            {"mpn": "CC0805KRX7R9BB103"},
            "has the value 100n, and the order code CC0805KRX7R9BB103 is another's.",
        ),
        ("c10u", {"footprint": "R_0805"}, "which needs the footprint C_0805, and has R_0805."),
        ("display", {"footprint": "XH7"}, "which needs the footprint none, and has XH7."),
        ("lamp", {"mpn": "ULN2803AN"}, "have one order code, ULN2803AN, and are two parts."),
        (
            "xh_leads",
            {"mpn": "PHR-2 with SPH-002T-P0.5S"},
            "have one order code, PHR-2 with SPH-002T-P0.5S, and are two parts.",
        ),
        ("bar", {"code": "maker"}, "says that flat bar S235 60x6 is a maker's number, and it does not look like one."),
        ("r1k", {"code": "words"}, "says that RC0805FR-071KL is a no number, and it does not look like one."),
        ("r1k", {"code": "number"}, "has the code 'number'; allowed are maker, doubtful, shop, norm, words."),
        ("r1k", {"seller": "Anybody"}, "the seller Anybody beside a maker's number; a seller has a shop's number."),
        ("amp", {"seller": ""}, "says that 3006 is a shop's number, and it does not look like one."),
        ("r1k", {"seen": "23.11.2026"}, "was seen on '23.11.2026', which is no day like 2026-11-23."),
        ("bar", {"obsolete": "rolled no more"}, "is obsolete and names no substitute that can be ordered."),
        ("screw_m3", {"what": "screw M3 x 18, pan head"}, "everything here is made for 'screw M3 x 8, pan head'."),
        ("supply", {"what": "supply 12 V 2.5 A"}, "everything here is made for 'supply 5.1 V 2.5 A'."),
        ("polyfuse", {"mpn": "MF-MSMF500-2"}, "holds 0.5 A, and the order code MF-MSMF500-2 is another's."),
        ("bar", {"price": 0.0}, "costs 0 euros; allowed are 0.01 to 100."),
    ],
)
def test_a_contradiction_in_the_catalogue_is_a_sentence(key: str, changes: dict[str, object], said: str) -> None:
    """Value, tolerance, order code, footprint, price: each against the words."""
    items = {**PARTS.items, key: replace(PARTS.items[key], **changes)}  # type: ignore[arg-type]
    found = list(catalogue_rules.complaints(replace(PARTS, items=items)))
    assert any(text.endswith(said) for text in found), found


@pytest.mark.parametrize("build", ["direct4", "full8"])
def test_a_row_that_is_gone_leaves_its_noun_alone(build: str) -> None:
    """Without the lamp in the stations' schematic every lamp of the text is a thing that nobody has bought."""
    drawn = {name: keys - {"lamp"} for name, keys in DRAWN.items()}
    found = list(guide_rules.complaints(GUIDE, PARTS, drawn))
    assert [text for text in found if text.startswith(build) and "'lamps' in" in text]
    assert all("amp" in text for text in found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("and pin 6 | R2 |", "and pin 6 | R4 |"),
            "between pin 33 and pin 6 R4 is measured, which joins C5.2 and J14.2.",
        ),
        (
            ("J1.1 and pin 11", "J2.1 and pin 11"),
            "between J2.1 and pin 11 R12 is measured, which joins P1_BTN and D11.1.",
        ),
        (
            ("J1.1 and J1.2, button 1", "J2.1 and J1.2, button 1"),
            "a button is measured between J2 and J1; its two wires are on one plug.",
        ),
        (("R11 | 2.2 k", "R11 | 22 k"), "R11 must read 22 kΩ, and is 2k2."),
        (
            ("J1.1 and GND, at rest", "J3.1 and GND, at rest"),
            "a button is measured at rest at J3.1 and pressed at J1.1; it is one button.",
        ),
        (
            ("J1.1 and GND, at rest", "J1.1, at rest"),
            "no button is measured with the power on, at rest and pressed.",
        ),
    ],
)
def test_what_is_measured_before_the_first_plug_is_what_the_schematic_has(change: tuple[str, str], said: str) -> None:
    """Every row with a part: between these two places, with that value."""
    nets = [netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in ("full8", "direct4")]
    assert change[0] in GUIDE
    assert list(guide_rules.measurements(GUIDE, *nets)) == []
    assert list(guide_rules.measurements(GUIDE.replace(*change, 1), *nets)) == [said]


def test_a_players_station_at_a_pod_is_the_breadboards() -> None:
    """No chapter builds a pod, so nothing else counts its sockets."""
    pod = PARTS.builds["pod"]
    builds = {**PARTS.builds, "pod": replace(pod, player={**pod.player, "keystone": 0})}
    said = "parts.toml: a pod's player gets 0 of 'keystone', a breadboard's 1."
    assert list(catalogue_rules.complaints(replace(PARTS, builds=builds))) == [said]


@pytest.mark.parametrize(
    ("once", "said"),
    [
        ({"jumpers": 0}, "parts.toml: a pod takes 0 of 'jumpers', a breadboard 1."),
        ({"usb_lead": 2}, "parts.toml: a pod takes 2 of 'usb_lead'; 1 plugs it in."),
    ],
)
def test_what_a_pod_takes_once_is_counted(once: dict[str, int], said: str) -> None:
    """Boards and wires as a breadboard, and its lead."""
    pod = PARTS.builds["pod"]
    builds = {**PARTS.builds, "pod": replace(pod, once={**pod.once, **once})}
    assert list(catalogue_rules.complaints(replace(PARTS, builds=builds))) == [said]


def test_a_size_in_a_value_is_the_parts_own() -> None:
    """A disc of 82 mm under the words of one of 41."""
    items = {**PARTS.items, "piezo": replace(PARTS.items["piezo"], value="82 mm disc")}
    said = "parts.toml: 'piezo' is 'piezo disc 41 mm, with leads' and has the value 82 mm disc."
    assert list(catalogue_rules.complaints(replace(PARTS, items=items))) == [said]
