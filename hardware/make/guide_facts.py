"""Sentences of the guide that say what schematic, breadboards, lists and prints have: each is made here from them.

A builder follows words: a wire in another screw, a part of another seat, a lead in another plug is a fault that no
drawing shows. So each such phrase is put together from its source, and the guide must have it word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hardware.enclosure import sight
from hardware.guide.breadboard import RAILS as BREADBOARD_RAILS
from hardware.guide.breadboard import SUPPLY_COLOURS
from hardware.guide.holes import PLACES
from hardware.make import guide_rules
from hardware.make import models as m
from hardware.make.bom import station_of
from hardware.make.circuit import LAMP_RAIL
from hardware.make.netlist import Netlist, Terminal

Nets = Mapping[str, Netlist]
"""By the name of the schematic: full8, direct4, station."""
PLAIN_COLOURS = {"1": "white-orange", "2": "orange", "3": "white-green", "6": "green"}
"""A patch lead's wires in most leads (ANSI/TIA-568, T568B)."""
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_SUPPLIES = {"+5V": "5 V", "+3V3": "3.3 V", "GND": "GND", "+5V_LAMP": "the lamps' supply behind the fuse"}


def complaints(guide: str, nets: Nets, known: Mapping[str, Any]) -> Iterator[str]:
    """Each phrase that the guide lacks, and steps that are not numbered one by one.

    known: the printed parts' dimensions (`rules.every_dimension`), {} where they break a rule of their own.
    """
    text = " ".join(guide.split())
    steps = guide_rules.steps(guide)
    for phrase in (
        *_wires(nets["station"]),
        *_breadboard(nets["direct4"]),
        *_carrier(nets["full8"]),
        *_symptoms(nets["full8"]),
        *_inserts(steps),
        *_sizes(known),
    ):
        if phrase not in text:
            yield f"the guide must say '{phrase}', by what is drawn, and does not."
    yield from _numbers(steps)
    yield from _bounds(guide)


def _numbers(steps: Mapping[str, list[guide_rules.Step]]) -> Iterator[str]:
    for chapter, found in steps.items():
        told = [step.title.partition(".")[0] for step in found]
        if told != [str(number) for number in range(1, len(found) + 1)]:
            yield f"the steps of '{chapter}' are numbered {', '.join(told)}."


def _wires(station: Netlist) -> Iterator[str]:
    """Which wire of a patch lead is which, at every place where it is put on."""
    order = dict(zip(m.PLUG_ORDER["RJ45"].split(), "12345678", strict=False))
    order = {name: number for name, number in order.items() if name != "open"}
    ours = list(enumerate(m.PLUG_ORDER["STATION"].split(), start=1))
    yield ", ".join(f"wire {order[name]} to screw {screw}" for screw, name in ours)
    yield ", ".join(f"XH {pin} to wire {order[name]}" for pin, name in ours)
    idle = [pin for ref, pin in sorted(station.open_pins) if ref == "J1"]
    yield f"Wires {_in_a_row(idle)} stay open"
    wire = {far: pin for pin in order.values() for far in _others(station, ("J1", pin))}
    contact = " and ".join(f"wire {wire.get(('SW1', pin), '?')}" for pin in "12")
    plus, minus = (wire.get(("D1", pin), "?") for pin in "12")
    yield f"{contact} from the switch, wire {plus} from the lamp's plus, wire {minus} from its minus"
    colours = [f"{pin} {colour}" for pin, colour in PLAIN_COLOURS.items()]
    colours[0] = colours[0].replace(" ", " is ")
    yield f"In most leads {_in_a_row(colours)}"


def _in_a_row(words: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _others(nets: Netlist, terminal: Terminal) -> frozenset[Terminal]:
    return nets.nets.get(nets.net(*terminal), frozenset()) - {terminal}


def _breadboard(nets: Netlist) -> Iterator[str]:
    """Its rails, the holes that words name, the legs that are plus, the other seats' resistors."""
    carried = list(BREADBOARD_RAILS.values())
    count = {net: _WORDS[carried.count(net)] for net in _SUPPLIES}
    colours = [f"{colour}{' wire' * (net == '+5V')} for {_SUPPLIES[net]}" for net, colour in SUPPLY_COLOURS.items()]
    yield f"use {', '.join(colours).replace(_SUPPLIES[LAMP_RAIL], 'the lamp rail')}, and none of these four"
    yield f"{count['+5V'].capitalize()} rail has 5 V, {count['+3V3']} have 3.3 V, {count['GND']} GND"
    holes = PLACES.get("U3", ("", ""))
    first, last = (re.fullmatch(r"(\w):(\w)(\d+)", holes[at]) for at in (0, -1))
    if first and last:  # legs 2 and 7; 1 and 8 are no pins of the schematic
        one, eight = (f"{place[1]} {place[2]}{int(place[3]) - 1}" for place in (first, last))
        yield f"its leg 1 in {one} and leg 8 in {eight}"
    for ref, part in sorted(nets.components.items()):
        if part.symbol == "CP":
            yield f"{ref} has a + leg"
    plug, lamps, piezo = (_one(nets, symbol) for symbol in ("STATION", "ULN2803A", "TC4428A"))
    yield f"{plug} stands at the board's edge"
    yield f"{plug}.1 is where {plug} has wire {1 + m.PLUG_ORDER['RJ45'].split().index('LINE')}"
    yield f"{lamps} stands over the gap, its notch to the left"
    yield f"{piezo} as {lamps}, its leg 1"
    yield f"a turned {lamps} or {piezo}"
    (board, one), (_, other) = (place.split(":") for place in PLACES.get("R11", (":", ":"))[:2])
    ohm = nets.components["R11"].value if "R11" in nets.components else "?"
    legs = f"one leg into hole {one} of board {board}, the other into {other}"
    yield f'"R11 {ohm}: {board} {one} – {board} {other}" means: resistor R11, {ohm.replace("k", ".")} kΩ, {legs}'
    yield f"The same with J2 ({', '.join(_of_seat(nets, 2, 'R'))}), J3 and J4."


def _of_seat(nets: Netlist, seat: int, letters: str) -> list[str]:
    return sorted(
        (ref for ref in nets.components if station_of(ref) == seat and ref.rstrip("0123456789") in letters),
        key=lambda ref: (letters.index(ref.rstrip("0123456789")), ref),
    )


def _carrier(nets: Netlist) -> Iterator[str]:
    """The plugs' references, the test points' nets, the parts of a seat that is left out, the other seats' pins."""
    plugs = {part.symbol: ref for ref, part in sorted(nets.components.items()) if part.symbol in _PLUGS}
    seats = sorted(ref for ref, part in nets.components.items() if part.symbol == "STATION")
    yield f"the station leads ({' to '.join((*seats[:1], *seats[-1:]))})"
    for symbol, phrases in _PLUGS.items():
        ref = plugs.get(symbol, "?")
        names = sorted((int(pin), name) for (part, pin), name in nets.pin_names.items() if part == ref)
        pins = ", ".join(name for _, name in names).replace(
            "C, B,", "C, B (the three legs on one side, C in the middle),"
        )
        yield from (phrase.format(ref, pins=pins) for phrase in phrases)
    left_out = _of_seat(nets, 5, "RCDJ")
    yield f"({_in_a_row(left_out)} are seat 5)"
    button = [ref for ref in _of_seat(nets, 2, "R") if not any("LAMP" in nets.net(ref, pin) for pin in "12")]
    pin = next((pin for ref, pin in nets.nets.get("P2_BTN", ()) if ref == "J10"), "?")
    yield f"J2 with {', '.join(button)} and pin {pin}"
    chips = [_one(nets, symbol) for symbol in ("74HCT595", "ULN2803A", "TC4428A")]
    yield f"a bridge of solder, or {', '.join(chips)} turned"
    yield f"the numbers of the Pi's pins are those of the socket {_one(nets, 'RASPBERRY_PI')}."
    yield from _test_points(nets)


_PLUGS = {
    "OLED_SPI": ("display ({})", "just hand-tight. Its lead goes to {}: from pin 1, the square pad, {pins};"),
    "ENCODER": ("knob ({})", "keeps spills out. Its lead goes to {}: from pin 1 {pins} (the two on"),
    "POWER": ("power button ({})",),
    "PIEZO_PLUG": ("piezo ({})",),
    "AMPLIFIER": ("which stands in {}", "{} stays empty without the amplifier"),
}
"""What is plugged in, and where the guide says into what."""


def _test_points(nets: Netlist) -> Iterator[str]:
    points = {nets.net(ref, "1"): ref for ref in nets.components if ref.startswith("TP")}
    five, low, ground, lamps, dark = (points.get(net, "?") for net in (*_SUPPLIES, "LED_OFF"))
    order = [net for net, _ in sorted(points.items(), key=lambda item: item[1])]
    said = ", ".join(_SUPPLIES.get(net, "and the line that keeps the lamps dark") for net in order)
    first, last = (one(points.values(), default="?") for one in (min, max))
    yield f"{first} to {last} are round pads for the meter's tip: {said}."
    yield f"| {five} (5 V) and {ground} (GND) |"
    yield f"| {low} (3.3 V) and {ground} |"
    yield f"| {five} and {low} | | more than"
    yield f"| {five} and {lamps} (lamps) |"
    yield f"4.8 to 5.3 V between {five} and {ground}, 3.2 to 3.4 V between {low} and {ground}"
    enable = next((pin for (ref, pin), name in nets.pin_names.items() if ref == "U1" and name == "~{OE}"), "?")
    yield f"{dark} (U1.{enable}) to GND"


def _symptoms(nets: Netlist) -> Iterator[str]:
    """The parts that the table of symptoms blames."""
    line = nets.net("J1", "1")
    series, lamp = _joining(nets, "P1_BTN", line, "R"), _joining(nets, "+5V_LAMP", nets.net("J1", "3"), "R")
    guard = _joining(nets, line, "GND", "D")
    yield f"right at J and not at the pin: R*n*{series[-1]}"
    yield f"short on the board, D*n*{guard[-1]}"
    yield f"lamp turned round; 0 V: R*n*{lamp[-1]} or {_one(nets, 'ULN2803A')}"
    yield f"5 V: {_one(nets, 'ULN2803A')}, or on the carrier {_one(nets, '74HCT595')} turned"
    dark, gate = _joining(nets, "+5V", "LED_OFF", "R"), _joining(nets, "LED_ON", "GND", "R")
    yield f"{dark} or {gate} missing, {_one(nets, 'NMOS')} turned"
    yield f"glue on the disc's middle; {_one(nets, 'TC4428A')} turned"
    slow = [_joining(nets, net, "GND", "C") for net in ("ENC_A", "ENC_B")]
    yield f"or {', '.join(slow)} missing"


def _joining(nets: Netlist, one: str, other: str, letter: str) -> str:
    """The part of that letter between two nets."""
    found = (
        ref
        for ref in sorted(nets.components)
        if ref.rstrip("0123456789") == letter and {nets.net(ref, "1"), nets.net(ref, "2")} == {one, other}
    )
    return next(found, "?")


def _one(nets: Netlist, symbol: str) -> str:
    return next((ref for ref, part in sorted(nets.components.items()) if part.symbol == symbol), "?")


def _inserts(steps: Mapping[str, list[guide_rules.Step]]) -> Iterator[str]:
    """An insert for each screw that goes into one: of the lid, of a station's plate, of the clamp."""
    lid, clamp = (_count_of(steps, "Heirloom", title, "screw_m3") for title in ("Close it", "The clamp"))
    plate = _count_of(steps, "A station", "Close it", "screw_m3_flat")
    yield f"{lid.capitalize()} in the tray, {plate} in each shell's lower edge, {clamp} in the clamp's flange."


def _count_of(steps: Mapping[str, list[guide_rules.Step]], chapter: str, title: str, key: str) -> str:
    step = next((step for step in steps[chapter] if step.title.endswith(title)), None)
    count = step.once[key] + step.each[key] if step else 0
    return _WORDS[count] if count < len(_WORDS) else str(count)


def _sizes(known: Mapping[str, Any]) -> Iterator[str]:
    """What the text says of the printed parts; nothing where their own rules have complained."""
    if not known:
        return
    hole, deep = int(known["button.hole_mm"]), known["button.depth_mm"]
    yield f"an arcade button for a {hole} mm hole, up to {deep:g} mm deep below the top"
    yield f"a 3D printer with a bed of {known['print.bed_mm']:g} mm"
    yield f"table tops up to {known['clamp.table_mm'] - 2:g} mm"
    yield f"four spacers of {known['carrier.above_pi_mm']:g} mm"
    yield f"The face leans at {known['display.tilt_deg']:g}°"
    wide, long, thick = known["ballast.bar_mm"]
    yield f"a flat steel bar {wide:g} × {thick:g} mm, sawn off at {long:g} mm"
    small, dome = int(known["arcade24.button.hole_mm"]), known["dome60.button.bezel_mm"][0]
    yield f"For a smaller one ({small} mm hole) or a dome of {dome:g} mm there are [presets]"
    yield f"{known['seats.least_mm']:g} mm is read with ease"
    flat = min(seat.capital_mm for seat in sight.seats({**known, "display.tilt_deg": known["console.slope_deg"]}))
    yield f"it would be {flat:.1f} mm for the lowest eyes"
    yield " ".join(sight.table({**known}).split())
    yield f"until a gap of {known['knob.above_lid_mm']:g} mm remains"


_ROW = re.compile(
    r"^\| (?P<between>[^|]+?) \|(?: (?P<part>\w*) ?\|)? (?P<read>(?:more|less) than [^|]+?|[\d.]+ to [\d.]+ V) \|", re.M
)
_OHM = re.compile(r"(?P<way>more|less) than (?P<n>[\d.]+) (?P<kilo>k?)Ω")
_VOLT = re.compile(r"(?P<least>[\d.]+) to (?P<most>[\d.]+) V")
_LOW = re.compile(r"less than (?P<most>[\d.]+) V")
OPEN_OHM, CLOSED_OHM = 1000.0, 5.0
"""Two nets that are apart read more, a closed contact or a fuse less (a meter's own leads are half an ohm)."""
SHARE = 0.1
"""What the text allows round a supply's volts."""
PRESSED_V = 0.3


def _bounds(guide: str) -> Iterator[str]:
    """Readings without a part's value: nets that are apart, contacts, the fuse, the supplies."""
    found = list(_ROW.finditer(guide))
    if len(found) < 15:
        yield f"the guide has {len(found)} readings to measure; 15 at least are expected."
    for row in found:
        between, read = row["between"], row["read"]
        closed = "pressed" in between or row["part"] == "F1"
        if ohm := _OHM.match(read):
            value = float(ohm["n"]) * (1000 if ohm["kilo"] else 1)
            if (ohm["way"], value <= CLOSED_OHM) != (("less", True) if closed else ("more", False)) or (
                not closed and value < OPEN_OHM
            ):
                yield f"between {between} the guide reads '{ohm[0]}', which tells no good board from a bad one."
        elif volt := _VOLT.match(read):
            rail = 5.0 if between.startswith("5 V") else 3.3
            least, most = float(volt["least"]), float(volt["most"])
            if not rail * (1 - SHARE) <= least < rail < most <= rail * (1 + SHARE):
                yield f"between {between} the guide reads '{volt[0]}'; {rail:g} V are there."
        elif (low := _LOW.match(read)) and not (closed and float(low["most"]) <= PRESSED_V):
            yield f"between {between} the guide reads '{low[0]}'; a closed contact is under {PRESSED_V:g} V."
