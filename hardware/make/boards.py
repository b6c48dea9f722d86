"""The Raspberry Pis for the consoles, and the current that each spares.

A board's own current: Raspberry Pi documentation, "Power supply" (typical bare board), doubled for a busy processor
(?). Supplies: the makers' product briefs. That each header spares half an ampere at 3.3 V is said of all of them
(?). Pins, overlays and the carrier are the same on all.
"""

from __future__ import annotations

from dataclasses import dataclass

SUPPLY_SHARE = 0.9
"""Share of a supply's current that may be drawn."""


@dataclass(frozen=True)
class Board:
    """A Raspberry Pi: A of its own, of its usual supply, and spare at its header's 3.3 V."""

    own_a: float
    supply_a: float
    spare_3v3_a: float


BOARDS = {
    "Zero 2 W": Board(0.7, 2.5, 0.5),
    "3B+": Board(1.0, 2.5, 0.5),
    "4B": Board(1.2, 3.0, 0.5),
    "5": Board(1.6, 5.0, 0.5),
}
