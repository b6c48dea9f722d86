"""The wiring drawings and tables: each wire's ends and colour, from the drawn schematics.

A drawing is a WireViz document (JSON is YAML), which `drawn` turns into an SVG; the tables are Markdown. Wires on a
breadboard have the colours of its pictures; a bought lead with a plug has any.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hardware.guide.breadboard import SUPPLY_COLOURS, net_colour
from hardware.make.netlist import Netlist
from referee.drivers.pins.lint import HEADER, PULLED_UP_AT_RESET
from referee.drivers.pins.pinmap import Profile

LEAD = (
    (1, "white-orange", "WHOG", "LINE"),
    (2, "orange", "OG", "GND"),
    (3, "white-green", "WHGN", "LAMP+"),
    (6, "green", "GN", "LAMP-"),
)
"""A station's lead: RJ45 contact, colour by T568B, WireViz's name for it, what it carries. 4 5 7 8 stay open."""
CODES = {
    "red": "RD",
    "orange": "OG",
    "black": "BK",
    "brown": "BN",
    "yellow": "YE",
    "green": "GN",
    "blue": "BU",
    "violet": "VT",
    "grey": "GY",
}
"""WireViz's names of the colours."""
_LOOKS = {"bgcolor": "WH", "fontname": "DejaVu Sans", "color_mode": "FULL"}

PLUGS = {
    "J11": ("Display", "SSD1309 2.42 in, SPI"),
    "J12": ("Knob", "encoder PEC11R"),
    "J13": ("Power button", "momentary"),
    "J14": ("Piezo", "disc 41 mm"),
    "J15": ("Sync socket", "option: to pods"),
    "J17": ("Second display", "option: the same module"),
}
"""Plugs of the carrier board besides the stations."""
GROUPS = (
    ("Rails of the breadboard", ("+3V3", "+5V", "GND")),
    ("Station inputs", ("P{}_BTN",)),
    ("U2, lamp driver", ("P{}_LED",)),
    ("J11, display", ("I2C_SDA", "I2C_SCL")),
    ("Knob and power button", ("ENC_A", "ENC_B", "ENC_SW", "PWR_BTN")),
    ("Piezo driver", ("BUZZER",)),
    ("Sync wire", ("SYNC_IN",)),
)
"""Targets on a breadboard of the wires from a Pi or Pico, by net."""


class Drawing:
    """A WireViz document in the making."""

    def __init__(self, title: str) -> None:
        self._connectors: dict[str, Any] = {}
        self._cables: dict[str, Any] = {}
        self._joined: list[Any] = []
        self._title = title

    def connector(self, name: str, kind: str, pins: Sequence[tuple[str, str]], colour: str, notes: str = "") -> None:
        """Add a plug, socket or part: (pin, label) in the order of drawing."""
        entry = {"type": kind, "pins": [_number(pin) for pin, _ in pins], "pinlabels": [label for _, label in pins]}
        entry |= {"bgcolor_title": colour} | ({"notes": notes} if notes else {})
        self._connectors[name] = entry

    def wires(
        self,
        name: str,
        one: tuple[str, Sequence[str]],
        other: tuple[str, Sequence[str]],
        colours: Sequence[str] = (),
        **more: Any,
    ) -> None:
        """Add a cable between pins of two connectors, one wire per pair."""
        self._cables[name] = {"wirecount": len(one[1]), **({"colors": list(colours)} if colours else {}), **more}
        numbers = list(range(1, len(one[1]) + 1))
        ends = [{end[0]: [_number(pin) for pin in end[1]]} for end in (one, other)]
        self._joined.append([ends[0], {name: numbers}, ends[1]])

    def text(self) -> str:
        """Return the document."""
        whole = {
            "metadata": {"title": self._title},
            "options": _LOOKS,
            "connectors": self._connectors,
            "cables": self._cables,
            "connections": self._joined,
        }
        return json.dumps(whole, indent=1) + "\n"


def carrier(nets: Netlist, profile: Profile) -> str:
    """The console with the board: from each plug to its socket or part."""
    drawing = Drawing("Console with the carrier board")
    for ref, (name, kind) in reversed(PLUGS.items()):
        if ref not in nets.components:
            continue
        pins = _pins(nets, ref)
        drawing.connector(ref, f"board, {nets.components[ref].value}", pins, "GY")
        drawing.connector(name, kind, pins, "TQ")
        numbers = [pin for pin, _ in pins]
        drawing.wires(f"lead {ref}", (ref, numbers), (name, numbers), length=0.3, gauge="26 AWG")
    _sockets(drawing, list(profile.stations()), nets, on_board=True)
    return drawing.text()


def _sockets(drawing: Drawing, stations: Sequence[str], nets: Netlist, *, on_board: bool) -> None:
    """Draw the stations' leads once, since eight equal ones would hide the differences.

    `on_board`: from the carrier's plugs to jacks in the case; otherwise cut patch leads in screw terminals.
    """
    alike = {tuple(_pins(nets, f"J{number}")) for number in stations}
    (pins,) = alike
    first, last = stations[0], stations[-1]
    plug, lead = f"J{first} to J{last}", f"{len(stations)} leads, all alike"
    name = f"Sockets {first} to {last}" if on_board else f"Stations {first} to {last}"
    drawing.connector(plug, nets.components[f"J{first}"].value, pins, "GY", "each to its number")
    socket = [(str(contact), f"{carries}  {colour}") for contact, colour, _, carries in LEAD]
    ends = (plug, [pin for pin, _ in pins]), (name, [pin for pin, _ in socket])
    if on_board:
        drawing.connector(name, "RJ45 keystone", socket, "OG", "colours: row B; 4 5 7 8 open; not a network")
        drawing.wires(lead, *ends, length=0.3, gauge="26 AWG")
        return
    drawing.connector(name, "jack of the station", socket, "OG", "4 5 7 8: cut them short")
    drawing.wires(lead, *ends, [code for _, _, code, _ in LEAD], type="cut patch lead")


def breadboard(title: str, nets: Netlist, header: str, stations: Sequence[str], supply_pins: Mapping[str, str]) -> str:
    """A Pi or Pico and the breadboard: the ends of its wires, and the stations' terminals.

    `supply_pins`: net to the one pin that feeds its rail; the header's other supply pins stay open.
    """
    drawing = Drawing(title)
    wired: list[tuple[str, str]] = []
    groups = []
    for name, patterns in GROUPS:
        wanted = [pattern.format(n) for pattern in patterns for n in (stations if "{}" in pattern else ("",))]
        found = [(net, supply_pins.get(net) or _pin_of(nets, header, net)) for net in wanted]
        ends = [(net, pin) for net, pin in found if pin]
        if ends:
            groups.append((name, ends))
            wired += [
                (pin, net if net in SUPPLY_COLOURS else f"{nets.pin_names[header, pin]}  {net}") for net, pin in ends
            ]
    wired.sort(key=lambda entry: int(entry[0]))
    drawing.connector(header, nets.components[header].value, wired, "GN")
    for number, (name, ends) in reversed(list(enumerate(groups, start=1))):
        places = [(str(place), _ends(nets, net, header)) for place, (net, _) in enumerate(ends, start=1)]
        drawing.connector(name, "breadboard", places, "YE")
        other = (name, [place for place, _ in places])
        colours = [CODES[net_colour(net)] for net, _ in ends]
        drawing.wires(f"W{number}", (header, [pin for _, pin in ends]), other, colours, length=0.15)
    _sockets(drawing, stations, nets, on_board=False)
    return drawing.text()


def station(nets: Netlist) -> str:
    """One station with its patch lead."""
    drawing = Drawing("One button station")
    contacts = [(str(contact), carries) for contact, _, _, carries in LEAD]
    numbers = [pin for pin, _ in contacts]
    drawing.connector("Console", "RJ45 keystone", contacts, "GY", "socket of this player")
    drawing.connector("J1", "RJ45 keystone", contacts, "OG", "in the station; 4 5 7 8 open")
    colours = [code for _, _, code, _ in LEAD]
    drawing.wires("patch lead", ("Console", numbers), ("J1", numbers), colours, length=2, type="Cat5e, straight")
    drawing.connector(
        "SW1", nets.components["SW1"].value, [("1", "COM"), ("2", "NO")], "RD", "micro-switch; NC stays free"
    )
    drawing.connector("D1", nets.components["D1"].value, [("1", "+ (long leg)"), ("2", "-")], "YE")
    for name, ref, lines in (("button wires", "SW1", ("1", "2")), ("lamp wires", "D1", ("3", "6"))):
        ends = [next(pin for part, pin in nets.nets[nets.net("J1", line)] if part == ref) for line in lines]
        codes = [code for contact, _, code, _ in LEAD if str(contact) in lines]
        drawing.wires(name, ("J1", lines), (ref, ends), codes, length=0.1, gauge="24 AWG")
    return drawing.text()


def tables(profiles: Mapping[str, Profile], consoles: Mapping[str, Netlist]) -> str:
    """All tables as one page."""
    lines = ["# Wiring tables", "", "Generated from `hardware/pinmap.toml` and the schematics by `make hardware`.", ""]
    for name, profile in profiles.items():
        lines += [f"## {name}: {profile.title}", "", *_pin_table(profile), "", "`config.txt`:", "", "```"]
        lines += [*profile.overlays, "```", ""]
    lines += ["## A station's lead", "", *_lead_table(), ""]
    for name, nets in consoles.items():
        lines += [f"## Plugs of {name}", "", *_plug_table(nets), ""]
    return "\n".join(lines)


def _pin_table(profile: Profile) -> list[str]:
    lines = ["| header pin | GPIO | net | at power-up | goes to |", "|--:|--:|---|---|---|"]
    for pin in sorted(profile.pins, key=lambda pin: HEADER[pin.gpio]):
        level = "pulled up" if pin.gpio in PULLED_UP_AT_RESET else "pulled down"
        level += f", outside {pin.extpull}" if pin.extpull else ""
        lines.append(f"| {HEADER[pin.gpio]} | {pin.gpio} | `{pin.net}` | {level} | {pin.to} |")
    return lines


def _lead_table() -> list[str]:
    lines = [
        "| RJ45 contact | wire (T568B) | carries | pin of the board's plug | in the station |",
        "|--:|---|---|--:|---|",
    ]
    ends = ("button COM", "button NO", "lamp +", "lamp -")
    for place, ((contact, colour, _, carries), end) in enumerate(zip(LEAD, ends, strict=True), start=1):
        lines.append(f"| {contact} | {colour} | {carries} | {place} | {end} |")
    return [*lines, "| 4 5 7 8 | blue, brown and their whites | nothing | – | open |"]


def _plug_table(nets: Netlist) -> list[str]:
    lines = ["| plug | part | pin | carries | net |", "|---|---|--:|---|---|"]
    refs = sorted(
        (ref for ref in nets.components if ref.startswith("J") and ref != "J10"), key=lambda ref: int(ref[1:])
    )
    for ref in refs:
        for pin, carries in _pins(nets, ref):
            net = nets.net(ref, pin)
            shown = "open" if (ref, pin) in nets.open_pins else "its own" if net.startswith("~") else f"`{net}`"
            lines.append(f"| {ref} | {nets.components[ref].value} | {pin} | {carries} | {shown} |")
    return lines


def _pins(nets: Netlist, ref: str) -> list[tuple[str, str]]:
    found = ((pin, name) for (part, pin), name in nets.pin_names.items() if part == ref)
    return sorted(found, key=lambda entry: int(entry[0]))


def _pin_of(nets: Netlist, header: str, net: str) -> str:
    return next((pin for ref, pin in sorted(nets.nets.get(net, ())) if ref == header), "")


def _ends(nets: Netlist, net: str, header: str) -> str:
    """The end of a wire as the builder reads it: a rail, or the legs of parts that it meets."""
    if net in SUPPLY_COLOURS:
        return f"{net} rail"
    return " + ".join(f"{ref} leg {pin}" for ref, pin in sorted(nets.nets[net]) if ref != header)


def _number(pin: str) -> int:
    return int(pin)
