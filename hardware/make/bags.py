"""The guide's steps as data (`hardware/guide/steps.toml`), and the bag lists: a bag per step, as a kit is packed."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hardware.make.bom import FIFTH, station_of
from hardware.make.catalogue import HARDWARE, Catalogue
from hardware.make.netlist import Netlist


@dataclass(frozen=True)
class Step:
    """A step of the guide: its chapter and heading, the parts that it takes, what it needs and makes."""

    chapter: str
    title: str
    builds: tuple[str, ...]
    once: dict[str, int] = field(default_factory=dict)
    player: dict[str, int] = field(default_factory=dict)
    option: dict[str, int] = field(default_factory=dict)
    player_option: dict[str, int] = field(default_factory=dict)
    from_five: dict[str, int] = field(default_factory=dict)
    refs: str = ""
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()

    def pieces(self, nets: Netlist, players: int) -> Counter[tuple[str, bool]]:
        """Part, and whether it is an option -> pieces for that many players."""
        found = Counter({(key, False): count for key, count in self.once.items()})
        found += Counter({(key, True): count for key, count in self.option.items()})
        found += Counter({(key, False): count * players for key, count in self.player.items()})
        found += Counter({(key, True): count * players for key, count in self.player_option.items()})
        found += Counter({(key, False): count for key, count in self.from_five.items() if players >= FIFTH})
        for ref, part in nets.components.items():
            number = station_of(ref)
            if part.bought and self.refs and re.fullmatch(self.refs, ref) and (number is None or number <= players):
                found[part.key, part.option] += 1
        return found


def steps(root: Path = HARDWARE) -> list[Step]:
    """Every step in the guide's order. Raises TypeError for an unknown key."""
    document = tomllib.loads((root / "guide" / "steps.toml").read_text(encoding="utf-8"))
    found = []
    for chapter, table in document["chapter"].items():
        builds = tuple(table.pop("builds"))
        for step in table.get("step", [{"title": "", **table}]):
            found.append(Step(chapter, builds=builds, **step))
    return found


def table(build: str, nets: Netlist, parts: Catalogue, players: Iterable[int], root: Path = HARDWARE) -> str:
    """A build's bags as CSV."""
    counts = list(players)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["bag", "what", "maker", "mpn", "option", *(f"for_{n}" for n in counts)])
    for step in steps(root):
        if build in step.builds:
            writer.writerows(_rows(step, nets, parts, counts))
    return out.getvalue()


def _rows(step: Step, nets: Netlist, parts: Catalogue, counts: list[int]) -> Iterator[list[str]]:
    pieces = [step.pieces(nets, players) for players in counts]
    for key, option in sorted(pieces[-1], key=lambda part: part[1]):
        item = parts[key]
        bag = f"{step.chapter} {step.title}".strip()
        counts_ = (str(one[key, option]) for one in pieces)
        yield [bag, item.what, item.maker, item.mpn, "option" if option else "", *counts_]
