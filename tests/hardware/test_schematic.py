"""The schematics follow the pin map and connect what they must; injected faults are found."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hardware.make import __main__ as command
from hardware.make import checks, netlist, schematics
from hardware.make.catalogue import HARDWARE
from hardware.make.sheet import Sheet
from hardware.make.symbols import SYMBOLS
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import HEADER
from tests.hardware import bench


def test_the_committed_files_have_nothing_to_complain_of() -> None:
    assert list(checks.everything()) == []


@pytest.mark.parametrize("name", ["full8", "direct4"])
def test_every_wire_of_the_pin_map_is_on_its_header_pin(name: str) -> None:
    """Checked without the checker, from the drawing alone."""
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    profile = pinmap.profile(name)
    assert {pin.net: nets.net("J10", str(HEADER[pin.gpio])) for pin in profile.pins} == {
        p.net: p.net for p in profile.pins
    }


@pytest.mark.parametrize("name", ["full8", "direct4", "pod"])
def test_each_station_has_its_whole_input_and_lamp(name: str) -> None:
    """From plug to pin: pull-up, suppressor, 1 kohm, 10 nF; lamp resistor and driver output."""
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    stations = (schematics.POD if name == "pod" else pinmap.profile(name)).stations()
    for number in stations:
        line = nets.nets[nets.net(f"J{number}", "1")]
        assert line == {(f"J{number}", "1"), (f"R{number}1", "2"), (f"R{number}2", "2"), (f"D{number}1", "1")}
        assert nets.net(f"R{number}1", "1") == "+3V3"
        assert nets.net(f"R{number}2", "1") == nets.net(f"C{number}1", "1") == f"P{number}_BTN"
        assert nets.net(f"C{number}1", "2") == nets.net(f"D{number}1", "2") == nets.net(f"J{number}", "2") == "GND"
        assert nets.net(f"R{number}3", "1") == "+5V_LAMP"
        assert nets.net(f"R{number}3", "2") == nets.net(f"J{number}", "3")
        lamp = nets.nets[nets.net(f"J{number}", "4")]
        assert lamp == {(f"J{number}", "4"), ("U2", str(19 - int(number)))}


def test_the_lamp_chain_is_in_the_order_that_the_software_shifts() -> None:
    """Station 1 is output QA, the destination of a byte's lowest bit."""
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    for station, output in zip(range(1, 9), ("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH"), strict=True):
        driver = next(pin for (ref, pin), name in nets.pin_names.items() if ref == "U1" and name == output)
        assert nets.net("U1", driver) == nets.net("U2", str(station))


def test_the_header_of_the_drawing_is_the_header_of_the_software() -> None:
    """Two independent tables of the same 40 pins."""
    drawn = {pin.name: int(pin.number) for pin in SYMBOLS["RASPBERRY_PI"].pins if pin.name.startswith("GPIO")}
    assert drawn == {f"GPIO{gpio}": place for gpio, place in HEADER.items() if gpio > 1}


def test_a_contact_on_a_pin_with_a_fixed_pull_up_still_reads_low() -> None:
    """10 kohm in series would leave GPIO2 at 2.8 V; the board's 100 ohm leave it at 0.17 V."""
    assert checks.pressed_volts(10_000, fixed_pull_up=True) > checks.LOW_V
    assert checks.pressed_volts(100, fixed_pull_up=True) == pytest.approx(0.174, abs=0.001)


# -- injected faults ---------------------------------------------------------------------------------------------------


def refused(root: Path) -> str:
    """Return the complaints about a faulty folder."""
    return "\n".join(checks.apart_from_copper(root))


def edit(root: Path, name: str, change: tuple[str, str]) -> None:
    """Replace a text, which must be present, in a schematic."""
    path = root / "schematic" / f"{name}.kicad_sch"
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(change[0], change[1], 1), encoding="utf-8")


def place_of(root: Path, name: str, net: str) -> tuple[float, float]:
    """Return the place of that net's first label, in mm."""
    text = (root / "schematic" / f"{name}.kicad_sch").read_text(encoding="utf-8")
    found = re.search(rf'global_label "{net}" \(shape passive\) \(at ([\d.]+) ([\d.]+)', text)
    assert found
    return float(found[1]), float(found[2])


def short(root: Path, name: str, one: str, other: str) -> None:
    """Connect two nets' labels by a wire."""
    (ax, ay), (bx, by) = place_of(root, name, one), place_of(root, name, other)
    wires = [((ax, ay), (ax, by)), ((ax, by), (bx, by))]
    text = "".join(f"(wire (pts (xy {a[0]} {a[1]}) (xy {b[0]} {b[1]})))\n" for a, b in wires if a != b)
    edit(root, name, ("(sheet_instances", text + "(sheet_instances"))


def test_two_nets_shorted_are_found(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    short(root, "direct4", "P1_BTN", "P2_BTN")
    said = refused(root)
    assert "direct4: the nets" in said
    assert "P1_BTN" in said


def test_a_floating_button_is_found(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    text = (root / "schematic" / "full8.kicad_sch").read_text(encoding="utf-8")
    labels = re.findall(r'\(global_label "P3_BTN".*\n', text)
    assert len(labels) == 2
    edit(root, "full8", (labels[1], ""))
    said = refused(root)
    assert "full8: P3_BTN must have one resistor in series, and has 0; without it the button floats." in said
    assert "is alone on net P3_BTN" in said


def test_a_pin_moved_in_software_only_is_found(tmp_path: Path) -> None:
    """The pin map says GPIO16, the committed drawing still has the old pin."""
    root = bench.copy(tmp_path)
    path = root / "pinmap.toml"
    text = path.read_text(encoding="utf-8")
    before, after = '{ gpio = 24, net = "P1_LED"', '{ gpio = 8, net = "P1_LED"'
    path.write_text(text.replace(before, after), encoding="utf-8")
    said = refused(root)
    assert "direct4: header pin 18 must be open by the pin map, and is P1_LED." in said
    assert "direct4: header pin 24 must be P1_LED by the pin map, and is open." in said


def test_a_lost_part_is_found(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    text = (root / "schematic" / "full8.kicad_sch").read_text(encoding="utf-8")
    part = re.search(
        r'\(symbol \(lib_id "referee:C"\)[^\n]*\n[^\n]*"Reference" "C21".*?\(instances .*?\)\)\)\)\)\n', text, re.DOTALL
    )
    assert part
    edit(root, "full8", (part[0], ""))
    assert "full8: P2_BTN has no capacitor at the pin" in refused(root)


def test_a_wrong_source_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = bench.copy(tmp_path)
    (root / "pinmap.toml").write_text("schema = 7\n", encoding="utf-8")
    assert command.main(["--check", "--pure", "--root", str(root)]) == 2
    assert capsys.readouterr().err == "The pin map pinmap.toml cannot be read: Invalid enum value 7 - at `$.schema`.\n"


def test_the_pod_is_drawn_with_its_firmware_s_pins() -> None:
    text = (HARDWARE.parent / "firmware" / "board.py").read_text(encoding="utf-8")
    named = re.search(r"^CONTACT_BASE, LAMP_BASE, SYNC_PIN = (\d+), (\d+), (\d+)$", text, re.MULTILINE)
    assert named is not None
    contacts, lamps, sync = map(int, named.groups())
    assert schematics.POD.gpio("SYNC_IN") == sync
    assert [pin.gpio for pin in schematics.POD.stations().values()] == [contacts + n for n in range(8)]
    assert [pin.gpio for pin in schematics.POD.lamps().values()] == [lamps + n for n in range(8)]


def test_the_picos_pins_are_its_boards() -> None:
    nets = netlist.read(HARDWARE / "schematic" / "pod.kicad_sch")
    assert list(checks.pico_agrees(nets, schematics.POD)) == []
    names = nets.pin_names | {("U1", "40"): "3V3", ("U1", "36"): "VBUS"}
    assert list(checks.pico_agrees(replace(nets, pin_names=names), schematics.POD)) == [
        "VBUS is drawn as pin 36 of the Pico, which is 3V3.",
        "VBUS must be +5V by the pod's table, and is +3V3.",
        "3V3 is drawn as pin 40 of the Pico, which is VBUS.",
        "3V3 must be +3V3 by the pod's table, and is +5V.",
    ]
    names = nets.pin_names | {("U1", "5"): "GP2"}
    found = list(checks.pico_agrees(replace(nets, pin_names=names), schematics.POD))
    assert "GP2 is drawn as pin 5 of the Pico, which is GP3." in found


def test_a_part_without_a_symbol_is_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"#PWR001 is drawn as SPI_MOSI, for which there is no symbol\."):
        Sheet("carrier", "Carrier").power("SPI_MOSI", (0, 0))


def test_two_pins_that_go_to_one_place_are_a_sentence(tmp_path: Path) -> None:
    """Otherwise the table of wires would give a builder the wrong terminal."""
    text = (HARDWARE / "pinmap.toml").read_text(encoding="utf-8")
    (tmp_path / "pinmap.toml").write_text(text.replace("lamps.gate", "buzzer.drive"), encoding="utf-8")
    profile = pinmap.load(tmp_path / "pinmap.toml")["full8"]
    assert list(checks.one_end_each(profile)) == ["full8: BUZZER and LED_ON both go to buzzer.drive."]


@pytest.mark.parametrize("net", ["BUZZER", "LED_ON", "AMP_ON", "SYNC_OUT"])
def test_an_output_that_may_sound_or_light_at_boot_is_a_sentence(tmp_path: Path, net: str) -> None:
    text = (HARDWARE / "pinmap.toml").read_text(encoding="utf-8")
    loud = re.sub(rf'(?m)^(.*"{net}".*boot = )"low"', r'\1"any"', text, count=1)
    assert loud != text
    (tmp_path / "pinmap.toml").write_text(loud, encoding="utf-8")
    profile = pinmap.load(tmp_path / "pinmap.toml")["full8"]
    assert list(checks.quiet_at_boot(profile)) == [
        f"full8: {net} may have any level at power-up; allowed for it is low."
    ]
