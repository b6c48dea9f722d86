"""The bills of materials: what to buy for a number of players, counted from the schematics.

One CSV per build, one row per part; the quantity columns are numbers of players (of stations for the pod), in
pieces needed. The last row is the price of all parts that are not options: whole packs, and the sellers' postage.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hardware.make.catalogue import CODES, Build, Catalogue
from hardware.make.netlist import Netlist

_STATION = re.compile(r"[RCD]([1-8])[1-3]|J([1-8])")
TOTAL = "total"
POSTAGE = "postage"
FIFTH = 5
"""The first station that needs what a build adds from five players."""
CODED = ("code", "choose", "lcsc", "seller", "seen", "obsolete")
"""Columns about an order code: its kind, facts to choose by, LCSC's number, the shop, the day, why it is obsolete."""


@dataclass
class Row:
    """One part to buy: pieces needed once, per player, and for each station."""

    key: str
    once: int = 0
    each: int = 0
    by_station: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    references: list[str] = field(default_factory=list)
    option: bool = False

    def quantity(self, players: int) -> int:
        """The number of pieces for that many players."""
        return self.once + self.each * players + sum(n for number, n in self.by_station.items() if number <= players)


def station_of(ref: str) -> int | None:
    """The station that a reference belongs to, None for the rest.

    >>> station_of("R42"), station_of("J8"), station_of("R91"), station_of("J10")
    (4, 8, None, None)
    """
    found = _STATION.fullmatch(ref)
    return int(found[1] or found[2]) if found else None


def rows(console: Netlist, station: Netlist, build: Build) -> list[Row]:
    """Every part of a build, in order of first use."""
    found: dict[tuple[str, bool], Row] = {}

    def row(key: str, *, option: bool = False) -> Row:
        return found.setdefault((key, option), Row(key, option=option))

    drawn = {ref: part for ref, part in console.components.items() if part.bought}
    for ref, part in sorted(drawn.items(), key=lambda entry: _order(entry[0])):
        one = row(part.key, option=part.option)
        one.references.append(ref)
        number = station_of(ref)
        if number is None:
            one.once += 1
        else:
            one.by_station[number] += 1
    for ref, part in sorted(station.components.items()):
        one = row(part.key, option=part.option)
        one.references.append(f"station {ref}")
        one.each += 1
    for amounts, kind in ((build.once, "once"), (build.player, "each"), (build.option, "once")):
        for key, count in amounts.items():
            one = row(key, option=amounts is build.option)
            setattr(one, kind, getattr(one, kind) + count)
    for key, count in build.from_five.items():
        row(key).by_station[FIFTH] += count
    return list(found.values())


def table(rows_: Iterable[Row], parts: Catalogue, players: Iterable[int]) -> str:
    """The rows as CSV."""
    counts = list(players)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [f"for_{n}" for n in counts]
    priced = f"eur_each_{parts.priced}"
    writer.writerow(["what", "maker", "mpn", *CODED, "substitutes", priced, "pack", "option", *names, "references"])
    kept = list(rows_)
    for row in kept:
        item = parts[row.key]
        numbers = [row.quantity(n) for n in counts]
        option = "option" if row.option else ""
        where = " ".join(row.references)
        coded = [CODES[item.code], item.choose, item.lcsc, item.seller, item.seen, item.obsolete]
        one = [item.what, item.maker, item.mpn, *coded, "; ".join(item.substitutes), f"{item.price:.2f}", item.pack]
        writer.writerow([*one, option, *numbers, where])
    writer.writerow([TOTAL, *[""] * (6 + len(CODED)), *(f"{total(kept, parts, n):.2f}" for n in counts), ""])
    return out.getvalue()


def reasons(nets: Mapping[str, Netlist], parts: Catalogue) -> str:
    """A page with every part of a schematic, its value and the reason for it."""
    lines = ["# Parts and reasons", "", "Generated from `parts.toml` and the schematics by `make hardware`.", ""]
    for name, one in nets.items():
        lines += [f"## {name}", "", "| part | value | references | why |", "|---|---|---|---|"]
        used: dict[str, list[str]] = defaultdict(list)
        for ref in sorted((ref for ref, part in one.components.items() if part.bought), key=_order):
            used[one.components[ref].key].append(ref)
        for key, refs in used.items():
            item = parts[key]
            lines.append(f"| {item.what} | {item.value} | {' '.join(refs)} | {item.why} |")
        lines.append("")
    return "\n".join(lines)


def total(rows_: Iterable[Row], parts: Catalogue, players: int) -> float:
    """The price in euro for that many players in whole packs, without options."""
    return sum(
        parts[row.key].price * pieces_paid(row.quantity(players), parts[row.key].pack)
        for row in rows_
        if not row.option
    )


def kit_price(rows_: Iterable[Row], parts: Catalogue, players: int, kits: int) -> float:
    """The price in euro of one of several equal kits: packs are shared, and postage is paid once.

    Prices are those of single pieces, so an offer for many is lower.
    """
    spent = 0.0
    for row in (row for row in rows_ if not row.option):
        pieces = row.quantity(players) * (1 if row.key == POSTAGE else kits)
        spent += parts[row.key].price * pieces_paid(pieces, parts[row.key].pack)
    return spent / kits


def kit_page(read: Mapping[str, Netlist], parts: Catalogue) -> str:
    """A page with the price of a kit at 1, 10 and 100 kits."""
    lines = [
        "# Price of a kit",
        "",
        "Generated by `make hardware`. Whole packs are shared by all kits, postage is paid once;",
    ]
    lines += ["prices are those of single pieces, so an offer for many is lower.", ""]
    lines += ["| build | players | 1 kit | 10 kits | 100 kits |", "|---|--:|--:|--:|--:|"]
    for name, players in (("pod", 4), ("direct4", 4), ("full8", 4), ("full8", 8)):
        found = rows(read[name], read["station"], parts.builds[name])
        each = (f"€{kit_price(found, parts, players, kits):.0f}" for kits in (1, 10, 100))
        lines.append(f"| {name} | {players} | {' | '.join(each)} |")
    return "\n".join(
        [
            *lines,
            "",
            "A maker's number finds the part at Mouser, Digi-Key and Farnell. Bags: a file `bags-*.csv` per build.",
            "What a seller must do: [conformity](../conformity.md).",
            "",
        ]
    )


def pieces_paid(pieces: int, pack: int) -> int:
    """The number of pieces paid for.

    >>> pieces_paid(11, 10), pieces_paid(10, 10), pieces_paid(0, 10)
    (20, 10, 0)
    """
    return -(-pieces // pack) * pack


def complaints(text: str, netlists: Mapping[str, Netlist], build: Build, parts: Catalogue) -> Iterable[str]:
    """Complain of a committed CSV with missing or miscounted parts, or with a wrong total."""
    read = list(csv.DictReader(io.StringIO(text)))
    columns = [name for name in (read[0] if read else {}) if name.startswith("for_")]
    priced = f"eur_each_{parts.priced}"
    for row in read[:-1]:
        for name in ("what", "maker", "mpn", "code", "seen", "substitutes", priced, "pack"):
            if not row.get(name):
                yield f"'{row['what']}' has no {name}; every part needs one."
    yield from _check_counts(read, columns, netlists, build)
    for column in columns:
        spent = sum(
            float(row[priced] or 0) * pieces_paid(int(row[column]), int(row["pack"] or 1))
            for row in read[:-1]
            if not row["option"]
        )
        if abs(spent - float(read[-1][column])) > 0.005:
            yield f"column {column} adds up to {spent:.2f}, and says {read[-1][column]}."


def _check_counts(
    read: list[dict[str, str]], columns: list[str], netlists: Mapping[str, Netlist], build: Build
) -> Iterable[str]:
    """Compare each column's pieces with the schematics' parts: the console's, a station's per player."""
    for column in columns:
        players = int(column.removeprefix("for_"))
        numbers = (station_of(ref) for ref, part in netlists["console"].components.items() if part.bought)
        drawn = sum(1 for number in numbers if number is None or number <= players)
        drawn += players * len(netlists["station"].components)
        drawn += sum(build.once.values()) + sum(build.option.values()) + players * sum(build.player.values())
        drawn += sum(build.from_five.values()) if players >= FIFTH else 0
        listed = sum(int(row[column]) for row in read[:-1])
        if drawn != listed:
            yield f"column {column} lists {listed} pieces, and the schematics with what goes round them have {drawn}."


def _order(ref: str) -> tuple[str, int]:
    return ref.rstrip("0123456789"), int(re.sub(r"\D", "", ref))
