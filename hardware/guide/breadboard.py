"""The breadboard tier's pictures: a step each, drawn from the schematic `direct4`: which part goes between which wires.

Left the Pi's 40 pins with those that the step uses, right the parts with the net at each leg. Nothing is written down
twice: parts, values, nets and pins are read from the schematic, so a picture cannot disagree with the software.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from hardware.make import netlist
from hardware.make.catalogue import HARDWARE
from hardware.make.netlist import Netlist

PICTURES = Path(__file__).resolve().parent / "pictures"
PI = "J10"
# Step: its title and the references that it puts in; the steps of a tier hold every part of the schematic once.
STEPS: dict[str, tuple[str, str]] = {
    "breadboard-1-supply": ("The supply rails", r"J10|F1|C[123]"),
    "breadboard-2-first-button": ("The first button", r"J1|[RCD]1[12]"),
    "breadboard-3-other-buttons": ("Buttons 2, 3 and 4, each as the first", r"J[234]|[RCD][234][12]"),
    "breadboard-4-knob": ("The knob and the power button", r"J1[23]|[RC]9\d"),
    "breadboard-5-display": ("The display", r"J11|C7"),
    "breadboard-6-lamps": ("The lamps", r"U2|R[1-4]3"),
    "breadboard-7-piezo": ("The piezo", r"U3|BZ1|R[234]|C[456]"),
}
SUPPLIES = ("+5V", "+3V3", "GND", "+5V_LAMP")
COLOURS = {"GND": "#222222", "+5V": "#c0392b", "+5V_LAMP": "#e67e22", "+3V3": "#b7950b"}
SIGNALS = ("#1f618d", "#1e8449", "#6c3483", "#a04000", "#117a65", "#922b21", "#2e4053", "#7d6608")
ROW, TOP, LEFT, PITCH = 21, 64, 108, 25
WIDTH = 900


def parts_of(nets: Netlist, step: str) -> list[str]:
    """The references that a step puts in, numbers in their natural order."""
    wanted = re.compile(STEPS[step][1])
    return sorted(filter(wanted.fullmatch, nets.components), key=_natural)


def _natural(reference: str) -> tuple[str, int]:
    letters = reference.rstrip("0123456789")
    return letters, int(reference[len(letters) :])


def pictures() -> dict[str, str]:
    """File name to SVG."""
    nets = netlist.read(HARDWARE / "schematic" / "direct4.kicad_sch")
    return {f"{step}.svg": _picture(nets, step) for step in STEPS}


def write() -> list[Path]:
    """Write every picture."""
    PICTURES.mkdir(exist_ok=True)
    out = []
    for name, text in pictures().items():
        (PICTURES / name).write_text(text, encoding="utf-8")
        out.append(PICTURES / name)
    return out


# -- words ---------------------------------------------------------------------------------------------------------


def _place(nets: Netlist, net: str) -> str:
    """A net as somebody with a breadboard calls it: a rail, a pin of the Pi, or a leg that is there already."""
    if net in SUPPLIES:
        return {"+5V": "5 V rail", "+3V3": "3.3 V rail", "GND": "GND rail", "+5V_LAMP": "lamp rail"}[net]
    terminals = sorted(nets.nets.get(net, ()))
    pins = [pin for reference, pin in terminals if reference == PI]
    if pins:
        return f"Pi pin {pins[0]} ({net})"
    best = sorted(terminals, key=lambda t: ("JUBRCDF".find(t[0][0]), _natural(t[0]), t[1]))
    return f"{best[0][0]}.{best[0][1]}" if best else net


def _lines(nets: Netlist, reference: str) -> list[str]:
    """A part and where its legs go."""
    part = nets.components[reference]
    legs = sorted((pin for ref, pin in nets.pin_names if ref == reference), key=int)
    if reference == PI:
        return ["J10  ribbon or jumper wires from the Pi", *(f"    {line}" for line in _supply_pins(nets))]
    if len(legs) == 2 and not reference.startswith("J"):
        a, b = (_other(nets, reference, leg) for leg in legs)
        signs = (" (+ leg)", "") if reference in ("C1", "C4", "C7") else ("", "")
        return [f"{reference}  {part.value}:  {a}{signs[0]}  –  {b}"]
    told = []
    for leg in legs:
        if (reference, leg) not in nets.open_pins:
            name = nets.pin_names[reference, leg].translate(str.maketrans("", "", "~{}"))
            told.append(f"    {leg}{f' {name}' if name and name != leg else ''}  –  {_other(nets, reference, leg)}")
    return [f"{reference}  {part.value}", *told]


def _other(nets: Netlist, reference: str, leg: str) -> str:
    net = nets.net(reference, leg)
    said = _place(nets, net)
    if said == f"{reference}.{leg}":
        others = sorted((t for t in nets.nets[net] if t[0] != reference), key=lambda t: (_natural(t[0]), t[1]))
        return " and ".join(f"{ref}.{pin}" for ref, pin in others)
    return said


def _supply_pins(nets: Netlist) -> list[str]:
    return [
        f"{_place(nets, net)}  –  pins {', '.join(sorted((pin for ref, pin in nets.nets[net] if ref == PI), key=int))}"
        for net in ("+5V", "+3V3", "GND")
    ]


# -- the drawing ---------------------------------------------------------------------------------------------------


def _picture(nets: Netlist, step: str) -> str:
    title, _ = STEPS[step]
    parts = parts_of(nets, step)
    used = {nets.net(ref, pin) for ref, pin in nets.pin_names if ref in parts and ref != PI}
    used |= set(SUPPLIES) if PI in parts else set()
    lines = [line for reference in parts for line in _lines(nets, reference)]
    columns = 1 if len(lines) <= 32 else 2
    rows = -(-len(lines) // columns)
    height = max(TOP + 20 * ROW + 20, TOP + rows * ROW + 20)
    drawn = [f'<text x="24" y="34" font-size="22" font-weight="bold">{escape(title)}</text>', *_header(nets, used)]
    wide = (WIDTH - 300) // columns
    for n, line in enumerate(lines):
        x, y = 300 + wide * (n // rows), TOP + (n % rows) * ROW + 6
        weight = ' font-weight="bold"' if not line.startswith(" ") else ""
        size = 15 if columns == 1 else 12
        drawn.append(f'<text x="{x}" y="{y}" font-size="{size}"{weight} xml:space="preserve">{escape(line)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif" fill="#20242c">\n<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _header(nets: Netlist, used: set[str]) -> list[str]:
    """The 40 pins, odd ones left, pin 1 at the top (the end with the memory card); used ones in colour and named."""
    out = [
        f'<rect x="{LEFT - 16}" y="{TOP - 18}" width="{PITCH + 32}" height="{20 * ROW + 14}" rx="6" fill="#eceff3"/>'
    ]
    signals = sorted(net for net in used if net not in SUPPLIES and any(ref == PI for ref, _ in nets.nets.get(net, ())))
    colours = COLOURS | {net: SIGNALS[n % len(SIGNALS)] for n, net in enumerate(signals)}
    for pin in range(1, 41):
        x, y = LEFT + PITCH * (1 - pin % 2), TOP + (pin - 1) // 2 * ROW
        net = nets.net(PI, str(pin))
        fill = colours[net] if net in used and net in colours else "#c8ced8"
        ink = "white" if fill != "#c8ced8" else "#20242c"
        out.append(f'<circle cx="{x}" cy="{y}" r="9.5" fill="{fill}"/>')
        out.append(f'<text x="{x}" y="{y + 4}" font-size="10" text-anchor="middle" fill="{ink}">{pin}</text>')
        if fill != "#c8ced8":
            anchor, at = ("end", x - 18) if pin % 2 else ("start", x + 18)
            out.append(f'<text x="{at}" y="{y + 4}" font-size="13" text-anchor="{anchor}" fill="{fill}">{net}</text>')
    return out
