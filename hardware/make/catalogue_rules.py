"""Checks that a catalogue entry's columns agree: words, value, tolerance, footprint, order code.

A buyer reads the words, the board the footprint, the schematic the value, and the distributor the order code; a
mistake in one of them is a wrong part in a bag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from hardware.make.catalogue import CODES, Catalogue, Item
from hardware.make.skew import farads, ohms

PACKAGES = (
    (r"resistor .* 0805", "R_0805"),
    (r"capacitor .* 0805", "C_0805"),
    (r"resistor .* 1206", "R_1206"),
    (r"fuse .* 1812", "F_1812"),
    (r"SOD-323", "D_SOD323"),
    (r"SOT-23", "SOT23"),
    (r"SO-8\b", "SO8"),
    (r"SO-16\b", "SO16"),
    (r"SO-18 wide", "SO18W"),
    (r"electrolytic .* 5 x 11 mm", "CP_5x11"),
    (r"socket 2x20", "PI_HEADER"),
    (r"socket 1x7", "HEADER7"),
    (r"plug on the board, 2 pins, 2\.0 mm", "PH2"),
    (r"plug on the board, 2 pins, 2\.5 mm", "XH2"),
    (r"plug on the board, 3 pins", "XH3"),
    (r"plug on the board, 4 pins", "XH4"),
    (r"plug on the board, 5 pins", "XH5"),
    (r"plug on the board, 7 pins", "XH7"),
)
"""Words for a part's package, and the footprint that it needs."""
_OHM = re.compile(r"resistor (\d+(?:\.\d+)?) (k?)ohm")
_FARAD = re.compile(r"capacitor (\d+(?:\.\d+)?) ([pnu])F")
_PERCENT = re.compile(r"(\d+) %")
_RESISTOR_CODE = re.compile(r"(?:-07|52-)(\d+)([RKM])(\d*)L?$")
_CERAMIC_CODE = re.compile(r"(?<!\d)(10[0-7])(?!\d)")
_AMPERES = re.compile(r"resettable fuse ([\d.]+) A hold")
BOUGHT = {
    "screw_m3": "screw M3 x 8, pan head",
    "screw_m3_flat": "screw M3 x 10, countersunk",
    "screw_m25_long": "screw M2.5 x 12, pan head",
    "screw_m25": "screw M2.5 x 6, pan head",
    "insert": "insert M3, 5 mm across, 4 mm long",
    "spacer": "spacers M2.5 x 11 mm",
    "clamp_bolt": "bolt M6 x 60",
    "bar": "flat steel bar 60 x 6 mm, 100 mm long",
    "foot": "rubber foot, self-adhesive, 12 mm across, 5 mm high",
    "pane": "acrylic pane 60 x 33 x 2 mm",
    "o_ring": "(O-ring) 7 mm inside",
    "power_button": "12 mm panel hole",
    "button": "arcade button 30 mm",
    "lamp": "LED 5 mm white, 3.0 V at 20 mA, for a button without a lamp",
    "supply_lead": "micro-B, 1.5 m, plug angled to the side",
    "piezo": "piezo disc 41 mm",
    "speaker": "speaker 40 mm",
    "display": "OLED 2.42 inch 128x64, SSD1309, SPI",
    "display_i2c": "OLED 2.42 inch 128x64, SSD1309, I2C",
    "supply": "supply 5.1 V 2.5 A",
}
"""Required sizes of bought things: the printed parts, the guide and the circuits are made for these only."""
_CODE = re.compile(r"[A-Z0-9][A-Za-z0-9.,()/+-]*")
LEAST_VALUED = 0.01
MOST_PACK = 40
"""Price range in euro of one pack of small things, or of one thing."""


def complaints(parts: Catalogue) -> Iterator[str]:
    """Complain of every entry's contradictions, and of order codes used for two parts."""
    codes: dict[str, Item] = {}
    for key, item in parts.items.items():
        yield from (f"parts.toml: '{key}' {text}." for text in _one(item))
        other = codes.setdefault(item.mpn, item)
        alike = (other.maker, other.value) == (item.maker, item.value) and item.value  # one thing, bent for two uses
        if other is not item and not alike:
            yield f"parts.toml: '{key}' and '{other.key}' have one order code, {item.mpn}, and are two parts."
    yield from _check_pod(parts)


POD_LEADS = 1
"""Number of a pod's leads: its Pico's."""


def _check_pod(parts: Catalogue) -> Iterator[str]:
    """Check the pod's parts, which count as a breadboard without a Pi."""
    once, console = parts.builds["pod"].once, parts.builds["direct4"].once
    for key in ("breadboard", "jumpers", "black_wire"):
        if once.get(key) != console.get(key):
            yield f"parts.toml: a pod takes {once.get(key, 0)} of '{key}', a breadboard {console.get(key, 0)}."
    sellers = [parts.builds[name].once.get("postage", 0) for name in ("pod", "direct4", "full8")]
    if not 0 < sellers[0] < sellers[1] < sellers[2]:
        yield f"parts.toml: pod, direct4 and full8 come from {sellers} sellers; a bigger build has more."
    if once.get("usb_lead") != POD_LEADS:
        yield f"parts.toml: a pod takes {once.get('usb_lead', 0)} of 'usb_lead'; {POD_LEADS} plugs it in."


def _one(item: Item) -> Iterator[str]:
    yield from _check_code(item)
    if (bought := BOUGHT.get(item.key, "")) not in item.what:
        yield f"is '{item.what}'; everything here is made for '{bought}'"
    if (hold := _AMPERES.match(item.what)) and f"{float(hold[1]) * 100:03.0f}" not in item.mpn:
        yield f"holds {hold[1]} A, and the order code {item.mpn} is another's"
    for size in re.findall(r"\d+(?:\.\d+)? mm", item.value):
        if size not in item.what:
            yield f"is '{item.what}' and has the value {item.value}"
    wanted = [print_ for words, print_ in PACKAGES if re.search(words, item.what)]
    if wanted != ([item.footprint] if item.footprint else []):
        needs = " or ".join(wanted) or "none"
        yield f"is '{item.what}', which needs the footprint {needs}, and has {item.footprint or 'none'}"
    if item.price < LEAST_VALUED or item.price > 100:
        yield f"costs {item.price:g} euros; allowed are {LEAST_VALUED} to 100"
    if not 1 <= item.pack <= 100 or item.pack * item.price > MOST_PACK:
        yield f"comes in packs of {item.pack} at {item.pack * item.price:g} euros; allowed are 1 to 100 for {MOST_PACK}"
    if (ohm := _OHM.search(item.what)) is not None:
        yield from _check_value(item, ohms(item.value), float(ohm[1]) * (1000 if ohm[2] else 1), "ohm")
        code = _RESISTOR_CODE.search(item.mpn)
        letter = {"R": 1.0, "K": 1e3, "M": 1e6}
        if code is None or float(f"{code[1]}.{code[3] or 0}") * letter[code[2]] != ohms(item.value):
            yield f"has the value {item.value}, and the order code {item.mpn} is another's"
    if (farad := _FARAD.search(item.what)) is not None:
        told = float(f"{farad[1]}e{ {'p': -12, 'n': -9, 'u': -6}[farad[2]] }")
        yield from _check_value(item, farads(item.value), told, "F")
        code = _CERAMIC_CODE.search(item.mpn)
        electrolytic = "electrolytic" in item.what
        exponent = int(code[1][2]) if code else 0
        if code is None or abs(10 * 10**exponent * (1e-6 if electrolytic else 1e-12) / told - 1) > 1e-6:
            yield f"has the value {item.value}, and the order code {item.mpn} is another's"


def _check_code(item: Item) -> Iterator[str]:
    """Check an order code against its stated kind, its shop, and its date."""
    told = re.sub(r" \(.*\)$", "", item.mpn)
    codes = re.split(r", | with (?:\d )?", told)
    is_code = all(_CODE.fullmatch(code) and re.search(r"\d", code) for code in codes)
    right = {
        "maker": is_code,
        "shop": is_code and bool(item.seller),
        "norm": told.startswith(("DIN ", "ISO ")),
        "words": not is_code,
    }
    if item.code not in right:
        yield f"has the code '{item.code}'; allowed are {', '.join(CODES)}"
    elif not right[item.code]:
        yield f"says that {item.mpn} is a {CODES[item.code]}, and it does not look like one"
    if item.code == "words" and not item.choose:
        yield "has no order number; it needs facts to choose by"
    if item.lcsc and not re.fullmatch(r"C\d+", item.lcsc):
        yield f"has LCSC's number {item.lcsc}, which does not look like one"
    if item.seller and item.code != "shop":
        yield f"names the seller {item.seller} beside a {CODES.get(item.code, item.code)}; a seller has a shop's number"
    try:
        date.fromisoformat(item.seen)
    except ValueError:
        yield f"was seen on '{item.seen}', which is no day like 2026-11-23"
    if item.obsolete and not any(re.search(r"[A-Z].*\d", one) for one in item.substitutes):
        yield "is obsolete and names no substitute that can be ordered"


def _check_value(item: Item, value: float, told: float, unit: str) -> Iterator[str]:
    if abs(value / told - 1) > 1e-6:
        yield f"is '{item.what}' and prints the value {item.value}: {value:g} is not {told:g} {unit}"
    percent = _PERCENT.search(item.what)
    if percent is None or abs(float(percent[1]) / 100 - item.tolerance) > 1e-9:
        yield f"is '{item.what}' and has the tolerance {item.tolerance:g}; the words must say it in %"
