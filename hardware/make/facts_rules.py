"""Checks of the catalogue against `bom/facts.csv`, the physical facts of each order number.

A number, a maker or a size that is changed in one of the two files contradicts the other. Substitutes must have the
facts of the part that they replace.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hardware.guide import holes
from hardware.make.catalogue import HARDWARE, Catalogue, Item
from hardware.make.footprints import FOOTPRINTS
from hardware.make.netlist import Netlist

FILE = "facts.csv"
SAME = ("function", "package", "pitch_mm", "polarity", "value")
"""Facts that a substitute shares with the part."""
WORDS = ("function", "package", "polarity")
"""Facts that a part's description must contain."""
LEAD_MM = 0.8
"""How far a lead of a breadboard part is bent sideways at most."""
_ORDER = re.compile(r"(?:([A-Z]\w+(?: \w+)?) )?([A-Z0-9][\w.,/()-]*\d[\w.,/()-]*)(?: \(.*\))?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

Fact = Mapping[str, str]


def read(root: Path = HARDWARE) -> list[Fact]:
    """Return the facts of all order numbers."""
    with (root / "bom" / FILE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def complaints(parts: Catalogue, facts: Sequence[Fact]) -> Iterator[str]:
    """Complain of parts and substitutes without facts or with other facts, and of facts without a part."""
    used: set[tuple[str, str]] = set()
    for key, item in parts.items.items():
        own = _find(facts, key, item.mpn)
        if own is None:
            yield f"{FILE}: no row for {item.mpn} of '{key}'; every order number needs one."
            continue
        used.add((key, item.mpn))
        yield from (f"{FILE}: {item.mpn} of '{key}' {text}." for text in _own(item, own))
        for maker, number in _orders(item):
            used.add((key, number))
            other = _find(facts, key, number)
            if other is None:
                yield f"{FILE}: no row for {number}, a substitute of '{key}'; every order number needs one."
            else:
                yield from (f"{FILE}: {number} for '{key}' {text}." for text in _substitute(own, other, maker))
    for fact in facts:
        if (fact["part"], fact["number"]) not in used:
            yield f"{FILE}: {fact['number']} is no order number of '{fact['part']}'."
        if fact["sources"] not in ("0", "1", "2"):
            yield f"{FILE}: {fact['number']} has '{fact['sources']}' sources; allowed are 0, 1 and 2."


def _find(facts: Sequence[Fact], key: str, number: str) -> Fact | None:
    return next((fact for fact in facts if (fact["part"], fact["number"]) == (key, number)), None)


def _orders(item: Item) -> Iterator[tuple[str, str]]:
    """Yield maker and number of each substitute that has a number."""
    for text in item.substitutes:
        if order := _ORDER.fullmatch(text):
            yield order[1] or item.maker, order[2]


def _own(item: Item, fact: Fact) -> Iterator[str]:
    for name, value in (("maker", item.maker), ("value", item.value), ("lcsc", item.lcsc)):
        if fact[name] != value:
            yield f"has the {name} '{fact[name]}', and the catalogue says '{value}'"
    for name in WORDS:
        if fact[name] and not re.search(rf"(?<![\w.]){re.escape(fact[name])}(?![\w.])", item.what):
            yield f"has the {name} '{fact[name]}', and is described as '{item.what}'"
    free = (text for text in item.substitutes if not _ORDER.fullmatch(text))
    numbers = _NUMBER.findall(" ".join([item.what, item.choose, *free]))
    if numbers != fact["sizes"].split():
        yield f"has the sizes {fact['sizes'] or 'none'}, and the catalogue's words have {' '.join(numbers) or 'none'}"
    yield from _pitch(item, fact)


def _pitch(item: Item, fact: Fact) -> Iterator[str]:
    """Compare the pitch with the words, and with the footprint's drilled pads."""
    pitch = float(fact["pitch_mm"] or 0)
    if pitch and pitch not in map(float, _NUMBER.findall(item.what)):
        yield f"has a pitch of {pitch:g} mm, and is described as '{item.what}'"
    pads = FOOTPRINTS[item.footprint].pads if item.footprint else ()
    if len(pads) > 1 and pads[0].drill:
        apart = max(abs(pads[1].x - pads[0].x), abs(pads[1].y - pads[0].y))
        if abs(apart - pitch) > 0.01:
            yield f"has a pitch of {pitch:g} mm, and the pads of {item.footprint} are {apart:g} mm apart"


def _substitute(own: Fact, other: Fact, maker: str) -> Iterator[str]:
    if other["maker"] != maker:
        yield f"has the maker '{other['maker']}', and the catalogue says '{maker}'"
    for name in SAME:
        if other[name] != own[name]:
            yield f"has the {name} '{other[name]}'; the part has '{own[name]}'"


def on_breadboard(nets: Netlist, places: holes.Places, facts: Sequence[Fact]) -> Iterator[str]:
    """Check that a capacitor's stiff leads reach their holes without bending."""
    pitches = {fact["part"]: float(fact["pitch_mm"]) for fact in facts if fact["pitch_mm"] and fact["sizes"]}
    for ref, part in nets.components.items():
        if part.symbol != "C" or part.key not in pitches or len(places.get(ref, ())) != 2:
            continue
        (x, y), (right, down) = (holes.spot(place) for place in places[ref])
        far = 2.54 * ((x - right) ** 2 + (y - down) ** 2) ** 0.5
        if abs(far - pitches[part.key]) > LEAD_MM:
            yield f"{ref} has leads {pitches[part.key]:g} mm apart, and its holes are {far:.1f} mm apart."
