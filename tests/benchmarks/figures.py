"""Figures with their limits, and their output.

A ratio is taken within one run, so that other load affects both sides. An absolute figure depends on the machine as
well, and is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from referee.core.units import MS


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement as text with its unit, its comparison, its limit, and whether the limit is kept."""

    name: str
    measured: str
    against: str
    limit: str
    ok: bool

    @property
    def verdict(self) -> str:
        """Return the last column."""
        return "ok" if self.ok else "MISSED"


ABSOLUTE = "absolute"
HEADINGS = ("figure", "measured", "compared with", "limit", "")


def at_most(name: str, value: float, limit: float, unit: str, against: str = ABSOLUTE) -> Figure:
    """Return a figure that must not exceed its limit."""
    return Figure(name, f"{_number(value)} {unit}", against, f"<= {_number(limit)} {unit}", value <= limit)


def at_least(name: str, value: float, limit: float, unit: str, against: str = ABSOLUTE) -> Figure:
    """Return a figure that must not be below its limit."""
    return Figure(name, f"{_number(value)} {unit}", against, f">= {_number(limit)} {unit}", value >= limit)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"


def table(figures: Iterable[Figure]) -> str:
    """Return one line per figure, in columns."""
    lines = [HEADINGS, *((f.name, f.measured, f.against, f.limit, f.verdict) for f in figures)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(HEADINGS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(-int(-share * len(ordered) // 1) - 1, 0)]


def spread_ms(values_ns: Sequence[int]) -> str:
    """Return median, p99 and worst in ms, for the line under the table."""
    worst, p99 = max(values_ns), quantile(values_ns, 0.99)
    return f"median {median(values_ns) / MS:.2f}, p99 {p99 / MS:.2f}, worst {worst / MS:.2f} ms of {len(values_ns)}"
