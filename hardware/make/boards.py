"""The Raspberry Pis that the consoles take, and how much current each spares.

What a board draws itself: Raspberry Pi documentation, "Power supply" (typical bare board), doubled for a busy processor
(?). Supplies: the makers' product briefs. That each header spares half an ampere at 3.3 V is said of all of them (?).
Pins, overlays and the carrier are the same on all.
"""

from __future__ import annotations

from dataclasses import dataclass

SUPPLY_SHARE = 0.9
"""Of what a supply gives, so much may be drawn."""


@dataclass(frozen=True)
class Board:
    """A Raspberry Pi: A that it draws itself, that its usual supply gives, that its header's 3.3 V spare."""

    own_a: float
    supply_a: float
    spare_3v3_a: float


BOARDS = {
    "Zero 2 W": Board(0.7, 2.5, 0.5),
    "3B+": Board(1.0, 2.5, 0.5),
    "4B": Board(1.2, 3.0, 0.5),
    "5": Board(1.6, 5.0, 0.5),
}
