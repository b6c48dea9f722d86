"""The picture of the station's lamp: what to do with each kind that a button brings."""

from __future__ import annotations

from html import escape

from hardware.make.netlist import Netlist
from hardware.make.skew import ohms

SUPPLY_V, DRIVER_V, WHITE_V = 5.0, 0.8, 3.0
"""The lamp rail, the driver's drop and a white LED's, at 10 mA (data sheets)."""
_INK, _NEW = "#20242c", "#d2691e"
_WIDE, _HIGH = 262, 236


def milliamperes(nets: Netlist, own_ohm: float) -> float:
    """A white lamp's current through the console's resistor and its own."""
    return 1000 * (SUPPLY_V - DRIVER_V - WHITE_V) / (ohms(nets.components["R13"].value) + own_ohm)


def pictures(nets: Netlist, own_ohm: float) -> dict[str, str]:
    """File name -> SVG, with the currents of that console and of a lamp's own resistor."""
    bright, dim = (f"{milliamperes(nets, own):.0f} mA" for own in (0.0, own_ohm))
    drawn = (
        _kind(0, "Lamp for 5 V", True, f"Bridge it: {bright}, bright.", f"Left in: {dim}, too dim."),
        _kind(1, "Lamp for 12 V", True, "Bridge it if it has one LED.", "Else change it for one of 5 V."),
        _kind(2, "No lamp", False, "Solder the loose LED on,", "long leg to plus, heat-shrink."),
    )
    size = f'width="{3 * _WIDE}" height="{_HIGH}" viewBox="0 0 {3 * _WIDE} {_HIGH}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" fill="{_INK}">'
    return {"station-lamp.svg": "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *drawn, "</svg>\n"])}


def _kind(place: int, title: str, resistor: bool, *told: str) -> str:
    left = _WIDE * place
    texts = [f'<text x="{left + 14}" y="28" font-size="16" font-weight="bold">{escape(title)}</text>']
    texts += [
        f'<text x="{left + 14}" y="{202 + 20 * line}" font-size="15">{escape(text)}</text>'
        for line, text in enumerate(told)
    ]
    return "\n".join([*texts, f'<g transform="translate({left + 30} 52)" stroke="{_INK}" stroke-width="2" fill="none">',
                      _circuit(resistor), "</g>"])  # fmt: skip


def _circuit(resistor: bool) -> str:
    """A lamp between wire 3 (plus) and wire 6 (minus); new things in colour."""
    ends = (
        '<path d="M10 30H40M150 30H180"/><circle cx="6" cy="30" r="4"/><circle cx="184" cy="30" r="4"/>'
        f'<g stroke="none" fill="{_INK}" font-size="14"><text x="-12" y="18">3 +</text>'
        '<text x="178" y="18">6 −</text></g>'
    )
    ink = _INK if resistor else _NEW
    triangle = '<path d="M96 12v36l30-18z" fill="#fff"/>'
    led = f'<g stroke="{ink}">{triangle}<path d="M126 12v36M126 30h24M114 8l8-10M124 12l8-10"/></g>'
    if not resistor:
        return f'{ends}{led}<path d="M40 30h56" stroke="{_NEW}"/>'
    bridge = f'<path d="M36 30V92H92V30" stroke="{_NEW}" stroke-width="4"/>'
    holder = '<path d="M28 -14h130v82h-130z" stroke-dasharray="5 4" stroke="#8a909a"/>'
    inside = '<path d="M40 30h6M84 30h12"/><rect x="46" y="21" width="38" height="18" fill="#f3e3c4"/>'
    return f"{holder}{ends}{inside}{led}{bridge}"
