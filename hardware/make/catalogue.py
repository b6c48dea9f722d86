"""The parts of the drawings: `hardware/bom/parts.toml`, one entry a part."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

HARDWARE = Path(__file__).resolve().parent.parent
FILE = "parts.toml"


CODES = {
    "maker": "maker's number",
    "shop": "shop's number",
    "norm": "standard",
    "words": "no number",
}
"""Kinds of order codes, and their names in the lists."""


@dataclass(frozen=True)
class Item:
    """One part to buy, `pack` pieces at a time.

    Prices are indicative, in euro, for a single piece.

    code: the kind of `mpn`, one of CODES; choose: facts to choose by where there is no number; lcsc: LCSC's number;
    seen: the day on which it was last compared with the maker's numbering (ISO); lamp_ohm: the resistor of a button's
    own lamp; bridged: whether the guide has it bridged.
    """

    key: str
    what: str
    maker: str
    mpn: str
    price: float
    code: str
    seen: str
    choose: str = ""
    lcsc: str = ""
    seller: str = ""
    obsolete: str = ""
    why: str = ""
    value: str = ""
    footprint: str = ""
    tolerance: float = 0.0
    lamp_ohm: float = 0.0
    bridged: bool = False
    pack: int = 1
    substitutes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Build:
    """A build's additions to its schematics: items' keys to pieces, once, per player, as options, from five players.

    They include the printed stations'.
    """

    once: dict[str, int]
    player: dict[str, int]
    option: dict[str, int]
    from_five: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Catalogue:
    """All items, the builds, and the day of the prices (ISO)."""

    items: dict[str, Item]
    builds: dict[str, Build]
    priced: str

    def __getitem__(self, key: str) -> Item:
        """The part of that name. Raises ValueError with one sentence."""
        if key not in self.items:
            raise ValueError(f"{FILE}: the drawings use '{key}', which is no part of the catalogue.")
        return self.items[key]


def load(root: Path = HARDWARE) -> Catalogue:
    """Read the catalogue below that folder.

    Raises ValueError with one sentence for an unknown or missing key.
    """
    document = tomllib.loads((root / "bom" / FILE).read_text(encoding="utf-8"))
    items = {key: _item(key, {"seen": document["seen"], **table}) for key, table in document["part"].items()}
    builds = {name: _build(table, document["stations"]) for name, table in document["build"].items()}
    for name, build in builds.items():
        for key in (*build.once, *build.player, *build.option, *build.from_five):
            if key not in items:
                raise ValueError(f"{FILE}: build '{name}' needs '{key}', which is no part of the catalogue.")
    return Catalogue(items, builds, document["priced"])


def _build(table: dict[str, dict[str, int]], stations: dict[str, dict[str, int]]) -> Build:
    """A build with its stations."""
    both = {name: dict(Counter(table[name]) + Counter(stations[name])) for name in ("once", "player", "option")}
    return Build(**both, from_five=table.get("from_five", {}))


def _item(key: str, table: dict[str, Any]) -> Item:
    known = {field.name for field in fields(Item)} - {"key"}
    for name in table:
        if name not in known:
            raise ValueError(f"{FILE}: unknown key '{name}' in part '{key}'; allowed are {', '.join(sorted(known))}.")
    try:
        return Item(key=key, **{**table, "substitutes": tuple(table.get("substitutes", ()))})
    except TypeError as exc:
        raise ValueError(f"{FILE}: part '{key}': {exc}") from exc
