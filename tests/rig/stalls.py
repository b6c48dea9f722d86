"""Failures, and whether the guest's own measurements excuse them on a busy host.

Only what the guest has measured (pulse.py) excuses, only where and when it was measured, and the figure is reported. An
excused failure is repeated. A failure without excuse is final.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from referee.core.units import MS, S

EXCUSE_NS = 200 * MS
"""Loss within one second that makes it impossible to meet that second's deadlines."""
AFTER_NS = 1 * S
"""Longest time after a stall in which it can have an effect."""

Span = tuple[int, int, int]
"""From, until, and the ns lost in between."""


@dataclass(frozen=True)
class Wrong:
    """A failure around that instant; the excuse is a sentence with a figure, or empty."""

    sentence: str
    excuse: str = ""
    at_ns: int = 0

    def __str__(self) -> str:
        return f"{self.sentence}{f' ({self.excuse})' if self.excuse else ''}"


class Stalls:
    """The time each CPU of a boot of the guest has lost, and when."""

    def __init__(self, noted: Iterable[Sequence[int]] = ()) -> None:
        """noted: CPU, from, until, lost, as in `Pulse.stalls`."""
        self._spans: dict[int, list[Span]] = {}
        for cpu, begun, ended, lost in noted:
            self._spans.setdefault(cpu, []).append((begun, ended, lost))

    def longest_ns(self, from_ns: int = 0, until_ns: int = 2**63) -> int:
        """Return the longest single loss that overlaps these instants, on any CPU."""
        near = (span for cpu in self._spans for span in self._overlapping(cpu, from_ns, until_ns))
        return max((lost for begun, ended, lost in near if lost == ended - begun), default=0)

    def worst_second(self, from_ns: int, until_ns: int) -> tuple[int, int]:
        """Return the largest loss of a CPU in any second that overlaps these instants or ends less than one before."""
        seconds = (
            (self._lost_ns(cpu, begun, begun + S), begun)
            for cpu in self._spans
            for begun, _, _ in self._overlapping(cpu, from_ns - AFTER_NS, until_ns)
        )
        return max(seconds, default=(0, from_ns))

    def excuse(self, from_ns: int, until_ns: int) -> str:
        """Return an excuse for a failure between these instants, or "" if the guest measured none."""
        lost_ns, at_ns = self.worst_second(from_ns, until_ns)
        if lost_ns < EXCUSE_NS:
            return ""
        return f"the guest lost {lost_ns // MS} ms of the second from {at_ns / S:.3f} s on, by its own pulse"

    def wrong(self, sentence: str, from_ns: int, until_ns: int) -> Wrong:
        """Return a failure between these instants."""
        return Wrong(sentence, self.excuse(from_ns, until_ns), until_ns)

    def _overlapping(self, cpu: int, from_ns: int, until_ns: int) -> list[Span]:
        return [span for span in self._spans[cpu] if span[1] >= from_ns and span[0] <= until_ns]

    def _lost_ns(self, cpu: int, from_ns: int, until_ns: int) -> int:
        """Return the loss within a span, proportionally for a partly contained one."""
        return sum(
            lost * (min(ended, until_ns) - max(begun, from_ns)) // max(ended - begun, 1)
            for begun, ended, lost in self._overlapping(cpu, from_ns, until_ns)
        )
