"""The wiring drawings and tables agree with the schematics' connections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hardware.guide import breadboard
from hardware.make import drawn, netlist, schematics, wireviz, wiring
from hardware.make.catalogue import HARDWARE
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import HEADER
from tests.hardware import bench


def drawing(name: str) -> Any:
    """Return a committed WireViz document."""
    return json.loads((HARDWARE / "wiring" / f"{name}.yml").read_text(encoding="utf-8"))


def joined(document: Any, connector: str) -> dict[int, tuple[str, int, str]]:
    """Return a connector's pin -> (other connector, its pin, the wire's colour)."""
    found = {}
    for one, cable, other in document["connections"]:
        (here, pins), (wire, _), (there, ends) = (next(iter(part.items())) for part in (one, cable, other))
        if here == connector:
            colours = document["cables"][wire].get("colors", [""] * len(pins))
            for pin, end, colour in zip(pins, ends, colours, strict=True):
                found[pin] = (there, end, colour)
    return found


def test_every_wire_of_the_breadboard_starts_at_its_header_pin() -> None:
    wires = joined(drawing("console-direct4"), "J10")
    profile = pinmap.profile("direct4")
    assert set(wires) == {HEADER[pin.gpio] for pin in profile.pins} | {1, 2, 6}


def test_a_wire_ends_at_the_legs_that_the_schematic_joins() -> None:
    document = drawing("console-direct4")
    place, pin, colour = joined(document, "J10")[HEADER[pinmap.profile("direct4").gpio("P3_BTN")]]
    assert document["connectors"][place]["pinlabels"][pin - 1] == "C31 leg 1 + R32 leg 1"
    assert colour == "BU"


@pytest.mark.parametrize(("name", "header"), [("console-direct4", "J10"), ("pod", "U1")])
def test_a_wire_has_the_colour_of_the_breadboards_pictures(name: str, header: str) -> None:
    build = {"console-direct4": "direct4"}.get(name, name)
    nets = netlist.read(HARDWARE / "schematic" / f"{build}.kicad_sch")
    for pin, (_, _, colour) in joined(drawing(name), header).items():
        assert colour == wiring.CODES[breadboard.net_colour(nets.net(header, str(pin)))]


def test_a_breadboard_has_no_jack_in_the_console() -> None:
    for name, jack in (("console-direct4", False), ("pod", False), ("console-full8", True)):
        assert ("RJ45 keystone" in {one["type"] for one in drawing(name)["connectors"].values()}) == jack


def test_the_lead_of_the_drawing_is_the_lead_of_the_station() -> None:
    """Contacts 1 and 2 are the button, 3 and 6 the lamp, in the station's schematic and the console's plug."""
    station = netlist.read(HARDWARE / "schematic" / "station.kicad_sch")
    names = {contact: station.pin_names["J1", str(contact)] for contact, _, _, _ in wiring.LEAD}
    assert names == {contact: carries for contact, _, _, carries in wiring.LEAD}
    console = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    for number in range(1, 9):
        assert [console.pin_names[f"J{number}", pin] for pin in "1234"] == list(names.values())


@pytest.mark.parametrize("ref", list(wiring.PLUGS))
def test_every_pin_of_a_plug_has_one_wire_straight_through(ref: str) -> None:
    wires = joined(drawing("console-full8"), ref)
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    assert set(wires) == {int(pin) for part, pin in nets.pin_names if part == ref}
    assert all(pin == end for pin, (_, end, _) in wires.items())
    assert not any(colour for _, _, colour in wires.values()), "a bought lead has colours of its own"


def test_the_pods_stations_are_like_the_consoles() -> None:
    """The same input circuit, so that the same lead fits both."""
    nets = netlist.read(HARDWARE / "schematic" / "pod.kicad_sch")
    assert set(schematics.POD.stations()) == {str(n) for n in range(1, 9)}
    assert [nets.pin_names["J1", pin] for pin in "1234"] == [carries for _, _, _, carries in wiring.LEAD]


@pytest.mark.skipif(not bench.has_wireviz(), reason="needs WireViz and Graphviz (make hardware-tools hardware-check)")
def test_a_picture_that_is_missing_or_stale_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = bench.copy(tmp_path)
    monkeypatch.setattr(drawn, "TOOLS", {"wiring": wireviz})
    assert any("station.svg is missing" in text for text in drawn.check(root))
    drawn.write(root)
    assert list(drawn.check(root)) == []
    (root / "wiring" / "pod.svg").write_text("<svg/>", encoding="utf-8")
    assert [text for text in drawn.check(root) if "pod.svg is not what" in text]
