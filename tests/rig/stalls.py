"""What was not as it must be, and whether the machine itself can say why: the excuses of an emulator on a busy host.

Only what the guest has measured (pulse.py) excuses, only where and when it was measured, and the figure is told. What
is excused was not right: it is played again. What is not excused is wrong, once and for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from referee.core.units import MS, S

EXCUSE_NS = 200 * MS
"""Who lost so much of one second had no chance to be in time with what has to be seen within it."""
AFTER_NS = 1 * S
"""The longest that a stall may have to do with what came after it."""

Span = tuple[int, int, int]
"""From, until, and how much was lost in between, ns."""


@dataclass(frozen=True)
class Wrong:
    """Something was not as it must be, round that instant; the excuse is a sentence with a figure, or nothing."""

    sentence: str
    excuse: str = ""
    at_ns: int = 0

    def __str__(self) -> str:
        return f"{self.sentence}{f' ({self.excuse})' if self.excuse else ''}"


class Stalls:
    """What each CPU of a boot of the guest has lost, and when."""

    def __init__(self, noted: Iterable[Sequence[int]] = ()) -> None:
        """noted: CPU, from, until, lost, as `Pulse.stalls` has them."""
        self._spans: dict[int, list[Span]] = {}
        for cpu, begun, ended, lost in noted:
            self._spans.setdefault(cpu, []).append((begun, ended, lost))

    def longest_ns(self, from_ns: int = 0, until_ns: int = 2**63) -> int:
        """The longest at one time that overlaps these instants, on either CPU."""
        near = (span for cpu in self._spans for span in self._overlapping(cpu, from_ns, until_ns))
        return max((lost for begun, ended, lost in near if lost == ended - begun), default=0)

    def worst_second(self, from_ns: int, until_ns: int) -> tuple[int, int]:
        """Of all seconds that overlap these instants, or end less than one before them: what a CPU lost, and when."""
        seconds = (
            (self._lost_ns(cpu, begun, begun + S), begun)
            for cpu in self._spans
            for begun, _, _ in self._overlapping(cpu, from_ns - AFTER_NS, until_ns)
        )
        return max(seconds, default=(0, from_ns))

    def excuse(self, from_ns: int, until_ns: int) -> str:
        """Why something between these instants may have gone wrong; nothing, when the guest knows of no reason."""
        lost_ns, at_ns = self.worst_second(from_ns, until_ns)
        if lost_ns < EXCUSE_NS:
            return ""
        return f"the guest lost {lost_ns // MS} ms of the second from {at_ns / S:.3f} s on, by its own pulse"

    def wrong(self, sentence: str, from_ns: int, until_ns: int) -> Wrong:
        """It went wrong between these instants."""
        return Wrong(sentence, self.excuse(from_ns, until_ns), until_ns)

    def _overlapping(self, cpu: int, from_ns: int, until_ns: int) -> list[Span]:
        return [span for span in self._spans[cpu] if span[1] >= from_ns and span[0] <= until_ns]

    def _lost_ns(self, cpu: int, from_ns: int, until_ns: int) -> int:
        """Of a span that is not wholly within, its part."""
        return sum(
            lost * (min(ended, until_ns) - max(begun, from_ns)) // max(ended - begun, 1)
            for begun, ended, lost in self._overlapping(cpu, from_ns, until_ns)
        )
