"""Our symbols and footprints against KiCad's libraries, drawn independently from the same data sheets."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.make.footprints import FOOTPRINTS
from hardware.make.sexpr import Node, child, children, parse
from hardware.make.symbols import SYMBOLS

KICAD = Path("/usr/share/kicad")

CHIPS = {
    "74HCT595": ("74xx", "74HCT595"),
    "ULN2803A": ("Transistor_Array", "ULN2803A"),
    "NMOS": ("Transistor_FET", "BSS138"),
    "TC4428A": ("Driver_FET", "TC4428xOA"),
    "PICO": ("MCU_Module", "RaspberryPi_Pico"),
}
PRINTS = {
    "R_0805": "Resistor_SMD.pretty/R_0805_2012Metric_Pad1.20x1.40mm_HandSolder",
    "C_0805": "Capacitor_SMD.pretty/C_0805_2012Metric_Pad1.18x1.45mm_HandSolder",
    "R_1206": "Resistor_SMD.pretty/R_1206_3216Metric_Pad1.30x1.75mm_HandSolder",
    "F_1812": "Fuse.pretty/Fuse_1812_4532Metric_Pad1.30x3.40mm_HandSolder",
    "D_SOD323": "Diode_SMD.pretty/D_SOD-323_HandSoldering",
    "SOT23": "Package_TO_SOT_SMD.pretty/SOT-23_Handsoldering",
    "SO8": "Package_SO.pretty/SOIC-8_3.9x4.9mm_P1.27mm",
    "SO16": "Package_SO.pretty/SOIC-16_3.9x9.9mm_P1.27mm",
    "SO18W": "Package_SO.pretty/SOIC-18W_7.5x11.6mm_P1.27mm",
    "PH2": "Connector_JST.pretty/JST_PH_B2B-PH-K_1x02_P2.00mm_Vertical",
    "XH3": "Connector_JST.pretty/JST_XH_B3B-XH-A_1x03_P2.50mm_Vertical",
    "XH2": "Connector_JST.pretty/JST_XH_B2B-XH-A_1x02_P2.50mm_Vertical",
    "XH4": "Connector_JST.pretty/JST_XH_B4B-XH-A_1x04_P2.50mm_Vertical",
    "XH5": "Connector_JST.pretty/JST_XH_B5B-XH-A_1x05_P2.50mm_Vertical",
    "XH7": "Connector_JST.pretty/JST_XH_B7B-XH-A_1x07_P2.50mm_Vertical",
    "CP_5x11": "Capacitor_THT.pretty/CP_Radial_D5.0mm_P2.00mm",
}

pytestmark = pytest.mark.skipif(
    not (KICAD / "symbols").is_dir() or not (KICAD / "footprints").is_dir(),
    reason="needs KiCad's libraries (make hardware-tools)",
)


def theirs(library: str, name: str) -> dict[str, str]:
    """Return pin number -> name of a KiCad symbol, in our spelling."""
    tree = parse((KICAD / "symbols" / f"{library}.kicad_sym").read_text(encoding="utf-8"))
    symbols = {symbol[1]: symbol for symbol in children(tree, "symbol")}
    symbol = symbols[name]
    base = next(children(symbol, "extends"), None)
    units = children(symbol if base is None else symbols[base[1]], "symbol")
    pins: list[Node] = [pin for unit in units for pin in children(unit, "pin")]
    return {child(pin, "number")[1]: _plain(child(pin, "name")[1]) for pin in pins}


def _plain(name: str) -> str:
    return name.replace("V_{DD}", "VDD").replace("GPIO", "GP")


@pytest.mark.parametrize("name", list(CHIPS))
def test_a_chips_pins_are_where_kicad_has_them(name: str) -> None:
    known = theirs(*CHIPS[name])
    assert {pin.number: pin.name for pin in SYMBOLS[name].pins} == {
        pin.number: known[pin.number] for pin in SYMBOLS[name].pins
    }


def middles(pads: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the pads' places relative to their middle."""
    x = (min(x for x, _ in pads.values()) + max(x for x, _ in pads.values())) / 2
    y = (min(y for _, y in pads.values()) + max(y for _, y in pads.values())) / 2
    return {number: (px - x, py - y) for number, (px, py) in pads.items()}


@pytest.mark.parametrize("name", list(PRINTS))
def test_a_footprints_pads_are_where_kicad_has_them(name: str) -> None:
    """Within 0.15 mm: ours are a little longer for the soldering iron."""
    tree = parse((KICAD / "footprints" / f"{PRINTS[name]}.kicad_mod").read_text(encoding="utf-8"))
    known = middles({pad[1]: (float(child(pad, "at")[1]), float(child(pad, "at")[2])) for pad in children(tree, "pad")})
    ours = middles({pad.number: (pad.x, pad.y) for pad in FOOTPRINTS[name].pads})
    assert ours.keys() == known.keys()
    for number, place in ours.items():
        assert place == pytest.approx(known[number], abs=0.15)
