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
    from_five: dict[str, int] = field(default_factory=dict)
    refs: str = ""
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    printed: bool = False

    def is_in(self, build: str) -> bool:
        """Whether a build has it; only the carrier's has a printed case."""
        return build in self.builds and (build == "full8" or not self.printed)

    def pieces(self, nets: Netlist, players: int) -> Counter[str]:
        """Part -> pieces for that many players, options included."""
        found = Counter(self.once) + Counter(self.option)
        found += Counter({key: count * players for key, count in self.player.items()})
        found += Counter(self.from_five if players >= FIFTH else {})
        for ref, part in nets.components.items():
            number = station_of(ref)
            if part.bought and self.refs and re.fullmatch(self.refs, ref) and (number is None or number <= players):
                found[part.key] += 1
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
    writer.writerow(["bag", "what", "maker", "mpn", *(f"for_{n}" for n in counts)])
    for step in steps(root):
        if step.is_in(build):
            writer.writerows(_rows(step, nets, parts, counts))
    return out.getvalue()


def _rows(step: Step, nets: Netlist, parts: Catalogue, counts: list[int]) -> Iterator[list[str]]:
    pieces = [step.pieces(nets, players) for players in counts]
    for key in pieces[-1]:
        item = parts[key]
        bag = f"{step.chapter} {step.title}".strip()
        yield [bag, item.what, item.maker, item.mpn, *(str(one[key]) for one in pieces)]
